"""The compiled kernel.

Boards cross as tuples (own, opp, bound, own_dux, opp_dux, side, nocapture, hand): the sets of squares as bytes, lowest
bit first, in the first orientation of ``game.geometry``; the rest as in ``game.board``. Moves are the numbers of
``game.moves``. What C++ throws arrives as an exception: ``MemoryError``, ``ValueError`` or ``RuntimeError``.
"""

from collections.abc import Callable, Sequence
from typing import Any

BUILD: str
"""The compiler and the instructions it was allowed."""

TECHNIQUES: dict[str, int]
"""What makes a search selective, a bit each (``core/task.hpp``); without any scores are plain minimax values."""

BoardTuple = tuple[bytes, bytes, bytes, int, int, int, int, int]

class Table:
    """A transposition table of ``megabytes`` (2**20 bytes), taken at once."""

    def __init__(self, megabytes: int) -> None: ...
    def clear(self) -> None: ...

class Core:
    """The rules of a game on a board, and what searches of it have taught.

    ``ruleset`` and ``weights`` are the values of the fields of ``game.ruleset.Ruleset`` that tell how to play on, and
    of ``search.evaluation.Weights``; a key that is missing or not known is a ``ValueError``.
    """

    def __init__(self, ruleset: dict[str, Any], weights: dict[str, Any], files: int, ranks: int) -> None: ...
    def moves(self, board: BoardTuple) -> list[int]:
        """The legal moves, the no-capture limit and repetition aside."""
    def tactical_moves(self, board: BoardTuple) -> list[int]:
        """Those that may capture or decide."""
    def play(self, board: BoardTuple, move: int) -> tuple[BoardTuple, int]:
        """The board after a legal move, and its Zobrist key."""
    def decided(self, board: BoardTuple) -> int:
        """-1 lost, 1 won, 0 undecided, for the player to move."""
    def evaluate(self, board: BoardTuple) -> tuple[int, int, int, int, int, int]:
        """The terms of the evaluation."""
    def perft(self, board: BoardTuple, depth: int, bulk: bool, should_stop: Callable[[], bool]) -> int | None:
        """Counts; ``bulk``: the last ply is not played. None when stopped."""
    def search(
        self,
        board: BoardTuple,
        game_keys: Sequence[int],
        root_moves: Sequence[int],
        depth: int,
        nodes: int | None,
        mate: int | None,
        multipv: int,
        threads: int,
        techniques: int,
        table: Table,
        info: Callable[[int, int, int, int, int, int, int, list[int]], None],
        current_move: Callable[[int, int, int], None],
        should_stop: Callable[[], bool],
        wants_depth: Callable[[int, bool], bool],
    ) -> tuple[int, int | None, int]:
        """Searches; returns the move, the reply expected, and the nodes."""
    def clear(self) -> None:
        """Forgets what searches have taught."""
