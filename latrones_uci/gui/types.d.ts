// The types of the data that the server sends (see state.py, notation.py, analyst.py and config.py), and of the data
// that the modules of the page exchange. For the type check (scripts/js_checks.py); not part of the package.

import type {Figure, Hand, MoveList, Ply, Score, Standing} from "../web/types";

export type {Attributes, Hand, Ply, Score, Standing} from "../web/types";
export type Kind = "state" | "analysis" | "gone";

export interface Legal {
  text: string;
  path?: number[];
  place?: string;
  square?: number;
  kill?: number;
  captures?: number[];
  jump?: boolean;
}

export interface Player {
  kind: "person" | "engine";
  name: string;
  level: string;
}

export interface State extends MoveList {
  variant: string;
  title: string;
  size: string;
  files: number;
  start: Standing;
  side: number;
  fen: string;
  legal: Legal[];
  surrounded: number[];
  immobile: number[];
  players: Player[];
  thinking: boolean;
  paused: boolean;
  clocks: {left_ms: (number | null)[], running: number | null};
  outcome: {result: string, winner: number | null, reason: string} | null;
  hint: number[] | null;
  notices: [number, string][];
}

export interface Analysis {
  wanted: number;
  ply?: number;
  depth?: number | null;
  lines: {score: Score | null, moves: string[], notes: string[]}[];
}

export interface View extends Figure {
  before: string;
  legal: Legal[];
  surrounded: number[];
  immobile: number[];
  hint: number[] | null;
  key: string;
  follows: string | null;
}

export interface PlayerChoice {
  kind: "person" | "engine";
  engine: number;
  limit?: string;
  movetime_ms?: number;
  depth?: number;
  base_s?: number;
  increment_s?: number;
}

export interface GameChoice {
  variant: string;
  size: string;
  fen: string;
  players: PlayerChoice[];
}

export interface Choices {
  games: {name: string, title: string, size: string, sizes: string[]}[];
  engines: string[];
}

export interface Drag {
  node: HTMLElement;
  square: number | null;
  piece: string | undefined;
  x: number;
  y: number;
  ghost: Element | null;
  pointer: number;
}

export type Field = HTMLInputElement & HTMLSelectElement; // a field of a form, of any type
