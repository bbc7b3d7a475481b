// Notes on a position: a sign, a comment, and marks (arrows and rings), which are saved with the game and in its PGN.

import {write} from "../lib/display.js";
import {find} from "../lib/dom.js";
import {attempt, send} from "../lib/tabs.js";
import {nodeOf, plyOf} from "./view.js";
import {marksText, sketchesOf} from "./words.js";

/** @typedef {import("./types").Page} Page */
/** @typedef {import("./types").Sketch} Sketch */

/** @type {HTMLFormElement} */
const form = find("form.note");
/** @param {string} name @returns {import("./types").Field} */
const field = (name) => find(`[name="${name}"]`, form);
/** @type {{table: string, record: string, ply: number, node: number | null} | null} */
let place = null; // the position whose note is being written
let before = ""; // the values of its fields when it was opened

/** @param {Page} page @returns {import("./types").MoveNote} */
const noteAt = (page) => nodeOf(page) ?? page.tree.notes[plyOf(page) - 1] ?? {sign: "", comment: ""};

// Returns the marks of the displayed position as arrows; while its note is being written, the board has them as sketches.
/** @param {Page} page @returns {{path: number[], kind: string}[]} */
export function markArrows(page) {
  if (place) return [];
  const marks = noteAt(page).marks ?? [];
  return sketchesOf(marks.join(" "), page.state.files, page.state.start.men.length).map(({colour, path}) => ({path, kind: `drawn ${colour}`}));
}

const values = () => ["sign", "comment", "marks"].map((name) => field(name).value);

// Returns the functions of the form: `open()`, `drawn(sketches)` when the user draws, and `follow()` when the page shows
// something; `show()` draws the page.
/** @param {Page} page @param {import("./board.js").Board} board @param {() => Promise<void>} show */
export function annotating(page, board, show) {
  const boardSquares = () => page.state.start.men.length;
  const sketch = () => board.showSketches(sketchesOf(field("marks").value, page.state.files, boardSquares()), true);

  function load() {
    const {sign, comment, marks = []} = noteAt(page);
    field("sign").value = sign;
    field("comment").value = comment;
    field("marks").value = marks.join(" ");
    before = values().join("\n");
    const {table, state, node} = page;
    place = {table, record: state.record, ply: plyOf(page), node};
    write(find(".error", form), "");
  }

  // Saves the note if it has been changed, and returns whether that succeeded.
  async function save() {
    if (!place || values().join("\n") === before) return true;
    const [sign, comment, marks] = values();
    const {table, ply, node} = place;
    return attempt(find(".error", form), () => send({do: "annotate", table, ply, node, sign, comment, marks}));
  }

  function close() {
    place = null;
    form.hidden = true;
    board.showSketches([], false);
    board.focus();
    return show();
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await save()) await close();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.ctrlKey) form.requestSubmit();
  });
  find("[data-cancel]", form).addEventListener("click", close);
  field("marks").addEventListener("input", sketch);

  return {
    drawn: (/** @type {Sketch[]} */ sketches) => {
      if (place) field("marks").value = marksText(sketches, page.state.files);
    },
    // Keeps the form at the displayed position; the note on the one before is saved.
    follow: async () => {
      if (!place) return;
      const moved = place.ply !== plyOf(page) || place.node !== page.node;
      if (place.record !== page.state.record) close();
      else if (!moved || await save()) {
        if (moved) load();
        if (!board.sketches.length) sketch();
      }
    },
    /** @returns {Promise<void> | undefined} */
    open: () => {
      if (place) return close();
      load();
      form.hidden = false;
      show();
      sketch();
      field("comment").focus();
      return undefined;
    },
  };
}
