"""A match of two engines: many games, some at a time."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from latrones_uci.game import Position
from latrones_uci.match.controller import EngineController
from latrones_uci.match.errors import MatchInterruptedError
from latrones_uci.match.game_play import Player, play_game
from latrones_uci.match.openings import Pairing, schedule
from latrones_uci.match.pgn_write import render_game
from latrones_uci.match.record import GameRecord
from latrones_uci.match.settings import MatchSettings
from latrones_uci.match.tally import MatchTally

_POLL_S = 0.1


@dataclass(frozen=True)
class GameFinished:
    """A game has ended and is in the tally.

    Attributes:
        record: the game.
        tally: the match with this game; it goes on changing.
    """

    record: GameRecord
    tally: MatchTally


def run_match(
    settings: MatchSettings,
    on_game: Callable[[GameFinished], None],
    interrupt: threading.Event,
) -> MatchTally:
    """Plays the games of a match.

    Each worker has its own two engine processes, keeps them from game to game, and starts an engine anew that crashed
    or stalled. A finished game is appended to the PGN file before its event.

    Args:
        settings: the match.
        on_game: called in the calling thread after each game.
        interrupt: when set (by a signal handler, say), the match stops within moments: games under way are recorded
            as unterminated, and the tally so far is returned. It is only looked at, never waited for or set.

    Raises:
        EngineStartError: an engine does not start, at the outset or after a crash; no game is lost by that.
        SettingsError: no opening can be found.
        OSError: the PGN file cannot be written.
    """
    match = _Match(settings, interrupt)
    try:
        return match.run(on_game)
    finally:
        match.stop()


class _Match:
    def __init__(self, settings: MatchSettings, interrupt: threading.Event) -> None:
        start = Position.start(settings.ruleset, settings.size)
        self._settings = settings
        self._board_size = start.geometry.name
        self._pairings: Iterator[Pairing] = schedule(start, settings.games, settings.openings, settings.seed)
        self._pairings_lock = threading.Lock()
        self._interrupt = interrupt
        # Not the caller's event: a signal handler that sets an event whose lock this thread holds would hang.
        self._stopping = threading.Event()
        self._outcomes: queue.Queue[GameRecord | BaseException] = queue.Queue()
        self._workers: list[threading.Thread] = []
        first, second = (engine.name or engine.command[0] for engine in settings.engines)
        self._names = _distinct_names(first, second)

    def run(self, on_game: Callable[[GameFinished], None]) -> MatchTally:
        tally = MatchTally(self._names)
        try:
            # The first pair is started here, so that bad commands end the match before it begins.
            engines = self._start_pair()
        except MatchInterruptedError:
            return tally
        self._names = tally.names = _distinct_names(engines[0].name, engines[1].name)
        for index in range(min(self._settings.concurrency, self._settings.games)):
            started = engines if index == 0 else []
            self._workers.append(threading.Thread(target=self._work, args=(started,), name=f"games {index}"))
        for worker in self._workers:
            worker.start()
        self._collect(tally, on_game)
        return tally

    def stop(self) -> None:
        """Ends all games and all engines."""
        self._stopping.set()
        for worker in self._workers:
            worker.join()

    def _collect(self, tally: MatchTally, on_game: Callable[[GameFinished], None]) -> None:
        while True:
            if self._interrupt.is_set():
                self._stopping.set()
            working = any(worker.is_alive() for worker in self._workers)
            outcome = self._next_outcome(_POLL_S if working else 0)
            if isinstance(outcome, BaseException):
                raise outcome
            if outcome is not None:
                tally.add(outcome)
                self._append_pgn(outcome)
                on_game(GameFinished(outcome, tally))
            elif not working:
                return

    def _next_outcome(self, timeout_s: float) -> GameRecord | BaseException | None:
        try:
            return self._outcomes.get(timeout=timeout_s) if timeout_s else self._outcomes.get_nowait()
        except queue.Empty:
            return None

    def _append_pgn(self, record: GameRecord) -> None:
        if self._settings.pgn_path is not None:
            with self._settings.pgn_path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(render_game(record))

    def _start_pair(self) -> list[EngineController]:
        first = self._start_engine(0)
        try:
            return [first, self._start_engine(1)]
        except BaseException:
            first.kill()
            raise

    def _start_engine(self, index: int) -> EngineController:
        return EngineController(
            self._settings.engines[index],
            self._game_options(),
            self._settings.timeouts,
            self._is_stopping,
        )

    def _game_options(self) -> dict[str, str]:
        """The options by which an engine is told the game, in the order in which they must be set."""
        path = self._settings.variant_path
        loaded = {} if path is None else {"VariantPath": str(path.resolve())}
        return loaded | {"UCI_Variant": self._settings.ruleset.name, "BoardSize": self._board_size}

    def _is_stopping(self) -> bool:
        return self._stopping.is_set() or self._interrupt.is_set()

    def _work(self, engines: list[EngineController]) -> None:
        """Plays games until there are none left; starts its engines unless they are given."""
        try:
            engines = engines or self._start_pair()
            while not self._is_stopping() and (pairing := self._next_pairing()) is not None:
                for index, engine in enumerate(engines):
                    if not engine.usable:
                        engine.kill()
                        engines[index] = self._start_engine(index)
                self._outcomes.put(self._play(pairing, engines))
        except MatchInterruptedError:
            pass  # while an engine was being started; no game is lost
        except BaseException as error:
            self._stopping.set()
            self._outcomes.put(error)
        finally:
            for engine in engines:
                if engine.usable:
                    engine.quit()
                else:
                    engine.kill()

    def _next_pairing(self) -> Pairing | None:
        with self._pairings_lock:
            return next(self._pairings, None)

    def _play(self, pairing: Pairing, engines: list[EngineController]) -> GameRecord:
        white, black = (0, 1) if pairing.first_is_white else (1, 0)
        controls = (self._settings.engines[white].control, self._settings.engines[black].control)
        players = (Player(engines[white], controls[0]), Player(engines[black], controls[1]))
        date = time.strftime("%Y.%m.%d")
        return GameRecord(
            pairing.number,
            (self._names[white], self._names[black]),
            controls,
            pairing.first_is_white,
            date,
            play_game(pairing.start, players, self._settings.limits),
        )


def _distinct_names(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")
