"""Engines, and the runner itself, that are stopped by SIGSTOP in the middle of a timed game."""

import json
import os
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position, Termination
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.game import Player, play_game
from latrones_uci.match.record import PlayedGame
from match_play import Listening
from serving import waited

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="SIGSTOP is POSIX's"), pytest.mark.process]

FakeController = Callable[..., EngineController]
FOUR_PLIES = GameLimits(max_plies=4)
STOPPED_S = 1.5


class StopAtGo(Listening):
    """Stops the engine when it is about to be told its first ``go``, and may continue it later."""

    def __init__(self, continued_after_s: float | None) -> None:
        super().__init__()
        self.continued_after_s = continued_after_s
        self.stopped = False

    def sent(self, name: str, process_id: int, text: str) -> None:
        if text.startswith("go") and not self.stopped:
            self.stopped = True
            os.kill(process_id, signal.SIGSTOP)
            if self.continued_after_s is not None:
                threading.Timer(self.continued_after_s, os.kill, (process_id, signal.SIGCONT)).start()


def played(start: Position, white: EngineController, black: EngineController, move_ms: int) -> PlayedGame:
    control = TimeControl(movetime_ms=move_ms)
    return play_game(start, (Player(white, control), Player(black, control)), FOUR_PLIES)


def test_an_engine_that_is_continued_in_time_plays_on(fake_controller: FakeController, start: Position) -> None:
    game = played(start, fake_controller("good", log=StopAtGo(STOPPED_S)), fake_controller("good"), 20_000)
    assert (game.outcome.termination, len(game.plies), game.violations) == (Termination.ADJUDICATION, 4, ())
    assert game.plies[0].elapsed_ns > STOPPED_S * 900_000_000


def test_an_engine_that_is_stopped_too_long_loses_and_is_gone(
    fake_controller: FakeController, start: Position, await_end: Callable[[int], None]
) -> None:
    white, black = fake_controller("good", log=StopAtGo(None)), fake_controller("good")
    game = played(start, white, black, 300)
    assert (game.outcome.winner, game.outcome.termination) == (1, Termination.STALL)
    await_end(white.process_id)
    assert (white.usable, black.usable) == (False, True)


def test_a_runner_that_was_stopped_charges_no_engine(fake_command: Callable[..., tuple[str, ...]], tmp_path: Path
                                                     ) -> None:  # fmt: skip
    """Each move takes 0.4 s of 2 s. The time in which the runner did not look is told, and lost for nobody.

    First it is stopped alone, then its engines too, as all are when a machine sleeps.
    """
    log = tmp_path / "traffic.log"
    engine = ["--engine", f"cmd={shlex.join(fake_command('slow'))}"]
    command = [*OWN_ENGINE, "match", *engine, *engine, "--each", "st=2", "--games", "1",
               "--max-plies", "8", "--board", "6x6", "--json", "--log", "traffic.log"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as runner:
        assert runner.stdout is not None
        for move in (1, 4):
            waited(lambda move=move: log.exists() and log.read_text(encoding="utf-8").count(": go ") >= move)
            traffic = log.read_text(encoding="utf-8")
            stopped = {int(number) for number in re.findall(r"\[(\d+)\]", traffic)} if move == 4 else set()
            runner.send_signal(signal.SIGSTOP)
            for engine_id in stopped:
                os.kill(engine_id, signal.SIGSTOP)
            time.sleep(2.5)
            runner.send_signal(signal.SIGCONT)
            time.sleep(0.2)
            for engine_id in stopped:
                os.kill(engine_id, signal.SIGCONT)
        lines = runner.stdout.readlines()
    assert runner.returncode == 0
    events = [json.loads(line) for line in lines]
    [game] = [event for event in events if event["event"] == "game_finished"]
    assert (game["termination"], len(game["plies"])) == ("adjudication", 8)
    assert "the match runner was held up: '" in " ".join(game["violations"])
    assert max(ply["elapsed_ns"] for ply in game["plies"]) < 2_000_000_000
    assert ": stop\n" not in log.read_text(encoding="utf-8")
