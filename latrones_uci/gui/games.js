// @ts-check
// The list of kept games: open, rename, delete, import and save.

import {write} from "../web/display.js";
import {element, find} from "../web/dom.js";
import {send} from "../web/tabs.js";
import {confirmed} from "./advice.js";
import {movesText, pgnParts} from "./words.js";

const SAVE_MS = 60000; // time for the browser to save a file
/** @type {HTMLDialogElement} */
const dialog = find("dialog.games");
const error = find(".error", dialog);

// Shows the list; `open(record)` opens a game, and `current` is the record of the displayed game.
/** @param {(record: string) => Promise<any>} open @param {string} current */
export async function openGames(open, current) {
  write(error, "");
  opener = open;
  again = () => openGames(open, current);
  const list = find(".list", dialog);
  if (!dialog.open) {
    list.replaceChildren();
    dialog.showModal();
  }
  const answer = await fetch("games.json").catch(/** @returns {any} */ () => null);
  if (!answer?.ok) {
    write(error, "The server does not respond.");
    return;
  }
  /** @type {{kept: boolean, games: import("./types").KeptGame[]}} */
  const {kept, games} = await answer.json();
  list.replaceChildren(...games.map((game) => row(game, current, open)));
  showChosen();
  write(find(".none", dialog), games.length ? "" : kept ? "No games yet. Every game is kept here from its first move on."
    : "The server was started with --no-games, so games are not kept.");
}

find('[data-do="close"]', dialog).addEventListener("click", () => dialog.close());

// ---------------------------------------------------------------- PGN

// Keeps the games of PGN texts, and opens the game if there is only one.
/** @param {string[]} texts */
async function take(texts) {
  /** @type {string[]} */
  const records = [];
  await attempt(async () => {
    for (const part of texts.flatMap((text) => pgnParts(text))) records.push(...(await send({do: "import", pgn: part})).records);
  });
  if (records.length === 1 && await attempt(() => opener(records[0]))) dialog.close();
  else if (records.length) {
    const problem = error.textContent;
    await again();
    write(error, problem);
  }
}

/** @type {(record: string) => Promise<any>} */
let opener = async () => {};
let again = async () => {};

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
  const typing = /** @type {Element} */ (event.target).closest?.("input:not([type=file]), textarea");
  if (dialog.open && !typing && text.trim()) take([text]);
});

const save = find('[data-do="export"]', dialog);

// Returns the ticked games.
const ticked = () => [.../** @type {NodeListOf<HTMLInputElement>} */ (dialog.querySelectorAll(".tick:checked"))].map(({value}) => value);

function showChosen() {
  const count = ticked().length;
  write(save, count ? `Save ${count} as PGN` : "Save all as PGN");
  save.disabled = !dialog.querySelector(".tick");
}

// Saves the ticked games, or all games of the list if none is ticked, as one file.
save.addEventListener("click", () => attempt(async () => {
  const all = [.../** @type {NodeListOf<HTMLInputElement>} */ (dialog.querySelectorAll(".tick"))].map(({value}) => value);
  const chosen = ticked();
  const {pgn} = await send({do: "export", records: chosen.length ? chosen : all});
  const address = URL.createObjectURL(new Blob([pgn], {type: "application/x-chess-pgn"}));
  element("a", {href: address, download: "games.pgn"}).click();
  setTimeout(() => URL.revokeObjectURL(address), SAVE_MS);
}));
dialog.addEventListener("change", showChosen);

// ---------------------------------------------------------------- the list

/** @param {() => Promise<any>} act */
async function attempt(act) {
  write(error, "");
  try {
    await act();
    return true;
  } catch (problem) {
    write(error, problem.message);
    return false;
  }
}

/** @param {import("./types").KeptGame} game @param {string} current @param {(record: string) => Promise<any>} open */
function row(game, current, open) {
  const {record, name, title, players, result, plies, updated} = game;
  const isCurrent = record === current;
  const label = name || players.join(" \u2013 ");
  const picture = element("img", {src: `kept.svg?record=${encodeURIComponent(record)}&plies=${plies}`, alt: "", width: 72,
    height: 72, loading: "lazy"});
  const opener = element("button", {type: "button", class: "open"}, picture, element("span", {}, element("b", {}, label),
    element("span", {class: "quiet"}, [title, result === "*" ? "unfinished" : result.replaceAll("1/2", "\u00bd"),
      movesText(plies), new Date(updated * 1000).toLocaleString()].join(" \u00b7 "))));
  opener.addEventListener("click", async () => { if (isCurrent || await attempt(() => open(record))) dialog.close(); });
  const rename = element("button", {type: "button", "aria-label": `Rename ${label}`}, "Rename");
  rename.addEventListener("click", () => edit(item, game, again));
  const remove = /** @type {HTMLButtonElement} */ (
    element("button", {type: "button", "aria-label": `Delete ${label}`}, "Delete"));
  if (isCurrent) remove.disabled = true;
  remove.addEventListener("click", () => confirmed(remove, "Delete", "Really?", async () => {
    if (await attempt(() => send({do: "delete", record}))) again();
  }));
  const tick = element("input", {type: "checkbox", class: "tick", value: record, "aria-label": `Choose ${label}`, title: "Choose for Save as PGN"});
  const item = element("li", {"data-record": record, ...(isCurrent ? {"aria-current": "true"} : {})}, tick, opener, rename, remove);
  return item;
}

// Lets the user write a name in place of the buttons of a row.
/** @param {HTMLElement} item @param {import("./types").KeptGame} game @param {() => void} done */
function edit(item, {record, name, players}, done) {
  const field = /** @type {HTMLInputElement} */ (element("input", {type: "text", value: name, maxlength: 100,
    "aria-label": "Name of the game", placeholder: players.join(" \u2013 ")}));
  const save = element("button", {type: "submit", class: "main"}, "Save");
  const form = element("form", {}, field, save);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await attempt(() => send({do: "rename", record, name: field.value}))) done();
  });
  item.replaceChildren(form);
  field.focus();
}
