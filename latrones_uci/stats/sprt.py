"""The sequential probability ratio test (SPRT) of two hypotheses about the difference of two players.

Games are played until the log-likelihood ratio (LLR) of the hypotheses leaves an interval that depends on the allowed
error rates (A. Wald, Sequential Analysis, 1947, chapter 3). Parameters that are not tested, such as the draw rate, take
their most likely values under each hypothesis: this is the generalised SPRT (M. Van den Bergh, "A practical
introduction to the GSPRT" and "Comments on Normalized Elo", https://www.cantate.be/Fishtest/). The results equal those
of fishtest's ``LLRcalc.py``. Unlike fishtest, the bounds are not corrected for the overshoot of the last pair, so the
error rates are slightly lower than allowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from math import isfinite, log
from typing import Literal

from latrones_uci.stats.estimate import Estimate, estimate_from_pairs, score_from_elo, t_value_of_normalized_elo
from latrones_uci.stats.multinomial import most_likely_with_mean, most_likely_with_t_value, shares_of
from latrones_uci.stats.results import Pentanomial, game_count, pair_count

EloModel = Literal["logistic", "normalized"]

MAX_HYPOTHESIS_ELO = 2000.0
_COUNT_FOR_ZERO = 1e-3


@dataclass(frozen=True)
class Sprt:
    """A test of H0, "the difference is elo0", against H1, "the difference is elo1".

    Raises:
        ValueError: a value is out of range.
    """

    elo0: float
    """The difference under H0, from the point of view of the player whose points are counted."""
    elo1: float
    """The difference under H1, above ``elo0``; both within -2000..2000 (our choice)."""
    alpha: float = 0.05
    """The largest probability of accepting H1 if H0 is true; above 0."""
    beta: float = 0.05
    """The largest probability of accepting H0 if H1 is true; above 0, and ``alpha + beta`` below 1."""
    model: EloModel = "normalized"
    """The kind of Elo of elo0 and elo1: ``"logistic"``, or ``"normalized"`` as in fishtest."""

    def __post_init__(self) -> None:
        if self.model not in ("logistic", "normalized"):
            raise ValueError(f"model {self.model!r}: expected 'logistic' or 'normalized'")
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not (isfinite(elo) and abs(elo) <= MAX_HYPOTHESIS_ELO):
                raise ValueError(f"{name} {elo}: expected -{MAX_HYPOTHESIS_ELO:g} to {MAX_HYPOTHESIS_ELO:g}")
        if self.elo0 >= self.elo1:
            raise ValueError(f"elo0 {self.elo0}: expected a value below elo1 {self.elo1}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not (isfinite(rate) and 0 < rate < 1):
                raise ValueError(f"{name} {rate}: expected a value between 0 and 1")
        if self.alpha + self.beta >= 1:
            raise ValueError(f"alpha {self.alpha} and beta {self.beta}: expected a sum below 1")

    @property
    def lower(self) -> float:
        """The LLR at which H0 is accepted: ``log(beta / (1 - alpha))``, negative."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at which H1 is accepted: ``log((1 - beta) / alpha)``, positive."""
        return log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float) -> "Verdict":
        """Return the state of the test at an LLR."""
        if ratio >= self.upper:
            return Verdict.ACCEPT_H1
        return Verdict.ACCEPT_H0 if ratio <= self.lower else Verdict.CONTINUE


class Verdict(Enum):
    """The state of a test after the games played."""

    CONTINUE = "continue"
    ACCEPT_H0 = "H0"
    ACCEPT_H1 = "H1"


def log_likelihood_ratio(sprt: Sprt, pairs: Pentanomial) -> float:
    """Return the natural logarithm of the likelihood ratio of H1 to H0; 0 without pairs.

    Each likelihood is that of the most likely pentanomial with the score, or the normalised Elo, of the hypothesis. A
    count of 0 is replaced by 0.001, as in fishtest.

    Raises:
        ValueError: there are not five counts, or a count is negative.
    """
    return _log_likelihood_ratio(sprt, tuple(pairs), games_per_trial=2) if pair_count(pairs) else 0.0


def game_log_likelihood_ratio(sprt: Sprt, wins: int, draws: int, losses: int) -> float:
    """Return the same for unpaired games.

    Raises:
        ValueError: a count is negative.
    """
    if game_count(wins, draws, losses) == 0:
        return 0.0
    return _log_likelihood_ratio(sprt, (losses, draws, wins), games_per_trial=1)


def sprt_verdict(sprt: Sprt, pairs: Pentanomial) -> Verdict:
    """Return the state of the test.

    Raises:
        ValueError: there are not five counts, or a count is negative.
    """
    return sprt.verdict(log_likelihood_ratio(sprt, pairs))


def is_below_h0(sprt: Sprt, pairs: Pentanomial) -> bool:
    """Return whether the 95% interval of the difference is below ``elo0``.

    Such a result speaks for H0 if a match ends before the test has a verdict. A test with few games allowed may not be
    able to have one, even if every game is lost.

    Raises:
        ValueError: there are not five counts, or a count is negative.
    """
    return pair_count(pairs) > 0 and estimated_below_h0(sprt, estimate_from_pairs(pairs))


def estimated_below_h0(sprt: Sprt, found: Estimate) -> bool:
    """Return the same for an estimate."""
    return (found.normalized_elo if sprt.model == "normalized" else found.elo).high < sprt.elo0


@lru_cache(maxsize=16)  # called with the same arguments several times after each game
def _log_likelihood_ratio(sprt: Sprt, counts: tuple[int, ...], games_per_trial: int) -> float:
    nonzero = _without_zeros(counts)
    jumps = likelihood_jumps(sprt, nonzero, games_per_trial)
    return sum(count * jump for count, jump in zip(nonzero, jumps, strict=True))


def _without_zeros(counts: Sequence[int]) -> list[float]:
    return [count or _COUNT_FOR_ZERO for count in counts]


def likelihood_jumps(sprt: Sprt, counts: Sequence[float], games_per_trial: int) -> list[float]:
    """Return what one more trial of each outcome adds to the LLR if the two most likely distributions do not change.

    The counts of trials by score are above 0.
    """
    shares = shares_of(counts)
    under_h0 = most_likely_under(sprt.model, sprt.elo0, shares, games_per_trial)
    under_h1 = most_likely_under(sprt.model, sprt.elo1, shares, games_per_trial)
    return [log(chance1 / chance0) for chance0, chance1 in zip(under_h0, under_h1, strict=True)]


def most_likely_under(model: EloModel, elo: float, shares: Sequence[float], games_per_trial: int) -> list[float]:
    """Return the most likely distribution of trials with a difference, for observed shares (see ``multinomial.py``)."""
    if model == "logistic":
        return most_likely_with_mean(shares, score_from_elo(elo))
    return most_likely_with_t_value(shares, t_value_of_normalized_elo(elo, games_per_trial))
