// Addresses of what the page shows, which can be kept: `#game/RECORD/PLY`, `#rules/GAME` and `#puzzle/GAME/NUMBER`. Each
// open dialog is a step of the browser's history, so Back closes it.

import {findAll} from "../lib/dom.js";
import {showMessage} from "./advice.js";

const WAIT_MS = 150; // browsers allow few changes of the address at a time
const start = location.hash; // what the user opened
let game = "";
let waiting = 0;
/** @type {Map<HTMLElement, string>} */
const named = new Map(); // dialogs and their addresses

let level = 0; // the depth of the step that is shown

const depth = () => history.state?.depth ?? 0; // the number of open dialogs in the history
const opened = () => findAll("dialog[open]");

function write() {
  waiting = 0;
  const text = opened().map((dialog) => named.get(dialog)).filter(Boolean).at(-1) ?? game;
  const address = text ? `#${text}` : location.pathname + location.search;
  if (location.hash.slice(1) !== text) history.replaceState(history.state, "", address);
}

const writeSoon = () => { waiting ||= setTimeout(write, WAIT_MS); };

// Sets the address of the game and ply that are displayed; a game without a move has none.
/** @param {import("./types").Page} page */
export function nameGame({state: {record, plies}, ply}) {
  game = plies.length ? `game/${record}${ply === null ? "" : `/${ply}`}` : "";
  writeSoon();
}

// Sets the address of a dialog while it is open.
/** @param {HTMLElement} dialog @param {(string | number)[]} parts */
export function nameDialog(dialog, ...parts) {
  named.set(dialog, parts.map(encodeURIComponent).join("/"));
  writeSoon();
}

// Adds a step to the history for each dialog that has been opened, and goes back for each that has been closed.
function count() {
  const now = opened().length;
  for (let at = depth(); at < now; at += 1) history.pushState({depth: at + 1}, "");
  level = Math.max(level, now);
  if (now < depth()) history.go(now - depth());
  else write();
}

// Goes to the address of this page that the user has entered.
/** @param {string} hash @param {Record<string, (...parts: string[]) => any>} places */
async function visit(hash, places) {
  const [kind, ...parts] = hash.slice(1).split("/");
  const go = Object.hasOwn(places, kind) && parts.length && parts.every(Boolean) ? places[kind] : null;
  try {
    if (!go) throw new Error("expected #game/KEY/PLY, #rules/GAME or #puzzle/GAME/NUMBER");
    await go(...parts.map(decodeURIComponent));
  } catch ({message}) {
    showMessage(`Address ${hash}: ${message}`);
    writeSoon();
  }
}

// Returns what is called when a game is displayed: it follows the address from the first time on, once the page is
// prepared. `openKept(record)` and `look(ply)` show a game, `rules` and `puzzle` a dialog; they throw what is wrong.
/** @param {import("./types").Page} page @param {Promise<any>} prepared @param {{openKept: (record: string) => Promise<void>, look: (ply: number) => any, rules: (variant: string) => any, puzzle: (variant: string, number: string) => any}} actions */
export function addressing(page, prepared, {openKept, look, rules, puzzle}) {
  let follows = false;
  /** @type {{record: string, ply: string} | null} */
  let goal = null; // a place in a game that is not displayed yet
  const closeAll = () => opened().forEach((dialog) => dialog.close());

  // Goes to the ply of the address as soon as its game is displayed.
  function arrive() {
    if (!follows) prepared.then(follow);
    follows = true;
    if (!goal || page.state?.record !== goal.record) return;
    const {record, ply} = goal;
    const last = page.state.plies.length;
    goal = null;
    if (/^\d{1,6}$/.test(ply) && Number(ply) <= last) look(Number(ply));
    else showMessage(`Address #game/${record}/${ply}: no such ply; expected 0..${last}`);
  }

  /** @type {Record<string, (...parts: string[]) => any>} */
  const places = {
    rules: (variant) => { closeAll(); return rules(variant); },
    puzzle: (variant, number) => { closeAll(); return puzzle(variant, number); },
    game: async (record, ply) => {
      closeAll();
      if (page.state.record !== record) await openKept(record);
      goal = ply === undefined ? null : {record, ply};
      arrive();
    }};

  function follow() {
    let between = false; // whether the last step was from one place to another, at which no dialog was open
    history.replaceState({depth: 0}, ""); // dialogs are closed when the page is loaded
    for (const dialog of findAll("dialog")) new MutationObserver(count).observe(dialog, {attributeFilter: ["open"]});
    addEventListener("popstate", () => {
      between = depth() === level;
      for (const dialog of opened().reverse().slice(0, Math.max(opened().length - depth(), 0))) dialog.close();
      if (depth() > opened().length) history.replaceState({depth: opened().length}, ""); // Forward opens no dialog
      level = depth();
      writeSoon();
    });
    // An address that the user enters has no state yet. Where a dialog was closed, that of the step below may be old.
    addEventListener("hashchange", () => {
      if (history.state !== null && !between) return;
      history.replaceState({depth: 0}, "");
      if (location.hash) visit(location.hash, places);
    });
    if (start) visit(start, places);
    if (opened().length) count();
  }

  return arrive;
}
