"""The command line of a match between versions, and whether they play alike; building them is tested elsewhere."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command_line import parse_arguments
from folders import ROOT
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands import revs_arguments
from latrones_uci.commands.main import match_main as main
from latrones_uci.commands.revs import configure, prepare_revisions
from latrones_uci.game import ludii_variants
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.stats import Sprt
from latrones_uci.studies.revisions import build as build_module
from latrones_uci.studies.revisions import comparison
from latrones_uci.studies.revisions.build import BuiltRevision, Repository
from latrones_uci.studies.revisions.comparison import (
    MAX_PLIES,
    OPENINGS_OF_VARIANT,
    Comparison,
    chance_matters,
    compare_play,
)
from latrones_uci.studies.revisions.recipe import Recipe

RECIPE = Recipe("{directory}/engine", options=(("Net", "{directory}/net"), ("Hash", "16")))


@pytest.fixture(autouse=True)
def _built_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(self: Repository, names: Sequence[str], check: Callable[..., None]) -> dict[str, BuiltRevision]:
        built = {
            name: BuiltRevision(f"label-of-{name}", "0" * 40, name, (name, "--engine"), f"bench of {name}", RECIPE,
                                (("{directory}", f"/cache/{name}"),))
            for name in names
        }
        check(built)
        return built

    monkeypatch.setattr(Repository, "build_all", build)
    monkeypatch.setattr(revs_arguments, "find_recipe", lambda repository: RECIPE)
    monkeypatch.setattr(build_module, "prints_scores", lambda screen, *places: "silent" not in screen.engine.command)


def prepare(*words: str) -> Any:
    """Return what a command line prepares; ``prepared.settings`` are those of the match."""
    prepared = prepare_revisions(parse_arguments(configure, words))
    assert prepared is not None
    return prepared


def test_what_is_played_by_default() -> None:
    settings = prepare("main", ".").settings
    test, base = settings.engines
    assert [(each.name, each.command, each.signature) for each in settings.engines] == [
        ("test label-of-.", (".", "--engine"), "bench of ."),
        ("base label-of-main", ("main", "--engine"), "bench of main"),
    ]
    assert test.control == base.control
    assert test.control.to_text() == "tc=1+0.01"
    assert (settings.openings, settings.screen, settings.games) == ("auto", None, 200_000)
    assert base.options == (("Net", "/cache/main/net"), ("Hash", "16"))
    assert settings.sprt == Sprt(0, 5)


def test_what_is_asked_for(tmp_path: Path) -> None:
    prepared = prepare("main", ".", "--each", "depth=3", "--openings", "random:2", "--screen-engine", "other",
                       "--games", "10", "--concurrency", "2", "--force", "--sprt", "elo0=-1", "elo1=1",
                       "--pgn", "out.pgn")
    settings = prepared.settings
    assert (settings.games, settings.concurrency, settings.openings) == (10, 2, "random:2")
    assert settings.screen.engine.command == ("other",)
    assert settings.sprt.elo0 == -1
    assert prepared.outputs.pgn == Path("out.pgn")
    settings = prepare("main", ".", "--openings", "random:4").settings
    assert settings.screen.engine.command == ("main", "--engine")
    settings = prepare("main", ".", "--screen-engine", "other").settings
    assert (settings.openings, settings.screen.engine.command) == ("random:6", ("other",))
    control = prepare("main", "--control").settings
    assert {each.command for each in control.engines} == {("main", "--engine")}
    from_file = prepare("main", ".", "--non-regression", "--openings", f"file:{tmp_path}/book.txt").settings
    assert (from_file.sprt.elo0, from_file.screen) == (-5, None)


def test_a_base_that_prints_no_scores_screens_no_openings(capsys: pytest.CaptureFixture[str]) -> None:
    settings = prepare("silent", ".", "--openings", "random:4").settings
    assert (settings.openings, settings.screen) == ("random:4", None)
    assert capsys.readouterr().err == "label-of-silent prints no scores, so random openings are not screened\n"


def test_the_recipe_has_defaults(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('command = "{source}/x"\nvariants = ["rota", "bell"]\neach = ["nodes=30", "margin=5"]\n')
    settings = prepare("main", ".", "--recipe", str(path)).settings
    assert settings.variants_text == "rota, bell"
    assert {engine.control.to_text() for engine in settings.engines} == {"nodes=30"}
    given = prepare("main", ".", "--recipe", str(path), "--variant", "latrones", "--each", "depth=2").settings
    assert (given.variants_text, given.engines[0].control.to_text()) == ("latrones", "depth=2")


@pytest.mark.process
def test_without_a_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.undo()
    assert main(["revs", "one", "two", "--repository", str(tmp_path)]) == 2
    recipe = str(tmp_path / "revs.toml")
    assert capsys.readouterr().err == (f"latrones-uci revs: {recipe!r}: no such file; expected how the engine is built"
                                       " (docs/ci.md), or --recipe FILE\n")


def one_bench(monkeypatch: pytest.MonkeyPatch, compared: Comparison | None) -> None:
    """Give all versions one bench signature; None: their searches must not be compared."""
    build = Repository.build_all

    def built(self: Repository, names: Sequence[str], **more: Any) -> dict[str, BuiltRevision]:
        return {name: replace(one, bench="12345") for name, one in build(self, names, **more).items()}

    def compare(settings: TournamentSettings, progress: object) -> Comparison:
        assert compared is not None
        return compared

    monkeypatch.setattr(Repository, "build_all", built)
    monkeypatch.setattr(comparison, "compare_play", compare)


@pytest.mark.parametrize(
    ("words", "status"),
    [(["--non-regression"], 0), ([], 3), (["--fail-on", "fault"], 0), (["--sprt", "elo0=-3", "elo1=3"], 3)],
)
def test_versions_that_search_the_openings_alike_are_not_played(
    words: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a limit of nodes no game could tell them apart, and the test would not end."""
    one_bench(monkeypatch, Comparison(positions=480, openings=8))
    command = ["revs", "main", ".", "--variant", "latrones:10x8", "--each", "nodes=1000", *words]
    assert main(command) == status
    (out,) = capsys.readouterr().out.splitlines()
    assert out.startswith(
        "Both versions have the bench signature 12345, and searched alike the 480 positions of 8 games from the first"
        " openings of latrones:10x8 (nodes=1000): same moves, scores, lines and node counts. The test "
    )
    assert ("passes without a game" if words == ["--non-regression"] else "fails without a game") in out
    assert main([*command, "--json"]) == status
    assert json.loads(capsys.readouterr().out) == {"event": "warning", "text": out}


