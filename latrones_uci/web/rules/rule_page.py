"""The rules of a game as data for the board page, and as a static HTML page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from latrones_uci.game import Position, Ruleset, draw_board
from latrones_uci.game.explain import Section, explain
from latrones_uci.game.svg import BOARD_STYLE, BOARD_SYMBOLS
from latrones_uci.web.notation import legal_move_data, pieces_of, position_data, render_whole_move, squares_of
from latrones_uci.web.rules.lesson import Lesson, aim_of, game_texts, lessons_of, summary_of


@dataclass(frozen=True)
class RulePage:
    """Everything about the rules of a game."""

    ruleset: Ruleset
    """The game."""
    aim: str
    summary: str
    """Its aim in a sentence, and a line for lists."""
    lessons: tuple[Lesson, ...]
    """Small positions that show the rules."""
    sections: tuple[Section, ...]
    """All rules in words."""
    card: Position
    """A typical position, for a small picture."""


@lru_cache(maxsize=64)
def rule_page(ruleset: Ruleset) -> RulePage:
    """Return the rules of a game; equal rulesets share them."""
    text = game_texts().get(ruleset.name)
    card = Position.start(ruleset)
    if text is not None and text.card and summary_of(ruleset) == text.summary:
        card = Position.from_fen(ruleset, text.card)
    return RulePage(ruleset, aim_of(ruleset), summary_of(ruleset), tuple(lessons_of(ruleset)), explain(ruleset), card)


def rule_page_data(page: RulePage) -> dict[str, Any]:
    """Return the rules as JSON data, with what the page needs to let the reader try each lesson."""
    return {
        "name": page.ruleset.name, "title": page.ruleset.title, "aim": page.aim, "source": page.ruleset.source,
        "sections": [{"heading": section.heading, "rules": list(section.rules)} for section in page.sections],
        "lessons": [_lesson_data(lesson) for lesson in page.lessons],
    }


def _lesson_data(lesson: Lesson) -> dict[str, Any]:
    position, after = lesson.position, lesson.after
    return {
        "key": lesson.key, "title": lesson.title, "text": lesson.text, "task": lesson.task,
        "start": position_data(position), "files": position.geometry.files,
        "legal": [data | {"after": pieces_of(position.play(data["text"]))} for data in legal_move_data(position)],
        "answers": list(lesson.answers), "move": {"text": str(lesson.move), "path": squares_of(lesson.move)},
        "note": render_whole_move(position, after, lesson.move), "captures": list(lesson.captures),
    }


def draw_lesson(lesson: Lesson, *, standalone: bool = False) -> str:
    """Return a lesson's position with its solution as an arrow and the captured pieces ringed."""
    return draw_board(lesson.position, arrows=[lesson.move], ringed=lesson.captures, bare=True, standalone=standalone)


def draw_card(page: RulePage) -> str:
    """Return the small picture of a game, as a file of its own."""
    return draw_board(page.card, bare=True, coordinates=False)


# ---------------------------------------------------------------- static pages

_STYLE = """
:root { color-scheme: light dark; --page: #fbf8f2; --ink: #2a2420; --quiet: #73685c; --accent: #9c2f22; }
@media (prefers-color-scheme: dark) {
  :root { --page: #191715; --ink: #ece5d8; --quiet: #a79c8c; --accent: #f0907f; }
}
body { margin: 0 auto; max-width: 1000px; padding: 16px 20px 60px; background: var(--page); color: var(--ink);
  font: 17px/1.55 system-ui, sans-serif; }
h1, h2 { font-family: Georgia, "Times New Roman", serif; line-height: 1.2; }
h1 { margin: 12px 0 4px; } h2 { margin: 34px 0 10px; } figure h2 { margin: 8px 0 4px; font-size: 1.1rem; }
.aim { font-size: 1.2rem; margin: 0 0 18px; }
.lessons, .games { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 26px 24px; }
.lessons svg, .games svg { width: 100%; max-height: 330px; display: block; }
.start svg { width: 100%; max-width: 480px; max-height: 480px; display: block; }
figure { margin: 0; } figcaption p { margin: 4px 0; }
a { color: var(--accent); } .quiet { color: var(--quiet); font-size: .9rem; }
li { margin: 4px 0; }
.symbols { position: absolute; width: 0; height: 0; }
"""


