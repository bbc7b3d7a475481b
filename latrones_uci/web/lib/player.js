// The replay of a game: its board, players, clocks and moves, and the buttons and keys that go through it. A page has the
// elements; see replay.html of the report, and watch.html.

import {clockText, listMoves, scoreWords, searchTexts, showEvaluation, write} from "./display.js";
import {element, find, held, icon, isPlain, kindsHeld, playerRows, SIDES, targetOf} from "./dom.js";

const AUTOPLAY_MS = 700;
/** @type {Record<string, string>} */
const KEYS = {ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play", f: "flip"};

// Returns a replay that a file contains in the packed format (see replay.py). The moves after `last` are not legal.
/** @param {any} packed @param {import("./types").Ground} board @returns {import("./types").Replay} */
export function unpack(packed, board) {
  const {men: first, changes, moves, notes, sides, numbers, fen} = packed;
  let [men, hand, number] = [[...first], unpackHand(packed.hand), 0];
  const start = {men: first, hand, side: sides[0] === "b" ? 1 : 0, fen};
  const plies = moves.map((/** @type {string} */ text, /** @type {number} */ at) => {
    const [squares, pieces] = (changes[at] ?? "").split("[");
    const changed = [...squares.matchAll(/([.A-Za-z])(\d+)/g)].map(([, piece, square]) => ({piece, square: Number(square)}));
    men = [...men];
    for (const {piece, square} of changed) men[square] = piece;
    hand = pieces === undefined ? hand : unpackHand(pieces);
    const path = [...text.matchAll(/([a-p])(\d+)/g)].map(
      ([, file, rank]) => (Number(rank) - 1) * board.files + file.charCodeAt(0) - "a".charCodeAt(0));
    const moved = path.length > 1 ? path : [];
    const captures = changed.filter(({piece, square}) => piece === "." && !moved.includes(square)).map(({square}) => square);
    /** @param {string} name */
    const known = (name) => packed[name]?.[at] ?? null;
    return {men: men.join(""), hand, side: sides[at + 1] === "b" ? 1 : 0, fen: "", text, path, captures,
      note: notes[at] ?? text, mover: sides[at] === "b" ? 1 : 0, number: (number += numbers[at]), score: known("score"),
      depth: known("depth"), nodes: known("nodes"), ms: known("ms"), clock: known("clock"), mark: known("mark"),
      lost: known("lost"), best: known("best")};
  });
  return {...board, start, start_fen: fen, plies, last: changes.length, problem: packed.problem ?? "", finished: true};
}

/** @param {string} hand */
const unpackHand = (hand) => Object.fromEntries([...hand.matchAll(/(\d+)([A-Za-z])/g)].map(([, count, piece]) => [piece, Number(count)]));

export class Player {
  // Shows games within `root`. `draw(replay, flipped)` returns an empty board, `changed(game, ply)` is called when the
  // user goes to another ply, and `describe(replay, ply)` shows what is special to a page.
  /** @param {HTMLElement} root @param {{draw: (replay: import("./types").Replay, flipped: boolean) => Promise<import("./ground.js").Ground | null>, changed: (game: number, ply: number) => void, describe: (replay: import("./types").Replay, ply: number) => void}} page @param {Record<string, () => any>} more actions by the name of their button */
  constructor(root, page, more = {}) {
    this.root = root;
    this.page = page;
    /** @type {import("./types").Replay | null} */
    this.replay = null;
    this.ply = 0;
    /** @type {string[]} */
    this.engines = [];
    this.flipped = false;
    /** @type {import("./ground.js").Ground | null} */
    this.ground = null;
    this.kind = "";
    /** @type {any} */
    this.autoplaying = 0;
    /** @type {Record<string, () => any>} */
    this.actions = {
      first: () => this.go(0),
      back: () => this.go(this.ply - 1),
      forward: () => this.go(this.ply + 1),
      last: () => this.go(this.last),
      play: () => this.autoplay(!this.autoplaying),
      flip: () => { this.flipped = !this.flipped; return this.draw(); },
      ...more,
    };
    root.addEventListener("click", (event) => {
      const action = this.actions[targetOf(event, "[data-do]")?.dataset.do];
      if (!action || !this.replay) return;
      event.preventDefault();
      action();
    });
  }

  // Handles a key, one of `more` names, or one of the replay.
  /** @param {KeyboardEvent} event @param {Record<string, string>} more */
  press(event, more = {}) {
    const name = {...KEYS, ...more}[event.key];
    const busy = targetOf(event, "input, select, .scroll") || event.key === " " && targetOf(event, "button, a, summary");
    if (!this.replay || !name || busy || !isPlain(event)) return;
    event.preventDefault();
    this.actions[name]();
  }

  get last() { return this.replay?.last ?? this.replay?.plies.length ?? 0; }

  /** @param {import("./types").Replay} replay @param {number} ply */
  show(replay, ply) {
    this.replay = replay;
    this.ply = Math.max(0, Math.min(ply, this.last));
    return this.draw();
  }

  close() {
    this.replay = null;
    this.autoplay(false);
  }

  async draw() {
    const {replay} = this;
    if (!replay) return;
    const kind = `${replay.ground} ${this.flipped}`;
    if (kind !== this.kind) {
      const ground = await this.page.draw(replay, this.flipped);
      if (this.replay !== replay) return;
      this.ground = ground;
      this.kind = kind;
      find(".board", this.root).replaceChildren(...(ground ? [ground.svg] : []));
      if (ground) this.root.style.setProperty("--aspect", ground.aspect);
    }
    const {ply, last} = this;
    const played = ply ? replay.plies[ply - 1] : null;
    const over = replay.finished && replay.result !== "*" && ply === last;
    const after = played ? `after ${played.number}. ${played.note}` : "start";
    this.ground?.show({path: null, captures: [], .../** @type {any} */ (played ?? replay.start), over,
      title: `Game ${replay.game}, ${after}`});
    this.describe(played, over);
    listMoves(replay, ply, (chosen) => this.go(chosen));
    for (const [name, off] of Object.entries({first: !ply, back: !ply, forward: ply === last, last: ply === last})) {
      find(`[data-do="${name}"]`, this.root).disabled = off;
    }
    this.page.describe(replay, ply);
  }

  /** @param {import("./types").Ply | null} played @param {boolean} over */
  describe(played, over) {
    const {replay, ply, root} = this;
    write(find(".now", root), played ? [`${played.number}. ${SIDES[played.mover]} ${played.note}${played.mark ?? ""}`,
      ...(played.mark ? [played.lost, `best was ${played.best}`] : []),
      played.score === null ? "" : scoreWords(played.score), ...searchTexts(played)].filter(Boolean).join(" \u00b7 ")
      : `Start${this.last ? "" : ": no moves"}`);
    const bar = find(".evaluation", root);
    if (bar) showEvaluation(bar, replay.plies.slice(0, ply).findLast(({score}) => score !== null)?.score ?? null, this.flipped);
    const {hand, side: next} = played ?? replay.start;
    for (const [node, side] of playerRows(this.flipped, root)) {
      const name = this.engines[side ? replay.black : replay.white] ?? "";
      find(".who", node).replaceChildren(icon(side), element("b", {}, name), element("span", {class: "quiet"}, ` ${SIDES[side]}`));
      find(".held", node)?.replaceChildren(...kindsHeld(hand, side).map((piece) => held(hand, piece)));
      const clock = replay.plies.slice(0, ply).findLast(({mover}) => mover === side)?.clock ?? null;
      write(find(".clock", node), clock === null ? "" : clockText(clock));
      find(".clock", node).hidden = clock === null;
      node.classList.toggle("next", !over && next === side);
    }
  }

  /** @param {number} ply */
  go(ply) {
    this.ply = Math.max(0, Math.min(ply, this.last));
    if (this.ply === this.last) this.autoplay(false);
    this.page.changed(this.replay.game, this.ply);
    return this.draw();
  }

  /** @param {boolean} on */
  autoplay(on) {
    clearInterval(this.autoplaying);
    this.autoplaying = on ? setInterval(() => this.go(this.ply + 1), AUTOPLAY_MS) : 0;
    find('[data-do="play"]', this.root).setAttribute("aria-pressed", String(on));
  }
}
