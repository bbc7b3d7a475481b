// @ts-check
// The panels beside the board: players, clocks, moves, evaluation, analysis, messages.

import {element, find, icon, SIDES} from "./dom.js";

const MATE_SHARE = 98;
const SCALE = 400; // the score in centi-soldiers that fills about nine tenths of the bar
/** @param {number} number */
const pad = (number) => String(number).padStart(2, "0");

/** @param {number} ms */
export function clockText(ms) {
  const tenths = Math.floor(ms / 100);
  const seconds = Math.floor(tenths / 10);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
  return seconds < 20 ? `${minutes}:${pad(seconds)}.${tenths % 10}` : `${minutes}:${pad(seconds % 60)}`;
}

/** @param {import("./types").Score} score */
export function scoreText(score) {
  if (typeof score === "string") return score.replace("-", "\u2212");
  return (score > 0 ? "+" : score < 0 ? "\u2212" : "") + (Math.abs(score) / 100).toFixed(2);
}

// Sets a text only if it has changed, so that screen readers do not announce it twice.
/** @param {Element} node @param {string} text */
export function write(node, text) { if (node.textContent !== text) node.textContent = text; }

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

/** @param {import("./types").State} state @param {number} shown @param {(ply: number) => void} choose */
export function listMoves(state, shown, choose) {
  const list = find(".moves");
  const key = JSON.stringify([state.start_fen, shown, ...state.plies.map(({text}) => text)]);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  /** @type {Element | null} */
  let row = null;
  let number = 0;
  /** @type {Element[]} */
  const rows = [];
  state.plies.forEach((ply, at) => {
    if (ply.number !== number || (ply.mover === 0 && row.children.length > 1 && state.plies[at - 1].mover === 1)) {
      row = element("p", {}, element("span", {class: "number"}, `${ply.number}.`));
      rows.push(row);
      number = ply.number;
    }
    const search = [ply.score === null ? "" : scoreText(ply.score), ply.told].filter(Boolean).join(", ");
    const move = element("button", {type: "button", class: `move ${ply.mover ? "b" : "w"}`, "data-ply": at + 1,
      ...(search ? {title: search} : {}), "aria-label": `${SIDES[ply.mover]} ${ply.number}: ${ply.note}`},
    ply.note, " ", element("small", {}, ply.text));
    if (at + 1 === shown) move.setAttribute("aria-current", "true");
    row.append(move);
  });
  const active = /** @type {HTMLElement} */ (document.activeElement);
  const focused = list.contains(active) && active.dataset.ply;
  list.replaceChildren(...rows);
  if (focused) find(`[data-ply="${focused}"]`, list)?.focus({preventScroll: true});
  const current = find("[aria-current]", list);
  if (current) {
    const above = current.offsetTop;
    const height = list.clientHeight;
    if (above < list.scrollTop || above > list.scrollTop + height - 40) list.scrollTop = above - height / 2;
  }
  /** @param {MouseEvent & {target: Element}} event */
  list.onclick = (event) => {
    /** @type {HTMLElement | null} */
    const move = event.target.closest("[data-ply]");
    if (move) choose(Number(move.dataset.ply));
  };
}

// Shows the evaluation bar: White's share from White's side.
/** @param {import("./types").Score | null} score @param {boolean} flipped */
export function showEvaluation(score, flipped) {
  const bar = find(".evaluation");
  bar.classList.toggle("flipped", flipped);
  bar.classList.toggle("behind", score !== null && String(score).includes("-"));
  const mate = typeof score === "string";
  const share = score === null ? 50 : mate ? (score.includes("-") ? 100 - MATE_SHARE : MATE_SHARE)
    : 50 + 48 * Math.tanh(score / SCALE);
  find("div", bar).style.height = `${share}%`;
  write(find("span", bar), score === null ? "" : scoreText(score));
  bar.setAttribute("aria-valuenow", share.toFixed(0));
  bar.title = score === null ? "no evaluation" : scoreText(score);
  bar.setAttribute("aria-valuetext", bar.title);
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
