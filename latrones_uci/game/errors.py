"""Errors for invalid input: positions, moves, variants. Every message is one line and quotes the input."""

from typing import ClassVar


class LatronesError(ValueError):
    """Base class of all input errors; ``code`` is the error code printed after ``info string error``."""

    code: ClassVar[str] = "input"


class FenError(LatronesError):
    """A FEN that is malformed or not possible in the variant."""

    code = "fen"


class MalformedMoveError(LatronesError):
    """A string that does not have the form of a move."""

    code = "malformed-move"


class IllegalMoveError(LatronesError):
    """A well-formed move that is not legal in the position."""

    code = "illegal-move"


class VariantError(LatronesError):
    """An unknown variant, or a ruleset with unknown, missing or contradictory keys."""

    code = "variant"


class BoardSizeError(LatronesError):
    """A board size that is malformed or not allowed in the variant."""

    code = "board-size"
