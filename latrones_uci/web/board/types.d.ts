// The types of the data that the server sends (see state.py, notation.py, analyst.py and config.py), and of the data
// that the modules of the page exchange. For the type check (scripts/checks.py); not part of the package.

import type {Figure, Hand, MoveList, Ply, Score, Played, Standing} from "../lib/types";

export type {Attributes, Hand, Ply, Score, Standing} from "../lib/types";
export type {Figure} from "../lib/types";
export type Kind = "variations" | "state" | "analysis" | "review" | "attempt" | "values" | "unsaved" | "gone";

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
  kernel: string; // what an engine says it searches with, and why
}

// What has changed since the state numbered `after`: new values, and lists of which only the end is new.
export interface Changes {
  after?: number;
  set?: Partial<State>;
  tails?: Record<string, [number, any[]]>;
}

// A position in the editor, and what the rules say about it: why it is not possible, or how the game is over in it.
export interface CheckedPosition {
  men: string;
  hand: Hand;
  side: number;
  pieces: string;
  holds: boolean;
  start: string;
  problem: string;
  ending: string;
}

export interface EngineOption {
  name: string;
  kind: "check" | "spin" | "combo" | "string";
  choices: string[];
  minimum: number | null;
  maximum: number | null;
  initial: string;
  value: string;
}

export interface State extends MoveList {
  serial: number;
  record: string;
  variant: string;
  title: string;
  size: string;
  files: number;
  wheel: boolean;
  start: Standing;
  side: number;
  fen: string;
  legal: Legal[];
  surrounded: number[];
  immobile: number[];
  players: Player[];
  choice: GameChoice;
  thinking: boolean;
  undoable: boolean; // whether there is a move, or a resignation or an agreed draw, to take back
  paused: boolean;
  placing: number; // how many pieces the player to move places in this turn, 0 if pieces move
  clocks: {left_ms: (number | null)[], running: number | null};
  outcome: {result: string, winner: number | null, reason: string, decisive: number[]} | null;
  hint: {path: number[], text: string, note: string, score: Score | null, why: string} | null;
  notices: [number, string][];
}

export interface Analysis {
  wanted: number;
  ply?: number;
  node?: number | null; // the move of a variation that leads to the position, null for one of the game
  threat?: boolean; // what the other side would do
  depth?: number | null;
  seldepth?: number | null;
  nodes?: number | null;
  nps?: number | null;
  hash?: number | null; // per mille
  wdl?: number[] | null; // White wins, draw, Black wins, per mille
  why?: string; // why there are no lines
  kernel?: string; // what the engine says it searches with, and why
  limit?: number; // seconds after which the search stops
  stopped?: boolean; // whether it was stopped there
  lines: {score: Score | null, moves: string[], notes: string[], path: number[],
    steps?: (Standing & {path: number[], captures: number[]})[]}[];
}

export interface View extends Figure {
  before: string;
  legal: Legal[];
  surrounded: number[];
  immobile: number[];
  hint: number[] | null;
  partner?: number; // the square of the other piece that was placed in the same turn
  decisive?: number[];
  arrows?: {path: number[], kind: string}[];
  key: string;
  follows: string | null;
  premoves?: boolean; // whether a move can be entered for the time after the opponent's
  states?: boolean; // whether pieces that cannot move are marked
  ply?: number;
  record?: string;
}

// A move of a variation (see variations.py): `parent` is the move before it, null for the first one, which leaves the
// game after `at` plies.
export interface TreeNode extends Played {
  id: number;
  parent: number | null;
  at: number;
  over: boolean;
  score: Score | null; // of a move that has been tried
  sign: string;
  comment: string;
  lead?: string; // the comment before it
  marks?: string[];
}

// A note on a position: a sign such as "?", a comment, and marks such as "Ga1a2" (an arrow) and "Rb3" (a square).
export interface MoveNote {
  sign: string;
  comment: string;
  marks?: string[];
}

export interface TreeData {
  given: number; // the number of the last move that was added
  nodes: TreeNode[]; // each after the one before it
  notes: Record<string, MoveNote>;
}

