"""Small SVG charts. The style sheet of the report sets their colours by class."""

from collections.abc import Sequence
from math import isfinite

from latrones_uci.match.standings import Results
from latrones_uci.stats import Interval, Sprt
from latrones_uci.stats.spsa import Parameter
from latrones_uci.text.messages import counted, duration
from latrones_uci.web.lib.markup import Markup, escaped, typeset

_WIDTH, _HEIGHT = 400, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 10, 16, 26  # the margins of a chart with axes
_MAX_POINTS = 400
_LINE, _DIGIT = 14, 9  # height of a line of text, and width of a digit
_ROW, _LETTER = 20, 6.5  # height of a row of a bar chart, and width of a letter of its names
_LENGTH_STEPS = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))
_TIME_STEPS_MS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


def _chart(label: str, kind: str, size: tuple[int, int], body: str, stretched: bool = False) -> Markup:
    ratio = ' preserveAspectRatio="none"' if stretched else ""
    return Markup(f'<svg class="{kind}" viewBox="0 0 {size[0]} {size[1]}" role="img" '
                  f'aria-label="{escaped(label)}"{ratio}>{body}</svg>')


def score_bar(score: Results) -> Markup:
    if not score.games:
        return Markup("")
    parts, left = [], 0.0
    for name, count in (("win", score.wins), ("draw", score.draws), ("loss", score.losses)):
        width = 100 * count / score.games
        parts.append(f'<rect class="{name}" x="{left:.4g}" width="{width:.4g}" height="10"/>')
        left += width
    label = f"{score.wins} won, {score.draws} drawn, {score.losses} lost"
    return _chart(label, "bar", (100, 10), "".join(parts), stretched=True)


def elo_reach(estimates: Sequence[Interval]) -> float:
    """Return the upper end of a symmetric scale that shows all estimates."""
    ends = (end for estimate in estimates for end in (estimate.value, estimate.low, estimate.high))
    return 1.05 * max([10.0, *(abs(end) for end in ends if isfinite(end))])


def elo_bar(estimate: Interval, reach: float) -> Markup:
    """Return a value with its interval on a scale from ``-reach`` to ``reach``; infinite ends are at the edge."""
    low, value, high = (100 * min(max(end / reach, -1.0), 1.0) for end in (estimate.low, estimate.value, estimate.high))
    body = (f'<path class="axis" d="M0 0V10"/><path class="interval" d="M{low:.4g} 5H{high:.4g}"/>'
            f'<path class="interval" d="M{low:.4g} 2V8M{high:.4g} 2V8"/><path class="value" d="M{value:.4g} 1V9"/>')
    label = f"{estimate.value:+.1f}, from {estimate.low:+.1f} to {estimate.high:+.1f}"
    moved = f'<g transform="translate(100 0)">{body}</g>'
    return _chart(label, "bar elo", (200, 10), moved, stretched=True)


