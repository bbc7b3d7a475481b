// @ts-check
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
/** @param {number} side */
export const icon = (side) => drawn("svg",
  {viewBox: "-50 -50 100 100", class: "latrones-board icon", "aria-hidden": "true"},
  drawn("use", {href: side ? "#man-s" : "#man-S"}));
// Returns the pieces in hand of a side, with their numbers.
/** @param {import("./types").Hand} hand @param {number} side */
export const held = (hand, side) => [...["SD", "sd"][side]].filter((piece) => hand[piece]).map((piece) =>
  element("span", {class: "in-hand", title: `${hand[piece]} in hand`},
    drawn("svg", {viewBox: "-50 -50 100 100", class: "latrones-board icon", "aria-hidden": "true"}, drawn("use", {href: `#man-${piece}`})),
    `\u00d7${hand[piece]}`));
export const SIDES = ["White", "Black"];

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
