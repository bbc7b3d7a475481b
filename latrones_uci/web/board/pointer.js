// Pointer and keys on a board: drag and click, touch, arrows, Enter and Escape.

import {drawn, isPlain, targetOf} from "../lib/dom.js";
import {DRAG_PX, squareAt, squareOf} from "../lib/ground.js";
import {pieceName} from "./words.js";

const PRESSED = "[data-square], [data-man]"; // what can be pressed

export class Pointer {
  // Handles events within `zone`, which contains the board and the pieces in hand.
  /** @param {import("./board.js").Board} board @param {HTMLElement} zone */
  constructor(board, zone) {
    this.board = board;
    this.zone = zone;
    /** @type {import("./types").Drag | null} */
    this.drag = null;
    zone.addEventListener("pointerdown", (event) => this.down(event));
    zone.addEventListener("pointermove", (event) => this.moveTo(event));
    zone.addEventListener("pointerup", (event) => this.up(event));
    zone.addEventListener("pointercancel", () => this.endDrag());
    zone.addEventListener("click", (event) => { if (event.detail === 0) this.pressAt(targetOf(event, PRESSED)); });
    zone.addEventListener("keydown", (event) => this.key(event));
    board.host.addEventListener("contextmenu", (event) => event.preventDefault());
    /** @type {number | null} */
    this.sketched = null; // the square on which the right button was pressed
  }

  /** @param {HTMLElement | null} node */
  pressAt(node) {
    const {board} = this;
    if (!node || !board.view) return;
    if (node.dataset.man) {
      board.pick(node.dataset.man);
      return;
    }
    board.cursor = Number(node.dataset.square);
    board.press(board.cursor);
  }

  /** @param {PointerEvent} event */
  down(event) {
    const node = targetOf(event, PRESSED);
    if (event.button === 2 && event.pointerType === "mouse") this.sketched = squareAt(event);
    if (!node || !this.board.view || event.button !== 0 || this.drag) return;
    this.drag = {node, square: squareOf(node), piece: node.dataset.man, x: event.clientX, y: event.clientY, ghost: null,
      pointer: event.pointerId};
  }

  /** @param {PointerEvent} event */
  moveTo(event) {
    const {drag} = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PX || !this.lift()) return;
    }
    const at = this.board.ground.pointOf(event);
    drag.ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
  }

  // Starts dragging the pressed piece, if it can move.
  lift() {
    const {drag, board} = this;
    const {entry} = board;
    if (board.sent && !board.premoves(drag.square ?? -1)) return false;
    let piece;
    if (drag.piece) {
      entry.path = [];
      entry.place = drag.piece;
      piece = board.view.side ? drag.piece.toLowerCase() : drag.piece;
    } else if (entry.path.at(-1) === drag.square || entry.starts().has(drag.square)) {
      if (entry.path.at(-1) !== drag.square) entry.path = [drag.square];
      piece = board.preview().men[drag.square];
    } else if (board.premoves(drag.square)) {
      board.premove.clear();
      board.press(drag.square);
      piece = board.view.men[drag.square];
    } else {
      this.drag = null;
      if (drag.square !== null && board.view.men[drag.square] !== ".") board.handlers.refuse?.(null, drag.square);
      return false;
    }
    board.host.setPointerCapture(drag.pointer);
    drag.ghost = drawn("use", {href: `#man-${piece}`, class: "ghost", "aria-label": pieceName(piece)});
    board.lifted = drag.square;
    board.draw();
    board.ground.layer("drag", [drag.ghost]);
    board.handlers.changed?.();
    return true;
  }

  // Whether the pressed piece can be dragged.
  canLift() {
    const {drag, board: {entry, sent}} = this;
    if (!drag || drag.piece !== undefined) return drag !== null;
    const {square} = drag;
    return square !== null && !sent && (entry.path.at(-1) === square || entry.starts().has(square) || this.board.premoves(square));
  }

  /** @param {PointerEvent} event */
  up(event) {
    const {drag, board} = this;
    if (event.button === 2) {
      const to = squareAt(event);
      if (this.sketched !== null && to !== null) board.sketch(to === this.sketched ? [to] : [this.sketched, to], event.shiftKey ? event.altKey ? "G" : "R" : event.altKey ? "B" : "Y");
      this.sketched = null;
      return;
    }
    if (!drag || event.pointerId !== drag.pointer) return;
    const dragged = drag.ghost !== null;
    this.endDrag();
    if (!dragged) {
      this.pressAt(drag.node);
      return;
    }
    const square = squareAt(event, board.host);
    if (board.premove.from !== null && board.premove.from === drag.square && square !== drag.square) {
      if (square === null) board.cancel();
      else board.press(square, true);
      return;
    }
    if (square !== null && (drag.piece || board.entry.destinations().has(square))) {
      board.press(square, true);
      return;
    }
    if (square !== drag.square) {
      const from = board.entry.path[0] ?? null;
      board.entry.place = null;
      if (!board.entry.unfinished) board.entry.path = [];
      if (square !== null) board.handlers.refuse?.(from, square);
    }
    board.draw();
    board.handlers.changed?.();
  }

  endDrag() {
    this.drag = null;
    this.board.lifted = null;
    this.board.ground?.layer("drag", []);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const {board} = this;
    const target = targetOf(event, PRESSED);
    if (!board.view || !isPlain(event) || target !== event.target) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.pressAt(target);
      board.focus();
    } else if (event.key === "Escape") {
      board.cancel();
    } else if (target.dataset.square !== undefined) {
      const next = board.ground.beside(board.cursor, event.key);
      if (next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      board.walk(next);
    }
  }
}
