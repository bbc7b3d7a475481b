// The rows above and below the board: the players, the pieces in hand, the captured pieces, and the clocks.

import {clockText, SHORT_MS, write} from "../lib/display.js";
import {element, find, findAll, held, icon, kindsHeld, picture, playerRows, SIDES} from "../lib/dom.js";
import {counts, kernelText, pieceName} from "./words.js";

const MAX_ICONS = 8; // captured pieces that are drawn one by one

/** @param {import("./types").State} state @param {boolean} flipped */
export function showPlayers(state, flipped) {
  for (const [node, side] of playerRows(flipped)) {
    const {name, level, kernel} = state.players[side];
    const slow = kernel.startsWith("python") ? kernelText(kernel) : "";
    node.dataset.side = String(side);
    find(".who", node).replaceChildren(icon(side), element("b", {}, name),
      element("span", {class: "quiet", ...(kernel ? {title: `kernel ${kernel}`} : {})}, element("span", {class: "side"}, ` ${SIDES[side]}${level || slow ? "," : ""}`),
        level || slow ? ` ${[level, slow].filter(Boolean).join(", ")}` : ""));
    node.classList.toggle("next", !state.outcome && state.side === side);
    node.classList.toggle("thinks", state.thinking && state.side === side);
  }
}

// Shows which pieces each side has captured, and how many it has left, in the displayed position.
/** @param {import("./types").State} state @param {import("./types").Standing} standing @param {boolean} flipped */
export function showTaken(state, standing, flipped) {
  const both = counts(state.start, standing);
  for (const [node, side] of playerRows(flipped)) {
    const [{left}, {lost}] = [both[side], both[1 - side]];
    const taken = find(".taken", node);
    const key = `${side} ${left} ${lost}`;
    if (taken.dataset.key === key) continue;
    taken.dataset.key = key;
    const piece = side ? "S" : "s";
    const icons = lost > MAX_ICONS ? [picture(piece), element("span", {}, `\u00d7${lost}`)]
      : Array.from({length: lost}, () => picture(piece));
    taken.title = `${SIDES[side]}: ${left} pieces left, ${lost} captured`;
    taken.replaceChildren(...icons, element("span", {class: "left"}, String(left)),
      element("span", {class: "unseen"}, ` pieces left, ${lost} captured`));
  }
}

// Shows the pieces in hand; pieces that can be placed now are buttons.
/** @param {import("./board.js").Board} board @param {boolean} flipped */
export function showHands(board, flipped) {
  const {view, entry} = board;
  const placing = entry.kinds();
  for (const [node, side] of playerRows(flipped)) {
    const host = find(".held", node);
    const key = JSON.stringify([side, view.hand, view.side, placing, entry.place]);
    if (host.dataset.key === key) continue; // so as not to interrupt a drag from the hand
    host.dataset.key = key;
    host.replaceChildren(...kindsHeld(view.hand, side).map((piece) => {
      const kind = piece.toUpperCase();
      if (side !== view.side || !placing.includes(kind)) return held(view.hand, piece);
      return element("button", {type: "button", class: "in-hand", "data-man": kind, "aria-pressed": String(entry.place === kind),
        "aria-label": `Place a ${pieceName(piece)}, ${view.hand[piece]} in hand`}, picture(piece), `\u00d7${view.hand[piece]}`);
    }));
  }
}

// `elapsed`: milliseconds since the state was received.
/** @param {import("./types").State} state @param {number} elapsed */
export function showClocks(state, elapsed) {
  for (const node of findAll(".player")) {
    const side = Number(node.dataset.side);
    const left = state.clocks.left_ms[side];
    const clock = find(".clock", node);
    clock.hidden = left === null;
    if (left === null) continue;
    const now = Math.max(left - (state.clocks.running === side ? elapsed : 0), 0);
    write(clock, clockText(now));
    clock.classList.toggle("running", state.clocks.running === side);
    clock.classList.toggle("short", now < SHORT_MS);
  }
}
