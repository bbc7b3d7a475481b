"""A game in progress: the positions so far, and with them repetition."""

from collections import Counter
from collections.abc import Hashable

from latrones_uci.game.encoding import Move
from latrones_uci.game.errors import IllegalMoveError, quoted
from latrones_uci.game.outcome import Outcome, Termination
from latrones_uci.game.position import Position

REPETITION_COUNT = 3


class Game:
    """The start position and the moves made from it.

    The start position counts as an occurrence; what came before it is unknown.

    Attributes:
        positions: the start position, then the one after each move.
        moves: the moves made.
    """

    def __init__(self, start: Position) -> None:
        """Begins a game."""
        self.positions = [start]
        self.moves: list[Move] = []
        self._occurrences: Counter[Hashable] = Counter([start.repetition_key])

    @property
    def start(self) -> Position:
        """The position before the first move."""
        return self.positions[0]

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    def count(self, position: Position) -> int:
        """How often a position has occurred in the game."""
        return self._occurrences[position.repetition_key]

    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on. The endings are tested in their fixed order."""
        position = self.position
        if decided := position.decided():
            return decided
        if self.count(position) >= REPETITION_COUNT:
            repeater = self.positions[-2].side
            return Outcome(Termination.REPETITION, None if position.ruleset.repetition == "draw" else 1 - repeater)
        return position.ending_by_count()

    def legal_moves(self) -> list[Move]:
        """The legal moves; none when the game is over."""
        return [] if self.outcome() else self.position.legal_moves()

    def play(self, move: Move) -> None:
        """Makes a legal move.

        Raises:
            IllegalMoveError: not legal, or the game is over; the game stays as it was.
        """
        if (outcome := self.outcome()) is not None:
            raise IllegalMoveError(f"move {quoted(self.position.move_text(move))}: the game is over"
                                   f" ({outcome.name}, {outcome.termination.value})")  # fmt: skip
        after = self.position.play(move)
        self.positions.append(after)
        self.moves.append(move)
        self._occurrences[after.repetition_key] += 1

    def up_to(self, plies: int) -> "Game":
        """An independent game with the same start and the first ``plies`` moves."""
        part = Game(self.start)
        part.positions, part.moves = self.positions[:plies + 1], self.moves[:plies]
        part._occurrences = Counter(position.repetition_key for position in part.positions)
        return part

    def copy(self) -> "Game":
        """An independent game with the same past."""
        return self.up_to(len(self.moves))
