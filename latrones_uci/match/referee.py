"""The referee: check the answers and claims of engines against the rules."""

from latrones_uci.client.engine_rules import read_move
from latrones_uci.client.output import Claims
from latrones_uci.game import (
    IllegalMoveError,
    LatronesError,
    MalformedMoveError,
    Move,
    Outcome,
    Position,
    Termination,
    quoted,
)
from latrones_uci.protocol import NO_MOVE_TEXTS, RESIGNATION


def judge_move(position: Position, text: str) -> Move | Outcome:
    """Return the legal move that ``text``, the word after ``bestmove``, stands for, or the outcome of the game.

    The position must have legal moves. ``read_move`` says what is tolerated.
    """
    answer, winner = f"bestmove {quoted(text)}", 1 - position.side
    if text in NO_MOVE_TEXTS:
        return Outcome(Termination.STALL, winner, f"{answer}, but the player has legal moves")
    if text == RESIGNATION:
        return Outcome(Termination.RESIGNATION, winner, answer)
    try:
        return read_move(position, text)
    except MalformedMoveError:
        return Outcome(Termination.PROTOCOL_ERROR, winner, f"{answer} is not a move")
    except IllegalMoveError:
        return _illegal(position, text, answer)


def contradiction(outcome: Outcome | None, claims: Claims) -> str | None:
    """Describe on one line how an engine's claims contradict the referee's result; return None if they agree."""
    expected = Claims("false", "none") if outcome is None else Claims("true", outcome.name)
    if claims == expected:
        return None
    claimed = f"gameover {quoted(claims.game_over)}, result {quoted(claims.result)}"
    return f"{claimed}; the referee has {expected.game_over}, {expected.result}"


def _illegal(position: Position, text: str, answer: str) -> Outcome:
    hint = ", which is only legal for the opponent" if _is_legal_for_opponent(position, text) else ""
    return Outcome(Termination.ILLEGAL_MOVE, 1 - position.side, answer + hint)


def _is_legal_for_opponent(position: Position, text: str) -> bool:
    turned = position.passed()
    try:
        return turned is not None and read_move(turned, text) is not None
    except LatronesError:
        return False
