// Unit tests of the modules of the page that need no browser; test_page_scripts.py runs them with Node.js.

import assert from "node:assert/strict";
import {test} from "node:test";
import {Entry} from "./board/entry.js";
import {Premove} from "./board/premove.js";
import {soundOf} from "./board/sound.js";
import {bestArrows, hidesScores, keyOf, listedOf, merged, playersFrom, playsBlack, rematchOf, scoreOf, standingAt, stepped, valuesOf, viewAt, viewOf} from "./board/view.js";
import {counts, emptyText, familiesOf, fenOf, grouped, hintText, marksText, mistakesOf, movesText, moveWords, passWords, percentOf, pieceName, searchText, shortStatus, sketchesOf, squareName, squareWords, statusText, textParts, tutorialText} from "./board/words.js";
import {resultText, scoreText, withSign} from "./lib/display.js";

const chain = [
  {text: "c3e3", path: [18, 20], captures: [], jump: true},
  {text: "c3e3e1", path: [18, 20, 4], captures: [12], jump: true},
  {text: "c3c4", path: [18, 26], captures: []},
  {text: "xd5", kill: 35, captures: [35]},
];

function entryOf(legal) {
  const entry = new Entry();
  entry.begin(legal);
  return entry;
}

test("a chain is entered square by square, and may be ended early", () => {
  const entry = entryOf(chain);
  assert.deepEqual([...entry.starts()], [18]);
  assert.equal(entry.press(18).kind, "chosen");
  assert.deepEqual([...entry.destinations()], [[20, {captures: 0, jump: true}], [26, {captures: 0, jump: false}]]);
  assert.equal(entry.press(20).kind, "chosen");
  assert.ok(entry.unfinished);
  assert.deepEqual([...entry.destinations()], [[4, {captures: 1, jump: true}]]);
  const ended = entry.press(20);
  assert.deepEqual([ended.kind, ended.move.text, entry.sent], ["play", "c3e3", [18, 20]]);
  assert.ok(!entry.takeBack([18, 20])); // another move
  assert.ok(entry.takeBack(entry.sent));
  entry.press(18);
  entry.press(20);
  const played = entry.press(4, true);
  assert.deepEqual([played.move.text, entry.sent], ["c3e3e1", [18, 20, 4]]);
  const men = `${".".repeat(12)}s${".".repeat(5)}S`.padEnd(36, ".");
  assert.deepEqual(entry.preview(men), {men: [..."....S".padEnd(36, ".")], dead: [["s", 12]]});
});

test("an impossible press is refused, with the piece that was chosen", () => {
  const entry = entryOf(chain);
  assert.deepEqual(entry.press(0), {kind: "refused", from: null, to: 0});
  entry.press(18);
  assert.deepEqual(entry.press(60), {kind: "refused", from: 18, to: 60});
  assert.deepEqual(entry.path, []);
  entry.press(18);
  assert.equal(entry.press(18).kind, "cleared");
});

test("a piece is dragged", () => {
  const entry = entryOf(chain);
  assert.deepEqual([18, 20].map((square) => entry.moves(square)), [true, false]);
  entry.lift(18);
  assert.deepEqual([entry.lifted, entry.path], [18, [18]]);
  assert.equal(entry.drop(18, 18).kind, "chosen"); // back on its square
  assert.deepEqual([entry.lifted, entry.path], [null, [18]]);
  entry.lift(18);
  assert.deepEqual(entry.drop(18, 60), {kind: "refused", from: 18, to: 60});
  assert.deepEqual(entry.path, []);
  entry.lift(18);
  assert.equal(entry.drop(18, null).kind, "cleared"); // outside of the board
  for (const square of [18, 20]) entry.press(square);
  entry.lift(20);
  assert.deepEqual(entry.drop(20, 60), {kind: "refused", from: 18, to: 60});
  assert.deepEqual(entry.path, [18, 20]); // a chain stays
  const placing = entryOf([{text: "S@a1", place: "S", square: 0}, {text: "D@b1", place: "D", square: 1}]);
  placing.lift(null, "D");
  assert.deepEqual(placing.places(), [1]);
  assert.equal(placing.drop(null, 5).kind, "refused");
  assert.equal(placing.place, null);
});

