"""The command 'revs history': which versions play, what it prints and writes, and resuming; engines are in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from html_page import Page
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import main
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.studies.revisions import comparison
from latrones_uci.studies.revisions.build import Repository
from latrones_uci.studies.revisions.comparison import Comparison
from latrones_uci.studies.revisions.source import Commit, RevisionError

pytestmark = pytest.mark.long  # starts git, with engines in memory
WEAKNESSES = [15, 15, -1, 45, 45]
"""How often the version of each commit resigns, in percent; the third cannot be built."""
COMMITS = [
    Commit(f"{number:x}".rjust(2, "a") * 20, f"2026-11-0{number + 1}", f"Change <{number}>", f"contents {number}")
    for number in range(len(WEAKNESSES))
]
SAME_BENCH: set[str] = set()
"""The commits whose versions have one bench signature."""
LABELS = [commit.commit[:10] for commit in COMMITS]


@dataclass
class Built:
    """Stands in for a version."""

    commit: str
    command = ("tuned_engine.py",)

    @property
    def label(self) -> str:
        return "v1" if self.commit == COMMITS[0].commit else self.commit[:10]

    def engine(self, name: str, each: object) -> EngineSettings:
        weakness = next(WEAKNESSES[number] for number, each in enumerate(COMMITS) if each.commit == self.commit)
        signature = "same" if self.commit in SAME_BENCH else self.commit
        return EngineSettings(
            ("tuned_engine.py", str(20 + weakness)), TimeControl(nodes=1), name, signature=signature
        )


@pytest.fixture(autouse=True)
def _history(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (f"ssssss/3d2/6/6/2D3/SSSSSS w 0 {number}\n" for number in range(1, 2000))
    Path("book.txt").write_text("".join(lines), encoding="utf-8")
    Path("revs.toml").write_text('command = "{source}/engine"\n', encoding="utf-8")

    def build(
        self: Repository, names: Sequence[str], on_failure: Callable[[str, RevisionError], None]
    ) -> dict[str, Built]:
        broken = COMMITS[2].commit
        if broken in names:
            on_failure(broken, RevisionError(f"'{broken[:10]}': build: exit status 1: make\n    no rule"))
        return {name: Built(name) for name in names if name != broken}

    def between(self: Repository, first: str, last: str) -> list[Commit]:
        start, end = (int(name.removeprefix("c")) for name in (first, last.replace("HEAD", "c4")))
        return COMMITS[start : end + 1]

    monkeypatch.setattr(Repository, "build_all", build)
    monkeypatch.setattr(Repository, "commits", between)


def words(*more: str) -> list[str]:
    return ["revs", "history", *more, "--board", "6x6", "--openings", "book.txt", "--max-plies", "2",
            "--concurrency", "1", "--folder", "games"]


def measured(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    """Run the command, and return its versions by the digits of their commits."""
    assert main(words(*more, "--json")) == 0
    event = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert event["event"] == "history_finished"
    return {f"c{LABELS.index(each['commit'][:10])}": each for each in event["versions"]}


def test_the_curve_is_printed_and_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("c0..c4", "--games", "99", "--report", "page.html")) == 0
    out, err = capsys.readouterr()
    title, headings, *rows, games, folder, report = out.splitlines()
    assert title == f"Strength from v1 to {LABELS[4]}: Elo relative to v1; +/- is half the 95% interval"
    assert headings.split() == ["version", "date", "Elo", "+/-", "games", ">", "previous", "subject"]
    assert rows[0].split() == ["v1", "2026-11-01", "+0.0", "300", "Change", "<0>", "(base)"]
    assert rows[1].split()[:2] + rows[1].split()[4:5] == [LABELS[1], "2026-11-02", "100"]
    assert rows[2].split()[:3] == [LABELS[2], "2026-11-03", "-"]
    assert rows[2].endswith(f"Change <2> ('{LABELS[2]}': build: exit status 1: make)")
    elos = [float(row.split()[2]) for row in (rows[1], *rows[3:])]
    assert elos[0] > -60 > max(elos[1:])
    assert float(rows[3].split()[5].rstrip("%")) < 5
    assert games == "300 games"
    assert (folder, report) == (f"Folder: {Path('games').resolve()}", f"Report: {Path('page.html').resolve()}")
    assert "    no rule" in err
    page = Page(Path("page.html").read_text(encoding="utf-8"))
    assert "Change <4>" in page.text["span"]
    assert f"Strength from v1 to {LABELS[4]}" in page.text["h1"]
    assert len(list(Path("games").glob("*.db"))) == 3


def test_what_is_missing_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(measured(capsys, "c0..c1", "--games", "20")) == {"c0", "c1"}
    # A version that came later, alone; the one that played before is shown.
    found = measured(capsys, "c0..", "--games", "40", "--every", "0")
    assert [(name, each["games"]) for name, each in found.items()] == [("c0", 60), ("c1", 20), ("c4", 40)]
    assert found["c0"]["elo"] == found["c0"]["margin"] == 0.0
    again = measured(capsys, "c0..", "--games", "40", "--every", "2")
    assert [(name, each["games"]) for name, each in again.items()] == [
        ("c0", 60), ("c1", 20), ("c2", 0), ("c4", 40)
    ]
    assert again["c2"]["elo"] is None
    assert "build: exit status 1" in again["c2"]["note"]
    assert again["c4"] == found["c4"]


def test_other_opponents(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured(capsys, "c0", "c1", "c3", "--base", "c4", "--games", "40")
    assert [(name, each["games"]) for name, each in found.items()] == [("c0", 40), ("c1", 40), ("c3", 40)]
    assert found["c0"]["elo"] > found["c3"]["elo"] + 30
    neighbours = measured(capsys, "c0..c4", "--neighbours", "--games", "60", "--folder", "neighbours")
    assert [each["games"] for each in neighbours.values()] == [60, 120, 0, 120, 60]
    assert neighbours["c4"]["elo"] < -30
    assert neighbours["c4"]["margin"] > neighbours["c1"]["margin"]


def test_versions_that_play_alike_are_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    compared = []

    def compare(settings: TournamentSettings, progress: object) -> Comparison:
        compared.append(" ".join(str(engine.name) for engine in settings.engines))
        return Comparison(480, 8, "ply 3" if settings.engines[0].name == LABELS[1] else "")

    monkeypatch.setattr(comparison, "compare_play", compare)
    SAME_BENCH.update(commit.commit for commit in COMMITS)
    try:
        found = measured(capsys, "c0..c4", "--games", "20")
    finally:
        SAME_BENCH.clear()
    assert compared == [f"{one} {other}" for one, other in (LABELS[0:2], LABELS[1:4:2], LABELS[3:5])]
    assert [each["games"] for each in found.values()] == [20, 0, 0, 20, 0]
    assert (found["c1"]["elo"], found["c1"]["note"]) == (0.0, "plays like v1")
    assert (found["c4"]["elo"], found["c4"]["note"]) == (found["c3"]["elo"], f"plays like {LABELS[3]}")
    assert found["c3"]["elo"] < 0


def test_versions_with_the_same_files_are_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even with a clock, when their searches are not compared."""
    reverted = replace(COMMITS[3], contents=COMMITS[0].contents)
    monkeypatch.setitem(globals(), "COMMITS", [*COMMITS[:3], reverted, COMMITS[4]])
    found = measured(capsys, "c0", "c1", "c3", "--games", "10")
    assert (found["c3"]["note"], found["c3"]["games"], found["c3"]["elo"]) == ("plays like v1", 0, 0.0)
    assert found["c1"]["games"] == 10


