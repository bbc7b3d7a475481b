// The board's view of a game at a ply. Does not use the DOM.

/** @typedef {import("./types").State} State */

/** @param {State} state @param {number} ply @returns {import("./types").Standing} */
export const standingAt = (state, ply) => (ply ? state.plies[ply - 1] : state.start);

// Returns the state after changes to the state before, or null if the changes do not follow on that state.
/** @param {State | null} before @param {State & import("./types").Changes} data @returns {State | null} */
export function merged(before, data) {
  if (data.after === undefined) return data;
  if (before?.serial !== data.after) return null;
  /** @type {any} */
  const state = {...before, ...data.set, serial: data.serial};
  for (const [key, [same, rest]] of Object.entries(data.tails)) state[key] = [...state[key].slice(0, same), ...rest];
  return state;
}

// Identifies a position by the moves that led to it.
/** @param {State} state @param {number} ply */
export const keyOf = (state, ply) => [state.start_fen, ...state.plies.slice(0, ply).map(({text}) => text)].join(" ");

// Returns the square of the piece that the mover of a ply placed right before in the same turn, undefined if there is none.
/** @param {State} state @param {number} ply */
function partnerAt({plies}, ply) {
  const [first, second] = [plies[ply - 2], plies[ply - 1]];
  const isPair = second?.path.length === 1 && first?.path.length === 1 && first.mover === second.mover && !second.captures.length;
  return isPair && plies[ply - 3]?.mover !== second.mover ? first.path[0] : undefined;
}

// Returns what the board shows after `ply` plies; `more` has arrows, for example.
/** @param {State} state @param {number} ply @param {Partial<import("./types").View>} more @returns {import("./types").View} */
export function viewOf(state, ply, more = {}) {
  const standing = /** @type {import("./types").Ply} */ (standingAt(state, ply));
  const now = ply === state.plies.length;
  const others = state.players[1 - state.side].kind === "person";
  const mine = now && !state.outcome && !state.thinking && state.players[state.side].kind === "person";
  return {
    men: standing.men, hand: standing.hand, side: standing.side, path: ply ? standing.path : null,
    partner: partnerAt(state, ply), captures: ply ? standing.captures : [], before: ply > 1 ? state.plies[ply - 2].men : state.start.men,
    legal: mine ? state.legal : [], premoves: now && !state.outcome && state.thinking && others, ply, record: state.record,
    surrounded: now ? state.surrounded : [], immobile: now ? state.immobile : [],
    hint: now ? state.hint?.path ?? null : null, over: now && state.outcome !== null,
    decisive: now ? state.outcome?.decisive ?? [] : [], key: keyOf(state, ply), follows: ply ? keyOf(state, ply - 1) : null,
    fen: standing.fen,
    title: `${state.title}, ${ply ? `after ${standing.number}. ${standing.note}` : "start"}`, ...more,
  };
}

// Whether scores are hidden: in an unfinished game against an engine, unless the user wants to see them.
/** @param {State} state @param {{evaluation: boolean}} settings @param {import("./types").Analysis} analysis */
export function hidesScores(state, settings, analysis) {
  const kinds = new Set(state.players.map(({kind}) => kind));
  return !settings.evaluation && !state.outcome && kinds.size === 2 && !analysis.wanted;
}

/** @param {import("./types").Ply} ply @param {import("./types").Score | null} score @returns {import("./types").Ply} */
const scored = (ply, score) => ({...ply, score, depth: null, nodes: null});

/** @param {State} state @returns {State} */
export function withoutScores(state) {
  return {...state, plies: state.plies.map((ply) => scored(ply, null))};
}

// Whether a review belongs to this game and is finished.
/** @param {import("./types").ReviewData | null} review @param {State} state */
const isReviewed = (review, state) => Boolean(review?.scores) && review.plies === state.plies.length;

// Returns the state with the scores of a finished review instead of those that the players reported.
/** @param {State} state @param {import("./types").ReviewData | null} review @returns {State} */
export function withReview(state, review) {
  if (!isReviewed(review, state)) return state;
  return {...state, plies: state.plies.map((ply, at) => scored(ply, review.scores[at + 1]))};
}

