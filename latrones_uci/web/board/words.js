// The page's texts for pieces, squares, moves, and the state of the game. Does not use the DOM, so that tests need no
// browser.

import {isWinning, resultText, signOf, signWords} from "../lib/display.js";
import {SIDES} from "../lib/dom.js";

/** @type {Record<string, string>} */
const NAMES = {S: "soldier", D: "dux", B: "bound soldier"};

/** @param {string} piece */
export const pieceName = (piece) => `${piece === piece.toUpperCase() ? "white" : "black"} ${NAMES[piece.toUpperCase()]}`;

/** @param {number} square @param {number} files */
export const squareName = (square, files) =>
  `${String.fromCharCode(97 + square % files)}${Math.floor(square / files) + 1}`;

/** @param {string} name @param {number} files */
function squareNumber(name, files) {
  const file = name.charCodeAt(0) - "a".charCodeAt(0);
  return file < files ? (Number(name.slice(1)) - 1) * files + file : -1;
}

// Reads marks such as "Ga1a2 b3"; leaves out what is not a mark on this board, which the server reports.
/** @param {string} text @param {number} files @param {number} squares @returns {import("./types").Sketch[]} */
export function sketchesOf(text, files, squares) {
  return [...text.matchAll(/(?<![^\s,])([GRYB]?)([a-p]\d{1,2})([a-p]\d{1,2})?(?![^\s,])/g)].map(([, colour, ...names]) => ({
    colour: colour || "Y", path: names.filter(Boolean).map((name) => squareNumber(name, files))}))
    .filter(({path}) => path.every((square) => square >= 0 && square < squares));
}

// Writes marks as text.
/** @param {import("./types").Sketch[]} sketches @param {number} files */
export const marksText = (sketches, files) => sketches.map(({colour, path}) => colour + path.map((square) => squareName(square, files)).join("")).join(" ");

// Returns the FEN of an edited position with reset counters: no-capture counter 0, move 1.
/** @param {{men: string, hand: import("./types").Hand, side: number, holds: boolean}} position @param {number} files */
export function fenOf({men, hand, side, holds}, files) {
  const ranks = Array.from({length: men.length / files}, (_, rank) => men.slice(rank * files, (rank + 1) * files));
  const board = ranks.reverse().map((rank) => rank.replace(/\.+/g, (empty) => String(empty.length))).join("/");
  const held = [..."SDsd"].filter((piece) => hand[piece]).map((piece) => `${hand[piece]}${piece}`).join("") || "-";
  return `${board}${holds ? `[${held}]` : ""} ${side ? "b" : "w"} 0 1`;
}

// Describes a square for screen readers.
/** @param {string} name @param {string} piece @param {number} square @param {import("./types").View} view @param {{canMove: boolean, canPlace: boolean, canBeCaptured: boolean, selected: boolean, leg?: {captures: number, jump: boolean}}} now */
export function squareWords(name, piece, square, view, {canMove, canPlace, canBeCaptured, selected, leg}) {
  const standing = piece !== ".";
  const words = [name, standing ? pieceName(piece) : "empty"];
  if (standing && view.surrounded.includes(square)) words.push("surrounded");
  if (standing && view.immobile.includes(square)) words.push("cannot move");
  if (view.path?.includes(square) || view.partner === square) words.push("last move");
  if (view.hint?.includes(square)) words.push("hint");
  if (view.decisive?.includes(square)) words.push("decides the game");
  if (canMove) words.push("can move");
  if (canPlace) words.push("you can place a piece here");
  if (canBeCaptured) words.push("can be captured");
  if (selected) words.push("selected");
  if (leg) words.push(`destination${leg.jump ? " by a jump" : ""}`);
  if (leg?.captures) words.push(`captures ${leg.captures}`);
  return words.join(", ");
}

// Returns which pieces a move captures, such as "captures the soldier on b6"; empty if it captures nothing.
/** @param {number[]} captures @param {string} before @param {number} files */
function captureWords(captures, before, files) {
  const taken = captures.map((square) => `${NAMES[(before[square] ?? "S").toUpperCase()] ?? "piece"} on ${squareName(square, files)}`);
  return taken.length ? `captures the ${taken.join(" and the ")}` : "";
}

// Describes a move that was played, such as "White soldier c8 to c6, captures the soldier on b6".
/** @param {import("./types").Ply} ply @param {string} before @param {number} files */
export function moveWords(ply, before, files) {
  const side = SIDES[ply.mover];
  /** @param {number} square */
  const name = (square) => squareName(square, files);
  if (!ply.path.length) return `${side} has no legal move and passes`;
  if (ply.path.length === 1) {
    const [square] = ply.path;
    if (ply.text.startsWith("x")) return `${side} captures the bound soldier on ${name(square)}`;
    return `${side} places a ${NAMES[ply.men[square].toUpperCase()]} on ${name(square)}`;
  }
  const kind = NAMES[(before[ply.path[0]] ?? "S").toUpperCase()] ?? "soldier";
  const effect = signOf(ply.note) === "#" ? "" : signWords(ply.note);
  return [`${side} ${kind} ${ply.path.map(name).join(" to ")}`, captureWords(ply.captures, before, files), effect].filter(Boolean).join(", ");
}

