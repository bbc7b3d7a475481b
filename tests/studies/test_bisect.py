"""Bisections of commits with engines in memory: the one that lost is found, others are stepped over or left out."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folders import EXAMPLES
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands.main import main
from latrones_uci.match.worker import LocalPlace
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.studies.revisions import comparison
from latrones_uci.studies.revisions.bisect import Bisection, BisectionState, Ending, Version
from latrones_uci.studies.revisions.campaign import Campaign
from latrones_uci.studies.revisions.comparison import Comparison
from latrones_uci.studies.revisions.source import RevisionError, commits_between

NODES = TimeControl(nodes=1)
GOOD, BAD = 15, 45
BROKEN = -1


def engine(name: str, weakness: int, signature: str = "") -> EngineSettings:
    """Return a fake that resigns in this percentage of its games at its first move."""
    return EngineSettings(("tuned_engine.py", str(20 + weakness)), NODES, name, signature=signature)


BASE = engine("base", GOOD)
SETTINGS = TournamentSettings(
    (replace(BASE, name=None), BASE), (VariantSettings("latrones", "6x6"),), openings="file:book.txt",
    limits=GameLimits(max_plies=2),
)


@pytest.fixture(autouse=True)
def _openings() -> None:
    """Positions that differ in a counter only, in which the moves of the engine are legal."""
    lines = (f"ssssss/3d2/6/6/2D3/SSSSSS w 0 {number}\n" for number in range(1, 2000))
    Path("book.txt").write_text("".join(lines), encoding="utf-8")


@contextmanager
def bisection(
    weaknesses: list[int], contents: str = "", signatures: str = "", settings: TournamentSettings = SETTINGS,
    built: list[str] | None = None, **options: object,
) -> Iterator[Bisection]:
    """Prepare a bisection of versions v0, v1, ...; the letters of ``contents`` and ``signatures`` are those of each."""

    def build(key: str) -> EngineSettings:
        commit = int(key[1:])
        if built is not None:
            built.append(key)
        if weaknesses[commit] == BROKEN:
            raise RevisionError(f"'{key}': build: exit status 1")
        return engine(key, weaknesses[commit], signatures[commit : commit + 1])

    versions = [Version(f"v{commit}", contents[commit : commit + 1] or f"own {commit}")
                for commit in range(len(weaknesses))]
    interrupt = threading.Event()
    with LocalPlace(1, interrupt.is_set) as place, Campaign(
            Path("bisection"), settings, build, place, interrupt) as campaign:
        yield Bisection(campaign, settings, Version("base", "base"), versions, **options)  # type: ignore[arg-type]


def ended(search: Bisection) -> BisectionState:
    for _ in range(100):
        if search.state.outcome is not None:
            return search.state
        search.step()
    raise AssertionError("the search does not end")


@pytest.mark.long
def test_the_commit_that_lost_is_found_with_few_builds_and_the_search_is_resumed() -> None:
    weaknesses, built = [GOOD] * 5 + [BAD] * 4, list[str]()
    with bisection(weaknesses, built=built) as search:
        assert search.step() == 8  # first of all: has strength been lost?
        found = ended(search)
    assert (found.outcome, found.culprits) == (Ending.FOUND, (5,))
    assert found.probability >= 0.95
    assert found.posterior.loss > 50
    assert len(built) < 9
    with bisection(weaknesses) as resumed:
        assert resumed.state == found


@pytest.mark.long
def test_versions_that_cannot_be_built_are_suspects_with_the_next_one() -> None:
    notes: list[str] = []
    with bisection([GOOD, GOOD, BROKEN, BROKEN, BAD, BAD], report=notes.append) as search:
        found = ended(search)
    assert (found.outcome, found.culprits) == (Ending.FOUND, (2, 3, 4))
    assert "stepped over v2: 'v2': build: exit status 1" in notes
    with pytest.raises(RevisionError, match="'v1': build: exit status 1"), bisection([GOOD, BROKEN]):
        pass


def test_versions_with_the_same_contents_are_one() -> None:
    with bisection([BAD] * 6, contents="aabbca") as search:  # changed and changed back
        assert search.state.suspects == (0,)
        assert ended(search).culprits == (0,)
    with bisection([GOOD] * 2, contents="") as search:
        assert search.state.suspects == (0, 1)
    versions = [Version("x", "base")]
    with bisection([GOOD]) as search:
        same = Bisection(search._campaign, SETTINGS, Version("base", "base"), versions)
        assert same.state.outcome is Ending.SAME_PLAY


@pytest.mark.long
def test_versions_that_play_alike_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[list[str | None]] = []

    def compare(settings: TournamentSettings, progress: object) -> Comparison:
        compared.append([each.name for each in settings.engines])
        return Comparison(100, 8, "" if "v3" not in compared[-1] else "opening 1")

    monkeypatch.setattr(comparison, "compare_play", compare)
    with bisection([GOOD, BAD, BAD, BAD, BAD], signatures="abbbb") as search:
        found = ended(search)
    assert (found.outcome, found.culprits) == (Ending.FOUND, (1,))
    assert compared


def test_equal_play_ends_the_search_without_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "compare_play", lambda settings, progress: Comparison(100, 8))
    base = replace(BASE, signature="a")
    with bisection([GOOD] * 4, signatures="aaaa", settings=replace(SETTINGS, engines=(SETTINGS.engines[0], base))
                   ) as search:
        found = ended(search)
    assert (found.outcome, found.games, found.suspects) == (Ending.SAME_PLAY, 0, ())


@pytest.mark.long
def test_a_last_version_that_is_stronger() -> None:
    weak = replace(SETTINGS, engines=(SETTINGS.engines[0], engine("base", BAD)))
    with bisection([BAD, GOOD], settings=weak) as search:
        found = ended(search)
    assert (found.outcome, found.culprits) == (Ending.NO_LOSS, ())
    assert found.probability == found.posterior.no_loss >= 0.95
    assert not any(found.pairs[0])


def test_the_games_allowed() -> None:
    with bisection([GOOD, BAD, BAD], most_games=100) as search:
        found = ended(search)
    assert (found.outcome, found.games, found.probability) == (Ending.UNDECIDED, 100, 0)


# ---------------------------------------------------------------- the commits


def git(*words: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *words], cwd="history", check=True, capture_output=True)


def commit(subject: str, name: str = "engine.c") -> None:
    Path("history", name).write_text(subject, encoding="utf-8")
    git("add", "--all")
    git("commit", "--message", f"{subject}\n\nMore words.")


@pytest.mark.process
def test_a_merge_is_one_commit_and_words_change_no_version() -> None:
    Path("history").mkdir()
    git("init")
    commit("first")
    git("tag", "v1")
    commit("second")
    git("checkout", "-b", "side")
    commit("aside", "other.c")
    git("checkout", "main")
    commit("words", "README")
    git("merge", "side", "--message", "merge")
    commit("last")
    paths = ["engine.c", "other.c"]
    found = commits_between("v1", "main", Path("history"), paths)
    assert [each.subject for each in found] == ["first", "second", "words", "merge", "last"]
    contents = [each.contents for each in found]
    assert contents[1] == contents[2]
    assert len(set(contents)) == 4
    assert all(len(each.commit) == 40 and len(each.date) == 10 for each in found)
    # The first commit that contains the base is the merge.
    assert [each.subject for each in commits_between("side", "main", Path("history"), paths)] == [
        "aside", "merge", "last"]
    assert commits_between("v1", "v1", Path("history"), ["none"])[0].contents == ""
    for good, bad, text in (("main", "v1", "'main' is not an ancestor of 'v1'; expected the older one first"),
                            ("v2", "main", "'v2': no revision in 'history'")):
        with pytest.raises(RevisionError, match=text) as raised:
            commits_between(good, bad, Path("history"), paths)
        assert raised.value.exit_status == 2  # a bad argument, not a build that fails


@pytest.mark.process
def test_no_command_gets_longer_with_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows it has 32,767 characters at most, room for 800 hashes."""
    Path("history").mkdir()
    git("init")
    for number in range(4):
        commit(f"number {number}")
    run, commands = subprocess.run, list[Sequence[str]]()

    def recorded(command: Sequence[str], **options: Any) -> object:
        commands.append(command)
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", recorded)
    assert len(commits_between("main~3", "main", Path("history"), ["."])) == 4
    assert max(len(re.findall("[0-9a-f]{40}", " ".join(command))) for command in commands) == 2


EXAMPLE = EXAMPLES / "c_engine"
CHANGES = (("engine.c", "DUX_FREEDOM = 6", "DUX_FREEDOM = 2"), ("README", "", "An engine.\n"),
           ("engine.c", "/* captures first */", "/* not yet"), ("engine.c", "/* not yet", "/* first, captures */"))
"""File, old and new text of each commit; the third one does not compile."""


@pytest.mark.slow
@pytest.mark.process
def test_versions_of_the_example_engine_are_built_and_played(capfd: pytest.CaptureFixture[str]) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: cc")
    folder = Path("history")
    shutil.copytree(EXAMPLE, folder)
    (folder / "README").touch()
    git("init")
    for number, (name, old, new) in enumerate([("README", "", ""), *CHANGES]):
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        git("add", ".")
        git("commit", "-m", f"Change {number}")
        if not number:
            git("tag", "v1")
    words = ["revs", "bisect", "v1", "main", "--repository", "history", "--cache", "cache", "--folder", "games",
             "--board", "6x6", "--each", "nodes=50", "--max-games", "10"]
    assert main(words) == 4
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("4 commits after ")
    assert lines[0].endswith(", 1 without a change of what is built")
    assert any(line.startswith("No result within 10 games") for line in lines)
