// The position editor: the user adds and removes pieces, and the server checks whether the position is possible.

import {write} from "../lib/display.js";
import {drawn, element, find, findAll, icon, isPlain, onClick} from "../lib/dom.js";
import {DRAG_PX, Ground, squareAt, squareOf} from "../lib/ground.js";
import {attempt, send} from "../lib/tabs.js";
import {copyFault} from "./share.js";
import {fenOf, pieceName, squareName} from "./words.js";

const ERASER = ".";
const CHECK_MS = 120; // after the last change of the FEN
const dialog = find("dialog.position");
const host = find(".board", dialog);
const field = find('[name="fen"]', dialog);
const copy = find('[data-do="copy"]', dialog);
const error = find(".error", dialog);

/** @typedef {import("./types").CheckedPosition} CheckedPosition */

/** @type {Ground | null} */
let ground = null;
/** @type {CheckedPosition} what is edited */
let edited = null;
let table = "";
let brush = ""; // a piece, or the eraser
/** @type {any} */
let timer = null;
let asked = 0; // the number of the last check
/** @type {{square: number, x: number, y: number, moved: boolean} | null} */
let drag = null;

// `play(fen, analyse)` starts a game from a position, to play or to analyse it; the dialog shows errors it throws.
/** @param {(fen: string, analyse: boolean) => Promise<any>} play */
export function prepareEditor(play) {
  /** @param {boolean} analyse */
  const begin = async (analyse) => {
    clearTimeout(timer);
    asked += 1; // a check that is still under way must not replace the answer to this
    if (await attempt(error, () => play(field.value, analyse))) dialog.close();
  };
  find("form", dialog).addEventListener("submit", (/** @type {Event} */ event) => { event.preventDefault(); begin(false); });
  onClick(dialog, {
    "analyse-from": () => begin(true),
    empty: () => change({men: ERASER.repeat(edited.men.length), hand: {}}),
    usual: () => {
      field.value = edited.start;
      check(edited.start, true);
    },
    copy: async () => {
      const fault = await copyFault(field, "FEN");
      if (fault) error.textContent = fault;
      else copy.textContent = "Copied";
    },
  });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => check(field.value, true), CHECK_MS);
  });
  dialog.addEventListener("change", (/** @type {any} */ {target}) => {
    if (target.name === "brush") brush = target.value;
    if (target.name === "side") change({side: Number(target.value)});
  });
  dialog.addEventListener("input", (/** @type {any} */ {target}) => {
    if (target.dataset.held) change({hand: {...edited.hand, [target.dataset.held]: Number(target.value) || 0}});
  });
  host.addEventListener("pointerdown", pressed);
  host.addEventListener("contextmenu", (/** @type {Event} */ event) => event.preventDefault());
  dialog.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (drag && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > DRAG_PX) drag.moved = true;
  });
  dialog.addEventListener("pointerup", dropped);
  dialog.addEventListener("pointercancel", () => { drag = null; });
  host.addEventListener("keydown", typed);
}

/** @param {{table: string, fen: string, files: number, flipped: boolean}} of */
export async function openEditor({table: of, fen, files, flipped}) {
  table = of;
  error.textContent = "";
  copy.textContent = "Copy FEN";
  field.value = fen;
  dialog.showModal();
  const address = `board.svg?table=${encodeURIComponent(of)}&flipped=${flipped ? 1 : 0}`;
  [ground] = await Promise.all([Ground.load(address, files, flipped), check(fen, true)]);
  host.replaceChildren(ground.svg);
  palette();
  draw();
}

// ---------------------------------------------------------------- the server's check

// Asks the server to check a position; `adopted`: show it on the board, if it can be read.
/** @param {string} fen @param {boolean} adopted */
async function check(fen, adopted) {
  const number = ++asked;
  /** @type {CheckedPosition} */
  const answer = await send({do: "check", table, fen}).catch(({message}) => ({...edited, problem: message, ending: ""}));
  if (number !== asked) return;
  const sized = edited && answer.men.length !== edited.men.length;
  error.textContent = answer.problem;
  write(find(".ending", dialog), sized ? "" : answer.ending);
  if (adopted && !answer.problem || !edited) {
    edited = answer;
    if (sized) error.textContent = "This board has another size; start a new game to play on it.";
    else draw();
  }
}

