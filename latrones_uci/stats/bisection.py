"""Noisy bisection: which of several commits lost strength, from games of their versions against the first one.

The versions before the commit in question are as strong as the base; from it on all are weaker by the same loss. Every
version plays pairs of games against the base only. With ``t_j`` the sum of its results, as distances from an even pair
in standard deviations of a pair, and ``n_j`` the number of its pairs, the log-likelihood of a loss ``d`` by commit
``k``, less that of no loss, is

    d A - d^2 N / 2,    A = -(sum of t_j for j >= k),    N = (sum of n_j for j >= k)

for normally distributed results. The loss is not known; with a half-normal prior, its integral has a closed form. That
no commit lost strength is one more hypothesis, with half of the probability at the start; the commits share the rest
evenly. M. Ben-Or and A. Hassidim ("The Bayesian Learner is Optimal for Noisy Binary Search", FOCS 2008) show that a
search that asks where the posterior says most needs hardly more questions than information theory demands; R. Waeber,
P. Frazier and S. Henderson ("Bisection Search with Noisy Responses", SIAM J. Control Optim. 51, 2013) treat answers
that are repeated, as games are.

``scripts/simulate.py bisect`` shows how often the commit found is the right one, and in how many games.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import erfc, exp, inf, log, pi, sqrt

from latrones_uci.stats.estimate import NORMALIZED_ELO_UNIT
from latrones_uci.stats.multinomial import mean_of, shares_of, variance_of
from latrones_uci.stats.results import Pentanomial

LOSS_SCALE = 100.0
"""The scale of the half-normal prior of the loss, in normalised Elo: half of all losses are below 67."""
_NO_LOSS = 0.5  # prior probability
_ADDED_PAIRS = 2.0  # one lost and one won, so that a few even pairs do not seem certain
_VARIANCE_OF_ADDED = 0.25
_NEARLY_AS_MUCH = 0.75  # half of the builds, for 4% more games
_TAIL = -6.0
_FRACTION_STEPS = 60


@dataclass(frozen=True)
class Posterior:
    """What the games say about the commits."""

    chances: tuple[float, ...]
    """For each commit, the probability that it lost strength."""
    no_loss: float
    """The probability that none did."""
    loss: float
    """The expected loss in normalised Elo, if one did."""
    loss_error: float
    """Its standard deviation."""
    information: tuple[float, ...]
    """For the version of each commit, how much a pair would tell about which commit lost strength, in nats: half the
    variance, over the hypotheses, of the expected result in standard deviations of a pair. This is the first term of
    the mutual information, which is close to it for losses of less than a standard deviation."""


def posterior(pairs: Sequence[Pentanomial], suspects: Collection[int] | None = None) -> Posterior:
    """Return the posterior over commits.

    Args:
        pairs: for each commit after the base, oldest first, the pairs of its version against the base.
        suspects: the indices of the commits that may have lost strength, None for all. A commit whose version plays
            like the one before it has not.
    """
    suspected = range(len(pairs)) if suspects is None else sorted(suspects)
    deviation = sqrt(_variance(pairs))
    numbers = [sum(counts) for counts in pairs]
    deficits = [number * (0.5 - mean_of(shares_of(counts))) / deviation if number else 0.0
                for counts, number in zip(pairs, numbers, strict=True)]
    deficits_from = list(accumulate(reversed(deficits)))[::-1]
    numbers_from = list(accumulate(reversed(numbers)))[::-1]
    scale = LOSS_SCALE / NORMALIZED_ELO_UNIT * sqrt(2)
    losses = {commit: _loss(deficits_from[commit], numbers_from[commit], scale) for commit in suspected}
    most = max((loss.log_weight for loss in losses.values()), default=-inf)
    most = max(most, 0.0)
    share = (1 - _NO_LOSS) / max(len(losses), 1)
    weights = {commit: share * exp(loss.log_weight - most) for commit, loss in losses.items()}
    without = _NO_LOSS * exp(-most)
    total = sum(weights.values()) + without
    chances = [weights.get(commit, 0.0) / total for commit in range(len(pairs))]
    information, first, second = [], 0.0, 0.0  # the first two moments of the result that is expected of a version
    for commit, chance in enumerate(chances):
        if chance:
            first += chance * losses[commit].mean
            second += chance * losses[commit].mean ** 2
        information.append(max(second - first**2, 0.0) / 2)
    lost = 1 - without / total
    mean = first / lost if lost else 0.0
    square = sum(chances[commit] * (loss.mean**2 + loss.variance) for commit, loss in losses.items())
    unit = NORMALIZED_ELO_UNIT / sqrt(2)
    error = sqrt(max(square / lost - mean**2, 0.0)) if lost else 0.0
    return Posterior(tuple(chances), without / total, unit * mean, unit * error, tuple(information))


def next_version(found: Posterior, playable: Collection[int], played: Collection[int], confidence: float) -> int:
    """Return the commit whose version plays next.

    It is the last one until it is certain enough that strength was lost, then the one with which a pair of games tells
    most. Of those that tell nearly as much, one that has played before is preferred: it is built already.

    Args:
        found: the posterior.
        playable: the commits whose versions can be played, with the last one.
        played: the commits whose versions have played.
        confidence: the probability with which the search ends.
    """
    last = max(playable)
    if found.no_loss > 1 - confidence:
        return last
    enough = _NEARLY_AS_MUCH * max(found.information[commit] for commit in playable)
    return max((commit for commit in playable if found.information[commit] >= enough),
               key=lambda commit: (commit in played, found.information[commit]))


def inseparable(commits: int, playable: Collection[int]) -> list[range]:
    """Return the runs of commits that games cannot tell apart, in their order.

    Each ends with a version that can be played. ``playable`` are the indices of such versions; the last commit should
    be one of them.
    """
    runs, start = [], 0
    for commit in range(commits):
        if commit in playable:
            runs.append(range(start, commit + 1))
            start = commit + 1
    return runs


def credible_set(chances: Sequence[float], confidence: float) -> list[int]:
    """Return the fewest commits that contain the one in question with a probability, in their order.

    It has all with any chance if their sum does not reach ``confidence``.
    """
    found: list[int] = []
    total = 0.0
    for commit in sorted(range(len(chances)), key=lambda commit: -chances[commit]):
        if total >= confidence or not chances[commit]:
            break
        found.append(commit)
        total += chances[commit]
    return sorted(found)


def _variance(pairs: Sequence[Pentanomial]) -> float:
    """Return the variance of a pair's points per game about the mean of its version, from all versions together."""
    squares, number = _ADDED_PAIRS * _VARIANCE_OF_ADDED, _ADDED_PAIRS
    for counts in pairs:
        if any(counts):
            squares += sum(counts) * variance_of(shares_of(counts))
            number += sum(counts)
    return squares / number


