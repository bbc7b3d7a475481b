from pathlib import Path

import pytest

from latrones_uci.match.arguments import parse_arguments
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.openings import RandomOpenings
from latrones_uci.match.settings import EngineSettings, MatchSettings
from latrones_uci.match.time_control import TimeControl

OWN = ("python", "-m", "latrones_uci")


def parse(*words: str) -> MatchSettings:
    return parse_arguments(words, OWN).settings


def test_everything(tmp_path: Path) -> None:
    settings = parse(
        *("--engine", "cmd=python3 -m engine --log 'a b'", "name=A", "depth=1", "option.Hash=16", "option.Clear Hash="),
        *("--engine", "cmd=other", "st=0.1", f"dir={tmp_path}"),
        *("--each", "tc=1+0.01", "option.Hash=8"),
        *("--variant", "latrunculi-classical", "--board", "12x8", "--games", "100", "--openings", "random:6"),
        *("--seed", "-7", "--pgn", "out.pgn", "--concurrency", "2", "--time-margin", "5", "--max-plies", "300"),
        *("--stall-timeout", "2.5"),
    )
    first, second = settings.engines
    assert first == EngineSettings(
        ("python3", "-m", "engine", "--log", "a b"),
        TimeControl(base_ms=1000, increment_ms=10, depth=1),
        "A",
        (("Hash", "16"), ("Clear Hash", "")),
    )
    assert second == EngineSettings(("other",), TimeControl(movetime_ms=100), None, (("Hash", "8"),), str(tmp_path))
    assert (settings.ruleset.name, settings.size, settings.games) == ("latrunculi-classical", (12, 8), 100)
    assert (settings.openings, settings.seed, settings.concurrency) == (RandomOpenings(6), -7, 2)
    assert (settings.limits.margin_ms, settings.limits.max_plies) == (5, 300)
    assert (settings.pgn_path, settings.timeouts.search_s) == (Path("out.pgn"), 2.5)


def test_defaults() -> None:
    settings = parse("--engine", "cmd=a", "--engine", "cmd=b", "--each", "depth=1")
    assert (settings.ruleset.name, settings.size, settings.games) == ("latrones", (8, 8), 2)
    assert settings.openings == RandomOpenings(4)
    assert (settings.limits.margin_ms, settings.limits.max_plies, settings.pgn_path) == (0, None, None)


def test_demo() -> None:
    arguments = parse_arguments(["--demo"], OWN)
    settings = arguments.settings
    assert [engine.command for engine in settings.engines] == [OWN, OWN]
    assert [engine.control for engine in settings.engines] == [TimeControl(depth=2), TimeControl(depth=1)]
    assert (settings.games, settings.pgn_path, arguments.overwrite_pgn) == (4, Path("demo.pgn"), True)
    assert parse("--demo", "--games", "2", "--board", "6x6").games == 2
    assert not parse_arguments(["--demo", "--pgn", "mine.pgn"], OWN).overwrite_pgn


TWO = ("--engine", "cmd=a", "depth=1", "--engine", "cmd=b", "depth=1")


@pytest.mark.parametrize(
    ("words", "quoted"),
    [
        ((), "0 given"),
        (("--engine", "cmd=a", "depth=1"), "1 given"),
        ((*TWO, "--engine", "cmd=c"), "3 given"),
        (("--engine", "name=a", "depth=1", "--engine", "cmd=b"), "'name=a depth=1'"),
        (("--engine", "cmd=a", "--engine", "cmd=b", "depth=1"), "no limit"),
        (("--engine", "cmd='a", "depth=1", "--engine", "cmd=b"), '"cmd=\'a"'),
        ((*TWO, "elo=3"), "'elo=3'"),
        ((*TWO, "option.=3"), "'option.=3'"),
        ((*TWO, "depth"), "'depth' is not KEY=VALUE"),
        ((*TWO, "name="), "'name='"),
        ((*TWO, "depth=2"), "given twice, the second time as 'depth=2'"),
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
        ((*TWO, "--openings", "book"), "'book'"),
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
