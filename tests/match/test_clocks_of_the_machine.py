"""No time of a game or a search is taken from a clock that can be set."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position, Termination
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.game import Player, play_game

SOURCE = Path(__file__).resolve().parents[2] / "latrones_uci"
CLOCKS_THAT_CAN_BE_SET = {"time", "time_ns", "now", "utcnow", "today", "gmtime", "localtime", "strftime", "ctime",
                          "clock_gettime", "clock_gettime_ns"}  # fmt: skip
STAMPS = {
    "gui/state.py": "the date of a game, for its PGN",
    "gui/live_game.py": "when a game began, for the list of games",
    "gui/game_store.py": "when a game was last kept, for the list of games",
    "train/trainer.py": "when a match began, for its database",
    "commands/match.py": "when a match began, for its database",
    "client/traffic_log.py": "the first line of a log says when it begins",
    "match/worker.py": "when a game began, for its record",
    "uci/channel.py": "every line of the engine's log has its time",
}
"""Files that may read such a clock, and what for; they never subtract two times of it."""
CPP_CLOCKS = re.compile(r"\b(system_clock|high_resolution_clock|gettimeofday|time\s*\(\s*(NULL|nullptr|0)\s*\))")


def calls(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {ast.unparse(function) for function in functions
            if isinstance(function, ast.Attribute) and function.attr in CLOCKS_THAT_CAN_BE_SET
            and ast.unparse(function.value).split(".")[-1] in {"time", "datetime", "date"}}  # fmt: skip


def test_clocks_that_can_be_set_are_read_for_stamps_alone() -> None:
    found = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if calls(path)}
    assert found == set(STAMPS)


def test_nor_are_they_imported_by_name() -> None:
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "time":
                assert CLOCKS_THAT_CAN_BE_SET.isdisjoint(alias.name for alias in node.names), path


def test_the_core_takes_the_steady_clock() -> None:
    sources = [path for path in (SOURCE / "native").rglob("*") if path.suffix in {".cpp", ".hpp"}]
    assert sources
    assert [path for path in sources if CPP_CLOCKS.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.process
@pytest.mark.parametrize("jump_s", [-86_400.0, 86_400.0])
def test_the_clock_of_the_machine_jumps_in_a_timed_game(
    fake_controller: Callable[..., EngineController], start: Position, monkeypatch: pytest.MonkeyPatch, jump_s: float
) -> None:
    """By a day each time that anyone looks at it."""
    jumps = iter(range(1, 1_000_000))
    monkeypatch.setattr(time, "time", lambda: 1e9 + jump_s * next(jumps))
    monkeypatch.setattr(time, "time_ns", lambda: int(1e18 + jump_s * 1e9 * next(jumps)))
    white, black = fake_controller("good"), fake_controller("good")
    control = TimeControl(base_ms=5000, increment_ms=10)
    game = play_game(start, (Player(white, control), Player(black, control)), GameLimits(max_plies=6))
    assert (game.outcome.termination, game.violations) == (Termination.ADJUDICATION, ())
    assert all(0 <= ply.elapsed_ns < 5_000_000_000 for ply in game.plies)
