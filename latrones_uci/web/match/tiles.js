// The running games: a tile for each, which keeps its place until the game is over.

import {clockText, scoreText, SHORT_MS, showEvaluation, write} from "../lib/display.js";
import {element, find, held, icon, kindsHeld, loadDrawing, playerRows} from "../lib/dom.js";
import {Ground} from "../lib/ground.js";

const MIN_SHOWN_MS = 1000; // of thinking without a clock

/** @type {Map<string, Promise<SVGSVGElement>>} the empty boards by variant, size and side */
const drawings = new Map();

// Returns an empty board for a game; boards of the same kind are loaded once.
/** @param {import("./types").Ground & {game: number}} of @param {boolean} flipped */
export async function groundFor({game, ground, files}, flipped) {
  const key = `${ground} ${flipped}`;
  if (!drawings.has(key)) {
    const loaded = loadDrawing(`board.svg?game=${game}&flipped=${flipped ? 1 : 0}`);
    drawings.set(key, loaded);
    loaded.catch(() => drawings.delete(key)); // the game may be over by now; the next one tries again
  }
  const svg = /** @type {SVGSVGElement} */ ((await drawings.get(key)).cloneNode(true));
  return new Ground(svg, files, flipped, false);
}

// Shows both clocks of a game: the one that runs, and without clocks how long the player has been thinking.
/** @param {Element} node @param {number | null} left @param {boolean} ticks @param {boolean} isNext @param {number} elapsed */
function showClock(node, left, ticks, isNext, elapsed) {
  if (ticks && left !== null) {
    const now = Math.max(left - (isNext ? elapsed : 0), 0);
    write(node, clockText(now));
    node.classList.toggle("short", isNext && now < SHORT_MS);
  } else {
    write(node, isNext && elapsed >= MIN_SHOWN_MS ? `${Math.floor(elapsed / 1000)} s` : "");
  }
  node.classList.toggle("running", isNext && ticks);
  /** @type {HTMLElement} */ (node).hidden = node.textContent === "";
}

class Tile {
  constructor() {
    this.node = find("#tile").content.firstElementChild.cloneNode(true);
    /** @type {import("./types").Running | null} */
    this.game = null;
    /** @type {Ground | null} */
    this.ground = null;
    this.kind = "";
    this.since = 0;
  }

  /** @param {import("./types").Running} game @param {string[]} engines */
  show(game, engines) {
    const before = this.game;
    this.game = game;
    this.since = performance.now() - game.age;
    this.node.dataset.game = String(game.game);
    const link = find("a", this.node);
    link.href = `#game=${game.game}`;
    write(link, `Game ${game.game}`);
    write(find("h3 span", this.node), game.variant);
    for (const [row, side] of playerRows(false, this.node)) {
      const who = find(".who", row);
      const name = engines[side ? game.black : game.white] ?? "";
      if (who.textContent !== name) who.replaceChildren(icon(side), element("b", {title: name}, name));
      row.classList.toggle("next", game.side === side);
      find(".held", row).replaceChildren(...kindsHeld(game.hand, side).map((piece) => held(game.hand, piece)));
    }
    showEvaluation(find(".evaluation", this.node), game.score, false);
    write(find(".last b", this.node), game.plies ? `${game.number}. ${game.note}` : "");
    const [told, more] = this.node.querySelectorAll(".last span");
    write(told, [game.score === null ? "" : scoreText(game.score), game.depth === null ? "" : `depth ${game.depth}`]
      .filter(Boolean).join(" \u00b7 ") || (game.begun ? "" : "starting"));
    write(more, game.elapsed === null ? "" : `${game.elapsed} ms`);
    this.tick();
    if (before?.game !== game.game || before.plies !== game.plies || !this.ground) this.draw();
  }

  async draw() {
    const {game} = this;
    if (this.kind !== game.ground) {
      const ground = await groundFor(game, false).catch(/** @returns {any} */ () => null);
      if (this.game !== game || !ground) return; // a later state draws
      this.ground = ground;
      this.kind = game.ground;
      find(".board", this.node).replaceChildren(ground.svg);
    }
    this.ground.show({...game, over: false, fen: "", title: `Game ${game.game}${game.plies ? `, after ${game.number}. ${game.note}` : ", start"}`});
  }

  tick() {
    const {game} = this;
    const elapsed = performance.now() - this.since;
    for (const [row, side] of playerRows(false, this.node)) {
      showClock(find(".clock", row), game.clocks[side], game.ticks[side], game.begun && game.side === side, elapsed);
    }
  }
}

export class Tiles {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    /** @type {Map<number, Tile>} */
    this.tiles = new Map();
  }

  // Shows these games. A game that starts takes the place of one that is over.
  /** @param {import("./types").Running[]} games @param {string[]} engines */
  show(games, engines) {
    const running = new Set(games.map(({game}) => game));
    const free = [...this.tiles].filter(([game]) => !running.has(game));
    for (const game of games) {
      let tile = this.tiles.get(game.game);
      if (!tile) {
        const [number, old] = free.shift() ?? [];
        if (old) this.tiles.delete(number);
        tile = old ?? new Tile();
        if (!old) this.host.append(tile.node);
        this.tiles.set(game.game, tile);
      }
      tile.show(game, engines);
    }
    for (const [number, tile] of free) {
      tile.node.remove();
      this.tiles.delete(number);
    }
  }

  tick() { for (const tile of this.tiles.values()) tile.tick(); }
}
