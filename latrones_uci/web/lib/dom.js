// Creates elements. Strings become text nodes; nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} name @param {import("./types").Attributes} attributes @param {(Node | string)[]} children */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** @param {string} name @param {import("./types").Attributes} attributes @param {(Node | string)[]} children */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** @template {Element} T @param {T} node @param {import("./types").Attributes} attributes @param {(Node | string)[]} children */
function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** @type {(selector: string, within?: ParentNode) => any} the type of the element depends on the selector */
export const find = (selector, within = document) => within.querySelector(selector);
/** @type {(selector: string, within?: ParentNode) => any[]} */
export const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
/** @type {(event: Event, selector: string) => any} the innermost element of an event that matches, or null */
export const targetOf = ({target}, selector) => (target instanceof Element ? target.closest(selector) : null);

// Calls the action that `data-do` of a clicked element within `root` names.
/** @param {Element} root @param {Record<string, () => any>} actions */
export function onClick(root, actions) {
  root.addEventListener("click", (event) => actions[targetOf(event, "[data-do]")?.dataset.do]?.());
}

/** @param {KeyboardEvent} event */
export const isPlain = ({altKey, ctrlKey, metaKey}) => !altKey && !ctrlKey && !metaKey;
// Returns a picture of a piece as high as a line of text.
/** @param {string} piece */
export const picture = (piece) => drawn("svg", {viewBox: "-50 -50 100 100", class: "latrones-board icon", "aria-hidden": "true"},
  drawn("use", {href: `#man-${piece}`}));
/** @param {number} side */
export const icon = (side) => picture("Ss"[side]);
/** @param {import("./types").Hand} hand @param {number} side */
export const kindsHeld = (hand, side) => [...["SD", "sd"][side]].filter((piece) => hand[piece]);
// Returns a kind of pieces in hand with their number.
/** @param {import("./types").Hand} hand @param {string} piece */
export const held = (hand, piece) => element("span", {class: "in-hand", title: `${hand[piece]} in hand`}, picture(piece), `\u00d7${hand[piece]}`);
// Returns the entries of a list; `chosen` is the value of the selected one.
/** @param {[string | number, string][]} choices @param {string | null} chosen */
export const options = (choices, chosen = null) => choices.map(([value, text]) => element("option", {value, ...(value === chosen ? {selected: ""} : {})}, text));
export const SIDES = ["White", "Black"];
// Returns the rows of the players, below and above a board, with the sides that they show.
/** @param {boolean} flipped @param {ParentNode} within @returns {[HTMLElement, number][]} */
export const playerRows = (flipped, within = document) => [[find(".player.near", within), flipped ? 1 : 0], [find(".player.far", within), flipped ? 0 : 1]];

/** @type {Map<string, Promise<SVGSVGElement>>} */
const preloaded = new Map();

// Begins to load a drawing that will be needed soon, once.
/** @param {string} address */
export function preloadDrawing(address) {
  const drawing = loadDrawing(address);
  drawing.catch(() => {}); // whoever needs it says so
  preloaded.clear();
  preloaded.set(address, drawing);
}

// Loads a drawing from the server. It is parsed as XML and never as markup of this page.
/** @param {string} address @returns {Promise<SVGSVGElement>} */
export function loadDrawing(address) {
  const begun = preloaded.get(address);
  if (begun) {
    preloaded.delete(address);
    return begun;
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", address);
    request.responseType = "document";
    request.onload = () => {
      const drawing = /** @type {any} */ (request.responseXML?.documentElement);
      if (drawing) resolve(document.importNode(drawing, true));
      else reject(new Error("Cannot draw the board."));
    };
    request.onerror = () => reject(new Error("The server does not respond."));
    request.send();
  });
}
