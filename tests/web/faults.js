// What axe would also find, without axe: controls without a name, duplicate ids, references to nothing, wrong structure,
// text outside landmarks, and a focus in what is hidden. test_page_scripts.py computes the contrast.
const found = [];
const fault = (what, node) => found.push(`${what}: ${node.outerHTML.slice(0, 90)}`);
const shown = (node) => node.checkVisibility({visibilityProperty: true}) && node.getClientRects().length > 0;
const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
const within = document.querySelector("dialog[open]") ?? document.body;
const nameOf = (node) => (node.getAttribute("aria-label") ?? (node.getAttribute("aria-labelledby") ?? "").split(" ")
  .map((id) => document.getElementById(id)?.textContent ?? "").join("")).trim() ||
  [...node.labels ?? []].map((label) => label.textContent).join("").trim() ||
  (node.matches("button, a, summary, [role=button]") ? node.textContent.trim() : "") ||
  (node.title || node.querySelector(":scope > title")?.textContent || "").trim();
const NAMED = "button, a[href], input, select, textarea, summary, dialog, [role=button], [role=meter], [role=group]";
for (const node of all(`${NAMED}, [role=radiogroup]`)) if (!nameOf(node)) fault("no name", node);
const ids = [...document.querySelectorAll("[id]")].map(({id}) => id);
for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) found.push(`duplicate id: ${id}`);
for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
  for (const node of document.querySelectorAll(`[${name}]`)) {
    const named = node.getAttribute(name).split(" ").filter(Boolean);
    if (!named.every((id) => ids.includes(id))) fault("refers to nothing", node);
  }
}
for (const node of document.querySelectorAll("[tabindex]")) if (node.tabIndex > 0) fault("positive tabindex", node);
for (const node of all("[aria-hidden=true] :is(button, a, input, [tabindex])")) fault("focus in what is hidden", node);
for (const node of all("button button, a button, button a, label label")) fault("nested controls", node);
for (const node of all("ul > :not(li), ol > :not(li)")) fault("not an item", node);
for (const node of all("img:not([alt])")) fault("picture without a text", node);
for (const selector of ["main", "h1", "header"]) if (all(selector).length !== 1) found.push(`not one ${selector}`);
if (!document.documentElement.lang || !document.title) found.push("no language or title");
for (const node of within.querySelectorAll(":not(option, script, style, svg *)")) {
  const text = [...node.childNodes].filter(({nodeType}) => nodeType === 3).map(({data}) => data).join("").trim();
  if (!text || !shown(node) || node.closest(".unseen, svg") || getComputedStyle(node).clipPath !== "none") continue;
  if (!node.closest("main, header, dialog, [role=alert]")) fault("outside of landmarks", node);
}
return found;
