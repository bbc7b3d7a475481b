"""The page of a history: the strength of versions with error bars, and their commits."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from latrones_uci.match.summary import render_margin
from latrones_uci.web.report.markup import Markup, escaped, joined, pairs, section, table, typeset
from latrones_uci.web.report.page import render_page

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 1000, 340, 52, 8, 14, 30
_MIN_RANGE = 20.0
_STEPS = (5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_LINES = 8
_LABEL_EVERY = 90  # pixels
_STYLE = """.curve { display: block; width: 100%; } .curve text { font-size: 12px; fill: var(--quiet); }
.curve .end { text-anchor: end; } .curve .middle { text-anchor: middle; }
"""


@dataclass(frozen=True)
class VersionRow:
    """A version and its commit."""

    label: str
    """The abbreviated hash."""
    date: str
    """The date of the commit."""
    subject: str
    """The first line of its message."""
    elo: float | None = None
    """Its rating, None without games."""
    margin: float = 0.0
    """Half the width of the 95% interval; may be infinite."""
    games: int = 0
    """The number of its games."""
    over_previous: float | None = None
    """The likelihood, 0 to 1, that it is stronger than the version before it; None if that is unknown."""
    note: str = ""
    """What else there is to say, such as why it cannot be built."""


def render_history(title: str, facts: Sequence[tuple[str, str]], rows: Sequence[VersionRow]) -> str:
    """Return the page; it loads nothing.

    Args:
        title: the heading.
        facts: labels and values to print first.
        rows: the versions, oldest first.
    """
    headings = ["Commit", "Date", "Subject", "Elo", "\u00b1", "Games", "Stronger than the one before", ""]
    cells = [
        [Markup(f"<code>{escaped(row.label)}</code>"), escaped(row.date),
         Markup(f"<span class=clip>{escaped(row.subject)}</span>"),
         escaped("" if row.elo is None else typeset(f"{row.elo:+z.1f}")),
         escaped(typeset(render_margin(row.margin)) if row.elo is not None and row.margin else ""),
         escaped(row.games or ""),
         escaped("" if row.over_previous is None else f"{row.over_previous:.1%}"),
         Markup(f"<span class=clip>{escaped(row.note)}</span>")]
        for row in rows
    ]  # fmt: skip
    body = [
        Markup(f"<header><h1>{escaped(title)}</h1></header>"),
        pairs(facts),
        section("curve", "Strength", strength_chart(rows)),
        section("versions", "Versions", table(headings, cells, (3, 4, 5, 6))),
    ]
    return render_page(title, joined(body), more_style=_STYLE)


def strength_chart(rows: Sequence[VersionRow]) -> Markup:
    """Return a chart of the ratings over the versions, with error bars; nothing without games.

    An infinite error bar reaches to the edges.
    """
    rated = [(number, row, row.elo) for number, row in enumerate(rows) if row.elo is not None]
    if not rated:
        return Markup("")
    spans = [row.margin if isfinite(row.margin) else 0.0 for _, row, _ in rated]
    low = min(elo - span for (*_, elo), span in zip(rated, spans, strict=True))
    high = max(elo + span for (*_, elo), span in zip(rated, spans, strict=True))
    pad = max(0.05 * (high - low), (_MIN_RANGE - high + low) / 2)
    low, high = low - pad, high + pad
    floor, across = _HEIGHT - _BOTTOM, (_WIDTH - _LEFT - _RIGHT) / len(rows)

    def middle(number: int) -> float:
        return round(_LEFT + across * (number + 0.5), 1)

    def down(elo: float) -> float:
        return round(_TOP + (floor - _TOP) * (high - min(max(elo, low), high)) / (high - low), 1)

    step = next((step for step in _STEPS if (high - low) / step <= _MOST_LINES), round((high - low) / _MOST_LINES))
    body = []
    for level in range(round(low // step + 1) * step, round(high // step) * step + 1, step):
        kind = "axis" if level else "bound"
        body.append(
            f'<path class="{kind}" d="M{_LEFT} {down(level)}H{_WIDTH - _RIGHT}"/><text class="end"'
            f' x="{_LEFT - 6}" y="{down(level) + 4}">{typeset(f"{level:+d}" if level else "0")}</text>'
        )
    line = " ".join(f"{middle(number)},{down(elo)}" for number, _, elo in rated)
    body.append(f'<polyline class="line" points="{line}"/>')
    for number, row, elo in rated:
        where = middle(number)
        margin = f" \u00b1 {render_margin(row.margin)}" if row.margin else ""
        title = escaped(typeset(f"{elo:+z.1f}{margin}") + f", {row.games} games: {row.label} {row.date} {row.subject}")
        low_end, high_end = down(elo - row.margin), down(elo + row.margin)
        bar = f"M{where} {low_end}V{high_end}M{where - 4} {low_end}h8M{where - 4} {high_end}h8"
        body.append(
            f'<g><title>{title}</title><path class="interval" d="{bar}"/>'
            f'<circle class="end-point" cx="{where}" cy="{down(elo)}" r="3.5"/></g>'
        )
    for number in range(0, len(rows), max(1, round(_LABEL_EVERY / across))):
        place = f'x="{middle(number)}" y="{floor + 20}"'
        body.append(f'<text class="middle" {place}>{escaped(rows[number].label)}</text>')
    last = rated[-1]
    label = f"The rating of {last[1].label} is {last[2]:+.1f}"
    return Markup(f'<svg class="curve" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escaped(label)}">'
                  f'{"".join(body)}</svg><p class=quiet>Elo relative to the base, with 95% intervals.</p>')  # fmt: skip
