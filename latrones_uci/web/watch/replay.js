// @ts-check
// One game, move by move: a finished one, or a running one that is followed.

import {clockText, listMoves, resultText, scoreText, showEvaluation, write} from "../lib/display.js";
import {element, find, held, icon, SIDES} from "../lib/dom.js";
import {groundFor} from "./tiles.js";

const AUTOPLAY_MS = 700;
const RELOAD_MS = 1000; // at most once in this time

export class ReplayView {
  // Calls `changed(game, ply)` when another ply is shown.
  /** @param {(game: number, ply: number) => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {import("./types").Replay | null} */
    this.replay = null;
    this.number = 0; // of the game; 0 for none
    this.ply = 0;
    /** @type {string[]} */
    this.engines = [];
    this.flipped = false;
    /** @type {import("../lib/ground.js").Ground | null} */
    this.ground = null;
    this.kind = "";
    /** @type {any} */
    this.autoplaying = 0;
    /** @type {any} */
    this.waiting = 0; // the timer of the next reload
  }

  get last() { return this.replay?.plies.length ?? 0; }

  // Opens a game at a ply; null for the start of a finished game and for the current position of a running one.
  /** @param {number} number @param {number | null} ply @param {string[]} engines */
  async open(number, ply, engines) {
    this.engines = engines;
    if (number !== this.number) {
      this.close();
      this.number = number;
      if (!await this.load()) return;
      this.ply = this.replay.finished ? 0 : this.last;
    }
    if (ply !== null) this.ply = Math.max(0, Math.min(ply, this.last));
    await this.draw();
  }

  close() {
    this.number = 0;
    this.replay = null;
    this.autoplay(false);
    clearTimeout(this.waiting);
    this.waiting = 0;
  }

  // Loads the game; returns whether it is still wanted and exists.
  async load() {
    const {number} = this;
    const answer = await fetch(`game.json?game=${number}`).catch(/** @returns {any} */ () => null);
    const data = answer?.ok ? await answer.json() : null;
    if (number !== this.number) return false;
    if (data) this.replay = data;
    else if (!this.replay) write(find(".heading"), `Game ${number} is not there`);
    return data !== null;
  }

  // Loads a running game again when it has gone on; `plies` is null when it is over.
  /** @param {number | null} plies */
  follow(plies) {
    if (!this.replay || this.replay.finished || this.waiting || plies === this.last) return;
    this.waiting = setTimeout(async () => {
      this.waiting = 0;
      const following = this.ply === this.last;
      if (!await this.load()) return;
      if (following) this.ply = this.last;
      await this.draw();
    }, RELOAD_MS);
  }

  async draw() {
    const {replay} = this;
    if (!replay) return;
    const kind = `${replay.ground} ${this.flipped}`;
    if (kind !== this.kind) {
      const ground = await groundFor(replay, this.flipped).catch(/** @returns {any} */ () => null);
      if (this.replay !== replay || !ground) return;
      this.ground = ground;
      this.kind = kind;
      find(".replay .board").replaceChildren(ground.svg);
      const {width, height} = ground.svg.viewBox.baseVal;
      find(".replay").style.setProperty("--aspect", String(width / height));
    }
    const {ply, last} = this;
    const played = ply ? replay.plies[ply - 1] : null;
    const over = replay.finished && ply === last;
    const after = played ? `after ${played.number}. ${played.note}` : "start";
    this.ground.show({path: null, captures: [], .../** @type {any} */ (played ?? replay.start), over,
      title: `Game ${replay.game}, ${after}`});
    this.describe(played, over);
    listMoves(replay, ply, (chosen) => this.go(chosen));
    for (const [name, off] of Object.entries({first: !ply, back: !ply, forward: ply === last, last: ply === last})) {
      find(`.replay [data-do="${name}"]`).disabled = off;
    }
  }

  /** @param {any} played @param {boolean} over */
  describe(played, over) {
    const {replay, ply} = this;
    write(find(".heading"), `Game ${replay.game}${replay.finished ? `: ${resultText(replay.result)}` : ", running"}`);
    write(find(".ending"), replay.problem ? `The replay is incomplete: ${replay.problem}` : replay.ending ?? "");
    write(find(".now"), played
      ? [`${played.number}. ${SIDES[played.mover]} ${played.note}`, played.score === null ? "" : scoreText(played.score),
        played.told].filter(Boolean).join(" \u00b7 ") : "Start");
    const scores = replay.plies.slice(0, ply).map(({score}) => score).filter((score) => score !== null);
    showEvaluation(find(".replay .evaluation"), scores.at(-1) ?? null, this.flipped);
    const near = this.flipped ? 1 : 0;
    for (const [place, side] of /** @type {[string, number][]} */ ([["near", near], ["far", 1 - near]])) {
      const node = find(`.replay .${place}`);
      const name = this.engines[side ? replay.black : replay.white] ?? "";
      find(".who", node).replaceChildren(icon(side), element("b", {}, name), element("span", {class: "quiet"}, ` ${SIDES[side]}`));
      find(".held", node).replaceChildren(...held((played ?? replay.start).hand, side));
      const clock = replay.plies.slice(0, ply).findLast(({mover}) => mover === side)?.clock ?? null;
      write(find(".clock", node), clock === null ? "" : clockText(clock));
      find(".clock", node).hidden = clock === null;
      node.classList.toggle("next", !over && (played ?? replay.start).side === side);
    }
    const pgn = find("[data-pgn]");
    pgn.hidden = !replay.finished;
    pgn.href = `game.pgn?game=${replay.game}`;
  }

  /** @param {number} ply */
  go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.last));
    if (this.ply === this.last) this.autoplay(false);
    this.changed(this.number, this.ply);
    return this.draw();
  }

  /** @param {boolean} on */
  autoplay(on) {
    clearInterval(this.autoplaying);
    this.autoplaying = on ? setInterval(() => this.go(this.ply + 1), AUTOPLAY_MS) : 0;
    find('[data-do="play"]').setAttribute("aria-pressed", String(on));
  }

  flip() {
    this.flipped = !this.flipped;
    return this.draw();
  }
}
