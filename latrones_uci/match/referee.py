"""The referee's judgement of an engine's answer."""

from latrones_uci.game import (
    IllegalMoveError,
    LatronesError,
    MalformedMoveError,
    Move,
    Position,
)
from latrones_uci.match.termination import Termination

_NO_MOVE_TEXTS = frozenset({"0000", "(none)", "none", "NULL"})


def judge_move(position: Position, text: str) -> tuple[Move, None] | tuple[None, Termination]:
    """The move that ``text`` names, or the offence that it is; the position must have legal moves."""
    if text in _NO_MOVE_TEXTS:
        return None, Termination.NO_MOVE
    try:
        return position.parse_move(text), None
    except MalformedMoveError:
        return None, Termination.MALFORMED_MOVE
    except IllegalMoveError:
        legal_for_opponent = _is_legal_for_opponent(position, text)
        return None, Termination.WRONG_SIDE if legal_for_opponent else Termination.ILLEGAL_MOVE


def _is_legal_for_opponent(position: Position, text: str) -> bool:
    board, side, *counters = position.fen().split()
    turned = " ".join([board, "b" if side == "w" else "w", *counters])
    try:
        Position.from_fen(position.ruleset, turned).parse_move(text)
    except LatronesError:
        return False
    return True
