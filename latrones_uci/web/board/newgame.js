// The dialog for a new game: game, opponent and time in three rows. They fill in the fields under Advanced, which set
// the values of the game.

import {write} from "../lib/display.js";
import {element, find, findAll, onClick, options, SIDES} from "../lib/dom.js";
import {attempt, load} from "../lib/tabs.js";
import {stored} from "./session.js";
import {page} from "./state.js";
import {familiesOf} from "./words.js";

const CHOICES = "latrones-choices"; // the storage key of the last choices
const FULL = "full"; // full strength
const menu = find("dialog.menu");
/** @typedef {import("./types").GameChoice} GameChoice */
/** @type {(name: string, within?: ParentNode) => import("./types").Field} */
const field = (name, within = menu) => find(`[name="${name}"]`, within);
/** @param {string} name @returns {string} */
const picked = (name) => find(`[name="${name}"]:checked`, menu)?.value ?? "";
/** @param {string} name @param {string} value */
const pick = (name, value) => { for (const one of menu.querySelectorAll(`[name="${name}"]`)) one.checked = one.value === value; };
/** @param {import("./types").Field} node @param {string | number | null | undefined} value */
const select = (node, value) => { if ([...node.options].some((option) => option.value === String(value))) node.value = String(value); };
/** @returns {HTMLFieldSetElement[]} */
const sides = () => [...menu.querySelectorAll("fieldset")];

/** @type {import("./types").Choices} */
let choices = null;
const gameOf = () => choices.games.find(({name}) => name === picked("variant"));

// `start(game)` starts a game, and the dialog shows its errors; `rules(variant)` shows the rules of a game.
/** @param {import("./types").Choices} offered @param {(game: GameChoice) => Promise<void>} start @param {(variant: string) => void} rules */
export function prepare(offered, start, rules) {
  choices = offered;
  const [first, others] = menu.querySelectorAll(".cards");
  const folded = choices.games.filter((game) => game.folded);
  first.replaceChildren(...choices.games.filter((game) => !game.folded).map((game) => card([game])));
  others.replaceChildren(...familiesOf(folded).map(card));
  write(find(".more summary", menu), `${folded.length} more rulesets (from Ludii)`);
  const engines = () => options([...choices.engines.entries()]);
  field("opponent").replaceChildren(...engines(), ...options([["person", "Human, at this board"]]));
  find(".sides", menu).replaceChildren(...SIDES.map((name, side) => {
    const part = find("#side").content.cloneNode(true);
    find("legend", part).textContent = name;
    find("fieldset", part).dataset.side = side;
    field("player", part).append(...options([["person", "Human"]]), ...engines());
    return part;
  }));
  for (const node of [field("level"), ...sides().map((part) => field("rank", part))]) {
    node.replaceChildren(...options([...choices.levels.entries(), [FULL, "Full strength"]]));
  }
  menu.addEventListener("change", changed);
  find("form", menu).addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await attempt(find(".error", menu), () => start(chosen()))) menu.close();
  });
  onClick(menu, {"rules-of": () => rules(picked("variant"))});
  restore();
}

/** @param {string} variant */
const pictureOf = (variant) => `card.svg?variant=${encodeURIComponent(variant)}`;

// Returns the card of a game, or of one game in several sizes, with a list of them.
/** @param {import("./types").Choices["games"]} games */
function card(games) {
  const [{name, title, summary}] = games;
  const label = games.length > 1 ? title.replace(/, \d+x\d+$/, "") : title;
  return element("label", {class: "card", "data-name": name}, element("input", {type: "radio", name: "variant", value: name, ...(games.length > 1 ? {"aria-label": label} : {})}),
    element("img", {"data-src": pictureOf(name), alt: "", width: 90, height: 80, loading: "lazy"}),
    element("b", {}, label), element("span", {class: "quiet"}, summary), ...(games.length > 1 ? [element("select",
      {name: "member", "aria-label": `Size of ${label}`}, ...options(games.map((game) => [game.name, game.size])))] : []));
}

// Picks a game, which may be one of the sizes of a card.
/** @param {string} variant */
function pickGame(variant) {
  for (const list of /** @type {NodeListOf<HTMLSelectElement>} */ (menu.querySelectorAll('[name="member"]'))) {
    if ([...list.options].some(({value}) => value === variant)) setMember(list, variant);
  }
  pick("variant", variant);
}