test("kills and placements", () => {
  assert.equal(entryOf(chain).press(35).move.text, "xd5");
  const placing = entryOf([{text: "S@a1", place: "S", square: 0}, {text: "D@b1", place: "D", square: 1}]);
  assert.deepEqual(placing.kinds(), ["S", "D"]);
  assert.equal(placing.press(0).kind, "refused"); // there are two kinds, so one is picked first
  placing.pick("D");
  assert.deepEqual(placing.places(), [1]);
  assert.equal(placing.press(1).move.text, "D@b1");
  placing.pick("S");
  placing.pick("S");
  assert.equal(placing.place, null);
  const single = entryOf([{text: "S@a1", place: "S", square: 0}]);
  assert.equal(single.press(0).move.text, "S@a1");
});

const start = {men: "SS..ss", hand: {S: 1}, side: 0, fen: "start"};
const ply = {men: "S.S.s.", hand: {S: 1}, side: 1, fen: "after", text: "b1c1", path: [1, 2], captures: [5], note: "b1-c1xf1",
  mover: 0, number: 1, score: 30, told: ""};
const state = {title: "Test", start, start_fen: "start", plies: [ply], side: 1, files: 6, outcome: null, thinking: false,
  paused: false, players: [{kind: "person"}, {kind: "engine"}], legal: chain, surrounded: [], immobile: [], hint: null};

test("words", () => {
  assert.equal(pieceName("d"), "black dux");
  assert.equal(squareName(7, 6), "b2");
  assert.equal(moveWords(ply, start.men, 6), "White soldier b1 to c1, captures the soldier on f1");
  assert.equal(moveWords({...ply, path: [3], text: "xd1"}, start.men, 6), "White captures the bound soldier on d1");
  assert.equal(moveWords({...ply, path: [0], text: "S@a1"}, start.men, 6), "White places a soldier on a1");
  assert.equal(grouped(1234567), "1\u202f234\u202f567");
  assert.deepEqual([0, 1, 2].map(movesText), ["0 moves", "1 move", "2 moves"]);
  assert.equal(searchText(1200000, 1200000), "1.2 M nodes, 1.2 M/s");
  assert.equal(searchText(0, 5), "");
  assert.equal(searchText(900, null), "900 nodes");
  assert.deepEqual(counts(start, ply), [{left: 3, lost: 0}, {left: 1, lost: 1}]);
  const view = viewOf(state, 1);
  const now = {canMove: false, canPlace: false, canBeCaptured: false, selected: false};
  assert.equal(squareWords("c1", "S", 2, view, {...now, canMove: true}), "c1, white soldier, last move, can move");
  assert.equal(squareWords("d1", ".", 3, view, {...now, canPlace: true}), "d1, empty, you can place a piece here");
  assert.equal(squareWords("c1", "B", 2, {...view, path: null}, {...now, canBeCaptured: true}), "c1, white bound soldier, can be captured");
});

test("a pass is said until the human moves again", () => {
  const pass = (mover) => ({...ply, mover, path: [], text: "0000", note: "0000", captures: []});
  const own = {...ply, mover: 0};
  const played = (...plies) => passWords({...state, plies});
  assert.equal(moveWords(pass(0), start.men, 6), "White has no legal move and passes");
  assert.equal(played(own, pass(1)), "Black has no legal move and passes.");
  assert.equal(played(own, pass(1), own), "");
  assert.equal(played(own, {...own, mover: 1}, pass(0), {...own, mover: 1}), "White has no legal move and passes.");
  assert.equal(played(pass(0), pass(1)), "White has no legal move and passes. Black has no legal move and passes.");
});

