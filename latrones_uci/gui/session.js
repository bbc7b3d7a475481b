// @ts-check
// Data that a tab keeps across a reload: its table, the displayed game, and the side shown below.

import {write} from "../web/display.js";
import {find} from "../web/dom.js";
import {playersFrom, playsBlack} from "./view.js";

const TABLE = "latrones-table"; // the name of this tab's table
const FLIPPED = "latrones-flipped"; // whether its board is flipped: the table and the side below
const ORIGIN = "latrones-origin"; // the game that its game was played on from
const RECORD = "latrones-record"; // the key under which its game is kept

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

// Returns the functions that play on from a position of the displayed game, in a game of its own, and that lead back.
/** @param {import("./types").Place & {table: string}} page @param {(game: import("./types").GameChoice) => Promise<void>} create @param {(record: string) => Promise<void>} open */
export function offshoots(page, create, open) {
  /** @param {string} fen @param {import("./types").GameChoice} usual */
  async function playOn(fen, usual) {
    const {state: {record, plies, players, choice}, ply} = page;
    const text = `From move ${plies[(ply ?? plies.length) - 1].number} of ${players.map(({name}) => name).join(" \u2013 ")}`;
    await create({...choice, fen, players: playersFrom(choice, fen, usual)});
    session.origin = {table: page.table, fen, record, ply, text};
  }

  async function goBack() {
    const {record, ply} = session.origin;
    await open(record);
    page.ply = ply;
  }

  return {playOn, goBack};
}

// Shows which game the displayed one was played on from.
/** @param {{table: string, state: import("./types").State}} page */
export function showOrigin({table, state}) {
  const {origin} = session;
  const isShown = origin?.table === table && origin.fen === state.start_fen;
  find(".origin").hidden = !isShown;
  if (isShown) write(find(".origin span"), origin.text);
}
