"""Games that end at the same time are stored in one transaction; what a cluster returns."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.client.errors import EngineStartError, WaitInterruptedError
from latrones_uci.match import cluster
from latrones_uci.match.events import Event, GameFinished, TournamentFinished
from latrones_uci.match.record import GameRecord, ply_to_row
from latrones_uci.match.serialize import serialize
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store, StoredEngine, StoredOpening
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import GameTask, Identity, TaskResult
from latrones_uci.stats import Sprt, Verdict, sprt_verdict
from match_records import SETTINGS, START, played_record, record


class Together(Executor):
    """Ends all its games when there are enough, the last one first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pending: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.pending.append((future, lambda: function(*arguments)))
        if len(self.pending) == self.size:
            for each, play in reversed(self.pending):
                try:
                    each.set_result(play())
                except EngineStartError as error:
                    each.set_exception(error)
            self.pending.clear()
        return future


class Transactions(Store):
    """Notes the games of each transaction and the verdict."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, writing=True)
        self.seen: list[tuple[list[int], str]] = []

    def add_games(self, records: Sequence[GameRecord], verdict: str = "") -> None:
        super().add_games(records, verdict)
        self.seen.append(([each.fixture.number for each in records], verdict))


def win_of_first(task: GameTask) -> TaskResult:
    game = record(1, int(task.engines[0].name != "A")).game
    return TaskResult((), "2024-05-31T12:00:00Z", replace(game, plies=played_record(1).game.plies))


@dataclass
class Played:
    """A match: its transactions, its events, and at the end of each game its number, the games in the standings, and
    whether it is stored.
    """

    transactions: list[tuple[list[int], str]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    finished: list[tuple[int, int, bool]] = field(default_factory=list)
    error: EngineStartError | None = None


def play_together(
    settings: TournamentSettings, path: Path, play: Callable[[GameTask], TaskResult] = win_of_first
) -> Played:
    """Play a match whose games end together."""
    played = Played()
    with Transactions(path) as store:
        engines = [StoredEngine(name, name, "", (name,), "") for name in "AB"]
        store.begin(serialize(settings), engines, "2024-05-31T12:00:00Z", "test")

        def observe(event: Event) -> None:
            played.events.append(event)
            if isinstance(event, GameFinished):
                number = event.record.fixture.number
                played.finished.append((number, event.standings.games, number in store.game_numbers()))

        tournament = Tournament(settings, store, observe, threading.Event())
        try:
            tournament.run(Together(settings.concurrency), play)
        except EngineStartError as error:
            played.error = error
        played.transactions = store.seen
    return played


def test_reading_the_games_of_a_database_is_reported_and_interrupted(tmp_path: Path) -> None:
    path, reports, interrupt = tmp_path / "match.db", list[str](), threading.Event()

    def report(text: str) -> None:
        reports.append(text)
        if len(reports) == 2:
            interrupt.set()

    with Store(path, writing=True) as store:
        store.begin(serialize(SETTINGS), [StoredEngine(name, name, "", (name,), "") for name in "AB"], "", "test")
        store.add_openings([StoredOpening(0, number, START.fen()) for number in range(5)])
        store.add_games([played_record(number) for number in range(1, 5)])
        events: list[Event] = []
        tournament = Tournament(SETTINGS, store, events.append, interrupt)
        with pytest.raises(WaitInterruptedError):
            tournament.run(Together(1), win_of_first, nullcontext(report))
    assert (reports, events) == ([f"{path}: 1 game", f"{path}: 2 games"], [])


def test_games_that_end_together_are_one_transaction_and_one_event_each(tmp_path: Path) -> None:
    played = play_together(replace(SETTINGS, concurrency=5), tmp_path / "match.db")
    assert played.transactions == [([1, 2, 3, 4, 5], ""), ([6, 7, 8, 9, 10], "")]
    assert played.finished == [(number, number, True) for number in range(1, 11)]


def test_nothing_is_left_beside_the_database(tmp_path: Path) -> None:
    play_together(replace(SETTINGS, concurrency=5), tmp_path / "match.db")
    assert [path.name for path in tmp_path.iterdir()] == ["match.db"]


def test_games_that_end_with_a_failure_are_stored_before_it_ends_the_match(tmp_path: Path) -> None:
    def play(task: GameTask) -> TaskResult:
        if task.game_number == 2:
            raise EngineStartError("no such program")
        return win_of_first(task)

    played = play_together(replace(SETTINGS, concurrency=5), tmp_path / "match.db", play)
    assert str(played.error) == "no such program"
    assert played.transactions == [([1, 3, 4, 5], "")]
    assert [number for number, _, _ in played.finished] == [1, 3, 4, 5]
    assert isinstance(played.events[-1], TournamentFinished)


def test_a_verdict_is_stored_with_the_game_that_decides_it(tmp_path: Path) -> None:
    settings = replace(SETTINGS, games=1000, concurrency=10, sprt=Sprt(0, 200))
    played = play_together(settings, tmp_path / "match.db")
    verdicts = [verdict for _, verdict in played.transactions]
    assert verdicts == [*[""] * (len(verdicts) - 1), "H1"]
    assert len(played.finished) == 10 * len(verdicts) < 1000
    assert isinstance(played.events[-1], TournamentFinished)
    assert played.events[-1].verdict == "H1"


class InTurn(Executor):
    """Ends the games one after the other, each when as many are running as it may run."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pending: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.pending.append((future, lambda: function(*arguments)))
        if len(self.pending) == self.size:
            self.end_next()
        return future

    def end_next(self) -> None:
        future, play = self.pending.popleft()
        future.set_result(play())


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_game_starts_after_the_verdict_or_when_the_match_is_resumed(tmp_path: Path, concurrency: int) -> None:
    sprt = Sprt(0, 200)
    settings = replace(SETTINGS, games=1000, concurrency=concurrency, sprt=sprt)
    deciding = next(2 * won for won in range(1, 500) if sprt_verdict(sprt, (0, 0, 0, 0, won)) is Verdict.ACCEPT_H1)
    executor = InTurn(concurrency)
    with Store(tmp_path / "match.db", writing=True) as store:
        store.begin(serialize(settings), [StoredEngine(name, name, "", (name,), "") for name in "AB"], "", "test")

        def observe(event: Event) -> None:
            if isinstance(event, GameFinished) and store.verdict() and executor.pending:
                executor.end_next()  # nothing else ends the games that were running when the verdict fell

        for _ in range(2):  # played, and resumed
            finished = Tournament(settings, store, observe, threading.Event()).run(executor, win_of_first)
            assert finished.verdict == "H1"
            assert finished.standings.games == len(store.game_numbers()) == deciding + concurrency - 1