test("a hint in words", () => {
  const hint = {path: [2, 3], text: "c1d1", note: "c1-d1xe1", score: 673, why: ""};
  const text = (more, score, plain = false, why = "") => hintText({...state, side: 0, ...more, hint: {...hint, score, why}}, plain);
  assert.equal(text({}, 673, false, "captures the black soldier on e1"),
    "Hint: c1-d1xe1 (you are ahead by 6.7 soldiers). It captures the black soldier on e1.");
  for (const [score, words] of [[800, "you are winning"], [-1500, "you are losing"], [799, "you are ahead by 8.0 soldiers"]]) {
    assert.equal(text({}, score, true), `Hint: c1d1 (${words}).`);
  }
  assert.equal(text({}, -40, true), "Hint: c1d1 (you are behind by 0.4 soldiers).");
  assert.equal(text({}, 3), "Hint: c1-d1xe1 (even).");
  assert.equal(text({}, null), "Hint: c1-d1xe1.");
  assert.equal(text({}, "#2"), "Hint: c1-d1xe1 (you win in 2).");
  const black = {side: 1, players: [{kind: "engine"}, {kind: "person"}]};
  assert.equal(text(black, "#2"), "Hint: c1-d1xe1 (you lose in 2).");
  assert.equal(text({...black, players: [{kind: "person"}, {kind: "person"}]}, 50), "Hint: c1-d1xe1 (Black is behind by 0.5 soldiers).");
});

test("scores and signs in words", () => {
  assert.deepEqual(["#2", "#-12", "#0", "#-0"].map(scoreText), ["White wins in 2", "Black wins in 12", "1-0", "0-1"]);
  assert.deepEqual([673, -5, 0].map(scoreText), ["+6.73", "\u22120.05", "0.00"]);
  assert.equal(withSign("c8-c6+ (c8c6)", "c8-c6+"), "c8-c6+ (c8c6); + threatens to shut in the enemy dux");
  assert.equal(withSign("c8c6", "c8-c6(+)"), "c8c6; (+) hits the enemy dux and leaves it at most two open sides");
  assert.equal(withSign("c8c6", "c8-c6*"), "c8c6; * hits the enemy dux");
  assert.equal(withSign("c8c6", "c8-c6"), "c8c6");
});

test("a game is played on, or again", () => {
  const [person, engine, imported] = [{kind: "person", engine: 0}, {kind: "engine", engine: 1, level: 2}, {kind: "person", engine: 0, name: "A"}];
  const [white, black] = playersFrom({players: [imported, imported]}, "S/s b 0 9", {players: [person, engine]});
  assert.deepEqual([white, black.kind, black.name], [engine, "person", undefined]); // the user has the move, and an engine answers
  assert.equal(playersFrom({players: [person, {...engine, engine: 3}]}, "S/s w 0 9", {players: [person, engine]})[1].engine, 3);
  assert.deepEqual(playersFrom({players: [imported, imported]}, "S/s w 0 9", {players: [person, person]}).map(({kind}) => kind), ["person", "engine"]);
  const named = [{...person, name: "Anna"}, engine];
  assert.equal(playersFrom({players: [imported, imported]}, "S/s w 0 9", {players: named})[0].name, "Anna");
  assert.deepEqual(rematchOf({players: [person, engine]}, true).players, [engine, person]);
});

