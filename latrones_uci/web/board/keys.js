// @ts-check
// Buttons with `data-do`, and keys, trigger the actions of the page.

import {find, isPlain, targetOf} from "../lib/dom.js";

/** @type {Record<string, string>} */
export const KEYS = {ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", u: "undo", h: "hint", f: "flip",
  n: "menu", m: "now", p: "pause", a: "analyse", x: "threat", r: "rules", g: "games", e: "position", s: "settings", "?": "keys"};

// Calls the actions if `isReady()`. A key does nothing while its button is disabled or the user is typing.
/** @param {Record<string, () => any>} actions @param {() => boolean} isReady */
export function listenTo(actions, isReady) {
  document.addEventListener("click", (event) => {
    targetOf(event, 'dialog [data-do="close"]')?.closest("dialog").close();
    const action = actions[targetOf(event, "main [data-do], [data-do=\"options\"]")?.dataset.do];
    if (action && isReady()) action();
  });
  document.addEventListener("keydown", (event) => {
    if (!isPlain(event) || targetOf(event, "input, select, textarea, dialog") || !(event.key in KEYS) || !isReady()) return;
    const name = KEYS[event.key];
    if (find(`main [data-do="${name}"]`)?.disabled) return;
    event.preventDefault();
    actions[name]();
  });
}
