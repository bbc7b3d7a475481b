"""Openings: positions from which the engines play."""

from dataclasses import dataclass

from latrones_uci.game import Position


@dataclass(frozen=True)
class RandomOpenings:
    """A number of random legal moves from the start of the game."""

    plies: int


@dataclass(frozen=True)
class ListedOpenings:
    """Positions to be taken in turn, from the first again after the last; not empty, none finished.

    Attributes:
        positions: the positions.
        lines: for each the texts of the moves from the start of the game to it, None where they are not known; empty
            if none are.
    """

    positions: tuple[Position, ...]
    lines: tuple[tuple[str, ...] | None, ...] = ()


Openings = RandomOpenings | ListedOpenings


@dataclass(frozen=True)
class Opening:
    """Where a game begins.

    Attributes:
        position: the position.
        moves: the texts of the moves from the start of the game to it, None where they are not known.
    """

    position: Position
    moves: tuple[str, ...] | None = None
