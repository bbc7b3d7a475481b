// The buttons of the page: which are shown and enabled; and the keys that do the same.

import {write} from "../lib/display.js";
import {find, isPlain, targetOf} from "../lib/dom.js";
import {confirmed, message, showMessage} from "./advice.js";
import {goesOn, plyOf} from "./view.js";

/** @param {string} name @returns {HTMLButtonElement} */
export const button = (name) => find(`main [data-do="${name}"]`);

/** @param {import("./types").Page} page */
export function showButtons(page) {
  const {state, node} = page;
  const ply = plyOf(page);
  const over = state.outcome !== null;
  const people = state.players.filter(({kind}) => kind === "person").length;
  button("undo").disabled = !state.undoable;
  button("hint").hidden = over;
  button("hint").disabled = state.thinking; // the hint would be for the opponent
  button("review").hidden = !over;
  button("draw").disabled = !people;
  for (const name of ["pause", "draw", "resign"]) button(name).hidden = over;
  for (const name of ["rematch", "swap"]) button(name).hidden = !over;
  write(button("pause"), state.paused ? "Resume" : "Pause");
  button("now").hidden = over || people === 2;
  button("now").disabled = !state.thinking;
  button("first").disabled = button("back").disabled = node === null && ply === 0;
  button("forward").disabled = !goesOn(page);
  button("last").disabled = node === null && ply === state.plies.length;
  find("[data-pgn]").href = `game.pgn?table=${encodeURIComponent(page.table)}`;
}

// Offers a draw: an engine answers; two humans at one board agree by pressing the button a second time.
/** @param {import("./types").State} state @param {(what: string) => Promise<any>} command */
export function offerDraw(state, command) {
  const offer = async () => showMessage((await command("draw"))?.answer ?? message());
  const isHotSeat = state.players.every(({kind}) => kind === "person");
  return isHotSeat ? confirmed(button("draw"), "Offer draw", "Accept draw", offer) : offer();
}

/** @type {Record<string, string>} */
export const KEYS = {ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", u: "undo", h: "hint", f: "flip",
  n: "menu", m: "now", p: "pause", a: "analyse", x: "threat", o: "explore", r: "rules", z: "puzzles", g: "games", e: "position", c: "comment", s: "settings", "?": "keys"};

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