@dataclass(frozen=True)
class _Loss:
    """The loss of a commit if it is the one, in standard deviations of a pair."""

    log_weight: float
    """Logarithm of the likelihood, integrated over the loss, relative to that of no loss."""
    mean: float
    """Expected loss."""
    variance: float
    """Its variance."""


def _loss(deficit: float, number: float, scale: float) -> _Loss:
    """Integrate ``exp(d deficit - d^2 number / 2)`` over a half-normal ``d``: a normal curve cut off at 0."""
    precision = number + 1 / scale**2
    error = 1 / sqrt(precision)
    distance = deficit * error
    log_ratio, hazard = _mills(distance)
    log_weight = log(2 / scale * error) + log_ratio - log(2 * pi) / 2
    mean = error * (distance + hazard)
    variance = error**2 * (1 - hazard * (distance + hazard))
    return _Loss(log_weight, max(mean, 0.0), max(variance, 0.0))


def _mills(distance: float) -> tuple[float, float]:
    """Return the logarithm of the normal distribution function over the density at a distance, and the inverse ratio.

    Far in the lower tail, where both vanish, by the continued fraction of Laplace.
    """
    if distance > _TAIL:
        log_below = log(erfc(-distance / sqrt(2)) / 2)
        log_density = -(distance**2) / 2 - log(2 * pi) / 2
        return log_below - log_density, exp(log_density - log_below)
    fraction = -distance
    for step in range(_FRACTION_STEPS, 0, -1):
        fraction = -distance + step / fraction
    return -log(fraction), fraction
