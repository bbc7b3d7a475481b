"""Text made harmless, and the small pieces of HTML that every part of the report uses."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NewType

Markup = NewType("Markup", str)
"""Text that is HTML already. Whatever is not, comes to it by ``escaped`` alone."""

# Control characters, half surrogate pairs (bytes that were no UTF-8), and what turns the direction of writing around.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def visible(text: str) -> str:
    """The text with an escape in place of what cannot be seen, or cannot be written as UTF-8."""
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def escaped(text: object) -> Markup:
    """Any text as HTML that shows it."""
    return Markup(escape(visible(str(text))))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """Markup of markup."""
    return Markup(between.join(parts))


def render_json(value: Any) -> str:
    """JSON that can stand in a ``<script>`` element: no ``<``, ``>`` or ``&``, and ASCII alone."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def embedded_json(name: str, value: Any) -> Markup:
    """JSON for the page's script, under an id."""
    return Markup(f'<script type="application/json" id="{escaped(name)}">{render_json(value)}</script>')


def table(headings: Sequence[str], rows: Iterable[Sequence[Markup]], numbers: Iterable[int] = ()) -> Markup:
    """A table that scrolls by itself where the page is narrow; ``numbers`` are the columns set flush right."""
    right = frozenset(numbers)

    def cells(tag: str, contents: Iterable[str]) -> str:
        return "".join(f'<{tag}{" class=number" if column in right else ""}>{content}</{tag}>'
                       for column, content in enumerate(contents))

    head = cells("th", (escaped(heading) for heading in headings))
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return Markup(f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
                  "</div>")


def pairs(items: Iterable[tuple[str, str]]) -> Markup:
    """Labels and values; nothing for none."""
    rows = "".join(f"<div><dt>{escaped(label)}</dt><dd>{escaped(value)}</dd></div>" for label, value in items)
    return Markup(f"<dl>{rows}</dl>" if rows else "")


def section(name: str, heading: str, *contents: Markup) -> Markup:
    """A part of the page; nothing if it has no contents."""
    body = joined(contents)
    return Markup(f'<section id="{name}"><h2>{escaped(heading)}</h2>{body}</section>' if body else "")


def game_link(number: int) -> Markup:
    """A link that opens a game's replay."""
    return Markup(f'<a href="#game={number}">game {number}</a>')
