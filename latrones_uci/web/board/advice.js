// The message line of the page, and buttons that ask for confirmation.

import {revealCurrent, write} from "../lib/display.js";
import {find, SIDES} from "../lib/dom.js";
import {send} from "../lib/tabs.js";
import {hintText, passWords, squareName, statusText} from "./words.js";

const CONFIRM_MS = 4000; // time to confirm an action that ends the game
const LATE_MS = 500; // until a move without an answer is named
const CONTINUE = "Choose the next square, or end the move here.";
const SEARCHING = "Searching for a hint\u2026";
const line = find(".advice");
const finish = find('[data-do="finish"]');
let refused = false; // whether the line says why a move is not possible; the next choice clears it

// `isRefusal`: the text says why a move is not possible.
/** @param {string} text */
export function showMessage(text, isRefusal = false) {
  refused = isRefusal;
  write(line, text);
  revealCurrent(); // the line lies over the list
}

// Removes a text that has become obsolete.
/** @param {string} text */
export function withdraw(text) { if (line.textContent === text) showMessage(""); }

export const message = () => line.textContent;

// Names a move while its answer from the server is late.
/** @param {string} move @param {Promise<any>} answer */
export async function awaitAnswer(move, answer) {
  const text = `Sending ${move}\u2026 The server has not answered yet.`;
  const late = setTimeout(() => showMessage(text), LATE_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(late);
    withdraw(text);
  }
}

// Shows that a hint is searched for, or the one of this position: a new search may find the same move.
/** @param {import("./types").Page} page */
export const awaitHint = ({state, settings}) => showMessage(state.hint ? hintText(state, settings.plain) : SEARCHING);
export const dropHint = () => withdraw(SEARCHING);

// Shows what is new in a state: a pass, a hint, or that there is no hint. Removes the message about the state before.
/** @param {import("./types").State | null} before @param {import("./types").Page} page */
export function showNews(before, {state, settings: {plain}}) {
  const {record, plies, hint, notices, paused} = state;
  const passes = passWords(state);
  if (before ? before.record !== record || before.plies.length !== plies.length : passes) showMessage(passes);
  if (notices.at(-1)?.[0] !== before?.notices.at(-1)?.[0] || paused !== before?.paused) dropHint();
  if (hint && (message() === SEARCHING || JSON.stringify(hint) !== JSON.stringify(before?.hint))) showMessage(hintText(state, plain));
}

// Shows how to continue or end a chain that has been started; `hasChosen`: a piece is chosen.
/** @param {boolean} unfinished @param {boolean} hasChosen */
export function showChain(unfinished, hasChosen) {
  finish.hidden = !unfinished;
  if (unfinished) showMessage(CONTINUE);
  else if (refused && hasChosen) showMessage("");
  else withdraw(CONTINUE);
}

// Shows the move entered in advance; `files` is the number of files of the board.
/** @param {import("./premove.js").Premove} premove @param {number} files */
export function showPremove(premove, files) {
  const squares = premove.path().map((square) => squareName(square, files));
  if (premove.complete) showMessage(`Premove ${premove.place ? "@" : ""}${squares.join("-")}: played when it is your turn. Escape or another click cancels it.`);
  else if (squares.length) showMessage(`Premove from ${squares[0]}: choose its destination.`);
  else if (line.textContent.startsWith("Premove")) showMessage("");
}

// Shows why no legal move leads to a square, in the referee's words.
/** @param {import("./types").Page} page @param {number | null} from @param {number} to */
export async function explain(page, from, to) {
  const {state, table, ply, node} = page;
  const isCurrent = node === null && ply === null;
  if (isCurrent && state.outcome) showMessage(`The game is over. ${statusText(state)}`, true);
  else if (isCurrent && state.thinking) showMessage(`${SIDES[state.side]} is to move.`, true);
  else {
    const answer = await send({do: "why", table, from, to, ply, node}).catch(({message: text}) => ({reason: text}));
    if (page.state === state && page.ply === ply && page.node === node) showMessage(answer.reason, true);
  }
}

// Performs an action that ends the game only when its button is pressed a second time.
/** @param {HTMLButtonElement} node @param {string} label @param {string} question @param {() => any} act */
export function confirmed(node, label, question, act) {
  const restoreLabel = () => { if (node.textContent === question) node.textContent = label; };
  if (node.textContent === label) {
    node.textContent = question;
    setTimeout(restoreLabel, CONFIRM_MS);
    return null;
  }
  restoreLabel();
  return act();
}
