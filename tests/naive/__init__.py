"""A slow, simple implementation of the rules, with which the tests compare the program.

It is written only from the text of the rules, with dictionaries of squares and plain loops. It shares no code with the
package, and is meant to be read next to the rules, not to be fast.

`board` contains positions and their text, `game` the common parts of all variants. `Described` is any variant on a
grid, configured by a plain dict; `Wheel` is rota. `GAMES` lists the variants by name,
`EXAMPLE_GAMES` those of docs/examples.
"""

from naive.board import BLACK, WHITE, Board, Hand, Square, other, parse, render, square_name, squares_in
from naive.described import Described
from naive.fields import DEFAULTS, EXAMPLES, FIELDS
from naive.game import Game
from naive.wheel import Wheel

GAMES: dict[str, Game] = {name: Described(name, fields) for name, fields in FIELDS.items()} | {"rota": Wheel()}
EXAMPLE_GAMES: dict[str, Game] = {name: Described(name, fields) for name, fields in EXAMPLES.items()}

__all__ = [
    "BLACK", "DEFAULTS", "EXAMPLES", "EXAMPLE_GAMES", "FIELDS", "GAMES", "WHITE", "Board", "Described", "Game", "Hand",
    "Square", "Wheel", "other", "parse", "render", "square_name", "squares_in",
]
