// The dialog to copy the position as FEN, and to copy or save the game as PGN.

import {write} from "../lib/display.js";
import {find, findAll} from "../lib/dom.js";
import {load, NO_ANSWER} from "../lib/tabs.js";

const dialog = find("dialog.share");
const told = find(".told", dialog);
/** @param {string} name @returns {HTMLTextAreaElement} */
const field = (name) => find(`[name="${name}"]`, dialog);

// Adds the action `share` to the actions of the page; `now()` returns the table and the displayed position.
/** @param {Record<string, () => any>} actions @param {() => {table: string, fen: string}} now */
export function prepareShare(actions, now) {
  actions.share = () => open(now());
  for (const button of findAll("[data-copy]", dialog)) {
    button.addEventListener("click", () => copy(field(button.dataset.copy), button.dataset.copy.toUpperCase()));
  }
}

/** @param {{table: string, fen: string}} shown */
async function open({table, fen}) {
  write(told, "");
  field("fen").value = fen;
  field("pgn").value = "";
  dialog.showModal();
  try {
    field("pgn").value = await load(`game.pgn?table=${encodeURIComponent(table)}`);
  } catch {
    write(told, NO_ANSWER);
  }
}

// Copies a text, and shows whether that succeeded.
/** @param {HTMLTextAreaElement} source @param {string} name */
async function copy(source, name) {
  source.select();
  try {
    await navigator.clipboard.writeText(source.value);
    write(told, `${name} copied to the clipboard.`);
  } catch {
    write(told, `The browser did not allow copying. The ${name} is selected; press Ctrl+C.`);
  }
}
