"""Pages of ``revs history`` and ``revs bisect``: versions of an engine and their commits, in a chart and a table."""

from collections.abc import Iterator, Sequence
from math import ceil, isfinite

from latrones_uci.match.summary import render_elo, render_margin
from latrones_uci.studies.revisions.bisect import CommitRow
from latrones_uci.studies.revisions.history import VersionRow
from latrones_uci.web.lib.markup import Markup, escaped, joined, pairs, section, table, typeset
from latrones_uci.web.match.page import render_page

_WIDTH, _LEFT, _RIGHT = 1000, 52, 8
_LABEL_WIDTH = 84  # pixels
_STYLE = """.versions { display: block; width: 100%; } .versions text { font-size: 12px; fill: var(--quiet); }
.versions .end { text-anchor: end; } .versions .middle { text-anchor: middle; }
.versions .found { fill: var(--accent); } .versions .fill { fill: var(--quiet); }
"""


class _Axis:
    """The horizontal axis of a chart, with a place for each version."""

    def __init__(self, count: int) -> None:
        self.step = (_WIDTH - _LEFT - _RIGHT) / count

    def middle(self, number: int) -> float:
        return round(_LEFT + self.step * (number + 0.5), 1)

    def labels(self, labels: Sequence[str], bottom: float) -> Iterator[str]:
        """Yield as many of the labels as fit."""
        for number in range(0, len(labels), ceil(_LABEL_WIDTH / self.step)):
            yield f'<text class="middle" x="{self.middle(number)}" y="{bottom}">{escaped(labels[number])}</text>'


def _level(down: float) -> str:
    return f'd="M{_LEFT} {down}H{_WIDTH - _RIGHT}"'


def _value(down: float, text: str) -> str:
    return f'<text class="end" x="{_LEFT - 6}" y="{down}">{escaped(text)}</text>'


def _chart(height: float, label: str, body: Sequence[str], caption: str) -> Markup:
    return Markup(f'<svg class="versions" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escaped(label)}">'
                  f'{"".join(body)}</svg><p class=quiet>{escaped(caption)}</p>')


def _page(title: str, facts: Sequence[tuple[str, str]], chart: Markup, heading: str, versions: Markup) -> str:
    header = Markup(f"<header><h1>{escaped(title)}</h1></header>")
    body = [header, pairs(facts), section("chart", "Commits", chart), section("versions", heading, versions)]
    return render_page(title, joined(body), more_style=_STYLE)


def _commit(label: str, date: str, subject: str, note: str) -> list[Markup]:
    """Return the cells of a commit; the note is below its subject."""
    below = f"<small class=clip>{escaped(note)}</small>" if note else ""
    return [Markup(f"<code>{escaped(label)}</code>"), escaped(date),
            Markup(f"<span class=clip>{escaped(subject)}</span>{below}")]


# ---------------------------------------------------------------- history