@pytest.mark.parametrize("chosen", [("c0", "c1", "c3"), ("c0", "c1", "c4", "c3"), ("c0..c4",)])
def test_a_version_with_the_files_of_the_base_is_not_played_against_it(
    chosen: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether the base is chosen, too, and where."""
    monkeypatch.setitem(globals(), "COMMITS", [replace(COMMITS[0], contents=COMMITS[4].contents), *COMMITS[1:]])
    found = measured(capsys, *chosen, "--base", "c4", "--games", "10")
    assert (found["c0"]["note"], found["c0"]["games"], found["c0"]["elo"]) == (f"plays like {LABELS[4]}", 0, 0.0)
    assert found["c1"]["games"] == 10


@pytest.mark.parametrize("chosen", [("c0", "c1", "c3"), ("c0", "c1", "c4", "c3"), ("c0", "c4", "c1")])
def test_a_version_that_plays_like_the_base_is_not_played_against_it(
    chosen: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compare(settings: TournamentSettings, progress: object) -> Comparison:
        alike = {engine.name for engine in settings.engines} <= {LABELS[0], LABELS[4], LABELS[1]}
        return Comparison(480, 8, "" if alike else "ply 3")

    monkeypatch.setattr(comparison, "compare_play", compare)
    monkeypatch.setitem(globals(), "SAME_BENCH", {commit.commit for commit in COMMITS})
    found = measured(capsys, *chosen, "--base", "c4", "--games", "20")
    for name in ("c0", "c1"):
        assert (found[name]["note"], found[name]["games"], found[name]["elo"]) == (f"plays like {LABELS[4]}", 0, 0.0)
    assert [each["games"] for name, each in found.items() if name == "c3"] == [20] * chosen.count("c3")


@pytest.mark.parametrize(("more", "message"), [
    (["c0"], "'c0': expected a range A..B, or two or more revisions"),
    (["..c4"], "'..c4': expected a range A..B, or two or more revisions"),
    (["c0...c4"], "'c0...c4': expected a range A..B, or two or more revisions"),
    (["c0", "c1", "--every", "2"], "--every 2: expected a range A..B, not several revisions"),
    (["c0", "c1", "c0"], "'c0': the same commit as another one; expected different versions"),
])
def test_errors(more: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(*more)) == 2
    assert capsys.readouterr().err == f"latrones-uci revs history: {message}\n"


def test_a_base_that_cannot_be_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("c0", "c1", "--base", "c2")) == 1
    assert f"the base cannot be built: '{LABELS[2]}': build: exit status 1: make\n" in capsys.readouterr().err


def test_a_failure_in_a_game_ends_the_command_and_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its version would only seem weaker."""
    def engine(self: Built, name: str, each: object) -> EngineSettings:
        return EngineSettings(("fake_engine.py", "report-errors"), TimeControl(nodes=1), name, signature=name)

    monkeypatch.setattr(Built, "engine", engine)
    command = ["revs", "history", "c0..c1", "--board", "6x6", "--openings", "book.txt", "--max-plies", "2",
               "--concurrency", "1", "--folder", "games", "--games", "4"]
    assert main([*command, "--fail-on", "fault"]) == 1
    assert f"--fail-on fault: game 1, {LABELS[1]} - {LABELS[0]}: {LABELS[1]}: search-error (" in capsys.readouterr().err
    assert main([*command, "--fail-on", "fault", "end"]) == 1
    assert "(8 faults)" in capsys.readouterr().out
    assert main(command) == 0
