// @ts-check
// The board: draws a position, and turns the user's input into one of the legal moves that the server has sent.

import {drawn, find} from "../web/dom.js";

const DRAG_PX = 6;
const SLIDE_MS = 160;
const FADE_MS = 900;
/** @type {Record<string, string>} */
const NAMES = {S: "soldier", D: "dux", B: "bound soldier"};
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {string} piece */
const pieceName = (piece) => `${piece === piece.toUpperCase() ? "white" : "black"} ${NAMES[piece.toUpperCase()]}`;
/** @param {number[]} path @param {number[]} prefix */
const startsWith = (path, prefix) => prefix.every((square, at) => path[at] === square);

export class Board {
  // Calls `play(text)` with a move, and `changed()` when the user starts, continues or cancels a move.
  /** @param {HTMLElement} host @param {(text: string) => Promise<any>} play @param {() => void} changed */
  constructor(host, play, changed) {
    this.host = host;
    this.play = play;
    this.changed = changed;
    /** @type {import("../web/ground.js").Ground | null} */
    this.ground = null;
    /** @type {import("./types").View | null} */
    this.view = null;
    /** @type {string | null} */
    this.handsDrawn = null;
    /** @type {number[]} */
    this.path = []; // the squares of the move that is being entered
    /** @type {number[] | null} */
    this.sent = null; // the drawn part of a move that the server has not confirmed yet
    /** @type {string | null} */
    this.place = null; // the piece picked from the tray
    this.cursor = 0;
    /** @type {import("./types").Drag | null} */
    this.drag = null;
    host.addEventListener("pointerdown", (event) => this.down(event));
    host.addEventListener("pointermove", (event) => this.moveTo(event));
    host.addEventListener("pointerup", (event) => this.up(event));
    host.addEventListener("pointercancel", () => this.endDrag());
    host.addEventListener("click", (event) => { if (event.detail === 0) this.pressAt(event.target); });
    host.addEventListener("keydown", (event) => this.key(event));
  }

  // Sets an empty board for this variant and size.
  /** @param {import("../web/ground.js").Ground} ground */
  setGround(ground) {
    this.ground = ground;
    this.cursor = Math.min(this.cursor, ground.centres.length - 1);
    const focused = this.host.contains(document.activeElement);
    this.host.replaceChildren(ground.svg);
    if (focused) this.focus();
    this.view = null;
    this.handsDrawn = null;
  }

  // Moves the focus to the square that had it last.
  focus() { this.ground?.button(this.cursor).focus(); }

  // ---------------------------------------------------------------- drawing

  // `view`: the position, path and captures of the last move, legal moves, surrounded and immobile pieces, hint, over,
  // `key` (identifies the position), `follows` (the key before it) and `before` (the pieces before the last move).
  /** @param {import("./types").View} view */
  show(view) {
    const another = this.view?.key !== view.key;
    const next = another && this.view && view.follows === this.view.key;
    this.view = view;
    const from = this.sent?.at(-1) ?? view.path?.[0];
    if (another) {
      this.path = [];
      this.sent = null;
      this.place = null;
      this.endDrag();
    }
    this.draw();
    if (next) this.animate(from);
    else if (another) this.ground.layer("fading", []);
    this.changed();
  }

  // Returns whether the board shows the position with this key.
  /** @param {string} key */
  shows(key) { return this.view?.key === key; }

  draw() {
    const {view} = this;
    const {men, dead} = this.preview();
    const lifted = this.drag?.ghost ? this.drag.square : null;
    this.ground.layer("men", [...men].flatMap((piece, square) => (piece === "." ? [] : [
      this.ground.use(`man-${piece}`, square, {"data-on": square, ...(square === lifted ? {class: "lifted"} : {})})])));
    this.ground.layer("dead", dead.map(([piece, square]) => this.ground.use(`man-${piece}`, square, {class: "dying"})));
    this.ground.layer("marks", this.ground.marks(view));
    this.ground.layer("states", this.states(men));
    this.ground.layer("targets", this.targets());
    const hands = JSON.stringify([view.hand, view.side, this.placed(), this.place]);
    if (hands !== this.handsDrawn) this.ground.layer("hands", this.hands()); // keeps a drag from the tray alive
    this.handsDrawn = hands;
    this.ground.layer("turn", view.over ? [] : this.ground.turn(view.side));
    find("title", this.ground.svg).textContent = view.title;
    find("desc", this.ground.svg).textContent = view.fen;
    this.label(men);
  }

