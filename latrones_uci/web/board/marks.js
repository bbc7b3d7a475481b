// The marks on a board: pieces that cannot move, destinations of the chosen piece, and a move entered in advance.

/** @typedef {import("./board.js").Board} Board */

// Returns the marks of pieces that cannot move, if the user wants them.
/** @param {Board} board @param {string[]} men */
export function stateMarks({ground, view}, men) {
  if (!view.states) return [];
  /** @param {number} square */
  const standing = (square) => men[square] !== ".";
  return [
    ...view.surrounded.filter(standing).map((square) => ground.at(square, "circle", {class: "surrounded", r: 46})),
    ...view.immobile.filter(standing).map((one) => ground.at(one, "path", {class: "immobile", d: "M-22 43H22"})),
  ];
}

// Returns the marks of possible moves: the chosen piece and its destinations, placements and kills.
/** @param {Board} board */
export function targetMarks({view, entry, ground, premove}) {
  /** @type {Element[]} */
  const found = [];
  /** @type {(square: number, name: string, attributes: import("./types").Attributes) => void} */
  const mark = (square, name, attributes) => { found.push(ground.at(square, name, attributes)); };
  const ahead = premove.record === view.record ? premove.path() : [];
  for (const square of ahead) mark(square, "circle", {class: "ahead", r: 47});
  if (ahead.length > 1) found.push(...ground.arrow(ahead, "premove"));
  if (!view.legal.length) return found;
  for (const {kill} of view.legal) if (kill !== undefined) mark(kill, "circle", {class: "kill", r: 45});
  if (entry.path.length) mark(entry.path.at(-1), "circle", {class: "chosen", r: 47});
  for (const [square, {captures, jump}] of entry.destinations()) {
    if (captures) mark(square, "circle", {class: "target-ring", r: 30});
    if (jump) mark(square, "path", {class: "target", d: "M0 -20 19 14H-19Z"});
    else mark(square, "circle", {class: "target", r: 13});
  }
  for (const square of entry.places()) mark(square, "circle", {class: "target place", r: 9});
  return found;
}
