"""Render the line that shows on a terminal how far a tournament is."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from latrones_uci.match.rounds import current_round, shortened
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import estimate_meeting, rate_standings, render_elo, render_margin, rounded
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import Sprt, log_likelihood_ratio
from latrones_uci.text.messages import counted, duration

_BAR_CELLS = 20


@dataclass(frozen=True)
class _Part:
    """A part of the progress line."""

    text: Callable[[int], str]
    """Renders it, with names of at most so many characters; with 0, also without a bar."""
    rank: float
    """Where it does not fit, the parts with the highest rank are left out first."""


_NAME_WIDTHS = (60, 20, 12, 8)
_NARROW_NAMES = 12
"""The width of names with which the bar is half as long."""


def render_bar(
    standings: Standings, settings: TournamentSettings, games: int, games_now: int, elapsed_s: float,
    parameters: Mapping[str, float] | None = None, more_games: int | None = None, width: int = 1000,
) -> str:
    """Render the progress line: games, faults, score, Elo, likelihood ratio, speed, time left.

    In a sequential test, the bar shows the likelihood ratio between its bounds, not the number of games.

    Args:
        games: the number of games of the whole tournament.
        games_now: the number of games of this run; with its seconds, it gives the speed.
        parameters: the present values of a tuning.
        more_games: the games that a sequential test probably still needs, None if unknown.
        width: the greatest number of characters. Names are shortened first, then whole figures are left out.
    """
    if settings.sprt is None:
        more_games = games - standings.games
    parts = list(_parts(standings, settings, games, parameters or {}, more_games))
    if games_now and elapsed_s > 0:
        if more_games is not None:
            left = duration(1000 * round(more_games * elapsed_s / games_now))
            parts.append(_Part(lambda _: f"{left} left", 3))
        parts.append(_Part(lambda _: f"{60 * games_now / elapsed_s:.1f} games/min", 6))
    return _fitted(parts, width)


def _parts(
    standings: Standings, settings: TournamentSettings, games: int, parameters: Mapping[str, float],
    more_games: int | None,
) -> Iterator[_Part]:
    if settings.sprt is not None:
        ratio = log_likelihood_ratio(settings.sprt, standings.meeting(0, 1).pairs)
        yield _Part(partial(_render_ratio, settings.sprt, ratio), 0)
        yield _Part(lambda _: counted(standings.games, "game"), 0)
    elif parameters:
        yield _Part(lambda _: f"{standings.games}/{games}", 0)
    else:
        yield _Part(partial(_render_games, standings.games, games), 0)
    if name := current_round(standings.schedule):
        yield _Part(lambda _: name, 1)
    for place, trouble in enumerate(standings.troubles):
        yield _Part(partial(_plain, trouble), 1 + 2 * place)
    if settings.sprt is not None and more_games is not None:
        yield _Part(lambda _: f"about {rounded(more_games)} more", 2)
    for place, (parameter, value) in enumerate(parameters.items()):
        yield _Part(partial(_render_parameter, parameter, value), 2 + place / 1000)
    total = standings.total(0)
    if settings.tuning is not None:
        return  # the two engines are one
    if total.games and len(standings.names) == 2 and not settings.format.in_rounds:
        found = estimate_meeting(total)
        score = f"{total.record} {found.score.value:.1%}"
        yield _Part(lambda names: f"{shortened(standings.names[0], names)} {score}", 4)
        yield _Part(lambda _: f"Elo {render_elo(found.elo)}", 5)
    elif (ratings := rate_standings(standings)) is not None:
        first = ratings.ratings[0]
        rating = f"{first.elo:+z.1f} +/- {render_margin(first.margin)}"
        yield _Part(lambda names: f"first: {shortened(first.name, names)} {rating}", 4)


def _plain(text: str, names: int) -> str:
    return text


def _render_parameter(name: str, value: float, names: int) -> str:
    """Render the value of a parameter; of a long name, the beginning and the end, which often differ."""
    half = names // 2 - 1
    return f"{name if len(name) <= names else f'{name[:half]}..{name[-half:]}'} {value:.1f}"


def _cells(names: int) -> int:
    return 0 if not names else _BAR_CELLS if names > _NARROW_NAMES else _BAR_CELLS // 2


def _render_games(games: int, of: int, names: int) -> str:
    if not (cells := _cells(names)):
        return f"{games}/{of}"
    filled = cells * games // max(of, 1)
    return f"[{'#' * filled}{'.' * (cells - filled)}] {games}/{of}"


def _render_ratio(sprt: Sprt, ratio: float, names: int) -> str:
    """Render the likelihood ratio as a place on the way from one bound to the other."""
    if not (cells := _cells(names)):
        return f"LLR {ratio:+z.2f}"
    share = (ratio - sprt.lower) / (sprt.upper - sprt.lower)
    place = min(max(int(cells * share), 0), cells - 1)
    way = f"{'.' * place}#{'.' * (cells - place - 1)}"
    return f"LLR {ratio:+z.2f} [{sprt.lower:.2f} {way} {sprt.upper:.2f}]"


def _fitted(parts: list[_Part], width: int) -> str:
    """Return the parts as one line of at most so many characters, or the first of them."""
    names = _NAME_WIDTHS[0]
    for names in _NAME_WIDTHS:
        line = "  ".join(part.text(names) for part in parts)
        if len(line) <= width:
            return line
    while len(line) > width and len(parts) > 1:
        parts.remove(max(parts, key=lambda part: part.rank))
        line = "  ".join(part.text(names) for part in parts)
    return line if len(line) <= width else parts[0].text(0)[:width]
