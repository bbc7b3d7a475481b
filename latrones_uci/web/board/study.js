// What one does with a game besides playing it: learn from its mistakes, write notes, and look up its openings. The page
// knows this module only.

import {annotating, markArrows} from "./annotate.js";
import {exploring} from "./explore.js";
import {isTask, learning, learningArrows, showLearning, takeAttempt} from "./learn.js";

/** @typedef {import("./types").Place & {table: string, analysis: import("./types").Analysis, review: import("./types").ReviewData | null}} Page */
/** @typedef {{look: (ply: number) => Promise<void>, vary: (what: "vary" | "line" | "try", moves: Record<string, any>) => any, show: () => Promise<void>, analyse: () => any}} Deeds */

// Returns what the page needs: `actions` of buttons and keys; `take(kind, data)` for events, which returns whether the
// page changes; `follow()` when the page shows something; and the rest by name.
/** @param {Page} page @param {import("./board.js").Board} board @param {Deeds} deeds @param {{evaluation: boolean}} settings */
export function studying(page, board, {look, vary, show, analyse}, settings) {
  const lessons = learning(page, {look, show, focus: () => board.focus(), prepare: () => page.analysis.wanted && analyse()});
  const note = annotating(page, board, show);
  const openings = exploring(page, (moves) => vary("line", {moves}), settings);
  return {
    actions: {...lessons, comment: note.open, explore: openings.toggle},
    arrows: () => [...learningArrows(page), ...markArrows(page)],
    drawn: note.drawn,
    play: (/** @type {string} */ move) => vary(isTask(page) ? "try" : "vary", {move}),
    /** @param {string} kind @param {any} data */
    take: (kind, data) => {
      if (kind === "attempt") takeAttempt(data);
      else openings.take(kind, data);
      return kind === "attempt";
    },
    follow: () => {
      showLearning(page);
      note.follow();
      openings.follow();
    },
  };
}
