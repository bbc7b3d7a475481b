"""The command 'revs bisect': what it prints and writes, its exit statuses, and resuming; engines are in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from html_page import Page
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import main
from latrones_uci.records.store import StoreBlockedError
from latrones_uci.studies.revisions.build import Repository
from latrones_uci.studies.revisions.campaign import Campaign
from latrones_uci.studies.revisions.source import Commit, RevisionError

pytestmark = pytest.mark.long  # starts git, with engines in memory
WEAKNESSES = [15, 15, 15, 15, -1, 45, 45]
"""Of the base and six commits: how often each resigns, in percent; the fourth commit cannot be built."""
HASHES = [f"{number:x}".rjust(2, "a") * 20 for number in range(7)]


class Built:
    """Stands in for a version."""

    command = ("tuned_engine.py",)

    def __init__(self, commit: str) -> None:
        self.weakness = WEAKNESSES[HASHES.index(commit)]

    def engine(self, name: str, each: object) -> EngineSettings:
        return EngineSettings(("tuned_engine.py", str(20 + self.weakness)), TimeControl(nodes=1), name)


@pytest.fixture(autouse=True)
def _history(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (f"ssssss/3d2/6/6/2D3/SSSSSS w 0 {number}\n" for number in range(1, 2000))
    Path("book.txt").write_text("".join(lines), encoding="utf-8")
    Path("revs.toml").write_text('command = "{source}/engine"\n', encoding="utf-8")
    commits = [Commit(commit, f"2026-11-0{number + 1}", f"Change <{number}>", f"contents {number}")
               for number, commit in enumerate(HASHES)]

    def build(self: Repository, name: str) -> Built:
        if WEAKNESSES[HASHES.index(name)] < 0:
            raise RevisionError(f"'{name[:10]}': build: exit status 1: make\nThe whole output is in build.log")
        return Built(name)

    def between(self: Repository, good: str, bad: str) -> list[Commit]:
        return commits[commits.index(next(each for each in commits if each.commit.startswith(good))) :]

    monkeypatch.setattr(Repository, "build", build)
    monkeypatch.setattr(Repository, "commits", between)


def words(*more: str, good: str = HASHES[0]) -> list[str]:
    return ["revs", "bisect", good, "main", "--board", "6x6", "--openings", "book.txt", "--max-plies", "2",
            "--concurrency", "1", "--folder", "games", *more]


def test_the_commits_found_are_printed_and_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--report", "page.html")) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == f"6 commits after {HASHES[0][:10]}"
    assert lines[1] == "  games  version     normalised Elo      loss     no loss  suspects, likeliest"
    assert lines[2].startswith(f"     64  {HASHES[6][:10]}  ")
    assert max(map(len, lines[1 : lines.index("")])) < 80
    result = lines.index(next(line for line in lines if line.startswith("One of these commits lost strength")))
    assert [line.split()[1:] for line in lines[result + 1 : result + 3]] == [
        [HASHES[4][:10], "2026-11-05", "Change", "<4>"], [HASHES[5][:10], "2026-11-06", "Change", "<5>"]]
    assert f"  {HASHES[4][:10]} cannot be played: '{HASHES[4][:10]}': build: exit status 1: make" in lines
    assert f"stepped over {HASHES[4][:16]}" in err
    page = Page(Path("page.html").read_text(encoding="utf-8"))
    assert "Change <5>" in page.text["span"]
    assert any(text.startswith("One of these commits lost strength") for text in page.text["dd"])

    assert main(words("--quiet")) == 0  # nothing is left to play
    assert capsys.readouterr().out.splitlines() == ["", *lines[result : lines.index(next(
        line for line in lines if line.startswith("Folder: "))) + 1]]


def test_events(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--json", "--confidence", "0.9")) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    started, finished = events[0], events[-1]
    assert started["event"] == "bisection_started"
    assert (started["base"], started["games"], started["suspects"]) == (HASHES[0], 0, [0, 1, 2, 3, 4, 5])
    assert started["commits"][5] == {"commit": HASHES[6], "date": "2026-11-07", "subject": "Change <6>"}
    warnings = [event["text"] for event in events if event["event"] == "warning"]
    assert all("position of an earlier one" in text for text in warnings)
    for event in (event for event in events[1:-1] if event["event"] != "warning"):
        assert event["event"] == "bisection_progress"
        assert sum(event["chances"]) + event["no_loss"] == pytest.approx(1, abs=1e-4)
    assert (finished["event"], finished["outcome"]) == ("bisection_finished", "found")
    assert finished["commits"] == HASHES[4:6]
    assert finished["probability"] >= 0.9
    assert finished["games"] == 2 * sum(sum(version["pairs"]) for version in finished["versions"])
    assert finished["versions"][3] == {"commit": HASHES[4], "probability": pytest.approx(0.5, abs=0.06),
                                       "pairs": [0] * 5, "normalized_elo": None,
                                       "note": f"'{HASHES[4][:10]}': build: exit status 1: make"}


def test_games_used_up_and_no_loss(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--max-games", "70")) == 4
    lines = capsys.readouterr().out.splitlines()
    assert "No result within 70 games; the likeliest commits are" in lines
    assert main(words("--folder", "other", "--confidence", "0.6", good=HASHES[5])) == 3
    assert f"{HASHES[6][:10]} is not weaker than {HASHES[5][:10]}" in capsys.readouterr().out


def test_an_interruption_names_the_command_that_resumes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play: Callable[[Campaign, str, int], object] = Campaign.play
    played: list[str] = []

    def interrupted(self: Campaign, key: str, pairs: int) -> object:
        played.append(key)
        if len(played) == 3:
            raise WaitInterruptedError
        return play(self, key, pairs)

    monkeypatch.setattr(Campaign, "play", interrupted)
    assert main(words()) == 130
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"latrones-uci revs bisect: interrupted; to resume: latrones-uci {' '.join(words())}")
    assert main(words()) == 0
    assert "resumed: 128 games already played" in capsys.readouterr().out


def test_a_locked_database_or_a_full_disk_names_the_command_that_resumes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def blocked(self: Campaign, key: str, pairs: int) -> object:
        raise StoreBlockedError("database 'x.db': disk full")

    monkeypatch.setattr(Campaign, "play", blocked)
    assert main(words()) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"latrones-uci revs bisect: database 'x.db': disk full; to resume: latrones-uci {' '.join(words())}")


def test_bad_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    for more, text in ((["--confidence", "0.5"], "--confidence 0.5: expected a value above 0.5 and below 1"),
                       (["--games", "5"], "unknown argument '--games'"),
                       (["--sprt", "gainer"], "unknown argument '--sprt'")):
        assert main(words(*more)) == 2
        assert text in capsys.readouterr().err
    assert main(words(good=HASHES[6])) == 2
    assert "are the same commit; expected two" in capsys.readouterr().err


def test_a_failure_in_a_game_ends_the_command_and_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its version would only seem weaker."""
    def engine(self: Built, name: str, each: object) -> EngineSettings:
        return EngineSettings(("fake_engine.py", "report-errors"), TimeControl(nodes=1), name)

    monkeypatch.setattr(Built, "engine", engine)
    assert main(words("--max-games", "4", "--fail-on", "fault")) == 1
    assert f"--fail-on fault: game 1, {HASHES[-1][:10]} - {HASHES[0][:10]}: {HASHES[-1][:10]}: search-error (" in (
        capsys.readouterr().err)
    assert main(words("--max-games", "4", "--fail-on", "fault", "end")) == 1
    captured = capsys.readouterr()
    assert "; 8 faults\n" in captured.out
    assert captured.err.count("--fail-on fault: game 1, ") == 1
    assert main(words("--max-games", "4")) == 4
    assert main(words("--fail-on", "h0")) == 2
    assert "--fail-on h0: there is no sequential test here; expected fault, violation, time-loss or end" in (
        capsys.readouterr().err)