test("the status in words", () => {
  const people = [{kind: "person"}, {kind: "person"}];
  assert.equal(statusText(state), "Black to move");
  assert.equal(statusText({...state, side: 0}), "Your move (White)");
  assert.equal(statusText({...state, thinking: true}), "Black is thinking\u2026");
  assert.equal(statusText({...state, paused: true}), "Paused, Black to move");
  assert.equal(shortStatus(state), "Black to move");
  assert.equal(shortStatus({...state, side: 0}), "Your move");
  const outcome = {winner: 1, reason: "the white dux is captured", result: "0-1"};
  assert.equal(statusText({...state, outcome}), "You lose: the white dux is captured (0\u20111)");
  assert.equal(shortStatus({...state, outcome}), "You lose");
  assert.equal(statusText({...state, outcome, players: [...state.players].reverse()}), "You win: the white dux is captured (0\u20111)");
  assert.equal(statusText({...state, outcome, players: people}), "Black wins: the white dux is captured (0\u20111)");
  assert.equal(statusText({...state, outcome: {winner: null, reason: "agreed", result: "1/2-1/2"}}), "Draw: agreed (\u00bd\u2011\u00bd)");
  const [human] = [state.players.findIndex(({kind}) => kind === "person")];
  const ended = (reason, winner) => statusText({...state, outcome: {winner, reason, result: winner ? "0-1" : "1-0"}});
  for (const [reason, yours] of [["resigned", "you resigned"], ["ran out of time", "you ran out of time"], ["has only 1 piece left", "you have only 1 piece left"]]) {
    const told = `${["White", "Black"][human]} ${reason}`;
    assert.ok(ended(told, 1 - human).startsWith(`You lose: ${yours} (`), ended(told, 1 - human));
    assert.ok(ended(told.replace(/^\w+/, ["Black", "White"][human]), human).startsWith(`You win: ${["Black", "White"][human]} `));
  }
  assert.deepEqual(["1-0", "0-1", "1/2-1/2", "*"].map(resultText), ["1\u20110", "0\u20111", "\u00bd\u2011\u00bd", "*"]);
});

test("a newcomer reads how the first game ended, and what is next", () => {
  const game = {plies: [ply], title: "Latrones", players: [{kind: "person"}, {kind: "engine"}]};
  const after = (winner, next, won) => tutorialText({...game, outcome: {winner}}, next, true, won);
  assert.equal(after(0, "rules", true), "You won. Next: the rules of Latrones.");
  assert.equal(after(0, "puzzles", true), "You won. Next: three puzzles.");
  assert.equal(after(0, undefined, true), "You won. Next: Review, and stronger levels.");
  for (const next of ["rules", "puzzles", "first-game"]) {
    assert.equal(after(1, next, false), "You lost. Rematch, and ask for hints.");
    assert.equal(after(null, next, false), "A draw. Rematch, and ask for hints.");
  }
  assert.equal(after(1, "rules", true), "You lost. Next: the rules of Latrones.");
  assert.equal(tutorialText({...game, outcome: null, plies: []}, "rules", true, false), "Your first game has begun: Hint shows a good move, and says why.");
  assert.equal(tutorialText({...game, outcome: null}, "rules", false, false), "New here? Learn Latrones.");
});

test("what is placed, and what the empty list of moves says", () => {
  const placing = {...state, side: 0, plies: [], placing: 2, legal: [{text: "S@a1", place: "S", square: 0}]};
  const once = {...ply, mover: 0, path: [3], captures: [], text: "S@d1"};
  assert.equal(statusText(placing), "Your move (White): place two soldiers");
  assert.equal(statusText({...placing, placing: 1, plies: [once]}), "Your move (White): place one more");
  assert.equal(statusText({...placing, placing: 1}), "Your move (White): place a soldier");
  assert.equal(statusText({...placing, placing: 1, legal: [{text: "D@a1", place: "D", square: 0}]}), "Your move (White): place your dux");
  assert.equal(statusText({...placing, placing: 0}), "Your move (White)");
  assert.ok(emptyText(placing)[1].startsWith("Click an empty square"));
  assert.ok(emptyText({...placing, placing: 0})[1].startsWith("Drag a piece"));
  assert.deepEqual(emptyText({...placing, outcome: {}}), ["No moves.", "The game ended before the first one."]);
  assert.equal(emptyText({...placing, players: [{kind: "engine"}, {kind: "engine"}]})[1], "");
  const twice = [{...once, mover: 1}, once, {...once, path: [4]}];
  assert.deepEqual([1, 2, 3].map((at) => viewOf({...placing, plies: twice}, at).partner), [undefined, undefined, 3]);
});

