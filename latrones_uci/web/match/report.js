// The games of a report: their list, and the replay of one.

import {resultText, shareOf, write} from "../lib/display.js";
import {drawn, element, find, options} from "../lib/dom.js";
import {Ground} from "../lib/ground.js";
import {Player, unpack} from "../lib/player.js";

/**
 * @typedef {{number: number, round: string, variant: string, size: string, opening: number, white: number,
 *   black: number, result: string, plies: number, termination: string, details: string, flaw: number}} Game
 */
/** @typedef {import("../lib/types").Replay} Replay */

const ROWS_AT_ONCE = 100;
const section = document.getElementById("games");
/** @type {(id: string) => any} */
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const index = read("game-list");
/** @type {Game[]} */
const games = index.games.map(
  (/** @type {any[]} */ [number, round, variant, size, opening, white, black, result, plies, termination, details, flaw]) =>
    ({number, round, variant, size, opening, white, black, result, plies, termination, details, flaw}));
const place = new Map(games.map((game, at) => [game.number, at]));
let rowsShown = ROWS_AT_ONCE;

/** @param {Game} game */
const endingOf = (game) => [game.termination, game.details].filter(Boolean).join(": ");
/** @param {Game} game */
const boardOf = (game) => `${game.variant} ${game.size}`;

// ---------------------------------------------------------------- the replay

/** @type {Player} */
const player = new Player(find(".replay", section), {draw: drawBoard, changed: setAddress, describe: moveCursor}, {
  "previous-game": () => step(-1),
  "next-game": () => step(1),
});
player.engines = index.engines;

/** @param {Replay} replay @param {boolean} flipped */
async function drawBoard(replay, flipped) {
  const template = document.getElementById(`board-${replay.ground}-${flipped ? "black" : "white"}`);
  if (!template || !replay.start.men) return null;
  const {content} = /** @type {HTMLTemplateElement} */ (template);
  return new Ground(/** @type {SVGSVGElement} */ (content.cloneNode(true).firstChild), replay.files, flipped, false);
}

/** @param {number} number @param {number} ply */
function open(number, ply) {
  if (!place.has(number)) return;
  if (player.replay?.game === number) {
    player.show(player.replay, ply);
    return;
  }
  const game = games[place.get(number)];
  const {variant, size, white, black, result} = game;
  const packed = read(`game-${number}`);
  const replay = {...unpack(packed, {ground: `${variant}-${size}`, files: Number(size.split("x")[0]), variant, size}),
    game: number, white, black, result, scores: true};
  describeGame(game, replay, packed);
  drawGraph(replay);
  player.show(replay, ply);
  markGame();
}

/** @param {number} game @param {number} ply */
function setAddress(game, ply) { location.replace(`#game=${game}&ply=${ply}`); }

/** @param {number} by */
function step(by) {
  const next = games[place.get(player.replay.game) + by];
  if (!next) return;
  player.autoplay(false);
  open(next.number, 0);
  setAddress(next.number, 0);
}

/** @param {Game} game @param {Replay} replay @param {{fault?: string, stderr?: string, violations?: string[]}} remarks */
function describeGame(game, replay, {fault, stderr, violations = []}) {
  write(find(".heading", section), `Game ${game.number}${game.round ? `, round ${game.round}` : ""}: ${boardOf(game)}, ` +
    resultText(game.result));
  write(find(".ending", section), endingOf(game));
  find(".remarks", section).replaceChildren(
    ...[replay.problem ? `The replay is incomplete: ${replay.problem}` : "", fault].filter(Boolean)
      .map((text) => element("p", {class: "fault"}, text)),
    ...violations.map((text) => element("p", {}, text)),
    ...(stderr ? [element("pre", {tabindex: "0"}, stderr)] : []),
    element("details", {}, element("summary", {}, "Start position"), element("code", {}, replay.start_fen)));
}