// Returns the state with the marks beside its moves: those of the notes, or else those of a review of this game.
/** @param {State} state @param {import("./types").ReviewData | null} review @param {import("./types").TreeData["notes"]} notes @returns {State} */
export const withMarks = (state, review, notes) => ({...state, plies: state.plies.map((ply, at) => {
  const mark = notes[at]?.sign || (review?.plies === state.plies.length && review.moves?.[at]?.mark);
  return mark ? {...ply, mark: ` ${mark}`} : ply;
})});

// Returns the score to show after `ply` plies and where it comes from: the analysis, or else a review, or else the last
// score from a player.
/** @param {State} state @param {number} ply @param {import("./types").Analysis} analysis @param {import("./types").ReviewData | null} review @param {number | null} node @returns {{score: import("./types").Score | null, source: string}} */
export function scoreAt(state, ply, analysis, review, node = null) {
  const live = !analysis.threat && isOf(analysis, ply, node) ? analysis.lines[0]?.score ?? null : null;
  if (live !== null) return {score: live, source: "analysis"};
  if (node === null && isReviewed(review, state)) return {score: review.scores[ply], source: "review"};
  const told = state.plies.slice(0, ply).map(({score}) => score).filter((score) => score !== null);
  return {score: told.at(-1) ?? null, source: "reported by the last engine that moved"};
}

// Whether an analysis is for the position after a ply of the game or after a move of a variation.
/** @param {import("./types").Analysis} analysis @param {number} ply @param {number | null} node */
export const isOf = (analysis, ply, node) =>
  analysis.wanted > 0 && (analysis.node ?? null) === node && (node !== null || analysis.ply === ply);

// Returns the arrows of the best moves of an analysis of this position, or of the threats.
/** @param {import("./types").Analysis} analysis @param {number} ply @param {number | null} node */
export function bestArrows(analysis, ply, node = null) {
  if (!isOf(analysis, ply, node)) return [];
  const [first, others] = analysis.threat ? ["threat", "threat second"] : ["best", "second"];
  return analysis.lines.filter(({path}) => path?.length).map(({path}, rank) => ({path, kind: rank ? others : first})).reverse();
}

// Returns the players of a game that is played on from a FEN: the user has the move, against the engine of the game, or
// else that of `usual`.
/** @param {import("./types").GameChoice} choice @param {string} fen @param {import("./types").GameChoice} usual @returns {import("./types").PlayerChoice[]} */
export function playersFrom({players}, fen, usual) {
  const engine = [...players, ...usual.players].find(({kind}) => kind === "engine") ?? {kind: "engine", engine: 0, limit: "time", movetime_ms: 1000};
  const side = fen.split(" ")[1] === "b" ? 1 : 0;
  const {base_s = 0, increment_s = 0} = engine;
  /** @type {import("./types").PlayerChoice} */
  const person = {kind: "person", engine: 0, name: usual.players.find(({name}) => name)?.name, base_s, increment_s};
  return side ? [engine, person] : [person, engine];
}

/** @param {import("./types").GameChoice} choice @param {boolean} swapped */
export const rematchOf = (choice, swapped) => ({...choice, players: swapped ? [...choice.players].reverse() : choice.players});

/** @param {{kind: string}[]} players */
export const playsBlack = ([white, black]) => white.kind !== "person" && black.kind === "person";

// Returns the scores of moves in the displayed position: those of the analysis while it is on, or else `searched`; the
// move of a reviewed game has that of the review. So two figures for one move never disagree.
/** @param {import("./types").Place & {analysis: import("./types").Analysis, review: import("./types").ReviewData | null}} page @param {Record<string, import("./types").Score | null>} searched @returns {Record<string, import("./types").Score | null>} */
export function valuesOf({state, ply, node, analysis, review}, searched) {
  const at = ply ?? state.plies.length;
  if (analysis.wanted) return isOf(analysis, at, node) && !analysis.threat ? Object.fromEntries(analysis.lines.map(({moves, score}) => [moves[0], score])) : {};
  const next = node === null && review?.scores && review.plies === state.plies.length ? state.plies[at] : undefined;
  return {...searched, ...(next ? {[next.text]: review.scores[at + 1]} : {})};
}
