// @ts-check
// The replay of a report. The page contains the positions (see replay.py), so this script needs no rules.
"use strict";

/** @typedef {Record<string, string | number>} Attributes */
/** @typedef {number | string} Score centi-soldiers from White's side, or "#5" for a forced win */
/**
 * @typedef {{number: number, round: string, variant: string, size: string, opening: number, white: number,
 *   black: number, result: string, plies: number, termination: string, details: string, flaw: number}} Game
 */
/**
 * @typedef {{fen: string, men: string, hand: string, changes: string[], moves: string[], notes: string[], sides: string,
 *   numbers: number[], last: number, ms?: number[], clock?: number[], score?: Score[], depth?: number[],
 *   nodes?: number[], mark?: string[], lost?: string[], best?: string[], fault?: string, stderr?: string, problem?: string, violations?: string[]}} Replay
 */

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const ROWS_SHOWN = 100;
  const AUTOPLAY_MS = 700;
  const SCORE_SHOWN = 1000; // centi-soldiers: the graph ends there
  const section = document.getElementById("games");
  if (!section) return;
  /** @type {(selector: string) => any} */
  const find = (selector) => section.querySelector(selector);
  /** @type {(id: string) => any} */
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const index = read("game-list");
  /** @type {Game[]} */
  const games = index.games.map(
    (/** @type {any[]} */ [number, round, variant, size, opening, white, black, result, plies, termination, details, flaw]) =>
      ({number, round, variant, size, opening, white, black, result: result.replace("1/2-1/2", "\u00bd-\u00bd"), plies,
        termination, details, flaw}));
  const place = new Map(games.map((game, at) => [game.number, at]));
  /** @type {{game: Game, replay: Replay | null, ply: number, flipped: boolean, timer: any, rows: number}} */
  const state = {game: games[0], replay: null, ply: 0, flipped: false, timer: 0, rows: ROWS_SHOWN};

  // ---------------------------------------------------------------- elements

  /** @param {string} name @param {Attributes} attributes @param {(Node | string)[]} children */
  function element(name, attributes = {}, ...children) {
    return filled(document.createElement(name), attributes, children);
  }

  /** @param {string} name @param {Attributes} attributes @param {(Node | string)[]} children */
  function drawn(name, attributes = {}, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
  }

  /** @template {Element} T @param {T} node @param {Attributes} attributes @param {(Node | string)[]} children */
  function filled(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    node.append(...children);
    return node;
  }

  /** @param {string} name @param {(string | number)[]} place */
  const use = (name, [x, y]) => drawn("use", {href: `#${name}`, x, y});

  // ---------------------------------------------------------------- text

  /** @param {number} number */
  const pad = (number) => String(number).padStart(2, "0");

  /** @param {number} ms */
  function clockText(ms) {
    const tenths = Math.floor(Math.abs(ms) / 100);
    const seconds = Math.floor(tenths / 10);
    const minutes = Math.floor(seconds / 60);
    const sign = ms < 0 ? "\u2212" : "";
    if (minutes >= 60) return `${sign}${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
    return `${sign}${minutes}:${pad(seconds % 60)}.${tenths % 10}`;
  }

  /** @param {Score} score */
  function scoreText(score) {
    if (typeof score === "string") {
      const [turns, isBlacks] = [score.replace(/\D/g, ""), score.includes("-")];
      return turns === "0" ? isBlacks ? "0-1" : "1-0" : `${isBlacks ? "Black" : "White"} wins in ${turns}`;
    }
    return (score > 0 ? "+" : score < 0 ? "\u2212" : "") + (Math.abs(score) / 100).toFixed(2);
  }

  /** @param {number} count */
  function countText(count) {
    if (count < 10000) return String(count);
    return count < 1e6 ? `${(count / 1e3).toFixed(0)}k` : `${(count / 1e6).toFixed(1)}M`;
  }

  /** @type {(name: "score" | "depth" | "nodes" | "ms" | "clock" | "mark" | "lost" | "best", ply: number) => any} */
  const infoAt = (name, ply) => (state.replay[name] ? state.replay[name][ply - 1] : null) ?? null;

  // A move in the notation for people; one that is not legal as it was sent.
  /** @param {number} ply */
  const noteAt = (ply) => state.replay.notes[ply - 1] ?? state.replay.moves[ply - 1];

  /** @param {number} ply */
  function plyText(ply) {
    const {sides} = state.replay;
    const parts = [`${moveNumber(ply)}. ${sides[ply - 1] === "w" ? "White" : "Black"} ${noteAt(ply)}${infoAt("mark", ply) ?? ""}`];
    if (infoAt("mark", ply)) parts.push(infoAt("lost", ply), `best was ${infoAt("best", ply)}`);
    const score = infoAt("score", ply), depth = infoAt("depth", ply), nodes = infoAt("nodes", ply), ms = infoAt("ms", ply);
    if (score !== null) parts.push(scoreText(score));
    if (depth !== null) parts.push(`depth ${depth}`);
    if (nodes !== null) parts.push(`${countText(nodes)} nodes`);
    if (ms !== null) parts.push(ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
    return parts.join(" \u00b7 ");
  }

  /** @param {number} ply */
  const moveNumber = (ply) => state.replay.numbers[ply - 1];

  // ---------------------------------------------------------------- positions

  /** @param {Game} game @returns {Replay} */
  function prepare(game) {
    const replay = read(`game-${game.number}`);
    let number = 0;
    replay.numbers = replay.numbers.map((/** @type {number} */ step) => (number += step));
    replay.last = replay.changes.length;
    return replay;
  }

  /** @param {number} ply */
  function positionAt(ply) {
    const men = [...state.replay.men];
    let hand = state.replay.hand;
    for (const changes of state.replay.changes.slice(0, ply)) {
      const [squares, held] = changes.split("[");
      for (const [, piece, square] of squares.matchAll(/([.A-Za-z])(\d+)/g)) men[Number(square)] = piece;
      hand = held ?? hand;
    }
    return {men, hand};
  }

  /** @param {string} move */
  function squaresOf(move) {
    const files = Number(state.game.size.split("x")[0]);
    return [...move.matchAll(/([a-p])(\d+)/g)].map(
      ([, file, rank]) => (Number(rank) - 1) * files + file.charCodeAt(0) - "a".charCodeAt(0));
  }

  // ---------------------------------------------------------------- the board

  function setBoard() {
    const side = state.flipped ? "black" : "white";
    const template = document.getElementById(`board-${state.game.variant}-${state.game.size}-${side}`);
    find(".board").replaceChildren(...(template ? [/** @type {HTMLTemplateElement} */ (template).content.cloneNode(true)] : []));
  }

  /** @param {any} board @param {string} name @returns {string[][]} */
  const points = (board, name) => String(board.dataset[name]).split(" ").filter(Boolean).map((pair) => pair.split(","));

  function drawBoard() {
    const board = find(".board svg");
    if (!board || !state.replay.men) return;
    const {men, hand} = positionAt(state.ply);
    const centres = points(board, "centres");
    /** @param {string} name @param {Element[]} children */
    const part = (name, children) => board.querySelector(`.board-${name}`).replaceChildren(...children);
    part("men", men.flatMap((piece, square) => (piece === "." ? [] : [use(`man-${piece}`, centres[square])])));
    part("marks", state.ply ? marks(board, centres) : []);
    part("hands", points(board, "hands").flatMap(([x, y], side) => held(hand, ["SD", "sd"][side], Number(x), Number(y))));
    const white = state.replay.sides[state.ply] === "w";
    const [x, y] = points(board, "turns")[white ? 0 : 1];
    part("turn", state.ply < state.replay.last || state.game.result === "*"
      ? [drawn("use", {href: white ? "#man-S" : "#man-s", transform: `translate(${x} ${y}) scale(.42)`})] : []);
    const after = state.ply ? `after ${moveNumber(state.ply)}. ${noteAt(state.ply)}` : "at the start";
    board.querySelector("title").textContent = `Game ${state.game.number} ${after}`;
    board.querySelector("desc").textContent = men.join("");
  }

  /** @param {any} board @param {string[][]} centres */
  function marks(board, centres) {
    const path = squaresOf(state.replay.moves[state.ply - 1]);
    const emptied = [...state.replay.changes[state.ply - 1].matchAll(/\.(\d+)/g)].map(([, square]) => Number(square));
    const children = [...new Set(path)].map((square) => use(board.dataset.mark, centres[square]));
    if (path.length > 1) {
      children.push(drawn("path", {class: "board-track", d: `M${path.map((square) => centres[square].join(" ")).join("L")}`}));
      children.push(use("mark-origin", centres[path[0]]));
    }
    const moved = path.length > 1 ? path : [];
    return [...children, ...emptied.filter((square) => !moved.includes(square)).map(
      (square) => use("mark-captured", centres[square]))];
  }

  /** @param {string} hand @param {string} letters @param {number} x @param {number} y */
  function held(hand, letters, x, y) {
    const men = [...hand.matchAll(/(\d+)([A-Za-z])/g)].filter(([, , piece]) => letters.includes(piece));
    return men.flatMap(([, count, piece], at) => [
      drawn("use", {href: `#man-${piece}`, transform: `translate(${x + 220 * at} ${y}) scale(.75)`}),
      drawn("text", {class: "board-count", x: x + 220 * at + 46, y: y + 14}, `\u00d7${count}`)]);
  }

  // ---------------------------------------------------------------- beside the board

  function drawAccount() {
    const {game, ply, replay} = state;
    const near = state.flipped ? 1 : 0;
    for (const [selector, side] of /** @type {[string, number][]} */ ([[".near", near], [".far", 1 - near]])) {
      const who = element("b", {}, index.engines[side ? game.black : game.white]);
      const icon = drawn("svg", {viewBox: "-50 -50 100 100", class: "latrones-board icon", "aria-hidden": "true"},
        use(side ? "man-s" : "man-S", [0, 0]));
      find(`${selector} .who`).replaceChildren(icon, element("span", {class: "quiet"}, side ? "Black " : "White "), who);
      find(`${selector} .clock`).textContent = clockOf(side ? "b" : "w");
    }
    find(".now").textContent = ply ? plyText(ply) : `Start${replay.last ? "" : ": no moves"}`;
    const current = find(".moves .current");
    if (current) current.classList.remove("current");
    const move = find(`.moves [data-ply="${ply}"]`);
    const list = find(".moves");
    if (move) {
      move.classList.add("current");
      const above = move.offsetTop; // in the list
      if (above < list.scrollTop || above > list.scrollTop + list.clientHeight - 40) list.scrollTop = above - list.clientHeight / 2;
    } else {
      list.scrollTop = 0;
    }
    const cursor = find(".graph .cursor");
    if (cursor) cursor.setAttribute("d", `M${ply} -1V1`);
  }

  /** @param {string} side */
  function clockOf(side) {
    for (let ply = state.ply; ply > 0; ply--) {
      if (state.replay.sides[ply - 1] === side) {
        const left = infoAt("clock", ply);
        return left === null ? "" : clockText(left);
      }
    }
    return "";
  }

  function listMoves() {
    const {moves, sides, last} = state.replay;
    /** @type {Element | null} */
    let row = null;
    let shown = 0;
    /** @type {Element[]} */
    const rows = [];
    moves.forEach((move, at) => {
      const number = moveNumber(at + 1);
      if (number !== shown) {
        row = element("p", {}, element("span", {class: "number"}, `${number}.`));
        rows.push(row);
        shown = number;
        if (sides[at] === "b") row.append(element("span", {class: "move quiet"}, "\u2026"));
      }
      const score = infoAt("score", at + 1);
      row.append(element("a", {class: `move ${sides[at]}`, href: `#game=${state.game.number}&ply=${at + 1}`,
        "data-ply": at + 1, title: move, ...(at < last ? {} : {"aria-disabled": "true"})}, noteAt(at + 1),
      ...(infoAt("mark", at + 1) ? [element("span", {class: "sign"}, infoAt("mark", at + 1))] : []), ...(score === null ? [] : [element("small", {}, scoreText(score))])));
    });
    find(".moves").replaceChildren(...rows);
  }

  /** @param {Score} score */
  const height = (score) => {
    const value = typeof score === "string" ? (score.includes("-") ? -SCORE_SHOWN : SCORE_SHOWN) : score;
    return -Math.tanh(Math.max(-SCORE_SHOWN, Math.min(SCORE_SHOWN, value)) / (SCORE_SHOWN / 2)) / Math.tanh(2);
  };

  function drawGraph() {
    const scores = state.replay.score;
    const plies = state.replay.moves.length;
    find(".graph").replaceChildren();
    if (!scores || plies < 2) return;
    const reviewed = Boolean(state.replay.best); // by one engine, which scored the moves of both
    /** @param {string} side */
    const line = (side) => drawn("polyline", {class: `line ${side}`, points: scores.flatMap((score, at) =>
      (score === null || !reviewed && state.replay.sides[at] !== side ? [] : [`${at + 1},${height(score).toFixed(3)}`])).join(" ")});
    const graph = drawn("svg", {viewBox: `0 -1.05 ${plies} 2.1`, preserveAspectRatio: "none", role: "img",
      "aria-label": "Scores over the game; up is better for White"},
    drawn("path", {class: "axis", d: `M0 0H${plies}`}), line("w"), ...(reviewed ? [] : [line("b")]), drawn("path", {class: "cursor", d: "M0 -1V1"}));
    graph.addEventListener("click", (event) => {
      const box = graph.getBoundingClientRect();
      show(Math.round((event.clientX - box.left) / box.width * plies));
    });
    find(".graph").append(element("p", {class: "quiet"}, "Score (up is better for White)", ...(reviewed ? [] : [" reported by ",
      element("span", {class: "key w"}, "White"), " and ", element("span", {class: "key b"}, "Black")])), graph);
  }

  function describeGame() {
    const {game, replay} = state;
    find(".heading").textContent = `Game ${game.number}${game.round ? `, round ${game.round}` : ""}: ` +
      `${game.variant} ${game.size}, ${game.result.replace("-", "\u2011")}`;
    find(".ending").textContent = [game.termination, game.details].filter(Boolean).join(": ");
    const remarks = [];
    if (replay.problem) remarks.push(element("p", {class: "fault"}, `The replay is incomplete: ${replay.problem}`));
    if (replay.fault) remarks.push(element("p", {class: "fault"}, replay.fault));
    for (const violation of replay.violations ?? []) remarks.push(element("p", {}, violation));
    if (replay.stderr) remarks.push(element("pre", {tabindex: "0"}, replay.stderr));
    remarks.push(element("details", {}, element("summary", {}, "Start position"), element("code", {}, replay.fen)));
    find(".remarks").replaceChildren(...remarks);
  }

  // ---------------------------------------------------------------- the list of games

  /** @param {Game} game */
  const boardOf = (game) => `${game.variant} ${game.size}`;
  /** @type {Record<string, (game: Game) => string[]>} */
  const CHOICES = {
    engine: (game) => [index.engines[game.white], index.engines[game.black]],
    result: (game) => [game.result],
    board: (game) => [boardOf(game)],
    termination: (game) => [game.termination],
  };

  function fillFilters() {
    for (const [name, values] of Object.entries(CHOICES)) {
      const select = find(`[data-filter="${name}"]`);
      const choices = [...new Set(games.flatMap(values))].sort();
      select.replaceChildren(element("option", {value: ""}, "all"),
        ...choices.map((choice, at) => element("option", {value: String(at + 1)}, choice)));
      select.parentElement.hidden = choices.length < 2;
      select.addEventListener("change", () => { state.rows = ROWS_SHOWN; listGames(); });
    }
  }

  function listGames() {
    /** @type {[(game: Game) => string[], string][]} */
    const chosen = Object.entries(CHOICES).flatMap(([name, values]) => {
      const select = find(`[data-filter="${name}"]`);
      return select.value ? [[values, select.selectedOptions[0].textContent]] : [];
    });
    const found = games.filter((game) => chosen.every(([values, choice]) => values(game).includes(choice)));
    const rows = found.slice(0, state.rows).map((game) => element("tr", {"data-game": game.number},
      element("td", {class: "number"}, element("a", {href: `#game=${game.number}`}, String(game.number))),
      element("td", {}, index.engines[game.white]), element("td", {}, index.engines[game.black]),
      element("td", {class: "result"}, game.result),
      element("td", {class: "number"}, String(game.plies)),
      element("td", {}, [game.termination, game.details].filter(Boolean).join(": ")),
      element("td", {}, boardOf(game))));
    const head = ["", "White", "Black", "Result", "Plies", "Termination", "Variant"].map((text) => element(text ? "th" : "td", {}, text));
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
    const more = element("button", {type: "button"}, `${found.length - rows.length} more`);
    more.addEventListener("click", () => { state.rows += 10 * ROWS_SHOWN; listGames(); });
    find(".list").replaceChildren(element("div", {class: "scroll", tabindex: "0"}, table),
      ...(rows.length < found.length ? [more] : []));
    markGame();
  }

  function markGame() {
    for (const row of section.querySelectorAll("tr.current")) row.classList.remove("current");
    const row = find(`tr[data-game="${state.game.number}"]`);
    if (row) row.classList.add("current");
  }

  // ---------------------------------------------------------------- navigation

  /** @param {number} number @param {number} ply */
  function open(number, ply) {
    if (!place.has(number)) return;
    if (!state.replay || state.game.number !== number) {
      state.game = games[place.get(number)];
      state.replay = prepare(state.game);
      setBoard();
      describeGame();
      listMoves();
      drawGraph();
      markGame();
    }
    state.ply = Math.max(0, Math.min(ply, state.replay.last));
    drawBoard();
    drawAccount();
  }

  /** @param {number} ply */
  function show(ply) {
    open(state.game.number, ply);
    location.replace(`#game=${state.game.number}&ply=${state.ply}`);
    if (state.ply >= state.replay.last) autoplay(false);
  }

  /** @param {boolean} on */
  function autoplay(on) {
    clearInterval(state.timer);
    state.timer = on ? setInterval(() => show(state.ply + 1), AUTOPLAY_MS) : 0;
    find('[data-do="play"]').setAttribute("aria-pressed", String(on));
  }

  /** @param {number} by */
  function change(by) {
    const next = games[place.get(state.game.number) + by];
    if (next) { autoplay(false); open(next.number, 0); show(0); }
  }

  /** @type {Record<string, () => void>} */
  const ACTIONS = {
    first: () => show(0),
    back: () => show(state.ply - 1),
    forward: () => show(state.ply + 1),
    last: () => show(state.replay.last),
    play: () => autoplay(!state.timer),
    flip: () => { state.flipped = !state.flipped; setBoard(); drawBoard(); drawAccount(); },
    "previous-game": () => change(-1),
    "next-game": () => change(1),
  };
  /** @type {Record<string, string>} */
  const KEYS = {ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play", f: "flip"};

  function followAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    if (!words.has("game")) return;
    const jumped = Number(words.get("game")) !== state.game.number || !words.has("ply");
    open(Number(words.get("game")), Number(words.get("ply") ?? 0));
    if (jumped) section.scrollIntoView();
  }

  section.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-do]");
    if (button) ACTIONS[/** @type {HTMLElement} */ (button).dataset.do]();
  });
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const busy = target.closest("select, input, summary, .list, button") && event.key === " " ||
      target.closest("select, input, .scroll");
    if (busy || event.altKey || event.ctrlKey || event.metaKey || !(event.key in KEYS)) return;
    event.preventDefault();
    ACTIONS[KEYS[event.key]]();
  });
  window.addEventListener("hashchange", followAddress);
  find(".replay").hidden = false;
  find(".filters").hidden = false;
  fillFilters();
  open(games[0].number, 0);
  listGames();
  followAddress();
})();
