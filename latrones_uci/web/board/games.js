// The list of kept games, in pages: search, open, rename, delete, import and save.

import {resultText, write} from "../lib/display.js";
import {element, find, onClick, targetOf} from "../lib/dom.js";
import {attempt, load, send} from "../lib/tabs.js";
import {confirmed} from "./advice.js";
import {gamesText, grouped, movesText, textParts} from "./words.js";

const SAVE_MS = 60000; // time for the browser to save a file
const TYPING_MS = 200; // after the last key in the search
/** @type {HTMLDialogElement} */
const dialog = find("dialog.games");
const error = find(".error", dialog);
const rows = find(".list", dialog);
const search = find('[name="search"]', dialog);
const save = find('[data-do="export"]', dialog);
const remove = find('[data-do="delete-games"]', dialog);
/** @type {HTMLDetailsElement} */
const statistics = find(".statistics", dialog);
/** @type {Set<string>} */
const chosen = new Set(); // the ticked games, also of other pages
let page = 0;
let found = 0; // the number of games that match the search

/** @type {(record: string) => Promise<any>} */
let opener = async () => {};
let current = "";

// Shows the list; `open(record)` opens a game, and `shown` is the record of the displayed game.
/** @param {(record: string) => Promise<any>} open @param {string} shown */
export function openGames(open, shown) {
  write(error, "");
  opener = open;
  current = shown;
  page = 0;
  search.value = "";
  chosen.clear();
  rows.replaceChildren();
  dialog.showModal();
  return list();
}

// Loads the displayed page of the list again.
async function list() {
  const wanted = search.value;
  /** @type {import("./types").GameList | Error} */
  const data = await load(`games.json?page=${page}&search=${encodeURIComponent(wanted)}`).catch((problem) => problem);
  if (wanted !== search.value) return; // a later call shows its games
  if (data instanceof Error) {
    write(error, data.message);
    return;
  }
  ({page, found} = data);
  rows.replaceChildren(...data.games.map(row));
  rows.scrollTop = 0;
  search.disabled = !data.kept;
  write(find(".none", dialog), data.games.length ? "" : !data.kept ? "The server was started with --no-games, so games are not kept."
    : wanted.trim() ? "No game found. All words must occur in the players, the name, the game, the result or the date, or be won, lost, drawn, resigned, mate or time; game:latrones and opponent:\"NAME\" select exactly."
      : "No games yet. Every game is kept here from its first move on.");
  write(find(".count", dialog), data.kept ? `${gamesText(found)}${wanted.trim() ? " found" : ""}` : "");
  find(".pages", dialog).hidden = data.pages === 1;
  write(find(".pages span", dialog), `Page ${grouped(page + 1)} of ${grouped(data.pages)}`);
  find('[data-do="page-back"]', dialog).disabled = page === 0;
  find('[data-do="page-on"]', dialog).disabled = page === data.pages - 1;
  showChosen();
  await showStatistics();
}

/** @param {number} number */
function turn(number) {
  page = number;
  return list();
}

// Shows the score of the games found against each level, while its part of the dialog is open.
async function showStatistics() {
  if (!statistics.open) return;
  const wanted = search.value;
  /** @type {{rows: import("./types").ScoreRow[]} | null} */
  const data = await load(`statistics.json?search=${encodeURIComponent(wanted)}`).catch(/** @returns {any} */ () => null);
  if (!data || wanted !== search.value) return; // the list tells why, or a later call shows its games
  find("table", statistics).hidden = !data.rows.length;
  write(find("p", statistics), data.rows.length ? "" : `No finished game against an engine${wanted.trim() ? " found" : " yet"}.`);
  find("tbody", statistics).replaceChildren(...data.rows.map(({variant, title, opponent, wins, draws, losses}) => {
    const games = wins + draws + losses;
    const shown = element("button", {type: "button", title: "Show these games"}, opponent);
    shown.addEventListener("click", () => {
      search.value = `opponent:"${opponent}" game:${variant}`;
      chosen.clear();
      return turn(0);
    });
    return element("tr", {}, element("td", {}, title), element("td", {}, shown),
      ...[grouped(games), grouped(wins), grouped(draws), grouped(losses), `${Math.round(100 * (wins + draws / 2) / games)}%`].map((text) => element("td", {}, text)));
  }));
}
statistics.addEventListener("toggle", showStatistics);

