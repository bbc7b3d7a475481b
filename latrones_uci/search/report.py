"""What a search is asked for and what it says, as values. Both kernels use these."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from latrones_uci.game import Move

MAX_PLY = 100


@dataclass(frozen=True)
class Score:
    """A score, seen from the player to move.

    Attributes:
        cp: centi-soldiers; None when the score is a proven win or loss.
        mate: turns of the winner until the game is won, positive when the player to move wins,
            negative when it loses; 0 when it loses without another turn of the other side.
        bound: "" exact, ``lower`` the true score is at least this, ``upper`` at most.
    """

    cp: int | None
    mate: int | None
    bound: Literal["", "lower", "upper"] = ""


@dataclass(frozen=True)
class Info:
    """The state of a search after an iteration, or after a window failed.

    Attributes:
        depth, seldepth: nominal depth, greatest ply reached.
        multipv: rank of the line, from 1.
        score: of the line.
        nodes: positions entered by making a move, so far.
        hashfull: entries of this search in the transposition table, per mille.
        pv: the line.
    """

    depth: int
    seldepth: int
    multipv: int
    score: Score
    nodes: int
    hashfull: int
    pv: tuple[Move, ...]


@dataclass(frozen=True)
class CurrentMove:
    """The root move now searched; ``number`` counts from 1."""

    depth: int
    move: Move
    number: int


@dataclass(frozen=True)
class Task:
    """What bounds a search, time apart.

    Attributes:
        depth: greatest depth, 1..MAX_PLY.
        nodes: most nodes, None for no bound.
        mate: stop when a win in so many turns is proven, None for no such aim.
        multipv: number of lines.
        root_moves: the moves to choose from, not empty.
    """

    root_moves: tuple[Move, ...]
    depth: int = MAX_PLY
    nodes: int | None = None
    mate: int | None = None
    multipv: int = 1


@dataclass(frozen=True)
class Progress:
    """How a search stands between two iterations.

    Attributes:
        steady: iterations for which the best move has not changed.
        settled: the best line is a win or loss proven within the depth searched, so that going
            deeper cannot better it.
    """

    steady: int
    settled: bool


Report = Callable[[Info | CurrentMove], None]


@dataclass(frozen=True)
class Outcome:
    """What a search found: the move to play, and the reply it expects if it knows one."""

    move: Move
    ponder: Move | None
    nodes: int
