"""Collect games for joint ratings, and render rating lists as text."""

import textwrap
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import isinf

from latrones_uci.match.standings import Standings
from latrones_uci.stats import pentanomial_of
from latrones_uci.stats.bradley_terry import Encounter, Rating, RatingList, RatingsError, rate

_MOST_IN_MATRIX = 12  # wider matrices do not fit a terminal; CSV, JSON and HTML have them
_LONGEST_NAME = 26
_INDENT = " " * 5


class RatedGames:
    """The games of any number of players, from one or several matches.

    Attributes:
        names: the players, in the order of their first games.
        duplicates: the number of games that were left out because they occurred before.
    """

    def __init__(self) -> None:
        """Start without games."""
        self.names: list[str] = []
        self.duplicates = 0
        self._pairs: dict[tuple[int, int], Counter[float]] = {}
        self._single: dict[tuple[int, int], Counter[float]] = {}
        self._waiting: dict[tuple[tuple[int, int], Hashable], list[float]] = {}
        self._draws: Counter[int] = Counter()

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(encounter.count for encounter in self.encounters().values())

    def add(self, white: str, black: str, winner: int | None, pair: Hashable) -> None:
        """Add a game.

        Args:
            white: the name of the player of White.
            black: the name of the player of Black.
            winner: 0 for White, 1 for Black, None for a draw.
            pair: identifies the pair to which the game belongs; the other game of the pair has the same value. More
                than two games with one value make several pairs.
        """
        own, other = self._index(white), self._index(black)
        points = 0.5 if winner is None else float(winner == 0)
        key = (min(own, other), max(own, other))
        self._add(key, points if own == key[0] else 1 - points, (pair, own) if pair is not None else None, own, other)

    def _add(
        self, key: tuple[int, int], points: float, pair: tuple[Hashable, int] | None, white: int, black: int
    ) -> None:
        if points == 0.5:
            self._draws.update((white, black))
        if pair is None:
            self._single.setdefault(key, Counter())[points] += 1
            return
        partner = self._waiting.get((key, (pair[0], black)))  # the game with swapped colours
        if partner:
            earlier = partner.pop()
            self._single[key][earlier] -= 1
            self._pairs.setdefault(key, Counter())[earlier + points] += 1
        else:
            self._waiting.setdefault((key, (pair[0], white)), []).append(points)
            self._single.setdefault(key, Counter())[points] += 1

    def _index(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def encounters(self) -> dict[tuple[int, int], Encounter]:
        """Return the games of every two players that met, by their indices, the smaller one first."""
        found = {}
        for key in self._single.keys() | self._pairs.keys():
            single = self._single.get(key, Counter())
            found[key] = Encounter(
                pentanomial_of(self._pairs.get(key, Counter()).elements()), (single[0.0], single[0.5], single[1.0])
            )
        return found

    def rate(self, anchors: Mapping[str, float] | None = None) -> RatingList:
        """Return the ratings.

        Raises:
            RatingsError: see ``stats.bradley_terry.rate``.
        """
        return rate(self.names, self.encounters(), self._draws, anchors)


def rate_standings(standings: Standings) -> RatingList | None:
    """Return the ratings of a tournament, or None while its games do not connect all engines that have played."""
    encounters, draws = {}, Counter[int]()
    for one in range(len(standings.names)):
        for other in range(one + 1, len(standings.names)):
            meeting = standings.meeting(one, other)
            half = Counter(meeting.half_pairs.values())
            encounters[one, other] = Encounter(meeting.pairs, (half[0.0], half[0.5], half[1.0]))
            draws.update({one: meeting.draws, other: meeting.draws})
    try:
        return rate(standings.names, encounters, draws)
    except RatingsError:
        return None


def render_ratings(found: RatingList) -> Iterator[str]:
    """Yield the lines of a rating list with its matrix of superiority."""
    width = max(len("engine"), *(min(len(rating.name), _LONGEST_NAME) for rating in found.ratings))
    columns = f"{'Elo':>8} {'+/-':>6} {'games':>6} {'score':>7} {'opponents':>10} {'draws':>6}"
    yield f"{'':>4} {'engine':<{width}} {columns}"
    for rank, rating in enumerate(found.ratings, start=1):
        yield f"{rank:>4} {_short(rating.name):<{width}} {_figures(rating)}"
    if note := no_bounds_note(found):
        yield from textwrap.wrap(f"{note}.", initial_indent=_INDENT, subsequent_indent=_INDENT)
    if found.regularised:
        yield f"{_INDENT}Some engines won or lost all their games. So that ratings exist, a fifth"
        yield f"{_INDENT}of a pair won and a fifth lost were added to the encounters concerned."
    if 2 <= len(found.ratings) <= _MOST_IN_MATRIX:
        yield ""
        yield from render_superiority(found)


def _figures(rating: Rating) -> str:
    return (
        f"{rating.elo:>+z8.1f} {render_margin(rating.margin):>6} {rating.games:>6} {rating.points / rating.games:>7.1%}"
        f" {rating.opponents:>+z10.1f} {rating.draws / rating.games:>6.1%}"
    )


def render_margin(margin: float) -> str:
    """Return half the width of an interval, ``none`` if there are no bounds yet."""
    return "none" if isinf(margin) else f"{margin:.1f}"


def no_bounds_note(found: RatingList) -> str:
    """Return what ``none`` means if it occurs in a list, else an empty string."""
    unbounded = any(isinf(rating.margin) for rating in found.ratings)
    return "none: no bounds yet, with fewer than five pairs or without both points and losses" if unbounded else ""


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def render_superiority(found: RatingList) -> Iterator[str]:
    """Yield the likelihoods, in percent, that the engine of a line is stronger than that of a column."""
    names = [rating.name for rating in found.ratings]
    width = max(map(len, map(_short, names)))
    yield f"{'LOS in %':<{width + 5}}" + "".join(f"{number:>5}" for number in range(1, len(names) + 1))
    for number, name in enumerate(names, start=1):
        cells = [f"{100 * found.superiority[name, other]:>5.0f}" if name != other else f"{'-':>5}" for other in names]
        yield f"{number:>4} {_short(name):<{width}}{''.join(cells)}"


def table_rows(found: RatingList) -> tuple[Sequence[str], list[list[object]]]:
    """Return the headings and the rows of a rating list, for CSV and JSON: plain numbers, shares from 0 to 1.

    The error is None if there are no bounds yet.
    """
    headings = ("rank", "engine", "elo", "error", "games", "points", "score", "average_opponent", "draws", "draw_rate")
    rows: list[list[object]] = [
        [rank, rating.name, round(rating.elo, 2), None if isinf(rating.margin) else round(rating.margin, 2),
         rating.games, rating.points,
         round(rating.points / rating.games, 4), round(rating.opponents, 2), rating.draws,
         round(rating.draws / rating.games, 4)]
        for rank, rating in enumerate(found.ratings, start=1)
    ]  # fmt: skip
    return headings, rows