def test_versions_with_one_bench_that_search_the_openings_differently_are_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one_bench(monkeypatch, Comparison(0, 1, "opening 1 of latrones:10x8, ply 1: test: 'a', base: 'b'"))
    prepared = prepare("main", ".", "--non-regression", "--each", "nodes=500", "--variant", "latrones:10x8")
    assert prepared.same_play == ""
    assert "their searches differ: opening 1 of latrones:10x8, ply 1" in capsys.readouterr().err


def test_searches_are_not_compared_if_speed_or_chance_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    one_bench(monkeypatch, None)
    for each in ("tc=1+0.01", "st=0.1 depth=3", "tc=inf", "nodes=1000 option.threads=2", "depth=3 ponder=on"):
        assert prepare("main", ".", "--each", *each.split()).same_play == ""
    alike = prepare("main", "main", "--each", "depth=3", "option.Threads=1").same_play
    assert alike == "Both versions are label-of-main, with one thread and no clock"


@pytest.mark.parametrize("each", ["tc=1+0.01", "nodes=100 option.Threads=2"])
def test_a_version_is_not_played_against_itself(each: str) -> None:
    """It is refused before the build."""
    with pytest.raises(SettingsError) as raised:
        prepare("main", "main", "--each", *each.split())
    assert str(raised.value) == (
        "versions 'main' and 'main' are the same: label-of-main; expected versions that differ, or --control to play a"
        " version against itself")
    prepare("main", "--control", "--each", *each.split())


WORKFLOW = (ROOT / ".github" / "workflows" / "strength.yml").read_text(encoding="utf-8")


