// Elements. Text becomes text only: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export const find = (selector, within = document) => within.querySelector(selector);
export const icon = (side) => drawn("svg",
  {viewBox: "-50 -50 100 100", class: "latrones-board icon", "aria-hidden": "true"},
  drawn("use", {href: side ? "#man-s" : "#man-S"}));
export const SIDES = ["White", "Black"];
