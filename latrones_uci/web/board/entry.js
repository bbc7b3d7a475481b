// A move being entered: where the chosen squares can lead according to the server's legal moves. This module does not
// use the DOM, so that it can be tested without a browser.

/** @typedef {import("./types").Legal} Legal */

/** @param {number[]} path @param {number[]} prefix */
const startsWith = (path, prefix) => prefix.every((square, at) => path[at] === square);

// The effect of a press on a square: `play` has a move to play; `refused`: no legal move leads there (`from` is the chosen
// piece); `chosen` and `cleared` only need a redraw.
/** @typedef {{kind: "play", move: Legal} | {kind: "refused", from: number | null, to: number} | {kind: "chosen"} | {kind: "cleared"}} Pressed */

export class Entry {
  constructor() {
    /** @type {Legal[]} */
    this.legal = [];
    this.begin([]);
  }

  // Begins in another position, with its legal moves.
  /** @param {Legal[]} legal */
  begin(legal) {
    /** @type {number[] | null} */
    this.sent = null; // the drawn part of a move that the server has not confirmed yet
    this.reset(legal);
  }

  // Starts over, with new legal moves if given.
  /** @param {Legal[]} legal */
  reset(legal = this.legal) {
    this.legal = legal;
    /** @type {number[]} */
    this.path = []; // the squares so far
    /** @type {string | null} */
    this.place = null; // the piece picked from the hand
    /** @type {number | null} */
    this.lifted = null; // the square of a piece that is being dragged
  }

  // Whether a chain has been started and can be ended here.
  get unfinished() { return this.path.length > 1; }

  // Returns the legal move along exactly these squares.
  /** @param {number[]} path */
  exact(path) {
    return this.legal.find((move) => move.path?.length === path.length && startsWith(move.path, path));
  }

  // Returns the kinds of pieces that can be placed now, S and D.
  kinds() { return [...new Set(this.legal.map(({place}) => place).filter(Boolean))]; }

  // Returns the squares of the pieces that can move.
  starts() { return new Set(this.legal.filter(({path}) => path).map(({path}) => path[0])); }

  // Returns the next squares of the chosen piece, with the number of captures and whether the leg is a jump.
  /** @returns {Map<number, {captures: number, jump: boolean}>} */
  destinations() {
    const found = new Map();
    if (!this.path.length) return found;
    const at = this.path.length;
    const sofar = this.exact(this.path)?.captures?.length ?? 0;
    for (const {path} of this.legal) {
      if (!path || path.length <= at || !startsWith(path, this.path) || found.has(path[at])) continue;
      const leg = this.exact([...this.path, path[at]]);
      found.set(path[at], {captures: (leg?.captures?.length ?? 0) - sofar, jump: leg?.jump ?? false});
    }
    return found;
  }

  // Returns the squares on which the picked piece can be placed.
  places() {
    if (this.path.length || !this.place) return [];
    return this.legal.filter(({place}) => place === this.place).map(({square}) => square);
  }

  // Returns the pieces on the board as far as the move has been entered, and the pieces that it has captured so far.
  /** @param {string} before @returns {{men: string[], dead: [string, number][]}} */
  preview(before) {
    const men = [...before];
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

  // Handles a press on a square; `dropped`: a piece was dragged there.
  /** @param {number} square @param {boolean} dropped @returns {Pressed} */
  press(square, dropped = false) {
    const {legal, path} = this;
    const next = [...path, square];
    this.lifted = null;
    if (path.length && path.at(-1) === square) return this.end();
    if (path.length && legal.some((move) => move.path && startsWith(move.path, next))) {
      const goesOn = legal.some((move) => move.path && move.path.length > next.length && startsWith(move.path, next));
      if (!goesOn) return this.send(this.exact(next), dropped ? next : path);
      this.path = next;
      return {kind: "chosen"};
    }
    if (legal.some((move) => move.path?.[0] === square)) {
      this.path = [square];
      return {kind: "chosen"};
    }
    const kinds = this.kinds();
    const piece = this.place ?? (kinds.length === 1 ? kinds[0] : null);
    const move = legal.find(({kill}) => kill === square) ??
      legal.find((one) => one.place && one.place === piece && one.square === square);
    if (move) return this.send(move);
    this.path = [];
    return {kind: "refused", from: path[0] ?? null, to: square};
  }

  // Plays a chain as far as it has been entered, or clears the choice of a piece.
  /** @returns {Pressed} */
  end() {
    const move = this.unfinished ? this.exact(this.path) : undefined;
    if (move) return this.send(move, this.path);
    this.path = [];
    return {kind: "cleared"};
  }

  // Waits for the server's answer to a move; `drawn` is the part of its path that the board shows until then.
  /** @param {Legal} move @param {number[]} drawn @returns {Pressed} */
  send(move, drawn = []) {
    this.reset();
    this.sent = drawn;
    return {kind: "play", move};
  }

  // Takes back what was sent, because the server has rejected it; returns whether it was still waiting.
  /** @param {number[]} sent */
  takeBack(sent) {
    if (this.sent !== sent) return false;
    this.sent = null;
    return true;
  }

  // Picks a kind of piece from the hand, or puts it back.
  /** @param {string} piece */
  pick(piece) {
    this.path = [];
    this.place = this.place === piece ? null : piece;
  }

  // ---------------------------------------------------------------- dragging

  // Whether the piece on a square can move now.
  /** @param {number} square */
  moves(square) { return this.path.at(-1) === square || this.starts().has(square); }

  // Takes up a piece to drag it: from a square, which chooses it if it can move now, or a kind of piece from the hand.
  /** @param {number | null} square @param {string | undefined} kind */
  lift(square, kind) {
    this.lifted = square;
    if (kind) [this.path, this.place] = [[], kind];
    else if (this.path.at(-1) !== square && this.moves(square)) this.path = [square];
  }

  // Puts a dragged piece down where it cannot move; back on its own square, it stays chosen.
  /** @param {number | null} from @param {number | null} to @returns {Pressed} */
  drop(from, to) {
    const [chosen = null] = this.path;
    this.lifted = null;
    if (to === from) return {kind: "chosen"};
    this.place = null;
    if (!this.unfinished) this.path = [];
    return to === null ? {kind: "cleared"} : {kind: "refused", from: chosen, to};
  }
}
