"""A position as the page draws it: men, legal moves, and which men are surrounded or cannot move."""

from typing import Any

from latrones_uci.game import LatronesError, Move, Position
from latrones_uci.game.moves import KILL, PLACE_DUX, is_path, kind_of, path_of, square_of
from latrones_uci.gui.notation import captured_squares, neighbours

Plain = dict[str, Any]


def men_of(position: Position) -> str:
    """A letter for each square by number, ``.`` for none."""
    return "".join(position.piece_at(square) or "." for square in range(position.geometry.squares))


def standing(position: Position) -> Plain:
    """Who stands where, what is in hand, who is to move, and all that as FEN."""
    return {"men": men_of(position), "hand": position.hand, "side": position.side, "fen": position.fen()}


def ply_figure(before: Position, after: Position, move: Move) -> Plain:
    """A move made: its text, the ``path`` of squares to be marked, from where it lifted men, and what stands then."""
    return {**standing(after), "text": before.move_text(move), "path": squares_of(move),
            "captures": captured_squares(before, after)}


def squares_of(move: Move) -> list[int]:
    """The squares along which a move goes, or the one where something is placed or lifted."""
    return path_of(move) if is_path(move) else [square_of(move)]


def legal_figures(position: Position) -> list[Plain]:
    """Each legal move with its text, and either the ``path``, the ``place`` of a man (``S`` or ``D``), or a ``kill``.

    ``captures`` are the squares from which it lifts men, ``jump`` tells whether its last leg goes over one.
    """
    if position.nocapture_reached or position.decided() is not None:
        return []
    return [_figure(position, move, after) for move, after in position.children()]


def _figure(position: Position, move: Move, after: Position) -> Plain:
    text = position.move_text(move)
    if not is_path(move):
        square = square_of(move)
        if kind_of(move) == KILL:
            return {"text": text, "kill": square, "captures": [square]}
        return {"text": text, "place": "D" if kind_of(move) == PLACE_DUX else "S", "square": square}
    path = path_of(move)
    return {"text": text, "path": path, "captures": captured_squares(position, after),
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
    for one in (position, _turned(position)):
        if one is not None:
            free |= {path_of(move)[0] for move in one.legal_moves() if is_path(move)}
    return [square for square in range(position.geometry.squares) if position.piece_at(square) and square not in free]


def _turned(position: Position) -> Position | None:
    """The position with the other side to move; None where there cannot be such a one."""
    board, side, *counters = position.fen().split()
    try:
        return Position.from_fen(position.ruleset, " ".join([board, "b" if side == "w" else "w", *counters]))
    except LatronesError:
        return None
