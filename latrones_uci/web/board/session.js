// Data that the browser keeps: of a tab across a reload, its table, the displayed game and the side shown below; for all
// games, the user's preferences.

import {write} from "../lib/display.js";
import {find} from "../lib/dom.js";
import {playersFrom, playsBlack, plyOf} from "./view.js";

const TABLE = "latrones-table"; // the name of this tab's table
const FLIPPED = "latrones-flipped"; // whether its board is flipped: the table and the side below
const ORIGIN = "latrones-origin"; // the game that its game was played on from
const RECORD = "latrones-record"; // the key under which its game is kept

// Returns a value that the browser keeps as JSON for all visits, null if there is none.
/** @param {string} key @returns {any} */
export function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null; // written by something else
  }
}

export const session = {
  get table() { return sessionStorage.getItem(TABLE); },
  set table(name) { sessionStorage.setItem(TABLE, name); },
  get record() { return sessionStorage.getItem(RECORD); },
  set record(key) { sessionStorage.setItem(RECORD, key); },
  get origin() { return JSON.parse(sessionStorage.getItem(ORIGIN) ?? "null"); },
  set origin(game) { sessionStorage.setItem(ORIGIN, JSON.stringify(game)); },
};

/** @param {string} table @param {boolean} flipped */
export const rememberSide = (table, flipped) => sessionStorage.setItem(FLIPPED, `${table} ${flipped ? 1 : 0}`);
export const forgetSide = () => sessionStorage.removeItem(FLIPPED);

// Returns whether Black is shown below: as the user left this table, or else if the only human plays Black.
/** @param {string} table @param {{kind: string}[]} players */
export function rememberedSide(table, players) {
  const kept = sessionStorage.getItem(FLIPPED)?.split(" ");
  return kept?.[0] === table ? kept[1] === "1" : playsBlack(players);
}

// Returns the functions that play on from before a reviewed move, in a game of its own, and that lead back; and one that
// opens a position as a game of two humans, with analysis. The game before stays where it is.
/** @param {import("./types").Page} page @param {(game: import("./types").GameChoice) => Promise<void>} create @param {(record: string) => Promise<void>} open @param {(what: string, more: Record<string, any>) => Promise<any>} command */
export function offshoots(page, create, open, command) {
  /** @param {import("./types").ReviewedMove} move @param {import("./types").GameChoice} usual */
  async function playOn(move, usual) {
    const {state: {record, plies, players, choice}} = page;
    const ply = plyOf(page);
    const {number, path: first} = plies[ply - 1];
    const text = `From move ${number} of ${players.map(({name}) => name).join(" \u2013 ")}.`;
    await create({...choice, fen: move.fen, players: playersFrom(choice, move.fen, usual)});
    session.origin = {table: page.table, record, ply, text, first, move};
  }

  async function goBack() {
    const {record, ply} = session.origin;
    await open(record);
    page.ply = ply;
  }

  /** @param {{variant: string, fen: string}} game */
  async function analyseAnew(game) {
    const person = {kind: /** @type {"person"} */ ("person"), engine: 0};
    await create({...game, size: "", players: [person, person]});
    return command("analyse", {lines: Number(find("[data-lines]").value), ply: null, node: null});
  }

  return {playOn, goBack, analyseAnew};
}

// Shows which game the displayed one was played on from, and what the review says of the move tried instead.
/** @param {import("./types").Page} page */
export function showOrigin({table, state}) {
  const {origin} = session;
  const isShown = origin?.table === table && origin.move.fen === state.start_fen;
  find(".origin").hidden = !isShown;
  if (isShown) write(find(".origin span"), `${origin.text} ${state.plies.length ? judged(state.plies[0].path, origin) : ""}`.trim());
}

/** @param {number[]} tried @param {{first: number[], move: import("./types").ReviewedMove}} origin */
function judged(tried, {first, move}) {
  if (tried.join() === move.path.join()) return "That is the best move.";
  return tried.join() === first.join() ? `The same move again${move.lost ? `: ${move.lost}` : ""}.` : `Best was ${move.best}.`;
}

const SETTINGS = "latrones-settings"; // the storage key of the preferences
const dialog = find("dialog.settings");

// Reads the settings of the last visit; `changed(name)` is called when the user changes one.
/** @param {import("./types").Settings} settings @param {(name: string) => void} changed */
export function prepareSettings(settings, changed) {
  const kept = stored(SETTINGS);
  for (const [name, usual] of Object.entries(settings)) {
    const value = typeof kept?.[name] === typeof usual ? kept[name] : usual;
    Object.assign(settings, {[name]: value});
    const field = find(`[name="${name}"]`, dialog);
    if (typeof value === "boolean") field.checked = value;
    else field.value = value;
  }
  document.documentElement.dataset.theme = settings.theme;
  dialog.addEventListener("change", (/** @type {any} */ {target}) => {
    Object.assign(settings, {[target.name]: target.type === "checkbox" ? target.checked : target.value.trim()});
    localStorage.setItem(SETTINGS, JSON.stringify(settings));
    document.documentElement.dataset.theme = settings.theme;
    changed(target.name);
  });
}
