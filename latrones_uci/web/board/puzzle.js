// One puzzle on the board of the dialog: the user's moves, the replies, the answers to wrong moves, hints and the solution.
// The server knows the solution.

import {element, find, SIDES} from "../lib/dom.js";
import {write} from "../lib/display.js";
import {Ground} from "../lib/ground.js";
import {send} from "../lib/tabs.js";
import {Board} from "./board.js";
import {Pointer} from "./pointer.js";
import {moveWords, pieceName, squareName} from "./words.js";

const REPLY_MS = 550;
const STEP_MS = 1000; // between the moves of a solution that is shown
export const dialog = find("dialog.puzzles");

/** @typedef {import("./types").PuzzleStep} Step */
/** @typedef {import("./types").PuzzleEntry} Entry */

/** @type {PuzzleView | null} */
let current = null; // the one that is shown; the others do nothing more

/** @param {string} name */
const button = (name) => find(`[data-do="puzzle-${name}"]`, dialog);

/** @param {string} text @param {string} kind */
export function say(text, kind = "") {
  const line = find(".told", dialog);
  write(line, text);
  line.className = `told ${kind}`;
}

/** @param {Entry} entry */
function taskOf({themes, turns, side}) {
  const name = SIDES[side];
  if (turns) return `${name} to move wins ${turns === 1 ? "at once" : `in ${turns} turns`}.`;
  if (themes.includes("save-dux")) return `${name} to move: save the dux.`;
  if (themes.includes("escape")) return `${name} to move: avert a loss.`;
  if (themes.includes("defend")) return `${name} to move: save the position.`;
  return `${name} to move: win material.`;
}

export const board = new Board(find(".board", dialog), {
  play: (text) => current.play(text),
  refuse: (from, to) => current.refuse(from, to),
  changed: () => { button("finish").hidden = !board.entry.unfinished; },
});
new Pointer(board, find(".board", dialog));

export class PuzzleView {
  // `report` is called with `failed` at the first wrong move or help, with `finished`, and when the solution was `shown`.
  /** @param {string} variant @param {number} number @param {Entry} entry @param {(what: "failed" | "finished" | "shown") => void} report */
  constructor(variant, number, entry, report) {
    current = this;
    this.report = report;
    this.variant = variant;
    this.number = number;
    this.entry = entry;
    /** @type {string[]} */
    this.moves = []; // of the solution, that were made
    /** @type {Step[]} */
    this.steps = []; // of them
    /** @type {Partial<import("./types").View>} */
    this.moving = {}; // the legal moves and marks of the position where the user moves
    this.start = /** @type {import("./types").Standing} */ (null);
    this.title = "";
    this.files = 0;
    this.turn = 0; // counts the positions shown, so that a late answer replaces nothing
    this.hints = 0;
    this.clean = true; // no wrong move, hint or solution yet
    this.missed = false; // whether the answer to a wrong move is shown
    this.waits = false; // while the replies to a right move are shown
    this.over = false;
  }

  /** @param {"puzzle" | "solve" | "refute"} what @param {string[]} moves @returns {Promise<any>} */
  ask(what, moves) {
    return send({do: what, variant: this.variant, puzzle: this.number, moves}).catch(/** @returns {any} */ ({message}) => {
      if (current === this) say(message);
      return null;
    });
  }

  async begin() {
    write(find(".task", dialog), taskOf(this.entry));
    say("");
    this.showSolution();
    this.showButtons();
    const data = await this.ask("puzzle", []);
    const ground = data && await Ground.load(`puzzle.svg?variant=${encodeURIComponent(this.variant)}&puzzle=${this.number}`,
      data.files, this.entry.side === 1);
    if (!data || current !== this) return;
    board.setGround(ground);
    find(".board", dialog).style.setProperty("--aspect", ground.aspect);
    Object.assign(this, {start: data.start, title: data.title, files: data.files, moving: data});
    this.draw(data.start, null, data);
  }

  // Shows a position: the start, or that after a step.
  /** @param {import("./types").Standing | Step} standing @param {import("./types").Standing | Step | null} before @param {Partial<import("./types").View>} more */
  draw(standing, before, more = {}) {
    const {path = null, captures = []} = /** @type {Partial<Step>} */ (standing);
    const last = board.view?.key ?? null;
    this.turn += 1;
    board.show({
      men: standing.men, hand: standing.hand, side: standing.side, fen: standing.fen, path, captures,
      before: before?.men ?? standing.men, hint: null, over: false, key: `${this.number} ${this.turn}`, follows: before && last,
      title: `${this.title}, puzzle`, legal: more.legal ?? [], surrounded: more.surrounded ?? [], immobile: more.immobile ?? [],
      arrows: more.arrows ?? [], decisive: [], ...(more.hint ? {hint: more.hint} : {})});
  }

  last() { return this.steps.at(-1) ?? this.start; }

