"""The outcome of a game: how it ended, and who won."""

from dataclasses import dataclass
from enum import Enum

from latrones_uci.game.encoding import SIDE_NAMES
from latrones_uci.game.ruleset import Ruleset


class Termination(Enum):
    """Why a game ended.

    The first four are endings by the rules. ``ADJUDICATION`` is a decision of the referee, and an ``INTERRUPTED`` game
    does not count. In all other cases one player made a fault or resigned, and the other wins.
    """

    DECIDED = "decided"
    """Won on the board; the details of the outcome are one of ``DECISIONS``."""
    REPETITION = "repetition"
    """A position occurred for the third time."""
    NO_CAPTURE = "nocapture"
    """The limit of plies without a capture was reached."""
    NO_MOVE = "nomove"
    """The player to move has no legal move, or both players passed in turn."""
    RESIGNATION = "resignation"
    """A player resigned, or the match adjudicated a resignation."""
    ADJUDICATION = "adjudication"
    """Adjudicated by the match: a draw by the scores or at the ply limit, or the result that endgame tables give."""
    ILLEGAL_MOVE = "illegal move"
    """A well-formed move that is not legal."""
    STALL = "stall"
    """No move: no answer even after ``stop`` and a grace period, or an answer without a move."""
    CRASH = "crash"
    """The engine's process ended or closed its pipes."""
    TIME_LOSS = "time loss"
    """An answer after the time control and the time margin have run out."""
    PROTOCOL_ERROR = "protocol error"
    """An answer with a word that is not a move, or while pondering."""
    INTERRUPTED = "interrupted"
    """The game was interrupted."""

    @property
    def by_rules(self) -> bool:
        """Whether the rules of the variant ended the game."""
        return self in _BY_RULES

    @property
    def is_fault(self) -> bool:
        """Whether a fault of the losing player ended the game."""
        return self not in _BY_RULES and self not in _WITHOUT_FAULT


_WITHOUT_FAULT = frozenset({Termination.ADJUDICATION, Termination.RESIGNATION, Termination.INTERRUPTED})
_BY_RULES = frozenset({Termination.DECIDED, Termination.REPETITION, Termination.NO_CAPTURE, Termination.NO_MOVE})


DUX_CAPTURED, DUX_IMMOBILISED = "dux captured", "dux immobilised"
TOO_FEW_PIECES, LINE = "too few pieces", "three in a line"
DECISIONS = frozenset({DUX_CAPTURED, DUX_IMMOBILISED, TOO_FEW_PIECES, LINE})
"""What decides a game on the board: a dux is gone, or has no empty neighbour; too few pieces are left; or a line."""


@dataclass(frozen=True)
class Outcome:
    """The end of a game."""

    termination: Termination
    """Why it ended."""
    winner: int | None
    """0 White, 1 Black, None for a draw or an interrupted game."""
    details: str = ""
    """One line on what happened; empty if the termination needs no explanation. That of ``DECIDED`` is one of
    ``DECISIONS``, or empty in records of earlier versions."""

    @property
    def name(self) -> str:
        """The answer to ``query result``: ``p1win``, ``p2win`` or ``draw``; White is p1."""
        return "draw" if self.winner is None else ("p1win", "p2win")[self.winner]

    @property
    def result(self) -> str:
        """The PGN result: ``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for an interrupted game."""
        return "*" if self.termination is Termination.INTERRUPTED else render_result(self.winner)

    @property
    def reason(self) -> str:
        """Why the game ended: the termination, the details, or both."""
        if self.termination.by_rules or not self.details:
            return self.details or self.termination.value
        return f"{self.termination.value}: {self.details}"

    def __str__(self) -> str:
        """Return the winner and the reason, such as ``White wins (dux captured)``."""
        who = "Draw" if self.winner is None else f"{SIDE_NAMES[self.winner]} wins"
        unfinished = self.termination is Termination.INTERRUPTED
        return f"{'Unfinished' if unfinished else who} ({self.reason})"


def render_result(winner: int | None) -> str:
    """Return the PGN result of a finished game: ``1-0``, ``0-1``, or ``1/2-1/2`` for a draw."""
    return "1/2-1/2" if winner is None else ("1-0", "0-1")[winner]


def ending_name(outcome: Outcome, ruleset: Ruleset) -> str:
    """Return for people how the rules ended a game, such as ``no soldiers left``."""
    if outcome.details == TOO_FEW_PIECES:
        kind = "soldiers" if ruleset.men_counted == "soldiers" else "pieces"
        fewest = {1: "no", 2: "fewer than two"}.get(ruleset.fewest_men, f"fewer than {ruleset.fewest_men}")
        return f"{fewest} {kind} left"
    return outcome.details or {
        Termination.DECIDED: "decided on the board", Termination.REPETITION: "repetition",
        Termination.NO_CAPTURE: limit_text(ruleset), Termination.NO_MOVE: "no legal move",
    }[outcome.termination]


def limit_text(ruleset: Ruleset) -> str:
    """Return what ends a game without captures, such as ``100 turns without a capture``, of both players together."""
    return f"{ruleset.nocapture_limit} turns without a capture"
