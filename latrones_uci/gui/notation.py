"""Moves as people write them: the notation of *Latrunculi XXI*.

A dux is ``D``, a soldier has no letter, squares are joined by ``-``, what is captured follows with ``x``: ``c8-c6xb6``,
``Dd2-d5xd6xe5``. The end of a move tells what it does: ``#`` it decides the game, ``+`` the man stands next to the
enemy dux, ``*`` it stands next to an enemy soldier, which it so locks.

Games that the notation was not made for are written alike: placements ``@d4`` and ``D@d4``, a kill ``xd5``, chains with
every square. Chosen: ``*`` is written only in games where soldiers lock each other.
"""

from typing import Any

from latrones_uci.game import Game, PackedMove, Position
from latrones_uci.game.encoding import KILL, PLACE_DUX, is_path, kind_of, path_of, square_of


def render_notation(game: Game, ply: int) -> str:
    """The move number ``ply`` (from 0) of a game."""
    before, after, move = game.positions[ply], game.positions[ply + 1], game.moves[ply]
    return render_move(before, after, move) + _ending(before, after, move)


def render_move(before: Position, after: Position, move: PackedMove) -> str:
    """A move and its captures, without what it does."""
    name = before.geometry.square_name
    if not is_path(move):
        return {KILL: "x", PLACE_DUX: "D@"}.get(kind_of(move), "@") + name(square_of(move))
    path = path_of(move)
    man = "D" if before.piece_at(path[0]) in "Dd" else ""
    captured = "".join(f"x{'D' if before.piece_at(square) in 'Dd' else ''}{name(square)}"
                       for square in before.lifted(after))
    return man + "-".join(map(name, path)) + captured


def is_enemy(position: Position, square: int, side: int) -> bool:
    """Whether a man of the opponent of ``side`` (0 White, 1 Black) stands on a square."""
    man = position.piece_at(square)
    return bool(man) and man.islower() == (side == 0)


def _ending(before: Position, after: Position, move: PackedMove) -> str:
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


# ---------------------------------------------------------------- figures
# A position as the page draws it: men, legal moves, and which men are surrounded or cannot move.

Plain = dict[str, Any]


def men_of(position: Position) -> str:
    """A letter for each square by number, ``.`` for none."""
    return "".join(position.piece_at(square) or "." for square in range(position.geometry.squares))


def standing(position: Position) -> Plain:
    """Who stands where, what is in hand, who is to move, and all that as FEN."""
    return {"men": men_of(position), "hand": position.hand, "side": position.side, "fen": position.fen()}


def ply_figure(before: Position, after: Position, move: PackedMove) -> Plain:
    """A move made: its text, the ``path`` of squares to be marked, from where it lifted men, and what stands then."""
    return {**standing(after), "text": before.move_text(move), "path": squares_of(move),
            "captures": before.lifted(after)}


def squares_of(move: PackedMove) -> list[int]:
    """The squares along which a move goes, or the one where something is placed or lifted."""
    return path_of(move) if is_path(move) else [square_of(move)]


def legal_figures(position: Position) -> list[Plain]:
    """Each legal move with its text, and either the ``path``, the ``place`` of a man (``S`` or ``D``), or a ``kill``.

    ``captures`` are the squares from which it lifts men, ``jump`` tells whether its last leg goes over one.
    """
    if position.nocapture_reached or position.decided() is not None:
        return []
    return [_figure(position, move, after) for move, after in position.children()]


def _figure(position: Position, move: PackedMove, after: Position) -> Plain:
    text = position.move_text(move)
    if not is_path(move):
        square = square_of(move)
        if kind_of(move) == KILL:
            return {"text": text, "kill": square, "captures": [square]}
        return {"text": text, "place": "D" if kind_of(move) == PLACE_DUX else "S", "square": square}
    path = path_of(move)
    return {"text": text, "path": path, "captures": position.lifted(after),
            "jump": _leaps(position, path[-2], path[-1])}


def _leaps(position: Position, origin: int, target: int) -> bool:
    """Whether a man stands between two squares of a line."""
    if target in neighbours(position, origin):
        return False
    geometry = position.geometry
    ray = geometry.ray(origin, geometry.travel(origin, target))
    return any(position.piece_at(square) for square in ray[:ray.index(target)])


def surrounded(position: Position) -> list[int]:
    """The squares of men without an empty neighbour."""
    return [square for square in range(position.geometry.squares)
            if position.piece_at(square) and all(map(position.piece_at, neighbours(position, square)))]


def immobile(position: Position) -> list[int]:
    """The squares of men, of either side, that could not move if it were their side's turn.

    None while men are in hand, when nobody moves.
    """
    if position.hand or position.decided() is not None:
        return []
    free: set[int] = set()
    for one in (position, position.passed()):
        if one is not None:
            free |= {path_of(move)[0] for move in one.legal_moves() if is_path(move)}
    return [square for square in range(position.geometry.squares) if position.piece_at(square) and square not in free]