# ---------------------------------------------------------------- on a cluster


class KilledWorker(Exception):  # noqa: N818
    """Named like the exception of Dask."""


class CommClosedError(OSError):
    """Named like the exception of Dask."""


class FakeClient:
    """A client of a cluster that answers the next task by the next answer."""

    def __init__(self, *answers: Any) -> None:
        self.tasks: list[Any] = []
        self._answers = iter(answers)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        assert options == {"pure": False, "retries": 10}
        self.tasks += arguments
        future: Future[Any] = Future()
        answer = next(self._answers)
        if answer is CancelledError:
            future.cancel()
        elif isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
        return future


def task(number: int) -> GameTask:
    return GameTask(number, SETTINGS.engines, SETTINGS.variants[0], fen=START.fen())


RESULT = TaskResult((Identity("A", "A 1.0", "me"),), "2024-05-31T12:00:00Z", played_record(1).game)


def test_a_result_from_a_cluster_is_that_of_the_worker() -> None:
    client = FakeClient(cluster.remote_data(RESULT))
    future = cluster._ClusterExecutor(client, cluster.read_remote).submit(cluster.play_remotely, task(1))
    assert future.result() == RESULT
    assert client.tasks == [task(1)]
    identified = replace(RESULT, started="", game=None)
    assert cluster.read_remote(cluster.remote_data(identified), task(0)) == identified


def test_a_game_that_dask_gives_up_is_submitted_again() -> None:
    client = FakeClient(*[KilledWorker("gone")] * 5, cluster.remote_data(RESULT))
    future = cluster._ClusterExecutor(client, cluster.read_remote).submit(cluster.play_remotely, task(1))
    assert future.result() == RESULT
    assert client.tasks == [task(1)] * 6


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([KilledWorker("gone")] * 6, "every worker that had a task was lost; gone"),
        ([CancelledError], "connection to the Dask scheduler lost; rerun the command to resume"),
        ([CommClosedError("closed")], "connection to the Dask scheduler lost; rerun the command to resume"),
    ],
)
def test_what_a_cluster_cannot_play_is_an_error(answers: list[Any], message: str) -> None:
    executor = cluster._ClusterExecutor(FakeClient(*answers), cluster.read_remote)
    future = executor.submit(cluster.play_remotely, task(1))
    with pytest.raises(cluster.ClusterError) as raised:
        future.result()
    assert str(raised.value) == message


def test_an_error_of_a_worker_is_passed_on() -> None:
    client = FakeClient(EngineStartError("no such program"))
    future = cluster._ClusterExecutor(client, cluster.read_remote).submit(cluster.play_remotely, task(1))
    with pytest.raises(EngineStartError, match="no such program"):
        future.result()


def test_plies_from_a_cluster_are_those_that_were_played() -> None:
    data = cluster.remote_data(RESULT)
    read = cluster.read_remote(data, task(1))
    assert read.game is not None
    assert RESULT.game is not None
    assert hash(read.game.plies) == hash(RESULT.game.plies)
    assert list(map(tuple, read.game.rows)) == [ply_to_row(ply) for ply in RESULT.game.plies]
    assert (read.game.plies[0], read.game.plies[1:]) == (RESULT.game.plies[0], RESULT.game.plies[1:])
    data["game"]["plies"][0] += (1,)
    with pytest.raises(ValueError, match="expected rows of 12 columns"):
        cluster.read_remote(data, task(1))
