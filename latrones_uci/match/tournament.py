"""Run a tournament: submit its games to an executor, and store the results."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager, ExitStack, nullcontext
from copy import deepcopy
from queue import Empty, SimpleQueue
from threading import Event as Flag

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.game import Termination
from latrones_uci.match.events import (
    GameFinished,
    GameStarted,
    MovePlayed,
    Observer,
    RoundStarted,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.opening_book import OpeningBook
from latrones_uci.match.rounds import round_name
from latrones_uci.match.schedule import Schedule
from latrones_uci.match.standings import Standings, points_of_first
from latrones_uci.match.summary import more_games
from latrones_uci.match.tuner import Tuner
from latrones_uci.match.worker import Place
from latrones_uci.records.database import stored_games
from latrones_uci.records.plan import Fixture, rounds_of
from latrones_uci.records.record import GameRecord, GameTask, PlyRecord, TaskResult, round_tag
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoreError
from latrones_uci.stats import Verdict, log_likelihood_ratio, sprt_verdict
from latrones_uci.text.files import OnReading, report_nothing
from latrones_uci.text.messages import counted, quoted

_POLL_S = 0.5
_MOVES_POLL_S = 0.1
MAX_FIRST_FAILURES = 4
"""The match ends when an engine has failed at its first move in each of this many games, its first ones."""
SILENT: AbstractContextManager[OnReading] = nullcontext(report_nothing)
_FAILURES = (Termination.CRASH, Termination.STALL, Termination.ILLEGAL_MOVE, Termination.PROTOCOL_ERROR)


class ReadingInterruptedError(WaitInterruptedError):
    """The tournament was interrupted while its database was read. It has begun, and can be resumed."""


class FirstMoveError(EngineError):
    """An engine never gets to make a move, probably because it is set up for another variant or lacks a file."""

    def __init__(self, text: str, engine: int) -> None:
        super().__init__(text)
        self.engine = engine
        """The index of the engine in the settings."""


class Tournament:
    """The games of a tournament that are not in its database yet."""

    def __init__(
        self,
        settings: TournamentSettings,
        store: Store,
        place: Place,
        observe: Observer,
        interrupt: Flag,
        kernels: Sequence[str] = (),
        ends_at: Collection[str] = (),
    ) -> None:
        """Prepare a tournament; ``run`` reads the games played before.

        Args:
            settings: the tournament, with the name of every engine.
            store: its database, with the same settings.
            place: where the games are played. If it reports running games, each move is an event, about ten times a
                second, and always before that of the game's end.
            observe: called with each event, in the thread of ``run``.
            interrupt: when set, no more games are started, and ``run`` returns when the running games have ended.
            kernels: what each engine says it searches with, for the first event.
            ends_at: the kinds of ``standings.FAILURES`` that end the tournament at once, also if a game of an earlier
                run has one. ``interrupt`` is then set, which ends the running games.
        """
        self._settings, self._store, self._place = settings, store, place
        self._observe, self._interrupt = observe, interrupt
        self.standings = Standings(tuple(engine.name or "" for engine in settings.engines), settings.plan)
        assert self.standings.schedule is not None
        self._schedule: Schedule = self.standings.schedule
        self._stages_started = 0
        self._kernels, self._ends_at = kernels, ends_at
        self._reported: dict[int, int] = {}
        self._verdict = ""
        self._done: SimpleQueue[Future[TaskResult]] = SimpleQueue()
        self._first_moves = FirstMoves(self.standings.names)
        self._tuner = None if settings.tuning is None else Tuner(settings, store)

    def run(self, reading: AbstractContextManager[OnReading] = SILENT) -> TournamentFinished:
        """Play the games that are left. A finished game is stored before its event is sent.

        ``reading`` is entered while the database is read; it yields what is called with how far that is.

        Raises:
            ReadingInterruptedError: ``interrupt`` was set while the database was read.
            EngineStartError: an engine no longer starts. Finished games are kept.
            FirstMoveError: an engine fails at its first move in all its games. Finished games are kept.
            ScreenError: the engine of the opening screen failed. Finished games are kept.
            SettingsError: there is no opening.
            StoreError: the database cannot be written.
            Exception: the place failed.
        """
        with ExitStack() as stack:
            book = stack.enter_context(
                OpeningBook(self._settings, self._store, self._interrupt.is_set, self._warn)
            )
            self._verdict = self._store.verdict()
            with reading as report:
                self._load_games(report)
            total = self._schedule.total
            self._observe(TournamentStarted(self._settings, total, self.standings, self._parameters, self._kernels))
            if text := unplayed_variants(self._settings):
                self._warn(text)
            try:
                self._end_at_failure()
                self._first_moves.check(MAX_FIRST_FAILURES)
                self._play(book)
                if not self._interrupt.is_set():
                    self._first_moves.check(2)  # a match may have fewer games
            except (EngineError, StoreError):
                self._observe(self._finished())
                raise
        finished = self._finished()
        self._observe(finished)
        return finished

    def _play(self, book: OpeningBook) -> None:
        running: dict[Future[TaskResult], Fixture] = {}
        try:
            while True:
                self._submit(running, book)
                if not running:
                    return
                done = _all_of(self._done, _POLL_S if self._place.live is None else _MOVES_POLL_S)
                if self._interrupt.is_set():
                    _cancel(running)
                self._report_losses()
                ended = [(running.pop(future), future) for future in done]
                records, failure = self._records(sorted(ended, key=lambda item: item[0].number))
                verdict = self._judge(records)
                if self._tuner is None and failure is None and not self._may_end(records):
                    # Refill the queue before writing to disk, but the next pair of a tuning has to know these results.
                    self._submit(running, book)
                self._report_running_games(running.values())
                self._receive(records, verdict)
                self._end_at_failure()
                if failure is not None:
                    raise failure
                self._first_moves.check(MAX_FIRST_FAILURES)
        finally:
            _cancel(running)

    def _warn(self, text: str) -> None:
        self._observe(Warned(text))

    def _report_losses(self) -> None:
        while not self._place.losses.empty():
            self.standings.lost_workers += 1
            self._warn(self._place.losses.get())

    def _end_at_failure(self) -> None:
        """End the running games, and start no more, if a game has a failure that ends the tournament."""
        if self.standings.failure(self._ends_at):
            self._interrupt.set()

    def _may_end(self, records: Iterable[GameRecord]) -> bool:
        """Return whether one of these games may have a failure that ends the tournament."""
        return bool(self._ends_at) and any(
            record.game.violations or record.game.outcome.termination.is_fault for record in records)

    def _finished(self) -> TournamentFinished:
        failure = self.standings.failure(self._ends_at)
        interrupted = self._interrupt.is_set() and not failure
        return TournamentFinished(
            self.standings, interrupted, self._verdict, self._ratio(), self._parameters, failure,
            None if self._verdict else more_games(self._settings, self.standings.meeting(0, 1).pairs),
        )

    @property
    def _parameters(self) -> dict[str, float]:
        return {} if self._tuner is None else self._tuner.parameters

    def _load_games(self, report: OnReading) -> None:
        """Add the games in the database to the standings."""
        if self._tuner is not None:
            self._tuner.resume(stored_games(self._store, self._settings, with_plies=False))
        for number, record in enumerate(stored_games(self._store, self._settings), start=1):
            if self._interrupt.is_set():
                raise ReadingInterruptedError
            self.standings.add(record)
            self._first_moves.add(record)
            report(f"{self._store.path}: {counted(number, 'game')}")
        self._check_strays()
        self._stages_started = max(len(self._schedule.stages) - 1, 0)

    def _check_strays(self) -> None:
        """Raise StoreError if a game in the database is not the one that the results before it lead to."""
        if strays := self._schedule.strays:
            raise StoreError(
                f"{self._store.label}: game {strays[0]} is not one of this"
                f" {self._settings.format.value}: its players do not follow from the games before it"
            )

    def _submit(self, running: dict[Future[TaskResult], Fixture], book: OpeningBook) -> None:
        while len(running) < self._settings.concurrency and not self._interrupt.is_set() and not self._verdict:
            if (fixture := self._schedule.take()) is None:
                return
            self._report_rounds()
            try:
                fen = book.position(fixture.variant, fixture.opening).fen()
            except WaitInterruptedError:
                return
            future = self._place.submit(self._task(fixture, fen))
            running[future] = fixture
            future.add_done_callback(self._done.put)
            self._observe(GameStarted(fixture, self._names(fixture), fen))

    def _report_rounds(self) -> None:
        """Report the games of a round that have become known."""
        for stage in self._schedule.stages[self._stages_started :]:
            byes = () if stage.extra else tuple(self._schedule.rounds[stage.round].byes)
            engines = tuple(pairing.engines for pairing in stage.pairings)
            name = round_name(self._settings.plan, stage.round, stage.extra)
            self._observe(RoundStarted(stage.round, stage.extra, name, engines, byes, self._schedule.total))
            if again := self._schedule.met_before(stage):
                names = ", ".join(" - ".join(self.standings.names[engine] for engine in pair) for pair in again)
                self._warn(f"{name}: no pairing was found in which no engines meet again: {names}")
        self._stages_started = len(self._schedule.stages)

    def _records(
        self, ended: Iterable[tuple[Fixture, Future[TaskResult]]]
    ) -> tuple[list[GameRecord], Exception | None]:
        """Return the records of games that have ended, and the first error of the executor."""
        records: list[GameRecord] = []
        failure: Exception | None = None
        for fixture, future in ended:
            try:
                result = future.result()
            except (WaitInterruptedError, CancelledError):
                continue  # the game had not started
            except Exception as error:
                failure = failure or error
                continue
            for note in result.notes:
                self._warn(f"game {fixture.number}: {note}")
            assert result.game is not None  # every task of a tournament has a position
            white, black = self._players(fixture)
            records.append(GameRecord(fixture, self._names(fixture), (white.control, black.control), result.started,
                                      result.game, round_tag(fixture, self._settings.format)))
        return records, failure

    def _judge(self, records: Iterable[GameRecord]) -> str:
        """Return the verdict of the sequential test if these games decide it; no game starts after it."""
        if self._verdict:
            return ""
        self._verdict = self._verdict_after(record for record in records if record.counts)
        return self._verdict

    def _receive(self, records: Sequence[GameRecord], verdict: str) -> None:
        """Store games and their verdict in one transaction, then report them."""
        if counted := [record for record in records if record.counts]:
            self._store.add_games(counted, verdict)
        for record in records:
            self.standings.add(record)
            self._check_strays()
            if self._place.live is not None:
                self._report_moves(record.fixture, record.game.plies)
                self._reported.pop(record.fixture.number, None)
            self._observe(GameFinished(record, self.standings, self._ratio()))
            if record.counts:
                self._first_moves.add(record)
                if self._tuner is not None and (updated := self._tuner.add(record)) is not None:
                    self._observe(updated)

    def _report_running_games(self, games: Iterable[Fixture]) -> None:
        for fixture in games:
            if self._place.live is not None and (turn := self._place.live.turn(fixture.number)) is not None:
                self._report_moves(fixture, turn.plies[: turn.played])

    def _report_moves(self, fixture: Fixture, plies: Sequence[PlyRecord]) -> None:
        """Report the moves of a game that have not been reported yet."""
        if len(plies) < self._reported.get(fixture.number, 0):
            self._reported[fixture.number] = 0  # its worker was lost, and the game is played again
        for number in range(self._reported.get(fixture.number, 0), len(plies)):
            self._observe(MovePlayed(fixture, number + 1, plies[number]))
        self._reported[fixture.number] = len(plies)

    def _ratio(self) -> float | None:
        sprt = self._settings.sprt
        return None if sprt is None else log_likelihood_ratio(sprt, self.standings.meeting(0, 1).pairs)

    def _verdict_after(self, records: Iterable[GameRecord]) -> str:
        """Return the verdict of the sequential test if one of these games, in this order, decides it."""
        if self._settings.sprt is None:
            return ""
        meeting = deepcopy(self.standings.meeting(0, 1))
        for record in records:
            meeting.add(record.fixture.pair, points_of_first(record))
            verdict = sprt_verdict(self._settings.sprt, meeting.pairs)
            if verdict is not Verdict.CONTINUE:
                return str(verdict.value)
        return ""

    def _players(self, fixture: Fixture) -> tuple[EngineSettings, EngineSettings]:
        return self._settings.engines[fixture.white], self._settings.engines[fixture.black]

    def _names(self, fixture: Fixture) -> tuple[str, str]:
        return self.standings.names[fixture.white], self.standings.names[fixture.black]

    def _task(self, fixture: Fixture, fen: str) -> GameTask:
        settings = self._settings
        return GameTask(
            fixture.number, self._players(fixture), settings.variants[fixture.variant], settings.variant_file, fen,
            settings.limits, settings.timeouts, (fixture.white, fixture.black),
            () if self._tuner is None else self._tuner.options(fixture),
        )


class FirstMoves:
    """Counts for each engine that has made no move yet the games in which it failed at its first one."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._able: set[int] = set()
        self._games: Counter[int] = Counter()
        self._failures: Counter[int] = Counter()
        self._latest: dict[int, str] = {}

    def add(self, record: GameRecord) -> None:
        """Add a game that counts."""
        outcome = record.game.outcome
        players = (record.fixture.white, record.fixture.black)
        for side, engine in enumerate(players):
            if engine in self._able:
                continue
            self._games[engine] += 1
            resigned = outcome.termination is Termination.RESIGNATION and outcome.winner == 1 - side
            if resigned or any(ply.side == side for ply in record.game.plies):
                self._able.add(engine)  # to resign is an answer
            elif outcome.termination in _FAILURES and outcome.winner == 1 - side:
                self._failures[engine] += 1
                self._latest[engine] = f"{outcome.termination.value} ({outcome.details})"

    def check(self, failures: int) -> None:
        """Raise FirstMoveError if an engine has failed so often and never made a move."""
        for engine, count in self._failures.items():
            if count >= failures and engine not in self._able:
                played = self._games[engine]
                games = f"all of its {count}" if count == played else f"{count} of its {played}"
                raise FirstMoveError(
                    f"engine {quoted(self._names[engine])} failed at its first move in {games} games,"
                    f" last by {self._latest[engine]}; check its command, options and variant (variant_path=,"
                    " variant.NAME=), with --log for its output, and start again with another --database",
                    engine,
                )


def unplayed_variants(settings: TournamentSettings) -> str:
    """Return a warning about variants for which there are too few pairs of games, empty if there are none."""
    plan = settings.plan
    rounds = plan.rounds if plan.format.in_rounds else 1
    names = [variant.to_text() for variant in settings.variants[rounds_of(settings.games) * rounds :]]
    if not names:
        return ""
    expected = 2 * -(-plan.variants // rounds)
    games = f"{counted(settings.games, 'game')} per pairing"
    return (
        f"{', '.join(names)}: not played with {games}, as a pair of games has one variant;"
        f" expected --games {expected} or more"
    )


def _all_of(queue: SimpleQueue[Future[TaskResult]], timeout_s: float) -> list[Future[TaskResult]]:
    """Wait for an item, and return all that are there; none if the time is up."""
    items = []
    try:
        items.append(queue.get(timeout=timeout_s))
        while True:
            items.append(queue.get_nowait())
    except Empty:
        return items


def _cancel(running: Iterable[Future[TaskResult]]) -> None:
    """Cancel the games that have not started; running games end when they notice the interruption."""
    for future in running:
        future.cancel()
