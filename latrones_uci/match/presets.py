"""Presets of the sequential test: is one version stronger than another?

Bounds are in normalised Elo: the mean gain of a game measured in standard deviations of a game, times 800 / ln 10 (Van
den Bergh, "Normalized Elo for chess", 2020). The length of a test then depends only on its bounds and not on the draw
rate, so that one preset suits variants as different as latrones and rota.

By Wald's approximation (Sequential Tests of Statistical Hypotheses, 1945), a test with error probabilities of 5% takes
about 5.3 (347 / (elo1 - elo0))^2 games on average if the true difference is one of its bounds, and
8.7 (347 / (elo1 - elo0))^2 in the worst case, if it is in the middle: about 26,000 and 42,000 games for a width of 5,
and a ninth of that for a width of 15. The further the true difference is outside of the bounds, the shorter the test.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import quoted
from latrones_uci.match.serialize import parse_words
from latrones_uci.stats import Sprt

EloModel = Literal["normalized", "logistic"]


@dataclass(frozen=True)
class SprtPreset:
    """A sequential probability ratio test of a new version against the previous one."""

    name: str
    """Its name on the command line."""
    elo0: float
    """The gain under the null hypothesis H0."""
    elo1: float
    """The gain under the alternative hypothesis H1; the test passes if H1 is accepted."""
    alpha: float
    """The probability of accepting H1 if H0 is true."""
    beta: float
    """The probability of accepting H0 if H1 is true."""
    model: EloModel
    """The Elo model of the two gains."""
    against_itself: bool
    """Whether both sides are the same version."""
    purpose: str
    """When to use the preset, for help texts."""


# Most changes gain a few Elo. A narrower test would detect smaller gains, at a cost that grows with the square.
GAINER = SprtPreset("gainer", 0, 5, 0.05, 0.05, "normalized", False, "a change that should gain strength")

# For changes of tens of Elo: it takes a ninth of the games, but fails small gains.
LARGE_GAINER = SprtPreset(
    "large-gainer", 0, 15, 0.05, 0.05, "normalized", False, "a change that should gain much strength"
)

# The mirror image of the gainer: a simplification passes unless it loses as much as a gainer has to win.
NON_REGRESSION = SprtPreset(
    "non-regression", -5, 0, 0.05, 0.05, "normalized", False, "a simplification or fix that must not lose strength"
)

# The gainer test with a known answer. It is as wide as the one for large gains, because what it detects (a favoured
# side, an overloaded machine) has a large effect, and because a check must be cheap.
CONTROL = SprtPreset(
    "control", 0, 15, 0.05, 0.05, "normalized", True,
    "a check of the setup, not a time control: a version against itself; about 19 of 20 such tests fail unless the"
    " setup favours a side",
)  # fmt: skip

PRESETS = {preset.name: preset for preset in (GAINER, LARGE_GAINER, NON_REGRESSION, CONTROL)}


def find_preset(name: str) -> SprtPreset:
    """Return the preset of a name.

    Raises:
        SettingsError: there is no such preset.
    """
    try:
        return PRESETS[name]
    except KeyError:
        raise SettingsError(f"unknown preset {quoted(name)}; expected {', '.join(PRESETS)}") from None


def parse_sprt(words: Sequence[str]) -> Sprt:
    """Parse the bounds of a test, or the name of a preset and changes to it, such as ``gainer elo1=10``.

    Raises:
        SettingsError: the preset is unknown, or the bounds are malformed.
    """
    names = [word for word in words if "=" not in word]
    if not names:
        return parse_words(Sprt, words, "--sprt")
    preset = find_preset(names[0])
    if len(names) > 1:
        raise SettingsError(f"--sprt: {quoted(names[1])}: duplicate preset; expected KEY=VALUE after {names[0]!r}")
    changes = [word for word in words if "=" in word]
    changed = {word.partition("=")[0] for word in changes}
    kept = [f"{field.name}={getattr(preset, field.name)}" for field in fields(Sprt) if field.name not in changed]
    return parse_words(Sprt, [*kept, *changes], "--sprt")
