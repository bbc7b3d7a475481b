// @ts-check
// Navigation through a game and its variations, and the analysis that follows it.

import {find} from "../lib/dom.js";
import {stepped} from "./tree.js";

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
  /** @param {"vary" | "line"} what @param {Record<string, any>} moves */
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
