// The drawer with the rules of a game: small boards on which the reader can try each rule, and all rules in words.

import {element, find} from "../lib/dom.js";
import {write} from "../lib/display.js";
import {Ground} from "../lib/ground.js";
import {load, send} from "../lib/tabs.js";
import {nameDialog} from "./address.js";
import {Board} from "./board.js";
import {Pointer} from "./pointer.js";
import {advance, progressOf} from "./tutorial.js";

const dialog = find("dialog.rules");
/** @type {string | null} */
let shown = null; // the variant whose rules are loaded

dialog.addEventListener("click", (/** @type {MouseEvent} */ event) => { if (event.target === dialog) dialog.close(); });

// Shows the rules of a game; throws why they cannot be loaded.
/** @param {string} variant */
export async function openRules(variant) {
  dialog.showModal();
  nameDialog(dialog, "rules", variant);
  if (shown === variant) return;
  shown = variant;
  find(".lessons", dialog).replaceChildren();
  find(".sections", dialog).replaceChildren();
  /** @type {import("./types").RulesData | null} */
  const rules = await load(`rules.json?variant=${encodeURIComponent(variant)}`).catch(/** @returns {any} */ (problem) => {
    if (shown !== variant) return null;
    shown = null;
    dialog.close();
    throw problem;
  });
  if (shown !== variant) return;
  advance(variant, () => ({lessons: rules.lessons.length}));
  showCount(variant);
  write(find("h2", dialog), rules.title);
  write(find(".aim", dialog), rules.aim);
  find(".lessons", dialog).replaceChildren(...rules.lessons.map((lesson, number) => new LessonView(rules.name, lesson, number).node));
  find(".sections", dialog).replaceChildren(...rules.sections.flatMap(({heading, rules: lines}) => [
    element("h3", {}, heading), element("ul", {}, ...lines.map(({text, origin}) =>
      element("li", {}, text, ...(origin ? [" ", element("small", {class: "quiet"}, `[${origin}]`)] : []))))]),
  element("h3", {}, "Source"), element("p", {class: "quiet"}, rules.source), element("p", {class: "quiet"}, rules.legend));
  dialog.scrollTop = 0;
}

/** @param {string} variant */
function showCount(variant) {
  const {tried, lessons} = progressOf(variant);
  write(find(".count", dialog), lessons ? `${tried.length} of ${lessons} boards tried.` : "");
}

class LessonView {
  /** @param {string} variant @param {import("./types").LessonData} lesson @param {number} number */
  constructor(variant, lesson, number) {
    this.lesson = lesson;
    this.variant = variant;
    this.number = number;
    this.tries = 0;
    const host = element("div", {class: "board"});
    this.button = element("button", {type: "button", "data-try": lesson.key}, "Try it");
    this.shows = element("button", {type: "button", "data-show": lesson.key}, "Show");
    this.task = element("p", {class: "task"});
    this.message = element("p", {class: "told", role: "status"});
    this.node = element("figure", {"data-lesson": lesson.key, class: progressOf(variant).tried.includes(lesson.key) ? "done" : ""}, host, element("figcaption", {},
      element("h3", {}, lesson.title), element("p", {}, lesson.text),
      element("div", {class: "try"}, this.button, this.shows, element("div", {}, this.task, this.message))));
    this.board = new Board(host, {
      play: (text) => this.play(text),
      refuse: (from, to) => this.explain(from, to),
    });
    new Pointer(this.board, host);
    this.button.addEventListener("click", () => this.begin());
    this.shows.addEventListener("click", () => this.solve());
    this.draw();
  }

  async draw() {
    const {variant, number, lesson} = this;
    this.board.setGround(await Ground.load(`lesson.svg?variant=${encodeURIComponent(variant)}&lesson=${number}`, lesson.files, false));
    this.board.host.style.setProperty("--aspect", this.board.ground.aspect);
    this.show();
  }

  // Shows the lesson's position, or another one.
  /** @param {Partial<import("./types").View>} more */
  show(more = {}) {
    const {lesson, tries} = this;
    this.board.show({
      ...lesson.start, path: null, captures: [], before: lesson.start.men, legal: [], surrounded: [], immobile: [],
      hint: null, over: false, key: `${tries}`, follows: null, title: lesson.title, ...more});
  }

  // Shows the move, without making it.
  solve() {
    const {move, captures, note} = this.lesson;
    this.tries += 1;
    this.show({arrows: [{path: move.path, kind: "best"}], decisive: captures});
    this.say(`${note}.`);
  }

  // Lets the reader make the move.
  begin() {
    this.tries += 1;
    this.show({legal: this.lesson.legal});
    write(this.task, this.lesson.task);
    this.say("");
    this.board.focus();
  }

  /** @param {string} text @param {boolean} isRight */
  say(text, isRight = false) {
    write(this.message, text);
    this.message.classList.toggle("right", isRight);
  }

  /** @param {string} text */
  async play(text) {
    const {lesson} = this;
    const move = lesson.legal.find((one) => one.text === text);
    const isRight = lesson.answers.includes(text);
    this.button.textContent = "Again";
    const path = move.path ?? [move.square ?? move.kill];
    const before = lesson.start.men;
    this.show({men: move.after, path, captures: move.captures ?? [], before, key: `${this.tries} ${text}`,
      follows: `${this.tries}`});
    this.say(isRight ? `Right: ${text === lesson.move.text ? lesson.note : text}.`
      : "That move is legal, but not what is asked for.", isRight);
    if (isRight) {
      this.node.classList.add("done");
      advance(this.variant, ({tried}) => ({tried: [...new Set([...tried, lesson.key])]}));
      showCount(this.variant);
    } else {
      const tried = ++this.tries;
      setTimeout(() => { if (this.tries === tried) this.show({legal: lesson.legal}); }, 1200);
    }
    return true;
  }

  /** @param {number | null} from @param {number} to */
  async explain(from, to) {
    if (!this.board.view.legal.length) return;
    const {variant, number, tries} = this;
    const answer = await send({do: "why", variant, lesson: number, from, to}).catch(({message}) => ({reason: message}));
    if (this.tries === tries) this.say(answer.reason);
  }
}
