"""The compiled kernel.

Boards are ``engine.kernels.WireBoard`` or a tuple of its fields. Moves are the numbers of ``game.encoding``. C++
exceptions become ``MemoryError``, ``ValueError`` or ``RuntimeError``.
"""

from collections.abc import Callable, Sequence
from typing import Any

BUILD: str
"""The compiler and the instruction set it was allowed to use."""

TUNING: dict[str, tuple[int, int, int, int, str]]
"""The constants of the search that can be tuned (``core/tuning.hpp``): value, value in games of soldiers only, least
and greatest value, what it is."""

BoardTuple = tuple[bytes, bytes, bytes, int, int, int, int, int]

Split = tuple[int, int, int, int]
"""Duces and soldiers of the player to move, and of the opponent."""

class Table:
    """A transposition table of ``megabytes`` (2**20 bytes), allocated at once and cleared by ``threads`` threads."""

    def __init__(self, megabytes: int, threads: int = 1) -> None: ...
    def clear(self, threads: int = 1) -> None: ...

class Task:
    """What to search, and the limits except for time; see ``search.types.Task``.

    ``game_keys`` are the keys of all positions of the game, the current one last; ``past`` those of the arrangements
    that must not recur, with White to move, where repetition is illegal. With ``endings``, the endgame tables in memory
    are probed; a win with ``final_men`` pieces is a proven one (see ``Tables.final_men``). A ``plain`` search has no
    selective techniques: its scores are minimax values.
    """

    def __init__(
        self,
        *,
        root_moves: Sequence[int],
        game_keys: Sequence[int],
        past: Sequence[int],
        depth: int,
        nodes: int | None = None,
        mate: int | None = None,
        multipv: int = 1,
        threads: int = 1,
        endings: bool = False,
        final_men: int = 0,
        plain: bool = False,
    ) -> None: ...

class SearchInfo:
    """A line of a search. ``bound`` is 0 for an exact score, 1 for a lower and 2 for an upper bound."""

    depth: int
    seldepth: int
    multipv: int
    score: int
    bound: int
    nodes: int
    table_hits: int
    hashfull: int
    pv: list[int]

class CurrentMove:
    """The root move that is searched, with its number in the list."""

    depth: int
    move: int
    number: int

class Listener:
    """The functions that a search calls. ``wants_depth`` gets the fields of ``engine.types.IterationProgress``."""

    def __init__(
        self,
        *,
        info: Callable[[SearchInfo], object],
        current_move: Callable[[CurrentMove], object],
        should_stop: Callable[[], bool],
        wants_depth: Callable[[int, bool, int], bool],
    ) -> None: ...

class SearchResult:
    """The move, the expected reply, and the nodes and threads that searched.

    There are fewer threads than requested if the system does not create more.
    """

    move: int
    ponder: int | None
    nodes: int
    threads: int

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
    def net_rows(self, boards: Sequence[BoardTuple]) -> tuple[bytes, bytes]:
        """Return the rows of the net's inputs that are 1, and their numbers, as 16-bit little-endian numbers.

        For each board: the view of the player to move, then the other view. A ``ValueError`` without a net.
        """
    def perft(self, board: BoardTuple, depth: int, bulk: bool, should_stop: Callable[[], bool]) -> int | None:
        """Count move sequences; with ``bulk`` the last ply is not played. Return None if stopped."""
    def playouts(
        self, board: BoardTuple, past: Sequence[int], games: int, seed: int, max_plies: int,
        should_stop: Callable[[], bool],
    ) -> tuple[int, int, int, int, int] | None:
        """Return the fields of ``engine.playouts.Playouts``; None if stopped. ``past`` is as in ``Task``."""
    def search(self, board: BoardTuple, task: Task, table: Table, listener: Listener) -> SearchResult:
        """Search; only one search of a core can run at a time."""
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
