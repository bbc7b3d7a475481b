// The page: one game. The server knows the rules, keeps the clocks and runs the engines; the page shows its state.

import {addressing, nameGame} from "./address.js";
import {awaitAnswer, awaitHint, confirmed, dropHint, explain, showChain, showMessage, showNews, showPremove, withdraw} from "./advice.js";
import {Board} from "./board.js";
import {find, preloadDrawing} from "../lib/dom.js";
import {Ground} from "../lib/ground.js";
import {keepInView, listMoves, write} from "../lib/display.js";
import {attend, listen, load, NO_ANSWER, send} from "../lib/tabs.js";
import {chosen, firstGame, openMenu, prepare, remember} from "./newgame.js";
import {button, listenTo, offerDraw, showButtons} from "./buttons.js";
import {openGames} from "./games.js";
import {openEditor, prepareEditor} from "./editor.js";
import {openOptions, prepareOptions} from "./options.js";
import {previewLines, showAnalysis, showNotices, showScore, showStatus} from "./panel.js";
import {showClocks, showHands, showPlayers, showTaken} from "./players.js";
import {branches, explorer, findMoves, listenBeside, showBranch, takeTree} from "./tree.js";
import {Pointer} from "./pointer.js";
import {Zoom} from "./zoom.js";
import {showReview} from "./review.js";
import {openRules} from "./rules.js";
import {forgetSide, offshoots, prepareSettings, rememberedSide, rememberSide, session, showOrigin} from "./session.js";
import {openShare} from "./share.js";
import {studying} from "./study.js";
import {play, soundOf} from "./sound.js";
import {page} from "./state.js";
import {closeTutorial, prepareTutorial, showTutorial} from "./tutorial.js";
import {bestArrows, isLive, listedOf, merged, nodeOf, playsBlack, plyOf, rematchOf, standingOf, viewAt, viewOf} from "./view.js";

const TICK_MS = 100;
/** @type {Partial<import("./types").View>} */
const NO_MOVES = {legal: [], hint: null, decisive: [], key: "preview", follows: null};
const {settings} = page;
const board = new Board(find(".board"), {
  play: async (move) => page.state && (isLive(page) ? awaitAnswer(move, command("move", {move, ply: page.state.plies.length})) : study.play(move)),
  changed: showProgress,
  refuse: (from, to) => page.state && explain(page, from, to),
  hands: (shownBoard) => showHands(shownBoard, page.flipped),
  sketched: (sketches) => study.drawn(sketches),
  premoved: (premove) => showPremove(premove, page.state?.files),
});
const zoom = new Zoom(board, new Pointer(board, find(".stage")));

/** @param {Error} error */
const told = ({message}) => showMessage(message);

// ---------------------------------------------------------------- events from the server

/** @param {import("./types").Kind} kind @param {any} data */
async function take(kind, data) {
  if (kind === "gone") {
    await recover();
  } else if (kind === "unsaved") {
    find(".unsaved").hidden = !data;
    write(find(".unsaved"), data ? `Games are not being saved: ${data}. The server tries again; stop it only when this message is gone.` : "");
  } else if (kind === "review") {
    page.review = data;
    if (page.state) await (data && !data.scores ? review() : show());
  } else if (kind === "attempt" || kind === "values") {
    if (study.take(kind, data) && page.state) await show();
  } else if (kind === "variations") {
    takeTree(page, data);
    if (page.state) await show();
  } else if (kind === "analysis") {
    if (data.wanted !== page.analysis.wanted) dropHint(); // the analysis has replaced the search
    page.analysis = data;
    showAnalysis(page);
    showScore(page);
    study.take(kind, data);
    if (page.state) review();
    if (page.state && !board.entry.unfinished && !page.previewing) board.showArrows(arrows());
  } else {
    const before = page.state;
    page.state = merged(before, data);
    if (!page.state) {
      page.state = before;
      command("show"); // a change has been missed
      return;
    }
    session.record = page.state.record;
    if (settings.sound) play(soundOf(before, page.state));
    page.came = performance.now();
    const {record, plies, players} = page.state;
    const moved = before && before.plies.length !== plies.length;
    if (moved && page.node === null || plies.length < before?.plies.length || before && before.record !== record) page.ply = page.node = null;
    if (before?.record !== record) page.flipped = rememberedSide(page.table, players);
    showNews(before, page);
    await show();
    arrive();
  }
}

