// Learning from the mistakes of a reviewed game: one after the other, the user looks for a better move, and each try
// gets a verdict. A tried move is a variation; the server compares it with the best one.

import {write} from "../lib/display.js";
import {find, SIDES} from "../lib/dom.js";
import {mistakesOf} from "./words.js";

/** @typedef {import("./types").ReviewData} ReviewData */
/** @typedef {import("./types").Attempt} Attempt */
/** @typedef {import("./types").Page} Page */

/** @type {{review: ReviewData, plies: number[], at: number, found: Set<number>, shows: boolean} | null} */
let course = null; // the mistakes by the ply of each, the number of the current one, and whether its best move is shown
/** @type {Attempt | null} */
let attempt = null; // the verdict on the last tried move

const host = find(".learn");
/** @param {string} name @returns {HTMLButtonElement} */
const button = (name) => find(`[data-do="${name}"]`, host);
const ply = () => course.plies[course.at];
const move = () => course.review.moves[ply() - 1];

export const isLearning = () => course !== null;

// Whether a move now is a try: the position before the current mistake is displayed.
/** @param {Page} page */
export const isTask = (page) => course !== null && page.node === null && page.ply === ply() - 1;

/** @param {Page} page */
const isTried = (page) => attempt !== null && attempt.ply === ply() - 1 &&
  (attempt.node === null ? page.node === null && page.ply === ply() : page.node === attempt.node);

/** @param {Attempt | null} data */
export function takeAttempt(data) {
  attempt = data;
  if (course && data?.solved && data.ply === ply() - 1) course.found.add(ply());
}

// Returns the arrows of the task: the best move, if the user has asked for it, or the reply that refutes a try.
/** @param {Page} page @returns {{path: number[], kind: string}[]} */
export function learningArrows(page) {
  if (course && isTask(page)) return course.shows ? [{path: move().path, kind: "best"}] : [];
  return course && isTried(page) && attempt.reply?.length ? [{path: attempt.reply, kind: "threat"}] : [];
}

// Shows the task, or the button that begins it if the finished review of this game has mistakes.
/** @param {Page} page */
export function showLearning(page) {
  const {review, state} = page;
  const plies = review?.moves && review.plies === state.plies.length ? mistakesOf(review, state) : [];
  if (course && course.review !== review) course = null;
  host.hidden = !plies.length;
  find(".analysis").classList.toggle("learning", course !== null);
  for (const name of ["try-again", "best", "next-mistake", "stop-learning"]) button(name).hidden = !course;
  button("learn").hidden = course !== null;
  find(".task", host).hidden = find(".told", host).hidden = !course;
  if (!course) {
    write(button("learn"), `Learn from ${plies.length === 1 ? "the mistake" : `${plies.length} mistakes`}`);
    return;
  }
  const last = course.at === course.plies.length - 1;
  const {note, number, mover} = state.plies[ply() - 1];
  write(find(".task b", host), `Mistake ${course.at + 1} of ${course.plies.length}:`);
  write(find(".task span", host), `move ${number}, ${note}${move().mark}: ${[move().lost, move().fault].filter(Boolean).join(" and ")}. Find a better move for ${SIDES[mover]}.`);
  write(find(".told", host), toldOf(page, last));
  find(".told", host).classList.toggle("right", isTried(page) && attempt.solved);
  button("try-again").disabled = isTask(page) && !course.shows;
  write(button("best"), course.shows && isTask(page) ? "Add line" : "Best move");
  button("next-mistake").disabled = last;
  button("next-mistake").classList.toggle("main", course.found.has(ply()) && !last);
}

/** @param {Page} page @param {boolean} last */
function toldOf(page, last) {
  if (isTask(page)) return course.shows ? bestText(move()) : "Your move on the board.";
  if (!isTried(page)) return "Try again leads back to the task.";
  return attempt.text + (last && attempt.solved ? ` You found ${course.found.size} of ${course.plies.length}.` : "");
}

// Names the best move, why it is the best, and how the game could have gone on.
/** @param {import("./types").ReviewedMove} reviewed */
const bestText = ({best, why, line}) => `Best was ${best}${why ? `: it ${why}` : ""}.${line?.length > 1 ? ` It could go on ${line.slice(1).join(" ").replaceAll("-", "\u2011")}.` : ""}`;

// Returns the actions of the buttons; `look(ply)` goes to a position, `focus()` to the board, and
// `enter(moves)` adds a line.
/** @param {Page} page @param {{look: (ply: number) => Promise<void>, focus: () => void, show: () => Promise<void>, prepare: () => Promise<void>, enter: (moves: string[]) => any}} actions */
export function learning(page, {look, focus, show, prepare, enter}) {
  /** @param {number} at */
  async function begin(at) {
    course = {...course, at, shows: false};
    attempt = null;
    await look(ply() - 1);
    await show(); // the position may have been displayed already
    focus();
  }
  return {
    learn: async () => {
      await prepare();
      course = {review: page.review, plies: mistakesOf(page.review, page.state), at: 0, found: new Set(), shows: false};
      return begin(0);
    },
    "try-again": () => begin(course.at),
    best: async () => {
      if (course.shows && isTask(page)) return enter(move().moves ?? []); // a review of an earlier version has no line
      course.shows = true;
      await look(ply() - 1);
      return show();
    },
    "next-mistake": () => begin(course.at + 1),
    "stop-learning": () => {
      course = null;
      focus();
      return show();
    },
  };
}
