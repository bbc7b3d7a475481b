"""Games: the positions so far, which also determine repetition."""

from collections import Counter
from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

from latrones_uci.game.encoding import Move
from latrones_uci.game.errors import IllegalMoveError, LatronesError
from latrones_uci.game.notation import PASS_TEXT
from latrones_uci.game.outcome import Outcome, Termination
from latrones_uci.game.position import Position, draw_board
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.text.messages import counted, quoted

REPETITION_COUNT = 3


class Game:
    """A start position and the moves played from it.

    The start position counts as its first occurrence; positions before it are unknown.

    Example:
        >>> from latrones_uci import Game
        >>> game = Game("latrones", board="12x8")
        >>> game.push(game.legal_moves()[0])
        >>> game.result()
        '*'
    """

    def __init__(
        self, start: Position | Ruleset | str = "latrones", board: tuple[int, int] | str | None = None
    ) -> None:
        """Start a game.

        Args:
            start: a position, or a variant as in ``Position.start``.
            board: the board size of the variant, as in ``Position.start``.

        Raises:
            VariantError: the variant is unknown.
            BoardSizeError: the size is malformed, or not allowed in the variant.
            ValueError: a size is given although ``start`` is a position.
        """
        if isinstance(start, Position) and board is not None:
            raise ValueError(f"board {board!r}: given with a position, which has its own; expected None")
        position = start if isinstance(start, Position) else Position.start(start, board)
        self._positions, self._moves = [position], list[Move]()
        self._occurrences: Counter[Hashable] = Counter([position.repetition_key])

    @property
    def positions(self) -> tuple[Position, ...]:
        """The start position, then the position after each move."""
        return tuple(self._positions)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played."""
        return tuple(self._moves)

    @property
    def start(self) -> Position:
        """The position before the first move."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The position after the last move."""
        return self._positions[-1]

    def count(self, position: Position) -> int:
        """Return how often a position has occurred in the game."""
        return self._occurrences[position.repetition_key]

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it is in progress.

        The endings are tested in this order: decided, repetition, no-capture limit, no legal move (or a pass of both
        players in turn).
        """
        position = self.position
        if decided := position.decided():
            return decided
        if self._repeated():
            repeater = self._positions[-2].side
            return Outcome(Termination.REPETITION, None if position.ruleset.repetition == "draw" else 1 - repeater)
        if ending := position.ending_by_count():
            return ending
        return Outcome(Termination.NO_MOVE, None) if self._both_passed() else None

    def _repeated(self) -> bool:
        return not self.position.rules.forbids_repetition and self.count(self.position) >= REPETITION_COUNT

    def _both_passed(self) -> bool:
        moves = self._moves
        return len(moves) > 1 and moves[-1] == PASS_TEXT == moves[-2]

    def legal_moves(self) -> list[Move]:
        """Return the legal moves; an empty list if the game is over."""
        return [] if self.outcome() else self.position.legal_moves()

    def is_legal(self, move: str) -> bool:
        """Return whether a move, or its text, is legal; none is when the game is over."""
        return self.position.is_legal(move) and self.outcome() is None

    def push(self, move: str) -> None:
        """Play a legal move, given as a move or as its text.

        Raises:
            MalformedMoveError: the text does not have the form of a move.
            IllegalMoveError: the move is not legal, or the game is over; the game does not change.
        """
        position = self.position
        try:
            parsed = position.parse_move(move)
        except LatronesError:
            self._check_unfinished(move)
            raise
        if self._repeated() or self._both_passed():  # of the endings, only these leave legal moves
            self._check_unfinished(move)
        self._append(parsed, position.after(parsed.packed))

    def _check_unfinished(self, text: str) -> None:
        """Raise IllegalMoveError for the text of a move if the game is over."""
        if (outcome := self.outcome()) is not None:
            raise IllegalMoveError(f"move {quoted(text)}: the game is over"
                                   f" ({outcome.name}, {outcome.reason})") from None

    def _append(self, move: Move, after: Position) -> None:
        self._positions.append(after)
        self._moves.append(move)
        self._occurrences[after.repetition_key] += 1

    def result(self) -> str:
        """Return the PGN result: ``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` while the game is in progress."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result

    def pop(self) -> Move:
        """Take back the last move and return it.

        Raises:
            IndexError: no move has been played.
        """
        if not self._moves:
            raise IndexError("pop: the game has no moves")
        move = self._moves.pop()
        self._occurrences[self._positions.pop().repetition_key] -= 1
        return move

    def __str__(self) -> str:
        """Return the position as text."""
        return str(self.position)

    def __repr__(self) -> str:
        """Return variant, number of plies and result."""
        return f"<Game of {self.start.ruleset.name}, {counted(len(self._moves), 'ply', 'plies')}, {self.result()}>"

    def _repr_svg_(self) -> str:
        """Return the position as SVG with the last move marked, for notebooks."""
        if not self._moves:
            return draw_board(self.position)
        before, move = self._positions[-2], self._moves[-1]
        return draw_board(self.position, last_move=move, captured=before.captures(move))

    def up_to(self, plies: int) -> "Game":
        """Return an independent game with the same start and the first ``plies`` moves.

        Raises:
            ValueError: the game has fewer moves.
        """
        if not isinstance(plies, int) or not 0 <= plies <= len(self._moves):
            raise ValueError(f"plies: {plies!r} is not an integer from 0 to {len(self._moves)}")
        part = Game(self.start)
        part._positions, part._moves = self._positions[:plies + 1], self._moves[:plies]
        if plies == len(self._moves):
            part._occurrences = self._occurrences.copy()
        else:
            part._occurrences = Counter(position.repetition_key for position in part._positions)
        return part

    def copy(self) -> "Game":
        """Return an independent copy of the game."""
        return self.up_to(len(self._moves))

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> "Game":
        """Return an independent copy of the game; positions and moves never change."""
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the start and the moves, which determine the rest."""
        return _restored, (self.start, self.moves)

    def __eq__(self, other: object) -> bool:
        """Compare the start position and the moves. Games can be changed, so they have no hash."""
        return isinstance(other, Game) and (self.start, self._moves) == (other.start, other._moves)


def random_game(start: Position, plies: int, chooser: Random) -> Game:
    """Return a game of random legal moves, each equally likely: of so many plies, fewer if the game ends first."""
    game = Game(start)
    while len(game.moves) < plies and (moves := game.legal_moves()):
        game.push(chooser.choice(moves))
    return game


def push_parsed(game: Game, move: Move) -> None:
    """Play a move that the position's ``parse_move`` has just returned, without a test of it or of the game's end."""
    game._append(move, game.position.after(move.packed))


def _restored(start: Position, moves: Sequence[Move]) -> Game:
    """Return the game of a pickle."""
    game = Game(start)
    for move in moves:
        push_parsed(game, move)
    return game
