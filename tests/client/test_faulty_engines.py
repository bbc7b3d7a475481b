"""What each faulty engine costs: its own game, with the termination that it deserves, and nothing else."""

import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import EngineStartError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position, Termination, find_variant
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.game import Player, play_game

pytestmark = pytest.mark.process

FAKE = Path(__file__).resolve().parent.parent / "fakes" / "fake_engine.py"
LIMITS = GameLimits(margin_ms=50, max_plies=8)
CONTROL = TimeControl(movetime_ms=100)
PATIENT = TimeControl(movetime_ms=20_000)
TIMEOUTS = Timeouts(stop_grace_s=0.2, quit_s=0.2)
# What the engine does from its second move on (where its time is short, from the first), how the game ends, and what
# the record says of it.
LOSSES = [
    ("illegal", PATIENT, Termination.ILLEGAL_MOVE, "Black: bestmove '"),
    ("wrong-side", PATIENT, Termination.ILLEGAL_MOVE, "which is only legal for the opponent"),
    ("malformed", PATIENT, Termination.PROTOCOL_ERROR, "bestmove 'Hello' is not a move"),
    ("empty", PATIENT, Termination.PROTOCOL_ERROR, "bestmove '' is not a move"),
    ("no-move", PATIENT, Termination.STALL, "bestmove '0000', but the player has legal moves"),
    ("resign", PATIENT, Termination.RESIGNATION, "Black: bestmove 'resign'"),
    ("crash", PATIENT, Termination.CRASH, "ended with status 3: the fake falls over"),
    ("answer-and-exit", PATIENT, Termination.CRASH, "ended with status 0"),
    ("close-stdout", PATIENT, Termination.CRASH, "closed a pipe without ending"),
    ("late", CONTROL, Termination.TIME_LOSS, " ms late"),
    ("stall", CONTROL, Termination.STALL, "no bestmove within"),
    ("half-line", CONTROL, Termination.STALL, "no bestmove within"),
    ("flood", CONTROL, Termination.STALL, "no bestmove within"),
    ("flood-one-line", CONTROL, Termination.STALL, "no bestmove within"),
    ("flood-errors", CONTROL, Termination.STALL, "no bestmove within"),
    ("stop-reading", CONTROL, Termination.STALL, "no bestmove within"),
    ("children", CONTROL, Termination.STALL, "no bestmove within"),
]
FORGIVEN = ["carriage-returns", "stale-answer", "long-line", "junk", "upper-case", "ignore-quit", "wrong-id"]


def start_engine(settings: EngineSettings, timeouts: Timeouts = TIMEOUTS) -> EngineController:
    return EngineController(settings, {"BoardSize": "6x6"}, timeouts, lambda: False)


@pytest.fixture(scope="module")
def start() -> Position:
    return Position.start(find_variant("latrones"), (6, 6))


@pytest.fixture(scope="module")
def opponent() -> Iterator[EngineController]:
    """One good engine that meets all the others, game after game."""
    engine = start_engine(EngineSettings((sys.executable, str(FAKE), "good"), PATIENT))
    yield engine
    assert engine.usable
    engine.quit()


def await_group_end(group: int) -> None:
    """Those whose parent was killed too are waited for by another process, in its own time."""
    deadline = time.monotonic() + 20
    with suppress(ProcessLookupError):
        while os.killpg(group, 0) is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)


def children() -> set[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


@pytest.fixture
def nothing_left(opponent: EngineController) -> Iterator[None]:
    def state() -> tuple[set[str], int, int]:
        return children(), threading.active_count(), len(os.listdir("/proc/self/fd"))

    before, peak_kb = state(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert state() == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < peak_kb + 16_000


@pytest.mark.parametrize(("behaviour", "control", "termination", "details"), LOSSES, ids=[row[0] for row in LOSSES])
@pytest.mark.usefixtures("nothing_left")
def test_a_fault_costs_its_game(
    behaviour: str,
    control: TimeControl,
    termination: Termination,
    details: str,
    start: Position,
    opponent: EngineController,
    fake_settings: Callable[..., EngineSettings],
) -> None:
    good_moves = 0 if control is CONTROL else 1
    timeouts = replace(TIMEOUTS, stop_grace_s=20.0) if behaviour == "late" else TIMEOUTS
    faulty = start_engine(fake_settings(behaviour, good_moves), timeouts)
    game = play_game(start, (Player(opponent, PATIENT), Player(faulty, control)), LIMITS)
    plies = 1 + 2 * (2 if behaviour == "answer-and-exit" else good_moves)
    outcome = game.outcome
    assert (outcome.termination, outcome.result, len(game.plies)) == (termination, "1-0", plies), outcome.details
    assert details in game.outcome.details
    assert (game.fault is not None) == (not faulty.usable)
    if behaviour == "crash":
        assert game.fault is not None
        assert (game.fault.exit_status, game.fault.stderr) == (3, ("the fake falls over",))
    faulty.quit()
    await_group_end(faulty.process_id)
    assert opponent.usable


@pytest.mark.parametrize("behaviour", FORGIVEN)
@pytest.mark.usefixtures("nothing_left")
def test_what_is_forgiven_costs_nothing(
    behaviour: str, start: Position, opponent: EngineController, fake_settings: Callable[..., EngineSettings]
) -> None:
    odd = start_engine(fake_settings(behaviour, 1))
    game = play_game(start, (Player(opponent, PATIENT), Player(odd, PATIENT)), LIMITS)
    assert (game.outcome.termination, len(game.plies)) == (Termination.ADJUDICATION, 8), game.outcome.details
    assert odd.usable
    odd.quit()


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [("dead", "status 1: the fake does not even start"), ("half-dead", "status 1: the fake dies while it introduces")],
)
@pytest.mark.usefixtures("nothing_left")
def test_faults_of_the_handshake(behaviour: str, message: str, fake_settings: Callable[..., EngineSettings]) -> None:
    with pytest.raises(EngineStartError, match=message):
        start_engine(fake_settings(behaviour))
