// The tutorial: three steps above the board lead a newcomer from the rules over puzzles to a first game won. The browser
// keeps how far one has come in each game, and whether the steps are shown.

import {write} from "../lib/display.js";
import {element, find, findAll} from "../lib/dom.js";
import {showMessage} from "./advice.js";
import {stored} from "./session.js";
import {page} from "./state.js";
import {tutorialText} from "./words.js";

const KEPT = "latrones-way"; // the storage key of the progress
const PUZZLES = 3; // to solve
const strip = find(".tutorial");

/** @typedef {{tried: string[], lessons: number, solved: number, won: boolean}} Progress */
/** @type {{shown: boolean | null, games: Record<string, Progress>}} `shown` is null until the server has said who comes */
const kept = {shown: null, games: {}, ...stored(KEPT)};
/** @type {Set<string>} */
let withPuzzles = new Set(); // the games that have puzzles
let weakest = ""; // level

/** @param {string} variant @returns {Progress} */
export const progressOf = (variant) => ({tried: [], lessons: 0, solved: 0, won: false, ...kept.games[variant]});

/** @typedef {{name: string, label: string, count: string, onward: string, done: boolean}} Step */
/** @param {string} variant @returns {Step[]} */
function stepsOf(variant) {
  const {tried, lessons, solved, won} = progressOf(variant);
  const steps = [
    {name: "rules", label: "Rules", count: lessons ? `${tried.length}/${lessons}` : "", onward: "", done: lessons > 0 && tried.length >= lessons},
    {name: "puzzles", label: "Puzzles", count: `${Math.min(solved, PUZZLES)}/${PUZZLES}`, onward: "Next: three puzzles", done: solved >= PUZZLES},
    {name: "first-game", label: "First game", count: "", onward: "Next: a first game", done: won}];
  return steps.filter(({name}) => name !== "puzzles" || withPuzzles.has(variant));
}

// Sets what is known of the visitor, and leads from the end of a dialog to the next step.
/** @param {import("./types").Choices} choices @param {Record<string, () => any>} actions */
export function prepareTutorial({newcomer, games, levels}, actions) {
  [weakest] = levels;
  withPuzzles = new Set(games.filter(({puzzles}) => puzzles).map(({name}) => name));
  kept.shown ??= newcomer;
  for (const name of ["rules", "puzzles"]) {
    const dialog = find(`dialog.${name}`);
    find(".onward button", dialog).addEventListener("click", () => {
      dialog.close();
      actions[following(name).name]();
    });
  }
}

/** @param {string} name @returns {Step} */
function following(name) {
  const steps = stepsOf(page.state.variant);
  return steps[steps.findIndex((step) => step.name === name) + 1];
}

// Keeps what has been done in a game.
/** @param {string} variant @param {(progress: Progress) => Partial<Progress>} change */
export function advance(variant, change) {
  const before = progressOf(variant);
  const after = {...before, ...change(before)};
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  kept.games[variant] = after;
  keep(kept.shown && !(after.won && stepsOf(variant).every(({done}) => done)));
  draw();
}

/** @param {boolean | null} shown */
const keep = (shown) => localStorage.setItem(KEPT, JSON.stringify({...kept, shown}));

// Hides the steps for good, and says where those that are left stay.
export function closeTutorial() {
  kept.shown = false;
  keep(false);
  draw();
  const left = stepsOf(page.state.variant).filter(({done, name}) => !done && name !== "first-game").map(({label}) => label);
  if (left.length) showMessage(`${left.join(" and ")} stay above the board.`);
}

// Shows the steps for the displayed game, and notes that the only human has won it.
export function showTutorial() {
  const {players, outcome, variant} = page.state;
  const winner = players[outcome?.winner ?? 2];
  if (winner?.kind === "person" && players.some(({kind}) => kind === "engine")) advance(variant, () => ({won: true}));
  draw();
}

function draw() {
  const {state} = page;
  strip.hidden = !kept.shown || !state || !weakest; // before the menu has its choices, it is not known which games have puzzles
  for (const name of ["rules", "puzzles"]) find(`dialog.${name} .onward`).hidden = strip.hidden;
  if (strip.hidden) return;
  const steps = stepsOf(state.variant);
  const next = steps.find(({done}) => !done);
  const isFirst = state.players.some(({kind}) => kind === "person") && state.players.some(({level}) => level.startsWith(weakest));
  write(find("p", strip), tutorialText(state, next?.name, isFirst, progressOf(state.variant).won));
  showSteps(steps, isFirst ? "" : next?.name);
  for (const name of ["rules", "puzzles"]) {
    const step = following(name);
    if (step) write(find(`dialog.${name} .onward button`), step.onward);
    find(`dialog.${name} .onward`).hidden = !step || name === "puzzles" && !steps.find((one) => one.name === name)?.done;
  }
}

// Shows the steps. A button stays when it changes, so that it keeps the focus.
/** @param {Step[]} steps @param {string | undefined} main the name of the one that stands out */
function showSteps(steps, main) {
  const names = findAll("button", find("ol", strip)).map(({dataset}) => dataset.do);
  if (names.join() !== steps.map(({name}) => name).join()) {
    find("ol", strip).replaceChildren(...steps.map(({name}) => element("li", {}, element("button", {type: "button", "data-do": name}))));
  }
  for (const {name, label, count, done} of steps) {
    const button = find(`[data-do="${name}"]`, strip);
    button.className = done ? "done" : name === main ? "main" : "";
    write(button, [label, done ? "\u2713" : count].filter(Boolean).join(" "));
  }
}
