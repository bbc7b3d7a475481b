"""The command line of a match between versions; building them is tested elsewhere."""

from dataclasses import replace
from pathlib import Path

import pytest

from command_line import parse_arguments
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands import revs as revs_command
from latrones_uci.commands.main import match_main as main
from latrones_uci.commands.revs import configure, prepare_revisions
from latrones_uci.revisions.revision import BuiltRevision


@pytest.fixture(autouse=True)
def _built_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(name: str, *places: object) -> BuiltRevision:
        return BuiltRevision(f"label-of-{name}", "0" * 40, (name, "--engine"), "1.0", f"bench of {name}", "native")

    monkeypatch.setattr(revs_command, "build_revision", build)


def test_what_is_played_by_default() -> None:
    prepared = prepare_revisions(parse_arguments(configure, ["main", "."]))
    assert prepared is not None
    settings = prepared.settings
    test, base = settings.engines
    assert [(each.name, each.command, each.signature) for each in settings.engines] == [
        ("test label-of-.", (".", "--engine"), "bench of ."),
        ("base label-of-main", ("main", "--engine"), "bench of main"),
    ]  # fmt: skip
    assert test.control == base.control
    assert test.control.to_text() == "tc=1+0.01"
    assert (settings.openings, settings.games) == ("random:6", 200_000)
    assert settings.screen is not None
    assert settings.screen.engine.command == base.command
    assert settings.sprt is not None
    assert (settings.sprt.elo0, settings.sprt.elo1, settings.sprt.model) == (0, 5, "normalized")


def test_what_is_asked_for() -> None:
    words = ["main", ".", "--each", "depth=3", "--openings", "random:2", "--screen-engine", "other", "--games", "10",
             "--concurrency", "2", "--force", "--sprt", "elo0=-1", "elo1=1", "--pgn", "out.pgn"]  # fmt: skip
    prepared = prepare_revisions(parse_arguments(configure, words))
    assert prepared is not None
    settings = prepared.settings
    assert (settings.games, settings.concurrency, settings.openings) == (10, 2, "random:2")
    assert settings.screen is not None
    assert settings.screen.engine.command == ("other",)
    assert settings.sprt is not None
    assert settings.sprt.elo0 == -1
    assert prepared.outputs.pgn == Path("out.pgn")


def test_a_version_against_itself() -> None:
    prepared = prepare_revisions(parse_arguments(configure, ["main", "--control"]))
    assert prepared is not None
    assert {each.command for each in prepared.settings.engines} == {("main", "--engine")}
    with pytest.raises(SettingsError, match="plays one version against itself"):
        prepare_revisions(parse_arguments(configure, ["main", ".", "--control"]))


def test_presets_and_openings_from_a_file(tmp_path: Path) -> None:
    words = ["main", ".", "--non-regression", "--openings", f"file:{tmp_path}/book.txt"]
    prepared = prepare_revisions(parse_arguments(configure, words))
    assert prepared is not None
    assert prepared.settings.sprt is not None
    assert prepared.settings.sprt.elo0 == -5
    assert prepared.settings.screen is None


@pytest.mark.parametrize(
    ("words", "status"),
    [(["--non-regression"], 0), ([], 3), (["--fail-on", "fault"], 0), (["--sprt", "elo0=-3", "elo1=3"], 3)],
)
def test_versions_that_play_alike_are_not_played(
    words: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a limit of nodes no game could tell them apart, and the test would not end."""
    build = revs_command.build_revision

    def built(name: str, *places: object) -> BuiltRevision:
        return replace(build(name, *places), bench="12345")  # type: ignore[arg-type]

    monkeypatch.setattr(revs_command, "build_revision", built)
    assert main(["revs", "main", ".", "--each", "nodes=1000", *words]) == status
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 1
    assert "bench signature 12345" in out[0]
    assert ("passes without a game" if words == ["--non-regression"] else "fails without a game") in out[0]


@pytest.mark.parametrize("each", [["tc=1+0.01"], ["st=0.1"], ["nodes=1000", "option.Threads=2"]])
def test_versions_with_one_bench_are_played_if_speed_or_chance_matter(
    each: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = revs_command.build_revision
    monkeypatch.setattr(
        revs_command, "build_revision", lambda name, *places: replace(build(name, *places), bench="12345")
    )
    prepared = prepare_revisions(parse_arguments(configure, ["main", ".", "--each", *each]))
    assert prepared is not None
    assert prepared.same_play is None


def test_refused_and_cleaned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["revs", "main"]) == 2
    assert "a version is missing" in capsys.readouterr().err
    assert main(["revs", "--clean", "--cache", str(tmp_path / "cache")]) == 0
