"""A slow, obviously right board, for the tests to compare the program with.

Written from the text of the rules alone: dictionaries of squares and plain loops. It shares nothing with the package
that it checks, and is meant to be read beside the rules, not to be fast.

`board` holds a position and its text, `game` what all games have in common. `Described` is every game on squares that
a ruleset can describe, its rules switched by the values of a plain dict; `Wheel` is rota. `GAMES` lists the games by
name.
"""

from naive.board import (
    BLACK,
    WHITE,
    Board,
    Hand,
    Square,
    in_hand,
    other,
    owner,
    parse,
    render,
    square_name,
    squares_in,
)
from naive.described import Described
from naive.fields import DEFAULTS, EXAMPLES, FIELDS
from naive.game import Game
from naive.wheel import Wheel

GAMES: dict[str, Game] = {name: Described(name, fields) for name, fields in FIELDS.items()} | {"rota": Wheel()}

__all__ = [
    "BLACK",
    "DEFAULTS",
    "EXAMPLES",
    "FIELDS",
    "GAMES",
    "WHITE",
    "Board",
    "Described",
    "Game",
    "Hand",
    "Square",
    "Wheel",
    "in_hand",
    "other",
    "owner",
    "parse",
    "render",
    "square_name",
    "squares_in",
]
