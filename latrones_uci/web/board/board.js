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
    /** @type {import("./types").Sketch[]} */
    this.sketches = []; // arrows and rings that the user has drawn
    this.keepsSketches = false; // whether they belong to a note that is being written
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

  // Takes no more moves in the position that is shown, as another game comes.
  wait() {
    this.entry.begin([]);
    if (this.view) this.draw();
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
    if (!dropped) this.cursor = square;
    if (!this.keepsSketches) this.sketches = [];
    if (this.view.premoves && this.premove.press(square, this.view)) {
      this.draw();
      this.handlers.premoved?.(this.premove);
    } else if (!this.entry.sent) {
      this.act(this.entry.press(square, dropped));
    }
  }

  // Whether a move in advance can begin on a square.
  /** @param {number | null} square */
  premoves(square) { return square !== null && this.view.premoves === true && Premove.owns(this.view, square); }

  // Whether the piece on a square can be dragged now.
  /** @param {number | null} square */
  canLift(square) { return square !== null && !this.entry.sent && this.entry.moves(square) || this.premoves(square); }

  // Takes up a piece to drag it, from a square or of a kind in the hand; returns the piece.
  /** @param {number | null} square @param {string | undefined} kind */
  lift(square, kind) {
    if (!kind && !this.entry.moves(square)) {
      this.premove.clear();
      this.press(square, true);
    }
    this.entry.lift(square, kind);
    this.act({kind: "chosen"});
    if (kind) return this.view.side ? kind.toLowerCase() : kind;
    return this.entry.preview(this.view.men).men[square];
  }

  // Puts a dragged piece down; `from` is its square, null if it is from the hand, and `to` is null outside of the board.
  /** @param {number | null} from @param {number | null} to */
  drop(from, to) {
    const isAhead = from !== null && this.premove.from === from;
    this.ground.layer("drag", []);
    if (to !== null && to !== from && (isAhead || from === null || this.entry.destinations().has(to))) this.press(to, true);
    else if (isAhead && to === null) this.cancel();
    else this.act(this.entry.drop(from, to));
  }

  // Draws an arrow between two squares, or a ring around one square; drawing it again removes it.
  /** @param {number[]} path @param {string} colour */
  sketch(path, colour) {
    const others = this.sketches.filter((other) => other.path.join() !== path.join());
    this.showSketches(others.length < this.sketches.length ? others : [...others, {path, colour}]);
    this.handlers.sketched?.(this.sketches);
  }

  // Shows arrows and rings; `keeps`: they stay until they are shown anew, because a note with them is being written.
  /** @param {import("./types").Sketch[]} sketches */
  showSketches(sketches, keeps = this.keepsSketches) {
    [this.sketches, this.keepsSketches] = [sketches, keeps];
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
    this.act({kind: "cleared"});
  }

  // Shows the effect of a press, and plays the move if it has one.
  /** @param {import("./entry.js").Pressed} pressed */
  async act(pressed) {
    const {entry, handlers} = this;
    const {sent} = entry;
    this.draw();
    handlers.changed?.();
    if (pressed.kind === "refused") handlers.refuse?.(pressed.from, pressed.to);
    else if (pressed.kind === "play" && !await handlers.play(pressed.move.text) && entry.takeBack(sent)) this.draw();
  }

  // ---------------------------------------------------------------- drawing

  /** @param {View} view */
  show(view) {
    const another = this.view?.key !== view.key;
    const next = another && this.view && view.follows === this.view.key;
    const from = this.entry.sent?.at(-1) ?? view.path?.[0];
    if (another) {
      this.sketches = [];
      this.entry.begin(view.legal);
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
    if (taken.move) this.act(this.entry.send(taken.move));
    else if (taken.chosen !== undefined) this.act(this.entry.press(taken.chosen));
    else {
      this.draw();
      this.handlers.refuse?.(...taken.refused);
    }
  }

  draw() {
    const {view, ground, entry} = this;
    const {men, dead} = entry.preview(view.men);
    ground.layer("men", [...men].flatMap((piece, square) => (piece === "." ? [] : [
      ground.use(`man-${piece}`, square, {"data-on": square, ...(square === entry.lifted ? {class: "lifted"} : {})})])));
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
        leg: destinations.get(square)});
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
      const slide = [{transform: `translate(${x - endX}px, ${y - endY}px)`}, {transform: "none"}];
      piece.animate(slide, {duration: SLIDE_MS, easing: "ease-out"});
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