let typed = 0;
search.addEventListener("input", () => {
  clearTimeout(typed);
  chosen.clear();
  typed = setTimeout(() => turn(0), TYPING_MS);
});
search.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") event.preventDefault(); });
onClick(dialog, {
  "page-back": () => turn(page - 1),
  "page-on": () => turn(page + 1),
  "cancel-import": () => { isCancelled = true; },
  export: () => attempt(error, saveSeveral),
  "delete-games": () => confirmed(remove, `Delete ${several()}`, `Really delete ${gamesText(chosen.size || found)}?`, deleteSeveral),
});

// ---------------------------------------------------------------- PGN

const progress = find(".import", dialog);
let isCancelled = false;

// Keeps the games of PGN texts part by part, shows the progress, and opens the game if there is only one.
/** @param {string[]} texts */
async function take(texts) {
  if (!progress.hidden) return; // one import at a time
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  let read = 0;
  let again = 0;
  /** @type {string[]} */
  const records = [];
  /** @type {string[]} */
  const rejected = [];
  write(error, "");
  isCancelled = false;
  progress.hidden = false;
  for (const text of texts) {
    const key = crypto.randomUUID();
    const parts = textParts(text);
    for (const [at, pgn] of parts.entries()) {
      write(find("span", progress), `Importing: ${gamesText(records.length)}, ${Math.floor(100 * read / Math.max(total, 1))}%`);
      find("progress", progress).value = read / Math.max(total, 1);
      if (isCancelled) break;
      try {
        const answer = await send({do: "import", pgn, key, first: at === 0, last: at === parts.length - 1});
        records.push(...answer.records);
        rejected.push(...answer.rejected);
        again += answer.again;
      } catch (problem) {
        rejected.push(problem.message);
        break; // the server has no more of this file
      }
      read += pgn.length;
    }
  }
  if (records.length === 1 && !again && !rejected.length && await attempt(error, () => opener(records[0]))) dialog.close();
  else await turn(0);
  progress.hidden = true;
  const counts = [`${gamesText(records.length)} imported`, again ? `${gamesText(again)} already here` : "",
    rejected.length ? `${grouped(rejected.length)} not: ${rejected.slice(0, 3).join("; ")}${rejected.length > 3 ? "; \u2026" : ""}` : ""].filter(Boolean).join(", ");
  if (isCancelled) write(error, `Cancelled: ${counts}.`);
  else if (rejected.length) write(error, records.length || again ? counts : rejected[0]);
  else if (records.length > 1 || again) write(find(".none", dialog), `${counts}.`);
}

find('[name="pgn"]', dialog).addEventListener("change", async (/** @type {any} */ {target}) => {
  await take(await Promise.all([...target.files].map((file) => file.text())));
  target.value = "";
});
dialog.addEventListener("dragover", (/** @type {DragEvent} */ event) => {
  event.preventDefault();
  dialog.classList.add("dropping");
});
dialog.addEventListener("dragleave", () => dialog.classList.remove("dropping"));
dialog.addEventListener("drop", async (/** @type {DragEvent} */ event) => {
  event.preventDefault();
  dialog.classList.remove("dropping");
  const {files} = event.dataTransfer;
  take(files.length ? await Promise.all([...files].map((file) => file.text())) : [event.dataTransfer.getData("text/plain")]);
});
document.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain");
  if (dialog.open && !targetOf(event, "input:not([type=file]), textarea") && text.trim()) take([text]);
});

// ---------------------------------------------------------------- several games

