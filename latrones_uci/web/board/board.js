// The board: draws a position and the move being entered. pointer.js passes on the user's input.

import {find, findAll} from "../lib/dom.js";
import {Entry} from "./entry.js";
import {stateMarks, targetMarks} from "./marks.js";
import {Premove} from "./premove.js";
import {squareName, squareWords} from "./words.js";

const SLIDE_MS = 160;
const FADE_MS = 900;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {import("./types").View} View */

// Callbacks of the board: `play(text)` with a move, `changed()` when a move is started, continued or cancelled,
// `refuse(from, to)` when no legal move leads to a square, `hands(board)` to draw the pieces in hand, and
// `premoved(premove)` when a move in advance has been entered or cancelled, and `sketched(sketches)` when the user draws.
/** @typedef {{sketched?: (sketches: import("./types").Sketch[]) => void, play: (text: string) => Promise<any>, changed?: () => void, refuse?: (from: number | null, to: number) => void, hands?: (board: Board) => void, premoved?: (premove: Premove) => void}} Handlers */

export class Board {
  /** @param {HTMLElement} host @param {Handlers} handlers */
  constructor(host, handlers) {
    this.host = host;
    this.handlers = handlers;
    this.entry = new Entry();
    this.premove = new Premove();
    /** @type {import("../lib/ground.js").Ground | null} */
    this.ground = null;
    /** @type {View | null} */
    this.view = null;
    /** @type {number[] | null} */
    this.sent = null; // the drawn part of a move that the server has not confirmed yet
    /** @type {number | null} */
    this.lifted = null; // the square of a piece that is being dragged
    /** @type {import("./types").Sketch[]} */
    this.sketches = []; // arrows and rings that the user has drawn
    this.keepsSketches = false; // whether they belong to a note that is being written
    this.marksStates = false; // whether pieces that cannot move are marked
    this.allowsPremoves = true;
    this.cursor = 0;
  }

  // Sets an empty board for this variant and size.
  /** @param {import("../lib/ground.js").Ground} ground */
  setGround(ground) {
    this.ground = ground;
    this.cursor = Math.min(this.cursor, ground.centres.length - 1);
    const focused = this.host.contains(document.activeElement);
    this.host.replaceChildren(ground.svg);
    if (focused) this.focus();
    this.view = null;
  }

  focus() { this.ground?.button(this.cursor).focus(); }

  // Moves the focus to a square; ignores null.
  /** @param {number | null} square */
  walk(square) {
    if (square === null) return;
    this.ground.button(this.cursor).setAttribute("tabindex", "-1");
    this.cursor = square;
    this.ground.button(square).setAttribute("tabindex", "0");
    this.focus();
  }

  // ---------------------------------------------------------------- moves

  // Handles a click on a square, or a piece `dropped` there.
  /** @param {number} square */
  press(square, dropped = false) {
    if (!this.keepsSketches) this.sketches = [];
    if (this.view.premoves && this.allowsPremoves && this.premove.press(square, this.view)) {
      this.draw();
      this.handlers.premoved?.(this.premove);
    } else if (!this.sent) {
      this.act(this.entry.press(square, dropped));
    }
  }

  // Whether a move in advance can begin on a square.
  /** @param {number} square */
  premoves(square) { return this.allowsPremoves && this.view.premoves === true && Premove.owns(this.view, square); }

  // Draws an arrow between two squares, or a ring around one square; drawing it again removes it.
  /** @param {number[]} path @param {string} colour */
  sketch(path, colour) {
    const others = this.sketches.filter((other) => other.path.join() !== path.join());
    this.showSketches(others.length < this.sketches.length ? others : [...others, {path, colour}]);
    this.handlers.sketched?.(this.sketches);
  }

  /** @param {import("./types").Sketch[]} sketches */
  showSketches(sketches) {
    this.sketches = sketches;
    this.ground.layer("above", this.above());
  }

  // Plays a chain as far as it has been entered.
  finish() { if (this.entry.unfinished) this.act(this.entry.end()); }

  /** @param {string} piece */
  pick(piece) {
    this.entry.pick(piece);
    this.draw();
  }

  cancel() {
    this.entry.reset();
    this.premove.clear();
    this.handlers.premoved?.(this.premove);
    this.lifted = null;
    this.draw();
    this.handlers.changed?.();
  }

  /** @param {import("./entry.js").Pressed} pressed */
  act(pressed) {
    if (pressed.kind === "play") {
      this.commit(pressed.move, pressed.shown);
      return;
    }
    this.draw();
    this.handlers.changed?.();
    if (pressed.kind === "refused") this.handlers.refuse?.(pressed.from, pressed.to);
  }

  // Plays a move; `shown` is the part of its path that is already drawn.
  /** @param {import("./types").Legal} move @param {number[]} shown */
  async commit(move, shown) {
    const sent = this.sent = shown;
    this.entry.reset();
    this.draw();
    this.handlers.changed?.();
    if (!await this.handlers.play(move.text) && this.sent === sent) { // the server has rejected it
      this.sent = null;
      this.draw();
    }
  }