  // Returns the pieces on the board while a move is being entered, and those that it has captured so far.
  /** @returns {{men: string[], dead: [string, number][]}} */
  preview() {
    const men = [...this.view.men];
    const path = this.sent ?? this.path;
    if (path.length < 2) return {men, dead: []};
    /** @type {[string, number][]} */
    const dead = (this.exact(path)?.captures ?? []).map((square) => [men[square], square]);
    const piece = men[path[0]];
    men[path[0]] = ".";
    for (const [, square] of dead) men[square] = ".";
    men[path.at(-1)] = piece;
    return {men, dead};
  }

  /** @param {string[]} men */
  states(men) {
    const {ground, view} = this;
    /** @param {number} square */
    const standing = (square) => men[square] !== ".";
    return [
      ...view.surrounded.filter(standing).map((square) => ground.at(square, "circle", {class: "surrounded", r: 46})),
      ...view.immobile.filter(standing).map((one) => ground.at(one, "path", {class: "immobile", d: "M-22 43H22"})),
    ];
  }

  targets() {
    const {view} = this;
    /** @type {Element[]} */
    const found = [];
    /** @type {(square: number, name: string, attributes: import("./types").Attributes) => void} */
    const mark = (square, name, attributes) => { found.push(this.ground.at(square, name, attributes)); };
    if (view.hint) {
      for (const square of view.hint) mark(square, "circle", {class: "hint", r: 45});
      if (view.hint.length > 1) found.push(this.ground.track(view.hint, "hint"));
    }
    if (!view.legal.length) return found;
    for (const {kill} of view.legal) if (kill !== undefined) mark(kill, "circle", {class: "kill", r: 45});
    if (this.path.length) mark(this.path.at(-1), "circle", {class: "chosen", r: 47});
    for (const [square, {captures, jump}] of this.destinations()) {
      if (captures) mark(square, "circle", {class: "target-ring", r: 30});
      if (jump) mark(square, "path", {class: "target", d: "M0 -20 19 14H-19Z"});
      else mark(square, "circle", {class: "target", r: 13});
    }
    if (!this.path.length && this.place) {
      for (const {place, square} of view.legal) {
        if (place === this.place) mark(square, "circle", {class: "target place", r: 9});
      }
    }
    return found;
  }

  hands() {
    const placing = this.placed();
    return this.ground.hands(this.view.hand, (piece, left, y, side) =>
      (side === this.view.side && placing.includes(piece.toUpperCase()) ? [this.tray(piece, left, y)] : []));
  }

  // Draws the button from which pieces in hand are taken.
  /** @param {string} piece @param {number} left @param {number} y */
  tray(piece, left, y) {
    const kind = piece.toUpperCase();
    return drawn("rect", {class: `tray${this.place === kind ? " picked" : ""}`, x: left - 42, y: y - 40, width: 204,
      height: 80, rx: 14, role: "button", tabindex: "0", "data-man": kind,
      "aria-label": `Place a ${pieceName(piece)}, ${this.view.hand[piece]} in hand`});
  }

  // Returns the kinds of pieces that can be placed now, S and D.
  placed() { return [...new Set(this.view.legal.map(({place}) => place).filter(Boolean))]; }

