// Clocks, scores, the evaluation bar and the list of moves as the pages show them.

import {element, find, SIDES, targetOf} from "./dom.js";

export const SHORT_MS = 20000; // the time on a clock that is marked
const MATE_SHARE = 98;
const WINNING = 800; // centi-soldiers, from which on a side is winning; as in records/annotation.py
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

// Returns a score from White's point of view as text; `#2` and `#-2` are the turns to a win of White and of
// Black, `#0` and `#-0` a win.
/** @param {import("./types").Score} score */
export function scoreText(score) {
  if (typeof score === "string") {
    const [turns, isBlacks] = [score.replace(/\D/g, ""), score.includes("-")];
    return turns === "0" ? isBlacks ? "0-1" : "1-0" : `${isBlacks ? "Black" : "White"} wins in ${turns}`;
  }
  if (isWinning(score)) return `${score > 0 ? "White" : "Black"} is winning`;
  return (score > 0 ? "+" : score < 0 ? "\u2212" : "") + (Math.abs(score) / 100).toFixed(2);
}

// Whether a side is so far ahead that the number of soldiers says nothing more.
/** @param {number} score */
export const isWinning = (score) => Math.abs(score) >= WINNING;

// Returns a score as text with its unit.
/** @param {import("./types").Score} score */
export const scoreWords = (score) => `${scoreText(score)}${typeof score === "string" || isWinning(score) ? "" : " soldiers"}`;