/** @param {Replay} replay */
function drawGraph({plies}) {
  const graph = find(".graph", section);
  graph.replaceChildren();
  if (plies.length < 2 || plies.every(({score}) => score === null)) return;
  const reviewed = plies.some(({best}) => best); // by one engine, which scored the moves of both
  /** @param {number} side */
  const line = (side) => drawn("polyline", {class: `line ${side ? "b" : "w"}`, points: plies.flatMap(({score, mover}, at) =>
    (score === null || !reviewed && mover !== side ? [] : [`${at + 1},${(1 - shareOf(score) / 50).toFixed(3)}`])).join(" ")});
  const picture = drawn("svg", {viewBox: `0 -1.05 ${plies.length} 2.1`, preserveAspectRatio: "none", role: "img",
    "aria-label": "Scores over the game; up is better for White"},
  drawn("path", {class: "axis", d: `M0 0H${plies.length}`}), line(0), ...(reviewed ? [] : [line(1)]),
  drawn("path", {class: "cursor", d: "M0 -1V1"}));
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    player.go(Math.round((event.clientX - box.left) / box.width * plies.length));
  });
  graph.append(element("p", {class: "quiet"}, "Score (up is better for White)", ...(reviewed ? [] : [" reported by ",
    element("span", {class: "key w"}, "White"), " and ", element("span", {class: "key b"}, "Black")])), picture);
}

/** @param {Replay} _ @param {number} ply */
function moveCursor(_, ply) {
  find(".graph .cursor", section)?.setAttribute("d", `M${ply} -1V1`);
}

// ---------------------------------------------------------------- the list of games

/** @type {Record<string, (game: Game) => string[]>} */
const CHOICES = {
  engine: (game) => [index.engines[game.white], index.engines[game.black]],
  result: (game) => [resultText(game.result)],
  board: (game) => [boardOf(game)],
  termination: (game) => [game.termination],
};

function fillFilters() {
  for (const [name, values] of Object.entries(CHOICES)) {
    const select = find(`[data-filter="${name}"]`, section);
    const choices = [...new Set(games.flatMap(values))].sort();
    select.replaceChildren(...options([["", "all"], ...choices.map((choice, at) => /** @type {[string, string]} */ ([String(at + 1), choice]))]));
    select.parentElement.hidden = choices.length < 2;
    select.addEventListener("change", () => { rowsShown = ROWS_AT_ONCE; listGames(); });
  }
}

function listGames() {
  const chosen = Object.entries(CHOICES).flatMap(([name, values]) => {
    const select = find(`[data-filter="${name}"]`, section);
    return select.value ? [{values, choice: select.selectedOptions[0].textContent}] : [];
  });
  const found = games.filter((game) => chosen.every(({values, choice}) => values(game).includes(choice)));
  const rows = found.slice(0, rowsShown).map((game) => element("tr", {"data-game": game.number},
    element("td", {class: "number"}, element("a", {href: `#game=${game.number}`}, String(game.number))),
    element("td", {}, index.engines[game.white]), element("td", {}, index.engines[game.black]),
    element("td", {class: "result"}, resultText(game.result)), element("td", {class: "number"}, String(game.plies)),
    element("td", {}, endingOf(game)), element("td", {}, boardOf(game))));
  const head = ["", "White", "Black", "Result", "Plies", "Termination", "Variant"].map((text) => element(text ? "th" : "td", {}, text));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  const more = element("button", {type: "button"}, `${found.length - rows.length} more`);
  more.addEventListener("click", () => { rowsShown += 10 * ROWS_AT_ONCE; listGames(); });
  find(".list", section).replaceChildren(element("div", {class: "scroll", tabindex: "0"}, table),
    ...(rows.length < found.length ? [more] : []));
  markGame();
}

function markGame() {
  find("tr.current", section)?.classList.remove("current");
  find(`tr[data-game="${player.replay.game}"]`, section)?.classList.add("current");
}

// ---------------------------------------------------------------- start

function followAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  if (!words.has("game")) return;
  const jumped = Number(words.get("game")) !== player.replay.game || !words.has("ply");
  open(Number(words.get("game")), Number(words.get("ply") ?? 0));
  if (jumped) section.scrollIntoView();
}

document.addEventListener("keydown", (event) => player.press(event));
window.addEventListener("hashchange", followAddress);
find(".replay", section).hidden = false;
find(".filters", section).hidden = false;
fillFilters();
open(games[0].number, 0);
listGames();
followAddress();
