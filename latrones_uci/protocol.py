"""What both ends of the protocol agree on: the dialects and the words for no move. See protocol.md."""

from enum import Enum

NO_MOVE = "0000"
"""What an engine answers when it has no legal move."""
NO_MOVE_TEXTS = frozenset({NO_MOVE, "(none)", "none", "NULL"})
"""What engines of all kinds write for it."""
RESIGNATION = "resign"
"""What an engine writes after ``bestmove`` to resign."""


class Dialect(Enum):
    """The dialect of a conversation; the value is the greeting that begins it."""

    UCI = "uci"
    """The Universal Chess Interface, with White and Black."""
    UGI = "ugi"
    """The Universal Game Interface, with players ``p1`` and ``p2``."""

    @property
    def greeted(self) -> str:
        """The line that ends the engine's answer to the greeting."""
        return f"{self.value}ok"

    @property
    def new_game(self) -> str:
        """The command that announces a new game."""
        return f"{self.value}newgame"

    @property
    def clocks(self) -> tuple[str, str]:
        """The words for the time left to White and to Black in a ``go`` line."""
        return ("wtime", "btime") if self is Dialect.UCI else ("p1time", "p2time")

    @property
    def increments(self) -> tuple[str, str]:
        """The words for the increments of White and Black in a ``go`` line."""
        return ("winc", "binc") if self is Dialect.UCI else ("p1inc", "p2inc")