test("the view at a ply", () => {
  assert.equal(standingAt(state, 0), start);
  assert.deepEqual([keyOf(state, 0), keyOf(state, 1)], ["start", "start b1c1"]);
  assert.deepEqual(viewOf(state, 1).legal, []); // an engine is to move
  assert.equal(viewOf({...state, side: 0}, 1).legal, chain);
  assert.deepEqual(viewOf({...state, side: 0}, 0).legal, []); // an earlier position
  assert.deepEqual(viewOf({...state, side: 0, outcome: {decisive: [1]}}, 1).decisive, [1]);
});

test("scores are hidden while playing an engine, and follow the displayed position", () => {
  const off = {wanted: 0, lines: []};
  const on = {wanted: 2, ply: 0, lines: [{score: -50, path: [0, 1]}, {score: -60, path: [1, 2]}]};
  const settings = {evaluation: false};
  const page = {state, ply: null, node: null, tree: {nodes: [], notes: {}}, review: null, analysis: off, settings};
  assert.equal(hidesScores(page), true);
  assert.equal(hidesScores({...page, settings: {evaluation: true}}), false);
  assert.equal(hidesScores({...page, analysis: on}), false);
  assert.equal(hidesScores({...page, state: {...state, outcome: {}}}), false);
  assert.equal(hidesScores({...page, state: {...state, players: [{kind: "person"}, {kind: "person"}]}}), false);
  const shown = (review) => [off, on].flatMap((analysis) => [0, 1].map((ply) => scoreOf({...page, ply, analysis, review}).score));
  assert.deepEqual(shown(null), [null, 30, -50, 30]);
  const review = {plies: 1, scores: [10, "#-3"], moves: []}; // only a running analysis comes before it
  assert.deepEqual(shown(review), [10, "#-3", -50, "#-3"]);
  assert.deepEqual(shown({...review, plies: 2}), shown(null)); // that of another game
  assert.equal(scoreOf({...page, review, node: 7}).score, 30); // a variation
  const tree = {nodes: [{id: 7, score: 12}], notes: {}};
  assert.deepEqual(scoreOf({...page, review, node: 7, tree}), {score: 12, source: "verdict"});
  assert.deepEqual(bestArrows({...page, ply: 0, analysis: on}).map(({kind}) => kind), ["second", "best"]);
  assert.deepEqual(bestArrows({...page, analysis: on}), []);
  const open = {...page, settings: {evaluation: true}};
  const first = (more) => { const {score, mark} = listedOf({...open, ...more}).plies[0]; return [score, mark]; };
  assert.deepEqual([first({}), first({review}), first({settings})], [[30, undefined], ["#-3", undefined], [null, undefined]]);
  assert.deepEqual(first({review: {...review, moves: [{mark: "?"}]}}), ["#-3", " ?"]);
  assert.deepEqual(first({tree: {nodes: [], notes: {0: {sign: "!"}}}, review: {...review, moves: [{mark: "?"}]}}), ["#-3", " !"]);
});

test("a variation is a place in the game", () => {
  const node = {...ply, id: 1, parent: null, at: 0, over: false, score: null, sign: "", comment: "", text: "a1c1"};
  const reply = {...node, id: 2, parent: 1, text: "f1e1"};
  const tree = {given: 2, nodes: [node, reply], notes: {}};
  const page = {state, ply: 0, node: 2, tree, reachable: {key: "", moves: {}}, settings: {states: true, premoves: true}};
  const view = viewAt(page);
  assert.deepEqual([view.key, view.follows, view.legal, view.states], ["start | a1c1 f1e1", "start | a1c1", [], true]);
  assert.equal(viewAt({...page, node: 1}).follows, "start");
  assert.equal(viewAt({...page, reachable: {key: view.key, moves: {legal: chain}}}).legal, chain);
  assert.deepEqual([stepped(page, -1), stepped(page, 1), stepped({...page, node: 1}, 1), stepped({...page, node: 1}, -1), stepped({...page, node: null}, 1)],
    [[0, 1], [0, 2], [0, 2], [0, null], [1, null]]);
});

