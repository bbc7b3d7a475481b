// What the page shows of its state: the displayed position, its scores and marks, and where steps lead. Does not use the
// DOM.

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Place} Place */
/** @typedef {import("./types").Page} Page */
/** @typedef {import("./types").TreeNode} TreeNode */
/** @typedef {import("./types").Standing} Standing */

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

// ---------------------------------------------------------------- places

/** @param {Pick<Place, "state" | "ply">} place */
export const plyOf = ({ply, state}) => ply ?? state.plies.length;

/** @param {Pick<Place, "tree" | "node">} place @returns {TreeNode | null} */
export const nodeOf = ({tree, node}) => (node === null ? null : tree.nodes.find(({id}) => id === node) ?? null);

/** @param {Pick<Place, "tree">} place @param {number} id */
export const childrenOf = ({tree}, id) => tree.nodes.filter(({parent}) => parent === id);

// Returns the moves of variations that leave the game after a number of plies.
/** @param {Pick<Place, "tree">} place @param {number} ply */
export const firstsAt = ({tree}, ply) => tree.nodes.filter(({parent, at}) => parent === null && at === ply);

// Whether the position is the current one of an unfinished game, where moves belong to the game.
/** @param {Place} place */
export const isLive = (place) => place.node === null && plyOf(place) === place.state.plies.length && !place.state.outcome;

/** @param {State} state @param {number} ply @returns {Standing} */
export const standingAt = (state, ply) => (ply ? state.plies[ply - 1] : state.start);

/** @param {Place} place @returns {Standing} */
export const standingOf = (place) => nodeOf(place) ?? standingAt(place.state, plyOf(place));

// Identifies a position by the moves that led to it.
/** @param {State} state @param {number} ply */
export const keyOf = (state, ply) => [state.start_fen, ...state.plies.slice(0, ply).map(({text}) => text)].join(" ");

/** @param {Place} place @returns {string} */
export function keyAt(place) {
  const here = nodeOf(place);
  if (!here) return keyOf(place.state, plyOf(place));
  const before = here.parent === null ? `${keyOf(place.state, here.at)} |` : keyAt({...place, node: here.parent});
  return `${before} ${here.text}`;
}

// Returns where a step forward (1) or back (-1) leads.
/** @param {Place} place @param {number} by @returns {[number, number | null]} */
export function stepped(place, by) {
  const here = nodeOf(place);
  if (!here) return [plyOf(place) + by, null];
  return [here.at, by < 0 ? here.parent : childrenOf(place, here.id)[0]?.id ?? here.id];
}

// Whether a step forward leads somewhere.
/** @param {Place} place */
export const goesOn = (place) =>
  (place.node === null ? plyOf(place) < place.state.plies.length : childrenOf(place, place.node).length > 0);

// Returns where the next alternative (1) to the last move, or the one before (-1), leads; null if there is none.
/** @param {Place} place @param {number} by @returns {[number, number | null] | null} */
export function beside(place, by) {
  const here = nodeOf(place);
  const at = here?.at ?? plyOf(place) - 1;
  /** @type {[number, number | null][]} */
  const found = here && here.parent !== null ? childrenOf(place, here.parent).map(({id}) => [at, id])
    : [...(at < place.state.plies.length ? [/** @type {[number, null]} */ ([at + 1, null])] : []),
      ...firstsAt(place, at).map(({id}) => /** @type {[number, number]} */ ([at, id]))];
  const now = found.findIndex(([, id]) => id === place.node);
  return found[now + by] ?? null;
}

// ---------------------------------------------------------------- the board

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

// Returns what the board shows of the page; `more` has arrows, for example.
/** @param {Page} page @param {Partial<import("./types").View>} more @returns {import("./types").View} */
export function viewAt(page, more = {}) {
  const {state, reachable, settings: {states, premoves}} = page;
  const node = nodeOf(page);
  const moves = !isLive(page) && reachable.key === keyAt(page) ? reachable.moves : {};
  if (!node) return viewOf(state, plyOf(page), {states, ...(premoves ? {} : {premoves}), ...moves, ...more});
  return viewOf(state, 0, {
    men: node.men, hand: node.hand, side: node.side, fen: node.fen, path: node.path, captures: node.captures, states,
    before: (node.parent === null ? standingAt(state, node.at) : nodeOf({...page, node: node.parent})).men,
    legal: [], surrounded: [], immobile: [], hint: null, decisive: [], over: node.over, key: keyAt(page),
    follows: keyAt({...page, ply: node.at, node: node.parent}), title: `${state.title}, variation after ${node.number}. ${node.note}`,
    ...moves, ...more});
}

