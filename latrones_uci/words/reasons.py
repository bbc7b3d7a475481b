"""Why a move is not legal, in words.

The rules themselves are asked: if the move becomes legal once a single rule is lifted, that rule is the reason. What is
left are the geometry of moves, placements and captures of bound soldiers, and the turn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from latrones_uci.game.encoding import PLACE_DUX, SIDE_NAMES, PackedMove, is_path, kind_of, path_of, square_of
from latrones_uci.game.errors import LatronesError
from latrones_uci.game.position import Position

PIECE_NAMES = {"S": "soldier", "D": "dux", "B": "bound soldier"}


@dataclass(frozen=True)
class _Ban:
    """A rule that forbids moves: its key, and the value that forbids nothing."""

    key: str
    value: object


# In the order in which they are named when several forbid a move.
_BANS = (_Ban("soldier_locks", "none"), _Ban("dux_locks", "none"), _Ban("jump_must_capture", False),
          _Ban("enter_between", "allowed"), _Ban("blocking_own_dux", "allowed"))


def piece_name(position: Position, square: int) -> str:
    piece = position.piece_at(square)
    colour = "black" if piece.islower() else "white"
    return f"the {colour} {PIECE_NAMES[piece.upper()]} on {position.geometry.square_name(square)}"


def reason_against(position: Position, origin: int | None, target: int) -> str:
    """Return why no legal move leads from ``origin`` to ``target``, as one sentence.

    Args:
        position: the position, in which the game is not over.
        origin: the square of the chosen piece; None if none is chosen, and ``target`` was to be chosen, placed on or
            captured.
        target: the square.
    """
    if position.hand:
        text = _against_placement(position, target)
    elif origin is None or origin == target:
        text = _against_piece(position, target)
    else:
        text = _against_move(position, origin, target)
    return text[0].upper() + text[1:]


def _against_placement(position: Position, target: int) -> str:
    geometry, side = position.geometry, position.side
    name = geometry.square_name(target)
    letter = "D" if any(kind_of(move) == PLACE_DUX for move in position.packed_moves) else "S"
    what = PIECE_NAMES[letter]
    if position.piece_at(target):
        placing = "all pieces are placed before one moves; " if not is_enemy(position, target, side) else ""
        return f"{placing}square {name} is occupied; place a {what} on an empty square."
    if any(not is_path(move) and square_of(move) == target for move in position.packed_moves):
        return f"choose the {what} in hand first."
    if position.ruleset.barred == "centre" and target == geometry.centre:
        return f"nothing may be placed on the central square {name}."
    return f"{SIDE_NAMES[side]} has no piece to place."


def _against_piece(position: Position, square: int) -> str:
    piece, side, ruleset = position.piece_at(square), position.side, position.ruleset
    if not piece:
        return f"square {position.geometry.square_name(square)} is empty; choose a piece of {SIDE_NAMES[side]} first."
    if is_enemy(position, square, side):
        if ruleset.capture_effect == "bind":
            return f"{piece_name(position, square)} is not bound, and only bound soldiers are captured."
        return f"it is {SIDE_NAMES[side]}'s turn, and {piece_name(position, square)} is {SIDE_NAMES[1 - side]}'s."
    if piece in "Bb":
        return f"{piece_name(position, square)} cannot move: {_binders(position, square)}."
    if any(path_of(move)[0] == square for move in _paths(position)):
        return f"{piece_name(position, square)} can move; choose it, then a marked square."
    bans = _bans_of(position)
    for ban in bans:
        if any(path_of(move)[0] == square for move in _paths(_without(position, [ban]))):
            return _because(position, ban, square, None)
    if len(bans) > 1 and any(path_of(move)[0] == square for move in _paths(_without(position, bans))):
        return f"no move of {piece_name(position, square)} is legal: it is held, or would shut in its own dux."
    return f"{piece_name(position, square)} is blocked: there is no square that it can go to."


def _against_move(position: Position, origin: int, target: int) -> str:
    def leads(bans: Iterable[_Ban]) -> bool:
        return any(_goes(path_of(move), origin, target) for move in _paths(_without(position, bans)))

    rules = _bans_of(position)
    for ban in rules if leads(rules) else ():
        if leads([ban]) or not leads([other for other in rules if other is not ban]):
            return _because(position, ban, origin, target)
    geometry, name = position.geometry, position.geometry.square_name(target)
    if position.piece_at(target):
        if not is_enemy(position, target, position.side):
            return f"square {name} is occupied by a piece of the same side."
        if position.ruleset.goal == "line":
            return f"square {name} is occupied, and nothing is captured in this game."
        return f"square {name} is occupied; a piece is captured by surrounding it, not by moving onto it."
    piece = position.piece_at(origin).upper()
    kind, way = PIECE_NAMES[piece], position.ruleset.dux_move if piece == "D" else position.ruleset.soldier_move
    if position.ruleset.board == "wheel":
        return f"squares {geometry.square_name(origin)} and {name} are not connected by a line of the wheel."
    if target in neighbours(position, origin):
        return f"{piece_name(position, origin)} cannot go to {name} now."
    files = geometry.files
    straight = origin % files == target % files or origin // files == target // files
    if way == "step":
        jumps = position.ruleset.dux_jump if piece == "D" else position.ruleset.soldier_jump
        also = ", or jumps over an adjacent enemy to the empty square behind it" if jumps != "none" else ""
        return f"a {kind} moves one square along a rank or file{also}; {name} is out of its reach."
    if not straight:
        return f"a {kind} moves along a rank or file, and {name} is on neither."
    between = geometry.ray(origin, geometry.travel(origin, target))
    blocker = next((square for square in between[: between.index(target)] if position.piece_at(square)), None)
    if blocker is not None:
        return f"{piece_name(position, blocker)} is in the way."
    return f"{piece_name(position, origin)} cannot go to {name} now."


def _goes(path: list[int], origin: int, target: int) -> bool:
    return path[0] == origin and target in path[1:]


def _bans_of(position: Position) -> list[_Ban]:
    return [ban for ban in _BANS if getattr(position.ruleset, ban.key) != ban.value]


def _without(position: Position, bans: Iterable[_Ban]) -> Position:
    changes: dict[str, Any] = {ban.key: ban.value for ban in bans}
    try:
        return Position.from_fen(replace(position.ruleset, **changes), position.fen())
    except LatronesError:  # the rules do not go together
        return position


def _paths(position: Position) -> list[PackedMove]:
    return [move for move in position.packed_moves if is_path(move)]


def _because(position: Position, ban: _Ban, origin: int, target: int | None) -> str:
    piece = piece_name(position, origin)
    if ban.key == "soldier_locks":
        offensive = "capture" + (" or step next to the enemy dux" if position.ruleset.dux != "none" else "")
        return f"{piece} is held by {_names(position, _holders(position, origin))} and may only {offensive}."
    if ban.key == "dux_locks":
        covered = 4 - sum(not position.piece_at(near) for near in neighbours(position, origin))
        allowed = {1: "may move one square, capture, or step next to the enemy dux",
                   2: "may only capture or step next to the enemy dux"}.get(covered, "cannot move")
        return f"{piece} is next to an enemy with {covered} of its 4 sides covered, and {allowed}."
    if ban.key == "jump_must_capture":
        return f"{piece} may jump only if it captures where it lands."
    if ban.key == "enter_between":
        does = "binds" if position.ruleset.capture_effect == "bind" else "captures"
        where = "every square that it can go to is" if target is None else "this square is"
        return f"{where} between two enemies, and {piece} may only go there if it {does} an enemy."
    dux = "white" if position.side == 0 else "black"
    if target is None:
        return f"every move of {piece} would shut in the {dux} dux."
    return f"this would shut in the {dux} dux: no square next to it would be empty."


def _holders(position: Position, square: int) -> list[int]:
    side = position.side
    enemies = [near for near in neighbours(position, square) if is_enemy(position, near, side)]
    if position.ruleset.soldier_locks == "plain":
        return enemies

    def is_alone_with(enemy: int) -> bool:
        return not any(other != square and position.piece_at(other) and not is_enemy(position, other, side)
                       for other in neighbours(position, enemy))

    return [enemy for enemy in enemies if is_alone_with(enemy)] or enemies


def _binders(position: Position, square: int) -> str:
    side = position.side
    near = [other for other in neighbours(position, square)
            if is_enemy(position, other, side) and position.piece_at(other).upper() != "B"]
    return f"{_names(position, near)} bind it" if near else "it is bound"


def _names(position: Position, squares: Iterable[int]) -> str:
    return listed([position.geometry.square_name(square) for square in squares])


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words, such as ``a1, b2 and c3``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def is_enemy(position: Position, square: int, side: int) -> bool:
    piece = position.piece_at(square)
    return bool(piece) and piece.islower() == (side == 0)


def neighbours(position: Position, square: int) -> list[int]:
    geometry = position.geometry
    if position.ruleset.board == "wheel":
        return _wheel_neighbours(position, square)
    return geometry.squares_of(geometry.near[square])


def _wheel_neighbours(position: Position, square: int) -> list[int]:
    """Return the neighbours on the wheel: the centre, and two on the rim, which is the edge of the 3x3 board."""
    geometry = position.geometry
    if square == geometry.centre:
        return [other for other in range(geometry.squares) if other != square]
    return [geometry.centre, *(other for other in geometry.squares_of(geometry.near[square])
                               if other != geometry.centre)]
