// @ts-check
// The dialogs: a new game, and the position as FEN.

import {element, find, SIDES} from "../web/dom.js";

const CHOICES = "latrones-choices"; // the storage key of the last choices
const menu = find("dialog.menu");
const position = find("dialog.position");
const copy = find('[data-do="copy"]', position);
/** @type {(name: string, within?: ParentNode) => import("./types").Field} */
const field = (name, within = menu) => find(`[name="${name}"]`, within);

// `start(game)` starts a game, `setUp(fen)` starts one from a position; the dialogs show the errors that they throw.
/** @param {import("./types").Choices} choices @param {(game: import("./types").GameChoice) => Promise<void>} start @param {(fen: string) => Promise<void>} setUp */
export function prepare(choices, start, setUp) {
  field("variant").replaceChildren(...choices.games.map(({name, title}) => element("option", {value: name}, title)));
  find(".sides", menu).replaceChildren(...SIDES.map((name, side) => {
    const part = find("#side").content.cloneNode(true);
    find("legend", part).textContent = name;
    find("fieldset", part).dataset.side = side;
    field("player", part).append(element("option", {value: "person"}, "Human"),
      ...choices.engines.map((engine, number) => element("option", {value: number}, engine)));
    return part;
  }));
  const sizesOf = () => choices.games.find(({name}) => name === field("variant").value);
  /** @param {string[]} values */
  const options = (values) => [...new Set(values)].map((value) => element("option", {value}, value));
  /** @param {string} chosen */
  function ranks(chosen) {
    const allowed = sizesOf().sizes.map((size) => size.split("x")).filter(([files]) => files === field("files").value);
    field("ranks").replaceChildren(...options(allowed.map(([, one]) => one)));
    if ([...field("ranks").options].some(({value}) => value === chosen)) field("ranks").value = chosen;
  }
  function sizes(size = sizesOf().size) {
    const [files, chosen] = size.split("x");
    field("files").replaceChildren(...options(sizesOf().sizes.map((one) => one.split("x")[0])));
    field("files").value = files;
    ranks(chosen);
  }
  field("variant").addEventListener("change", () => sizes());
  field("files").addEventListener("change", () => ranks(field("ranks").value));
  menu.addEventListener("change", strengths);
  /** @type {[HTMLDialogElement, () => Promise<void>][]} */
  const accepts = [[menu, () => start(chosen())], [position, () => setUp(field("fen", position).value)]];
  for (const [dialog, accept] of accepts) {
    find("form", dialog).addEventListener("submit", async (/** @type {Event} */ event) => {
      event.preventDefault();
      find(".error", dialog).textContent = "";
      try {
        await accept();
        dialog.close();
      } catch (error) {
        find(".error", dialog).textContent = error.message;
      }
    });
    find('[data-do="close"]', dialog).addEventListener("click", () => dialog.close());
  }
  copy.addEventListener("click", async () => {
    field("fen", position).select();
    try {
      await navigator.clipboard.writeText(field("fen", position).value);
      copy.textContent = "Copied";
    } catch {
      find(".error", position).textContent = "The browser did not allow copying. The FEN is selected; press Ctrl+C.";
    }
  });
  restore(sizes);
}

function strengths() {
  for (const part of menu.querySelectorAll("fieldset")) {
    find(".strength", part).hidden = field("player", part).value === "person";
    const limit = field("limit", part).value;
    for (const label of part.querySelectorAll("[data-of]")) label.hidden = label.dataset.of !== limit;
  }
}

/** @returns {import("./types").GameChoice} */
function chosen() {
  const players = [...menu.querySelectorAll("fieldset")].map((part) => {
    /** @param {string} name */
    const number = (name) => Number(field(name, part).value);
    const player = field("player", part).value;
    return {kind: /** @type {"person" | "engine"} */ (player === "person" ? "person" : "engine"), engine: player === "person" ? 0 : Number(player),
      limit: field("limit", part).value, movetime_ms: Math.round(1000 * number("seconds")), depth: number("depth"),
      base_s: 60 * number("minutes"), increment_s: number("increment")};
  });
  return {variant: field("variant").value, size: `${field("files").value}x${field("ranks").value}`,
    fen: field("fen").value.trim(), players};
}

// Stores the choices for the next visit.
/** @param {import("./types").GameChoice} game */
export function remember(game) {
  localStorage.setItem(CHOICES, JSON.stringify({...game, fen: ""}));
}

// Restores the last choices; the default is a human against the first engine.
/** @param {(size?: string) => void} sizes */
function restore(sizes) {
  /** @type {import("./types").GameChoice | null} */
  let last = null;
  try {
    last = JSON.parse(localStorage.getItem(CHOICES));
  } catch {
    localStorage.removeItem(CHOICES);
  }
  /** @param {import("./types").Field} node @param {string | number | undefined} value */
  const select = (node, value) => {
    if ([...node.options].some((option) => option.value === String(value))) node.value = String(value);
  };
  select(field("variant"), last?.variant);
  sizes(last?.size);
  [...menu.querySelectorAll("fieldset")].forEach((part, side) => {
    const player = last?.players?.[side] ?? {kind: side ? "engine" : "person", engine: 0};
    select(field("player", part), player.kind === "person" ? "person" : player.engine);
    select(field("limit", part), player.limit);
    if (player.movetime_ms) field("seconds", part).value = String(player.movetime_ms / 1000);
    if (player.depth) field("depth", part).value = String(player.depth);
    field("minutes", part).value = String((player.base_s ?? 0) / 60);
    field("increment", part).value = String(player.increment_s ?? 0);
  });
  strengths();
}

export function openMenu() {
  find(".error", menu).textContent = "";
  field("fen").value = "";
  menu.showModal();
}

/** @param {string} fen */
export function openPosition(fen) {
  find(".error", position).textContent = "";
  field("fen", position).value = fen;
  copy.textContent = "Copy";
  position.showModal();
}

// Returns the first game of a new page: the last choices.
export const firstGame = () => chosen();
