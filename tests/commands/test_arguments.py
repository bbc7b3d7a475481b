import argparse
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from command_line import parse_arguments
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.errors import EngineVariantError, SettingsError
from latrones_uci.client.processors import processors
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands.arguments import run_tool
from latrones_uci.commands.main import main
from latrones_uci.commands.match_arguments import Outputs, configure_match, read_match
from latrones_uci.commands.revs import configure as configure_revs
from latrones_uci.commands.tune import configure as configure_tune
from latrones_uci.match.processes import core_sets
from latrones_uci.match.screen import ScreenError
from latrones_uci.records.plan import Format
from latrones_uci.records.settings import (
    MAX_TEST_GAMES,
    BookSettings,
    DrawRule,
    GameLimits,
    ResignRule,
    TournamentSettings,
)
from latrones_uci.stats import Sprt


def parse(*words: str) -> TournamentSettings:
    return read_match(parse_arguments(configure_match, words)).settings


def outputs(*words: str) -> Outputs:
    return read_match(parse_arguments(configure_match, words)).outputs


@pytest.mark.parametrize(("program", "recipe"), [
    ("latrones-match", ""), ("latrones-uci tune", ""),
    ("latrones-uci revs bisect", ", or variants = [\"bell\"] in revs.toml"),
])
def test_an_engine_that_does_not_play_the_variant(
    program: str, recipe: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def start() -> int:
        try:
            error = EngineVariantError("engine 'A': option 'UCI_Variant': value 'latrones': expected one of bell, rota")
            error.offered = ("bell", "rota")
            raise pickle.loads(pickle.dumps(error))  # as from another process
        except EngineVariantError as error:
            raise ScreenError(f"screen engine 'A': {error}") from error

    assert run_tool(program, start, of_match=True) == 1
    assert capsys.readouterr().err == (
        f"{program}: screen engine 'A': engine 'A': option 'UCI_Variant': value 'latrones': expected one of bell, rota;"
        f" choose it with --variant bell{recipe}\n")


def test_everything(tmp_path: Path) -> None:
    settings = parse(
        *("--engine", 'cmd=python3 -m engine --log "a b"', "name=A", "depth=1", "option.Hash=16", "option.Clear Hash=",
          "env.A=b=c", "env.B="),
        *("--engine", "cmd=other", "st=0.1", f"dir={tmp_path}"),
        *("--each", "tc=1+0.01", "option.Hash=8"),
        *("--variant", "latrunculi-classical", "--board", "12x8", "--games", "100", "--openings", "random:6"),
        *("--seed", "-7", "--pgn", "out.pgn", "--concurrency", "2", "--force", "--time-margin", "5"),
        *("--max-plies", "300", "--draw", "movenumber=40", "moves=8", "score_centi=10", "--check-claims"),
        *("--resign", "moves=3", "score_centi=500", "two_sided=off", "--stall-timeout", "2.5", "--start-timeout", "60"),
        *("--sprt", "elo0=0", "elo1=5.5", "model=logistic"),
    )
    first, second = settings.engines
    assert first == EngineSettings(
        ("python3", "-m", "engine", "--log", "a b"),
        TimeControl(base_ms=1000, increment_ms=10, depth=1),
        "A",
        (("Hash", "16"), ("Clear Hash", "")),
        environment=(("A", "b=c"), ("B", "")),
    )
    assert second == EngineSettings(("other",), TimeControl(movetime_ms=100), None, (("Hash", "8"),), str(tmp_path))
    assert settings.variants == (VariantSettings("latrunculi-classical", "12x8"),)
    assert (settings.games, settings.openings, settings.seed, settings.concurrency) == (100, "random:6", -7, 2)
    assert settings.limits == GameLimits(5, 300, DrawRule(40, 8, 10), ResignRule(3, 500, False), check_claims=True)
    assert settings.timeouts == Timeouts(start_s=60.0, search_s=2.5)
    assert settings.sprt == Sprt(0.0, 5.5, model="logistic")


def test_defaults() -> None:
    words = ("--engine", "cmd=a", "--engine", "cmd=b", "--each", "depth=1")
    assert parse(*words) == TournamentSettings(
        (EngineSettings(("a",), TimeControl(depth=1)), EngineSettings(("b",), TimeControl(depth=1))),
        concurrency=max(1, processors() // 2),
    )
    assert outputs(*words) == Outputs()


def test_demo() -> None:
    settings = parse("--demo")
    assert [engine.command for engine in settings.engines] == [OWN_ENGINE, OWN_ENGINE]
    assert [engine.control for engine in settings.engines] == [TimeControl(depth=2), TimeControl(depth=1)]
    assert settings.games == 12
    assert settings.variants == (VariantSettings("latrunculi-xxi", "6x6"),)
    assert parse("--demo", "--variant", "rota").variants == (VariantSettings("rota"),)
    assert outputs("--demo") == Outputs(Path("demo.db"), Path("demo.pgn"), fresh=True)
    assert parse("--demo", "--games", "2", "--board", "5x5").variants == (VariantSettings("latrunculi-xxi", "5x5"),)
    assert not outputs("--demo", "--database", "mine.db").fresh


def test_engines_variants_and_openings(tmp_path: Path) -> None:
    (tmp_path / "its.ini").touch()
    settings = parse(
        *("--engine", "cmd=a", "protocol=auto", "variant.latrones=ludus", "ponder=on", "margin=20",
          "variant_path=its.ini"),
        *("--engine", "cmd=b", "name=b", "restart=on"),
        *("--engine", "cmd=c", "tc=2"),
        *("--each", "st=1", "nodes=5", "--strict", "--format", "gauntlet"),
        *("--variant", "latrones:8x8", "--variant", "bell"),
        *("--openings", "book", "plies=0", "order=random", "start=7"),
    )
    first, second, third = settings.engines
    path = str(tmp_path / "its.ini")
    assert first == EngineSettings(("a",), TimeControl(movetime_ms=1000, nodes=5), protocol="auto", strict=True,
                                   variant_names=(("latrones", "ludus"),), ponder=True, margin_ms=20,
                                   variant_path=path)
    assert first.all_options == (("VariantPath", path),)
    assert second == EngineSettings(("b",), first.control, "b", restart=True, strict=True)
    assert third.control == TimeControl(base_ms=2000, nodes=5)  # its own kind of time replaces that of all
    assert settings.format is Format.GAUNTLET
    assert settings.variants == (VariantSettings("latrones", "8x8"), VariantSettings("bell"))
    assert (settings.openings, settings.book) == ("book", BookSettings(0, "random", 7))
    assert parse(*TWO, "--openings", "random:5").book == BookSettings()


def test_a_game_of_a_pondering_engine_needs_two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latrones_uci.commands.match_arguments.processors", lambda: 4)

    def concurrency_error(concurrency: int, *own: str) -> str:
        try:
            parse("--engine", "cmd=a", *own, "--engine", "cmd=b", "--each", "st=1", "--concurrency", str(concurrency))
        except SettingsError as error:
            return str(error)
        return ""

    assert concurrency_error(4) == concurrency_error(2, "ponder=on") == concurrency_error(2, "option.Threads=2") == ""
    assert concurrency_error(1, "ponder=on", "option.Threads=3") == ""
    assert concurrency_error(3, "ponder=on") == (
        "concurrency: 3 games at a time with 2 threads each, as both engines think at the same time with ponder=on:"
        " too many for 4 processor(s); use --force to play anyway"
    )
    assert "1 game at a time with 5 threads each" in concurrency_error(1, "ponder=on", "option.Threads=4")
    assert concurrency_error(1, "option.Threads=5") == ""


def test_games_that_are_pinned_to_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors of different cores come first. Here 0 and 4 share a core, and 1 and 5."""
    cores = {0: {0, 4}, 1: {1, 5}, 4: {0, 4}, 5: {1, 5}}
    monkeypatch.setattr("latrones_uci.match.processes.can_pin", lambda: True)
    monkeypatch.setattr("latrones_uci.match.processes.usable_processors", lambda: frozenset(cores))
    monkeypatch.setattr("latrones_uci.match.processes.core_of", cores.__getitem__)
    assert core_sets(4, 1) == [{0}, {1}, {4}, {5}]
    assert core_sets(2, 2) == [{0, 1}, {4, 5}]
    words = [*TWO, "--affinity", "--force", "--concurrency"]
    parse(*words, "4")
    for concurrency, threads, error in ((5, (), ""), (3, ("--each", "ponder=on"), " with 2 threads each")):
        with pytest.raises(SettingsError) as raised:
            parse(*words, str(concurrency), *threads)
        assert str(raised.value) == (f"--affinity: {concurrency} games at a time{error}: too many for 4 processor(s);"
                                     " expected fewer games at a time, or no '--affinity'")
    monkeypatch.setattr("latrones_uci.match.processes.can_pin", lambda: False)
    with pytest.raises(SettingsError, match="this system cannot pin programs to processors; expected Linux"):
        parse(*words, "1")


def test_a_preset_of_the_sequential_test() -> None:
    for words, test in (
        (["non-regression"], Sprt(-5, 0, model="normalized")),
        (["gainer", "elo1=10"], Sprt(0, 10)),
        (["elo1=10", "gainer"], Sprt(0, 10)),
        (["non-regression", "alpha=0.01", "model=logistic"], Sprt(-5, 0, alpha=0.01, model="logistic")),
        (["large-gainer", "elo0=5", "beta=0.1"], Sprt(5, 15, beta=0.1)),
    ):
        settings = parse(*TWO, "--sprt", *words)
        assert (settings.sprt, settings.games) == (test, MAX_TEST_GAMES)
    assert parse(*TWO, "--sprt", "gainer", "--games", "0000000000000010").games == 10


TWO = ("--engine", "cmd=a", "depth=1", "--engine", "cmd=b", "depth=1")
# Every option of a match with a value that is not the default, but for those that are not settings of one.
SAVED: dict[str, tuple[str, ...]] = {
    "engine": (), "each": ("option.Hash=8",), "strict": (), "format": ("swiss",), "rounds": ("3",),
    "variant": ("own",), "variant-path": ("own.toml",), "board": ("6x6",), "openings": ("random:5",),
    "screen-engine": ("cmd", "nodes=7", "score=99"), "seed": ("0",), "sprt": ("gainer",), "time-margin": ("7",),
    "max-plies": ("90",), "draw": ("movenumber=4", "moves=8", "score_centi=10"), "resign": ("moves=3", "score_centi=5"),
    "tables": ("tables",), "check-claims": (), "start-timeout": ("4",), "stall-timeout": ("5",), "games": ("12",),
    "concurrency": ("9",), "database": ("a.db",), "pgn": ("b.pgn",), "report": ("c.html",), "log": ("d.log",),
    "log-dir": ("logs",), "json": (), "json-moves": (), "watch": ("8123",), "quiet": (), "force": (),
    "affinity": (),
    "fail-on": ("fault", "h0"), "executor": ("dask",), "scheduler": ("tcp://host:1",),
}
NOT_SAVED = ("config", "save-config", "demo", "accept-changed-engine", "help")


def test_saved_settings_are_all_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new option belongs to one of the two lists."""
    parser = argparse.ArgumentParser()
    configure_match(parser)
    assert {option[2:] for option in parser._option_string_actions if option[:2] == "--"} == {*SAVED, *NOT_SAVED}
    monkeypatch.chdir(tmp_path)
    Path("own.toml").write_text('[own]\nparent = "latrones"\n', encoding="utf-8")
    monkeypatch.setattr("latrones_uci.commands.match_arguments.check_tables", lambda limits, starts: None)
    alone = {"sprt": (*TWO, "--force"), "format": (*TWO, "--engine", "cmd=c", "depth=1"), "log": TWO, "log-dir": TWO,
             "quiet": TWO, "affinity": (*TWO, "--concurrency", "1")}
    together = [name for name in SAVED if name not in (*alone, "engine", "rounds")]
    lines = [[*TWO, *(word for name in together for word in (f"--{name}", *SAVED[name]))]]
    for name, words in alone.items():
        rounds = ("--rounds", *SAVED["rounds"]) if name == "format" else ()
        lines.append([*words, f"--{name}", *SAVED[name], *rounds])
    for words in lines:
        assert main(["match", *words, "--save-config", "saved.toml"]) == 0, capsys.readouterr().err
        both = (words, ["--config", "saved.toml"])
        given, read = (read_match(parse_arguments(configure_match, each)) for each in both)
        assert (read.settings, read.outputs) == (given.settings, given.outputs)
        assert (given.settings, given.outputs) != (parse(*TWO), Outputs())


def test_what_is_given_beside_a_file_applies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "saved.toml")
    assert main(["match", *TWO, "--pgn", "a.pgn", "--fail-on", "h0", "--json", "--save-config", file]) == 0
    assert outputs("--config", file, "--pgn", "b.pgn", "--watch") == Outputs(
        pgn=Path("b.pgn"), json=True, watch=0, fail_on=frozenset({"h0"})
    )
    assert main(["match", "--config", file, "--quiet"]) == 2
    assert "'--json' cannot be combined with '--quiet'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("configure", "words"), [(configure_revs, ["main", "."]), (configure_tune, ["--param", "Hash"])]
)
def test_the_outcomes_of_a_match_also_fail_other_commands(
    configure: Callable[[argparse.ArgumentParser], None], words: Sequence[str]
) -> None:
    assert parse_arguments(configure, [*words, "--fail-on", "violation"]).fail_on == ["violation"]
