"""Play tournaments in tests."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.match.events import GameFinished, MatchEvent
from latrones_uci.match.run import play
from latrones_uci.match.worker import LocalPlace, Place
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store
from latrones_uci.text.command import join_command


def match_words(*commands: Sequence[str]) -> list[str]:
    """Return the arguments of a match of engines with these commands, called A, B, and so on, on a small board."""
    words = []
    for name, command in zip("ABCD", commands, strict=False):
        words += ["--engine", f"cmd={join_command(command)}", f"name={name}"]
    return [*words, "--each", "nodes=1", "--board", "6x6"]


def texts(path: Path) -> dict[int, list[str]]:
    """Return the moves of each game in a database, by its number."""
    with Store(path, writing=False) as store:
        return {
            record.fixture.number: [ply.text for ply in record.game.plies]
            for record in stored_games(store, stored_settings(store))
        }


class Together(Executor):
    """Ends its games when there are enough, all of them, the last one first, or one, the first, and the rest later."""

    def __init__(self, size: int, *, one: bool = False) -> None:
        self.size, self._one = size, one
        self.pending: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.pending.append((future, lambda: function(*arguments)))
        if len(self.pending) == self.size:
            self.end_one(0) if self._one else self.end_all()
        return future

    def end_all(self) -> None:
        while self.pending:
            self.end_one(-1)

    def end_one(self, place: int) -> None:
        future, play = self.pending.pop(place)
        try:
            future.set_result(play())
        except Exception as error:
            future.set_exception(error)


class Listening(TrafficLog):
    """A log that calls a function with each line just before it is sent to an engine, in any thread."""

    def __init__(self, hear: Callable[[str], None] = lambda text: None) -> None:
        self._hear = hear

    def sent(self, name: str, process_id: int, text: str) -> None:
        self._hear(text)

    def received(self, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        pass

    def received_error(self, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        pass

    def ended(self, name: str, process_id: int, how: str) -> None:
        pass


def run_tournament(
    settings: TournamentSettings,
    path: Path,
    *,
    interrupt_after: int | None = None,
    interrupt: threading.Event | None = None,
    log: TrafficLog | None = None,
    accept_changed: bool = False,
    place: Place | None = None,
) -> tuple[Any, list[MatchEvent]]:
    """Play the remaining games of a tournament in this process.

    Args:
        settings: the tournament.
        path: its database.
        interrupt_after: interrupt the tournament after this number of games of this run.
        interrupt: interrupts the tournament when set.
        log: receives the lines that are sent to engines.
        accept_changed: accept changed engines, with a warning for each change.
        place: where the games are played, by default in this process.

    Returns:
        The standings (None if the tournament was interrupted while the engines started) and the events.
    """
    events: list[MatchEvent] = []
    interrupt = interrupt or threading.Event()

    def observe(event: MatchEvent) -> None:
        assert threading.current_thread() is threading.main_thread()
        events.append(event)
        if sum(isinstance(each, GameFinished) for each in events) == interrupt_after:
            interrupt.set()

    with place or LocalPlace(settings.concurrency, interrupt.is_set, log) as where:
        try:
            played = play(settings, path, where, observe, interrupt, accept_changed=accept_changed)
        except WaitInterruptedError:
            return None, events
        return played.standings, events