// A position of a game: after `ply` plies (null: all), or after the move `node` of a variation of its `tree`.
export interface Place {
  state: State;
  tree: TreeData;
  ply: number | null;
  node: number | null;
}

export interface Settings {
  evaluation: boolean;
  states: boolean; // whether pieces that cannot move are marked
  premoves: boolean;
  sound: boolean;
  plain: boolean; // whether moves are written in the notation of the protocol
  theme: string;
  name: string; // of the user
}

export interface Page extends Place {
  table: string | null;
  came: number; // when the state came
  edition: number; // counts the trees that came
  analysis: Analysis;
  review: ReviewData | null;
  reachable: {key: string, moves: Partial<View>}; // the legal moves of a position, if the state does not have them
  asked: string; // the position whose moves were requested from the server
  previewing: boolean; // whether the board shows a line of the analysis
  threat: boolean; // whether the analysis is for the other side
  flipped: boolean;
  ground: string; // the board that is drawn
  settings: Settings;
}

export interface PlayerChoice {
  kind: "person" | "engine";
  name?: string; // of a human
  engine: number;
  level?: number | null;
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
  // `folded`: not of the core set.
  games: {name: string, title: string, summary: string, size: string, sizes: string[], folded: boolean, puzzles: boolean}[];
  newcomer: boolean; // whether nobody has played here
  engines: string[];
  levels: string[];
}

export interface LessonData {
  key: string;
  title: string;
  text: string;
  task: string;
  start: Standing;
  files: number;
  legal: (Legal & {after: string})[];
  answers: string[];
  move: {text: string, path: number[]};
  note: string;
  captures: number[];
}

export interface PuzzleEntry {
  id: string;
  themes: string[];
  rating: number | null;
  turns: number | null; // of a forced win
  side: number;
}

export interface PuzzleList {
  games: {name: string, title: string}[];
  variant: string;
  puzzles: PuzzleEntry[];
}

// A move of a puzzle, and the position after it.
export interface PuzzleStep extends Standing {
  text: string;
  path: number[];
  captures: number[];
  mover: number;
  note: string;
  over: boolean;
}

export interface RulesData {
  name: string;
  title: string;
  aim: string;
  source: string;
  legend: string;
  sections: {heading: string, rules: {text: string, origin: string}[]}[];
  lessons: LessonData[];
}

export interface KeptGame {
  record: string;
  name: string;
  title: string;
  variant: string;
  players: string[];
  result: string;
  plies: number;
  moves: number;
  date: string;
}

// A page of the kept games; `found` is the number of all games that match the search.
export interface GameList {
  kept: boolean;
  games: KeptGame[];
  found: number;
  page: number;
  pages: number;
}

// What the user has scored against an engine in a game.
export interface ScoreRow {
  variant: string;
  title: string;
  opponent: string;
  wins: number;
  draws: number;
  losses: number;
}

// The moves that were played in a position of the games of a source, which the server may still be counting.
export interface Explored {
  sources: string[];
  games: number;
  here: number; // games with a move in this position
  reading: boolean;
  problem: string;
  fen: string;
  moves: {text: string, note: string, book: boolean, counts: number[]}[]; // games, White's wins, draws, Black's wins
}

export interface ReviewData {
  plies: number;
  done?: number;
  problem?: string;
  scores?: (Score | null)[]; // at the start and after each ply
  moves?: ReviewedMove[];
  accuracy?: (number | null)[];
  fortress?: string; // why a game in which a side was far ahead was drawn
}

export interface ReviewedMove {
  mark: string;
  lost?: string;
  best: string;
  path: number[]; // of the best move
  fen: string; // of the position before the move
  why?: string; // of a mistake: what the best move achieves, what is wrong with the played one
  fault?: string;
  line?: string[]; // how the game could have gone on, in both notations
  moves?: string[];
}

// The verdict on a move tried instead of a reviewed one: after `ply` plies of the game, where it is the move `node` of a
// variation, null if it is the move of the game.
export interface Attempt {
  ply: number;
  node: number | null;
  text: string;
  solved: boolean;
  reply: number[] | null; // the squares of the reply that refutes it
}

// An arrow along squares, or a ring around one; the colour is G, R, Y or B.
export interface Sketch {
  path: number[];
  colour: string;
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
