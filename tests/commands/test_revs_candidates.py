"""The command 'revs' with several versions under test: verdicts, order and exit statuses; engines are in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands import revs_candidates
from latrones_uci.commands.main import main
from latrones_uci.studies.revisions.source import RevisionError

pytestmark = pytest.mark.long  # starts git, with engines in memory
TWINS = ("versions 'better' and 'twin' are the same: better and twin, which have the same files; expected versions that"
         " differ")
WEAKNESS = {"main": 40, "better": 10, "best": 0, "worse": 70, "twin": 10}
"""How often each version resigns, in percent."""


class Built:
    """Stands in for a version."""

    command, bench = ("tuned_engine.py",), ""

    def __init__(self, name: str) -> None:
        self.label = self.commit = name
        self.contents = "better" if name == "twin" else name

    def engine(self, name: str, each: object) -> EngineSettings:
        return EngineSettings(("tuned_engine.py", str(20 + WEAKNESS[self.label])), TimeControl(nodes=1), name)


@pytest.fixture(autouse=True)
def _versions(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (f"ssssss/3d2/6/6/2D3/SSSSSS w 0 {number}\n" for number in range(1, 2000))
    Path("book.txt").write_text("".join(lines), encoding="utf-8")
    Path("revs.toml").write_text('command = "{source}/engine"\n', encoding="utf-8")

    def build(
        names: list[str], *places: object, on_failure: Callable[[str, RevisionError], None],
        check: Callable[[dict[str, Built]], None],
    ) -> dict[str, Built]:
        for name in names:
            if name not in WEAKNESS:
                on_failure(name, RevisionError(f"'{name}': build: exit status 1\nthe last lines"))
        found = {name: Built(name) for name in names if name in WEAKNESS}
        check(found)
        return found

    def same_play(base: Built, test: Built, settings: object) -> str:
        return "Both versions are main" if base.contents == test.contents else ""

    monkeypatch.setattr(revs_candidates, "build_revisions", build)
    monkeypatch.setattr(revs_candidates, "same_play", same_play)


def words(*more: str) -> list[str]:
    return ["revs", *more, "--board", "6x6", "--openings", "book.txt", "--max-plies", "2", "--concurrency", "1",
            "--folder", "games", "--sprt", "elo0=0", "elo1=200"]


def finished(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    event = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert event["event"] == "candidates_finished"
    assert event["games"] == 2 * sum(sum(each["pairs"]) for each in event["candidates"])
    return list(event["candidates"])


def test_each_version_has_its_own_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("main", "better", "worse", "best")) == 0
    lines = capsys.readouterr().out.splitlines()
    summary = lines[lines.index("") + 1 :]
    assert [line.partition(",")[0] for line in summary[:3]] == ["better: passes", "worse: fails", "best: passes"]
    assert summary[4] == f"Folder: {Path('games').resolve()}"
    assert main([*words("main", "better", "worse", "best"), "--json"]) == 0  # nothing is left to play
    assert [each["verdict"] for each in finished(capsys)] == ["H1", "H0", "H1"]


def test_the_first_that_passes_ends_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words("main", "worse", "best", "better"), "--first", "--json"]) == 0
    verdicts = [each["verdict"] for each in finished(capsys)]
    assert verdicts.count("H1") == 1
    assert None in verdicts


def test_versions_that_cannot_be_built_or_play_like_the_base(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words("main", "broken", "worse"), "--json"]) == 1
    broken, worse = finished(capsys)
    assert (broken["verdict"], broken["note"]) == (None, "'broken': build: exit status 1")
    assert worse["verdict"] == "H0"
    assert main(words("main", "worse", "twin", "best", "--first")) == 0
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(revs_candidates, "same_play", lambda base, test, settings: "Both play alike")
        assert main([*words("main", "worse", "best"), "--folder", "other", "--json"]) == 3
    assert [(each["verdict"], sum(each["pairs"])) for each in finished(capsys)] == [("H0", 0)] * 2  # type: ignore[call-overload]


def test_without_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words("main", "better", "worse"), "--games", "4", "--json"]) == 4
    assert [each["verdict"] for each in finished(capsys)] == [None, None]


@pytest.mark.parametrize(("more", "text"), [
    (["main", "better", "best", "--pgn", "x.pgn"], "'--pgn': for one version under test; expected revs BASE TEST"),
    (["main", "better", "better"], "version 'better': given twice; expected different versions"),
    (["main", "better", "twin"], f"{TWINS}\n"),
    (["better", "worse", "twin"], f"{TWINS}, or --control to play a version against itself\n"),
    (["main", "better", "best", "--control"], "preset 'control' plays one version against itself; expected revs BASE"),
    (["main", "better", "--first"], "'--first' needs several versions under test; expected revs BASE TEST TEST ..."),
])
def test_bad_arguments(more: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(*more)) == 2
    assert text in capsys.readouterr().err


def test_a_failure_in_a_game_ends_the_command_and_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its version would only seem weaker."""
    def engine(self: Built, name: str, each: object) -> EngineSettings:
        return EngineSettings(("fake_engine.py", "report-errors"), TimeControl(nodes=1), name)

    monkeypatch.setattr(Built, "engine", engine)
    command = [*words("main", "better", "worse"), "--games", "4"]
    assert main([*command, "--fail-on", "fault"]) == 1
    captured = capsys.readouterr()
    first = "--fail-on fault: game 1, test better - base main: test better: search-error ("
    assert f"latrones-uci revs: {first}" in captured.err
    assert captured.err.strip().endswith("; to play on, add 'end' to --fail-on")
    assert main([*command, "--fail-on", "fault"]) == 1  # the game is in the folder
    assert main([*command, "--fail-on", "fault", "end"]) == 1
    captured = capsys.readouterr()
    assert first in captured.err
    assert captured.out.count("better: no verdict") == 2
    assert " faults\n" in captured.out
    assert main([*command, "--fail-on", "time-loss"]) == 0
    assert main(command) == 4
