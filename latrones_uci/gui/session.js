// @ts-check
// Data that a tab keeps across a reload: its table, the displayed game, and the side shown below.

import {playsBlack} from "./view.js";

const TABLE = "latrones-table"; // the name of this tab's table
const FLIPPED = "latrones-flipped"; // whether its board is flipped: the table and the side below
const RECORD = "latrones-record"; // the key under which its game is kept

export const session = {
  get table() { return sessionStorage.getItem(TABLE); },
  set table(name) { sessionStorage.setItem(TABLE, name); },
  get record() { return sessionStorage.getItem(RECORD); },
  set record(key) { sessionStorage.setItem(RECORD, key); },
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
