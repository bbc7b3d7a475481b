// @ts-check
// The user's preferences: kept in the browser, the same for all games.

import {find} from "../lib/dom.js";
import {stored} from "./session.js";

const KEY = "latrones-settings";
const dialog = find("dialog.settings");

/** @typedef {{evaluation: boolean, states: boolean, premoves: boolean, sound: boolean, plain: boolean, theme: string}} Settings */

/** @type {Settings} */
export const settings = {evaluation: false, states: false, premoves: true, sound: true, plain: false, theme: "paper"};

// Reads the settings of the last visit; `changed()` is called when the user changes one.
/** @param {() => void} changed */
export function prepareSettings(changed) {
  const kept = stored(KEY);
  for (const [name, usual] of Object.entries(settings)) {
    const value = typeof kept?.[name] === typeof usual ? kept[name] : usual;
    Object.assign(settings, {[name]: value});
    const field = find(`[name="${name}"]`, dialog);
    if (typeof value === "boolean") field.checked = value;
    else field.value = value;
  }
  document.documentElement.dataset.theme = settings.theme;
  dialog.addEventListener("change", (/** @type {any} */ {target}) => {
    Object.assign(settings, {[target.name]: target.type === "checkbox" ? target.checked : target.value});
    localStorage.setItem(KEY, JSON.stringify(settings));
    document.documentElement.dataset.theme = settings.theme;
    changed();
  });
}

export const openSettings = () => dialog.showModal();
