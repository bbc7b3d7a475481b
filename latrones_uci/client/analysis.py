"""Searches in the background: an analysis whose reports are streamed, and a search on the opponent's time."""

import queue
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.output import parse_ranked_line
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, Move
from latrones_uci.text.protocol import RESIGNATION, SearchInfo

_READ_S = 0.05
"""How often the output of a pondering engine is read, so that it does not block on a full pipe."""


class Analysis:
    """A search in the background. Iterate over it for reports; ``stop`` or the end of the ``with`` block stops it."""

    def __init__(self, search: Callable[..., SearchAnswer], read_move: Callable[[str], Move], most_lines: int) -> None:
        """Start the search; call ``Engine.analysis`` instead."""
        self.lines: dict[int, SearchInfo] = {}
        """The latest report of each line, by rank from 1."""
        self._search, self._read_move, self._most_lines = search, read_move, most_lines
        self._reports: queue.SimpleQueue[SearchInfo | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._ended = threading.Event()  # an interrupted `join` marks a thread as ended that runs on
        self._answer: SearchAnswer | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._answer = self._search(on_line=self._read, stopped=self._stop.is_set)
        except Exception as error:  # raised where the search is waited for
            self._error = error
        finally:
            self._ended.set()
            self._reports.put(None)

    def _read(self, text: str) -> None:
        if (info := parse_ranked_line(text)) is not None and info.multipv <= self._most_lines:
            self.lines[info.multipv] = info
            self._reports.put(info)

    def __iter__(self) -> Iterator[SearchInfo]:
        """Yield each report as it arrives, until the search ends.

        Raises:
            EngineError: the engine failed.
        """
        while (info := self._reports.get()) is not None:
            yield info
        self._reports.put(None)
        self._join()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Stop the search; the iterator ends when the engine has answered."""
        self._stop.set()

    def finish(self) -> None:
        """Stop the search and wait until it has ended, however it ends."""
        self._stop.set()
        self._join()

    def _join(self) -> None:
        self._ended.wait()
        self._thread.join()

    def wait(self, timeout: float | None = None) -> Move | None:
        """Wait until the search ends, and return its best move, None if the engine resigns.

        Args:
            timeout: seconds to wait at most, None for as long as it takes.

        Raises:
            EngineError: the engine failed, or its move is not legal.
            TimeoutError: the search has not ended; it goes on.
        """
        if timeout is not None and not self._ended.wait(timeout):
            raise TimeoutError(f"the analysis has not ended within {timeout:g} s; it goes on")
        self._join()
        if self._error is not None:
            raise self._error
        assert self._answer is not None  # the thread ends with an answer or an error
        text = self._answer.best.move
        return None if text == RESIGNATION else self._read_move(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()


class Pondering:
    """A search on the opponent's time that is running; its output is read in the background until ``end``."""

    def __init__(self, game: Game, limit: Limit, read: Callable[[], None]) -> None:
        """Start to read.

        Args:
            game: the game with the expected reply.
            limit: the limits of the search.
            read: reads what there is, without waiting.
        """
        self._game, self._limit, self._read = game, limit, read
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ponder", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(_READ_S):
            self._read()

    def end(self) -> None:
        """Stop reading."""
        self._ended.set()
        self._thread.join()

    def is_of(self, game: Game, limit: Limit) -> bool:
        """Return whether a search of a game is the one that is running; times on clocks may differ."""
        if (game.start, game.moves) != (self._game.start, self._game.moves):
            return False
        side = game.position.side
        return limit.without_times(side) == self._limit.without_times(side)
