"""Moves as XBoard writes them."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from latrones_uci.game import MalformedMoveError, Move, quoted
from latrones_uci.game.encoding import is_path, path_of, square_of

_SQUARE = "[a-p](?:1[0-6]|[1-9])"
_PLACEMENT = re.compile(f"S@{_SQUARE}", re.ASCII)
_LEG = re.compile(f"({_SQUARE})({_SQUARE})", re.ASCII)
# XBoard reports the removal of a piece of the mover's own side as castling: "d7d5,e5c5" moves d7d5 and removes e5.
# The second target has no meaning and may even be outside the board.
_CASTLING = re.compile(rf"({_SQUARE})({_SQUARE}),({_SQUARE})[^,]+", re.ASCII)


class ToldMove(NamedTuple):
    """A move as XBoard sends it, with the names of squares.

    Attributes:
        text: the move in the notation of the other dialects.
        kills: the squares from which XBoard removes a piece on the way.
    """

    text: str
    kills: tuple[str, ...]


def parse_told_move(text: str) -> ToldMove:
    """Parse ``e5e4``, ``e5f4,f4e4``, ``e5f4,f4d4,d4e4``, ``d7d5,e5c5`` or ``S@e4``.

    Raises:
        MalformedMoveError: the text has another form.
    """
    if _PLACEMENT.fullmatch(text):
        return ToldMove(text, ())
    legs = [match for match in map(_LEG.fullmatch, text.split(",")) if match]
    if len(legs) == text.count(",") + 1 <= 3 and all(one[2] == other[1] for one, other in pairwise(legs)):
        kills = tuple(leg[2] for leg in legs[:-1])
        return ToldMove(legs[0][1] + legs[-1][2], kills)
    if match := _CASTLING.fullmatch(text):
        return ToldMove(match[1] + match[2], (match[3],))
    raise MalformedMoveError(f"{quoted(text)}: not a move; expected a form such as 'd1d5' or 'd1e5,e5d5'")


def render_told_move(text: str, kills: Sequence[str]) -> str:
    """Return a move as XBoard reads it: ``e5e4``, ``e5xf4-e4``, ``e5xf4xd4-e4``, ``S@e4``."""
    if not kills:
        return text
    leg = _LEG.fullmatch(text)
    assert leg  # a placement removes nothing
    return "x".join([leg[1], *kills]) + f"-{leg[2]}"


def ends_of(move: Move) -> tuple[int | None, int]:
    """Return the start square of a move of one leg (None for a placement) and its landing square."""
    if is_path(move):
        origin, target = path_of(move)
        return origin, target
    return None, square_of(move)
