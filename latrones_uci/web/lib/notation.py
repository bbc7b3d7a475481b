"""Moves of a game in the notation for people, and positions and moves as JSON data for the page."""

from typing import Any

from latrones_uci.game import Game, Move, Position
from latrones_uci.game.position import algebraic_text
from latrones_uci.words.reasons import neighbours


def render_notation(game: Game, ply: int) -> str:
    """Return ply number ``ply`` (from 0) of a game in notation."""
    return algebraic_text(game.positions[ply], game.positions[ply + 1], game.moves[ply])


# ---------------------------------------------------------------- JSON data

Json = dict[str, Any]


def pieces_of(position: Position) -> str:
    """Return the pieces as one letter per square, in the order of square numbers; ``.`` is an empty square."""
    return "".join(position.piece_at(square) or "." for square in range(position.geometry.squares))


def position_data(position: Position) -> Json:
    return {"men": pieces_of(position), "hand": position.hand, "side": position.side, "fen": position.fen()}


def ply_data(before: Position, after: Position, move: Move) -> Json:
    """Return a played move: its text, the ``path`` of squares to mark, its captures, and the position after it."""
    return {**position_data(after), "text": move, "path": list(move.squares),
            "captures": before.lifted(after)}


def legal_move_data(position: Position) -> list[Json]:
    """Return each legal move with its text, and ``path``, ``place`` (a piece, ``S`` or ``D``), ``kill`` or ``pass``.

    ``captures`` are the squares of captured pieces, and ``jump`` is True if the last leg jumps over a piece; a large
    board has hundreds of moves, so both are left out where there is nothing to say.
    """
    if position.nocapture_reached or position.decided() is not None:
        return []
    ruleset = position.ruleset
    pieces = pieces_of(position) if ruleset.soldier_jump != "none" or ruleset.dux_jump != "none" else ""
    return [_move_data(position, pieces, move, after) for move, after in position.children()]


def _move_data(position: Position, pieces: str, move: Move, after: Position) -> Json:
    match move.kind, list(move.squares):
        case "pass", _:
            return {"text": move, "pass": True, "captures": []}
        case "kill", [square]:
            return {"text": move, "kill": square, "captures": [square]}
        case "placement", [square]:
            return {"text": move, "place": move[0], "square": square}
    path, captures = list(move.squares), position.lifted(after)
    data: Json = {"text": move, "path": path}
    if captures:
        data["captures"] = captures
    if pieces and _leaps(pieces, position.geometry.files, path[-2], path[-1]):
        data["jump"] = True
    return data


def _leaps(pieces: str, files: int, origin: int, target: int) -> bool:
    """Return whether there is a piece between two squares of a line, or of a diagonal of more than one step."""
    across, up = target % files - origin % files, target // files - origin // files
    steps = max(abs(across), abs(up))
    if across and up:
        return abs(across) > 1
    way = (target - origin) // steps
    return any(pieces[origin + way * step] != "." for step in range(1, steps))


def surrounded(position: Position) -> list[int]:
    """Return the squares of pieces without an empty neighbour."""
    return [square for square in range(position.geometry.squares)
            if position.piece_at(square) and all(map(position.piece_at, neighbours(position, square)))]


def immobile(position: Position) -> list[int]:
    """Return the squares of pieces, of either side, that could not move if it were their side's turn.

    The list is empty while pieces are in hand, because no piece moves then.
    """
    if position.hand or position.decided() is not None:
        return []
    free: set[int] = set()
    for one in (position, position.passed()):
        if one is not None:
            free |= {move.squares[0] for move in one.legal_moves() if len(move.squares) > 1}
    return [square for square in range(position.geometry.squares) if square not in free and position.piece_at(square)]
