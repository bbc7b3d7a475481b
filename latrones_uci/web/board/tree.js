// The variations of the displayed game: their list, and navigation with the analysis that follows it.

import {withSign, write} from "../lib/display.js";
import {element, find, isPlain, SIDES, targetOf} from "../lib/dom.js";
import {send} from "../lib/tabs.js";
import {beside, childrenOf, firstsAt, isLive, keyAt, nodeOf, plyOf, stepped} from "./view.js";

/** @typedef {import("./types").TreeNode} TreeNode */
/** @typedef {import("./types").Page} Page */

// Stores the variations of a game; leaves the current variation if it was deleted.
/** @param {Page} page @param {import("./types").TreeData} tree */
export function takeTree(page, tree) {
  page.tree = tree;
  page.edition += 1;
  if (page.node !== null && !nodeOf(page) && page.node <= tree.given) page.node = null;
}

// Requests the legal moves of a position that is not the current one, and calls `done()` when they have arrived.
/** @param {Page} page @param {() => void} done */
export async function findMoves(page, done) {
  const key = keyAt(page);
  if (isLive(page) || page.reachable.key === key || page.asked === key) return;
  page.asked = key;
  const moves = await send({do: "moves", table: page.table, ply: plyOf(page), node: page.node}).catch(/** @returns {any} */ () => null);
  if (page.asked === key) page.asked = "";
  if (!moves) return;
  page.reachable = {key, moves};
  done();
}

// Makes the arrow keys up and down, where no field or board uses them, go through the alternatives to the last move.
/** @param {Page} page @param {(ply: number, node: number | null) => any} look */
export function listenBeside(page, look) {
  document.addEventListener("keydown", (event) => {
    const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
    const busy = targetOf(event, "input, select, textarea, dialog");
    if (!by || busy || event.defaultPrevented || !isPlain(event) || !page.state) return;
    const next = beside(page, by);
    if (!next) return;
    event.preventDefault();
    look(...next);
  });
}

// ---------------------------------------------------------------- the list of moves

// Returns the variations for `listMoves`.
/** @param {Page} page */
export const branches = (page) => ({
  key: `${page.edition} ${page.node}`,
  /** @param {number} at */
  of: (at) => {
    const lines = firstsAt(page, at).map((first) => element("div", {class: "line"}, ...words(page, first, [])));
    return lines.length ? [element("li", {class: "branches"}, ...lines)] : [];
  },
});

// Returns a variation as buttons; `others` are alternatives to its first move, in parentheses after it.
/** @param {Page} page @param {TreeNode} first @param {TreeNode[]} others @returns {(Element | string)[]} */
function words(page, first, others) {
  const {plain} = page.settings;
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
      "aria-label": `Variation, ${SIDES[mover]} ${number}: ${note}`, ...(id === page.node ? {"aria-current": "true"} : {})},
    plain ? text : note, ...(sign ? [element("span", {class: "sign"}, ` ${sign}`)] : []));
    found.push(element("span", {class: "step"}, ...(label ? [element("span", {class: "number"}, label)] : []), move), " ");
    const said = node === first ? comment : [lead, comment].filter(Boolean).join(" "); // as it is saved
    if (said) found.push(element("span", {class: "remark quiet"}, said), " ");
    for (const other of others) {
      found.push(element("span", {class: "aside"}, "(", ...words(page, other, []), ")"), " ");
    }
    numbered = others.length > 0 || said !== "";
    [node, ...others] = childrenOf(page, id);
    if (node && node.mover !== 0 && mover !== 0) numbered = true;
  }
  if (found.at(-1) === " ") found.pop();
  return found;
}

// Shows the comment on the displayed move, and the actions for its variation.
/** @param {Page} page */
export function showBranch(page) {
  const node = nodeOf(page);
  find(".variation").hidden = !node;
  const {comment = "", marks = []} = node ?? page.tree.notes[plyOf(page) - 1] ?? {};
  const remark = [node ? "" : comment, marks.length ? `(marked: ${marks.map((mark) => mark.replace(/^[A-Z]/, "").replace(/(\d)(?=[a-z])/, "$1 to ")).join(", ")})` : ""];
  write(find(".remarks"), remark.filter(Boolean).join(" ")); // the list has the comments of variations
  find(".remarks").hidden = !remark.some(Boolean) || !find("form.note").hidden;
}

/** @typedef {(what: string, more?: Record<string, any>) => Promise<any>} Command */

// Returns the functions that navigate a game; `page` is the displayed state, and `show()` draws it.
/** @param {Page} page @param {Command} command @param {() => Promise<void>} show */
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
    leave: () => look(plyOf(page)),
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
