// Enlarges the board: two fingers, Ctrl with the wheel, or the button that appears where squares are small. One finger
// moves an enlarged board, unless it is on a piece that can move.

import {find} from "../lib/dom.js";
import {DRAG_PX} from "../lib/ground.js";

const MOST = 4;
const BUTTON = 2; // the scale that the button sets
const SMALL_PX = 34; // squares below this are hard to hit

export class Zoom {
  /** @param {import("./board.js").Board} board @param {import("./pointer.js").Pointer} pointer */
  constructor(board, pointer) {
    this.board = board;
    this.pointer = pointer;
    this.host = board.host;
    this.scale = 1;
    this.x = this.y = 0; // the upper left corner of what is shown, in units of the drawing
    /** @type {Map<number, {x: number, y: number}>} */
    this.fingers = new Map();
    /** @type {SVGSVGElement | null} */
    this.svg = null;
    this.base = {x: 0, y: 0, width: 1, height: 1};
    this.pans = false;
    const {host} = this;
    host.addEventListener("pointerdown", (event) => this.down(event), true);
    host.addEventListener("pointermove", (event) => this.move(event), true);
    for (const kind of ["pointerup", "pointercancel"]) host.addEventListener(kind, (/** @type {any} */ event) => this.up(event), true);
    host.addEventListener("wheel", (event) => {
      if (!event.ctrlKey || !this.svg) return;
      event.preventDefault();
      this.zoom(this.scale * Math.exp(-event.deltaY / 200), event);
    }, {passive: false});
    host.addEventListener("focusin", () => this.reveal());
    new ResizeObserver(() => this.offer()).observe(host);
  }

  // Resets the zoom for the current drawing of the board.
  ground() {
    this.svg = this.board.ground.svg;
    const {x, y, width, height} = this.svg.viewBox.baseVal;
    this.base = {x, y, width, height};
    this.reset();
  }

  reset() {
    this.scale = 1;
    this.show(this.base.x, this.base.y);
  }

  // Enlarges the board around the last move (at the start, around the near player's pieces), or shows the whole board.
  toggle() {
    if (this.scale > 1) {
      this.reset();
      return;
    }
    const {base} = this;
    const [x, y] = this.board.ground.centres[this.board.view?.path?.at(-1)] ?? [base.x + base.width / 2, base.y + base.height];
    this.scale = BUTTON;
    this.show(x - base.width / BUTTON / 2, y - base.height / BUTTON / 2);
  }

  // Sets the scale and keeps the point below the pointer in place.
  /** @param {number} scale @param {{clientX: number, clientY: number}} at */
  zoom(scale, at) {
    const {base, host} = this;
    const box = host.getBoundingClientRect();
    const [across, down] = [(at.clientX - box.left) / box.width, (at.clientY - box.top) / box.height];
    const before = this.scale;
    this.scale = Math.min(Math.max(scale, 1), MOST);
    this.show(this.x + across * base.width * (1 / before - 1 / this.scale), this.y + down * base.height * (1 / before - 1 / this.scale));
  }

  /** @param {number} x @param {number} y */
  show(x, y) {
    const {base, scale, svg} = this;
    const [width, height] = [base.width / scale, base.height / scale];
    this.x = Math.min(Math.max(x, base.x), base.x + base.width - width);
    this.y = Math.min(Math.max(y, base.y), base.y + base.height - height);
    svg?.setAttribute("viewBox", [this.x, this.y, width, height].join(" "));
    this.offer();
  }

  // Offers the button where squares are small, and keeps the browser from using the fingers.
  offer() {
    if (!this.board.ground) return;
    const {width} = this.host.getBoundingClientRect();
    const small = width > 0 && width / this.board.ground.files < SMALL_PX;
    this.host.classList.toggle("zoomable", small || this.scale > 1);
    this.host.classList.toggle("zoomed", this.scale > 1);
    const node = find('[data-do="zoom"]');
    node.hidden = !small && this.scale === 1;
    node.setAttribute("aria-pressed", String(this.scale > 1));
  }

  // Shows the square that has the focus.
  reveal() {
    if (this.scale === 1) return;
    const [x, y] = this.board.ground.centres[this.board.cursor];
    const [width, height] = [this.base.width / this.scale, this.base.height / this.scale];
    this.show(Math.min(Math.max(this.x, x + 60 - width), x - 60), Math.min(Math.max(this.y, y + 60 - height), y - 60));
  }

  // ---------------------------------------------------------------- fingers

  /** @param {PointerEvent} event */
  down({pointerType, pointerId, clientX, clientY}) {
    if (pointerType !== "touch" || !this.svg) return;
    this.fingers.set(pointerId, {x: clientX, y: clientY});
    this.pans = false;
    if (this.fingers.size > 1) this.pointer.endDrag(); // two fingers do not press or drag
  }

  /** @param {PointerEvent} event */
  move({pointerId, clientX, clientY}) {
    const finger = this.fingers.get(pointerId);
    if (!finger) return;
    const to = {x: clientX, y: clientY};
    if (this.fingers.size === 2) {
      const other = [...this.fingers].find(([id]) => id !== pointerId)[1];
      /** @param {{x: number, y: number}} one */
      const apart = (one) => Math.hypot(one.x - other.x, one.y - other.y);
      this.pan(finger, {x: (finger.x + to.x) / 2, y: (finger.y + to.y) / 2}); // the middle moves half as far
      this.zoom(this.scale * apart(to) / Math.max(apart(finger), 1), {clientX: (to.x + other.x) / 2, clientY: (to.y + other.y) / 2});
      this.fingers.set(pointerId, to);
    } else if (this.scale > 1 && this.fingers.size === 1) {
      const {drag} = this.pointer;
      if (!this.pans && (!drag || drag.ghost || Math.hypot(to.x - finger.x, to.y - finger.y) < DRAG_PX || drag.piece || this.board.canLift(drag.square))) return;
      if (!this.pans) this.pointer.endDrag();
      this.pans = true;
      this.pan(finger, to);
      this.fingers.set(pointerId, to);
    }
  }

  /** @param {PointerEvent} event */
  up({pointerId}) {
    this.fingers.delete(pointerId);
    this.pans = false;
  }

  /** @param {{x: number, y: number}} from @param {{x: number, y: number}} to */
  pan(from, to) {
    const unit = this.base.width / this.scale / this.host.getBoundingClientRect().width;
    this.show(this.x - (to.x - from.x) * unit, this.y - (to.y - from.y) * unit);
  }
}