_HEIGHT, _TOP, _BOTTOM = 340, 14, 30
_MIN_RANGE = 20.0
_STEPS = (5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_LINES = 8


def render_history(title: str, facts: Sequence[tuple[str, str]], rows: Sequence[VersionRow]) -> str:
    """Return the page, which loads nothing; ``facts`` are printed first, and the oldest version is the first row."""
    headings = ["Commit", "Date", "Subject", "Elo", "\u00b1", "Games", "> previous"]
    cells = [
        [*_commit(row.label, row.date, row.subject, row.note),
         escaped("" if row.elo is None else typeset(f"{row.elo:+z.1f}")),
         escaped(typeset(render_margin(row.margin)) if row.elo is not None and row.margin else ""),
         escaped(row.games or ""),
         escaped("" if row.over_previous is None else f"{row.over_previous:.1%}")]
        for row in rows
    ]
    return _page(title, facts, strength_chart(rows), "Versions", table(headings, cells, (3, 4, 5, 6)))


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
    floor, axis = _HEIGHT - _BOTTOM, _Axis(len(rows))

    def down(elo: float) -> float:
        return round(_TOP + (floor - _TOP) * (high - min(max(elo, low), high)) / (high - low), 1)

    step = next((step for step in _STEPS if (high - low) / step <= _MOST_LINES), round((high - low) / _MOST_LINES))
    body = []
    for level in range(round(low // step + 1) * step, round(high // step) * step + 1, step):
        kind = "axis" if level else "bound"
        body.append(f'<path class="{kind}" {_level(down(level))}/>')
        body.append(_value(down(level) + 4, typeset(f"{level:+d}" if level else "0")))
    line = " ".join(f"{axis.middle(number)},{down(elo)}" for number, _, elo in rated)
    body.append(f'<polyline class="line" points="{line}"/>')
    for number, row, elo in rated:
        where = axis.middle(number)
        margin = f" \u00b1 {render_margin(row.margin)}" if row.margin else ""
        title = escaped(typeset(f"{elo:+z.1f}{margin}") + f", {row.games} games: {row.label} {row.date} {row.subject}")
        low_end, high_end = down(elo - row.margin), down(elo + row.margin)
        bar = f"M{where} {low_end}V{high_end}M{where - 4} {low_end}h8M{where - 4} {high_end}h8"
        body.append(
            f'<g><title>{title}</title><path class="interval" d="{bar}"/>'
            f'<circle class="end-point" cx="{where}" cy="{down(elo)}" r="3.5"/></g>'
        )
    body += axis.labels([row.label for row in rows], floor + 20)
    last = rated[-1]
    label = f"The rating of {last[1].label} is {last[2]:+.1f}"
    return _chart(_HEIGHT, label, body, "Elo relative to the base, with 95% intervals.")


# ---------------------------------------------------------------- bisection

_CHANCES, _SCORES, _GAP, _BELOW = 120, 160, 34, 26  # heights
_MIN_REACH = 50.0


def render_bisection(title: str, facts: Sequence[tuple[str, str]], rows: Sequence[CommitRow]) -> str:
    """Return the page, which loads nothing; ``rows`` are the commits after the base, oldest first."""
    headings = ["Commit", "Date", "Subject", "Probability", "Games", "Normalised Elo"]
    cells = [
        [*_commit(row.label, row.date, row.subject, row.note), escaped(f"{row.chance:.1%}"),
         escaped(2 * sum(row.pairs) or ""),
         escaped("" if (elo := row.normalized_elo) is None else typeset(render_elo(elo)))]
        for row in rows if row.chance >= 0.0005 or any(row.pairs) or row.note
    ]
    return _page(title, facts, posterior_chart(rows), "Suspects and versions played", table(headings, cells, (3, 4)))


def posterior_chart(rows: Sequence[CommitRow]) -> Markup:
    """Return a chart with the commits on its axis: the probability of each above, the scores with error bars below."""
    axis = _Axis(len(rows))
    floor, top = 14 + _CHANCES, 14 + _CHANCES + _GAP
    bottom = top + _SCORES
    most = max([*(row.chance for row in rows), 0.05])
    elos = [(number, elo) for number, row in enumerate(rows) if (elo := row.normalized_elo) is not None]
    ends = [abs(end) for _, elo in elos for end in (elo.low, elo.value, elo.high) if isfinite(end)]
    reach = 1.05 * max([_MIN_REACH, *ends])

    def down(elo: float) -> float:
        return round(top + _SCORES * (1 - min(max(elo / reach, -1.0), 1.0)) / 2, 1)

    body = [f'<path class="axis" {_level(floor)}/>', _value(floor, "0%"), _value(18, f"{most:.0%}"),
            f'<path class="axis" {_level(down(0))}/>']
    body += [_value(down(value) + 4, typeset(f"{value:+.0f}" if value else "0"))
             for value in (reach / 1.05, 0.0, -reach / 1.05)]
    for number, row in enumerate(rows):
        tall = round(_CHANCES * row.chance / most, 1)
        title = f"<title>{escaped(f'{row.label} {row.subject}: {row.chance:.1%}')}</title>"
        body.append(f'<rect class="{"found" if row.found else "fill"}" x="{axis.middle(number) - 0.4 * axis.step:.1f}"'
                    f' y="{floor - tall:.1f}" width="{0.8 * axis.step:.1f}" height="{tall}">{title}</rect>')
    for number, elo in elos:
        where, row = axis.middle(number), rows[number]
        title = f"<title>{escaped(f'{row.label}: {render_elo(elo)}, {2 * sum(row.pairs)} games')}</title>"
        body.append(f'<g>{title}<path class="interval" d="M{where} {down(elo.low)}V{down(elo.high)}"/>'
                    f'<circle class="end-point" cx="{where}" cy="{down(elo.value)}" r="3.5"/></g>')
        body.append(f'<text class="middle" x="{where}" y="{down(elo.high) - 5}">{2 * sum(row.pairs):,}</text>')
    body += axis.labels([row.label for row in rows], bottom + 18)
    likely = max(rows, key=lambda row: row.chance)
    label = f"The likeliest commit is {likely.label} with {likely.chance:.1%}"
    return _chart(bottom + _BELOW, label, body,
                  "Above: the probability that a commit lost strength. Below: normalised Elo of the versions against"
                  " the base, with 95% intervals and numbers of games.")
