// The types of the data that the server sends (see scoreboard.py and watch_server.py). For the type check
// (scripts/checks.py); not part of the package.

import type {Ground, Hand, Score} from "../lib/types";

export type {Attributes, Figure, Ground, Score} from "../lib/types";

export interface Standings {
  engine: number;
  games: number;
  points: number;
  score: string | null;
  counts: string;
  elo: string | null;
  bar: [number, number, number] | null;
  remarks: [string, string][];
}

export interface Match {
  title: string;
  settings: string;
  created: string;
  engines: string[];
  controls: string[];
  played: number;
  total: number;
  complete: boolean;
  per_minute: number | null;
  left_s: number | null;
  standings: Standings[];
  reach: number;
  note: string;
  cross: (string | null)[][];
  sprt: {verdict: string, llr: string, bounds: string, hypotheses: string, share: number, rest: string, games: number} | null;
  round: string; // the current round of a Swiss tournament or knockout
  rounds: {title: string, headings: string[], rows: string[][], numbers: number[], note: string} | null;
  terminations: [string, number][];
  troubles: string; // the numbers of faults and violations
  live: boolean; // whether the runner reports its games
  running: number;
  problem: string;
}

export interface Running extends Ground {
  men: string;
  hand: Hand;
  side: number;
  path: number[] | null;
  captures: number[];
  game: number;
  round: number;
  white: number;
  black: number;
  plies: number;
  note: string;
  number: number;
  score: Score | null;
  depth: number | null;
  elapsed: number | null;
  clocks: (number | null)[];
  ticks: boolean[];
  age: number;
  begun: boolean;
}

export interface Row {
  game: number;
  round: number;
  white: number;
  black: number;
  result: string;
  plies: number;
  ending: string;
  board: string;
}

export interface RowList {
  count: number;
  games: Row[];
  endings: string[];
}
