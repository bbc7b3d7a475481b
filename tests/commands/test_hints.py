"""Words of fastchess and cutechess, and words that are nearly right: the error names the word that was meant."""

import pytest

from latrones_uci.commands.command_line import COMMANDS
from latrones_uci.commands.main import main, match_main

ENGINES = ("--engine", "cmd=a", "depth=1", "--engine", "cmd=b", "depth=1")


@pytest.mark.parametrize(("words", "hint"), [
    (["--engine", "latrones-uci"], "'latrones-uci': expected KEY=VALUE; did you mean 'cmd=latrones-uci'?"),
    (["--engine", "cmd=a", "tc", "1+1"], "'tc': expected KEY=VALUE; did you mean 'tc=...'?"),
    (["--engine", "cmd=a", "proto=uci"], "unknown key 'proto'; did you mean 'protocol='?"),
    (["--engine", "cmd=a", "timemargin=50"], "unknown key 'timemargin'; did you mean 'margin='?"),
    (["--engine", "cmd=a", "args=-x"], "unknown key 'args'; did you mean 'cmd=\"PROGRAM ARGUMENTS\"'?"),
    (["--engine", "cmd=a", "plies=3"], "unknown key 'plies'; did you mean 'depth='?"),
    (["--engine", "cmd=a", "Hash=64"], "unknown key 'Hash'; did you mean 'option.Hash='?"),
    (["--engine", "cmd=a", "env=A"], "unknown key 'env'; did you mean 'env.NAME=VALUE'?"),
    (["--engine", "cmd=a", "env.=A"], "'env.=A': unknown key 'env.'; "),
    (["--engine", "cmd=a", "env.A=1", "env.A=2"], "'env.A=2': duplicate key 'env.A'"),
    (["--engine", "CMD=a"], "unknown key 'CMD'; did you mean 'cmd='?"),
    (["--engine", "cmd=a", "nodse=5"], "unknown key 'nodse'; did you mean 'nodes='?"),
    (["--engine", "cmd=a", "score=5"], "unknown key 'score'; expected cmd, "),
    ([*ENGINES, "--resign", "movecount=3", "score=400"], "--resign: unknown key 'movecount'; did you mean 'moves='?"),
    ([*ENGINES, "--draw", "movenumber=40", "moves=3", "score=5"], "unknown key 'score'; did you mean 'score_centi='?"),
    ([*ENGINES, "--resign", "twosided=true"], "unknown key 'twosided'; did you mean 'two_sided=on'?"),
    ([*ENGINES, "--resign", "arg=true"], "unknown key 'arg'; expected one of moves, "),
    (["-each", "tc=1"], "unknown argument '-each'; did you mean '--each'?"),
    (["-engine", "cmd=a"], "unknown argument '-engine'; did you mean '--engine'?"),
    (["-rounds", "5"], "unknown argument '-rounds'; did you mean '--games N (two games for each round)'?"),
    ([*ENGINES, "--rounds", "5"], "rounds: 5 given for a match; expected --format swiss, or --games N for the number"),
    (["resume", "--watch", "match.db"], "not 'match.db'; give --watch after 'match.db'"),
    (["--engine", "cmd=a", "tc=INF"], "'tc=INF': expected a time in seconds with at most three decimals, or inf"),
    (["-concurrency", "2"], "'-concurrency'; did you mean '--concurrency'?"),
    (["-pgnout", "file=x.pgn"], "'-pgnout'; did you mean '--pgn FILE'?"),
    (["-srand", "5"], "'-srand'; did you mean '--seed N'?"),
    (["-maxmoves", "200"], "'-maxmoves'; did you mean '--max-plies N (two plies for each move)'?"),
    (["-repeat"], "'-repeat'; not needed: each opening is played twice, with colours swapped"),
    (["-recover"], "'-recover'; not needed: an engine that crashes is started again"),
    (["--gmaes", "5"], "'--gmaes'; did you mean '--games'?"),
    (["--path", "x"], "'--path'; did you mean '--variant-path FILE'?"),
])  # fmt: skip
def test_a_hint(words: list[str], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert match_main(words) == 2
    error = capsys.readouterr().err
    assert hint in error
    assert error.count("\n") == 1


def test_a_word_without_a_likeness_has_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "--zzz", "x"]) == 2
    assert capsys.readouterr().err == "latrones-uci match: unknown argument '--zzz'\n"
    assert main(["bench", "-rounds", "5"]) == 2  # there are no games
    assert capsys.readouterr().err.endswith("unknown argument '-rounds'\n")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("program", [main, match_main])
