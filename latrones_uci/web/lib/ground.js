// The empty board that the server has drawn, with layers for drawing and, to play on it, a button for each square.

import {drawn, find, kindsHeld, loadDrawing} from "./dom.js";

export const DRAG_PX = 6; // a pointer that moves less has been clicked
const LAYERS = ["fading", "states", "dead", "targets", "above", "squares", "drag"];
const ARROW = {tip: 34, half: 20, gap: 16}; // the head of an arrow, and how far from the centre it ends; as in game/svg.py

// Returns the number of the square that an element or the point of an event is on, null if there is none.
/** @param {Element | null} target @returns {number | null} */
export function squareOf(target) {
  const node = /** @type {any} */ (target?.closest("[data-square]"));
  return node ? Number(node.dataset.square) : null;
}

/** @param {{clientX: number, clientY: number}} event @param {Element} within */
export function squareAt({clientX, clientY}, within = document.body) {
  const target = document.elementFromPoint(clientX, clientY);
  return target && within.contains(target) ? squareOf(target) : null;
}

export class Ground {
  // `files` is the number of files, `flipped` whether Black is at the bottom, `playable` whether squares are buttons.
  /** @param {SVGSVGElement} svg @param {number} files @param {boolean} flipped */
  constructor(svg, files, flipped, playable = true) {
    this.svg = svg;
    this.files = files;
    this.flipped = flipped;
    this.centres = this.points("centres");
    if (!playable) return;
    svg.setAttribute("role", "group");
    for (const name of LAYERS) svg.append(drawn("g", {class: `board-${name}`}));
    find(".board-men", svg).before(find(".board-fading", svg));
    const wheel = svg.dataset.mark === "mark-wheel";
    this.layer("squares", this.centres.map(([x, y], square) => drawn(wheel ? "circle" : "rect", {
      ...(wheel ? {cx: x, cy: y, r: 54} : {x: x - 50, y: y - 50, width: 100, height: 100}),
      class: "square", role: "button", tabindex: "-1", "data-square": square})));
  }

  /** @param {string} address @param {number} files @param {boolean} flipped */
  static async load(address, files, flipped) {
    return new Ground(await loadDrawing(address), files, flipped);
  }

  get aspect() { return String(this.svg.viewBox.baseVal.width / this.svg.viewBox.baseVal.height); }

  /** @param {string} name @returns {number[][]} */
  points(name) {
    return this.svg.dataset[name].split(" ").filter(Boolean).map((pair) => pair.split(",").map(Number));
  }

  /** @param {string} name @param {Element[]} children */
  layer(name, children) { find(`.board-${name}`, this.svg).replaceChildren(...children); }

  /** @param {number} square @returns {SVGElement} */
  button(square) { return find(`[data-square="${square}"]`, this.svg); }

  // Returns the square to which an arrow key leads, null if it is off the board, undefined for another key.
  /** @param {number} square @param {string} key */
  beside(square, key) {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[key];
    if (!step) return undefined;
    const [files, ranks] = step;
    const turned = this.flipped ? -1 : 1;
    const file = square % this.files + turned * files;
    const other = square + turned * (files + ranks * this.files);
    return file < 0 || file >= this.files || other < 0 || other >= this.centres.length ? null : other;
  }

  // Converts the position of a pointer event to drawing coordinates.
  /** @param {PointerEvent} event */
  pointOf(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  // ---------------------------------------------------------------- shapes

  // Returns a symbol (a piece or mark) on a square.
  /** @param {string} name @param {number} square @param {import("./types").Attributes} more */
  use(name, square, more = {}) {
    const [x, y] = this.centres[square];
    return drawn("use", {href: `#${name}`, x, y, ...more});
  }

  // Returns a shape centred on a square.
  /** @param {number} square @param {string} name @param {import("./types").Attributes} attributes */
  at(square, name, attributes) {
    const [x, y] = this.centres[square];
    return drawn(name, {transform: `translate(${x} ${y})`, ...attributes});
  }

  /** @param {number[]} path @param {string} name */
  track(path, name) {
    return drawn("path", {class: name, d: `M${path.map((square) => this.centres[square].join(" ")).join("L")}`});
  }

  // Returns an arrow along squares, or a ring around a single one.
  /** @param {number[]} path @param {string} kind */
  arrow(path, kind) {
    if (path.length < 2 || path.at(-1) === path.at(-2)) return [this.at(path[0], "circle", {class: `arrow ${kind}`, r: 45})];
    const points = path.map((square) => this.centres[square]);
    const [[fromX, fromY], [toX, toY]] = points.slice(-2);
    const length = Math.hypot(toX - fromX, toY - fromY);
    const [across, down] = [(toX - fromX) / length, (toY - fromY) / length];
    const [tipX, tipY] = [toX - across * ARROW.gap, toY - down * ARROW.gap];
    const [baseX, baseY] = [tipX - across * ARROW.tip, tipY - down * ARROW.tip];
    const line = [...points.slice(0, -1), [baseX, baseY]].map((point) => point.join(" ")).join("L");
    const [sideX, sideY] = [down * ARROW.half, across * ARROW.half];
    return [drawn("path", {class: `arrow ${kind}`, d: `M${line}`}), drawn("path", {class: `arrow-head ${kind}`,
      d: `M${tipX} ${tipY}L${baseX - sideX} ${baseY + sideY}L${baseX + sideX} ${baseY - sideY}Z`})];
  }

  // ---------------------------------------------------------------- positions

  // Draws a position and its last move; nothing of it can be played.
  /** @param {import("./types").Figure} figure */
  show(figure) {
    this.layer("men", [...figure.men].flatMap((piece, at) => (piece === "." ? [] : [this.use(`man-${piece}`, at)])));
    this.layer("marks", this.marks(figure));
    this.layer("hands", this.hands(figure.hand));
    this.layer("turn", figure.over ? [] : this.turn(figure.side));
    find("title", this.svg).textContent = figure.title;
    find("desc", this.svg).textContent = figure.fen;
  }

  // Returns the marks of the last move.
  /** @param {{path: number[] | null, captures: number[], men: string}} move */
  marks({path, captures, men}) {
    if (!path) return [];
    const children = [...new Set(path)].map((square) => this.use(this.svg.dataset.mark, square));
    if (path.length > 1) {
      children.push(this.track(path, "board-track"));
      children.push(this.use("mark-origin", path[0]));
    }
    const emptied = captures.filter((square) => men[square] === ".");
    return [...children, ...emptied.map((square) => this.use("mark-captured", square))];
  }

  // Returns the pieces in hand, where the drawing has a place for them.
  /** @param {import("./types").Hand} hand */
  hands(hand) {
    return this.points("hands").flatMap(([x, y], side) => kindsHeld(hand, side).flatMap((piece, at) => {
      const left = x + 220 * at;
      return [
        drawn("use", {href: `#man-${piece}`, transform: `translate(${left} ${y}) scale(.75)`}),
        drawn("text", {class: "board-count", x: left + 46, y: y + 14}, `\u00d7${hand[piece]}`),
      ];
    }));
  }

  // Returns the mark of the player to move, where the drawing has a place for it.
  /** @param {number} side */
  turn(side) {
    if (!this.points("turns").length) return [];
    const [x, y] = this.points("turns")[side];
    return [drawn("use", {href: side ? "#man-s" : "#man-S", transform: `translate(${x} ${y}) scale(.42)`})];
  }
}