// Returns the arrows of the best moves of an analysis of this position, or of the threats.
/** @param {Page} page */
export function bestArrows(page) {
  const {analysis} = page;
  if (!isAnalysed(page)) return [];
  const [first, others] = analysis.threat ? ["threat", "threat second"] : ["best", "second"];
  return analysis.lines.filter(({path}) => path?.length).map(({path}, rank) => ({path, kind: rank ? others : first})).reverse();
}

// ---------------------------------------------------------------- scores and marks

/** @typedef {Pick<Page, "state" | "ply" | "node" | "analysis" | "review">} Scored */

// Whether the analysis is of the displayed position.
/** @param {Pick<Page, "state" | "ply" | "node" | "analysis">} page */
const isAnalysed = ({analysis, state, ply, node}) =>
  analysis.wanted > 0 && (analysis.node ?? null) === node && (node !== null || analysis.ply === plyOf({state, ply}));

// Whether a review belongs to this game and is finished.
/** @param {Pick<Page, "state" | "review">} page */
const isReviewed = ({review, state}) => Boolean(review?.scores) && review.plies === state.plies.length;

// Whether scores are hidden: in an unfinished game against an engine, unless the user wants to see them.
/** @param {Pick<Page, "state" | "analysis" | "settings">} page */
export function hidesScores({state, analysis, settings}) {
  const kinds = new Set(state.players.map(({kind}) => kind));
  return !settings.evaluation && !state.outcome && kinds.size === 2 && !analysis.wanted;
}

// Returns the game for the list of moves. The scores are those of a finished review, or else those that the players
// reported, unless they are hidden; the marks beside the moves are those of notes, or else of the review.
/** @param {Page} page @returns {State} */
export function listedOf(page) {
  const {state, review, tree} = page;
  const scores = hidesScores(page) ? [] : isReviewed(page) ? review.scores : null;
  return {...state, plies: state.plies.map((ply, at) => {
    const mark = tree.notes[at]?.sign || (review?.plies === state.plies.length && review.moves?.[at]?.mark);
    return {...ply, ...(scores && {score: scores[at + 1] ?? null, depth: null, nodes: null}), ...(mark && {mark: ` ${mark}`})};
  })};
}

// Returns the score of the displayed position and where it comes from: the analysis, or else the verdict on a tried move,
// or a review, or else the last score from a player.
/** @param {Scored & Pick<Page, "tree">} page @returns {{score: import("./types").Score | null, source: string}} */
export function scoreOf(page) {
  const {state, analysis, review, node} = page;
  const live = !analysis.threat && isAnalysed(page) ? analysis.lines[0]?.score ?? null : null;
  if (live !== null) return {score: live, source: "analysis"};
  const tried = nodeOf(page)?.score ?? null;
  if (tried !== null) return {score: tried, source: "verdict"};
  if (node === null && isReviewed(page)) return {score: review.scores[plyOf(page)], source: "review"};
  const told = state.plies.slice(0, plyOf(page)).map(({score}) => score).filter((score) => score !== null);
  return {score: told.at(-1) ?? null, source: "reported by the last engine that moved"};
}

// Returns the scores of moves in the displayed position: those of the analysis while it is on, or else `searched`; the
// move of a reviewed game has that of the review. So two figures for one move never disagree.
/** @param {Scored} page @param {Record<string, import("./types").Score | null>} searched @returns {Record<string, import("./types").Score | null>} */
export function valuesOf(page, searched) {
  const {state, node, analysis, review} = page;
  if (analysis.wanted) return isAnalysed(page) && !analysis.threat ? Object.fromEntries(analysis.lines.map(({moves, score}) => [moves[0], score])) : {};
  const next = node === null && isReviewed(page) ? state.plies[plyOf(page)] : undefined;
  return {...searched, ...(next ? {[next.text]: review.scores[plyOf(page) + 1]} : {})};
}

// ---------------------------------------------------------------- other games

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
