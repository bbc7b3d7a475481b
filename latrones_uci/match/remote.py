"""Games of workers in other processes: results as plain data, and messages with the states of running games."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Position
from latrones_uci.match.events import LiveGames
from latrones_uci.match.game import Turn
from latrones_uci.match.worker import Report
from latrones_uci.records.record import GameTask, TaskResult, game_from_data, game_to_data, ply_from_row, ply_to_row
from latrones_uci.text.clock import now_ns


def play_as_data(
    play: Callable[[GameTask, Report | None], TaskResult], task: GameTask, send: Callable[[str], None] | None,
    interval_s: float,
) -> dict[str, Any]:
    """Play a task, and return its result as plain data: a position as it is in memory has tables of its board.

    Args:
        play: plays the task.
        task: the task.
        send: called with messages for ``receive_turn`` while the game runs; None for no messages.
        interval_s: seconds between two messages.
    """
    if send is None or not task.fen:
        return remote_data(play(task, None))
    with sending_turns(send, interval_s) as report:
        return remote_data(play(task, report))


def remote_data(result: TaskResult) -> dict[str, Any]:
    """Return a result as plain data, without its start position."""
    game = None if result.game is None else game_to_data(result.game)
    return {"identities": result.identities, "started": result.started, "game": game, "notes": result.notes}


def read_remote(data: dict[str, Any], task: GameTask) -> TaskResult:
    """Return the result of the data that ``remote_data`` returned."""
    if data["game"] is None:
        return TaskResult(data["identities"])
    start = Position.from_fen(start_position(task.variant, task.variant_file).ruleset, task.fen)
    game = game_from_data(data["game"], start, keep_rows=True)
    return TaskResult(data["identities"], data["started"], game, tuple(data["notes"]))


@contextmanager
def sending_turns(send: Callable[[str], None], interval_s: float) -> Iterator[Report]:
    """Send the latest states of games as messages for ``receive_turn``, each at most once in ``interval_s``.

    Messages are JSON text with the plies since the previous one.

    Yields:
        What is to be called with the states; it never waits.
    """
    latest: dict[int, Turn] = {}
    ended = threading.Event()

    def send_changes() -> None:
        sent: dict[int, int] = {}
        while not ended.wait(interval_s):
            for number, turn in list(latest.items()):
                first = sent.get(number, 0)
                if sent.get(number) != turn.played:
                    sent[number] = turn.played
                    rows = [ply_to_row(ply) for ply in turn.plies[first : turn.played]]
                    age_ns = now_ns() - turn.since_ns
                    send(json.dumps([number, first, rows, turn.clocks_ns, age_ns], separators=(",", ":")))

    thread = threading.Thread(target=send_changes, name="turns", daemon=True)
    thread.start()
    try:
        yield latest.__setitem__
    finally:
        ended.set()
        thread.join()


def receive_turn(live: LiveGames, message: str) -> None:
    """Take a message of ``sending_turns``. After one that was lost, or at its end, a game is not reported any more."""
    number, first, rows, clocks_ns, age_ns = json.loads(message)
    before = live.turn(number)
    plies = [] if before is None or first == 0 else before.plies[: before.played]  # 0 again if its worker was lost
    if first == len(plies):
        plies = [*plies, *map(ply_from_row, rows)]
        live.report(number, Turn(plies, len(plies), tuple(clocks_ns), now_ns() - age_ns))