// Describes the passes since a human last moved, because nobody enters them.
/** @param {import("./types").State} state */
export function passWords({plies, players}) {
  const entered = plies.findLastIndex(({mover, path}) => path.length && players[mover].kind === "person");
  return plies.slice(Math.max(entered + 1, plies.length - 2)).filter(({path}) => !path.length)
    .map(({mover}) => `${SIDES[mover]} has no legal move and passes.`).join(" ");
}

// Returns the side of the only human, -1 if there is none or both are.
/** @param {{kind: string}[]} players */
const humanOf = (players) => (players[0].kind === players[1].kind ? -1 : players.findIndex(({kind}) => kind === "person"));

// Describes a hint, such as "Hint: h4-f4xg4 (you are ahead by 6.7 soldiers). It captures the black soldier on g4."
/** @param {import("./types").State} state @param {boolean} plain */
export function hintText({hint, side, players}, plain) {
  const standing = hint.score === null ? "" : ` (${standingWords(hint.score, side, humanOf(players) === side ? "" : SIDES[side])})`;
  return `Hint: ${plain ? hint.text : hint.note}${standing}.${hint.why ? ` It ${hint.why}.` : ""}`;
}

// Describes a score from White's point of view for a side; `name` is empty for "you".
/** @param {import("./types").Score} score @param {number} side @param {string} name */
function standingWords(score, side, name) {
  const isWhites = typeof score === "string" ? !score.includes("-") : score > 0;
  const isAhead = isWhites === (side === 0);
  const [who, are] = name ? [name, "is"] : ["you", "are"];
  if (typeof score === "string") return `${who} ${isAhead ? "win" : "lose"}${name ? "s" : ""} in ${score.replace(/\D/g, "")}`;
  if (isWinning(score)) return `${who} ${are} ${isAhead ? "winning" : "losing"}`;
  const soldiers = (Math.abs(score) / 100).toFixed(1);
  return soldiers === "0.0" ? "even" : `${who} ${are} ${isAhead ? "ahead" : "behind"} by ${soldiers} soldiers`;
}

// Returns what the player to move places, such as "place one more"; empty if no piece is placed.
/** @param {import("./types").State} state */
function placingWords({placing, legal, plies, side}) {
  const kind = legal.find(({place}) => place)?.place;
  if (!placing || !kind) return "";
  if (placing > 1) return "place two soldiers";
  if (kind === "D") return "place your dux";
  return plies.at(-1)?.mover === side ? "place one more" : "place a soldier";
}

// Addresses the human in a reason that begins with their side, such as "Black resigned".
/** @param {string} reason @param {number} human */
const yourWords = (reason, human) => reason.replace(`${SIDES[human]} has `, "you have ").replace(new RegExp(`^${SIDES[human]} `), "you ");

/** @param {import("./types").State} state */
export function statusText(state) {
  const human = humanOf(state.players);
  if (state.outcome) {
    const {winner, result} = state.outcome;
    const loser = winner === null ? null : 1 - winner;
    const reason = loser === human ? yourWords(state.outcome.reason, human) : state.outcome.reason;
    const wins = human < 0 || winner === null ? `${SIDES[winner]} wins` : winner === human ? "You win" : "You lose";
    return `${winner === null ? "Draw" : wins}: ${reason} (${resultText(result)})`;
  }
  const side = SIDES[state.side];
  if (state.paused) return `Paused, ${side} to move`;
  if (state.thinking) return `${side} is thinking\u2026`;
  const task = placingWords(state);
  return `${human === state.side ? `Your move (${side})` : `${side} to move`}${task ? `: ${task}` : ""}`;
}

// Returns how the game stands in few words, such as "You win" or "Your move", for the title of the page.
/** @param {import("./types").State} state */
export const shortStatus = (state) => (state.outcome ? statusText(state).split(":")[0]
  : !state.thinking && humanOf(state.players) === state.side ? "Your move" : `${SIDES[state.side]} to move`);

// Returns the text in place of an empty list of moves: a heading, and how to begin.
/** @param {import("./types").State} state @returns {[string, string]} */
export function emptyText({outcome, placing, players}) {
  if (outcome) return ["No moves.", "The game ended before the first one."];
  if (players.every(({kind}) => kind !== "person")) return ["No moves yet.", ""];
  const how = placing ? "Click an empty square to place a piece." : "Drag a piece, or click it and then its destination.";
  return ["No moves yet.", `${how} Rules explains the game with small boards.`];
}

