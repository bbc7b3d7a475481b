"""How games end."""

from enum import Enum


class Termination(Enum):
    """Why a game ended; the value is what the PGN tag ``Termination`` says.

    Of all but ``NORMAL``, ``ADJUDICATION`` and ``UNTERMINATED`` the player to move is guilty, and the opponent wins.
    """

    NORMAL = "normal"
    """By the rules of the game; the record's details name the ending."""
    ILLEGAL_MOVE = "illegal move"
    """A well-formed move that is legal for nobody."""
    WRONG_SIDE = "wrong side"
    """A move that only the opponent could make."""
    MALFORMED_MOVE = "malformed move"
    """A text that is no move, or a ``bestmove`` without one."""
    NO_MOVE = "no move"
    """``bestmove 0000`` or ``(none)`` although there are legal moves."""
    STALL = "stall"
    """No answer within the time, nor within a grace after ``stop``."""
    CRASH = "crash"
    """The engine's process ended or closed its pipes."""
    TIME_FORFEIT = "time forfeit"
    """An answer later than the time control and the margin allow."""
    ADJUDICATION = "adjudication"
    """A draw by the limit of plies that the user set."""
    UNTERMINATED = "unterminated"
    """The match was interrupted; the game does not count."""
