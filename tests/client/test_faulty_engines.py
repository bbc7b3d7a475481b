"""What each faulty engine costs, and what strict and hostile ones see and do: the runner from end to end."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cases import VARIANTS
from fakes.fake_engine import PROCESS_BEHAVIOURS
from html_page import Page, assert_harmless
from latrones_uci.client.engine_spec import EngineSettings, ProtocolName, Timeouts
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands.main import main as engine_main
from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Position, Termination
from latrones_uci.match.events import GameFinished
from latrones_uci.match.game import Player, play_game
from latrones_uci.records.pgn_read import read_file
from latrones_uci.records.record import PlayedGame
from latrones_uci.records.settings import GameLimits, TournamentSettings
from match_play import run_tournament
from processes import await_end

LIMITS = GameLimits(margin_ms=50, max_plies=8)
SHORT = TimeControl(movetime_ms=100)
LONG = TimeControl(movetime_ms=20_000)
TIMEOUTS = Timeouts(stop_grace_s=0.2, quit_s=0.2)


def stall(printed: str) -> tuple[TimeControl, Termination, str, int]:
    return (SHORT, Termination.STALL, printed or "no bestmove within", 1)


# What Black does from its second move on (where its time is short, from its first), how the game ends, what the record
# says of it, and the plies.
GAMES = {
    "illegal": (LONG, Termination.ILLEGAL_MOVE, "Black: bestmove '", 3),
    "wrong-side": (LONG, Termination.ILLEGAL_MOVE, "which is only legal for the opponent", 3),
    "malformed": (LONG, Termination.PROTOCOL_ERROR, "bestmove 'Hello' is not a move", 3),
    "empty": (LONG, Termination.STALL, "bestmove without a move, but the player has legal moves", 3),
    "no-move": (LONG, Termination.STALL, "bestmove '0000', but the player has legal moves", 3),
    "resign": (LONG, Termination.RESIGNATION, "Black: bestmove 'resign'", 3),
    "crash": (LONG, Termination.CRASH, "ended with status 3: the fake falls over", 3),
    "answer-and-exit": (LONG, Termination.CRASH, "ended with status 0", 5),
    "close-stdout": (LONG, Termination.CRASH, "closed a pipe without ending", 3),
    "late": (SHORT, Termination.TIME_LOSS, " ms late", 1),
    "late-with-errors": (SHORT, Termination.TIME_LOSS, " ms late; it wrote 3 MB to standard error", 1),
    "stall": stall("it printed nothing"),
    "half-line": stall("it printed a line without an end, 'bestmove "),
    "flood": stall(" lines since, the last 'info depth 3 score cp 1 nodes 1 pv a1a2'"),
    "flood-one-line": stall(f"it printed a line without an end, '{'x' * 40}...'"),
    "flood-errors": stall(" MB to standard error"),
    "stop-reading": stall(""), "children": stall("it printed nothing"),
    "stop-itself": stall("; the process is stopped"),
    **dict.fromkeys(("carriage-returns", "stale-answer", "long-line", "junk", "upper-case", "ignore-quit", "wrong-id"),
                    (LONG, Termination.ADJUDICATION, "", 8)),
}
AS_PROCESSES = {*PROCESS_BEHAVIOURS, "crash", "answer-and-exit", "ignore-quit", "long-line"}


def await_group_end(group: int) -> None:
    """Those whose parent was killed too are waited for by another process, in its own time."""
    if sys.platform == "win32":
        await_end(group)
        return
    deadline = time.monotonic() + 20
    with suppress(ProcessLookupError):
        while os.killpg(group, 0) is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)


@pytest.fixture
def nothing_left() -> Iterator[None]:
    if sys.platform != "linux":
        before_threads = threading.active_count()
        yield
        assert threading.active_count() == before_threads
        return
    import resource

    def state() -> tuple[set[str], int, int]:
        tasks = Path("/proc/self/task").glob("*/children")
        children = {child for task in tasks for child in task.read_text().split()}
        return children, threading.active_count(), len(os.listdir("/proc/self/fd"))

    before, peak_kb = state(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert state() == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < peak_kb + 16_000


@pytest.mark.parametrize("behaviour", [
    pytest.param(name, marks=[*[pytest.mark.process] * (name in AS_PROCESSES),
                              *[pytest.mark.posix] * (name == "stop-itself")]) for name in GAMES
])
def test_a_fault_costs_its_game(
    behaviour: str, start: Position, fake_controller: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    control, termination, details, plies = GAMES[behaviour]
    opponent = fake_controller("good", timeouts=TIMEOUTS)
    if behaviour in AS_PROCESSES:
        request.getfixturevalue("nothing_left")
    timeouts = replace(TIMEOUTS, stop_grace_s=20.0) if behaviour.startswith("late") else TIMEOUTS
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


# ---------------------------------------------------------------- written for other runners: fakes/strict_engine.py


def games_of(
    engines: tuple[EngineSettings, ...], variant: str, openings: str, limits: GameLimits, database: Path
) -> list[PlayedGame]:
    settings = TournamentSettings(engines, (VariantSettings(variant),), games=2, openings=openings, limits=limits)
    _, events = run_tournament(settings, database)
    games = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert len(games) == 2
    for game in games:  # what a busy machine does to the runner is no fault of the engines
        assert all("the controller was held up" in violation for violation in game.violations), game.violations
    return games


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_engines_that_know_one_order_of_commands(variant: str, tmp_path: Path) -> None:
    """UGI against UCI, with clocks: no command that other runners would not send, and none in another place."""

    def engine(protocol: ProtocolName, control: TimeControl) -> EngineSettings:
        command, options = ("strict_engine.py", protocol, variant), (("Style", "2"),)
        return EngineSettings(command, control, protocol, options, protocol=protocol)

    engines = engine("ugi", TimeControl(base_ms=60_000, increment_ms=10)), engine("uci", TimeControl(base_ms=90_000))
    for game in games_of(engines, variant, "random:2", GameLimits(max_plies=20), tmp_path / "match.db"):
        ending = game.outcome.termination
        assert ending.by_rules or ending is Termination.ADJUDICATION, game.outcome.details
        assert game.plies


def test_claims_of_an_engine_that_answers_in_two_words(tmp_path: Path) -> None:
    """With ``--check-claims`` the runner asks what cutegames asks, and believes none of it."""
    engine = EngineSettings(("strict_engine.py", "ugi", "rota"), TimeControl(movetime_ms=5000), protocol="ugi")
    limits = GameLimits(max_plies=20, check_claims=True)
    games = games_of((engine, engine), "rota", "random:0", limits, tmp_path / "match.db")
    assert all(game.outcome.termination.by_rules for game in games)


# ---------------------------------------------------------------- out to do harm, in match, screen, PGN, log and report

LEFT_BEHIND = {"match.db", "match.pgn", "report.html", "traffic.log", "logs"}


@pytest.mark.long
@pytest.mark.parametrize("end", ["crash", "move", "illegal", "resign"])
def test_a_match_of_hostile_engines(end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = ["--engine", f"cmd=hostile_engine.py {end}", "strict=on", "depth=1"]
    outputs = ["--database", "match.db", "--pgn", "match.pgn", "--report", "report.html", "--log", "traffic.log",
               "--log-dir", "logs"]
    assert main([*engine, *engine, "--board", "6x6", "--openings", "random:0", "--games", "2", "--check-claims",
                 *outputs]) == 0
    assert set(os.listdir(tmp_path)) == LEFT_BEHIND
    assert set(os.listdir(tmp_path / "logs")) == {"engine-1.log", "engine-2.log"}
    shown = capsys.readouterr().out
    assert is_printable(shown), shown
    for name in ("match.pgn", "traffic.log", "logs/engine-1.log", "logs/engine-2.log"):
        assert is_printable((tmp_path / name).read_text(encoding="utf-8")), name
    games = list(read_file(tmp_path / "match.pgn"))
    assert [len(game.moves) for game in games] == [6, 6]
    assert main(["verify", "match.pgn"]) == 0
    assert main(["pgn", "match.db"]) == 0
    assert is_printable(capsys.readouterr().out)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert_harmless(page)
    assert "\x1b" not in text
    assert any("onerror=alert(1)" in part for parts in page.text.values() for part in parts)


def test_hostile_tags_of_a_pgn_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither names of files, nor what a terminal obeys, nor markup comes of them."""
    hostile = "../../x</script><img src=x>\x1b[2J\x07\u202e"
    tags = {"Event": hostile, "White": hostile, "Black": "/etc/passwd", "Result": "*", "Variant": "rota",
            "Termination": hostile, "TerminationDetails": hostile, "FEN": "3/3/3[3S3s] w 0 1"}
    game = "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{{ {hostile} }} S@a1 *\n\n"
    (tmp_path / "hostile.pgn").write_text(game + game, encoding="utf-8")
    assert main(["verify", "hostile.pgn"]) == 0
    captured = capsys.readouterr()
    assert is_printable(captured.out + captured.err)
    fair = (game + game).replace(f'[Termination "{hostile}"]\n', "")
    (tmp_path / "fair.pgn").write_text(fair, encoding="utf-8")
    assert engine_main(["analyse", "fair.pgn", "--output", "out.pgn", "--depth", "1"]) == 0
    assert capsys.readouterr().err == ""
    assert is_printable((tmp_path / "out.pgn").read_text(encoding="utf-8"))
    assert set(os.listdir(tmp_path)) == {"hostile.pgn", "fair.pgn", "out.pgn"}


@pytest.mark.process
def test_a_command_with_what_a_shell_would_obey(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is split into words as a shell would, and that is all."""
    for command in ("true; touch x", "$(touch x)", "`touch x`", "true && touch x", "true | touch x", "> x"):
        engine = ["--engine", f"cmd={command}", "depth=1"]
        assert main([*engine, *engine, "--database", "match.db"]) == 1
        assert "cannot start" in (error := capsys.readouterr().err) or "ended with status" in error, error
    assert not (tmp_path / "x").exists()


def is_printable(text: str) -> bool:
    return text.replace("\n", "").isprintable()