// Returns what a newcomer does now: `next` is the name of the first step that is not done, `isFirst` whether the game is
// one against the weakest level, and `won` whether such a game has been won.
/** @param {import("./types").State} state @param {string | undefined} next @param {boolean} isFirst @param {boolean} won */
export function tutorialText({outcome, plies, players, title}, next, isFirst, won) {
  const onward = {rules: `Next: the rules of ${title}.`, puzzles: "Next: three puzzles."}[next] ?? "Next: Review, and stronger levels.";
  if (isFirst && outcome) {
    if (outcome.winner === null) return `A draw. ${won ? onward : "Rematch, and ask for hints."}`;
    return players[outcome.winner].kind === "person" ? `You won. ${onward}` : `You lost. ${won ? onward : "Rematch, and ask for hints."}`;
  }
  if (!next) return "You know the game. Next: Review, and stronger levels.";
  if (isFirst && won) return "Hint shows a good move, and says why.";
  if (isFirst) return `Your first game${plies.length ? "" : " has begun"}: Hint shows a good move, and says why.`;
  return next === "rules" ? `New here? Learn ${title}.` : next === "puzzles" ? "Next: practise what you have read." : "Next: a game against the weakest level.";
}

// Returns the plies after the mistakes and blunders of the human, or else of both sides.
/** @param {import("./types").ReviewData} review @param {import("./types").State} state */
export function mistakesOf({moves}, {plies, players}) {
  const human = humanOf(players);
  return moves.flatMap(({mark}, at) => (["?", "??"].includes(mark) && (human < 0 || plies[at].mover === human) ? [at + 1] : []));
}

// Formats a number with spaces between thousands, such as 12 345 678.
/** @param {number} number */
export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

// Describes the nodes and speed of a search, such as "1.2 M nodes, 850 k/s".
/** @param {number | null | undefined} nodes @param {number | null | undefined} nps */
export function searchText(nodes, nps) {
  if (!nodes) return "";
  /** @param {number} number */
  const short = (number) => (number >= 1e6 ? `${(number / 1e6).toFixed(1)} M` : number >= 1e4 ? `${Math.round(number / 1e3)} k` : grouped(number));
  const speed = nps ? `, ${short(nps)}/s` : "";
  return `${short(nodes)} nodes${speed}`;
}

/** @param {number} count */
export const movesText = (count) => `${count} move${count === 1 ? "" : "s"}`;
// Names what an engine searches with, from what it says of it.
/** @param {string | undefined} kernel */
export const kernelText = (kernel) => (!kernel ? "" : kernel.startsWith("python") ? "slow Python kernel"
  : kernel.startsWith("native") ? "native kernel" : kernel.split(",")[0]);

/** @param {number} seconds */
export const durationText = (seconds) => (seconds % 60 ? `${seconds} s` : seconds % 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`);

// Counts the pieces that each side has lost since the start, on the board and in hand.
/** @param {import("./types").Standing} start @param {import("./types").Standing} now */
export function counts(start, now) {
  /** @param {import("./types").Standing} standing */
  const of = (standing) => [0, 1].map((side) => {
    const mine = [...standing.men].filter((piece) => piece !== "." && (piece === piece.toLowerCase()) === (side === 1));
    const held = Object.entries(standing.hand).filter(([piece]) => (piece === piece.toLowerCase()) === (side === 1));
    return mine.length + held.reduce((sum, [, count]) => sum + count, 0);
  });
  const [first, left] = [of(start), of(now)];
  return [0, 1].map((side) => ({left: left[side], lost: first[side] - left[side]}));
}

// Groups games whose titles differ only in their size, such as "Seega rules, 6x6" and "Seega rules, 8x8".
/** @template {{title: string}} T @param {T[]} games */
export function familiesOf(games) {
  /** @type {Map<string, T[]>} */
  const found = new Map();
  for (const game of games) {
    const family = game.title.replace(/, \d+x\d+$/, "");
    found.set(family, [...(found.get(family) ?? []), game]);
  }
  return [...found.values()];
}

/** @param {number} count */
export const gamesText = (count) => (count === 1 ? "1 game" : `${grouped(count)} games`);

const LONGEST = 100000; // characters of a request; longer files are sent in parts, so that the progress is seen

// Splits a text into parts that are short enough to be sent, between lines if possible. The server cuts it into games.
/** @param {string} text @returns {string[]} */
export function textParts(text, longest = LONGEST) {
  const parts = [];
  for (let begin = 0; begin < text.length;) {
    let end = Math.min(begin + longest, text.length);
    const line = text.lastIndexOf("\n", end - 1) + 1;
    if (end < text.length && line > begin) end = line;
    else if (end < text.length && /[\ud800-\udbff\r]/.test(text[end - 1])) end -= 1; // not within a character or line end
    parts.push(text.slice(begin, end));
    begin = end;
  }
  return parts;
}

// Returns the score of the side to move in percent, from the wins of White, the draws and the wins of Black.
/** @param {number[]} results @param {number} side */
export function percentOf([white, draws, black], side) {
  const games = white + draws + black;
  return games ? `${Math.round(100 * ((side ? black : white) + draws / 2) / games)}%` : "\u2013";
}
