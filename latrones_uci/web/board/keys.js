// @ts-check
// Buttons with `data-do`, and keys, trigger the actions of the page.

import {find} from "../lib/dom.js";

/** @type {Record<string, string>} */
export const KEYS = {ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", u: "undo", h: "hint", f: "flip",
  n: "menu", m: "now", p: "pause", a: "analyse", x: "threat", r: "rules", g: "games", e: "position", s: "settings", "?": "keys"};

// Calls the actions if `isReady()`. A key does nothing while its button is disabled or the user is typing.
/** @param {Record<string, () => any>} actions @param {() => boolean} isReady */
export function listenTo(actions, isReady) {
  document.addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const pressed = /** @type {Element} */ (event.target).closest("main [data-do], [data-do=\"options\"]");
    const action = actions[pressed?.dataset.do];
    if (action && isReady()) action();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /** @type {Element} */ (event.target).closest("input, select, textarea, dialog");
    if (event.altKey || event.ctrlKey || event.metaKey || typing || !(event.key in KEYS) || !isReady()) return;
    const name = KEYS[event.key];
    if (find(`main [data-do="${name}"]`)?.disabled) return;
    event.preventDefault();
    actions[name]();
  });
}

// Shows the keys of the page.
export function openKeys() {
  const dialog = find("dialog.keys");
  dialog.showModal();
}
