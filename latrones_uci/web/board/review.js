// The review of a game: a graph of the evaluation, the verdict on a move, and the accuracy of each side.

import {revealCurrent, scoreWords, shareOf} from "../lib/display.js";
import {drawn, element, find, SIDES} from "../lib/dom.js";
import {plyOf} from "./view.js";
import {movesText} from "./words.js";

const WIDTH = 360;
const HEIGHT = 84;
/** @type {[string, string][]} */ // each with its name, singular and plural
const MARKS = [["?!", "inaccuracy inaccuracies"], ["?", "mistake mistakes"], ["??", "blunder blunders"]];

/** @typedef {import("./types").ReviewData} ReviewData */
/** @type {{review: ReviewData, ply: number, scored: boolean} | null} */
let drawnFor = null; // what is displayed

/** @param {ReviewData} review @param {number} ply @param {boolean} scored */
export function verdict(review, ply, scored) {
  const move = review.moves?.[ply - 1];
  if (!move?.mark) return "";
  const name = {"?!": "Inaccuracy", "?": "Mistake", "??": "Blunder", "!": "Good move", "!!": "Excellent move", "!?": "Interesting move"}[move.mark];
  const score = review.scores[ply];
  return `${name}${score === null || !scored ? "" : ` (${scoreWords(score)})`}${move.lost ? `: ${[move.lost, move.fault].filter(Boolean).join(" and ")}` : ""}. Best was ${move.best}${move.why ? `: it ${move.why}` : ""}.`;
}

// Shows a review or its progress if it belongs to this game; `look(ply)` goes to a ply, `retry(move)` plays from before a
// reviewed move. While the analysis shows a score, the verdict has none.
/** @param {import("./types").Page} page @param {{look: (ply: number) => void, retry: (move: import("./types").ReviewedMove) => void}} actions */
export function showReview(page, {look, retry}) {
  const {review, state} = page;
  const ply = plyOf(page);
  const scored = !page.analysis.wanted;
  const host = find(".review");
  const told = find(".verdict");
  const fits = review?.plies === state.plies.length && review.plies > 0;
  host.hidden = !fits;
  if (!fits) {
    told.hidden = true;
    drawnFor = null;
    return;
  }
  if (drawnFor?.review === review && drawnFor.ply === ply && drawnFor.scored === scored) return; // redrawing would swallow a click
  drawnFor = {review, ply, scored};
  const text = verdict(review, ply, scored);
  told.hidden = !text;
  if (!review.moves) {
    host.replaceChildren(element("p", {role: "status"}, review.problem ?? progress(review, state.plies)));
    return;
  }
  const again = element("button", {type: "button", "data-retry": ""}, "Play on from here (new game)");
  again.addEventListener("click", () => retry(review.moves[ply - 1]));
  told.replaceChildren(text, " ", again);
  host.replaceChildren(graph(review, ply, look), ...SIDES.map((name, side) => summary(review, state, name, side)),
    ...(review.fortress ? [element("p", {class: "fortress"}, review.fortress)] : []));
  revealCurrent(); // the list has become shorter
}

/** @param {ReviewData} review @param {import("./types").Ply[]} plies */
function progress({done}, plies) {
  /** @param {number} count */
  const moves = (count) => (count ? plies[count - 1].number - plies[0].number + 1 : 0);
  return `Reviewing: ${moves(done)} of ${movesText(moves(plies.length))}\u2026`;
}

/** @param {ReviewData} review @param {import("./types").State} state @param {string} name @param {number} side */
function summary(review, state, name, side) {
  const own = review.moves.filter((_, at) => state.plies[at].mover === side);
  const found = MARKS.map(([sign, words]) => ({sign, count: own.filter((move) => move.mark === sign).length, words}))
    .filter(({count}) => count);
  const told = found.map(({count, words}) => `${count} ${words.split(" ")[count === 1 ? 0 : 1]}`).join(", ");
  return element("p", {title: told}, element("b", {}, `${name} ${review.accuracy[side] ?? "\u2013"}%`), element("span", {class: "quiet"}, " accuracy"),
    element("span", {class: "counts quiet", "aria-hidden": "true"}, ...found.flatMap(({count, sign}) => [` ${count} `, element("span", {class: "sign"}, sign)])),
    element("span", {class: "unseen"}, told && `, ${told}`));
}

/** @param {ReviewData} review @param {number} ply @param {(ply: number) => void} look */
function graph(review, ply, look) {
  const last = review.scores.length - 1;
  /** @param {number} at */
  const x = (at) => (last ? at / last * WIDTH : 0);
  const y = review.scores.map((score) => HEIGHT * (1 - shareOf(score) / 100));
  const line = y.map((height, at) => `${x(at).toFixed(1)} ${height.toFixed(1)}`).join("L");
  const marks = review.moves.flatMap(({mark: sign}, at) => (sign.startsWith("?") && sign !== "?!"
    ? [drawn("circle", {cx: x(at + 1), cy: y[at + 1], r: 4, class: sign === "??" ? "blunder" : "mistake"})] : []));
  const svg = drawn("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "graph", role: "img", preserveAspectRatio: "none",
    "aria-label": "Evaluation of each position; White is better above the middle"},
  drawn("path", {class: "area", d: `M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}Z`}), drawn("path", {class: "middle", d: `M0 ${HEIGHT / 2}H${WIDTH}`}),
  drawn("path", {class: "curve", d: `M${line}`}), drawn("path", {class: "here", d: `M${x(ply)} 0V${HEIGHT}`}), ...marks);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    look(Math.round((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width * last));
  });
  return svg;
}