  /** @param {string[]} men */
  label(men) {
    const {view} = this;
    const destinations = this.destinations();
    const first = new Set(view.legal.filter(({path}) => path).map(({path}) => path[0]));
    const killed = new Set(view.legal.map(({kill}) => kill));
    for (const node of /** @type {NodeListOf<SVGElement>} */ (this.ground.svg.querySelectorAll(".square"))) {
      const square = Number(node.dataset.square);
      const words = [this.ground.squareName(square), men[square] === "." ? "empty" : pieceName(men[square])];
      if (men[square] !== "." && view.surrounded.includes(square)) words.push("surrounded");
      if (men[square] !== "." && view.immobile.includes(square)) words.push("cannot move");
      if (view.path?.includes(square)) words.push("last move");
      if (view.hint?.includes(square)) words.push("hint");
      if (first.has(square)) words.push("can move");
      if (killed.has(square)) words.push("can be killed");
      if (this.path.at(-1) === square) words.push("selected");
      const way = destinations.get(square);
      if (way) words.push(`destination${way.jump ? " by a jump" : ""}`);
      if (way?.captures) words.push(`captures ${way.captures}`);
      node.setAttribute("aria-label", words.join(", "));
      node.setAttribute("tabindex", square === this.cursor ? "0" : "-1");
      node.classList.toggle("movable", first.has(square) || this.path.at(-1) === square);
      node.classList.toggle("active", first.has(square) || killed.has(square) || destinations.has(square) ||
        view.legal.some((move) => move.place && move.square === square));
    }
  }

  // Animates the last move: its piece slides from where it was drawn, and captured pieces fade out.
  /** @param {number} from */
  animate(from) {
    if (calm.matches) return;
    const {path, captures, before} = this.view;
    const to = path?.at(-1);
    const piece = path?.length > 1 && find(`[data-on="${to}"]`, this.ground.svg);
    if (piece && from !== to) {
      const [[x, y], [endX, endY]] = [this.ground.centres[from], this.ground.centres[to]];
      const way = [{transform: `translate(${x - endX}px, ${y - endY}px)`}, {transform: "none"}];
      piece.animate(way, {duration: SLIDE_MS, easing: "ease-out"});
    }
    for (const square of captures ?? []) {
      if (before[square] === ".") continue;
      const ghost = this.ground.use(`man-${before[square]}`, square, {class: "fading"});
      find(".board-fading", this.ground.svg).append(ghost); // a layer that is not redrawn
      const fading = ghost.animate([{opacity: 1}, {opacity: 0}], {duration: FADE_MS, fill: "forwards"});
      fading.finished.then(() => ghost.remove(), () => {}); // rejected if it was removed before
    }
  }

  // ---------------------------------------------------------------- moves

  // Returns the legal move along exactly these squares.
  /** @param {number[]} path */
  exact(path) {
    return this.view.legal.find((move) => move.path?.length === path.length && startsWith(move.path, path));
  }

  // Returns the next squares of the selected piece, with the number of captures and whether it is a jump.
  /** @returns {Map<number, {captures: number, jump: boolean}>} */
  destinations() {
    const found = new Map();
    if (!this.path.length) return found;
    const at = this.path.length;
    const sofar = this.exact(this.path)?.captures.length ?? 0;
    for (const {path} of this.view.legal) {
      if (!path || path.length <= at || !startsWith(path, this.path) || found.has(path[at])) continue;
      const leg = this.exact([...this.path, path[at]]);
      found.set(path[at], {captures: (leg?.captures.length ?? 0) - sofar, jump: leg?.jump ?? false});
    }
    return found;
  }

  get unfinished() { return this.path.length > 1; }

  // Plays a chain as far as it has been entered.
  finish() {
    const move = this.exact(this.path);
    if (this.unfinished && move) this.commit(move, this.path);
  }

  // Plays a move; `shown` is the part of its path that is already drawn.
  /** @param {import("./types").Legal} move @param {number[]} shown */
  async commit(move, shown) {
    const sent = this.sent = shown;
    this.path = [];
    this.place = null;
    this.draw();
    this.changed();
    if (!await this.play(move.text) && this.sent === sent) { // the server has rejected it
      this.sent = null;
      this.draw();
    }
  }

  cancel() {
    this.path = [];
    this.place = null;
    this.endDrag();
    this.draw();
    this.changed();
  }

