import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.traffic_log import TrafficLog, open_engine_logs
from latrones_uci.game import Game, Position
from latrones_uci.match.game import Player, play_game
from latrones_uci.records.settings import GameLimits

DEPTH = TimeControl(depth=1)
_LINE = re.compile(r" *(\d+\.\d{6}) (>>|<<|!!|--) (.*?)(?:\[(\d+)\]: (.*))?")


@pytest.mark.process
def test_a_lost_game_can_be_played_again_from_the_log(
    tmp_path: Path, fake_controller: Callable[..., EngineController], start: Position
) -> None:
    log = TrafficLog(tmp_path / "traffic.log", pytest.fail)
    white, black = fake_controller("good", log=log), fake_controller("crash", 3, log=log)
    game = play_game(start, (Player(white, DEPTH), Player(black, DEPTH)), GameLimits())
    white.quit()
    log.close()
    lines = [_LINE.fullmatch(text) for text in (tmp_path / "traffic.log").read_text(encoding="utf-8").splitlines()]
    found = [line.groups() for line in lines if line is not None]
    assert len(found) == len(lines)
    times = [float(fields[0]) for fields in found]
    assert times == sorted(times)
    # All that the engine was told, and what it answered.
    of_black = [(arrow, text) for _, arrow, _, process_id, text in found if process_id == str(black.process_id)]
    assert of_black[0] == (">>", "uci")
    assert ("<<", "readyok") in of_black
    assert of_black[-4] == (">>", "go depth 1")
    assert {*of_black[-3:-1]} == {("<<", "readyok"), ("!!", "the fake falls over")}  # two pipes have no order
    assert of_black[-1] == ("--", "ended, status 3")
    position = next(text for arrow, text in reversed(of_black) if text.startswith("position"))
    fen, moves = position.removeprefix("position fen ").split(" moves ")
    replay = Game(Position.from_fen(start.ruleset, fen))
    for text in moves.split():
        replay.push(replay.position.parse_move(text))
    assert moves.split() == [ply.text for ply in game.plies]
    assert ("--", "ended, status 0") in [(arrow, text) for _, arrow, _, _, text in found]


@pytest.mark.process
def test_error_output_is_logged_to_its_end(tmp_path: Path) -> None:
    """Also what was printed after the last command was answered, without a line feed, and by a child."""
    source = (
        "import os, sys, time\nprint('first\\n  \\n\\x1b[2J', 'x' * 2000, file=sys.stderr)\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('quit'):\n        os.write(2, b'last words')\n        break\n"
        "    print({'uci': 'uciok'}.get(line.strip(), 'readyok'), flush=True)\n"
    )
    path = tmp_path / "traffic.log"
    log = TrafficLog(path, pytest.fail)
    settings = EngineSettings((sys.executable, "-c", source), DEPTH, "E")
    engine = EngineController(settings, {}, Timeouts(), lambda: False, log=log)
    engine.quit()
    log.close()
    lines = [line[11:].split(f"E[{engine.process_id}]: ") for line in path.read_text(encoding="utf-8").splitlines()]
    errors = [text for mark, *texts in lines if mark == " !! " for text in texts]
    assert errors == ["first", r"\x1b[2J " + "x" * 995, "last words"]
    assert lines[-1] == [" -- ", "ended, status 0"]


def test_a_log_of_an_engine_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "engine-2.log").mkdir()
    with pytest.raises((IsADirectoryError, PermissionError), match=r"engine-2\.log"):
        open_engine_logs(tmp_path, 3, pytest.fail)
    assert not (tmp_path / "engine-3.log").exists()


def test_lines_are_bounded_and_printable(tmp_path: Path) -> None:
    path = tmp_path / "traffic.log"
    log = TrafficLog(path, pytest.fail)
    log.sent("A", 1, "isready")
    log.received("A", 1, "x" * 100_000, 0)
    log.received("A", 1, "bad \x1b[31m \u2028 line", 0)
    for _ in range(10_500):
        log.received("A", 1, "flood", 0)
    log.sent("A", 1, "stop")
    log.received("A", 1, "bestmove a1a2", 0)
    log.close()
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 10_005
    assert lines[2].endswith("xxx... (100000 characters)")
    assert r"bad \x1b[31m \u2028 line" in lines[3]
    assert "further lines not logged" in lines[-3]
    assert lines[-1].endswith("bestmove a1a2")
