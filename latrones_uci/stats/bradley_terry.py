"""Joint ratings of players from all games between them.

The model is that of R. A. Bradley and M. E. Terry ("Rank Analysis of Incomplete Block Designs", Biometrika 39, 1952)
on the Elo scale: a player's expected score against another is the logistic curve of the difference of their ratings,
as in ``estimate.py``. A draw counts as half a win and half a loss, so that the likelihood is greatest where every
player's expected points equal the points that it scored. Ordo uses the same equations. Models with a parameter for
draws (P. V. Rao and L. L. Kupper, 1967; R. R. Davidson, 1970; BayesElo) would let the rate of draws, which differs
between our games and board sizes, change the scale; and the ratings of two players would no longer differ by the Elo
difference that their match shows.

The error bars do not assume that games are independent, or that draws follow a model: each pair of games with one
opening contributes the square of its own deviation from the expected points (P. J. Huber, "The behavior of maximum
likelihood estimates under nonstandard conditions", Fifth Berkeley Symposium, 1967; the "sandwich" estimator).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log, sqrt

from latrones_uci.stats.estimate import ADDED_TRIALS, CONFIDENCE, score_from_elo, t_distribution, t_quantile
from latrones_uci.stats.results import Pentanomial, reversed_pairs

_SCALE = log(10) / 400
_ADDED_TO_SQUARES = 0.05  # of a pair lost and of a pair won, so that no variance is 0
_MIN_FREEDOMS = 9  # five pairs against opponents of any strength: from fewer, no interval is right
_NEWTON_STEPS = 200
_NEWTON_TOLERANCE = 1e-9
_MAX_STEP = 400.0

Matrix = list[list[float]]


class RatingsError(ValueError):
    """The games do not determine ratings."""


@dataclass
class Encounter:
    """The games of two players, from the point of view of the first one."""

    pairs: Pentanomial = (0, 0, 0, 0, 0)
    """Numbers of pairs of games with 0, 1/2, 1, 3/2 and 2 points."""
    games: tuple[int, int, int] = (0, 0, 0)
    """Numbers of further games with 0, 1/2 and 1 points."""

    @property
    def count(self) -> int:
        """The number of games."""
        return 2 * sum(self.pairs) + sum(self.games)

    @property
    def points(self) -> float:
        """The points of the first player."""
        return sum(index * count for index, count in enumerate(self.pairs)) / 2 + self.games[1] / 2 + self.games[2]

    @property
    def trials(self) -> list[tuple[float, float, int]]:
        """The points of a trial, the games in it, and the number of such trials."""
        pairs = [(index / 2, 2.0, count) for index, count in enumerate(self.pairs)]
        return pairs + [(index / 2, 1.0, count) for index, count in enumerate(self.games)]


@dataclass(frozen=True)
class Rating:
    """The rating of a player."""

    name: str
    """The player."""
    elo: float
    """The rating."""
    margin: float
    """Half the width of its 95% interval, relative to the anchors, or to the average of the players by their games; 0
    for an anchor; infinite if there are no bounds yet, because the player has too few games, or won or lost them all.
    """
    games: int
    """Number of games."""
    points: float
    """Points scored."""
    draws: int
    """Number of drawn games."""
    opponents: float
    """The average rating of its opponents, by games."""


@dataclass(frozen=True)
class RatingList:
    """Ratings, highest first."""

    ratings: tuple[Rating, ...]
    """The players with games, highest rating first."""
    superiority: Mapping[tuple[str, str], float] = field(repr=False)
    """The likelihood, 0 to 1, that a player is stronger than another, by the names of both."""
    regularised: bool
    """Whether players that won or lost everything made it necessary to add results (see ``rate``)."""


def rate(
    names: Sequence[str],
    encounters: Mapping[tuple[int, int], Encounter],
    draws: Mapping[int, int] | None = None,
    anchors: Mapping[str, float] | None = None,
) -> RatingList:
    """Return the ratings of players.

    Without anchors the average of all ratings is 0. If some players won all their games against all others, or lost
    all, their ratings would be infinite; then a fifth of a pair won and a fifth lost are added to such encounters.

    Args:
        names: the players.
        encounters: the games of two players, by their indices, the smaller one first.
        draws: number of drawn games by player, for the table only.
        anchors: players with fixed ratings, in Elo.

    Raises:
        RatingsError: there are no games, an anchor has none, or some players have no game, directly or through
            others, against the rest.
    """
    met = {pair: encounter for pair, encounter in encounters.items() if encounter.count}
    players = sorted({player for pair in met for player in pair})
    if not players:
        raise RatingsError("there are no games to rate")
    _check_connected(names, players, met)
    fixed = _fixed(names, players, anchors or {})
    added = _added(players, met, fixed)
    ratings = _maximise(players, met, fixed, added)
    errors = _errors(players, met, fixed, ratings, added)
    return _list(names, players, met, ratings, errors, draws or {}, any(added.values()))


def _fixed(names: Sequence[str], players: Sequence[int], anchors: Mapping[str, float]) -> dict[int, float]:
    fixed = {}
    for name, elo in anchors.items():
        if name not in names or names.index(name) not in players:
            known = ", ".join(names[each] for each in players)
            raise RatingsError(f"anchor '{name}': no games; expected one of {known}")
        fixed[names.index(name)] = elo
    return fixed


def _reached(start: int, arrows: Mapping[int, set[int]]) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        for other in arrows.get(waiting.pop(), set()) - found:
            found.add(other)
            waiting.append(other)
    return found


def _check_connected(names: Sequence[str], players: Sequence[int], met: Mapping[tuple[int, int], Encounter]) -> None:
    arrows: dict[int, set[int]] = {player: set() for player in players}
    for first, second in met:
        arrows[first].add(second)
        arrows[second].add(first)
    group = _reached(players[0], arrows)
    if len(group) < len(players):
        apart = next(player for player in players if player not in group)
        raise RatingsError(
            f"no games connect '{names[players[0]]}' with '{names[apart]}', directly or through others; expected games"
            " between the two groups, or one list for each"
        )


def _added(
    players: Sequence[int], met: Mapping[tuple[int, int], Encounter], fixed: Mapping[int, float]
) -> dict[tuple[int, int], float]:
    """Return the fraction of a pair won, and of a pair lost, to add to each encounter so that finite ratings exist.

    They exist if each player scored, through others, against each other (L. R. Ford, "Solution of a ranking problem
    from binary comparisons", American Mathematical Monthly 64, 1957).
    """
    down: dict[int, set[int]] = {player: set() for player in players}
    arrows = [(first, second) for (first, second), games in met.items() if games.points > 0]
    arrows += [(second, first) for (first, second), games in met.items() if games.points < games.count]
    arrows += [(one, other) for one in fixed for other in fixed if one != other]
    for winner, loser in arrows:
        down[winner].add(loser)
    reached = {player: _reached(player, down) for player in players}
    return {(one, other): 0.0 if one in reached[other] and other in reached[one] else ADDED_TRIALS
            for one, other in met}


def _maximise(
    players: Sequence[int],
    met: Mapping[tuple[int, int], Encounter],
    fixed: Mapping[int, float],
    added: Mapping[tuple[int, int], float],
) -> dict[int, float]:
    """Return the ratings that maximise the likelihood, by Newton's method."""
    start = sum(fixed.values()) / len(fixed) if fixed else 0.0
    ratings = {player: fixed.get(player, start) for player in players}
    free = [player for player in players if player not in fixed]
    for _ in range(_NEWTON_STEPS if free else 0):
        gradient, information = dict.fromkeys(players, 0.0), _information(players, met, ratings, added)
        for (first, second), games in met.items():
            fraction = added[first, second]
            count, points = games.count + 4 * fraction, games.points + 2 * fraction
            excess = (points - count * score_from_elo(ratings[first] - ratings[second])) * _SCALE
            gradient[first] += excess
            gradient[second] -= excess
        step = solve(_restrict(information, players, free, grounded=not fixed), [gradient[each] for each in free])
        longest = max(map(abs, step))
        shrink = min(1.0, _MAX_STEP / longest) if longest else 1.0
        for player, change in zip(free, step, strict=True):
            ratings[player] += shrink * change
        if longest <= _NEWTON_TOLERANCE:
            break
    return ratings


def _information(
    players: Sequence[int],
    met: Mapping[tuple[int, int], Encounter],
    ratings: Mapping[int, float],
    added: Mapping[tuple[int, int], float],
) -> dict[tuple[int, int], float]:
    """Return the matrix of second derivatives of the negative log-likelihood, by the indices of players."""
    found = {(one, other): 0.0 for one in players for other in players}
    for (first, second), games in met.items():
        expected = score_from_elo(ratings[first] - ratings[second])
        count = games.count + 4 * added[first, second]
        _add_edge(found, first, second, count * expected * (1 - expected) * _SCALE**2)
    return found


def _add_edge(found: dict[tuple[int, int], float], first: int, second: int, value: float) -> None:
    found[first, first] += value
    found[second, second] += value
    found[first, second] -= value
    found[second, first] -= value


def _restrict(
    values: Mapping[tuple[int, int], float], players: Sequence[int], free: Sequence[int], *, grounded: bool
) -> Matrix:
    """Return a matrix of free players. Without anchors all ratings could be shifted: hold their sum."""
    largest = max(values[player, player] for player in players)
    shift = largest if grounded else 0.0
    return [[values[one, other] + shift for other in free] for one in free]


@dataclass(frozen=True)
class _Errors:
    """The errors of ratings."""

    covariance: Mapping[tuple[int, int], float]
    """The covariance of every two ratings."""
    variances: Mapping[int, float]
    """The variance of each rating relative to the anchors, or to the average of all by games."""
    freedoms: Mapping[int, float]
    """The degrees of freedom of each variance, 0 if results had to be added to determine the rating."""


def _errors(
    players: Sequence[int],
    met: Mapping[tuple[int, int], Encounter],
    fixed: Mapping[int, float],
    ratings: Mapping[int, float],
    added: Mapping[tuple[int, int], float],
) -> _Errors:
    """Return the errors of the ratings, each from the player's own games.

    The degrees of freedom are those of F. E. Satterthwaite ("An Approximate Distribution of Estimates of Variance
    Components", Biometrics Bulletin 2, 1946): each encounter estimates its part of a variance with as many degrees of
    freedom as it has games. The parts are those of independent games, because squares of few games say little.
    ``scripts/simulate.py ratings`` shows that they are right for few and for many games.
    """
    squares = _squares(players, met, ratings)
    spread = {(one, other): 0.0 for one in players for other in players}
    for (first, second), value in squares.items():
        _add_edge(spread, first, second, value)
    free = [player for player in players if player not in fixed]
    information = _information(players, met, ratings, added)
    inverse = _inverse(_restrict(information, players, free, grounded=not fixed))
    middle = [[spread[one, other] for other in free] for one in free]
    product = _multiply(_multiply(inverse, middle), inverse)
    covariance = {(one, other): 0.0 for one in players for other in players}
    covariance |= {(one, other): product[row][column]
                   for row, one in enumerate(free) for column, other in enumerate(free)}
    games = [sum(games.count for pair, games in met.items() if player in pair) for player in free]
    average = [0.0 if fixed else sum(count * value for count, value in zip(games, row, strict=True)) / sum(games)
               for row in inverse]
    variances, freedoms = dict.fromkeys(players, 0.0), dict.fromkeys(players, inf)
    for row, player in enumerate(free):
        weights = {other: own - mean for other, own, mean in zip(free, inverse[row], average, strict=True)}
        effects = {pair: (weights.get(pair[0], 0.0) - weights.get(pair[1], 0.0)) ** 2 for pair in met}
        variances[player] = sum(squares[pair] * effect for pair, effect in effects.items())
        parts = {pair: -information[pair] * effect for pair, effect in effects.items()}
        undetermined = sum(part for pair, part in parts.items() if added[pair])
        whole = sum(parts.values())
        freedoms[player] = 0.0 if undetermined > whole / 2 else (
            whole**2 / sum(part**2 / met[pair].count for pair, part in parts.items()))
    return _Errors(covariance, variances, freedoms)


def _squares(
    players: Sequence[int], met: Mapping[tuple[int, int], Encounter], ratings: Mapping[int, float]
) -> dict[tuple[int, int], float]:
    """Return the squared deviations of each encounter, with fractions of a pair lost and of a pair won.

    Each player gets ``_ADDED_TO_SQUARES`` of both in all, in proportion to the trials, so that a player with few games
    gets as much as one with many.
    """
    trials = {pair: sum(count for *_, count in games.trials) for pair, games in met.items()}
    own = {player: sum(count for pair, count in trials.items() if player in pair) for player in players}
    found = {}
    for (first, second), games in met.items():
        expected = score_from_elo(ratings[first] - ratings[second])
        share = _ADDED_TO_SQUARES * trials[first, second] / min(own[first], own[second])
        squares = sum(count * (points - size * expected) ** 2 for points, size, count in games.trials)
        found[first, second] = _SCALE**2 * (squares + share * 4 * (expected**2 + (1 - expected) ** 2))
    return found


def _list(
    names: Sequence[str],
    players: Sequence[int],
    met: Mapping[tuple[int, int], Encounter],
    ratings: Mapping[int, float],
    errors: _Errors,
    draws: Mapping[int, int],
    regularised: bool,
) -> RatingList:
    found = []
    for player in players:
        own = [(other, games) for other, games in _opponents(player, met)]
        count = sum(games.count for _, games in own)
        found.append(Rating(
            names[player], _without_noise(ratings[player]), _margin(errors.variances[player], errors.freedoms[player]),
            count, sum(games.points for _, games in own), draws.get(player, 0),
            _without_noise(sum(ratings[other] * games.count for other, games in own) / count),
        ))
    covariance, superiority = errors.covariance, {}
    for one in players:
        for other in players:
            if one != other:
                variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
                lead = ratings[one] - ratings[other]
                error = sqrt(max(variance, 0.0))
                t_value = lead / error if error else (inf if lead > 0 else -inf if lead else 0.0)
                freedom = max(min(errors.freedoms[one], errors.freedoms[other]), 1.0)
                superiority[names[one], names[other]] = t_distribution(max(min(t_value, 1e9), -1e9), freedom)
    return RatingList(
        tuple(sorted(found, key=lambda rating: (-rating.elo, rating.name))), superiority, regularised
    )


def _margin(variance: float, freedom: float) -> float:
    """Return half the width of the 95% interval: 0 for an anchor, infinite if there are no bounds yet."""
    if not variance:
        return 0.0
    if freedom < _MIN_FREEDOMS:
        return inf
    return t_quantile((1 + CONFIDENCE) / 2, freedom) * sqrt(variance)


def _opponents(player: int, met: Mapping[tuple[int, int], Encounter]) -> list[tuple[int, Encounter]]:
    found = []
    for (first, second), games in met.items():
        if player == first:
            found.append((second, games))
        elif player == second:
            losses, draws, wins = games.games
            found.append((first, Encounter(reversed_pairs(games.pairs), (wins, draws, losses))))
    return found


def solve(matrix: Matrix, right: Sequence[float]) -> list[float]:
    """Solve a system with a positive definite matrix, by Gaussian elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(len(rows)):
        pivot = max(range(column, len(rows)), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, len(rows)):
            if factor := rows[row][column] / rows[column][column]:
                rows[row] = [value - factor * above for value, above in zip(rows[row], rows[column], strict=True)]
    solution = [0.0] * len(rows)
    for row in reversed(range(len(rows))):
        known = sum(rows[row][column] * solution[column] for column in range(row + 1, len(rows)))
        solution[row] = (rows[row][-1] - known) / rows[row][row]
    return solution


def _inverse(matrix: Matrix) -> Matrix:
    size = len(matrix)
    columns = [solve(matrix, [float(row == column) for row in range(size)]) for column in range(size)]
    return [[columns[column][row] for column in range(size)] for row in range(size)]


def _multiply(one: Matrix, other: Matrix) -> Matrix:
    columns = list(zip(*other, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in one]


def _without_noise(elo: float) -> float:
    """Round away the last digits: two equal ratings would otherwise differ, and one of them be a negative zero."""
    return round(elo, 9) + 0.0
