// @ts-check
// Clocks, scores, the evaluation bar and the list of moves as the pages show them.

import {element, find, SIDES} from "./dom.js";

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

// Shows the evaluation bar: White's share from White's side.
/** @param {HTMLElement} bar @param {import("./types").Score | null} score @param {boolean} flipped */
export function showEvaluation(bar, score, flipped) {
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

// Lists the moves of a game in `.moves`; `choose(ply)` is called with a move that is clicked.
/** @param {import("./types").MoveList} state @param {number} shown @param {(ply: number) => void} choose */
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
