// The dialog with puzzles: the choice of one by game and theme, and what was solved, which the browser keeps. This module
// is loaded when the dialog is opened first.

import {find, onClick, options} from "../lib/dom.js";
import {write} from "../lib/display.js";
import {load} from "../lib/tabs.js";
import {board, dialog, PuzzleView, say} from "./puzzle.js";
import {nameDialog} from "./address.js";
import {stored} from "./session.js";
import {advance} from "./tutorial.js";

const KEPT = "latrones-puzzles"; // the storage key of what was solved
/** @type {[string, string][]} */
const THEMES = [["win", "Win by force"], ["shut-in", "Shut in the dux"], ["double-capture", "Double capture"],
  ["capture", "Capture"], ["save-dux", "Save the dux"], ["escape", "Escape a loss"], ["defend", "Defend"]];

/** @type {{solved: Record<string, "alone" | "helped">, streak: number, best: number}} */
const kept = {solved: {}, streak: 0, best: 0, ...stored(KEPT)};
/** @type {import("./types").PuzzleList | null} */
let list = null; // the puzzles of the chosen game
/** @type {PuzzleView | null} */
let current = null;
let analyse = /** @type {(game: {variant: string, fen: string}) => any} */ (() => {});

/** @param {string} name @returns {HTMLSelectElement} */
const field = (name) => find(`[name="puzzle-${name}"]`, dialog);

/** @param {Pick<import("./types").PuzzleEntry, "id">} entry */
const numberOf = ({id}) => id.split(" ").at(-1); // its number in the address, which stays when others are removed

// Shows puzzles, at first of a game; `onAnalyse` opens a position on the page. With `number`, shows that puzzle; throws why
// there is none.
/** @param {string} variant @param {typeof analyse} onAnalyse @param {string} number */
export async function openPuzzles(variant, onAnalyse, number = "") {
  analyse = onAnalyse;
  dialog.showModal();
  if (!list || number && list.variant !== variant) await choose(variant, number !== "");
  else showCount();
  board.focus();
  if (!number || !list) return;
  const at = list.variant === variant ? list.puzzles.findIndex((entry) => numberOf(entry) === number) : -1;
  if (at >= 0) {
    field("theme").value = "";
    await show(at);
    return;
  }
  dialog.close();
  throw new Error(list.variant === variant ? `no such puzzle of ${variant}; expected a number such as ${numberOf(list.puzzles[0])}`
    : `no puzzles of ${variant}; expected one of ${list.games.map(({name}) => name).join(", ")}`);
}

/** @param {string} variant @param {boolean} isGiven whether a puzzle is shown afterwards */
async function choose(variant, isGiven = false) {
  try {
    list = await load(`puzzles.json?variant=${encodeURIComponent(variant)}`);
  } catch ({message}) {
    say(message);
    return;
  }
  field("game").replaceChildren(...options(list.games.map(({name, title}) => [name, title]), list.variant));
  const present = new Set(list.puzzles.flatMap(({themes}) => themes));
  field("theme").replaceChildren(...options([["", "All themes"], ...THEMES.filter(([name]) => present.has(name))]));
  if (!isGiven) await showList();
}

/** @returns {number[]} the numbers of the puzzles of the chosen theme */
const chosen = () => list.puzzles.flatMap(({themes}, number) => (!field("theme").value || themes.includes(field("theme").value) ? [number] : []));

// Lists the puzzles of the theme, and shows the first that is not solved.
async function showList() {
  const numbers = chosen();
  await show(numbers.find((number) => !kept.solved[list.puzzles[number].id]) ?? numbers[0]);
}

function showCount() {
  const numbers = chosen();
  field("number").replaceChildren(...options(numbers.map((number, at) => {
    const mark = {alone: " \u2713", helped: " (with help)"}[kept.solved[list.puzzles[number].id]] ?? "";
    return [number, `${at + 1} of ${numbers.length}${mark}`];
  })));
  if (current) field("number").value = String(current.number);
  const solved = numbers.filter((number) => kept.solved[list.puzzles[number].id] === "alone").length;
  const rating = current?.entry.rating;
  write(find(".count", dialog), `${rating ? `Rating of this puzzle: ${rating}. ` : ""}Solved ${solved} of ${numbers.length} without help. Streak ${kept.streak}, best ${kept.best}.`);
}

/** @param {number} number */
function show(number) {
  current = new PuzzleView(list.variant, number, list.puzzles[number], note);
  showCount();
  nameDialog(dialog, "puzzle", current.variant, numberOf(current.entry));
  return current.begin();
}

// Keeps what became of the displayed puzzle.
/** @param {"failed" | "finished" | "shown"} what */
function note(what) {
  const {entry: {id}, clean} = current;
  const before = kept.solved[id];
  if (what === "failed") kept.streak = 0;
  else if (before !== "alone") kept.solved[id] = what === "finished" && clean ? "alone" : "helped";
  if (what === "finished" && clean && before !== "alone") kept.best = Math.max(kept.best, ++kept.streak);
  if (what === "finished" && !before) advance(current.variant, ({solved}) => ({solved: solved + 1}));
  localStorage.setItem(KEPT, JSON.stringify(kept));
  showCount();
}

// Shows the next puzzle of the theme, the first after the last.
function next() {
  const numbers = chosen();
  show(numbers[(numbers.indexOf(current.number) + 1) % numbers.length]).then(() => board.focus());
}

field("game").addEventListener("change", () => choose(field("game").value));
field("theme").addEventListener("change", showList);
field("number").addEventListener("change", () => show(Number(field("number").value)));
onClick(dialog, {
  "puzzle-hint": () => current?.hint(),
  "puzzle-solve": () => current?.solve(),
  "puzzle-retry": () => current?.retry(),
  "puzzle-finish": () => board.finish(),
  "puzzle-next": () => current && next(),
  "puzzle-analyse": () => {
    if (!current) return;
    dialog.close();
    analyse({variant: current.variant, fen: current.start.fen});
  },
});
