"""How games end."""

from enum import Enum


class Termination(Enum):
    """Why a game ended; the value is what the PGN tag ``Termination`` says.

    Of all but ``NORMAL``, ``ADJUDICATION`` and ``INTERRUPTED`` one player is guilty (or gave up), and the other wins.
    The record's details say more.
    """

    NORMAL = "normal"
    """By the rules of the game; the record's details name the ending."""
    RESIGNATION = "resignation"
    """``bestmove resign``, or scores so bad for so long that the player resigns by the match's rule."""
    ADJUDICATION = "adjudication"
    """A draw by the match's rules: by the scores, or by the limit of plies."""
    ILLEGAL_MOVE = "illegal move"
    """A well-formed move that is not legal for the player to move."""
    STALL = "stall"
    """No move: no answer within the time, nor within a grace after ``stop``; or ``bestmove 0000`` or ``(none)``
    although there are legal moves."""
    CRASH = "crash"
    """The engine's process ended or closed its pipes."""
    TIME_LOSS = "time loss"
    """An answer later than the time control and the margin allow, or, where time is not limited, than the match
    waits for one."""
    PROTOCOL_ERROR = "protocol error"
    """A ``bestmove`` without a move, or with a text that is none."""
    INTERRUPTED = "interrupted"
    """The match was interrupted; the game does not count."""
