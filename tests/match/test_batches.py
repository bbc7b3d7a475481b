"""Games that end at the same time are stored in one transaction, and games for a cluster are sent together."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from latrones_uci.client.errors import EngineStartError
from latrones_uci.match import worker
from latrones_uci.match.events import Event, GameFinished, TournamentFinished
from latrones_uci.match.record import GameRecord, ply_to_row
from latrones_uci.match.serialize import serialize
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store, StoredEngine
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import ClusterError, GameTask, TaskResult, parse_result, render_result
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
    """A client of a cluster that answers each message of tasks by the next list of answers."""

    def __init__(self, answers: Iterable[Sequence[Any]]) -> None:
        self.messages: list[list[str]] = []
        self._answers = iter(answers)
        self.loop = SimpleNamespace(add_callback=self._call)
        self._running: set[asyncio.Task[None]] = set()

    def _call(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._running.add(asyncio.ensure_future(function(*arguments)))

    def map(self, function: Any, texts: list[str], topics: list[str], **options: Any) -> "list[asyncio.Future[str]]":
        assert function is worker.play_text
        assert options == {"pure": False, "retries": 10}
        self.messages.append(texts)
        played = []
        for answer in next(self._answers):
            future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            if isinstance(answer, str):
                future.set_result(answer)
            else:
                future.set_exception(answer)
            played.append(future)
        return played


def task(number: int) -> GameTask:
    return GameTask(number, SETTINGS.engines, SETTINGS.variants[0], fen=START.fen())


RESULT = TaskResult((), "2024-05-31T12:00:00Z", played_record(1).game)


def on_cluster(client: FakeClient, games: int, cancel: Iterable[int] = ()) -> list[Any]:
    """Return the results and errors of games that are submitted together; some are cancelled before they are sent."""

    async def play() -> list[Any]:
        executor = worker._ClusterExecutor(client, worker.GAMES, None)
        futures = [executor.submit(worker.play_alone, task(number)) for number in range(1, games + 1)]
        for number in cancel:
            futures[number - 1].cancel()
        return await asyncio.gather(*map(asyncio.wrap_future, futures), return_exceptions=True)

    return asyncio.run(play())


def test_games_submitted_together_are_one_message() -> None:
    client = FakeClient([[render_result(RESULT)] * 2])
    results = on_cluster(client, 3, cancel=[2])
    assert client.messages == [[worker.render_task(task(1)), worker.render_task(task(3))]]
    assert isinstance(results[1], asyncio.CancelledError)
    assert [results[0], results[2]] == [RESULT, RESULT]


def test_a_game_that_dask_gives_up_is_submitted_again() -> None:
    lost = [KilledWorker("gone")]
    client = FakeClient([[render_result(RESULT), *lost], *[lost] * 4, [render_result(RESULT)]])
    assert on_cluster(client, 2) == [RESULT, RESULT]
    assert list(map(len, client.messages)) == [2, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([[KilledWorker("gone")]] * 6, "game 1: every worker that had it was lost; gone"),
        ([[CancelledError()]], "connection to the Dask scheduler lost; rerun the command to resume"),
        ([[CommClosedError("closed")]], "connection to the Dask scheduler lost; rerun the command to resume"),
    ],
)
def test_what_a_cluster_cannot_play_is_an_error(answers: list[Sequence[Any]], message: str) -> None:
    (error,) = on_cluster(FakeClient(answers), 1)
    assert isinstance(error, ClusterError)
    assert str(error) == message


def test_an_error_of_a_worker_is_passed_on() -> None:
    (error,) = on_cluster(FakeClient([[EngineStartError("no such program")]]), 1)
    assert isinstance(error, EngineStartError)


def test_plies_from_a_cluster_are_those_that_were_played() -> None:
    read = parse_result(render_result(RESULT), task(1))
    assert read.game is not None
    assert RESULT.game is not None
    assert read == RESULT
    assert hash(read.game.plies) == hash(RESULT.game.plies)
    assert list(map(tuple, read.game.rows)) == [ply_to_row(ply) for ply in RESULT.game.plies]
    assert (read.game.plies[0], read.game.plies[1:]) == (RESULT.game.plies[0], RESULT.game.plies[1:])
    text = render_result(RESULT).replace("[0,1,", "[0,0,1,", 1)
    with pytest.raises(ValueError, match="expected rows of 12 columns"):
        parse_result(text, task(1))
