// The dialog with the options that an engine declares, such as Hash and Threads. They apply wherever the page uses it.

import {element, find, findAll, onClick, options} from "../lib/dom.js";
import {attempt, load, send} from "../lib/tabs.js";
import {stored} from "./session.js";

const KEPT = "latrones-engine-options"; // the storage key of the values by engine name
const dialog = find("dialog.options");
const list = find(".fields", dialog);
const choice = find('[name="engine"]', dialog);

/** @typedef {import("./types").EngineOption} EngineOption */

/** @type {EngineOption[]} */
let declared = []; // the displayed options
/** @type {string[]} */
let engines = [];

// Sends the values of the last visit to the server.
/** @param {string[]} names */
export function prepareOptions(names) {
  engines = names;
  choice.replaceChildren(...options([...names.entries()]));
  choice.addEventListener("change", ask);
  find("form", dialog).addEventListener("submit", save);
  onClick(dialog, {defaults: () => show(declared.map((one) => ({...one, value: one.initial})))});
  for (const [name, values] of Object.entries(kept())) {
    const engine = names.indexOf(name);
    if (engine >= 0) send({do: "options", engine, values}).catch(() => forget(name)); // another version of the engine
  }
}

/** @returns {Record<string, Record<string, string>>} */
const kept = () => stored(KEPT) ?? {};

/** @param {string} name */
function forget(name) {
  const values = kept();
  delete values[name];
  localStorage.setItem(KEPT, JSON.stringify(values));
}

export function openOptions() {
  choice.value = "0";
  dialog.showModal();
  return ask();
}

async function ask() {
  list.replaceChildren(element("p", {class: "quiet"}, "Asking the engine\u2026"));
  const engine = choice.value;
  const answered = await attempt(find(".error", dialog), async () => {
    const found = await load(`options.json?engine=${engine}`);
    if (choice.value === engine) show(found);
  });
  if (!answered) list.replaceChildren();
}

/** @param {EngineOption[]} found */
function show(found) {
  declared = found;
  list.replaceChildren(...(found.length ? found.map(row) : [element("p", {class: "quiet"}, "This engine has no options to set here.")]));
}

/** @type {Record<string, string>} */
const LABELS = {Hash: "Memory (MB)", "Move Overhead": "Reserve per move (ms)"};

/** @param {EngineOption} option */
function row({name, kind, choices, minimum, maximum, initial, value}) {
  /** @type {HTMLElement} */
  let field;
  if (kind === "combo") {
    field = element("select", {"data-option": name}, ...options(choices.map((one) => [one, one]), value));
  } else if (kind === "check") {
    field = element("input", {type: "checkbox", "data-option": name, ...(value === "true" ? {checked: ""} : {})});
    return element("label", {class: "check"}, field, ` ${name}`);
  } else {
    field = element("input", {"data-option": name, value, ...(kind === "spin" ? {type: "number", step: 1, required: ""} : {type: "text", spellcheck: "false"}),
      ...(minimum === null ? {} : {min: minimum}), ...(maximum === null ? {} : {max: maximum})});
  }
  const label = LABELS[name] ?? name;
  const range = kind === "spin" && minimum !== null && maximum !== null ? `${minimum} to ${maximum}, ` : "";
  return element("label", label === name ? {} : {title: name}, label, field, element("small", {class: "quiet"}, `${range}default ${initial || "empty"}`));
}

// Sends the changed values; the server first tries them with the engine.
/** @param {Event} event */
async function save(event) {
  event.preventDefault();
  const engine = Number(choice.value);
  /** @type {Record<string, string>} */
  const values = {};
  for (const field of findAll("[data-option]", list)) {
    const name = field.dataset.option;
    const value = field.type === "checkbox" ? String(field.checked) : field.value.trim();
    const option = declared.find((one) => one.name === name);
    if (value !== option.initial || value !== option.value) values[name] = value;
  }
  if (!await attempt(find(".error", dialog), () => send({do: "options", engine, values}))) return;
  localStorage.setItem(KEPT, JSON.stringify({...kept(), [engines[engine]]: values}));
  dialog.close();
}