test("games that differ in their size share a card", () => {
  const games = ["Piso", "Seega rules, 6x6", "Bell, 7x8", "Seega rules, 16x11", "Schädler, 1994"].map((title) => ({title}));
  assert.deepEqual(familiesOf(games).map((family) => family.map(({title}) => title)),
    [["Piso"], ["Seega rules, 6x6", "Seega rules, 16x11"], ["Bell, 7x8"], ["Schädler, 1994"]]);
});

test("long files are sent in parts, which the server puts together", () => {
  const text = `${'[Event "x"]\r\n'.repeat(20)}{${"\u{1f600}".repeat(50)}}`;
  for (const longest of [2, 7, 30, 1000]) {
    const parts = textParts(text, longest);
    assert.equal(parts.join(""), text);
    assert.ok(parts.every((part) => part.length <= longest && part.isWellFormed()));
    assert.ok(parts.every((part, at) => at === parts.length - 1 || !part.endsWith("\r")));
  }
  assert.deepEqual(textParts("a\nbc\nde", 4), ["a\n", "bc\n", "de"]);
  assert.deepEqual(textParts(" \n"), [" \n"]);
  assert.deepEqual(textParts(""), []);
});

test("what is heard", () => {
  const now = {record: "r", plies: [ply], outcome: null};
  const quiet = {...ply, captures: []};
  assert.equal(soundOf(null, now), "");
  assert.equal(soundOf({...now, record: "other"}, now), "");
  assert.equal(soundOf({...now, plies: []}, now), "capture");
  assert.equal(soundOf({...now, plies: []}, {...now, plies: [quiet]}), "move");
  assert.equal(soundOf({...now, plies: []}, {...now, outcome: {}}), "end");
  assert.equal(soundOf({...now, outcome: {}}, {...now, outcome: {}}), "");
  assert.equal(soundOf(now, {...now, plies: []}), "");
});

test("the board is turned for a human who plays Black", () => {
  assert.equal(playsBlack([{kind: "engine"}, {kind: "person"}]), true);
  assert.equal(playsBlack([{kind: "person"}, {kind: "person"}]), false);
});

test("a state is put together from what has changed since the one before it", () => {
  const first = {serial: 1, side: 0, plies: ["a", "b"], hint: null};
  assert.equal(merged(null, first), first);
  const next = merged(first, {serial: 4, after: 1, set: {side: 1}, tails: {plies: [1, ["c", "d"]]}});
  assert.deepEqual(next, {serial: 4, side: 1, plies: ["a", "c", "d"], hint: null});
  assert.deepEqual(first.plies, ["a", "b"]);
  assert.equal(merged(first, {serial: 5, after: 4, set: {}, tails: {}}), null); // one in between was missed
  assert.equal(merged(null, {serial: 5, after: 4, set: {}, tails: {}}), null);
});

const waiting = {men: "Ss..", hand: {}, side: 1, record: "r", ply: 3, legal: [], premoves: true};
const answered = {...waiting, side: 0, ply: 4, premoves: false};

test("a premove is played when it is legal, and refused when it is not", () => {
  const premove = new Premove();
  assert.ok(!premove.press(1, waiting)); // the piece of the player who is to move
  assert.ok(premove.press(0, waiting));
  assert.ok(!premove.complete);
  assert.ok(premove.press(1, waiting)); // to where it stands now: it may be gone by then
  assert.deepEqual(premove.path(), [0, 1]);
  assert.equal(premove.take(waiting), null); // not yet
  assert.deepEqual(premove.take({...answered, legal: [{text: "x", path: [0, 2]}]}), {refused: [0, 1]});
  assert.equal(premove.take({...answered, legal: [{text: "x", path: [0, 1]}]}), null); // used up
  premove.press(0, waiting);
  premove.press(2, waiting);
  assert.equal(premove.take({...answered, legal: [{text: "x", path: [0, 2, 3]}, {text: "y", path: [0, 2]}]}).move.text, "y");
});

