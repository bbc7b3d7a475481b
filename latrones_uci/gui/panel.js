// @ts-check
// The panels beside the board: players, clocks, moves, evaluation, analysis, messages.

import {clockText, scoreText, write} from "../web/display.js";
import {element, find, icon, SIDES} from "../web/dom.js";

/** @param {import("./types").State} state @param {boolean} flipped */
export function showPlayers(state, flipped) {
  const near = flipped ? 1 : 0;
  for (const [selector, side] of /** @type {[string, number][]} */ ([[".near", near], [".far", 1 - near]])) {
    const {name, level} = state.players[side];
    const node = find(`.player${selector}`);
    node.dataset.side = side;
    find(".who", node).replaceChildren(icon(side), element("b", {}, name),
      element("span", {class: "quiet"}, [` ${SIDES[side]}`, level].filter(Boolean).join(", ")));
    node.classList.toggle("next", !state.outcome && state.side === side);
    node.classList.toggle("thinks", state.thinking && state.side === side);
  }
}

// `elapsed`: milliseconds since the state was received.
/** @param {import("./types").State} state @param {number} elapsed */
export function showClocks(state, elapsed) {
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".player"))) {
    const side = Number(node.dataset.side);
    const left = state.clocks.left_ms[side];
    const clock = find(".clock", node);
    clock.hidden = left === null;
    if (left === null) continue;
    const now = Math.max(left - (state.clocks.running === side ? elapsed : 0), 0);
    write(clock, clockText(now));
    clock.classList.toggle("running", state.clocks.running === side);
    clock.classList.toggle("short", now < 20000);
  }
}

// `isYours`: whether the only human is to move.
/** @param {import("./types").State} state @param {boolean} isYours */
export function statusText(state, isYours) {
  if (state.outcome) {
    const {winner, reason, result} = state.outcome;
    return `${winner === null ? "Draw" : `${SIDES[winner]} wins`}: ${reason} (${result})`;
  }
  const side = SIDES[state.side];
  if (state.paused) return `Paused, ${side} to move`;
  if (state.thinking) return `${side} is thinking\u2026`;
  return isYours ? `Your move (${side})` : `${side} to move`;
}

/** @param {import("./types").Analysis} analysis */
export function showAnalysis(analysis) {
  const on = analysis.wanted > 0;
  const button = find('[data-do="analyse"]');
  button.setAttribute("aria-pressed", String(on));
  write(find(".depth"), on && analysis.depth ? `depth ${analysis.depth}` : "");
  find(".lines").replaceChildren(...analysis.lines.map(({score, moves, notes}) => element("li", {},
    element("b", {}, score === null ? "" : scoreText(score)), " ",
    ...notes.flatMap((note, at) => [element("span", {title: moves[at]}, note), " "]))));
  find(".lines").hidden = !on;
}

/** @param {import("./types").State} state */
export function showNotices(state) {
  const list = find(".notices");
  const latest = state.notices.slice(-4);
  const known = [...list.children].map((node) => /** @type {HTMLElement} */ (node).dataset.number).join();
  if (latest.map(([number]) => number).join() === known) return;
  list.replaceChildren(...latest.map(([number, text]) => element("li", {"data-number": number}, text)));
}
