"""The referee's judgement of an engine's answers."""

from dataclasses import dataclass

from latrones_uci.client.output import Claims
from latrones_uci.game import (
    IllegalMoveError,
    LatronesError,
    MalformedMoveError,
    Move,
    Position,
    Result,
    quoted,
)
from latrones_uci.protocol import NO_MOVE_TEXTS, RESIGNATION
from latrones_uci.records.record import Termination


@dataclass(frozen=True)
class JudgedMove:
    """A legal move; ``text`` is as the game writes it, whatever the engine wrote."""

    move: Move
    text: str


@dataclass(frozen=True)
class Offence:
    """An answer that loses, and one line on it."""

    termination: Termination
    details: str


def judge_move(position: Position, text: str) -> JudgedMove | Offence:
    """What ``text``, the word after ``bestmove``, amounts to; the position must have legal moves.

    Letters in the wrong case are put right.
    """
    answer = f"bestmove {quoted(text)}"
    if text in NO_MOVE_TEXTS:
        return Offence(Termination.STALL, f"{answer} although there are moves")
    if text == RESIGNATION:
        return Offence(Termination.RESIGNATION, answer)
    try:
        return JudgedMove(position.parse_move(text), text)
    except MalformedMoveError:
        pass
    except IllegalMoveError:
        return _illegal(position, text, answer)
    try:
        return JudgedMove(position.parse_move(usual := _usual_case(text)), usual)
    except MalformedMoveError:
        return Offence(Termination.PROTOCOL_ERROR, f"{answer} is no move")
    except IllegalMoveError:
        return _illegal(position, usual, answer)


def contradiction(result: Result | None, claims: Claims) -> str | None:
    """How an engine's claims contradict the referee's result, on one line; None if they do not."""
    expected = Claims("false", "none") if result is None else Claims("true", result.name)
    if claims == expected:
        return None
    said = f"gameover {quoted(claims.game_over)}, result {quoted(claims.result)}"
    return f"{said} against the referee's {expected.game_over}, {expected.result}"


def _illegal(position: Position, text: str, answer: str) -> Offence:
    whose = ", which only the opponent could play" if _is_legal_for_opponent(position, text) else ""
    return Offence(Termination.ILLEGAL_MOVE, answer + whose)


def _usual_case(text: str) -> str:
    """Squares in small letters, the man of a placement in a capital one."""
    return text[:1].upper() + text[1:].lower() if text[1:2] == "@" else text.lower()


def _is_legal_for_opponent(position: Position, text: str) -> bool:
    board, side, *counters = position.fen().split()
    turned = " ".join([board, "b" if side == "w" else "w", *counters])
    try:
        Position.from_fen(position.ruleset, turned).parse_move(text)
    except LatronesError:
        return False
    return True
