"""Named tests of whether one version is stronger than another.

Bounds are in normalised Elo: the mean gain of a game measured in standard deviations of a game, times 800 / ln 10 (Van
den Bergh, "Normalized Elo for chess", 2020). How many games a test takes then depends on its bounds alone and not on
how many games of a kind are drawn, so that one preset serves games as different as latrones and rota.

By Wald's approximation (Sequential Tests of Statistical Hypotheses, 1945) a test with errors of 5% takes about
5.3 (347 / (elo1 - elo0))^2 games where the truth is one of its bounds, and 8.7 (347 / (elo1 - elo0))^2 where it lies
in the middle, which is the worst: a width of 5 costs about 26,000 and 42,000 games, one of 15 a ninth of that. The
further the truth lies outside, the sooner it ends.
"""

from dataclasses import dataclass
from typing import Literal

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import quoted

EloModel = Literal["normalized", "logistic"]


@dataclass(frozen=True)
class SprtPreset:
    """A sequential probability ratio test of a version against the one before.

    Attributes:
        name: by which the command line knows it.
        elo0: the null hypothesis: the gain of the version under test is this.
        elo1: the other hypothesis; acceptance of it is what "passed" means.
        alpha: the probability of accepting ``elo1`` where ``elo0`` holds.
        beta: the probability of accepting ``elo0`` where ``elo1`` holds.
        model: what the two are measured in.
        against_itself: whether both sides are the same version.
        purpose: when to take it, for help texts.
    """

    name: str
    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: EloModel
    against_itself: bool
    purpose: str


# Most changes bring a few Elo; a narrower test would see even smaller ones, at a cost that grows with the square.
GAINER = SprtPreset("gainer", 0, 5, 0.05, 0.05, "normalized", False, "a change that is meant to play better")

# For as long as changes bring tens of Elo: a ninth of the games, but small gains are turned away.
LARGE_GAINER = SprtPreset(
    "large-gainer", 0, 15, 0.05, 0.05, "normalized", False, "a change that is meant to play much better"
)

# The mirror image of the gainer: what is simpler may stay unless it loses as much as a gain would have had to bring.
NON_REGRESSION = SprtPreset(
    "non-regression", -5, 0, 0.05, 0.05, "normalized", False, "a simplification, or a repair, that must not play worse"
)

# The gainer's question where its answer is known. It is as wide as that for a large gain, for what it looks for (a side
# that is favoured, a machine that is too busy) is no small thing, and a check has to be cheap to be run at all.
CONTROL = SprtPreset(
    "control", 0, 15, 0.05, 0.05, "normalized", True,
    "a version against itself: all but one in twenty such tests must fail, or the setup favours a side",
)  # fmt: skip

PRESETS = {preset.name: preset for preset in (GAINER, LARGE_GAINER, NON_REGRESSION, CONTROL)}


def find_preset(name: str) -> SprtPreset:
    """The preset of that name.

    Raises:
        SettingsError: there is none.
    """
    try:
        return PRESETS[name]
    except KeyError:
        raise SettingsError(f"preset {quoted(name)} is none of {', '.join(PRESETS)}") from None