/** @type {(value?: any) => void} */
let ready = () => {};
const prepared = new Promise((resolve) => { ready = resolve; }); // once the menu has its choices

// After a restart of the server: continues the game that this tab showed, if it was kept.
async function recover() {
  await prepared;
  const {record} = session;
  const fresh = await send({do: "create", game: chosen()});
  const kept = record ? await send({do: "open", table: fresh.table, record}).catch(() => ({table: ""})) : fresh;
  enter(kept.table || fresh.table);
  if (!kept.table) showMessage("That game is no longer available; a new one has been started.");
}

let showing = Promise.resolve();
const show = () => (showing = showing.then(draw).catch(told));

const boardAddress = () => `board.svg?table=${encodeURIComponent(page.table)}&flipped=${page.flipped ? 1 : 0}`;

async function draw() {
  const {state} = page;
  const ground = [page.table, state.variant, state.size, page.flipped].join(" ");
  if (ground !== page.ground) {
    const drawing = await Ground.load(boardAddress(), state.files, page.flipped);
    if (page.state !== state) return; // a later state is drawn next
    board.setGround(drawing);
    find("main").style.setProperty("--aspect", drawing.aspect);
    zoom.ground();
    page.ground = ground;
  }
  write(find("h1"), state.title);
  find("h1").classList.toggle("long", state.title.length > 16);
  write(find("header .game"), state.wheel || state.title.endsWith(state.size) ? "" : state.size.replace("x", "\u00d7"));
  if (page.node !== null && !nodeOf(page)) return; // its variation has not arrived yet
  const ply = plyOf(page);
  const before = ply > 1 && page.node === null ? viewOf(state, ply - 1) : null;
  if (before && board.view?.key === before.follows) board.show(before); // two plies arrived together
  if (!page.previewing) board.show(viewAt(page, {arrows: arrows()}));
  findMoves(page, show);
  showPlayers(state, page.flipped);
  showTaken(state, standingOf(page), page.flipped);
  showClocks(state, performance.now() - page.came);
  listMoves(listedOf(page), page.node === null ? ply : -1, look, settings.plain, branches(page));
  showBranch(page);
  showNotices(state);
  review();
  showScore(page);
  showProgress();
  showStatus(state);
  showButtons(page);
  showTutorial();
  study.follow();
  showOrigin(page);
  nameGame(page);
  keepFocus();
}

// Moves the focus to the board when the focused control is disabled or hidden, which would lose the focus.
function keepFocus() { if (document.activeElement?.matches("main :disabled, main [hidden]")) board.focus(); }

function showProgress() {
  showChain(board.entry.unfinished, board.entry.path.length > 0);
  keepFocus();
}

const arrows = () => [...bestArrows(page), ...study.arrows()];
const review = () => showReview(page, {look, retry: (move) => playOn(move, chosen()).catch(told)});

// ---------------------------------------------------------------- actions of the user

/** @param {string} what @param {Record<string, any>} more */
async function command(what, more = {}) {
  if (what !== "analyse") showMessage("");
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
  page.flipped = playsBlack(game.players);
  enter(table);
}

/** @param {import("./types").GameChoice} game */
async function start(game) {
  await send({do: "restart", table: page.table, game});
  page.ply = null;
  forgetSide();
  page.flipped = playsBlack(game.players);
  await show();
}

// Opens a kept game: here, or in the table that already shows it.
/** @param {string} record */
async function openKept(record) {
  const {table} = await send({do: "open", table: page.table, record});
  page.ply = null;
  forgetSide();
  if (table === page.table) return;
  enter(table);
}

