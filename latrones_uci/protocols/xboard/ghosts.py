"""Ghosts: captured pieces that XBoard still shows.

With one move, XBoard removes at most two pieces from squares where the moving piece does not land. It writes them as
squares on the way: ``e5xf4xd4-e4`` removes the pieces on f4 and d4 and moves from e5 to e4. Any further captured piece
stays on XBoard's board, as a ghost, until one of the next moves of either side removes it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from latrones_uci.game import BLACK, IllegalMoveError, Move, Position
from latrones_uci.protocols.xboard.moves import ends_of

MOST_KILLS = 2


class Ghost(NamedTuple):
    """A captured piece that XBoard still shows.

    Attributes:
        square: where XBoard shows it.
        man: its letter in the FEN.
    """

    square: int
    man: str

    @property
    def side(self) -> int:
        """The player who owned the piece."""
        return BLACK if self.man.islower() else 1 - BLACK


class Removal(NamedTuple):
    """What a move removes from XBoard's board, apart from a piece on the landing square.

    Attributes:
        kills: squares, in the order in which they are sent to XBoard.
        owed: the ghosts that remain.
    """

    kills: tuple[int, ...]
    owed: tuple[Ghost, ...]


def plan_removal(position: Position, move: Move, owed: Sequence[Ghost]) -> Removal:
    """Choose what a move removes: a captured dux, then existing ghosts, oldest first, then other captured pieces.

    If the last of two kills is a piece of the mover's own side, XBoard does not report the first kill to the other
    engine. Therefore at most one kill is such a piece, and it comes first.

    Args:
        position: the position before the move.
        move: a legal move.
        owed: the ghosts before the move; a ghost on the landing square disappears by itself.
    """
    waiting = _waiting(position, move, owed)
    own = [ghost for ghost in waiting if ghost.side == position.side][:1]
    others = [ghost for ghost in waiting if ghost.side != position.side]
    killed = [*own, *others][:MOST_KILLS]
    return Removal(tuple(ghost.square for ghost in killed), tuple(ghost for ghost in waiting if ghost not in killed))


def removal_as_told(position: Position, move: Move, owed: Sequence[Ghost], kills: Sequence[int]) -> Removal:
    """Return what a move removes when XBoard names the kills. Arguments are as for ``plan_removal``.

    Raises:
        IllegalMoveError: there is no captured piece on one of the squares.
    """
    waiting = _waiting(position, move, owed)
    if not set(kills) <= {ghost.square for ghost in waiting}:
        raise IllegalMoveError("the move removes a piece that is not captured")
    return Removal(tuple(kills), tuple(ghost for ghost in waiting if ghost.square not in kills))


def _waiting(position: Position, move: Move, owed: Sequence[Ghost]) -> list[Ghost]:
    """Return all that a move should remove. A dux comes first: its capture ends the game, so no move follows."""
    _, target = ends_of(move)
    captured = [Ghost(square, position.piece_at(square)) for square in position.captures(move)]
    older = [ghost for ghost in owed if ghost.square != target]
    return sorted([*older, *captured], key=lambda ghost: ghost.man not in "Dd")


def shown_men(position: Position, owed: Sequence[Ghost]) -> list[str]:
    """Return the letter of the piece that XBoard shows on each square, "" for none."""
    men = [position.piece_at(square) for square in range(position.geometry.squares)]
    for ghost in owed:
        men[ghost.square] = ghost.man
    return men
