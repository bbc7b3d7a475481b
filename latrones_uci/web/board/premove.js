// A move that is entered while the opponent is to move, and played as soon as it is legal. Does not use the DOM.

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Legal} Legal */

export class Premove {
  constructor() { this.clear(); }

  clear() {
    /** @type {number | null} */
    this.from = null; // the chosen piece
    /** @type {string | null} */
    this.place = null; // or the kind of piece to place
    /** @type {number | null} */
    this.to = null;
    this.ply = -1; // the number of plies when it was entered
    this.record = ""; // in this game
  }

  get complete() { return this.to !== null; }

  // Returns the squares to mark.
  path() { return [this.from, this.to].filter((square) => square !== null); }

  // Whether the piece on a square belongs to the waiting player.
  /** @param {View} view @param {number} square */
  static owns(view, square) {
    const piece = view.men[square];
    return piece !== "." && !"Bb".includes(piece) && (piece === piece.toLowerCase()) === (view.side === 0);
  }

  // Handles a press on a square; returns whether it changed anything.
  /** @param {number} square @param {View} view */
  press(square, view) {
    const held = [...(view.side ? "SD" : "sd")].find((piece) => view.hand[piece]);
    const {from, complete} = this;
    if (complete || from === square) {
      this.clear();
      if (from === square || !Premove.owns(view, square)) return true;
    }
    if (this.from === null && held && view.men[square] === ".") {
      this.place = held.toUpperCase();
      this.to = square;
    } else if (this.from !== null && !Premove.owns(view, square)) {
      this.to = square;
    } else if (Premove.owns(view, square)) {
      this.from = square;
    } else {
      return false;
    }
    this.ply = view.ply;
    this.record = view.record;
    return true;
  }

  // Returns what to do now that these moves are legal: play a `move`, report it as `refused` because it is not legal,
  // keep only a piece as `chosen`, or null for nothing. The premove is used up.
  /** @param {View} view @returns {{move?: Legal, refused?: [number | null, number], chosen?: number} | null} */
  take(view) {
    const {from, to, place, ply, record} = this;
    if (record !== view.record || view.ply <= ply || view.over) {
      if (record !== view.record || view.ply < ply || view.over) this.clear(); // another game, a move taken back, the end
      return null;
    }
    if (!view.legal.length) return null;
    this.clear();
    if (to === null) return from !== null && view.legal.some(({path}) => path?.[0] === from) ? {chosen: from} : null;
    const move = view.legal.find((one) => (place === null ? one.path?.length === 2 && one.path[0] === from && one.path[1] === to
      : one.place === place && one.square === to));
    return move ? {move} : {refused: [from, to]};
  }
}
