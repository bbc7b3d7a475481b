// The panel beside the board: status, analysis and messages of engines.

import {scoreText, scoreWords, showEvaluation, withSign, write} from "../lib/display.js";
import {element, find} from "../lib/dom.js";
import {hidesScores, plyOf, scoreOf} from "./view.js";
import {durationText, emptyText, kernelText, moveWords, searchText, shortStatus, statusText} from "./words.js";

/** @type {import("./types").Analysis["lines"]} */
let lines = []; // the displayed lines
let analysed = ""; // their position
let endPreview = () => {};

/** @param {import("./types").Page} page */
export function showAnalysis({analysis, settings: {plain}}) {
  const on = analysis.wanted > 0;
  const {depth, seldepth, nodes, nps, hash, wdl, threat, kernel, limit, stopped} = analysis;
  find('[data-do="analyse"]').setAttribute("aria-pressed", String(on));
  find('[data-do="threat"]').setAttribute("aria-pressed", String(on && threat === true));
  const told = analysis.why ? [analysis.why] : [depth ? `depth ${depth}${seldepth && seldepth > depth ? `/${seldepth}` : ""}` : "",
    searchText(nodes, nps), hash === null || hash === undefined ? "" : `hash ${Math.round(hash / 10)}%`,
    kernelText(kernel), stopped ? `stopped after ${durationText(limit)}` : ""];
  write(find(".depth span"), on ? told.filter(Boolean).join(", ") : "");
  find(".depth").title = kernel ? `kernel ${kernel}` : "";
  find(".depth").hidden = !on;
  find('[data-do="continue"]').hidden = !on || !stopped;
  showChances(on && wdl && !threat ? wdl : null);
  const list = find(".lines");
  const position = [analysis.node ?? "", analysis.ply, threat].join();
  const stays = on && position === analysed && analysis.lines.length === lines.length &&
    list.matches(":hover, :focus-within");
  if (stays) return; // the user reads or previews the lines
  analysed = position;
  endPreview(); // a browser may not tell that the pointer leaves what is no longer there
  lines = analysis.threat ? analysis.lines.map((line) => ({...line, moves: /** @type {string[]} */ ([])})) : analysis.lines;
  list.hidden = !on;
  list.style.setProperty("--lines", String(analysis.wanted)); // reserves space for them
  list.replaceChildren(...analysis.lines.map(({score, moves, notes}, at) => element("li", {"data-line": at},
    element("b", score === null ? {} : {title: scoreWords(score)}, score === null ? "" : scoreText(score)), " ",
    ...(plain ? moves : notes).flatMap((text, step) => [
      element("button", {type: "button", "data-step": step, ...(step ? {tabindex: "-1"} : {}), title: withSign(plain ? notes[step] : moves[step], notes[step])}, text), " "]))));
}

// Shows the chances of a win of White, a draw and a win of Black, per mille, if the engine reports them.
/** @param {number[] | null} chances */
function showChances(chances) {
  const host = find(".chances");
  host.hidden = !chances;
  if (!chances) return;
  const white = Math.round(chances[0] / 10), black = Math.min(Math.round(chances[2] / 10), 100 - white);
  const words = `White wins ${white}%, draw ${100 - white - black}%, Black wins ${black}%`;
  write(find("p", host), words);
  [...find(".bar", host).children].forEach((part, at) => { part.style.flexGrow = String(chances[at]); });
}

/** @param {import("./types").Page} page */
export function showScore(page) {
  const {state, node, flipped} = page;
  if (!state) return;
  const {score, source} = scoreOf(page);
  const result = node === null && plyOf(page) === state.plies.length && state.outcome ? state.outcome.result : "";
  find(".field").classList.toggle("plain", hidesScores(page) || score === null && !result);
  showEvaluation(find(".evaluation"), score, flipped, result, source);
}

// Shows a position of a line while the pointer or the focus is on its move: calls `preview(step)`, and `preview(null)`
// afterwards. A press on a move calls `enter(moves)` with the moves up to it.
/** @param {(step: import("./types").Standing & {path: number[], captures: number[]} | null) => void} preview @param {(moves: string[]) => void} enter */
export function previewLines(preview, enter) {
  const list = find(".lines");
  endPreview = () => preview(null);
  /** @param {Event} event */
  const show = (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const line = /** @type {HTMLElement | null} */ (target.closest("[data-line]"));
    preview(target.dataset.step && line ? lines[Number(line.dataset.line)]?.steps?.[Number(target.dataset.step)] ?? null : null);
  };
  for (const kind of ["pointerover", "focusin"]) list.addEventListener(kind, show);
  list.addEventListener("click", (/** @type {any} */ event) => {
    const moves = lines[event.target.closest("[data-line]")?.dataset.line]?.moves ?? [];
    if (event.target.dataset.step && moves.length) enter(moves.slice(0, Number(event.target.dataset.step) + 1));
    else show(event);
  });
  for (const kind of ["pointerleave", "focusout"]) list.addEventListener(kind, endPreview);
}

// Shows how the game stands, and announces the last move in words.
/** @param {import("./types").State} state */
export function showStatus(state) {
  const status = find(".status");
  write(status, statusText(state));
  status.classList.toggle("over", state.outcome !== null);
  const [none, how] = emptyText(state);
  write(find(".nothing b"), none);
  write(find(".nothing span"), how);
  const last = state.plies.at(-1);
  const before = state.plies.at(-2)?.men ?? state.start.men;
  write(find(".announce"), last ? `${last.number}. ${moveWords(last, before, state.files)}: ${last.note}` : "");
  document.title = `${shortStatus(state)} \u00b7 ${state.title}`;
}

// Shows the last message on a fault of an engine in this game in one line; it unfolds to all of them.
/** @param {import("./types").State} state */
export function showNotices(state) {
  const host = find(".notices");
  const key = state.notices.map(([number]) => number).join();
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const [latest, ...earlier] = state.notices.map(([, text]) => text).reverse();
  host.hidden = latest === undefined;
  write(find("summary", host), latest ?? "");
  find("ul", host).replaceChildren(...(latest ? [latest, ...earlier] : []).map((text) => element("li", {}, text)));
}
