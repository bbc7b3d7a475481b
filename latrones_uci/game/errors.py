"""What can be wrong with a text or a move. Every message is one line and quotes the input."""

from typing import ClassVar

_QUOTE_LIMIT = 120


class LatronesError(ValueError):
    """Base of all errors about input; ``code`` is the word printed after ``info string error``."""

    code: ClassVar[str] = "input"


class FenError(LatronesError):
    """A position text that is malformed or that the game does not allow."""

    code = "fen"


class MalformedMoveError(LatronesError):
    """A text that has none of the forms of a move."""

    code = "malformed-move"


class IllegalMoveError(LatronesError):
    """A move, well-formed, that is not legal in the position."""

    code = "illegal-move"


class VariantError(LatronesError):
    """An unknown game, or a ruleset with unknown, missing or contradictory keys."""

    code = "variant"


class BoardSizeError(LatronesError):
    """A board size that is malformed or that the game does not allow."""

    code = "board-size"


def quoted(text: str) -> str:
    """Returns ``text`` in quotes, on one line, cut to a length that a terminal can show."""
    kept = text[:_QUOTE_LIMIT]
    while len(repr(kept)) > _QUOTE_LIMIT + 2:  # a character that is escaped takes up to ten
        kept = kept[: len(kept) * 9 // 10]
    return repr(text) if kept == text else f"{kept!r}... ({len(text)} characters)"
