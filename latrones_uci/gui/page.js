// @ts-check
// The page: one game. The server knows the rules, keeps the clocks and runs the engines; the page shows its state.

import {Board} from "./board.js";
import {element, find, loadDrawing, SIDES} from "../web/dom.js";
import {Ground} from "../web/ground.js";
import {firstGame, openMenu, openPosition, prepare, remember} from "./menu.js";
import {showAnalysis, showClocks, showNotices, showPlayers, statusText} from "./panel.js";
import {listMoves, showEvaluation, write} from "../web/display.js";
import {attend, listen, send} from "../web/tabs.js";

const TABLE = "latrones-table"; // the storage key for the name of this tab's game
const TICK_MS = 100;
const LOST_MS = 1500;
const RESIGN_MS = 4000; // the time to confirm a resignation
const SEARCHING = "Searching for a hint\u2026";
const CONTINUE = "Choose the next square, or click the piece again to end the move here.";
/** @type {{table: string | null, state: import("./types").State | null, analysis: import("./types").Analysis, came: number, ply: number | null, flipped: boolean, ground: string, lost: number}} */
const page = {table: null, state: null, analysis: {lines: [], wanted: 0}, came: 0, ply: null, flipped: false,
  ground: "", lost: 0};
const board = new Board(find(".board"), (move) => command("move", {move, ply: page.state.plies.length}), showProgress);
/** @param {string} name @returns {HTMLButtonElement} */
const button = (name) => find(`[data-do="${name}"]`);

// ---------------------------------------------------------------- events from the server

/** @param {import("./types").Kind} kind @param {any} data */
async function take(kind, data) {
  if (kind === "gone") {
    showMessage("That game is no longer available; a new one has been started.");
    await create(firstGame());
  } else if (kind === "analysis") {
    page.analysis = data;
    showAnalysis(data);
    showScore();
  } else {
    const before = page.state;
    page.state = data;
    page.came = performance.now();
    const moved = before && before.plies.length !== data.plies.length;
    if (moved) page.ply = null;
    if ((moved || data.hint) && find(".advice").textContent === SEARCHING) showMessage("");
    await show();
  }
}

let showing = Promise.resolve();
function show() {
  showing = showing.then(draw).catch((error) => showMessage(error.message));
  return showing;
}

async function draw() {
  const {state} = page;
  const ground = [page.table, state.variant, state.size, page.flipped].join(" ");
  if (ground !== page.ground) {
    const svg = await groundOf(page.table, page.flipped);
    if (page.state !== state) return; // a later state will be drawn next
    board.setGround(new Ground(svg, state.files, page.flipped));
    page.ground = ground;
  }
  find("header .game").textContent = `${state.title}, ${state.size.replace("x", "\u00d7")}`;
  const ply = shown();
  const before = ply > 1 ? viewOf(ply - 1) : null;
  if (before && board.shows(before.follows)) board.show(before); // two plies came at once
  board.show(viewOf(ply));
  showPlayers(state, page.flipped);
  showClocks(state, performance.now() - page.came);
  listMoves(state, ply, look);
  showNotices(state);
  showScore();
  showProgress();
  const people = state.players.filter(({kind}) => kind === "person").length;
  write(find(".status"), statusText(state, people === 1 && state.players[state.side].kind === "person"));
  find(".status").classList.toggle("over", state.outcome !== null);
  const last = state.plies.at(-1);
  write(find(".announce"), last ? `${SIDES[last.mover]} ${last.number}: ${last.note}` : "");
  document.title = `${state.outcome ? state.outcome.result : SIDES[state.side]} \u00b7 ${state.title}`;
  button("undo").disabled = !state.plies.length;
  button("hint").disabled = button("resign").disabled = button("pause").disabled = state.outcome !== null;
  button("pause").textContent = state.paused ? "Resume" : "Pause";
  button("now").hidden = !state.players.some(({kind}) => kind === "engine");
  button("now").disabled = !state.thinking;
  keepFocus();
  find("[data-pgn]").href = `game.pgn?table=${encodeURIComponent(page.table)}`;
}

// Moves the focus to the board when the focused control is disabled or hidden, because it would be lost otherwise.
function keepFocus() {
  if (document.activeElement?.matches("main :disabled, main [hidden]")) board.focus();
}

/** @param {string} table @param {boolean} flipped */
const groundOf = (table, flipped) =>
  loadDrawing(`board.svg?table=${encodeURIComponent(table)}&flipped=${flipped ? 1 : 0}`);

/** @param {number} ply @returns {import("./types").View} */
function viewOf(ply) {
  const {state} = page;
  const standing = /** @type {import("./types").Ply} */ (ply ? state.plies[ply - 1] : state.start);
  const now = ply === state.plies.length;
  /** @param {number} upTo */
  const key = (upTo) => [state.start_fen, ...state.plies.slice(0, upTo).map(({text}) => text)].join(" ");
  const mine = now && !state.outcome && !state.thinking && state.players[state.side].kind === "person";
  return {
    men: standing.men, hand: standing.hand, side: standing.side, path: ply ? standing.path : null,
    captures: ply ? standing.captures : [], before: ply > 1 ? state.plies[ply - 2].men : state.start.men,
    legal: mine ? state.legal : [], surrounded: now ? state.surrounded : [], immobile: now ? state.immobile : [],
    hint: now ? state.hint : null, over: now && state.outcome !== null,
    key: key(ply), follows: ply ? key(ply - 1) : null,
    fen: standing.fen,
    title: `${state.title}, ${ply ? `after ${standing.number}. ${standing.note}` : "start"}`,
  };
}