/** @param {Partial<CheckedPosition>} to */
function change(to) {
  edited = {...edited, ...to};
  field.value = fenOf(edited, ground.files);
  draw();
  check(field.value, false);
}

// ---------------------------------------------------------------- drawing

// Creates the palette of this game's pieces, and the fields for pieces in hand.
function palette() {
  const pieces = [...edited.pieces, ERASER];
  if (!pieces.includes(brush)) brush = pieces[0];
  find(".palette", dialog).replaceChildren(...pieces.map((piece) => element("label", {title: nameOf(piece)},
    element("input", {type: "radio", name: "brush", value: piece, "aria-label": nameOf(piece), ...(piece === brush ? {checked: ""} : {})}),
    drawn("svg", {viewBox: "-50 -50 100 100", class: "latrones-board", "aria-hidden": "true"}, piece === ERASER
      ? drawn("path", {class: "eraser", d: "M-26-26 26 26M26-26-26 26"}) : drawn("use", {href: `#man-${piece}`})))));
  const hands = find(".hands", dialog);
  hands.hidden = !edited.holds;
  hands.replaceChildren(...[...edited.pieces].filter((piece) => "SDsd".includes(piece)).map((piece) => element("label", {},
    icon(piece === piece.toLowerCase() ? 1 : 0), ` ${nameOf(piece)} in hand `,
    element("input", {type: "number", min: 0, max: "Dd".includes(piece) ? 1 : 99, "data-held": piece, value: edited.hand[piece] ?? 0}))));
}

/** @param {string} piece */
const nameOf = (piece) => (piece === ERASER ? "Remove a piece" : pieceName(piece)[0].toUpperCase() + pieceName(piece).slice(1));

function draw() {
  for (const one of findAll('[name="side"]', dialog)) one.checked = Number(one.value) === edited.side;
  for (const one of findAll("[data-held]:not(:focus)", dialog)) one.value = String(edited.hand[one.dataset.held] ?? 0);
  if (!ground || ground.centres.length !== edited.men.length) return;
  ground.layer("men", [...edited.men].flatMap((piece, at) => (piece === ERASER ? [] : [ground.use(`man-${piece}`, at)])));
  for (const node of findAll(".square", ground.svg)) {
    const square = squareOf(node);
    const piece = edited.men[square];
    node.setAttribute("aria-label", `${squareName(square, ground.files)}, ${piece === ERASER ? "empty" : pieceName(piece)}`);
    if (!find('.square[tabindex="0"]', ground.svg)) node.setAttribute("tabindex", "0");
  }
}

// ---------------------------------------------------------------- pointer and keys

/** @param {number} square @param {string} piece @param {string} men */
const withPiece = (square, piece, men = edited.men) => men.slice(0, square) + piece + men.slice(square + 1);

// Puts the chosen piece on a square; the same piece again takes it off.
/** @param {number} square */
const paint = (square) => change({men: withPiece(square, edited.men[square] === brush ? ERASER : brush)});

/** @param {PointerEvent} event */
function pressed(event) {
  const square = squareOf(/** @type {Element} */ (event.target));
  if (square === null || !ground || event.button !== 0 && event.button !== 2) return;
  if (event.button === 2) change({men: withPiece(square, ERASER)});
  else drag = {square, x: event.clientX, y: event.clientY, moved: false};
  host.releasePointerCapture?.(event.pointerId);
}

/** @param {PointerEvent} event */
function dropped(event) {
  if (!drag) return;
  const {square, moved} = drag;
  drag = null;
  const piece = edited.men[square];
  const target = squareAt(event, host);
  if (!moved || target === square) paint(square);
  else if (piece !== ERASER) change({men: target === null ? withPiece(square, ERASER) : withPiece(target, piece, withPiece(square, ERASER))});
}

/** @param {KeyboardEvent} event */
function typed(event) {
  const square = squareOf(/** @type {Element} */ (event.target));
  if (square === null || !isPlain(event)) return;
  const next = ground.beside(square, event.key);
  if (event.key === "Enter" || event.key === " ") paint(square);
  else if (event.key === "Delete" || event.key === "Backspace") change({men: withPiece(square, ERASER)});
  else if (next === undefined) return;
  else if (next !== null) {
    ground.button(square).setAttribute("tabindex", "-1");
    ground.button(next).setAttribute("tabindex", "0");
    ground.button(next).focus();
  }
  event.preventDefault();
}
