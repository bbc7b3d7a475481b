"""The page of a bisection: how likely each commit is the one that lost strength, and the score of each version."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from latrones_uci.match.summary import render_elo
from latrones_uci.stats import Interval, Pentanomial, estimate_from_pairs
from latrones_uci.web.report.markup import Markup, escaped, joined, pairs, section, table, typeset
from latrones_uci.web.report.page import render_page

_WIDTH, _LEFT, _RIGHT = 1000, 52, 8
_CHANCES, _SCORES, _GAP, _BELOW = 120, 160, 34, 26  # heights
_MIN_REACH = 50.0
_LABEL_EVERY = 90  # pixels
_STYLE = """.history { display: block; width: 100%; } .history text { font-size: 12px; fill: var(--quiet); }
.history .end { text-anchor: end; } .history .middle { text-anchor: middle; } .history .found { fill: var(--accent); }
.history .fill { fill: var(--quiet); }
"""


@dataclass(frozen=True)
class CommitRow:
    """A commit and its version."""

    label: str
    """The abbreviated hash."""
    date: str
    """The date of the commit."""
    subject: str
    """The first line of its message."""
    chance: float
    """The probability that it lost strength."""
    pairs: Pentanomial
    """The pairs of its version against the base."""
    found: bool = False
    """Whether it is the one, or one of those, that the bisection found."""
    note: str = ""
    """What else there is to say, such as why it cannot be built."""

    @property
    def normalized_elo(self) -> Interval | None:
        """The difference from the base in normalised Elo; None without games."""
        return estimate_from_pairs(self.pairs).normalized_elo if any(self.pairs) else None


def render_bisection(title: str, facts: Sequence[tuple[str, str]], rows: Sequence[CommitRow]) -> str:
    """Return the page; it loads nothing.

    Args:
        title: the heading.
        facts: labels and values to print first.
        rows: the commits after the base, oldest first.
    """
    headings = ["Commit", "Date", "Subject", "Probability", "Games", "Normalised Elo"]
    cells = [
        [Markup(f"<code>{escaped(row.label)}</code>"), escaped(row.date),
         Markup(f"<span class=clip>{escaped(row.subject)}</span>"), escaped(f"{row.chance:.1%}"),
         escaped(2 * sum(row.pairs) or ""),
         Markup(f"<span class=clip>{escaped(row.note)}</span>") if (elo := row.normalized_elo) is None
         else escaped(typeset(render_elo(elo)))]
        for row in rows if row.chance >= 0.0005 or any(row.pairs) or row.note
    ]  # fmt: skip
    body = [
        Markup(f"<header><h1>{escaped(title)}</h1></header>"), pairs(facts),
        section("history", "Commits", history_chart(rows)),
        section("versions", "Suspects and versions played", table(headings, cells, (3, 4))),
    ]
    return render_page(title, joined(body), more_style=_STYLE)


def history_chart(rows: Sequence[CommitRow]) -> Markup:
    """Return a chart with the commits on its axis: the probability of each above, the scores with error bars below."""
    step = (_WIDTH - _LEFT - _RIGHT) / len(rows)
    floor, top = 14 + _CHANCES, 14 + _CHANCES + _GAP
    bottom = top + _SCORES
    most = max([*(row.chance for row in rows), 0.05])
    elos = [(number, elo) for number, row in enumerate(rows) if (elo := row.normalized_elo) is not None]
    ends = [abs(end) for _, elo in elos for end in (elo.low, elo.value, elo.high) if isfinite(end)]
    reach = 1.05 * max([_MIN_REACH, *ends])

    def middle(number: int) -> float:
        return round(_LEFT + step * (number + 0.5), 1)

    def down(elo: float) -> float:
        return round(top + _SCORES * (1 - min(max(elo / reach, -1.0), 1.0)) / 2, 1)

    body = [f'<path class="axis" d="M{_LEFT} {floor}H{_WIDTH - _RIGHT}"/>', _text(_LEFT - 6, floor, "0%"),
            _text(_LEFT - 6, 18, f"{most:.0%}"), f'<path class="axis" d="M{_LEFT} {down(0)}H{_WIDTH - _RIGHT}"/>']
    body += [_text(_LEFT - 6, down(value) + 4, typeset(f"{value:+.0f}" if value else "0"))
             for value in (reach / 1.05, 0.0, -reach / 1.05)]  # fmt: skip
    for number, row in enumerate(rows):
        tall = round(_CHANCES * row.chance / most, 1)
        title = f"<title>{escaped(f'{row.label} {row.subject}: {row.chance:.1%}')}</title>"
        body.append(f'<rect class="{"found" if row.found else "fill"}" x="{middle(number) - 0.4 * step:.1f}"'
                    f' y="{floor - tall:.1f}" width="{0.8 * step:.1f}" height="{tall}">{title}</rect>')
    for number, elo in elos:
        where, row = middle(number), rows[number]
        title = f"<title>{escaped(f'{row.label}: {render_elo(elo)}, {2 * sum(row.pairs)} games')}</title>"
        body.append(f'<g>{title}<path class="interval" d="M{where} {down(elo.low)}V{down(elo.high)}"/>'
                    f'<circle class="end-point" cx="{where}" cy="{down(elo.value)}" r="3.5"/></g>')
        body.append(f'<text class="middle" x="{where}" y="{down(elo.high) - 5}">{2 * sum(row.pairs):,}</text>')
    every = max(1, round(_LABEL_EVERY / step))
    for number in range(0, len(rows), every):
        place = f'x="{middle(number)}" y="{bottom + 18}"'
        body.append(f'<text class="middle" {place}>{escaped(rows[number].label)}</text>')
    likely = max(rows, key=lambda row: row.chance)
    label = f"The likeliest commit is {likely.label} with {likely.chance:.1%}"
    return Markup(f'<svg class="history" viewBox="0 0 {_WIDTH} {bottom + _BELOW}" role="img"'
                  f' aria-label="{escaped(label)}">{"".join(body)}</svg>'
                  "<p class=quiet>Above: the probability that a commit lost strength. Below: normalised Elo of the"
                  " versions against the base, with 95% intervals and numbers of games.</p>")  # fmt: skip


def _text(right: float, bottom: float, text: str) -> str:
    return f'<text class="end" x="{right}" y="{bottom}">{escaped(text)}</text>'
