"""The compliance checks: our own engine passes, and each fault of an engine fails its check."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from folders import TESTS
from latrones_uci.client.check.checks import CHECKS, CheckResult, CheckVerdict, run_checks
from latrones_uci.client.check.engine import EngineUnderTest
from latrones_uci.client.engine_rules import option_problem
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.output import option_fields
from latrones_uci.commands.main import main
from latrones_uci.game import Position, find_variant
from latrones_uci.text.command import join_command
from latrones_uci.text.protocol import Dialect

process = pytest.mark.process
FAKE = TESTS / "fakes" / "faulty_engine.py"
OWN = (*OWN_ENGINE, "--backend")
ENGINE = ("--only", "options", *OWN, "auto")

GROUPS = [
    [line.split(maxsplit=2) for line in group.splitlines()]
    for group in Path(__file__).with_name("faults.txt").read_text(encoding="utf-8").split("\n\n")[1:]
]


def target(*faults: str, dialect: Dialect | None = None) -> EngineUnderTest:
    start = Position.start(find_variant("latrones"), (6, 6))
    command = (sys.executable, str(FAKE), ",".join(faults))
    quick = EngineUnderTest(command, start, timeout_s=1.0, latency_ms=500, quiet_s=0.03, games=10)
    return replace(quick, dialect=dialect) if dialect else quick


def results(tested: EngineUnderTest, *only: str) -> dict[str, CheckResult]:
    chosen = [check for check in CHECKS if not only or check.name in only]
    return {result.check.name: result for result in run_checks(tested, chosen)}


def verdicts(found: dict[str, CheckResult], verdict: CheckVerdict) -> dict[str, str]:
    return {name: result.detail for name, result in found.items() if result.verdict is verdict}


@pytest.mark.slow
@process
@pytest.mark.parametrize("dialect", [None, Dialect.UGI], ids=["uci", "ugi"])
def test_a_good_engine_passes(dialect: Dialect | None) -> None:
    patient = replace(target("none", dialect=dialect), timeout_s=20.0, latency_ms=5000)
    found = results(patient)
    assert {result.verdict for result in found.values()} == {CheckVerdict.PASSED}, found
    assert "10 stops: p50 " in found["stop-latency"].detail
    assert found["memory"].detail.startswith("10 games: ")


@process
@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0][0])
def test_faults_fail_their_checks_and_no_other(group: list[list[str]]) -> None:
    failed = verdicts(results(target(*dict.fromkeys(fault for fault, _, _ in group))), CheckVerdict.FAILED)
    assert set(failed) == {check for _, check, _ in group}, failed
    for _, check, detail in group:
        assert detail in failed[check]


@process
@pytest.mark.linux
def test_a_processor_that_others_need_hides_no_busy_engine() -> None:
    """There, a loop without end gets less time than an engine may use."""
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mine)})  # the processes that are started here share one processor
    try:
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
                  for _ in range(8)]
        try:
            found = {fault: results(replace(target(fault), timeout_s=20.0, start_s=60.0), "idle")["idle"]
                     for fault in ("busy-when-idle", "none")}
        finally:
            for other in others:
                other.kill()
                other.wait()
    finally:
        os.sched_setaffinity(0, mine)
    assert found["busy-when-idle"].verdict is CheckVerdict.FAILED, found
    assert found["none"].verdict is CheckVerdict.PASSED, found


def test_every_check_fails_for_some_fault() -> None:
    seen = {check for group in GROUPS for _, check, _ in group}
    assert {check.name for check in CHECKS} - seen == {"new-game"}  # see the next test


@process
def test_faults_that_prevent_all_play() -> None:
    dead = results(replace(target("dies-at-a-new-game"), timeout_s=20.0), "new-game")
    assert "status 6" in verdicts(dead, CheckVerdict.FAILED)["new-game"]
    stuck = results(target("never-stops"), "infinite", "stop-latency", "go-depth")
    assert set(verdicts(stuck, CheckVerdict.FAILED)) == {"infinite", "stop-latency"}


@process
@pytest.mark.parametrize(("fault", "detail"), [("no-uciok", "no uciok within 0.5 s"), ("dead", "does not even start")])
def test_without_a_handshake_the_other_checks_are_not_run(fault: str, detail: str) -> None:
    found = results(replace(target(fault), start_s=0.5 if fault == "no-uciok" else 20))
    assert detail in verdicts(found, CheckVerdict.FAILED)["handshake"]
    assert found["legal-moves"].verdict is found["quit"].verdict is CheckVerdict.NOT_RUN
    assert not verdicts(found, CheckVerdict.PASSED).keys() - {"silent-start"}


@process
@pytest.mark.parametrize(("behaviour", "detail"), [
    ("flood", "no bestmove within 1 s after 'go nodes 200'"), ("crash", "status 3: the fake falls over"),
])
def test_no_engine_stops_the_checks(behaviour: str, detail: str) -> None:
    command = (sys.executable, str(FAKE.with_name("fake_engine.py")), behaviour)
    found = results(replace(target("none"), command=command), "go-nodes", "busy", "isready")
    assert detail in verdicts(found, CheckVerdict.FAILED)["go-nodes"]
    assert found["isready"].verdict is CheckVerdict.PASSED
    assert found["busy"].verdict is CheckVerdict.FAILED


@process
def test_features_that_a_minimal_engine_lacks_are_not_offered() -> None:
    found = results(target("bare"))
    assert set(verdicts(found, CheckVerdict.NOT_OFFERED)) == {
        "info-lines", "multipv", "ponder", "errors", "query", "d", "perft", "eval", "help", "bench",
    }
    assert verdicts(found, CheckVerdict.FAILED) == {}
    in_ugi = results(target("bare", dialect=Dialect.UGI), "query")
    assert set(verdicts(in_ugi, CheckVerdict.FAILED)) == {"query"}
    found = results(target("no-searchmoves"), "searchmoves")
    assert set(verdicts(found, CheckVerdict.NOT_OFFERED)) == {"searchmoves"}


@process
def test_an_engine_that_reports_an_error_in_every_search_fails(tmp_path: Path) -> None:
    script = tmp_path / "raises.py"
    script.write_text("from latrones_uci import serve\n\n\nserve(lambda game, limits: 1 // 0)\n", encoding="utf-8")
    searching = "new-game", "go-depth", "go-nodes", "legal-moves", "bestmove-form", "info-lines", "infinite"
    found = results(replace(target("none"), command=(sys.executable, str(script)), timeout_s=20.0), *searching)
    failed = verdicts(found, CheckVerdict.FAILED)
    assert set(failed) == set(searching), found
    assert all("reports an error in the search" in detail for detail in failed.values())
    assert all("ZeroDivisionError" in detail for detail in failed.values())


@process
def test_the_traffic_is_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "check.log"
    only = ["--only", "isready", "--only", "handshake"]
    assert main(["check", "--log", str(log), *only, sys.executable, str(FAKE), "none"]) == 0
    lines = [line.split(": ", 1)[1] for line in log.read_text(encoding="utf-8").splitlines() if "[" in line]
    assert lines[0] == "uci"
    assert "uciok" in lines
    assert lines.count("isready") == lines.count("readyok")
    assert ">> engine[" in log.read_text(encoding="utf-8")
    assert main(["check", "--log", str(tmp_path), "--only", "handshake", "x"]) == 2
    assert f"--log {str(tmp_path)!r}: Is a directory" in capsys.readouterr().err


@process
@pytest.mark.parametrize("backend", ["native", pytest.param("python", marks=pytest.mark.slow)], indirect=True)
def test_our_engine_passes(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--games", "4", "--latency", "20000", *OWN, backend]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[-1] == f"{len(CHECKS)} checks: {len(CHECKS)} passed"
    assert rows[0].startswith("silent-start     ok           silent for ")


@pytest.mark.long
@pytest.mark.parametrize("variant", ["bell", "rota"])
def test_our_engine_passes_in_another_variant_and_dialect(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    only = [word for name in ("legal-moves", "finished-game", "query", "eval") for word in ("--only", name)]
    assert main(["check", "--ugi", "--variant", variant, *only, *OWN, "auto"]) == 0
    assert "4 checks: 4 passed" in capsys.readouterr().out


@process
def test_failures_are_reported_with_the_expectation_and_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    command = join_command([sys.executable, str(FAKE), "nameless"])
    assert main(["check", "--only", "handshake", command]) == 1
    row, *traffic, _, total = capsys.readouterr().out.splitlines()
    assert row.startswith("handshake  FAILED       0 lines 'id name'; expected 1 (expected: answers the greeting")
    lines = [line.split(maxsplit=1)[1] for line in traffic]
    assert len(lines) == 10
    assert lines[0] == lines[5] == ">> uci"
    assert lines[1].startswith("<< id author ")
    assert re.fullmatch("[0-9]+ lines left out", lines[2])
    assert lines[4] == lines[9] == "<< uciok"
    assert total == "1 check: 1 failed"


@pytest.mark.parametrize(("words", "message"), [
    (["--option", "Foo=1", *ENGINE], "has no option 'Foo'"),
    (["--option", "Hsah=1", *ENGINE], "has no option 'Hsah'; did you mean 'Hash'?"),
    (["--option", "Hash=plenty", *ENGINE], "option 'Hash': value 'plenty': expected an integer from 1 to 65536"),
    (["--option", "EvalFile=/no/such.net", *ENGINE], "rejects its options: option: option EvalFile"),
    (["--option", "UCI_Variant=chess", *ENGINE], "option 'UCI_Variant': value 'chess': expected one of latrones, "),
])
def test_bad_options_are_one_line_and_status_2(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *words]) == 2
    captured = capsys.readouterr()
    [line] = captured.err.splitlines()
    assert line.startswith("latrones-uci check: ")
    assert message in line
    assert captured.out == ""


@pytest.mark.parametrize(("line", "problem"), [
    ("option Hash", "does not start"),
    ("option name Hash", "has no type"),
    ("option name Hash type", "has the type ''"),
    ("option name type spin default 1 min 1 max 2", "has no name"),
    ("option name Hash type number default 1", "the type 'number'"),
    ("option name Hash type spin default 9 min 1 max 2", "not between"),
    ("option name Hash type spin default x min 1 max 2", "expected an integer"),
    ("option name Hash type spin default 1 min 1", "without max"),
    ("option name Hash type spin 1 min 1 max 2", "an unexpected '1' after its type"),
    ("option name Hash type spin default 1 min 1 max 2 max 3", "duplicate"),
    ("option name A type check default yes", "'yes'"),
    ("option name A type combo default x var y", "not one of its vars"),
    ("option name A type button default x", "a button with default"),
    ("option name A type string", "without default"),
    ("option name A type string default", ""),
    ("option name Board Size type string default default", ""),
    ("option name A type combo default x y var x y var z", ""),
])
def test_option_lines(line: str, problem: str) -> None:
    found = option_problem(line)
    assert problem in found
    assert bool(problem) == bool(found)


def test_fields_of_an_option_line() -> None:
    assert option_fields("option name Max Depth type string default default") == (
        "Max Depth", [("type", "string"), ("default", "default")])
    assert option_fields("option name A type combo default x y var x y var") == (
        "A", [("type", "combo"), ("default", "x y"), ("var", "x y"), ("var", "")])


def test_options_that_the_engine_has(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--option", "hash=1", "--option", "Clear Hash="]
    assert main(["check", *options, "--only", "isready", *OWN, "auto"]) == 0
    assert "1 check: 1 passed" in capsys.readouterr().out


@process
def test_the_timeout_holds_for_the_handshake(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", "--option", "Foo=1", "--only", "handshake", "--timeout", "0.1",
             join_command([sys.executable, "-c", "import time; time.sleep(100)"])]
    assert main(words) == 1
    assert "no uciok within 0.1 s" in capsys.readouterr().out