  // Handles a click on a square, or a piece `dropped` there.
  /** @param {number} square */
  press(square, dropped = false) {
    const {legal} = this.view;
    if (this.sent) return;
    const next = [...this.path, square];
    if (this.path.length && this.path.at(-1) === square) {
      if (this.unfinished) this.finish(); else this.cancel();
      return;
    }
    if (this.path.length && legal.some(({path}) => path && startsWith(path, next))) {
      const continues = legal.some(({path}) => path && path.length > next.length && startsWith(path, next));
      if (!continues) { this.commit(this.exact(next), dropped ? next : this.path); return; }
      this.path = next;
    } else if (legal.some(({path}) => path?.[0] === square)) {
      this.path = [square];
    } else {
      const kinds = this.placed();
      const piece = this.place ?? (kinds.length === 1 ? kinds[0] : null);
      const move = legal.find(({kill}) => kill === square) ??
        legal.find((one) => one.place && one.place === piece && one.square === square);
      if (move) { this.commit(move, []); return; }
      this.path = [];
    }
    this.draw();
    this.changed();
  }

  /** @param {string} piece */
  pick(piece) {
    this.path = [];
    this.place = this.place === piece ? null : piece;
    this.draw();
  }

  /** @param {any} target */
  pressAt(target) {
    const node = target.closest?.("[data-square], [data-man]");
    if (!node || !this.view) return;
    if (node.dataset.man) { this.pick(node.dataset.man); return; }
    this.cursor = Number(node.dataset.square);
    this.press(this.cursor);
  }

  // ---------------------------------------------------------------- pointer and keys

  /** @param {PointerEvent} event */
  down(event) {
    /** @type {HTMLElement | null} */
    const node = /** @type {Element} */ (event.target).closest("[data-square], [data-man]");
    if (!node || !this.view || event.button !== 0 || this.drag) return;
    const square = node.dataset.square === undefined ? null : Number(node.dataset.square);
    this.drag = {node, square, piece: node.dataset.man, x: event.clientX, y: event.clientY, ghost: null,
      pointer: event.pointerId};
  }

  /** @param {PointerEvent} event */
  moveTo(event) {
    const {drag} = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PX || !this.lift()) return;
    }
    const at = this.ground.pointOf(event);
    drag.ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
  }

  // Starts dragging the pressed piece, if it can move.
  lift() {
    const {drag} = this;
    let piece;
    if (this.sent) return false;
    if (drag.piece) {
      this.place = drag.piece;
      this.path = [];
      piece = this.view.side ? drag.piece.toLowerCase() : drag.piece;
    } else if (this.path.at(-1) === drag.square || this.view.legal.some(({path}) => path?.[0] === drag.square)) {
      if (this.path.at(-1) !== drag.square) this.path = [drag.square];
      piece = this.preview().men[drag.square];
    } else {
      this.drag = null;
      return false;
    }
    this.host.setPointerCapture(drag.pointer);
    drag.ghost = drawn("use", {href: `#man-${piece}`, class: "ghost"});
    this.draw();
    this.ground.layer("drag", [drag.ghost]);
    this.changed();
    return true;
  }

  /** @param {PointerEvent} event */
  up(event) {
    const {drag} = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    const dragged = drag.ghost !== null;
    this.endDrag();
    if (!dragged) {
      this.pressAt(drag.node);
      return;
    }
    /** @type {HTMLElement | null} */
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]");
    const square = node && this.host.contains(node) ? Number(node.dataset.square) : null;
    const reachable = square !== null && (drag.piece || this.destinations().has(square));
    if (reachable) {
      this.press(square, true);
    } else if (square !== drag.square) {
      this.place = null;
      if (!this.unfinished) this.path = [];
    }
    this.draw();
    this.changed();
  }

  endDrag() {
    this.drag = null;
    this.ground?.layer("drag", []);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.view || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.pressAt(event.target);
      this.focus();
    } else if (event.key === "Escape") {
      this.cancel();
    } else if (/** @type {SVGElement} */ (event.target).dataset.square !== undefined) {
      const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.walk(this.ground.beside(this.cursor, step[0], step[1]));
    }
  }

  // Moves the focus to a square; ignores null.
  /** @param {number | null} square */
  walk(square) {
    if (square === null) return;
    this.ground.button(this.cursor).setAttribute("tabindex", "-1");
    this.cursor = square;
    this.ground.button(square).setAttribute("tabindex", "0");
    this.focus();
  }
}
