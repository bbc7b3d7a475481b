// The dialog to copy the position as FEN, and to copy or save the game as PGN.

import {write} from "../lib/display.js";
import {find, findAll} from "../lib/dom.js";
import {load, NO_ANSWER} from "../lib/tabs.js";

const dialog = find("dialog.share");
const told = find(".told", dialog);
/** @param {string} name @returns {HTMLTextAreaElement} */
const field = (name) => find(`[name="${name}"]`, dialog);

for (const button of findAll("[data-copy]", dialog)) {
  const name = button.dataset.copy.toUpperCase();
  button.addEventListener("click", async () => write(told, await copyFault(field(button.dataset.copy), name) || `${name} copied to the clipboard.`));
}

/** @param {string} table @param {string} fen the displayed position */
export async function openShare(table, fen) {
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

// Copies the text of a field; returns why that failed, empty if it did not.
/** @param {HTMLTextAreaElement} source @param {string} name */
export async function copyFault(source, name) {
  source.select();
  try {
    await navigator.clipboard.writeText(source.value);
    return "";
  } catch {
    return `The browser did not allow copying. The ${name} is selected; press Ctrl+C.`;
  }
}
