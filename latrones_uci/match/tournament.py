"""A tournament: its games handed out, and what comes back kept."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import ExitStack
from threading import Event as Flag

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.match.database import stored_games
from latrones_uci.match.events import (
    GameFinished,
    GameStarted,
    Observer,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.opening_book import OpeningBook
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.standings import Standings
from latrones_uci.match.worker import GameTask, TaskResult
from latrones_uci.records.plan import Fixture, fixtures, pairings
from latrones_uci.records.record import GameRecord, PlayedGame
from latrones_uci.records.store import Store, StoreError
from latrones_uci.stats import Verdict, log_likelihood_ratio, sprt_verdict

_POLL_S = 0.5


class Tournament:
    """The games of a tournament that are not in its database yet."""

    def __init__(
        self,
        settings: TournamentSettings,
        store: Store,
        observe: Observer,
        interrupt: Flag,
    ) -> None:
        """Reads what was played before.

        Args:
            settings: the tournament, every engine with its name.
            store: its database, which knows the settings.
            observe: told what happens, in the thread of ``run``.
            interrupt: when set, no more games are begun and ``run`` returns when those under way have ended.
        """
        self._settings, self._store, self._observe, self._interrupt = settings, store, observe, interrupt
        self.standings = Standings(tuple(engine.name or "" for engine in settings.engines))
        self._verdict = ""
        self._played: set[int] = set()
        self._begun_pairs: set[int] = set()
        self._total = settings.games * len(pairings(settings.format, len(settings.engines)))

    def run(self, executor: Executor, play: Callable[[GameTask], TaskResult]) -> TournamentFinished:
        """Plays what is left; every game that ended by itself is in the database before it is told of.

        Args:
            executor: where games are played, at most ``concurrency`` at a time.
            play: plays a task (see ``GameWorker.play``).

        Raises:
            EngineStartError: an engine does not start any more. What was played is kept.
            ScreenError: the engine that screens openings failed. What was played is kept.
            SettingsError: there is no opening.
            StoreError: the database cannot be written.
            Exception: whatever an executor of games elsewhere fails with.
        """
        with ExitStack() as stack:
            book = stack.enter_context(
                OpeningBook(self._settings, self._store, self._interrupt.is_set, self._warn)
            )
            self._verdict = self._store.verdict()
            self._recall()
            self._observe(TournamentStarted(self._settings, self._total, self.standings))
            try:
                self._play(book, executor, play)
            except (EngineError, StoreError):
                self._observe(self._finished())
                raise
        finished = self._finished()
        self._observe(finished)
        return finished

    def _play(self, book: OpeningBook, executor: Executor, play: Callable[[GameTask], TaskResult]) -> None:
        under_way: dict[Future[TaskResult], Fixture] = {}
        waiting = self._fixtures()
        try:
            while True:
                self._hand_out(waiting, under_way, book, executor, play)
                if not under_way:
                    return
                done, _ = wait(under_way, _POLL_S, FIRST_COMPLETED)
                if self._interrupt.is_set():
                    _cancel(under_way)
                ended = [(under_way.pop(future), future) for future in done]
                # Refill the queue before writing to disk.
                self._hand_out(waiting, under_way, book, executor, play)
                for fixture, future in sorted(ended, key=lambda item: item[0].number):
                    self._take_in(fixture, future)
        finally:
            _cancel(under_way)

    def _warn(self, text: str) -> None:
        self._observe(Warned(text))

    def _finished(self) -> TournamentFinished:
        return TournamentFinished(self.standings, self._interrupt.is_set(), self._verdict, self._ratio())

    def _recall(self) -> None:
        """Counts the games in the database."""
        for record in stored_games(self._store, self._settings):
            self.standings.add(record)
            self._played.add(record.fixture.number)
            self._begun_pairs.add(record.fixture.pair)

    def _fixtures(self) -> Iterator[Fixture]:
        settings = self._settings
        every = fixtures(
            settings.format, len(settings.engines), len(settings.variants), settings.games, settings.seed
        )
        return (fixture for fixture in every if fixture.number not in self._played)

    def _hand_out(
        self,
        waiting: Iterator[Fixture],
        under_way: dict[Future[TaskResult], Fixture],
        book: OpeningBook,
        executor: Executor,
        play: Callable[[GameTask], TaskResult],
    ) -> None:
        while len(under_way) < self._settings.concurrency and not self._interrupt.is_set():
            fixture = next((each for each in waiting if self._may_begin(each)), None)
            if fixture is None:
                return
            try:
                fen = book.position(fixture.variant, fixture.opening).fen()
            except WaitInterruptedError:
                return
            self._begun_pairs.add(fixture.pair)
            under_way[executor.submit(play, self._task(fixture, fen))] = fixture
            self._observe(GameStarted(fixture, self._names(fixture), fen))

    def _may_begin(self, fixture: Fixture) -> bool:
        """Once the test has its verdict, only pairs that have begun are brought to their end, and counted."""
        return not self._verdict or fixture.pair in self._begun_pairs

    def _take_in(self, fixture: Fixture, future: Future[TaskResult]) -> None:
        try:
            result = future.result()
        except (WaitInterruptedError, CancelledError):
            return  # before its first move
        assert result.game is not None  # every task of a tournament has a position
        record = self._record(fixture, result.started, result.game)
        if record.counts:
            self._store.add_game(record)
        self.standings.add(record)
        self._decide()
        self._observe(GameFinished(record, self.standings, self._ratio()))

    def _ratio(self) -> float | None:
        sprt = self._settings.sprt
        return None if sprt is None else log_likelihood_ratio(sprt, self.standings.meeting(0, 1).pairs)

    def _decide(self) -> None:
        if self._settings.sprt is None or self._verdict:
            return
        verdict = sprt_verdict(self._settings.sprt, self.standings.meeting(0, 1).pairs)
        if verdict is not Verdict.CONTINUE:
            self._verdict = verdict.value
            self._store.decide(self._verdict)

    def _record(self, fixture: Fixture, started: str, game: PlayedGame) -> GameRecord:
        players = self._players(fixture)
        return GameRecord(
            fixture, self._names(fixture), (players[0].control, players[1].control), started, game
        )

    def _players(self, fixture: Fixture) -> tuple[EngineSettings, EngineSettings]:
        return self._settings.engines[fixture.white], self._settings.engines[fixture.black]

    def _names(self, fixture: Fixture) -> tuple[str, str]:
        return self.standings.names[fixture.white], self.standings.names[fixture.black]

    def _task(self, fixture: Fixture, fen: str) -> GameTask:
        settings = self._settings
        return GameTask(
            f"game {fixture.number}",
            self._players(fixture),
            settings.variants[fixture.variant],
            settings.variant_file,
            fen,
            settings.limits,
            settings.timeouts,
        )


def _cancel(under_way: Iterable[Future[TaskResult]]) -> None:
    """Those that have begun in this process go on until they notice that they shall end."""
    for future in under_way:
        future.cancel()
