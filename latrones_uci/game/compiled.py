"""The compiled rules of a game on a board, shared by all its positions."""

from functools import lru_cache

from latrones_uci.game.geometry import geometry_of
from latrones_uci.game.rules import Rules
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.game.wheel import WheelRules


@lru_cache(maxsize=32)
def rules_of(ruleset: Ruleset, files: int, ranks: int) -> Rules:
    """The rules, made once.

    Raises:
        BoardSizeError: the game does not allow the size.
    """
    kind = WheelRules if ruleset.board == "wheel" else Rules
    return kind(ruleset, geometry_of(files, ranks))