def test_every_subcommand_has_a_help_of_its_own(
    command: str, program: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(program)
    for words in ([command, "--help"], ["match", command, "--help"], [command, "-h"]):
        if words[:2] != ["match", "match"]:
            with pytest.raises(SystemExit) as ended:
                program(words if program is main or words[0] != "match" else words[1:])
            assert ended.value.code == 0
            name = "latrones-match" if (command, program) == ("match", match_main) else f"latrones-uci {command}"
            assert capsys.readouterr().out.startswith(f"usage: {name} ")


@pytest.mark.parametrize(("option", "problem"), [
    ("--log", "before 'check'; expected after it"), ("--backend", "an option of the engine, not of 'check'"),
])  # fmt: skip
def test_a_value_that_is_called_like_a_subcommand(
    option: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``match`` was taken for the subcommand."""
    assert main([option, "match", "check", "--list"]) == 2
    assert capsys.readouterr().err == f"latrones-uci check: '{option}': {problem}\n"


def test_the_help_of_revs_names_its_own_defaults(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    defaults = {}
    for command in ("match", "revs"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        options = capsys.readouterr().out.split("\n  --")
        defaults[command] = {words.split()[0]: words.partition("(default: ")[2].partition(")")[0] for words in options}
    assert defaults["match"]["sprt"] == "none"
    assert defaults["match"]["games"] == "2; with --sprt 200000"
    assert defaults["revs"]["sprt"] == "that of --preset"
    assert defaults["revs"]["screen-engine"] == "BASE, for random openings"
    assert defaults["revs"]["games"] == "200000, or until the test ends"
    assert defaults["revs"]["openings"] == "random:6"


@pytest.mark.parametrize(("words", "message"), [
    (["--backend", "python", "match", "--demo"], "match: '--backend': an option of the engine, not of 'match'; expected"
     " in the command of an engine, as in cmd=\"latrones-uci --backend ...\""),
    (["--log", "match", "match", "--demo"], "match: '--log': before 'match'; expected after it"),
    (["--log=x", "verify", "x.pgn"], "verify: '--log': an option of the engine, not of 'verify'"),
    (["--quiet", "match", "--demo"], "match: '--quiet': before 'match'; expected after it"),
    (["--games", "4", "match"], "unknown argument '--games'; the options of a subcommand come after it"),
    (["--quite", "match"], "match: unknown argument '--quite'; did you mean '--quiet'?"),
])  # fmt: skip
def test_an_option_before_a_subcommand_is_an_error(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("latrones-uci")
    assert captured.err.endswith(f"{message}\n")


def test_an_option_that_a_subcommand_has_as_well_may_come_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--backend", "python", "perft", "1"]) == 0
    assert capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--help", "match"])


@pytest.mark.parametrize("words", [["suite", "--log", "x", "e"], ["verify", "--log", "x"], ["bench", "1", "--log"]])
def test_a_hint_is_not_the_word_itself(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"latrones-uci {words[0]}: unknown argument '--log'\n"


def test_an_option_after_the_engine_to_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "no-such-engine", "--log", "x"]) == 2
    assert capsys.readouterr().err.endswith("; '--log' is after it, an argument of the engine; expected before it\n")