// Makes a card stand for one of its sizes.
/** @param {HTMLSelectElement} list @param {string} variant */
function setMember(list, variant) {
  const host = list.closest(".card");
  list.value = variant;
  find("input", host).value = variant;
  write(find(".quiet", host), choices.games.find(({name}) => name === variant).summary);
  find("img", host).setAttribute(find("img", host).dataset.src ? "data-src" : "src", pictureOf(variant));
}

// ---------------------------------------------------------------- fields that depend on others

/** @param {Event} event */
function changed(event) {
  const {name} = /** @type {import("./types").Field} */ (event.target);
  if (name === "member") {
    const list = /** @type {HTMLSelectElement} */ (event.target);
    setMember(list, list.value);
    pick("variant", list.value);
  }
  if (name === "variant" || name === "member") {
    sizes();
    showLevels();
  }
  if (name === "files") ranks(field("ranks").value);
  if (["opponent", "level", "colour", "time"].includes(name)) simple();
  if (["player", "rank", "limit", "seconds", "depth", "minutes", "increment"].includes(name)) custom();
  if (["opponent", "player", "files", "ranks"].includes(name)) showLevels();
  visible();
}

/** @param {string[]} values */
const numbers = (values) => options([...new Set(values)].map((value) => [value, value]));

function sizes(size = gameOf().size) {
  const [files, chosenRanks] = size.split("x");
  field("files").replaceChildren(...numbers(gameOf().sizes.map((one) => one.split("x")[0])));
  field("files").value = files;
  ranks(chosenRanks);
}

/** @param {string} wanted */
function ranks(wanted) {
  const allowed = gameOf().sizes.map((size) => size.split("x")).filter(([files]) => files === field("files").value);
  field("ranks").replaceChildren(...numbers(allowed.map(([, one]) => one)));
  select(field("ranks"), wanted);
}

// Fills in the fields of both sides from the simple rows.
function simple() {
  const opponent = field("opponent").value;
  const human = picked("colour") === "black" ? 1 : 0;
  const [minutes, increment] = (picked("time") || "0+0").split("+");
  sides().forEach((part, side) => {
    const isEngine = opponent !== "person" && side !== human;
    field("player", part).value = isEngine ? opponent : "person";
    field("rank", part).value = isEngine ? field("level").value : FULL;
    if (picked("time")) {
      field("minutes", part).value = minutes;
      field("increment", part).value = increment;
    }
    if (isEngine && picked("time")) field("limit", part).value = Number(minutes) ? "clock" : "time";
  });
}

// Sets the simple rows to match the fields of both sides, as far as possible.
function custom() {
  const parts = sides();
  const players = parts.map((part) => field("player", part).value);
  const engine = players.findIndex((player) => player !== "person");
  const people = players.filter((player) => player === "person").length;
  if (people) {
    field("opponent").value = people === 2 ? "person" : players[engine];
    if (people === 1) field("level").value = field("rank", parts[engine]).value;
    pick("colour", people === 1 ? engine ? "white" : "black" : picked("colour") || "white");
  } else {
    pick("colour", "");
  }
  const clocks = parts.map((part) => `${Number(field("minutes", part).value)}+${Number(field("increment", part).value)}`);
  pick("time", clocks[0] === clocks[1] ? clocks[0] : "");
}

function visible() {
  for (const part of sides()) {
    const player = field("player", part).value;
    const limit = field("limit", part).value;
    find(".strength", part).hidden = player === "person";
    for (const label of findAll("[data-of]", part)) {
      label.hidden = player === "person" || label.dataset.of !== limit;
      find("input", label).disabled = label.hidden; // a hidden field must not prevent the form from being sent
    }
  }
  const isHuman = field("opponent").value === "person";
  field("level").disabled = isHuman;
  for (const one of menu.querySelectorAll('[name="colour"]')) one.disabled = isHuman;
  write(find('[data-do="rules-of"]', menu), `Rules of ${gameOf().title.replace(" rules", "")}`);
}

/** @type {Map<string, {name: string, elo: number | null}[]>} */
const ladders = new Map(); // by engine, variant and size

