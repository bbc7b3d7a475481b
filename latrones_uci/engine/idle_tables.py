"""Make endgame tables in idle time, in the cache folder of the user."""

import threading
from collections.abc import Callable
from pathlib import Path

from latrones_uci.engine import native
from latrones_uci.engine.kernels import make_core
from latrones_uci.engine.memory import available_bytes
from latrones_uci.engine.tables.find import AUTO, TableChoice, cache_folder, cached_bytes
from latrones_uci.engine.tables.maker import make_tables, plan_tables
from latrones_uci.game import LatronesError, Position, Ruleset
from latrones_uci.text.clock import now_s
from latrones_uci.text.files import exclusive_lock, remove_file

MEN = 4
"""Largest number of pieces."""
DELAY_S = 2.0
"""Idle time before the work begins."""
MOST_SECONDS = 600.0
"""Time for a game on a board in one process, interrupted work included."""
MOST_MEMORY_BYTES = 64 * 2**20
MOST_CACHED_BYTES = 64 * 2**20
"""Size of the whole cache of tables from which on no more are made."""


class IdleTableMaker:
    """Makes the tables of one game and board at a time, in a thread that exists only in idle time.

    No other process makes the same tables meanwhile. What fails is not tried again in this process, and not reported.
    """

    def __init__(self) -> None:
        self._interrupt = threading.Event()
        self._thread: threading.Thread | None = None
        self._seconds_left: dict[tuple[Ruleset, str], float] = {}
        self.has_made = threading.Event()
        """Set when all tables of a game and board have been made."""

    def start(self, position: Position) -> None:
        """Make the tables for the game and board of a position, unless ``interrupt`` comes first."""
        name = (position.ruleset, position.geometry.name)
        if not native.is_compiled() or self._seconds_left.get(name, MOST_SECONDS) <= 0:
            return
        self.interrupt()
        before, self._interrupt = self._thread, threading.Event()
        self._thread = threading.Thread(target=self._run, name="tables", args=(position, self._interrupt, before),
                                        daemon=True)
        self._thread.start()

    def interrupt(self) -> None:
        """End the work within some milliseconds, without waiting for that."""
        self._interrupt.set()

    def close(self) -> None:
        """End the work, and wait for its end."""
        self.interrupt()
        if self._thread is not None:
            self._thread.join()

    def _run(self, position: Position, interrupt: threading.Event, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        if interrupt.wait(DELAY_S):
            return
        name = (position.ruleset, position.geometry.name)
        begun, seconds = now_s(), self._seconds_left.get(name, MOST_SECONDS)
        self._seconds_left[name] = 0.0
        try:
            if _make(position, lambda: interrupt.is_set() or now_s() - begun > seconds):
                self.has_made.set()
        except (KeyboardInterrupt, _LockedError):
            self._seconds_left[name] = seconds - (now_s() - begun)
        except (LatronesError, OSError, MemoryError, RuntimeError):  # the last if the user has no home
            pass


class _LockedError(Exception):
    """Another process makes the same tables."""


def _make(position: Position, is_over: Callable[[], bool]) -> bool:
    """Make the tables that are missing or damaged; return whether all are complete, not if they exceed the bounds.

    Raises:
        LatronesError: the game has no tables.
        OSError: a file cannot be written.
        MemoryError: out of memory.
        KeyboardInterrupt: ``is_over`` returned True.
        _LockedError: another process makes them.
    """
    if TableChoice(AUTO).find(position).tables is not None:
        return False
    folder = cache_folder(position)
    core = make_core(position.ruleset, position.geometry.files, position.geometry.ranks)
    plan = plan_tables(core, position, MEN, folder)
    room = min(MOST_MEMORY_BYTES, (available_bytes() or MOST_MEMORY_BYTES) // 2)
    if not plan.missing:
        return True
    if plan.memory_bytes > room or cached_bytes() > MOST_CACHED_BYTES:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(folder / "lock", _refuse_to_wait, temporary=True):
        _remove_parts(folder)
        for _ in make_tables(core, position, plan, 1, lambda step: not is_over()):
            pass
    return True


def _refuse_to_wait() -> None:
    raise _LockedError


def _remove_parts(folder: Path) -> None:
    """Remove what processes left that were killed while they wrote a file."""
    for path in folder.glob(".*.part"):
        remove_file(path)
