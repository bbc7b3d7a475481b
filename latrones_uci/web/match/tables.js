// The figures of the match: progress, standings, sequential test, and the list of finished games.

import {write} from "../lib/display.js";
import {drawn, element, find, findAll, loadDrawing, options} from "../lib/dom.js";
import {load} from "../lib/tabs.js";

/** @typedef {[string, string]} Heading its text and its class */

/** @param {Heading[]} headings @param {Element[][]} rows */
function table(headings, rows) {
  return element("table", {}, element("thead", {}, element("tr", {},
    ...headings.map(([text, kind]) => element("th", kind ? {class: kind} : {}, text)))),
  element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells))));
}

/** @param {string} kind @param {(Node | string)[]} children */
const cell = (kind, ...children) => element("td", kind ? {class: kind} : {}, ...children);

/** @param {number} seconds */
function durationText(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

/** @param {import("./types").Match} match */
export function showProgress(match) {
  const {played, total, running, per_minute: speed, left_s: left} = match;
  const bar = find("progress");
  bar.max = match.sprt ? 1 : total; // the way of a sequential test leads from one bound to the other
  bar.value = match.sprt ? match.sprt.share : played;
  write(find(".progress span"), [match.sprt ? `${played} ${played === 1 ? "game" : "games"}` : `${played} of ${total} games`, match.round, match.troubles, running ? `${running} running` : "",
    speed && match.live ? `${speed < 10 ? speed.toFixed(1) : speed.toFixed(0)} games/min` : "",
    left && match.live && !match.complete ? left < 30 ? "less than a minute left" : `about ${durationText(left)} left` : ""]
    .filter(Boolean).join(" \u00b7 "));
}

// Draws a value with its interval on a scale from -100 to 100.
/** @param {[number, number, number]} ends @param {string} label */
function bar([low, value, high], label) {
  return drawn("svg", {class: "bar", viewBox: "-101 0 202 10", preserveAspectRatio: "none", role: "img", "aria-label": label},
    drawn("path", {class: "axis", d: "M0 0V10"}),
    drawn("path", {class: "interval", d: `M${low} 5H${high}M${low} 2V8M${high} 2V8`}),
    drawn("path", {class: "value", d: `M${value} 1V9`}));
}

/** @param {import("./types").Match} match */
export function showStandings(match) {
  const labels = [...new Set(match.standings.flatMap(({remarks}) => remarks.map(([label]) => label)))];
  const rows = match.standings.map((row, at) => {
    const remarks = new Map(row.remarks);
    return [cell("number", String(at + 1)),
      cell("wide", element("bdi", {}, match.engines[row.engine]), element("small", {class: "minor"}, match.controls[row.engine])),
      cell("number minor", String(row.games)), cell("", row.counts), cell("number", row.score ?? ""), cell("", row.elo ?? ""),
      cell("minor", ...(row.bar ? [bar(row.bar, row.elo)] : [])),
      ...labels.map((label, place) => cell(place ? "minor rest" : "minor", remarks.get(label) ?? ""))];
  });
  find(".standings").replaceChildren(table([["", "number"], ["Engine", ""], ["Games", "number minor"], ["W-D-L", ""],
    ["Score", "number"], [match.engines.length > 2 ? "Rating (95%)" : "Elo (95%)", ""], [`\u2212${match.reach} to ${match.reach}`, "minor"],
    ...labels.map((label, place) => /** @type {Heading} */ ([label, place ? "minor rest" : "minor"]))], rows));
  write(find(".unpaired"), match.note);
  find(".unpaired").hidden = !match.note;
  find(".more").hidden = !match.cross.length;
  if (!match.cross.length) return;
  const names = match.standings.map(({engine}) => match.engines[engine]);
  find(".cross").replaceChildren(table([["", ""], ...names.map((name) => /** @type {Heading} */ ([name, "number"]))],
    match.cross.map((points, at) => [cell("wide", element("bdi", {}, names[at])),
      ...points.map((one) => cell("number", one ?? "\u2013"))])));
}

/** @param {import("./types").Match} match */
export function showRounds({rounds}) {
  find(".rounds").hidden = !rounds;
  if (!rounds) return;
  const kind = (/** @type {number} */ column) => rounds.numbers.includes(column) ? "number" : column === 1 ? "wide" : "";
  write(find(".rounds summary"), rounds.title);
  find(".rounds .scroll").replaceChildren(table(
    rounds.headings.map((heading, column) => /** @type {Heading} */ ([heading, kind(column)])),
    rounds.rows.map((row) => row.map((text, column) => cell(kind(column), text)))));
  write(find(".rounds p"), rounds.note);
}

let drawnTest = "";
/** @param {import("./types").Match} match */
export async function showTest({sprt}) {
  find(".test").hidden = !sprt;
  if (!sprt) return;
  const key = JSON.stringify(sprt);
  if (key === drawnTest) return;
  drawnTest = key;
  find(".test figcaption").replaceChildren(element("b", {}, `LLR ${sprt.llr}`), ` (${sprt.bounds}), ${sprt.verdict}`,
    element("br"), sprt.hypotheses, ...(sprt.rest ? [element("br"), sprt.rest] : []));
  const chart = await loadDrawing("llr.svg").catch(/** @returns {any} */ () => null);
  if (chart && key === drawnTest) find(".test .chart").replaceChildren(chart);
}

/** @param {import("./types").Match} match */
export function showTerminations({terminations}) {
  find(".endings").hidden = !terminations.length;
  find(".endings ul").replaceChildren(...terminations.map(([name, count]) => element("li", {}, `${count} ${name}`)));
}

// ---------------------------------------------------------------- finished games

export class GameList {
  constructor() {
    /** @type {import("./types").Match | null} */
    this.match = null;
    /** @type {import("./types").Row[]} */
    this.rows = [];
    this.pages = 1;
    this.loading = false;
    this.stale = false;
    for (const select of findAll("[data-filter]")) {
      select.addEventListener("change", () => { this.pages = 1; this.load(); });
    }
    find('[data-do="more"]').addEventListener("click", () => { this.pages += 1; this.load(); });
  }

  // Loads the games again if there are new ones.
  /** @param {import("./types").Match} match */
  update(match) {
    const before = this.match;
    this.match = match;
    if (!before || before.engines.join("\n") !== match.engines.join("\n")) {
      this.offer("engine", match.engines.map((name, at) => [String(at), name]));
    }
    if (!before || before.played !== match.played || before.created !== match.created) this.load();
  }

  /** @param {string} name @param {[string, string][]} choices */
  offer(name, choices) {
    const select = find(`[data-filter="${name}"]`);
    const chosen = select.value;
    select.replaceChildren(...options([["", "all"], ...choices]));
    if (choices.some(([value]) => value === chosen)) select.value = chosen;
  }

  async load() {
    this.stale = true;
    if (this.loading) return; // it goes on with what is wanted by then
    this.loading = true;
    try {
      while (this.stale) {
        this.stale = false;
        await this.loadPages();
      }
    } catch { /* the server has stopped, which the page reports; the list stays as it is */ } finally {
      this.loading = false;
    }
  }

  async loadPages() {
    const words = new URLSearchParams();
    for (const select of findAll("[data-filter]")) words.set(select.dataset.filter, select.value);
    /** @type {import("./types").Row[]} */
    const rows = [];
    let count = 0;
    for (let page = 0; page < this.pages && (!page || rows.length < count); page++) {
      words.set("skip", String(rows.length));
      /** @type {import("./types").RowList} */
      const found = await load(`games.json?${words}`);
      rows.push(...found.games);
      count = found.count;
      this.offer("ending", found.endings.map((ending) => [ending, ending]));
    }
    this.rows = rows;
    this.show(count);
  }

  /** @param {number} count */
  show(count) {
    const names = this.match.engines;
    const body = this.rows.map((row) => [
      cell("number", element("a", {href: `#game=${row.game}`}, String(row.game))), cell("wide", names[row.white] ?? ""),
      cell("wide", names[row.black] ?? ""), cell("", row.result), cell("number minor", String(row.plies)),
      cell("wide", row.ending), cell("minor", row.board)]);
    const list = find(".list");
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    list.replaceChildren(this.rows.length ? table([["", "number"], ["White", ""], ["Black", ""], ["Result", ""],
      ["Plies", "number minor"], ["Termination", ""], ["Variant", "minor"]], body)
      : element("p", {class: "quiet"}, "No games yet."));
    if (focused) find(`[href="${focused}"]`, list)?.focus({preventScroll: true});
    const more = find('[data-do="more"]');
    more.hidden = this.rows.length >= count;
    more.textContent = `${count - this.rows.length} earlier games`;
  }
}
