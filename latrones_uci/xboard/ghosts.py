"""What XBoard shows: its board has the men of the position, and *ghosts*, men captured that it could not yet remove.

With one move XBoard removes at most two men from squares where the mover does not land. Its words for them are the
squares passed on the way: ``e5xf4xd4-e4`` takes the men of f4 and d4 off and moves from e5 to e4. What is captured
beyond that stays on its board until a following move of either side removes it as well.
"""

from collections.abc import Sequence
from typing import NamedTuple

from latrones_uci.game import BLACK, IllegalMoveError, Move, Position
from latrones_uci.xboard.moves import ends_of

MOST_KILLS = 2


class Ghost(NamedTuple):
    """A man that is captured.

    Attributes:
        square: where XBoard shows it.
        man: its letter in the FEN.
    """

    square: int
    man: str

    @property
    def side(self) -> int:
        """The player whose man it was."""
        return BLACK if self.man.islower() else 1 - BLACK


class Removal(NamedTuple):
    """What a move takes off XBoard's board besides what stands where it lands.

    Attributes:
        kills: squares, in the order in which XBoard is told.
        owed: the ghosts that stay.
    """

    kills: tuple[int, ...]
    owed: tuple[Ghost, ...]


def plan_removal(position: Position, move: Move, owed: Sequence[Ghost]) -> Removal:
    """Chooses what a move removes: a captured dux, then the ghosts owed, the oldest first, then the other captives.

    Where the last of two kills is a man of the mover's own side, XBoard does not tell the other engine of the first
    one; hence at most one kill is such a man, and it is the first of two.

    Args:
        position: before the move.
        move: legal there.
        owed: the ghosts before the move; one where the move lands vanishes by itself.
    """
    waiting = _waiting(position, move, owed)
    own = [ghost for ghost in waiting if ghost.side == position.side][:1]
    others = [ghost for ghost in waiting if ghost.side != position.side]
    killed = [*own, *others][:MOST_KILLS]
    return Removal(tuple(ghost.square for ghost in killed), tuple(ghost for ghost in waiting if ghost not in killed))


def removal_as_told(position: Position, move: Move, owed: Sequence[Ghost], kills: Sequence[int]) -> Removal:
    """What a move removes, where XBoard names the squares that it kills on; the rest is as for ``plan_removal``.

    Raises:
        IllegalMoveError: one of them holds no man that is captured.
    """
    waiting = _waiting(position, move, owed)
    if not set(kills) <= {ghost.square for ghost in waiting}:
        raise IllegalMoveError("what it removes is not captured")
    return Removal(tuple(kills), tuple(ghost for ghost in waiting if ghost.square not in kills))


def _waiting(position: Position, move: Move, owed: Sequence[Ghost]) -> list[Ghost]:
    """All that a move would have to remove: a dux first, whose capture ends the game, so that nothing could follow."""
    _, target = ends_of(move)
    captured = [Ghost(square, position.piece_at(square)) for square in position.captures(move)]
    older = [ghost for ghost in owed if ghost.square != target]
    return sorted([*older, *captured], key=lambda ghost: ghost.man not in "Dd")


def shown_men(position: Position, owed: Sequence[Ghost]) -> list[str]:
    """The letter of the man that XBoard shows on each square, "" for none."""
    men = [position.piece_at(square) for square in range(position.geometry.squares)]
    for ghost in owed:
        men[ghost.square] = ghost.man
    return men
