"""What each faulty engine costs: its own game, with the termination that it deserves, and nothing else."""

import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes.fake_engine import PROCESS_BEHAVIOURS
from latrones_uci.client.engine_spec import Timeouts
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position, Termination
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.game import Player, play_game

LIMITS = GameLimits(margin_ms=50, max_plies=8)
SHORT = TimeControl(movetime_ms=100)
LONG = TimeControl(movetime_ms=20_000)
TIMEOUTS = Timeouts(stop_grace_s=0.2, quit_s=0.2)
STALL = (SHORT, Termination.STALL, "no bestmove within", 1)
# What Black does from its second move on (where its time is short, from its first), how the game ends, what the record
# says of it, and the plies.
GAMES = {
    "illegal": (LONG, Termination.ILLEGAL_MOVE, "Black: bestmove '", 3),
    "wrong-side": (LONG, Termination.ILLEGAL_MOVE, "which is only legal for the opponent", 3),
    "malformed": (LONG, Termination.PROTOCOL_ERROR, "bestmove 'Hello' is not a move", 3),
    "empty": (LONG, Termination.PROTOCOL_ERROR, "bestmove '' is not a move", 3),
    "no-move": (LONG, Termination.STALL, "bestmove '0000', but the player has legal moves", 3),
    "resign": (LONG, Termination.RESIGNATION, "Black: bestmove 'resign'", 3),
    "crash": (LONG, Termination.CRASH, "ended with status 3: the fake falls over", 3),
    "answer-and-exit": (LONG, Termination.CRASH, "ended with status 0", 5),
    "close-stdout": (LONG, Termination.CRASH, "closed a pipe without ending", 3),
    "late": (SHORT, Termination.TIME_LOSS, " ms late", 1),
    "stall": STALL, "half-line": STALL, "flood": STALL, "flood-one-line": STALL, "flood-errors": STALL,
    "stop-reading": STALL, "children": STALL,
    **dict.fromkeys(("carriage-returns", "stale-answer", "long-line", "junk", "upper-case", "ignore-quit", "wrong-id"),
                    (LONG, Termination.ADJUDICATION, "", 8)),
}  # fmt: skip
AS_PROCESSES = {*PROCESS_BEHAVIOURS, "crash", "answer-and-exit", "ignore-quit", "long-line"}


def await_group_end(group: int) -> None:
    """Those whose parent was killed too are waited for by another process, in its own time."""
    deadline = time.monotonic() + 20
    with suppress(ProcessLookupError):
        while os.killpg(group, 0) is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)


@pytest.fixture
def nothing_left() -> Iterator[None]:
    def state() -> tuple[set[str], int, int]:
        tasks = Path("/proc/self/task").glob("*/children")
        children = {child for task in tasks for child in task.read_text().split()}
        return children, threading.active_count(), len(os.listdir("/proc/self/fd"))

    before, peak_kb = state(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert state() == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < peak_kb + 16_000


@pytest.mark.parametrize("behaviour", [
    pytest.param(name, marks=pytest.mark.process if name in AS_PROCESSES else ()) for name in GAMES
])  # fmt: skip
def test_a_fault_costs_its_game(
    behaviour: str, start: Position, fake_controller: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    control, termination, details, plies = GAMES[behaviour]
    opponent = fake_controller("good", timeouts=TIMEOUTS)
    if behaviour in AS_PROCESSES:
        request.getfixturevalue("nothing_left")
    timeouts = replace(TIMEOUTS, stop_grace_s=20.0) if behaviour == "late" else TIMEOUTS
    faulty = fake_controller(behaviour, 0 if control is SHORT else 1, timeouts=timeouts)
    game = play_game(start, (Player(opponent, LONG), Player(faulty, control)), LIMITS)
    outcome = game.outcome
    assert (outcome.termination, len(game.plies)) == (termination, plies), outcome.details
    assert outcome.result == ("1-0" if details else "1/2-1/2")
    assert details in outcome.details
    assert (game.fault is not None) == (not faulty.usable)
    if behaviour == "crash":
        assert game.fault is not None
        assert (game.fault.exit_status, game.fault.stderr) == (3, ("the fake falls over",))
    faulty.quit()
    if behaviour in AS_PROCESSES:
        await_group_end(faulty.process_id)
    assert opponent.usable
