// The types of the data that the server sends (see state.py, notation.py, analyst.py and config.py), and of the data
// that the modules of the page exchange. For the type check (scripts/js_checks.py); not part of the package.

export type Score = number | string; // centi-soldiers from White's side, or "#5" for a forced win
export type Hand = Record<string, number>; // count by letter of the piece
export type Kind = "state" | "analysis" | "gone";

export interface Standing {
  men: string;
  hand: Hand;
  side: number;
  fen: string;
}

export interface Ply extends Standing {
  text: string;
  path: number[];
  captures: number[];
  note: string;
  mover: number;
  number: number;
  score: Score | null;
  told: string;
}

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

export interface State {
  variant: string;
  title: string;
  size: string;
  files: number;
  start: Standing;
  plies: Ply[];
  side: number;
  fen: string;
  start_fen: string;
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

export interface View extends Standing {
  path: number[] | null;
  captures: number[];
  before: string;
  legal: Legal[];
  surrounded: number[];
  immobile: number[];
  hint: number[] | null;
  over: boolean;
  key: string;
  follows: string | null;
  title: string;
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

// Messages between tabs.
export interface Message {
  hello?: string;
  connected?: boolean;
  table?: string;
  kind?: Kind;
  data?: any;
}

export type Attributes = Record<string, string | number>;
export type Field = HTMLInputElement & HTMLSelectElement; // a field of a form, of any type