def render_rule_page(page: RulePage, others: Mapping[str, str] | None = None) -> str:
    """Return a static HTML page with the rules of a game.

    Args:
        page: the rules.
        others: the titles of all games by name, for links to their pages; None if there are none.
    """
    lessons = "".join(_lesson_markup(lesson) for lesson in page.lessons)
    sections = "".join(
        f"<h2>{escape(section.heading)}</h2><ul>{''.join(f'<li>{escape(rule)}</li>' for rule in section.rules)}</ul>"
        + _start_markup(page.ruleset) * (number == 0)
        for number, section in enumerate(page.sections))
    links = " \u00b7 ".join(
        f"<b>{escape(title)}</b>" if name == page.ruleset.name else f'<a href="{escape(name)}.html">{escape(title)}</a>'
        for name, title in (others or {}).items())
    others_line = f'<p class="quiet">{links}</p>' if links else ""
    return _document(page.ruleset.title, (
        f'{others_line}<h1>{escape(page.ruleset.title)}</h1><p class="aim">{escape(page.aim)}</p>'
        f'<div class="lessons">{lessons}</div>{sections}<h2>Source</h2><p>{escape(page.ruleset.source)}</p>'
        f'<p class="quiet">Play it: <code>latrones-uci gui</code>, then <i>New game</i>.</p>'))


def _start_markup(ruleset: Ruleset) -> str:
    """Return the start position as a picture; nothing if the board is empty at first."""
    if ruleset.setup == "placement" or ruleset.board == "wheel":
        return ""
    drawing = draw_board(Position.start(ruleset), bare=True, standalone=False)
    crown = " The piece with a crown is the dux." * (ruleset.dux != "none")
    return f'<figure class="start">{drawing}<figcaption class="quiet">The start.{crown}</figcaption></figure>'


def _lesson_markup(lesson: Lesson) -> str:
    note = render_whole_move(lesson.position, lesson.after, lesson.move)
    return (f"<figure>{draw_lesson(lesson)}<figcaption><h2>{escape(lesson.title)}</h2><p>{escape(lesson.text)}</p>"
            f'<p class="quiet">{escape(lesson.task)} Solution: {escape(note)}</p></figcaption></figure>')


def _render_index(pages: Iterable[RulePage]) -> str:
    games = ""
    for page in pages:
        address, title = f"{escape(page.ruleset.name)}.html", escape(page.ruleset.title)
        drawing = draw_board(page.card, bare=True, coordinates=False, standalone=False)
        games += (f'<figure><a href="{address}">{drawing}</a><figcaption><h2><a href="{address}">{title}</a></h2>'
                  f"<p>{escape(page.aim)}</p></figcaption></figure>")
    return _document("Rules of the games", f'<h1>Rules of the games</h1><div class="games">{games}</div>')


def _document(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{BOARD_STYLE}{_STYLE}</style></head>\n<body>"
        f'<svg class="symbols" aria-hidden="true">{BOARD_SYMBOLS}</svg>\n<main>{body}</main>\n</body></html>\n')


def write_rule_pages(rulesets: Mapping[str, Ruleset], folder: Path) -> list[Path]:
    """Write a page for each game and an index into a folder, which is created if it is missing; return the files.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    titles = {name: ruleset.title for name, ruleset in rulesets.items()}
    pages = {name: rule_page(ruleset) for name, ruleset in rulesets.items()}
    files = {folder / f"{name}.html": render_rule_page(page, titles) for name, page in pages.items()}
    files[folder / "index.html"] = _render_index(pages.values())
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return list(files)