def test_the_workflow_starts_for_every_file_that_can_change_play() -> None:
    (ignored,) = re.findall(r"paths-ignore: (\[.*\])", WORKFLOW)
    assert not re.search(r"\bpaths:", WORKFLOW)
    patterns = [re.escape(text).replace(r"\*\*", ".*").replace(r"\*", "[^/]*") for text in json.loads(ignored)]
    package = [path.relative_to(ROOT).as_posix() for path in (ROOT / "latrones_uci").rglob("*") if path.is_file()]
    assert {Path(name).suffix for name in package} >= {".py", ".cpp", ".hpp", ".toml", ".net", ".fen"}
    for name in (*package, "setup.py", "pyproject.toml", "MANIFEST.in"):
        assert not any(re.fullmatch(pattern, name) for pattern in patterns), name
    assert any(re.fullmatch(pattern, "docs/engine/notes.md") for pattern in patterns)


def test_the_workflow_plays_every_board_that_has_a_net() -> None:
    """Except Ludii's games, of which one without a no-capture limit can take longer than a hundred of the others."""
    words = shlex.split(WORKFLOW.partition("latrones-uci revs ")[2].partition("- uses:")[0])
    prepared = prepare(*words, "--force")
    nets = {path.stem.rpartition("-")[::2] for path in (ROOT / "latrones_uci" / "engine" / "nets").glob("*.net")}
    gated = {(name, board) for name, board in nets if name not in ludii_variants()}
    assert {(variant.name, variant.board) for variant in prepared.settings.variants} == gated
    assert prepared.settings.sprt == Sprt(-20, 0)
    assert not chance_matters(prepared.settings.engines[0])
    assert prepared.outputs.fail_on == {"h0", "fault"}


def test_cleaned(tmp_path: Path) -> None:
    assert main(["revs", "--clean", "--cache", str(tmp_path / "cache")]) == 0


# ---------------------------------------------------------------- do two engines play alike on the openings?

NODES = TimeControl(nodes=100)


def match(variants: str, *engines: EngineSettings, games: int = 8, **settings: object) -> TournamentSettings:
    named = tuple(replace(engine, name=f"engine {number}") for number, engine in enumerate(engines))
    played = tuple(map(VariantSettings.from_text, variants.split()))
    return TournamentSettings(named, played, games=games, openings="random:6", **settings)  # type: ignore[arg-type]


def own(*options: tuple[str, str]) -> EngineSettings:
    return EngineSettings(OWN_ENGINE, NODES, options=options)


@pytest.mark.slow
def test_a_net_that_is_missing_on_one_board_is_found_where_that_board_is_played() -> None:
    with_net, without = own(("Hash", "1")), own(("Hash", "1"), ("EvalFile", "none"))
    elsewhere = compare_play(match("latrones:6x6 rota", with_net, without, games=4))
    assert (elsewhere.openings, elsewhere.difference) == (2, "")
    assert elsewhere.positions > 2 * 10
    found = compare_play(match("rota latrones:10x8", with_net, without))
    assert found.difference.startswith("opening 1 of latrones:10x8, ply 1: engine 0: 'depth 1 ")
    assert "', engine 1: 'depth 1 " in found.difference
    assert found.openings == 2


def test_no_more_openings_than_the_match_has_or_than_are_needed(fake_settings: Callable[..., EngineSettings]) -> None:
    engine = fake_settings("good", control=NODES)
    small = VariantSettings("latrones", "4x4")
    assert compare_play(replace(match("rota", engine, engine, games=5), variants=(small,))).openings == 3
    many = compare_play(replace(match("rota", engine, engine, games=2000), variants=(small,)))
    assert many.openings == OPENINGS_OF_VARIANT
    assert 0 < many.positions <= OPENINGS_OF_VARIANT * MAX_PLIES
    states: list[str] = []
    short = replace(match("rota", engine, engine, games=5), variants=(small,), limits=GameLimits(max_plies=2))
    assert 0 < compare_play(short, states.append).positions <= 2 * 3
    assert [states[0], states[-1]] == ["comparing searches: game 1 of 3", "comparing searches: game 3 of 3"]


def test_an_engine_that_fails_differs_from_one_that_does_not(fake_settings: Callable[..., EngineSettings]) -> None:
    good, bad, mad = (fake_settings(behaviour, control=NODES) for behaviour in ("good", "crash", "illegal"))
    assert "ended with status" in compare_play(match("latrones:6x6", good, bad)).difference
    assert compare_play(match("latrones:6x6", mad, good)).difference.startswith("opening 1 of latrones:6x6, ply 1: ")
