"""Read the files of the pages, escape strings, and build the small pieces of HTML that all parts of a report use."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any, NewType

from latrones_uci.game.svg import BOARD_STYLE, BOARD_SYMBOLS
from latrones_uci.text.messages import escape_sequence

Markup = NewType("Markup", str)
"""A string that is HTML. Other strings become ``Markup`` only through ``escaped``."""

# Control characters, lone surrogates (from invalid UTF-8), and characters that change the direction of writing.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def visible(text: str) -> str:
    """Return the text with invisible characters, and those that UTF-8 cannot encode, replaced by escape sequences."""
    return _INVISIBLE.sub(lambda match: escape_sequence(match[0]), text)


def escaped(text: object) -> Markup:
    """Return HTML that shows any value as text."""
    return Markup(escape(visible(str(text))))


def typeset(text: str) -> str:
    """Return a rendered number with the typographic minus and infinity signs."""
    return text.replace("inf", "\u221e").replace("-", "\u2212")


def joined(parts: Iterable[str], between: str = "") -> Markup:
    return Markup(between.join(parts))


def render_json(value: Any) -> str:
    """Return JSON that is safe in a ``<script>`` element: ASCII without ``<``, ``>`` or ``&``."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def embedded_json(name: str, value: Any) -> Markup:
    """Return a ``<script>`` element with JSON for the script of the page, with an id."""
    return Markup(f'<script type="application/json" id="{escaped(name)}">{render_json(value)}</script>')


def table(headings: Sequence[str], rows: Iterable[Sequence[Markup]], numbers: Iterable[int] = ()) -> Markup:
    """Return a table that scrolls separately on a narrow page; ``numbers`` are the right-aligned columns."""
    right = frozenset(numbers)

    def cells(tag: str, contents: Sequence[str]) -> str:
        tags = [tag if content else "td" for content in contents]  # a screen reader would announce an empty heading
        return "".join(f'<{name}{" class=number" if column in right else ""}>{content}</{name}>'
                       for column, (name, content) in enumerate(zip(tags, contents, strict=True)))

    head = cells("th", [escaped(heading) for heading in headings])
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return Markup(f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
                  "</div>")


def pairs(items: Iterable[tuple[str, str]]) -> Markup:
    """Return a list of labels and values, or nothing if it is empty."""
    rows = "".join(f"<div><dt>{escaped(label)}</dt><dd>{escaped(value)}</dd></div>" for label, value in items)
    return Markup(f"<dl>{rows}</dl>" if rows else "")


def section(name: str, heading: str, *contents: Markup) -> Markup:
    """Return a section of the page, or nothing if it has no contents."""
    body = joined(contents)
    return Markup(f'<section id="{name}"><h2>{escaped(heading)}</h2>{body}</section>' if body else "")


def game_link(number: int, text: str = "") -> Markup:
    """Return a link that opens the replay of a game; its text is the number of the game by default."""
    return Markup(f'<a href="#game={number}">{text or f"game {number}"}</a>')


# ---------------------------------------------------------------- files

_SYMBOLS, _STEPS = "<!-- symbols -->", "<!-- steps -->\n"


def read_asset(name: str) -> str:
    """Return the text of a file of this package, with what several pages have in it at its places.

    ``<!-- symbols -->`` stands for the symbols of the board, ``<!-- steps -->`` for the buttons of a replay.
    """
    text = resources.files("latrones_uci.web").joinpath(name).read_text(encoding="utf-8")
    text = text.replace(_SYMBOLS, BOARD_SYMBOLS)
    return text.replace(_STEPS, read_asset("lib/steps.html")) if _STEPS in text else text


def read_theme() -> str:
    """Return the style that every page begins with: that of the board, and the theme."""
    return f"{BOARD_STYLE}\n{read_asset('lib/theme.css')}"