// Returns what is known about the search of a move: depth, nodes and time.
/** @param {import("./types").Ply} ply */
export function searchTexts({depth = null, nodes = null, ms = null}) {
  const count = nodes < 1e4 ? String(nodes) : nodes < 1e6 ? `${(nodes / 1e3).toFixed(0)}k` : `${(nodes / 1e6).toFixed(1)}M`;
  return [depth === null ? "" : `depth ${depth}`, nodes === null ? "" : `${count} nodes`,
    ms === null ? "" : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`].filter(Boolean);
}

// Sets a text only if it has changed, so that screen readers do not announce it twice.
/** @param {Element} node @param {string} text */
export function write(node, text) { if (node.textContent !== text) node.textContent = text; }

// Returns White's share of the evaluation bar in percent.
/** @param {import("./types").Score | null} score */
export function shareOf(score) {
  if (score === null) return 50;
  if (typeof score === "string") return score.includes("-") ? 100 - MATE_SHARE : MATE_SHARE;
  return 50 + 48 * Math.tanh(score / SCALE);
}

// Returns a result for people. A line never breaks at its hyphen.
/** @param {string} result */
export const resultText = (result) => result.replaceAll("1/2", "\u00bd").replaceAll("-", "\u2011");

// Shows the evaluation bar: White's share from White's side. After the end, `result` is shown instead of the score;
// `source` says where the score comes from.
/** @param {HTMLElement} bar @param {import("./types").Score | null} score @param {boolean} flipped @param {string} result @param {string} source */
export function showEvaluation(bar, score, flipped, result = "", source = "") {
  /** @type {Record<string, number>} */
  const shares = {"1-0": 100, "0-1": 0, "1/2-1/2": 50};
  const share = shares[result] ?? shareOf(score);
  const isOver = result in shares;
  const text = isOver ? resultText(result) : score === null ? "" : scoreText(score);
  bar.classList.toggle("flipped", flipped);
  bar.classList.toggle("behind", share < 50);
  bar.style.setProperty("--share", `${share}%`);
  write(find("span", bar), text);
  bar.setAttribute("aria-valuenow", share.toFixed(0));
  bar.classList.toggle("over", isOver);
  bar.title = isOver ? text : score === null ? "no evaluation" : `${scoreWords(score)}${source ? ` (${source})` : ""}`;
  bar.setAttribute("aria-valuetext", bar.title);
}

/** @type {Record<string, string>} */
const SIGNS = {"#": "decides the game", "+": "threatens to shut in the enemy dux",
  "(+)": "hits the enemy dux and leaves it at most two open sides", "*": "hits the enemy dux"};

// Returns the sign at the end of a move in the notation for people; empty if there is none.
/** @param {string} note */
export const signOf = (note) => /(\(\+\)|[#+*])?$/.exec(note)[0];

/** @param {string} note */
export const signWords = (note) => SIGNS[signOf(note)] ?? "";

// Returns a tooltip of a move that ends with the meaning of its sign.
/** @param {string} title @param {string} note */
export const withSign = (title, note) => [title, signOf(note) && `${signOf(note)} ${signWords(note)}`].filter(Boolean).join("; ");

// Lists the moves of a game in `.moves`; `choose(ply, node)` is called with a move that is clicked. Moves are written in
// the notation for people, or with `plain` in that of the protocol. `branches` has the variations: `of(ply)` returns those
// that leave the game after `ply` plies, and `key` changes with them.
/** @param {import("./types").MoveList} state @param {number} shown @param {(ply: number, node: number | null) => void} choose @param {{key: string, of: (ply: number) => Element[]}} branches */
export function listMoves(state, shown, choose, plain = false, branches = {key: "", of: () => []}) {
  const list = find(".moves");
  const last = state.last ?? state.plies.length;
  const key = JSON.stringify([state.game, state.start_fen, shown, plain, branches.key, ...state.plies.map(({text, score, mark}) => [text, score, mark])]);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  /** @type {Element | null} */
  let row = null;
  let number = 0;
  /** @type {Element[]} */
  const rows = [];
  /** @type {Element[]} */
  const beside = []; // the variations that come after the row
  state.plies.forEach((ply, at) => {
    if (ply.number !== number || (ply.mover === 0 && row.children.length > 1 && state.plies[at - 1].mover === 1)) {
      row = element("li", {}, element("span", {class: "number"}, `${ply.number}.`));
      rows.push(...beside.splice(0), row);
      number = ply.number;
    }
    const search = [ply.score === null ? "" : scoreWords(ply.score), ...searchTexts(ply)].filter(Boolean).join(", ");
    const move = element("button", {type: "button", class: `move ${ply.mover ? "b" : "w"}`, "data-ply": at + 1,
      title: [withSign(`${ply.note} (${ply.text})`, ply.note), search].filter(Boolean).join(" \u00b7 "),
      "aria-label": `${SIDES[ply.mover]} ${ply.number}: ${ply.note}`, ...(at < last ? {} : {"aria-disabled": "true"})},
    plain ? ply.text : ply.note, ...(ply.mark ? [element("span", {class: "sign"}, ply.mark)] : []),
    ...(state.scores && ply.score !== null ? [element("small", {}, scoreText(ply.score))] : []));
    if (at + 1 === shown) move.setAttribute("aria-current", "true");
    row.append(move);
    beside.push(...branches.of(at));
  });
  rows.push(...beside, ...branches.of(state.plies.length));
  const active = /** @type {HTMLElement} */ (document.activeElement);
  const {ply: focused, node} = list.contains(active) ? active.dataset : /** @type {DOMStringMap} */ ({});
  list.replaceChildren(...rows);
  if (focused || node) find(node ? `[data-node="${node}"]` : `[data-ply="${focused}"]`, list)?.focus({preventScroll: true});
  if (!revealCurrent()) list.scrollTop = list.scrollLeft = 0;
  /** @param {MouseEvent} event */
  list.onclick = (event) => {
    const move = targetOf(event, "[data-ply], [data-node]");
    if (move) choose(Number(move.dataset.ply ?? move.dataset.at), move.dataset.node ? Number(move.dataset.node) : null);
  };
}

// Keeps the current move visible when the list of moves becomes shorter or longer.
export const keepInView = () => new ResizeObserver(revealCurrent).observe(find(".moves"));

// Scrolls the list of moves, and nothing else, until the current move is wholly visible; returns that move. A message may
// lie over the end of the list.
export function revealCurrent() {
  const list = find(".moves");
  const item = find("[aria-current]", list);
  const outer = list.getBoundingClientRect();
  const cover = find(".message")?.getBoundingClientRect();
  const bottom = cover?.height && cover.top < outer.bottom && cover.bottom > outer.top ? cover.top : outer.bottom;
  endAtRow(list, bottom - outer.top);
  if (!item) return null;
  const inner = item.getBoundingClientRect();
  const room = {x: Math.min(40, outer.width / 4), y: Math.min(30, outer.height / 4)};
  if (inner.top < outer.top + 1) list.scrollTop -= outer.top - inner.top + room.y;
  else if (inner.bottom > bottom - 1) list.scrollTop += inner.bottom - bottom + room.y;
  if (inner.left < outer.left + 1) list.scrollLeft -= outer.left - inner.left + room.x;
  else if (inner.right > outer.right - 1) list.scrollLeft += inner.right - outer.right + room.x;
  return item;
}

// Adds space after the last row of a list of which the first `height` pixels are visible, so that its end can be shown
// without a row that is cut at the top.
/** @param {HTMLElement} list @param {number} height */
function endAtRow(list, height) {
  list.style.paddingBottom = "";
  const end = list.lastElementChild?.getBoundingClientRect().bottom ?? 0;
  const first = [...list.children].find((row) => end - row.getBoundingClientRect().top <= height);
  if (first && first !== list.firstElementChild && list.scrollHeight > height) list.style.paddingBottom = `${list.clientHeight - (end - first.getBoundingClientRect().top)}px`;
}
