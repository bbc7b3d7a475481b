"""The compiled kernel.

Boards are tuples (own, opp, bound, own_dux, opp_dux, side, nocapture, hand): the sets of squares as bytes, lowest bit
first, in the first orientation of ``game.geometry``; the rest as in ``game.board``. Moves are the numbers of
``game.moves``. C++ exceptions become ``MemoryError``, ``ValueError`` or ``RuntimeError``.
"""

from collections.abc import Callable, Sequence
from typing import Any

BUILD: str
"""The compiler and the instruction set it was allowed to use."""

TECHNIQUES: dict[str, int]
"""The selective techniques by name, a bit each (``core/types.hpp``); with all off, scores are plain minimax values."""

TUNING: dict[str, tuple[int, int, int, str]]
"""The constants of the search that can be tuned: value, least and greatest value, what it is (``core/tuning.hpp``)."""

BoardTuple = tuple[bytes, bytes, bytes, int, int, int, int, int]

Split = tuple[int, int, int, int]
"""Duces and soldiers of the player to move, and of the opponent."""

class Table:
    """A transposition table of ``megabytes`` (2**20 bytes), allocated at once."""

    def __init__(self, megabytes: int) -> None: ...
    def clear(self) -> None: ...

class Core:
    """The rules of a game on a board, and the move ordering learned by its searches.

    ``ruleset`` and ``weights`` are the fields of ``game.ruleset.Ruleset`` (except for ``engine.kernels.NOT_IN_CORE``)
    and of ``search.evaluation.Weights``. A missing or unknown key is a ``ValueError``. ``tuning`` are the constants of
    ``TUNING`` that have other values.
    """

    def __init__(
        self, ruleset: dict[str, Any], weights: dict[str, Any], files: int, ranks: int, tuning: dict[str, int] = ...
    ) -> None: ...
    def moves(self, board: BoardTuple) -> list[int]:
        """Return the legal moves, ignoring the no-capture limit and repetition."""
    def tactical_moves(self, board: BoardTuple) -> list[int]:
        """Return the moves that may capture or decide."""
    def play(self, board: BoardTuple, move: int) -> tuple[BoardTuple, int]:
        """Return the board after a legal move, and its Zobrist key."""
    def decided(self, board: BoardTuple) -> int:
        """Return -1 if the player to move has lost, 1 if it has won, 0 if the game is undecided."""
    def evaluate(self, board: BoardTuple) -> tuple[int, int, int, int, int, int]:
        """Return the terms of the hand-written evaluation."""
    def use_net(self, net: dict[str, Any] | None) -> None:
        """Set the net that evaluates in searches, None for the hand-written evaluation; see ``search.net.Net.wire``."""
    def value(self, board: BoardTuple) -> int:
        """Return the evaluation that searches use, in centi-soldiers for the player to move."""
    def perft(self, board: BoardTuple, depth: int, bulk: bool, should_stop: Callable[[], bool]) -> int | None:
        """Count move sequences; with ``bulk`` the last ply is not played. Return None if stopped."""
    def search(
        self,
        board: BoardTuple,
        game_keys: Sequence[int],
        past: Sequence[int],
        root_moves: Sequence[int],
        depth: int,
        nodes: int | None,
        mate: int | None,
        multipv: int,
        threads: int,
        techniques: int,
        endings: bool,
        table: Table,
        info: Callable[[int, int, int, int, int, int, int, int, list[int]], None],
        current_move: Callable[[int, int, int], None],
        should_stop: Callable[[], bool],
        wants_depth: Callable[[int, bool, int], bool],
    ) -> tuple[int, int | None, int, int]:
        """Search; return the move, the expected reply, the nodes, and the threads that searched.

        There are fewer threads than wanted if the system does not create more. With ``endings``, probe the tables in
        memory.
        """
    def clear(self) -> None:
        """Forget the move ordering learned."""

    def ending_shape(self, split: Split) -> tuple[int, int, int]:
        """Return the size of a table, the bytes of a code, and the number of planes."""
    def solve_ending(self, split: Split, threads: int, progress: Callable[[int, int, int], bool]) -> bool:
        """Compute the tables of a split and of the swapped one; return False if ``progress`` did.

        ``progress`` gets the level in plies, the positions looked at for it, and their number.
        """
    def ending_codes(self, split: Split, plane: int, begin: int, end: int) -> bytes:
        """Return codes of a table in memory."""
    def ending_counts(self, split: Split, plane: int) -> tuple[int, int, int, int, int]:
        """Return the fields of ``tables.file.Counts`` of a table that was computed."""
    def load_ending(self, split: Split, planes: Sequence[bytes]) -> None:
        """Load a table."""
    def drop_endings(self) -> None:
        """Drop all tables."""
    def ending_value(self, board: BoardTuple) -> tuple[int, int, bool] | None:
        """Return outcome, plies and whether the limit decides, for a board that is not over; None if in no table."""