/** @param {string} table */
function enter(table) {
  page.table = table;
  page.state = page.ply = page.node = null;
  board.wait();
  session.table = table;
  preloadDrawing(boardAddress()); // while waiting for the state
  attend(table);
}

const {look, vary, actions} = explorer(page, command, show);
const study = studying(page, board, {look, vary, show, analyse: () => actions.analyse()});
const {playOn, goBack, analyseAnew} = offshoots(page, create, openKept, command);
const openPuzzle = async (/** @type {string} */ variant, number = "") => (await import("./puzzles.js")).openPuzzles(variant, analyseAnew, number);

/** @param {string} variant */
const rulesOf = (variant) => openRules(variant).catch(told);
const arrive = addressing(page, prepared, {openKept, look, rules: openRules, puzzle: openPuzzle});

/** @param {boolean} swapped */
const again = (swapped) => start(rematchOf(page.state.choice, swapped)).catch(told);

function flip() {
  page.flipped = !page.flipped;
  rememberSide(page.table, page.flipped);
  return show();
}

/** @type {Record<string, () => any>} */
const ACTIONS = {
  ...actions,
  ...study.actions,
  menu: openMenu,
  games: () => openGames(openKept, page.state.record),
  rules: () => rulesOf(page.state.variant),
  puzzles: () => openPuzzle(page.state.variant),
  "first-game": () => firstGame(page.state.variant).then(start).catch(told),
  "tutorial-close": closeTutorial,
  finish: () => board.finish(),
  undo: () => command("undo"),
  review: () => command("review"),
  hint: () => {
    if (page.ply !== null || page.node !== null) look(page.state.plies.length); // the hint is for the current position
    command("hint");
    awaitHint(page);
  },
  origin: () => goBack().catch(told),
  flip,
  now: () => command("now"),
  pause: () => command("pause", {on: !page.state.paused}),
  resign: () => confirmed(button("resign"), "Resign", "Really resign?", () => command("resign")),
  draw: () => offerDraw(page.state, command),
  rematch: () => again(false),
  swap: () => again(true),
  position: () => openEditor({table: page.table, fen: standingOf(page).fen, files: page.state.files, flipped: page.flipped}),
  share: () => openShare(page.table, standingOf(page).fen),
  keys: () => find("dialog.keys").showModal(),
  settings: () => find("dialog.settings").showModal(),
  options: openOptions,
  zoom: () => zoom.toggle(),
};
listenTo(ACTIONS, () => page.state !== null);
setInterval(() => { if (page.state) showClocks(page.state, performance.now() - page.came); }, TICK_MS);

async function begin() {
  keepInView();
  prepareSettings(settings, (name) => {
    if (name === "name" && page.state) command("name", {name: settings.name});
    showAnalysis(page);
    if (page.state) show();
  });
  listen(["variations", "state", "analysis", "review", "attempt", "values", "unsaved", "gone"], take, (connected) => { if (connected) withdraw(NO_ANSWER); });
  page.table = session.table;
  if (page.table) attend(page.table);
  const choices = await load("menu.json");
  prepare(choices, async (game) => { await start(game); remember(game); }, rulesOf);
  prepareEditor(async (fen, analyses) => {
    if (!analyses) return send({do: "position", table: page.table, fen});
    await start({...page.state.choice, fen, players: [{kind: "person", engine: 0}, {kind: "person", engine: 0}]});
    return ACTIONS.analyse();
  });
  prepareOptions(choices.engines);
  prepareTutorial(choices, ACTIONS);
  previewLines((step) => {
    if (!page.state || !step && !page.previewing) return;
    page.previewing = step !== null;
    board.show(viewAt(page, step ? {...step, ...NO_MOVES} : {arrows: arrows()}));
  }, (moves) => {
    page.previewing = false;
    vary("line", {moves});
  });
  listenBeside(page, look);
  ready();
  if (!page.table) await create(chosen());
}

begin();