// Names the games that the buttons are for: the ticked games, or else those that were found, which may be all.
function several() {
  if (chosen.size) return `${grouped(chosen.size)} chosen`;
  return search.value.trim() ? `${grouped(found)} found` : found === 1 ? "1 game" : found ? `all ${grouped(found)}` : "all";
}

function showChosen() {
  write(save, `Save ${several()} as PGN`);
  write(remove, `Delete ${several()}`);
  save.disabled = remove.disabled = !chosen.size && !found;
}

async function saveSeveral() {
  if (!chosen.size) return download(`games.pgn?search=${encodeURIComponent(search.value)}`);
  const {pgn} = await send({do: "export", records: [...chosen]});
  const address = URL.createObjectURL(new Blob([pgn], {type: "application/x-chess-pgn"}));
  setTimeout(() => URL.revokeObjectURL(address), SAVE_MS);
  return download(address);
}

/** @param {string} address */
const download = (address) => element("a", {href: address, download: "games.pgn"}).click();

async function deleteSeveral() {
  const command = chosen.size ? {do: "delete", records: [...chosen]} : {do: "delete-found", search: search.value, count: found};
  const wanted = chosen.size || found;
  let deleted = wanted;
  if (await attempt(error, async () => { ({deleted} = await send(command)); })) chosen.clear();
  await list();
  if (deleted < wanted) write(error, `${gamesText(deleted)} deleted; those that a page shows stay.`);
}
dialog.addEventListener("change", (/** @type {any} */ {target}) => {
  if (!target.matches(".tick")) return;
  if (target.checked) chosen.add(target.value);
  else chosen.delete(target.value);
  showChosen();
});

// ---------------------------------------------------------------- the list

/** @param {import("./types").KeptGame} game */
function row(game) {
  const {record, name, title, players, result, plies, moves, date} = game;
  const isCurrent = record === current;
  const label = name || players.join(" \u2013 ");
  const picture = element("img", {src: `kept.svg?record=${encodeURIComponent(record)}&plies=${plies}`, alt: "", width: 72,
    height: 72, loading: "lazy"});
  const open = element("button", {type: "button", class: "open"}, picture, element("span", {}, element("b", {}, label),
    element("span", {class: "quiet"}, [title, result === "*" ? "unfinished" : resultText(result),
      movesText(moves), date.replaceAll("-", "\u2011")].join(" \u00b7 "))));
  open.addEventListener("click", async () => { if (isCurrent || await attempt(error, () => opener(record))) dialog.close(); });
  const rename = element("button", {type: "button", "aria-label": `Rename ${label}`}, "Rename");
  rename.addEventListener("click", () => edit(item, game));
  const erase = /** @type {HTMLButtonElement} */ (
    element("button", {type: "button", "aria-label": `Delete ${label}`}, "Delete"));
  if (isCurrent) erase.disabled = true;
  erase.addEventListener("click", () => confirmed(erase, "Delete", "Really?", async () => {
    chosen.delete(record);
    if (await attempt(error, () => send({do: "delete", records: [record]}))) list();
  }));
  const tick = element("input", {type: "checkbox", class: "tick", value: record, "aria-label": `Choose ${label}`,
    title: "Choose for Save as PGN and Delete", ...(chosen.has(record) ? {checked: ""} : {})});
  const item = element("li", {"data-record": record, ...(isCurrent ? {"aria-current": "true"} : {})}, tick, open, rename, erase);
  return item;
}

// Lets the user write a name in place of the buttons of a row.
/** @param {HTMLElement} item @param {import("./types").KeptGame} game */
function edit(item, {record, name, players}) {
  const field = /** @type {HTMLInputElement} */ (element("input", {type: "text", value: name, maxlength: 100,
    "aria-label": "Name of the game", placeholder: players.join(" \u2013 ")}));
  const done = element("button", {type: "submit", class: "main"}, "Save");
  const form = element("form", {}, field, done);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await attempt(error, () => send({do: "rename", record, name: field.value}))) list();
  });
  item.replaceChildren(form);
  field.focus();
}
