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
    if (node.dataset.man) board.pick(node.dataset.man);
    else board.press(Number(node.dataset.square));
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
    const {drag, board} = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.ghost) {
      const waits = board.entry.sent && !board.premoves(drag.square);
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PX || waits) return;
      if (!drag.piece && !board.canLift(drag.square)) {
        this.drag = null;
        if (drag.square !== null && board.view.men[drag.square] !== ".") board.handlers.refuse?.(null, drag.square);
        return;
      }
      board.host.setPointerCapture(drag.pointer);
      const piece = board.lift(drag.square, drag.piece);
      drag.ghost = drawn("use", {href: `#man-${piece}`, class: "ghost", "aria-label": pieceName(piece)});
      board.ground.layer("drag", [drag.ghost]);
    }
    const at = board.ground.pointOf(event);
    drag.ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
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
    this.drag = null;
    if (drag.ghost) board.drop(drag.square, squareAt(event, board.host));
    else this.pressAt(drag.node);
  }

  // Puts a dragged piece back.
  endDrag() {
    const {drag} = this;
    this.drag = null;
    if (drag?.ghost) this.board.drop(drag.square, drag.square);
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
