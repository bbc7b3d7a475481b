"""Engines that run, kept from game to game."""

import threading
from collections.abc import Callable, Hashable

from latrones_uci.match.engines.controller import EngineController


class EnginePool:
    """Idle engines by what they were started for; safe to be used by several threads.

    An engine is with one game at a time. Of the idle ones only the last few used stay.
    """

    def __init__(self, most_idle: int) -> None:
        """Begins empty; at most ``most_idle`` engines wait for another game."""
        self._most_idle = most_idle
        self._idle: list[tuple[Hashable, EngineController]] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self, key: Hashable, start: Callable[[], EngineController]) -> EngineController:
        """An idle engine of that key, or one started now; what ``start`` raises is raised here."""
        with self._lock:
            for index in range(len(self._idle) - 1, -1, -1):
                if self._idle[index][0] == key:
                    return self._idle.pop(index)[1]
        return start()

    def give_back(self, key: Hashable, engine: EngineController, keep: bool) -> None:
        """Keeps an engine for another game, or ends it if it is not to be kept or has failed."""
        if not engine.usable:
            engine.kill()
            return
        surplus: list[EngineController] = []
        with self._lock:
            if keep and not self._closed:
                self._idle.append((key, engine))
                while len(self._idle) > self._most_idle:
                    surplus.append(self._idle.pop(0)[1])
            else:
                surplus.append(engine)
        for old in surplus:
            old.quit()

    def close(self) -> None:
        """Ends all idle engines; what is given back later is ended then."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, engine in idle:
            engine.quit()
