// The variations of the displayed game: the current place in them, their list, where moves lead, and navigation with the
// analysis that follows it.

import {withSign, write} from "../lib/display.js";
import {element, find, isPlain, SIDES, targetOf} from "../lib/dom.js";
import {send} from "../lib/tabs.js";
import {keyOf, standingAt, viewOf} from "./view.js";

/** @typedef {import("./types").TreeNode} TreeNode */
/** @typedef {import("./types").Place} Place */

/** @type {import("./types").TreeData} */
let tree = {given: 0, nodes: [], notes: {}};
let version = 0;
/** @type {{key: string, moves: Partial<import("./types").View>}} */
let reach = {key: "", moves: {}}; // the legal moves of the displayed position, if the state does not have them
let asked = ""; // the position whose moves were requested from the server

// Stores the variations of a game; leaves the current variation if it was deleted.
/** @param {import("./types").TreeData} data @param {Place} place */
export function takeTree(data, place) {
  tree = data;
  version += 1;
  if (place.node !== null && !nodeOf(place.node) && place.node <= tree.given) place.node = null;
}

/** @param {number | null} id @returns {TreeNode | null} */
export const nodeOf = (id) => (id === null ? null : tree.nodes.find((node) => node.id === id) ?? null);
/** @param {number} id */
const childrenOf = (id) => tree.nodes.filter(({parent}) => parent === id);
/** @param {number} at */
const firstsAt = (at) => tree.nodes.filter((node) => node.parent === null && node.at === at);
/** @param {Place} place */
const plyOf = ({ply, state}) => ply ?? state.plies.length;

// The notes on the moves of the game, by ply from 0.
export const notes = () => tree.notes;

// Whether the position is the current one of an unfinished game, where moves belong to the game.
/** @param {Place} place */
export const isLive = (place) => place.node === null && plyOf(place) === place.state.plies.length && !place.state.outcome;

/** @param {Place} place @returns {string} */
function keyAt({state, ply, node}) {
  const here = nodeOf(node);
  if (!here) return keyOf(state, plyOf({state, ply, node}));
  const before = here.parent === null ? keyOf(state, here.at) : keyAt({state, ply, node: here.parent});
  return `${before}${here.parent === null ? " |" : ""} ${here.text}`;
}

/** @param {Place} place @returns {import("./types").Standing} */
export const standingOf = (place) => nodeOf(place.node) ?? standingAt(place.state, plyOf(place));

// Returns what the board shows; `more` has arrows, for example.
/** @param {Place} place @param {Partial<import("./types").View>} more @returns {import("./types").View} */
export function viewAt(place, more = {}) {
  const {state} = place;
  const node = nodeOf(place.node);
  const moves = !isLive(place) && reach.key === keyAt(place) ? reach.moves : {};
  if (!node) return viewOf(state, plyOf(place), {...moves, ...more});
  const before = node.parent === null ? standingAt(state, node.at) : nodeOf(node.parent);
  return viewOf(state, 0, {
    men: node.men, hand: node.hand, side: node.side, fen: node.fen, path: node.path, captures: node.captures,
    before: before.men, legal: [], surrounded: [], immobile: [], hint: null, decisive: [], over: node.over, key: keyAt(place),
    follows: keyAt({...place, ply: node.at, node: node.parent}), title: `${state.title}, variation after ${node.number}. ${node.note}`,
    ...moves, ...more});
}

// Requests the legal moves of a position that is not the current one, and calls `done()` when they have arrived.
/** @param {Place & {table: string}} place @param {() => void} done */
export async function findMoves(place, done) {
  const key = keyAt(place);
  if (isLive(place) || reach.key === key || asked === key) return;
  asked = key;
  const moves = await send({do: "moves", table: place.table, ply: plyOf(place), node: place.node}).catch(/** @returns {any} */ () => null);
  if (asked === key) asked = "";
  if (!moves) return;
  reach = {key, moves};
  done();
}

// Returns where a step forward (1) or back (-1) leads.
/** @param {Place} place @param {number} by @returns {[number, number | null]} */
export function stepped(place, by) {
  const here = nodeOf(place.node);
  if (!here) return [plyOf(place) + by, null];
  if (by < 0) return [here.at, here.parent];
  return [here.at, childrenOf(here.id)[0]?.id ?? here.id];
}

// Whether a step forward leads somewhere.
/** @param {Place} place */
export const goesOn = (place) =>
  (place.node === null ? plyOf(place) < place.state.plies.length : childrenOf(place.node).length > 0);

// Returns where the next alternative (1) to the last move, or the one before (-1), leads; null if there is none.
/** @param {Place} place @param {number} by @returns {[number, number | null] | null} */
function beside(place, by) {
  const here = nodeOf(place.node);
  const at = here?.at ?? plyOf(place) - 1;
  /** @type {[number, number | null][]} */
  const found = here && here.parent !== null ? childrenOf(here.parent).map(({id}) => [at, id])
    : [...(at < place.state.plies.length ? [/** @type {[number, null]} */ ([at + 1, null])] : []),
      ...firstsAt(at).map(({id}) => /** @type {[number, number]} */ ([at, id]))];
  const now = found.findIndex(([, id]) => id === place.node);
  return found[now + by] ?? null;
}

// Makes the arrow keys up and down, where no field or board uses them, go through the alternatives to the last move.
/** @param {() => Place} place @param {(ply: number, node: number | null) => any} look */
export function listenBeside(place, look) {
  document.addEventListener("keydown", (event) => {
    const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
    const busy = targetOf(event, "input, select, textarea, dialog");
    if (!by || busy || event.defaultPrevented || !isPlain(event) || !place().state) return;
    const next = beside(place(), by);
    if (!next) return;
    event.preventDefault();
    look(...next);
  });
}

