import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from command_line import parse_arguments
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import processors
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands.main import main
from latrones_uci.commands.match_arguments import Outputs, configure_match, read_match
from latrones_uci.commands.revs import configure as configure_revs
from latrones_uci.commands.tune import configure as configure_tune
from latrones_uci.match.adjudication import DrawRule, GameLimits, ResignRule
from latrones_uci.match.openings import BookSettings
from latrones_uci.match.plan import Format
from latrones_uci.match.settings import MAX_TEST_GAMES, TournamentSettings
from latrones_uci.stats import Sprt


def parse(*words: str) -> TournamentSettings:
    return read_match(parse_arguments(configure_match, words)).settings


def outputs(*words: str) -> Outputs:
    return read_match(parse_arguments(configure_match, words)).outputs


def test_everything(tmp_path: Path) -> None:
    settings = parse(
        *("--engine", "cmd=python3 -m engine --log 'a b'", "name=A", "depth=1", "option.Hash=16", "option.Clear Hash=",
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
    assert settings.limits == GameLimits(5, 300, DrawRule(40, 8, 10), ResignRule(3, 500, False), True)
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
    assert settings.games == 4
    assert outputs("--demo") == Outputs(Path("demo.db"), Path("demo.pgn"), fresh=True)
    assert parse("--demo", "--games", "2", "--board", "6x6").games == 2
    assert not outputs("--demo", "--database", "mine.db").fresh


def test_a_gauntlet_of_several_games() -> None:
    engines = [word for name in "abc" for word in ("--engine", f"cmd={name}", f"name={name}", "restart=on")]
    variants = ("--variant", "latrones:12x8", "--variant", "bell")
    settings = parse(*engines, "--each", "st=1", "--format", "gauntlet", *variants)
    assert settings.format is Format.GAUNTLET
    assert [(engine.name, engine.restart) for engine in settings.engines] == [("a", True), ("b", True), ("c", True)]
    assert settings.variants == (VariantSettings("latrones", "12x8"), VariantSettings("bell"))


def test_words_of_engines() -> None:
    words = ("--engine", "cmd=a", "protocol=auto", "variant.latrones=ludus", "--engine", "cmd=b", "--each", "st=1")
    first, second = parse(*words, "--strict").engines
    assert (first.protocol, first.strict, first.variant_names) == ("auto", True, (("latrones", "ludus"),))
    assert (second.protocol, second.strict, second.variant_names) == ("uci", True, ())


def test_openings_of_a_list() -> None:
    settings = parse(*TWO, "--openings", "book", "plies=0", "order=random", "start=7")
    assert (settings.openings, settings.book) == ("book", BookSettings(0, "random", 7))
    assert parse(*TWO, "--openings", "random:5").book == BookSettings()


def test_settings_of_one_engine(tmp_path: Path) -> None:
    (tmp_path / "its.ini").touch()
    own = ("ponder=on", "margin=20", "variant_path=its.ini")
    words = ("--engine", "cmd=a", *own, "--engine", "cmd=b", "--each", "st=1")
    first, second = parse(*words).engines
    assert (first.ponder, first.margin_ms, first.variant_path) == (True, 20, str(tmp_path / "its.ini"))
    assert (second.ponder, second.margin_ms, second.variant_path) == (False, None, None)
    assert first.all_options == (("VariantPath", str(tmp_path / "its.ini")),)


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


def test_a_preset_of_the_sequential_test() -> None:
    settings = parse(*TWO, "--sprt", "non-regression")
    assert (settings.sprt, settings.games) == (Sprt(-5, 0, model="normalized"), MAX_TEST_GAMES)
    assert parse(*TWO, "--sprt", "gainer", "--games", "10").games == 10


@pytest.mark.parametrize(("words", "test"), [
    (["gainer", "elo1=10"], Sprt(0, 10)),
    (["elo1=10", "gainer"], Sprt(0, 10)),
    (["non-regression", "alpha=0.01", "model=logistic"], Sprt(-5, 0, alpha=0.01, model="logistic")),
    (["large-gainer", "elo0=5", "beta=0.1"], Sprt(5, 15, beta=0.1)),
])  # fmt: skip
def test_changes_to_a_preset(words: list[str], test: Sprt) -> None:
    assert parse(*TWO, "--sprt", *words).sprt == test


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
    "fail-on": ("fault", "h0"), "executor": ("dask",), "scheduler": ("tcp://host:1",),
}  # fmt: skip
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
             "quiet": TWO}  # fmt: skip
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
    for words, message in (
        (["--config", file, "--quiet"], "'--json' cannot be combined with '--quiet'"),
        (["--config", file, "--seed", "0"], "'--seed' cannot be combined with '--config'"),
        (["--demo", "--save-config", file], "'--demo' is not a setting of a match"),
        ([*TWO, "--accept-changed-engine", "--save-config", file], "'--accept-changed-engine' is not a setting of a"),
    ):
        assert main(["match", *words]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(("text", "message"), [
    ("outputs = 3", "outputs: '3' is not a table"),
    ("[outputs]\nfresh = true", "outputs: 'fresh' cannot be set here; expected one of database, fail_on, force, json,"),
    ("[outputs]\npng = 'a'", "outputs: unknown key 'png'; expected one of database, pgn"),
    ("[outputs]\npgn = ''", "outputs.pgn: '' is not a path"),
    ("[outputs]\nfail_on = ['fualt']", "fail_on: unknown outcome 'fualt'"),
    ("[outputs]\nwatch = 65536", "watch: 65536 is not a port from 0 to 65535"),
    ("[outputs]\nquiet = true\njson = true", "'--json' cannot be combined with '--quiet'"),
])  # fmt: skip
def test_bad_outputs_in_a_file(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "saved.toml"
    engine = "[[engines]]\ncommand = ['a']\ncontrol = 'depth=1'\n"
    path.write_text(f"{text}\n{2 * engine}", encoding="utf-8")
    assert main(["match", "--config", str(path)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert message in line
    assert str(path) in line


@pytest.mark.parametrize(
    ("words", "quoted"),
    [
        ((), "0 given"),
        (("--engine", "cmd=a", "depth=1"), "1 given"),
        ((*TWO, "--engine", "cmd=c", "depth=1"), "3 given"),
        (("--engine", "name=a", "depth=1", "--engine", "cmd=b"), "'name=a depth=1'"),
        (("--engine", "cmd=a", "--engine", "cmd=b", "depth=1"), "no limit"),
        (("--engine", "cmd='a", "depth=1", "--engine", "cmd=b"), '"cmd=\'a"'),
        ((*TWO[:3], "variant.latrone=x", *TWO[3:]), "unknown variant 'latrone'"),
        ((*TWO, "elo=3"), "'elo=3'"),
        ((*TWO, "option.=3"), "'option.=3'"),
        ((*TWO, "depth"), "'depth': expected KEY=VALUE"),
        ((*TWO, "name="), "'name='"),
        ((*TWO, "depth=2"), "'depth=2': duplicate key 'depth'"),
        ((*TWO, "nodes=many"), "'nodes=many'"),
        ((*TWO, "option.Hash=1\nquit"), "'option.Hash=1\\nquit'"),
        ((*TWO, "dir=/no/such/directory"), "'dir=/no/such/directory'"),
        ((*TWO, "--games", "0"), "'0'"),
        ((*TWO, "--games", "x"), "'x'"),
        ((*TWO, "--games", "٣"), "'٣'"),
        ((*TWO, "--concurrency", "-1"), "-1"),
        ((*TWO, "--time-margin", "1.5"), "'1.5'"),
        ((*TWO, "--stall-timeout", "nan"), "'nan'"),
        ((*TWO, "--seed", "x"), "'x'"),
        ((*TWO, "--openings", "book.epd"), "'book.epd'"),
        ((*TWO, "--openings", "random:4", "start=2"), "need a file or 'book'"),
        ((*TWO, "--openings", "book", "--board", "8x10"), "none for latrones 8x10"),
        ((*TWO, "--openings", "book", "plies"), "--openings: 'plies': expected KEY=VALUE"),
        ((*TWO, "--openings", "book", "order=best"), "--openings.order: 'best' is not one of sequential, random"),
        ((*TWO, "--openings", "book", "rounds=2"), "--openings: unknown key 'rounds'; expected one of plies, order"),
        ((*TWO, "--openings", "book", "plies=x"), "--openings.plies: 'x' is not an integer"),
        ((*TWO, "--openings", "book", "start=0"), "start=0: expected an integer from 1"),
        ((*TWO, "--sprt", "winner"), "'winner'"),
        ((*TWO, "--sprt", "gainer", "control"), "'control': duplicate preset"),
        ((*TWO, "--sprt", "gainer", "elo2=3"), "unknown key 'elo2'"),
        ((*TWO, "--sprt", "gainer", "elo0=5"), "elo0"),
        ((*TWO, "--sprt", "elo0=5", "elo1=0"), "elo0"),
        ((*TWO, "--sprt", "elo0=0"), "elo1 is missing"),
        ((*TWO, "--sprt", "elo0=0", "elo1=x"), "--sprt.elo1: 'x'"),
        ((*TWO, "--draw", "moves=3", "goals=3"), "unknown key 'goals'"),
        ((*TWO, "--resign", "moves"), "--resign: 'moves'"),
        ((*TWO, "--each", "restart=maybe"), "'restart=maybe'"),
        ((*TWO, "--each", "variant.=x"), "'variant.'"),
        ((*TWO, "--each", "protocol=cecp"), "'protocol=cecp'"),
        ((*TWO, "--each", "ponder=yes"), "'ponder=yes': expected ponder=on or ponder=off"),
        ((*TWO, "--each", "margin=-1"), "'margin=-1': expected an integer of milliseconds from 0"),
        ((*TWO, "--each", "margin=1.5"), "'margin=1.5'"),
        ((*TWO, "--each", "margin="), "'margin=': the value is missing"),
        ((*TWO, "--each", "variant_path=none.ini"), "'variant_path=none.ini': not a file"),
        ((*TWO, "--each", "variant_path=/"), "'variant_path=/': not a file"),
        ((*TWO, "--each", f"variant_path={__file__}", "option.variantpath=x"), "cannot be combined with"),
        ((*TWO, "--variant", "bell", "--variant", "bell"), "duplicate variant 'bell'"),
        ((*TWO, "--variant", "bell", "--variant", "rota", "--board", "8x8"), "'--board 8x8'"),
        ((*TWO, "--concurrency", "1000"), "1000 games at a time"),
        ((*TWO, "--executor", "dask"), "'--scheduler ADDRESS'"),
        ((*TWO, "--config", "a.toml"), "'--engine' cannot be combined with '--config'"),
        (("--config", "/no/such/file.toml"), "'/no/such/file.toml'"),
        ((*TWO, "--variant", "chess"), "'chess'"),
        ((*TWO, "--board", "8by8"), "'8by8'"),
        ((*TWO, "--board", "17x8"), "17x8"),
        ((*TWO, "--gmaes", "3"), "--gmaes"),
        ((*TWO, "--game", "3"), "--game"),
        (("--demo", *TWO), "'--demo'"),
    ],
)
def test_bad_arguments_are_quoted_in_one_line(words: tuple[str, ...], quoted: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse(*words)
    assert quoted in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_engines_own_kind_of_time_replaces_that_of_both() -> None:
    settings = parse("--engine", "cmd=a", "tc=2", "--engine", "cmd=b", "--each", "st=1", "nodes=5")
    assert settings.engines[0].control == TimeControl(base_ms=2000, nodes=5)
    assert settings.engines[1].control == TimeControl(movetime_ms=1000, nodes=5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--games", "x"], "--games: 'x' is not an integer from 1"),
        (["--games", "0"], "--games: '0' is not an integer from 1"),
        (["--games", "-2"], "--games: '-2' is not an integer from 1"),
        (["--games", "9" * 20], f"--games: '{'9' * 20}' is too large; expected at most 999999999999"),
        (["--time-margin", "x"], "--time-margin: 'x' is not an integer from 0"),
        (["--seed", "x"], "--seed: 'x' is not an integer"),
        (["--seed", "9" * 101], f"--seed: '{'9' * 101}' is too long; expected at most 100 characters"),
    ],
)
def test_numbers_out_of_range(words: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        parse("--demo", *words)
    assert parse("--demo", "--games", "0000000000000012").games == 12


@pytest.mark.parametrize(
    ("configure", "words"), [(configure_revs, ["main", "."]), (configure_tune, ["--param", "Hash"])]
)
def test_the_outcomes_of_a_match_also_fail_other_commands(
    configure: Callable[[argparse.ArgumentParser], None], words: Sequence[str]
) -> None:
    assert parse_arguments(configure, [*words, "--fail-on", "violation"]).fail_on == ["violation"]
