// What one does with a game besides playing it: learn from its mistakes, write notes, and look up its openings. The page
// knows this module only.

import {annotating, markArrows} from "./annotate.js";
import {exploring} from "./explore.js";
import {isTask, learning, learningArrows, showLearning, takeAttempt} from "./learn.js";

/** @typedef {import("./types").Page} Page */
/** @typedef {{look: (ply: number) => Promise<void>, vary: (what: "vary" | "line" | "try", moves: Record<string, any>) => any, show: () => Promise<void>, analyse: () => any}} Actions */

// Returns what the page needs: `actions` of buttons and keys; `take(kind, data)` for events, which returns whether the
// page changes; `follow()` when the page shows something; and the rest by name.
/** @param {Page} page @param {import("./board.js").Board} board @param {Actions} actions */
export function studying(page, board, {look, vary, show, analyse}) {
  // Stops the analysis, which would show the answer, and whose search would end that for a verdict.
  async function prepare() {
    if (!page.analysis.wanted) return;
    await analyse();
    page.analysis = {...page.analysis, lines: [], wanted: 0}; // the event with it may come later
  }

  /** @param {string[]} moves */
  const enter = (moves) => (moves.length ? vary("line", {moves}) : undefined);
  const lessons = learning(page, {look, show, prepare, enter, focus: () => board.focus()});
  const note = annotating(page, board, show);
  const openings = exploring(page, enter);
  return {
    actions: {...lessons, comment: note.open, explore: openings.toggle},
    arrows: () => [...learningArrows(page), ...markArrows(page)],
    drawn: note.drawn,
    /** @param {string} move */
    play: async (move) => {
      const isTry = isTask(page);
      if (isTry) await prepare();
      return vary(isTry ? "try" : "vary", {move});
    },
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