test("a premove is cancelled by another press, an undo and another game", () => {
  const premove = new Premove();
  for (const cancel of [(p) => p.press(3, waiting), (p) => p.take({...waiting, ply: 2}), (p) => p.take({...answered, record: "other"})]) {
    premove.press(0, waiting);
    premove.press(2, waiting);
    assert.ok(premove.complete);
    cancel(premove);
    assert.ok(!premove.complete);
    assert.deepEqual(premove.path(), []);
  }
  premove.press(0, waiting);
  assert.deepEqual(premove.take({...answered, legal: [{text: "x", path: [0, 2]}]}), {chosen: 0}); // half entered: it stays chosen
});

test("a piece is placed in advance", () => {
  const premove = new Premove();
  const placing = {...waiting, hand: {S: 2, s: 1}};
  premove.press(2, placing);
  assert.deepEqual([premove.place, premove.to], ["S", 2]);
  const legal = [{text: "@c1", place: "S", square: 2}];
  assert.equal(premove.take({...answered, legal}).move.text, "@c1");
});

test("marks are read and written", () => {
  const marks = [{colour: "G", path: [0, 8]}, {colour: "Y", path: [17]}, {colour: "R", path: [62]}];
  assert.deepEqual(sketchesOf("Ga1a2, b3 Rg8", 8, 64), marks);
  assert.equal(marksText(marks, 8), "Ga1a2 Yb3 Rg8");
  for (const text of ["", "Xa1", "a1a2a3", "i1", "a9", "a", "word a1b", "h8a9"]) assert.deepEqual(sketchesOf(text, 8, 64), [], text);
  assert.deepEqual(sketchesOf("p16", 16, 256), [{colour: "Y", path: [255]}]);
});

test("the mistakes of the human, or of both sides", () => {
  const moves = ["?", "??", "?!", "?"].map((mark) => ({mark}));
  const plies = [0, 1, 0, 1].map((mover) => ({...ply, mover}));
  assert.deepEqual(mistakesOf({moves}, {...state, plies}), [1]);
  assert.deepEqual(mistakesOf({moves}, {...state, plies, players: [...state.players].reverse()}), [2, 4]);
  assert.deepEqual(mistakesOf({moves}, {...state, plies, players: [{kind: "person"}, {kind: "person"}]}), [1, 2, 4]);
});

test("the values of moves come from one source", () => {
  const page = {state, ply: 0, node: null, review: null, analysis: {wanted: 0, lines: []}};
  const [line] = [{score: 7, moves: ["b1c1", "x"]}];
  assert.deepEqual(valuesOf(page, {b1c1: 5, a1a2: 6}), {b1c1: 5, a1a2: 6});
  const review = {plies: 1, scores: [10, 20]};
  assert.deepEqual(valuesOf({...page, review}, {b1c1: 5, a1a2: 6}), {b1c1: 20, a1a2: 6});
  assert.deepEqual(valuesOf({...page, review, node: 3}, {b1c1: 5}), {b1c1: 5});
  assert.deepEqual(valuesOf({...page, review, analysis: {wanted: 1, ply: 0, lines: [line]}}, {a1a2: 6}), {b1c1: 7});
  assert.deepEqual(valuesOf({...page, analysis: {wanted: 1, ply: 1, lines: [line]}}, {a1a2: 6}), {}); // of another position
  assert.deepEqual([0, 1].map((side) => percentOf([2, 1, 1], side)), ["63%", "38%"]);
  assert.equal(percentOf([0, 0, 0], 0), "\u2013");
});

test("an edited position is written as FEN", () => {
  assert.equal(fenOf({men: "S..D.s..d", hand: {}, side: 1, holds: false}, 3), "2d/D1s/S2 b 0 1");
  assert.equal(fenOf({men: `${".".repeat(20)}s`.padEnd(22, "."), hand: {S: 3, d: 1}, side: 0, holds: true}, 11), "9s1/11[3S1d] w 0 1");
  assert.equal(fenOf({men: "....", hand: {S: 0}, side: 0, holds: true}, 2), "2/2[-] w 0 1");
});
