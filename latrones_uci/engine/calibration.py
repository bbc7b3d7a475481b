"""Measurements for each game, read from ``levels.toml``: the ladder of levels, and the model of results.

``scripts/calibrate.py`` writes that file. A game that is not in it uses the values of the game in it with the most
similar rules.
"""

import dataclasses
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import exp
from operator import mul
from pathlib import Path
from typing import Any

from latrones_uci.game import Position, Ruleset, builtin_variants
from latrones_uci.game.encoding import men_of
from latrones_uci.game.ruleset import keys_of
from latrones_uci.text.protocol import Score

LEVELS = 20
"""Number of levels below full strength, from 0."""
MAX_STRENGTH = 100.0
_FILE = "levels.toml"
_STEEPEST = 30.0
_MAX_EXPONENT = 20.0


@dataclass(frozen=True)
class GameLevels:
    """The levels of a game."""

    game: str
    """The game for which the levels were measured."""
    strengths: tuple[float, ...]
    """The strength of each level, ascending, from 0 to ``MAX_STRENGTH``."""
    ratings: tuple[float, ...]
    """The rating of each level, ascending; random play is rated 0."""

    def __post_init__(self) -> None:
        """Raise ValueError unless the values ascend and there is one for each level."""
        for values in (self.strengths, self.ratings):
            if len(values) != LEVELS or any(low >= high for low, high in pairwise(values)):
                raise ValueError(f"{self.game}: expected {LEVELS} ascending numbers, not {values}")
        if not 0 <= self.strengths[0] <= self.strengths[-1] <= MAX_STRENGTH:
            raise ValueError(f"{self.game}: strengths outside 0..{MAX_STRENGTH}: {self.strengths}")

    def strength_of_rating(self, rating: float) -> float:
        """Return the strength at a rating, interpolated between levels; outside, that of the nearest level."""
        above = bisect_right(self.ratings, rating)
        if above in (0, LEVELS):
            return self.strengths[min(above, LEVELS - 1)]
        low, high = self.ratings[above - 1], self.ratings[above]
        share = (rating - low) / (high - low)
        return self.strengths[above - 1] * (1 - share) + self.strengths[above] * share


@dataclass(frozen=True)
class ResultModel:
    """The chances of the results at a score, for two players of equal strength.

    A score s, in centi-soldiers for the player to move, wins with probability 1 / (1 + exp((a - s) / b)) and loses with
    probability 1 / (1 + exp((a + s) / b)); the rest are draws. The logarithms of a and b are each the sum of a
    constant, a coefficient times m, and a coefficient times n squared; m is the share of men left, and n is the share
    of the no-capture limit that has passed.
    """

    game: str
    """The game for which the model was fitted."""
    draw: tuple[float, float, float]
    """Constant and coefficients of ln a."""
    spread: tuple[float, float, float]
    """Constant and coefficients of ln b."""

    def chances(self, score_centi: float, men: float, nocapture: float) -> tuple[float, float, float]:
        """Return the chances of a win, a draw and a loss for a score and the two shares."""
        features = (1.0, men, nocapture * nocapture)
        a, b = (
            exp(max(-_MAX_EXPONENT, min(_MAX_EXPONENT, sum(map(mul, weights, features)))))
            for weights in (self.draw, self.spread)
        )
        win, loss = _logistic((score_centi - a) / b), _logistic((-score_centi - a) / b)
        return win, max(0.0, 1 - win - loss), loss

    def per_mille(self, score: Score, men: float, nocapture: float) -> tuple[int, int, int] | None:
        """Return the chances in thousandths, which add up to 1000; None if the score is unknown.

        A proven result gets 1000.
        """
        if score.mate is not None:
            return (1000, 0, 0) if score.mate > 0 else (0, 0, 1000)
        if score.cp is None:
            return None
        win, _, loss = self.chances(score.cp, men, nocapture)
        wins, losses = round(1000 * win), round(1000 * loss)
        return wins, 1000 - wins - losses, losses


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-_STEEPEST, min(_STEEPEST, value))))


def shares(position: Position) -> tuple[float, float]:
    """Return the share of men left, including men in hand, and the share of the no-capture limit that has passed."""
    ruleset, geometry = position.ruleset, position.geometry
    limit = ruleset.nocapture_limit
    passed = position.nocapture / limit if limit else 0.0
    men = men_of(position.board, geometry) / _men_at_start(ruleset, geometry.files, geometry.ranks)
    return min(1.0, men), min(1.0, passed)


@lru_cache(maxsize=32)
def _men_at_start(ruleset: Ruleset, files: int, ranks: int) -> int:
    start = Position.start(ruleset, (files, ranks))
    return men_of(start.board, start.geometry)


# ---------------------------------------------------------------- the file


def levels_of(ruleset: Ruleset) -> GameLevels:
    """Return the levels of a game, or of the most similar game."""
    ladders, _ = _calibration()
    return ladders[nearest(ruleset, tuple(ladders))]


def result_model_of(ruleset: Ruleset) -> ResultModel:
    """Return the result model of a game, or of the most similar game."""
    _, models = _calibration()
    return models[nearest(ruleset, tuple(models))]


@lru_cache(maxsize=64)
def nearest(ruleset: Ruleset, known: tuple[str, ...]) -> str:
    """Return the built-in game among ``known`` with the most rules in common with a game; prefer the game itself.

    A game on the wheel, which is solved, is not similar to any other game.
    """
    builtin = builtin_variants()
    if builtin.get(ruleset.name) == ruleset and ruleset.name in known:
        return ruleset.name
    keys = [each.name for each in dataclasses.fields(ruleset) if each.name not in keys_of("words", "size")]

    def alike(name: str) -> int:
        return sum(getattr(builtin[name], key) == getattr(ruleset, key) for key in keys)

    same_board = [name for name in known if builtin[name].board == ruleset.board]
    return max(same_board or known, key=alike)


def parse_calibration(text: str) -> tuple[dict[str, GameLevels], dict[str, ResultModel]]:
    """Return the levels and the models of a file by game. Raises ValueError: the file is malformed."""
    data: Mapping[str, Any] = tomllib.loads(text)
    ladders = {
        name: GameLevels(name, tuple(entry["strengths"]), tuple(entry["ratings"]))
        for name, entry in data["levels"].items()
    }
    models = {name: ResultModel(name, tuple(entry["draw"]), tuple(entry["spread"]))
              for name, entry in data["results"].items()}
    return ladders, models


@cache
def _calibration() -> tuple[dict[str, GameLevels], dict[str, ResultModel]]:
    return parse_calibration(Path(__file__).with_name(_FILE).read_text(encoding="utf-8"))