function showScore() {
  const {state, analysis} = page;
  const ply = page.ply ?? state?.plies.length ?? 0;
  const live = analysis.wanted && analysis.ply === ply ? analysis.lines[0]?.score ?? null : null;
  const scores = (state?.plies.slice(0, ply) ?? []).map(({score}) => score).filter((score) => score !== null);
  showEvaluation(find(".evaluation"), live ?? scores.at(-1) ?? null, page.flipped);
}

// Shows how to continue or end a chain that has been started.
function showProgress() {
  const finish = button("finish");
  finish.hidden = !board.unfinished;
  if (board.unfinished) showMessage(CONTINUE);
  else if (find(".advice").textContent === CONTINUE) showMessage("");
  keepFocus();
}

/** @param {string} text */
function showMessage(text) { find(".advice").textContent = text; }

// ---------------------------------------------------------------- actions of the user

/** @param {string} what @param {Record<string, any>} more */
async function command(what, more = {}) {
  showMessage("");
  try {
    return await send({do: what, table: page.table, ...more});
  } catch (error) {
    showMessage(error.message);
    return null;
  }
}

/** @param {import("./types").GameChoice} game */
async function create(game) {
  const {table} = await send({do: "create", game});
  page.table = table;
  page.flipped = playsBlack(game);
  sessionStorage.setItem(TABLE, table);
  attend(table);
}

/** @param {import("./types").GameChoice} game */
async function start(game) {
  await send({do: "restart", table: page.table, game});
  page.ply = null;
  page.flipped = playsBlack(game);
  remember(game);
  await show();
}

/** @param {string} fen */
const setUp = (fen) => send({do: "position", table: page.table, fen});
/** @param {import("./types").GameChoice} game */
const playsBlack = ({players: [white, black]}) => white.kind !== "person" && black.kind === "person";

/** @param {number} ply */
function look(ply) {
  const last = page.state.plies.length;
  page.ply = ply >= last ? null : Math.max(ply, 0);
  return show();
}

// Resigns when the button is pressed a second time, because this ends the game.
function resign() {
  const node = button("resign");
  const restoreLabel = () => { node.textContent = "Resign"; };
  if (node.textContent === "Resign") {
    node.textContent = "Really resign?";
    setTimeout(restoreLabel, RESIGN_MS);
    return null;
  }
  restoreLabel();
  return command("resign");
}

const shown = () => page.ply ?? page.state.plies.length;
/** @type {Record<string, () => any>} */
const ACTIONS = {
  menu: openMenu,
  finish: () => board.finish(),
  undo: () => command("undo"),
  hint: () => { command("hint"); showMessage(SEARCHING); },
  flip: () => { page.flipped = !page.flipped; return show(); },
  now: () => command("now"),
  pause: () => command("pause", {on: !page.state.paused}),
  resign,
  first: () => look(0),
  back: () => look(shown() - 1),
  forward: () => look(shown() + 1),
  last: () => look(page.state.plies.length),
  position: () => openPosition(viewOf(shown()).fen),
  analyse: () => command("analyse", {lines: page.analysis.wanted ? 0 : Number(find("[data-lines]").value)}),
};
/** @type {Record<string, string>} */
const KEYS = {ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", u: "undo", h: "hint", f: "flip",
  n: "menu", m: "now", p: "pause", a: "analyse"};

document.addEventListener("click", (event) => {
  const pressed = /** @type {Element} */ (event.target).closest("main [data-do], header [data-do]");
  const action = ACTIONS[/** @type {HTMLElement | null} */ (pressed)?.dataset.do];
  if (action && page.state) action();
});
document.addEventListener("keydown", (event) => {
  const typing = /** @type {Element} */ (event.target).closest("input, select, textarea, dialog");
  if (event.altKey || event.ctrlKey || event.metaKey || typing) return;
  if (!(event.key in KEYS) || !page.state || button(KEYS[event.key]).disabled) return;
  event.preventDefault();
  ACTIONS[KEYS[event.key]]();
});
find("[data-lines]").addEventListener("change", (/** @type {any} */ event) => {
  if (page.analysis.wanted) command("analyse", {lines: Number(event.target.value)});
});
setInterval(() => {
  if (page.state) showClocks(page.state, performance.now() - page.came);
  const alarm = find(".alarm");
  alarm.hidden = !page.lost || performance.now() - page.lost < LOST_MS;
}, TICK_MS);

// ---------------------------------------------------------------- start

async function begin() {
  const answer = await fetch("menu.json");
  prepare(await answer.json(), start, setUp);
  const program = element("code", {}, "latrones-uci gui");
  find(".alarm").replaceChildren("The server does not respond. Is ", program, " still running?");
  listen(["state", "analysis", "gone"], take, (connected) => { page.lost = connected ? 0 : page.lost || performance.now(); });
  page.table = sessionStorage.getItem(TABLE);
  if (page.table) attend(page.table);
  else await create(firstGame());
}

begin();