  /** @param {Step} step */
  make(step) {
    const before = this.last();
    this.moves.push(step.text);
    this.steps.push(step);
    this.showSolution();
    this.draw(step, before);
  }

  // Judges the user's move; the board has drawn it already.
  /** @param {string} text */
  async play(text) {
    const answer = await this.ask("puzzle", [...this.moves, text]);
    if (!answer || current !== this) return false;
    this.hints = 0;
    const [own, ...replies] = /** @type {Step[]} */ (answer.steps);
    if (answer.verdict === "wrong") {
      this.miss(own, text);
      return true;
    }
    this.make(own);
    if (answer.verdict === "solved") this.finish("Solved.");
    else this.answer(own, replies, answer);
    return true;
  }

  /** @param {Step} own @param {Step[]} replies @param {Partial<import("./types").View>} moving */
  async answer(own, replies, moving) {
    say(`Right: ${own.note}.`, "right");
    this.waits = true;
    for (const reply of replies) {
      await new Promise((resolve) => { setTimeout(resolve, REPLY_MS); });
      if (current !== this) return;
      const before = this.last();
      this.make(reply);
      say(`Right: ${own.note}. ${moveWords(/** @type {any} */ (reply), before.men, this.files)}. Go on.`, "right");
    }
    this.waits = false;
    this.moving = moving;
    this.draw(this.last(), null, moving);
  }

  // Shows a move that is not of the solution, and the answer to it: it may be as good.
  /** @param {Step} own @param {string} text */
  async miss(own, text) {
    this.missed = true;
    this.draw(own, this.last());
    say(`${own.note}: searching for the answer\u2026`, "wrong");
    this.showButtons();
    const {turn} = this;
    const answer = await this.ask("refute", [...this.moves, text]);
    if (!answer?.solved) this.fail();
    if (current !== this || this.turn !== turn || !answer) return;
    if (answer.solved) {
      this.missed = false;
      this.moves.push(text);
      this.steps.push(own);
      this.showSolution();
      this.finish(answer.words);
      return;
    }
    const [reply] = /** @type {Step[]} */ (answer.steps);
    if (reply) this.draw(reply, own, {arrows: reply.path.length > 1 ? [{path: reply.path, kind: "threat"}] : []});
    say(`${own.note} is not the move. ${reply ? `${moveWords(/** @type {any} */ (reply), own.men, this.files)}. ` : ""}${answer.words}`, "wrong");
  }

  // Goes back to the position before a wrong move.
  retry() {
    this.missed = false;
    say("Try another move.");
    this.draw(this.last(), null, this.moving);
    this.showButtons();
    board.focus();
  }

  // Ends the streak, once in a puzzle.
  fail() {
    if (this.clean) this.report("failed");
    this.clean = false;
  }

  /** @param {string} words */
  finish(words) {
    this.over = true;
    this.report("finished");
    say(`${words} ${this.clean ? "Well done." : "It counts as solved with help."}`, "right");
    this.showButtons();
    button("next").focus();
  }

  // Names the piece to move; asked again, the move.
  async hint() {
    const answer = this.waits ? null : await this.ask("solve", this.moves);
    if (!answer || current !== this || this.over) return;
    this.fail();
    const [{path, note, text}] = answer.steps;
    const square = squareName(path[0], this.files);
    const piece = this.last().men[path[0]];
    const isMove = path.length > 1 && !text.startsWith("x");
    this.hints += 1;
    const whole = this.hints > 1 || !isMove;
    say(whole ? `Hint: ${note}.` : `Hint: move the ${pieceName(piece)} on ${square}.`);
    this.draw(this.last(), null, {...this.moving, hint: whole ? path : [path[0]]});
  }

  // Plays the rest of the solution.
  async solve() {
    const answer = this.waits ? null : await this.ask("solve", this.moves);
    if (!answer || current !== this || this.over) return;
    this.fail();
    this.over = true;
    this.report("shown");
    this.showButtons();
    for (const step of /** @type {Step[]} */ (answer.steps)) {
      this.make(step);
      say(`${step.note}.`);
      await new Promise((resolve) => { setTimeout(resolve, STEP_MS); });
      if (current !== this) return;
    }
    say("That is the solution.");
  }

  // Says why a piece does not go to a square, or leaves the answer to a wrong move.
  /** @param {number | null} from @param {number} to */
  refuse(from, to) {
    if (this.missed) this.retry();
    else if (!this.over && board.view.legal.length) {
      say(from === null ? `No legal move begins on ${squareName(to, this.files)}.` : `No legal move leads to ${squareName(to, this.files)}.`);
    }
  }

  showSolution() {
    find(".solution", dialog).replaceChildren(...this.steps.map(({mover, note}) => element("li", {class: SIDES[mover].toLowerCase()}, note)));
  }

  showButtons() {
    button("retry").hidden = !this.missed;
    button("hint").hidden = button("solve").hidden = this.over || this.missed;
    button("next").classList.toggle("main", this.over);
  }
}
