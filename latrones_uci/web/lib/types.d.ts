// The types of the data that every page receives (see notation.py and replay.py), and of the messages between
// tabs. For the type check (scripts/checks.py); not part of the package.

export type Score = number | string; // centi-soldiers from White's side, or "#5" for a forced win
export type Hand = Record<string, number>; // count by letter of the piece

export interface Standing {
  men: string;
  hand: Hand;
  side: number;
  fen: string;
}

// A move, and the position after it.
export interface Played extends Standing {
  text: string;
  path: number[];
  captures: number[];
  note: string;
  mover: number;
  number: number;
}

export interface Ply extends Played {
  score: Score | null;
  depth?: number;
  nodes?: number;
  ms?: number;
  clock?: number; // left after the move
  mark?: string; // what a review says about the move, what it loses, and the best move
  lost?: string;
  best?: string;
}

export interface MoveList {
  start_fen: string;
  plies: Ply[];
  game?: number;
  scores?: boolean; // whether the list of moves shows them
  last?: number; // the number of legal moves, if others follow
}

// The board of a game: variant and size. Games with the same `ground` are played on the same board.
export interface Ground {
  ground: string;
  files: number;
  variant: string;
  size: string;
}

export interface Replay extends MoveList, Ground {
  game?: number;
  round?: number;
  white?: number;
  black?: number;
  result?: string;
  ending?: string;
  start: Standing;
  problem: string;
  finished: boolean;
}

// A position with its last move, as `Ground.show` draws it.
export interface Figure extends Standing {
  path: number[] | null;
  captures: number[];
  over: boolean;
  title: string;
}

// Messages between tabs.
export interface Message {
  hello?: string;
  connected?: boolean;
  refusal?: string; // why there is no connection, if the server says so
  table?: string;
  kind?: string;
  data?: any;
}

export type Attributes = Record<string, string | number>;