def llr_chart(sprt: Sprt, ratios: Sequence[tuple[int, float]]) -> Markup:
    """Return a chart of the log-likelihood ratio over the games, with its bounds.

    ``ratios`` are numbers of games and the ratios after them, in ascending order.
    """
    points = [(0, 0.0), *ratios]
    last = max(points[-1][0], 1)
    played = counted(last, "game")
    values = [value for _, value in points if isfinite(value)]
    top, bottom = max(sprt.upper, *values), min(sprt.lower, *values)
    pad = (top - bottom) * 0.06 or 1.0
    top, bottom = top + pad, bottom - pad

    def across(games: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * games / last, 1)

    def up(value: float) -> float:
        return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (top - value) / (top - bottom), 1)

    step = -(-len(points) // _MAX_POINTS)
    shown = [*points[:-1:step], points[-1]]
    line = " ".join(f"{across(games)},{up(value)}" for games, value in shown if isfinite(value))
    body = ""
    for name, level in (("bound", sprt.upper), ("axis", 0.0), ("bound", sprt.lower)):
        body += (f'<path class="{name}" d="M{_LEFT} {up(level)}H{_WIDTH - _RIGHT}"/>'
                 f'<text class="end" x="{_LEFT - 6}" y="{up(level) + 4}">{_number(round(level, 2))}</text>')
    body += (f'<text x="{_LEFT + 4}" y="{up(sprt.upper) - 5}">H1: Elo {_number(sprt.elo1)}</text>'
             f'<text x="{_LEFT + 4}" y="{up(sprt.lower) + 14}">H0: Elo {_number(sprt.elo0)}</text>'
             f'<polyline class="line" points="{line}"/>'
             f'<text x="{_LEFT}" y="{_HEIGHT - 4}">0</text>'
             f'<text class="end" x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 4}">{played}</text>')
    label = f"LLR {points[-1][1]:.2f} after {played}, between {sprt.lower:.2f} and {sprt.upper:.2f}"
    return _chart(label, "chart", (_WIDTH, _HEIGHT), body)


def tuning_chart(parameter: Parameter, values: Sequence[tuple[int, float]]) -> Markup:
    """Return a chart of a tuned parameter with its bounds, its first and its last value.

    ``values`` are numbers of games and the values after them, in ascending order, from 0 games on.
    """
    games, value = values[-1]
    last, result = max(games, 1), _number(round(value))
    played = counted(last, "game")
    levels = {level: _number(level) for level in (parameter.maximum, parameter.start, parameter.minimum)}
    left = 8 + _DIGIT * max(map(len, levels.values()))
    right = _WIDTH - 12 - _DIGIT * len(result)
    floor, width = _HEIGHT - _BOTTOM, parameter.maximum - parameter.minimum

    def across(games: float) -> float:
        return round(left + (right - left) * games / last, 1)

    def up(value: float) -> float:
        return round(_TOP + (floor - _TOP) * (parameter.maximum - value) / width, 1)

    step = -(-len(values) // _MAX_POINTS)
    shown = [*values[:-1:step], values[-1]]
    line = " ".join(f"{across(games)},{up(value)}" for games, value in shown)
    body = ""
    for level, text in levels.items():
        is_bound = level in (parameter.minimum, parameter.maximum)
        body += f'<path class="{"bound" if is_bound else "axis"}" d="M{left} {up(level)}H{right}"/>'
        if is_bound or min(floor - up(level), up(level) - _TOP) >= _LINE:
            body += f'<text class="end" x="{left - 6}" y="{up(level) + 4}">{text}</text>'
    end = up(value)
    body += (f'<polyline class="line" points="{line}"/><circle class="end-point" cx="{across(last)}" cy="{end}" r="3"/>'
             f'<text class="result" x="{right + 8}" y="{end + 4}">{result}</text>'
             f'<text x="{left}" y="{_HEIGHT - 4}">0</text>'
             f'<text class="end" x="{right}" y="{_HEIGHT - 4}">{played}</text>')
    label = (f"{parameter.name} from {parameter.start} to {value:.1f} in {played}, between"
             f" {parameter.minimum} and {parameter.maximum}")
    return _chart(label, "chart", (_WIDTH, _HEIGHT), body)


def _number(value: float) -> str:
    return typeset(f"{value:.9g}")


def time_chart(name: str, elapsed_ms: Sequence[float]) -> Markup:
    """Return a histogram of move times (in ascending order, at least one) in bins of 1, 2, 5, 10 ... ms."""
    def step_of(elapsed: float) -> int:
        return max(index for index, least in enumerate(_TIME_STEPS_MS) if least <= max(elapsed, 0))

    first, last = step_of(elapsed_ms[0]), step_of(elapsed_ms[-1])
    first = max(0, min(first, last - 3))  # at least four columns, so that a single one does not fill the chart
    last = min(len(_TIME_STEPS_MS) - 1, max(last, first + 3))
    counts = [0] * (last - first + 1)
    for elapsed in elapsed_ms:
        counts[step_of(elapsed) - first] += 1
    texts = [duration(_TIME_STEPS_MS[first + index]) for index in range(len(counts))]
    return _histogram(f"Distribution of the move times of {name}", counts, texts)


def length_chart(name: str, lengths: Sequence[int]) -> Markup:
    """Return a histogram of the numbers of plies of games (at least one) in up to ten bins of a round width."""
    width = next(step for step in _LENGTH_STEPS if max(lengths) < 10 * step)
    counts = [0] * max(max(lengths) // width + 1, 4)
    for length in lengths:
        counts[length // width] += 1
    return _histogram(f"Distribution of the lengths of the games of {name}", counts,
                      [str(index * width) for index in range(len(counts))])


def _histogram(label: str, counts: Sequence[int], texts: Sequence[str]) -> Markup:
    """Return columns for counts with their shares above them; ``texts`` are their lower ends."""
    height, margin = 90, 24
    floor, width = height - 18, (_WIDTH - 2 * margin) / len(counts)
    body = f'<path class="axis" d="M{margin} {floor}H{_WIDTH - margin}"/>'
    for index, count in enumerate(counts):
        left, tall = margin + index * width, round((floor - 18) * count / max(counts), 1)
        body += (f'<rect class="fill" x="{left + 1:.1f}" y="{floor - tall}" width="{width - 2:.1f}" height="{tall}"/>'
                 + _label(left, height - 4, texts[index]))
        if count:
            share = 100 * count / sum(counts)
            body += _label(left + width / 2, floor - tall - 4, "<1%" if share < 1 else f"{share:.0f}%")
    return _chart(label, "chart", (_WIDTH, height), body)


def bar_chart(title: str, rows: Sequence[tuple[str, str, Interval]], zero: float = 0.0) -> Markup:
    """Return a chart with a bar for each row: name, value as text, and value with its interval.

    Bars begin at ``zero``. A value without an interval has equal ends; infinite ends are at the edge.
    """
    left = min(8 + max(len(name) for name, _, _ in rows) * _LETTER, _WIDTH // 2)
    right = _WIDTH - 8 - max(len(text) for _, text, _ in rows) * _DIGIT
    ends = [end for _, _, each in rows for end in (each.value, each.low, each.high, zero) if isfinite(end)]
    low, high = min(ends), max(ends)

    def across(value: float) -> float:
        share = (min(max(value, low), high) - low) / ((high - low) or 1)
        return round(left + (right - left) * share, 1)

    body = ""
    for number, (name, text, each) in enumerate(rows):
        top = number * _ROW
        start, end = sorted((across(zero), across(each.value)))
        body += (f'<text class="end" x="{left - 6}" y="{top + 14}">{escaped(name)}</text>'
                 f'<rect class="fill" x="{start}" y="{top + 4}" width="{round(end - start, 1)}" height="12"/>')
        if each.low < each.high:
            body += f'<path class="interval" d="M{across(each.low)} {top + 10}H{across(each.high)}"/>'
        body += f'<text x="{right + 6}" y="{top + 14}">{escaped(typeset(text))}</text>'
    height = len(rows) * _ROW
    body += f'<path class="axis" d="M{across(zero)} 0V{height}"/>'
    return _chart(title, "chart", (_WIDTH, height), body)


def heat_map(label: str, files: int, shares: Sequence[float]) -> Markup:
    """Return a board, from White's side, on which the squares with larger shares are darker."""
    ranks, most = len(shares) // files, max(shares) or 1
    body = ""
    for square, share in enumerate(shares):
        rank, file = divmod(square, files)
        name = f"{chr(ord('a') + file)}{rank + 1}"
        body += (f'<g><title>{name}: {share:.1%}</title><rect class="square" x="{file * 20 + 1}"'
                 f' y="{(ranks - 1 - rank) * 20 + 1}" width="18" height="18"/><rect class="found" x="{file * 20 + 1}"'
                 f' y="{(ranks - 1 - rank) * 20 + 1}" width="18" height="18" fill-opacity="{share / most:.2f}"/></g>')
    return _chart(label, "heat", (files * 20, ranks * 20), body)


def _label(middle: float, bottom: float, text: str) -> str:
    return f'<text class="middle" x="{middle:.1f}" y="{bottom:.1f}">{escaped(text)}</text>'
