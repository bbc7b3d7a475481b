"""The rules of a game in a sentence, as lessons, and in full: as data for the board page, and as a static HTML page.

A lesson is a small position with one move to make that shows a rule.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from latrones_uci.game import LatronesError, Move, Position, Ruleset, builtin_variants, draw_board
from latrones_uci.game.position import algebraic_text
from latrones_uci.game.svg import BOARD_STYLE, BOARD_SYMBOLS
from latrones_uci.text.files import write_whole
from latrones_uci.web.lib.notation import legal_move_data, pieces_of, position_data
from latrones_uci.words.explain import Section, Told, explain, legend, number_word

MAX_LESSONS = 8


@dataclass(frozen=True)
class GameText:
    """What is written about a built-in game by hand."""

    summary: str
    """A line for a list of games."""
    card: str = ""
    """The FEN of a typical position for a small picture; empty for the start position."""


@dataclass(frozen=True)
class Template:
    """A lesson for every game that has a rule; the fields are those of ``lessons.toml``, which explains them."""

    key: str
    when: Mapping[str, tuple[object, ...]]
    title: str
    text: str
    task: str
    board: str = ""
    fen: str = ""
    start: bool = False
    move: str = ""
    captures: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    wins: bool = False
    only: bool = False
    any: bool = False
    priority: int = 0


@dataclass(frozen=True)
class Lesson:
    """A lesson in one game."""

    key: str
    title: str
    text: str
    task: str
    """What the reader is asked to do."""
    position: Position
    move: Move
    answers: tuple[str, ...]
    """The texts of all moves that are accepted."""
    captures: tuple[int, ...] = field(default=())
    """The squares that the solution captures."""

    @property
    def after(self) -> Position:
        """The position after the solution."""
        return self.position.after(self.move)


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(resources.files("latrones_uci.web.rules").joinpath("lessons.toml").read_text(encoding="utf-8"))


@cache
def game_texts() -> Mapping[str, GameText]:
    return {name: GameText(**values) for name, values in _data()["games"].items()}


@cache
def templates() -> tuple[Template, ...]:
    return tuple(Template(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
                          | {"when": {key: tuple(values) for key, values in entry["when"].items()}})
                 for entry in _data()["lesson"])


def aim_of(ruleset: Ruleset) -> str:
    """Return the aim of a game in a sentence, which names every way to win."""
    at_limit = ruleset.nocapture_limit > 0 and ruleset.nocapture_result == "most_men"
    aims = [aim for aim, is_way in (
        ("get your three pieces in a line through the centre of the wheel", ruleset.goal == "line"),
        ("shut in the enemy dux (the leader, with the crown) so that no square next to it is empty",
         ruleset.dux_needs_open_side),
        (_capture_all(ruleset), ruleset.fewest_men > 0),
        ("leave the opponent without a legal move", ruleset.no_move == "loss"),
        (f"have more {_men(ruleset)} at the end", ruleset.no_move == "most_men" or at_limit),
    ) if is_way]
    if not aims:
        return "No move wins this game."
    text = ", ".join([*aims[:-1], f"{'or ' * (len(aims) > 1)}{aims[-1]}"])
    return f"{text[0].upper()}{text[1:]}."


def summary_of(ruleset: Ruleset) -> str:
    """Return a line about a game for a list of games."""
    known = game_texts().get(ruleset.name)
    if known is not None and builtin_variants().get(ruleset.name) == ruleset:
        return known.summary
    ranks = ruleset.soldier_ranks
    pieces = {
        "placement": f"{ruleset.hand} soldiers each, placed by hand",
        "ranks": "One rank each" if ranks == 1 else f"{ranks} ranks each",
        "start": " against ".join(f"{sum(map(ruleset.start.count, side))} pieces" for side in ("SD", "sd")),
    }[ruleset.setup]
    return f"{pieces}{', with a dux' if ruleset.dux != 'none' else ''}; soldiers {ruleset.soldier_move}."


def _capture_all(ruleset: Ruleset) -> str:
    few = ruleset.fewest_men
    but = f" but {number_word(few - 1)}" * (few > 1)
    return f"{'bind and ' * (ruleset.capture_effect == 'bind')}capture all enemy {_men(ruleset)}{but}"


def _men(ruleset: Ruleset) -> str:
    return "soldiers" if ruleset.men_counted == "soldiers" else "pieces"


def lessons_of(ruleset: Ruleset) -> list[Lesson]:
    """Return the lessons of a game, at most ``MAX_LESSONS``.

    A template is left out if its board is not allowed, or if its move does not have the described effect under the
    other rules of the game.
    """
    found = [(template, lesson) for template in templates() if (lesson := _lesson(template, ruleset)) is not None]
    by_importance = sorted(found, key=lambda pair: pair[0].priority)
    kept = {pair[0].key for pair in by_importance[:MAX_LESSONS]}
    return [lesson for template, lesson in found if template.key in kept]


def applies(template: Template, ruleset: Ruleset) -> bool:
    """Return whether a game has the rule that a template is about."""
    return all(getattr(ruleset, key) in values for key, values in template.when.items())


def _lesson(template: Template, ruleset: Ruleset) -> Lesson | None:
    if not applies(template, ruleset):
        return None
    position = _position(template, ruleset)
    if position is None or position.outcome() is not None or not (moves := position.legal_moves()):
        return None
    try:
        move = position.parse_move(template.move) if template.move else moves[0]
    except LatronesError:
        return None
    if not _has_effect(template, position, move):
        return None
    answers = tuple(str(other) for other in moves if _is_answer(template, position, move, other))
    if template.only and set(_moves_of_piece(position, move)) != {move}:
        return None
    captures = tuple(position.lifted(position.after(move)))
    return Lesson(template.key, template.title, template.text, template.task, position, move, answers, captures)


def _position(template: Template, ruleset: Ruleset) -> Position | None:
    try:
        if template.start:
            return Position.start(ruleset)
        return Position.from_fen(ruleset, template.fen or _fen(template, ruleset))
    except LatronesError:
        return None


def _fen(template: Template, ruleset: Ruleset) -> str:
    """Return the board of a template as a FEN, enlarged at the right and at the top if the game needs it."""
    rows = template.board.split()
    if ruleset.dux == "none":
        rows = [row.replace("D", ".").replace("d", ".") for row in rows]
    files, ranks = _size(ruleset, len(rows[0]), len(rows))
    rows = ["." * len(rows[0])] * (ranks - len(rows)) + rows
    text = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row.ljust(files, ".")) for row in rows)
    return f"{text}{'[-]' if ruleset.setup == 'placement' else ''} w 0 {ruleset.hand + 1}"


def _size(ruleset: Ruleset, files: int, ranks: int) -> tuple[int, int]:
    """Return the smallest board of the game that has at least this size; its default size if there is none."""
    for more in range(max(ruleset.max_size) + 1):
        for size in ((files + more, ranks + more), (files + more, ranks), (files, ranks + more)):
            try:
                ruleset.check_size(*size)
            except LatronesError:
                continue
            return size
    return ruleset.default_size


def _has_effect(template: Template, position: Position, move: Move) -> bool:
    after, name = position.after(move), position.geometry.square_name
    bound = {name(square) for square in range(position.geometry.squares) if after.piece_at(square) == "b"}
    outcome = after.outcome()
    return (
        {name(square) for square in position.lifted(after)} == set(template.captures)
        and set(template.binds) <= bound
        and (outcome is not None) == template.wins
        and (outcome is None or outcome.winner == position.side)
    )


def _is_answer(template: Template, position: Position, solution: Move, move: Move) -> bool:
    """Return whether a move does what the lesson asks for."""
    if move == solution:
        return True
    if template.any:
        return len(solution.squares) < 2 or move in _moves_of_piece(position, solution)
    if template.wins:
        outcome = position.after(move).outcome()
        return outcome is not None and outcome.winner == position.side
    wanted = {position.geometry.parse_square(square) for square in template.captures}
    return bool(wanted) and wanted <= set(position.lifted(position.after(move)))


def _moves_of_piece(position: Position, move: Move) -> list[Move]:
    if len(move.squares) < 2:
        return [move]
    return [other for other in position.legal_moves() if len(other.squares) > 1 and other.squares[0] == move.squares[0]]


@dataclass(frozen=True)
class RulePage:
    ruleset: Ruleset
    aim: str
    summary: str
    """Its aim in a sentence, and a line for lists."""
    lessons: tuple[Lesson, ...]
    """Small positions that show the rules."""
    sections: tuple[Section, ...]
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
        "legend": legend(page.ruleset),
        "sections": [{"heading": section.heading,
                      "rules": [{"text": rule.text, "origin": rule.origin} for rule in section.rules]}
                     for section in page.sections],
        "lessons": [_lesson_data(lesson) for lesson in page.lessons],
    }


def _lesson_data(lesson: Lesson) -> dict[str, Any]:
    position, after = lesson.position, lesson.after
    return {
        "key": lesson.key, "title": lesson.title, "text": lesson.text, "task": lesson.task,
        "start": position_data(position), "files": position.geometry.files,
        "legal": [data | {"after": pieces_of(position.play(data["text"]))} for data in legal_move_data(position)],
        "answers": list(lesson.answers), "move": {"text": lesson.move, "path": list(lesson.move.squares)},
        "note": algebraic_text(position, after, lesson.move), "captures": list(lesson.captures),
    }


def draw_card(page: RulePage) -> str:
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
        f"<h2>{escape(section.heading)}</h2><ul>{''.join(map(_rule_markup, section.rules))}</ul>"
        + _start_markup(page.ruleset) * (number == 0)
        for number, section in enumerate(page.sections))
    links = " \u00b7 ".join(
        f"<b>{escape(title)}</b>" if name == page.ruleset.name else f'<a href="{escape(name)}.html">{escape(title)}</a>'
        for name, title in (others or {}).items())
    others_line = f'<p class="quiet">{links}</p>' if links else ""
    return _document(page.ruleset.title, (
        f'{others_line}<h1>{escape(page.ruleset.title)}</h1><p class="aim">{escape(page.aim)}</p>'
        f'<div class="lessons">{lessons}</div>{sections}<h2>Source</h2><p>{escape(page.ruleset.source)}</p>'
        f'<p class="quiet">{escape(legend(page.ruleset))}</p>'
        f'<p class="quiet">Play it: <code>latrones-uci gui</code>, then <i>New game</i>.</p>'))


def _rule_markup(rule: Told) -> str:
    mark = f' <small class="quiet">[{escape(rule.origin)}]</small>' if rule.origin else ""
    return f"<li>{escape(rule.text)}{mark}</li>"


def _start_markup(ruleset: Ruleset) -> str:
    """Return the start position as a picture; nothing if the board is empty at first."""
    if ruleset.setup == "placement" or ruleset.board == "wheel":
        return ""
    drawing = draw_board(Position.start(ruleset), bare=True, standalone=False)
    crown = " The piece with a crown is the dux." * (ruleset.dux != "none")
    return f'<figure class="start">{drawing}<figcaption class="quiet">The start.{crown}</figcaption></figure>'


def _lesson_markup(lesson: Lesson) -> str:
    note = algebraic_text(lesson.position, lesson.after, lesson.move)
    drawing = draw_board(lesson.position, arrows=[lesson.move], ringed=lesson.captures, bare=True, standalone=False)
    return (f"<figure>{drawing}<figcaption><h2>{escape(lesson.title)}</h2><p>{escape(lesson.text)}</p>"
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
        write_whole(path, text)
    return list(files)
