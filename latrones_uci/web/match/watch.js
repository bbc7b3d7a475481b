// The page of a match: an overview with all running games, or one game, finished or running. The server knows the rules.

import {resultText, write} from "../lib/display.js";
import {element, find} from "../lib/dom.js";
import {Player} from "../lib/player.js";
import {attend, listen, load} from "../lib/tabs.js";
import {GameList, showProgress, showRounds, showStandings, showTerminations, showTest} from "./tables.js";
import {groundFor, Tiles} from "./tiles.js";

// ---------------------------------------------------------------- one game

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

// ---------------------------------------------------------------- the page

const TICK_MS = 100;
/** @type {{match: import("./types").Match | null, running: import("./types").Running[]}} */
const page = {match: null, running: []};
const tiles = new Tiles(find(".tiles"));
const games = new GameList();
const replay = new ReplayView((game, ply) => history.replaceState(null, "", `#game=${game}&ply=${ply}`));

// ---------------------------------------------------------------- events from the server

/** @param {"match" | "boards"} kind @param {any} data */
function take(kind, data) {
  if (kind === "match") {
    const isFirst = page.match === null;
    page.match = data;
    showMatch(data);
    if (isFirst) route();
  } else {
    page.running = data;
  }
  if (!page.match) return;
  tiles.show(page.running, page.match.engines);
  showNone();
  if (replay.number) replay.follow(page.running.find(({game}) => game === replay.number)?.plies ?? null);
}

/** @param {import("./types").Match} match */
function showMatch(match) {
  const {live, complete} = match;
  document.title = `${match.played}/${match.total} \u00b7 ${match.title}`;
  write(find("h1"), match.title);
  write(find("header .game"), match.settings);
  write(find(".link"), live ? "running" : complete ? "finished" : "finished games only");
  find(".link").classList.toggle("running", live);
  find(".problem").hidden = !match.problem;
  write(find(".problem"), match.problem);
  showProgress(match);
  showStandings(match);
  showRounds(match);
  showTerminations(match);
  showTest(match);
  games.update(match);
}

function showNone() {
  const {live, complete} = page.match;
  const none = find(".none");
  none.hidden = page.running.length > 0;
  write(none, live ? "None at the moment." : complete ? "The match is over."
    : "While the match runs, they are on the page that its option --watch serves.");
}

// ---------------------------------------------------------------- overview or game

function route() {
  const words = new URLSearchParams(location.hash.slice(1));
  const number = Number(words.get("game") ?? 0);
  const isReplay = Number.isSafeInteger(number) && number > 0;
  const changed = find(".overview").hidden !== isReplay;
  find(".overview").hidden = isReplay;
  find(".replay").hidden = !isReplay;
  if (isReplay) {
    replay.open(number, words.has("ply") ? Number(words.get("ply")) || 0 : null, page.match.engines);
    if (changed) {
      scrollTo(0, 0);
      find(".heading").focus({preventScroll: true});
    }
  } else {
    const {number: left} = replay;
    replay.close();
    if (changed) find(`.overview [href="#game=${left}"]`)?.focus();
  }
}

document.addEventListener("keydown", (event) => replay.player.press(event, {Escape: "overview"}));
window.addEventListener("hashchange", () => { if (page.match) route(); });
setInterval(() => { if (!find(".overview").hidden) tiles.tick(); }, TICK_MS);

// ---------------------------------------------------------------- start

find(".alarm").replaceChildren("This page is no longer served. ", element("code", {}, "latrones-uci watch FILE.db"),
  " serves it again, also after the match.");
listen(["match", "boards"], take);
attend("match");