// ---------------------------------------------------------------- the list of moves

// Returns the variations for `listMoves`.
/** @param {Place} place @param {boolean} plain */
export const branches = ({node}, plain) => ({
  key: `${version} ${node}`,
  /** @param {number} at */
  of: (at) => {
    const lines = firstsAt(at).map((first) => element("div", {class: "line"}, ...words(first, [], node, plain)));
    return lines.length ? [element("li", {class: "branches"}, ...lines)] : [];
  },
});

// Returns a variation as buttons; `others` are alternatives to its first move, in parentheses after it.
/** @param {TreeNode} first @param {TreeNode[]} others @param {number | null} shown @param {boolean} plain @returns {(Element | string)[]} */
function words(first, others, shown, plain) {
  /** @type {(Element | string)[]} */
  const found = [];
  /** @type {TreeNode | undefined} */
  let node = first;
  let numbered = true;
  while (node) {
    const {id, at, number, mover, note, text, sign, comment, lead} = node;
    const label = mover === 0 ? `${number}.` : numbered ? `${number}\u2026` : "";
    if (lead && node === first) found.push(element("span", {class: "remark quiet"}, lead), " ");
    const move = element("button", {type: "button", class: "move", "data-node": id, "data-at": at, title: withSign(`${note} (${text})`, note),
      "aria-label": `Variation, ${SIDES[mover]} ${number}: ${note}`, ...(id === shown ? {"aria-current": "true"} : {})},
    plain ? text : note, ...(sign ? [element("span", {class: "sign"}, ` ${sign}`)] : []));
    found.push(element("span", {class: "step"}, ...(label ? [element("span", {class: "number"}, label)] : []), move), " ");
    const said = node === first ? comment : [lead, comment].filter(Boolean).join(" "); // as it is saved
    if (said) found.push(element("span", {class: "remark quiet"}, said), " ");
    for (const other of others) {
      found.push(element("span", {class: "aside"}, "(", ...words(other, [], shown, plain), ")"), " ");
    }
    numbered = others.length > 0 || said !== "";
    [node, ...others] = childrenOf(id);
    if (node && node.mover !== 0 && mover !== 0) numbered = true;
  }
  if (found.at(-1) === " ") found.pop();
  return found;
}

// Shows the comment on the displayed move, and the actions for its variation.
/** @param {Place} place */
export function showBranch(place) {
  const node = nodeOf(place.node);
  find(".variation").hidden = !node;
  const {comment = "", marks = []} = node ?? tree.notes[plyOf(place) - 1] ?? {};
  const remark = [node ? "" : comment, marks.length ? `(marked: ${marks.map((mark) => mark.replace(/^[A-Z]/, "").replace(/(\d)(?=[a-z])/, "$1 to ")).join(", ")})` : ""];
  write(find(".remarks"), remark.filter(Boolean).join(" ")); // the list has the comments of variations
  find(".remarks").hidden = !remark.some(Boolean) || !find("form.note").hidden;
}

/** @typedef {import("./types").Place & {analysis: import("./types").Analysis, threat: boolean}} Shown */
/** @typedef {(what: string, more?: Record<string, any>) => Promise<any>} Command */

// Returns the functions that navigate a game; `page` is the displayed state, and `show()` draws it.
/** @param {Shown} page @param {Command} command @param {() => Promise<void>} show */
export function explorer(page, command, show) {
  // Shows the position after a ply of the game, or after a move of a variation.
  /** @param {number} ply @param {number | null} node */
  function look(ply, node = null) {
    const last = page.state.plies.length;
    const before = [page.ply, page.node].join();
    page.ply = node === null && ply >= last ? null : Math.max(ply, 0);
    page.node = node;
    if (page.analysis.wanted && [page.ply, page.node].join() !== before) analyse(page.analysis.wanted);
    return show();
  }

  // Starts the analysis of the displayed position, or stops it with 0 lines.
  /** @param {number} lines */
  const analyse = (lines) => command("analyse", {lines, ply: page.ply, node: page.node, threat: page.threat && lines > 0});
  const lines = () => Number(find("[data-lines]").value);

  let suspended = 0; // the number of lines of an analysis that was stopped because the tab is hidden
  document.addEventListener("visibilitychange", () => {
    const wanted = document.hidden ? page.analysis.wanted : suspended;
    suspended = document.hidden ? wanted : 0;
    if (wanted) analyse(document.hidden ? 0 : wanted);
  });

  // Adds moves as a variation, and goes to the position after them.
  /** @param {"vary" | "line" | "try"} what @param {Record<string, any>} moves */
  async function vary(what, moves) {
    const reached = await command(what, {...moves, ply: page.ply, node: page.node});
    if (reached) look(reached.ply, reached.node);
    return reached;
  }

  find("[data-lines]").addEventListener("change", () => { if (page.analysis.wanted) analyse(lines()); });

  const actions = {
    first: () => look(0),
    back: () => look(...stepped(page, -1)),
    forward: () => look(...stepped(page, 1)),
    last: () => look(page.state.plies.length),
    leave: () => look(page.ply ?? page.state.plies.length),
    promote: () => command("promote", {node: page.node}),
    prune: async () => {
      const {node} = page;
      await look(...stepped(page, -1));
      return command("prune", {node});
    },
    analyse: () => {
      page.threat = false;
      return analyse(page.analysis.wanted ? 0 : lines());
    },
    continue: () => command("analyse", {lines: page.analysis.wanted, ply: page.ply, node: page.node, threat: page.threat, longer: true}),
    threat: () => {
      page.threat = !(page.analysis.wanted && page.analysis.threat);
      return analyse(lines());
    },
  };
  return {look, vary, actions};
}
