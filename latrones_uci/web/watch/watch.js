// @ts-check
// The page of a match: an overview with all running games, or one game. The server knows the rules.

import {write} from "../lib/display.js";
import {element, find} from "../lib/dom.js";
import {attend, listen} from "../lib/tabs.js";
import {ReplayView} from "./replay.js";
import {GameList, showProgress, showRounds, showStandings, showTerminations, showTest} from "./tables.js";
import {Tiles} from "./tiles.js";

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
  const {link, complete} = match;
  const state = link === "running" ? "running" : link === "silent" ? "the match runner does not answer"
    : complete ? "finished" : "finished games only";
  document.title = `${match.played}/${match.total} \u00b7 ${match.title}`;
  write(find("h1"), match.title);
  write(find("header .game"), match.settings);
  write(find(".link"), state);
  find(".link").className = `link ${link}`;
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
  const {link, complete} = page.match;
  const none = find(".none");
  none.hidden = page.running.length > 0;
  write(none, link === "running" ? "None at the moment." : link === "silent" ? "The match runner does not answer."
    : complete ? "The match is over." : "The match is not running, or was started without --watch.");
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
