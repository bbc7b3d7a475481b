// @ts-check
// One game of the match: a finished one, or a running one that is followed.

import {resultText, write} from "../lib/display.js";
import {find} from "../lib/dom.js";
import {Player} from "../lib/player.js";
import {load} from "../lib/tabs.js";
import {groundFor} from "./tiles.js";

const RELOAD_MS = 1000; // at most once in this time

export class ReplayView {
  // Calls `changed(game, ply)` when the user goes to another ply.
  /** @param {(game: number, ply: number) => void} changed */
  constructor(changed) {
    this.player = new Player(find("main.replay"), {
      draw: (replay, flipped) => groundFor(/** @type {any} */ (replay), flipped).catch(/** @returns {any} */ () => null), changed, describe,
    }, {overview: () => { location.hash = ""; }});
    this.number = 0; // of the game; 0 for none
    /** @type {any} */
    this.waiting = 0; // the timer of the next reload
  }

  // Opens a game at a ply; null for the start of a finished game and for the current position of a running one.
  /** @param {number} number @param {number | null} ply @param {string[]} engines */
  async open(number, ply, engines) {
    this.player.engines = engines;
    if (number === this.number) {
      if (ply !== null && this.player.replay) await this.player.show(this.player.replay, ply);
      return;
    }
    this.close();
    this.number = number;
    const replay = await this.load();
    if (replay) await this.player.show(replay, ply ?? (replay.finished ? 0 : replay.plies.length));
  }

  close() {
    this.number = 0;
    this.player.close();
    clearTimeout(this.waiting);
    this.waiting = 0;
  }

  // Returns the game, null if it does not exist or is no longer wanted.
  /** @returns {Promise<import("../lib/types").Replay | null>} */
  async load() {
    const {number} = this;
    const data = await load(`game.json?game=${number}`).catch(/** @returns {any} */ () => null);
    if (number !== this.number) return null;
    if (!data && !this.player.replay) write(find(".heading"), `Game ${number} is not there`);
    return data;
  }

  // Loads a running game again when it has gone on; `plies` is null when it is over.
  /** @param {number | null} plies */
  follow(plies) {
    const {player} = this;
    if (!player.replay || player.replay.finished || this.waiting || plies === player.last) return;
    this.waiting = setTimeout(async () => {
      this.waiting = 0;
      const replay = await this.load();
      if (replay) await player.show(replay, player.ply === player.last ? replay.plies.length : player.ply);
    }, RELOAD_MS);
  }
}

/** @param {import("../lib/types").Replay} replay */
function describe(replay) {
  write(find(".heading"), `Game ${replay.game}${replay.finished ? `: ${resultText(replay.result)}` : ", running"}`);
  write(find(".ending"), replay.problem ? `The replay is incomplete: ${replay.problem}` : replay.ending ?? "");
  const pgn = find("[data-pgn]");
  pgn.hidden = !replay.finished;
  pgn.href = `game.pgn?game=${replay.game}`;
}
