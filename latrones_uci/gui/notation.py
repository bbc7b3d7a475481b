"""Moves as people write them: the notation of *Latrunculi XXI*.

A dux is ``D``, a soldier has no letter, squares are joined by ``-``, what is captured follows with ``x``: ``c8-c6xb6``,
``Dd2-d5xd6xe5``. The end of a move tells what it does: ``#`` it decides the game, ``+`` the man stands next to the
enemy dux, ``*`` it stands next to an enemy soldier, which it so locks.

Games that the notation was not made for are written alike: placements ``@d4`` and ``D@d4``, a kill ``xd5``, chains with
every square. Chosen: ``*`` is written only in games where soldiers lock each other.
"""

from latrones_uci.game import Game, Move, Position
from latrones_uci.game.moves import KILL, PLACE_DUX, is_path, kind_of, path_of, square_of


def render_notation(game: Game, ply: int) -> str:
    """The move number ``ply`` (from 0) of a game."""
    before, after, move = game.positions[ply], game.positions[ply + 1], game.moves[ply]
    return render_move(before, after, move) + _ending(before, after, move)


def render_move(before: Position, after: Position, move: Move) -> str:
    """A move and its captures, without what it does."""
    name = before.geometry.square_name
    if not is_path(move):
        return {KILL: "x", PLACE_DUX: "D@"}.get(kind_of(move), "@") + name(square_of(move))
    path = path_of(move)
    man = "D" if before.piece_at(path[0]) in "Dd" else ""
    captured = "".join(f"x{'D' if before.piece_at(square) in 'Dd' else ''}{name(square)}"
                       for square in captured_squares(before, after))
    return man + "-".join(map(name, path)) + captured


def captured_squares(before: Position, after: Position) -> list[int]:
    """From where the enemy's men are gone after a move of the player to move."""
    return [square for square in range(before.geometry.squares)
            if is_enemy(before, square, before.side) and not is_enemy(after, square, before.side)]


def is_enemy(position: Position, square: int, side: int) -> bool:
    """Whether a man of the opponent of ``side`` (0 White, 1 Black) stands on a square."""
    man = position.piece_at(square)
    return bool(man) and man.islower() == (side == 0)


def _ending(before: Position, after: Position, move: Move) -> str:
    if after.decided() is not None:
        return "#"
    if not is_path(move):
        return ""
    near = {after.piece_at(square) for square in neighbours(after, path_of(move)[-1])
            if is_enemy(after, square, before.side)}
    if near & {"D", "d"}:
        return "+"
    return "*" if near and before.ruleset.soldier_locks != "none" else ""


def neighbours(position: Position, square: int) -> list[int]:
    """The squares next to a square."""
    geometry = position.geometry
    if position.ruleset.board == "wheel":
        return _wheel_neighbours(position, square)
    return geometry.squares_of(geometry.near[square])


def _wheel_neighbours(position: Position, square: int) -> list[int]:
    """On the wheel: the centre, and the two beside it on the rim, which is the edge of the 3x3 board."""
    geometry = position.geometry
    if square == geometry.centre:
        return [other for other in range(geometry.squares) if other != square]
    return [geometry.centre, *(other for other in geometry.squares_of(geometry.near[square])
                               if other != geometry.centre)]