// Writes the Elo of each level into the lists; an engine without levels only offers full strength.
async function showLevels() {
  const variant = picked("variant");
  const size = `${field("files").value}x${field("ranks").value}`;
  for (const [list, player] of [[field("level"), field("opponent")], ...sides().map((part) => [field("rank", part), field("player", part)])]) {
    const engine = player.value;
    if (engine === "person") continue;
    const key = `${engine} ${variant} ${size}`;
    if (!ladders.has(key)) {
      const levels = await load(`levels.json?engine=${engine}&variant=${encodeURIComponent(variant)}&size=${size}`).catch(/** @returns {any} */ () => null);
      if (!levels) continue;
      ladders.set(key, levels);
    }
    if (picked("variant") !== variant || `${field("files").value}x${field("ranks").value}` !== size || player.value !== engine) return; // a later call shows them
    const levels = ladders.get(key);
    for (const option of list.options) {
      const level = levels[Number(option.value)];
      if (option.value === FULL) continue;
      option.disabled = !levels.length;
      option.textContent = `${choices.levels[Number(option.value)]}${level?.elo ? `, ${level.elo} Elo` : ""}`;
    }
    if (!levels.length) list.value = FULL;
  }
}

// ---------------------------------------------------------------- choices

/** @returns {GameChoice} */
export function chosen() {
  const players = sides().map((part) => {
    /** @param {string} name */
    const number = (name) => Number(field(name, part).value);
    const player = field("player", part).value;
    const rank = field("rank", part).value;
    return {name: "", kind: /** @type {"person" | "engine"} */ (player === "person" ? "person" : "engine"), engine: player === "person" ? 0 : Number(player),
      level: player === "person" || rank === FULL ? null : Number(rank), limit: field("limit", part).value,
      movetime_ms: Math.round(1000 * number("seconds")), depth: number("depth"), base_s: 60 * number("minutes"),
      increment_s: number("increment")};
  });
  const people = players.filter(({kind}) => kind === "person");
  if (people.length === 1) people[0].name = page.settings.name; // two at one board are not told apart by one name
  if (picked("colour") === "random" && field("opponent").value !== "person" && Math.random() < 0.5) players.reverse();
  return {variant: picked("variant"), size: `${field("files").value}x${field("ranks").value}`,
    fen: field("fen").value.trim(), players};
}

// Returns a first game for a newcomer: White, against the weakest level of the first engine.
/** @param {string} variant @returns {Promise<GameChoice>} */
export async function firstGame(variant) {
  const levels = await load(`levels.json?engine=0&variant=${encodeURIComponent(variant)}`);
  const engine = {kind: /** @type {"engine"} */ ("engine"), engine: 0, level: levels.length ? 0 : null, limit: "time", movetime_ms: 1000};
  return {variant, size: "", fen: "", players: [{kind: "person", engine: 0, name: page.settings.name}, engine]};
}

/** @param {GameChoice} game */
export function remember(game) {
  localStorage.setItem(CHOICES, JSON.stringify({...game, fen: "", colour: picked("colour")}));
}

// Restores the last choices; the default is a human against the first engine at its third level.
function restore() {
  /** @type {(GameChoice & {colour?: string}) | null} */
  const last = stored(CHOICES);
  const known = choices.games.some(({name}) => name === last?.variant);
  pickGame(known ? last.variant : choices.games[0].name);
  sizes(known && gameOf().sizes.includes(last.size) ? last.size : undefined);
  pick("time", "0+0");
  pick("colour", "white");
  sides().forEach((part, side) => {
    const player = last?.players?.[side] ?? {kind: side ? "engine" : "person", engine: 0, level: 2};
    select(field("player", part), player.kind === "person" ? "person" : player.engine);
    select(field("rank", part), player.level ?? FULL);
    select(field("limit", part), player.limit);
    if (player.movetime_ms) field("seconds", part).value = String(player.movetime_ms / 1000);
    if (player.depth) field("depth", part).value = String(player.depth);
    field("minutes", part).value = String((player.base_s ?? 0) / 60);
    field("increment", part).value = String(player.increment_s ?? 0);
  });
  custom();
  if (last?.colour === "random") pick("colour", "random");
  visible();
}

export function openMenu() {
  find(".error", menu).textContent = "";
  field("fen").value = "";
  for (const picture of findAll("img[data-src]", menu)) {
    picture.src = picture.dataset.src;
    picture.removeAttribute("data-src");
  }
  find(".more", menu).open = gameOf().folded;
  menu.showModal();
  find('[name="variant"]:checked', menu)?.focus();
  showLevels();
}
