// The opening explorer: which moves were played in the displayed position, how they scored, and what the engine says of
// them. The server counts the games; while it does, the page asks again.

import {scoreText, withSign, write} from "../lib/display.js";
import {element, find, options} from "../lib/dom.js";
import {send} from "../lib/tabs.js";
import {isLearning} from "./learn.js";
import {hidesScores, plyOf, valuesOf} from "./view.js";
import {gamesText, grouped, percentOf} from "./words.js";

const ASK_MS = 700; // while games are being counted
const MAX_VALUES = 12; // moves that the server evaluates at once
/** @typedef {import("./types").Page} Page */
/** @typedef {import("./types").Explored} Explored */

const host = find(".openings");
const choice = find('[name="source"]', host);
let isOpen = false;
let asked = ""; // the position and source that are displayed or asked for
/** @type {Explored | null} */
let found = null;
/** @type {{fen: string, values: Record<string, import("./types").Score | null>}} */
let measured = {fen: "", values: {}};

/** @param {Explored} data @param {Page} page */
function draw(data, page) {
  const side = data.fen.split(" ")[1] === "b" ? 1 : 0;
  const values = valuesOf(page, measured.fen === data.fen ? measured.values : {});
  const focused = /** @type {HTMLElement | null} */ (host.contains(document.activeElement) ? document.activeElement : null)?.dataset.move;
  choice.replaceChildren(...options([...data.sources.entries()]));
  choice.value = asked.split(" ").at(-1);
  choice.hidden = data.sources.length === 1;
  const games = data.here === data.games ? gamesText(data.games) : `${grouped(data.here)} of ${gamesText(data.games)}`;
  write(find(".told", host), [data.sources.length === 1 ? data.sources[0] : "", data.reading ? `counting, ${games} so far` : games,
    data.problem].filter(Boolean).join(": "));
  write(find(".none", host), data.moves.length || data.reading ? "" : "No game has come to this position.");
  find(".rows", host).hidden = !data.moves.length;
  find("tbody", host).replaceChildren(...data.moves.map(({text, note, book, counts: [played, ...results]}) => {
    const value = values[text];
    const [white, draws, black] = results;
    const words = `White ${white}, draws ${draws}, Black ${black}`;
    const bar = element("div", {class: "bar", role: "img", "aria-label": words, title: words}, ...results.map(() => element("span")));
    [...bar.children].forEach((part, at) => { /** @type {HTMLElement} */ (part).style.flexGrow = String(results[at]); });
    return element("tr", {}, element("td", {}, element("button", {type: "button", "data-move": text, title: withSign(text, note)}, note),
      ...(book ? [element("span", {class: "quiet"}, " book")] : [])),
    element("td", {title: data.here ? `${Math.round(100 * played / data.here)}% of the games` : ""}, grouped(played)),
    element("td", {}, ...(white + draws + black ? [bar] : [])), element("td", {}, percentOf(results, side)),
    element("td", {}, value === undefined || value === null ? "" : scoreText(value)));
  }));
  if (focused) find(`[data-move="${focused}"]`, host)?.focus();
}

// Returns the functions of the explorer: `toggle()`, and `follow()` when the page shows something; `enter(moves)` adds
// moves to the displayed position.
/** @param {Page} page @param {(moves: string[]) => void} enter */
export function exploring(page, enter) {
  let waiting = 0;

  async function ask() {
    clearTimeout(waiting);
    const {table, ply, node, analysis} = page;
    const key = asked;
    const place = {table, ply, node};
    /** @type {Explored | Error} */
    const data = await send({do: "explore", ...place, source: Number(choice.value || 0)}).catch((problem) => problem);
    if (key !== asked || !isOpen) return; // another position is displayed
    if (data instanceof Error) {
      write(find(".told", host), data.message);
      return;
    }
    const moves = data.moves.slice(0, MAX_VALUES).map(({text}) => text);
    const isNew = found?.fen !== data.fen || moves.some((text) => !(text in measured.values));
    found = data;
    draw(data, page);
    if (data.reading) waiting = setTimeout(ask, ASK_MS);
    else if (moves.length && isNew && !analysis.wanted && !isLearning() && !hidesScores(page)) send({do: "values", ...place, moves}).catch(() => {}); // without values
  }

  function follow() {
    host.hidden = !isOpen;
    find('[data-do="explore"]').setAttribute("aria-pressed", String(isOpen));
    const {table, state, node, analysis} = page;
    const key = [table, state.record, plyOf(page), node, analysis.wanted > 0, choice.value || 0].join(" ");
    if (!isOpen || key === asked) return;
    asked = key;
    ask();
  }

  choice.addEventListener("change", follow);
  find("tbody", host).addEventListener("click", (/** @type {any} */ {target}) => {
    const {move} = target.closest("[data-move]")?.dataset ?? {};
    if (move) enter([move]);
  });
  return {
    follow,
    // Shows the scores of an event, "values" or "analysis", if they are those of the displayed position.
    /** @param {string} kind @param {any} data */
    take: (kind, data) => {
      if (kind === "values") measured = data;
      if (!isOpen || !found || !page.state) return;
      draw(found, page);
      follow(); // the analysis may have ended
    },
    toggle: () => {
      isOpen = !isOpen;
      asked = "";
      follow();
    },
  };
}