  // ---------------------------------------------------------------- drawing

  /** @param {View} view */
  show(view) {
    const another = this.view?.key !== view.key;
    const next = another && this.view && view.follows === this.view.key;
    const from = this.sent?.at(-1) ?? view.path?.[0];
    if (another) {
      this.sketches = [];
      this.entry.reset(view.legal);
      this.sent = null;
      this.lifted = null;
      this.ground.layer("drag", []);
    } else if (this.entry.legal.length !== view.legal.length) { // the user's turn has begun or ended
      this.entry.reset(view.legal);
    }
    this.view = view;
    this.draw();
    if (next) this.animate(from);
    else if (another) this.ground.layer("fading", []);
    this.handlers.changed?.();
    this.playPremove(view);
  }

  // Plays the move entered in advance, if it is legal now.
  /** @param {View} view */
  playPremove(view) {
    const taken = this.premove.take(view);
    if (!taken) return;
    if (taken.move) this.commit(taken.move, []);
    else if (taken.chosen !== undefined) this.act(this.entry.press(taken.chosen));
    else {
      this.draw();
      this.handlers.refuse?.(...taken.refused);
    }
  }

  draw() {
    const {view, ground} = this;
    const {men, dead} = this.preview();
    ground.layer("men", [...men].flatMap((piece, square) => (piece === "." ? [] : [
      ground.use(`man-${piece}`, square, {"data-on": square, ...(square === this.lifted ? {class: "lifted"} : {})})])));
    ground.layer("dead", dead.map(([piece, square]) => ground.use(`man-${piece}`, square, {class: "dying"})));
    ground.layer("marks", [...ground.marks(view), ...(view.partner === undefined ? [] : [ground.use(ground.svg.dataset.mark, view.partner)])]);
    ground.layer("states", stateMarks(this, men));
    ground.layer("targets", targetMarks(this));
    ground.layer("above", this.above());
    this.handlers.hands?.(this);
    find("title", ground.svg).textContent = view.title;
    find("desc", ground.svg).textContent = view.fen;
    this.label(men);
  }

  // Returns the pieces on the board while a move is being entered, and the pieces that it has captured so far.
  /** @returns {{men: string[], dead: [string, number][]}} */
  preview() {
    const men = [...this.view.men];
    const path = this.sent ?? this.entry.path;
    if (path.length < 2) return {men, dead: []};
    /** @type {[string, number][]} */
    const dead = (this.entry.exact(path)?.captures ?? []).map((square) => [men[square], square]);
    const piece = men[path[0]];
    men[path[0]] = ".";
    for (const [, square] of dead) men[square] = ".";
    men[path.at(-1)] = piece;
    return {men, dead};
  }

  // Returns the marks drawn over the pieces: the hint, arrows of lines, and the pieces that decided the game.
  above() {
    const {view, ground} = this;
    const found = (view.arrows ?? []).flatMap(({path, kind}) => ground.arrow(path, kind));
    if (view.hint) found.push(...ground.arrow(view.hint, "hint"));
    found.push(...this.sketches.flatMap(({path, colour}) => ground.arrow(path, `drawn ${colour}`)));
    for (const square of view.decisive ?? []) found.push(ground.at(square, "circle", {class: "decisive", r: 46}));
    return found;
  }

  /** @param {{path: number[], kind: string}[]} arrows */
  showArrows(arrows) {
    if (!this.view || JSON.stringify(this.view.arrows ?? []) === JSON.stringify(arrows)) return;
    this.view = {...this.view, arrows};
    this.ground.layer("above", this.above());
  }

  /** @param {string[]} men */
  label(men) {
    const {view, entry, ground} = this;
    const destinations = entry.destinations();
    const first = entry.starts();
    const killed = new Set(view.legal.map(({kill}) => kill));
    const places = new Set(view.legal.filter(({place}) => place).map(({square}) => square));
    for (const node of findAll(".square", ground.svg)) {
      const square = Number(node.dataset.square);
      const words = squareWords(squareName(square, ground.files), men[square], square, view, {
        canMove: first.has(square), canPlace: places.has(square), canBeCaptured: killed.has(square), selected: entry.path.at(-1) === square,
        way: destinations.get(square)});
      if (node.getAttribute("aria-label") !== words) node.setAttribute("aria-label", words);
      node.setAttribute("tabindex", square === this.cursor ? "0" : "-1");
      const ahead = this.premoves(square);
      node.classList.toggle("movable", first.has(square) || entry.path.at(-1) === square || ahead);
      node.classList.toggle("active", ahead || first.has(square) || killed.has(square) || destinations.has(square) || places.has(square));
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
      fading.finished.then(() => ghost.remove(), () => {}); // rejected if it was removed earlier
    }
  }
}
