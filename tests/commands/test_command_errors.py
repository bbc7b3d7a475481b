"""Wrong arguments and wrong files of all commands: one line that quotes what is wrong, and nothing else happens."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.analyse import MAX_GAMES
from latrones_uci.commands.main import main, match_main
from latrones_uci.match.store import Store

TWO = "--engine cmd=a depth=1 --engine cmd=b depth=1"
WON = "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"  # c6c8 wins at once
HEAD = f'[Variant "latrones"]\n[FEN "{WON}"]\n'
GAME = f'{HEAD}[Result "1-0"]\n\n1. c6c8 1-0\n'
FILES = {"empty.pgn": "", "game.pgn": GAME, "nine.toml": '[nine]\nparent = "latrones"\n', "empty.db": "",
         "empty.toml": "", "old.suite": f"{WON}; dm 1\n"}  # fmt: skip

# For each command: arguments, and a part of the error. TWO stands for two engines.
ARGUMENTS: dict[str, list[tuple[str, str]]] = {
    "match": [
        ("", "0 given"),
        ("--engine cmd=a depth=1", "1 given"),
        ("TWO --engine cmd=c depth=1", "3 given"),
        ("--engine name=a depth=1 --engine cmd=b", "'name=a depth=1'"),
        ("--engine cmd=a --engine cmd=b depth=1", "no limit"),
        ('--engine "cmd=\'a" depth=1 --engine cmd=b', '"cmd=\'a"'),
        ("--engine cmd=a depth=1 variant.latrone=x --engine cmd=b depth=1", "unknown variant 'latrone'"),
        ("TWO elo=3", "'elo=3'"),
        ("TWO option.=3", "'option.=3'"),
        ("TWO depth", "'depth': expected KEY=VALUE"),
        ("TWO name=", "'name='"),
        ("TWO depth=2", "'depth=2': duplicate key 'depth'"),
        ("TWO nodes=many", "'nodes=many'"),
        ("TWO 'option.Hash=1\nquit'", "'option.Hash=1\\nquit'"),
        ("TWO dir=/no/such/directory", "'dir=/no/such/directory'"),
        ("--demo --games x", "--games: 'x' is not an integer from 1"),
        ("--demo --games 0", "--games: '0' is not an integer from 1"),
        ("--demo --games -2", "--games: '-2' is not an integer from 1"),
        (f"--demo --games {'9' * 20}", f"--games: '{'9' * 20}' is too large; expected at most 999999999999"),
        ("--demo --games ٣", "'٣'"),
        ("--demo --time-margin 1.5", "--time-margin: '1.5' is not an integer from 0"),
        ("--demo --seed x", "--seed: 'x' is not an integer"),
        (f"--demo --seed {'9' * 101}", f"--seed: '{'9' * 101}' is too long; expected at most 100 characters"),
        ("TWO --concurrency -1", "-1"),
        ("TWO --concurrency 1000", "1000 games at a time"),
        ("TWO --stall-timeout nan", "'nan'"),
        ("TWO --openings book.epd", "'book.epd'"),
        ("TWO --openings random:4 start=2", "need a file or 'book'"),
        ("TWO --openings book --board 8x10", "none for latrones 8x10"),
        ("TWO --openings book plies", "--openings: 'plies': expected KEY=VALUE"),
        ("TWO --openings book order=best", "--openings.order: 'best' is not one of sequential, random"),
        ("TWO --openings book rounds=2", "--openings: unknown key 'rounds'; expected one of plies, order"),
        ("TWO --openings book plies=x", "--openings.plies: 'x' is not an integer"),
        ("TWO --openings book start=0", "start=0: expected an integer from 1"),
        ("TWO --sprt winner", "'winner'"),
        ("TWO --sprt gainer control", "'control': duplicate preset"),
        ("TWO --sprt gainer elo2=3", "unknown key 'elo2'"),
        ("TWO --sprt gainer elo0=5", "elo0"),
        ("TWO --sprt elo0=0", "elo1 is missing"),
        ("TWO --sprt elo0=0 elo1=x", "--sprt.elo1: 'x'"),
        ("TWO --draw moves=3 goals=3", "unknown key 'goals'"),
        ("TWO --resign moves", "--resign: 'moves'"),
        ("TWO --each restart=maybe", "'restart=maybe'"),
        ("TWO --each variant.=x", "'variant.'"),
        ("TWO --each protocol=cecp", "'protocol=cecp'"),
        ("TWO --each ponder=yes", "'ponder=yes': expected ponder=on or ponder=off"),
        ("TWO --each margin=-1", "'margin=-1': expected an integer of milliseconds from 0"),
        ("TWO --each margin=1.5", "'margin=1.5'"),
        ("TWO --each margin=", "'margin=': the value is missing"),
        ("TWO --each variant_path=none.ini", "'variant_path=none.ini': not a file"),
        ("TWO --each variant_path=/", "'variant_path=/': not a file"),
        ("TWO --each variant_path=game.pgn option.variantpath=x", "cannot be combined with"),
        ("TWO --variant bell --variant bell", "duplicate variant 'bell'"),
        ("TWO --variant bell --variant rota --board 8x8", "'--board 8x8'"),
        ("TWO --variant chess", "'chess'"),
        ("TWO --board 8by8", "'8by8'"),
        ("TWO --board 17x8", "17x8"),
        ("TWO --executor dask", "'--scheduler ADDRESS'"),
        ("TWO --config a.toml", "'--engine' cannot be combined with '--config'"),
        ("--config game.pgn --seed 0", "'--seed' cannot be combined with '--config'"),
        ("--demo TWO", "'--demo'"),
        ("--demo --save-config x", "'--demo' is not a setting of a match"),
        ("TWO --accept-changed-engine --save-config x", "'--accept-changed-engine' is not a setting of a match"),
        ("--config none.toml", "cannot read the settings 'none.toml': No such file or directory"),
        ("--variant-path none.toml", "cannot read the variant file 'none.toml': No such file or directory"),
        ("--demo --openings file:none.txt", "cannot read the openings 'none.txt': No such file or directory"),
        # Words of fastchess and cutechess, and words that are nearly right: the error names what was meant.
        ("--engine latrones-uci", "'latrones-uci': expected KEY=VALUE; did you mean 'cmd=latrones-uci'?"),
        ("--engine cmd=a tc 1+1", "'tc': expected KEY=VALUE; did you mean 'tc=...'?"),
        ("--engine cmd=a proto=uci", "unknown key 'proto'; did you mean 'protocol='?"),
        ("--engine cmd=a timemargin=50", "unknown key 'timemargin'; did you mean 'margin='?"),
        ("--engine cmd=a args=-x", "unknown key 'args'; did you mean 'cmd=\"PROGRAM ARGUMENTS\"'?"),
        ("--engine cmd=a plies=3", "unknown key 'plies'; did you mean 'depth='?"),
        ("--engine cmd=a Hash=64", "unknown key 'Hash'; did you mean 'option.Hash='?"),
        ("--engine cmd=a env=A", "unknown key 'env'; did you mean 'env.NAME=VALUE'?"),
        ("--engine cmd=a env.=A", "'env.=A': unknown key 'env.'; "),
        ("--engine cmd=a env.A=1 env.A=2", "'env.A=2': duplicate key 'env.A'"),
        ("--engine CMD=a", "unknown key 'CMD'; did you mean 'cmd='?"),
        ("--engine cmd=a nodse=5", "unknown key 'nodse'; did you mean 'nodes='?"),
        ("--engine cmd=a score=5", "unknown key 'score'; expected cmd, "),
        ("--engine cmd=a tc=INF", "'tc=INF': expected a time in seconds with at most three decimals, or inf"),
        ("TWO --resign movecount=3 score=400", "--resign: unknown key 'movecount'; did you mean 'moves='?"),
        ("TWO --draw movenumber=40 moves=3 score=5", "unknown key 'score'; did you mean 'score_centi='?"),
        ("TWO --resign twosided=true", "unknown key 'twosided'; did you mean 'two_sided=on'?"),
        ("TWO --resign arg=true", "unknown key 'arg'; expected one of moves, "),
        ("TWO --rounds 5", "rounds: 5 given for a match; expected --format swiss, or --games N for the number"),
        ("-each tc=1", "unknown argument '-each'; did you mean '--each'?"),
        ("-engine cmd=a", "unknown argument '-engine'; did you mean '--engine'?"),
        ("-rounds 5", "unknown argument '-rounds'; did you mean '--games N (two games for each round)'?"),
        ("-concurrency 2", "'-concurrency'; did you mean '--concurrency'?"),
        ("-pgnout file=x.pgn", "'-pgnout'; did you mean '--pgn FILE'?"),
        ("-srand 5", "'-srand'; did you mean '--seed N'?"),
        ("-maxmoves 200", "'-maxmoves'; did you mean '--max-plies N (two plies for each move)'?"),
        ("-repeat", "'-repeat'; not needed: each opening is played twice, with colours swapped"),
        ("-recover", "'-recover'; not needed: an engine that crashes is started again"),
        ("--gmaes 5", "'--gmaes'; did you mean '--games'?"),
        ("--game 3", "unknown argument '--game'"),
        ("--path x", "'--path'; did you mean '--variant-path FILE'?"),
        ("--zzz x", "match: unknown argument '--zzz'\n"),
    ],
    "analyse": [
        ("none.pgn", "cannot read 'none.pgn': No such file or directory"),
        ("game.pgn --output none/x.pgn", "'none/x.pgn': No such file or directory"),
        ("empty.pgn --output x.pgn", "empty.pgn: no games; expected at least one"),
        ("empty.pgn --html x.html", "empty.pgn: no games; expected at least one"),
        ("many.pgn", f"many.pgn: more than {MAX_GAMES} games"),
        ("game.pgn --output game.pgn", "same file as the input"),
        ("game.pgn --html game.pgn", "--html 'game.pgn': same file as the input"),
        ("game.pgn --html x.html --output x.html", "--html 'x.html': same file as --output"),
        ("game.pgn --html .", "'.'"),
    ],
    "bench": [("-rounds 5", "unknown argument '-rounds'\n"), ("1 --log", "unknown argument '--log'\n")],
    "book": [
        ("--board 6x6 --variant latrones:6x6", "'--board 6x6' cannot be combined with '--variant latrones:6x6'"),
        ("--variant chess", "'chess'"),
        ("--plies 1001", "--plies 1001: expected at most 1000"),
        ("--count 0", "'0' is not an integer from 1"),
        ("--output book.pgn", "expected --pgn 'book.pgn' for PGN"),
        ("--output game.pgn.fen --pgn none/book.pgn", "none/book.pgn"),
        ("--output old.suite", "'old.suite' exists and is no book of this command"),
    ],
    "check": [
        ("no-such-engine", "cannot start 'no-such-engine': No such file or directory"),
        ("no-such-engine --log x", "; '--log' is after it, an argument of the engine; expected before it"),
    ],
    "draw": [
        ("8/8 w", "board size '8x2' is not allowed in latrones"),
        ("--moves d1d9", "d9 is not on the 8x8 board"),
        ("--variant chess", "unknown variant 'chess'"),
        ("8/8/8/8/8/8/8/8 w 0 1 --board 8x8", "cannot be combined with a FEN"),
        ("--variant nine", "'nine'"),
    ],
    "gui": [("--variant-path none.toml", "cannot read the variant file 'none.toml': No such file or directory")],
    "perft": [("1 --variant nine", "'nine'")],
    "pgn": [("", "FILE.db")],
    "report": [("", "FILE.db"), ("page.html", "--output would overwrite the database 'page.html'")],
    "resume": [("", "FILE.db"), ("--watch match.db", "not 'match.db'; give --watch after 'match.db'")],
    "revs": [
        ("one", "a version is missing"),
        ("one two --control", "'control' plays one version against itself"),
    ],
    "suite": [
        ("", "FILE"),
        ("none.suite", "cannot read 'none.suite': No such file or directory"),
        (".", "cannot read '.': Is a directory"),
        ("latin-1.txt", "cannot read 'latin-1.txt': not UTF-8: invalid byte 0xff"),
        ("old.suite --depth 0", "'depth=0'"),
        ("old.suite --st x", "'st=x'"),
        ("old.suite --option Hash", "'Hash'"),
        ('old.suite --engine "\'open"', "'open"),
        ("old.suite --engine /no/such/engine", "/no/such/engine"),
        ("--log x e", "unknown argument '--log'\n"),
    ],
    "tables": [
        ("nine.toml --variant-path other.toml --men 4", "cannot be combined with the file 'nine.toml'"),
        ("latrones --variant x --men 4", "--variant x: given without a TOML file; expected a file"),
        ("latrones", "nothing to do; expected --men N, --summary or --probe FEN"),
        ("latrunes --men 3", "latrunes"),
        ("rota --men 4", "rota: the game is solved without tables; expected a game on a grid"),
        ("latrones --men 17", "--men 17: expected 1 to 16"),
        ("latrones --men x", "'x' is not an integer from 1"),
        ("latrones --men 3", "--men 3: no position of latrones with so few men goes on; expected more"),
        ("latrones --men 4 --board 3x3", "'3x3' is not allowed in latrones"),
        ("latrones --men 4 --threads 1000", "--threads 1000: expected at most 256"),
        ("latrones --summary", "expected a directory of tables"),
        ("latrones --probe '8/8 w'", "8/8 w"),
        ("latrones --probe '4/1d2/2D1/S2s w 0 1' --board 8x8", "'--board 8x8' differs from the 4x4 board"),
        ("latrones --men 4 --variant-path missing.toml", "missing.toml"),
    ],
    "train": [
        ("", "the following arguments are required: GAME"),
        ("chess", "unknown variant 'chess'"),
        ("rota", "rota: the game is solved and has no net; expected a game on a grid"),
        ("missing.toml", "missing.toml"),
        ("latrones --variant bell", "--variant bell: given without a TOML file"),
        ("nine.toml --variant ten", "unknown variant 'ten'"),
        ("latrones --board 2x2", "board size '2x2'"),
        ("latrones --hours 0", "'0' is not a number of hours above 0"),
        ("latrones --hours soon", "'soon' is not a number of hours above 0"),
        ("latrones --hours nan", "'nan' is not a number of hours above 0"),
        ("latrones --hidden 40", "--hidden 40: expected a multiple of 32 up to 256"),
        ("latrones --hidden 512", "--hidden 512: expected a multiple of 32 up to 256"),
        ("latrones --buckets 17", "--buckets 17: expected 1 to 16"),
        ("latrones --endgames 101", "--endgames 101: expected 0 to 100"),
        ("latrones --least-men 19", "--least-men 19: expected at most 18, the men of the start"),
        ("latrones --executor dask", "'--executor dask' and '--scheduler ADDRESS' must be given together"),
        ("latrones --net none", "'none': No such file or directory"),
        ("latrones --data none", "'none': no positions; expected the folder of a training of latrones 8x8"),
        ("latrones --tables none", "--tables: 'none'"),
        ("latrones --seed -1", "'-1' is not an integer from 0"),
        ("latrones --positions 0", "'0' is not an integer from 1"),
        ("latrones --hour 1", "unknown argument '--hour'"),
        ("latrones 12x8", "unknown argument '12x8'"),
    ],
    "variants": [
        ("show chess", "'chess'"),
        ("show nine", "'nine'"),
        ("explain empty.toml", "'empty.toml': no variants; expected a table such as [my-game]\n"),
    ],
    "verify": [
        ("", "FILE"),
        ("game.pgn --fast", "--fast"),
        ("none.pgn", "cannot read 'none.pgn': No such file or directory"),
        ("latin-1.txt", "cannot read 'latin-1.txt': not UTF-8: invalid byte 0xff"),
        ("--log x", "unknown argument '--log'\n"),
        ("game.pgn --variant chess", "unknown variant 'chess'"),
        ("game.pgn --variant-paht nine.toml", "unknown argument '--variant-paht'; did you mean '--variant-path'?"),
    ],
}  # fmt: skip

# Command lines with the command elsewhere, or without one; and what failed while it ran, which is status 1.
LINES = [
    (["no-such-command"], 2, "latrones-uci: "),
    (["--no-such-option"], 2, "latrones-uci: "),
    (["match", "verify"], 2, "latrones-uci verify: "),
    (["match", "report", "none.db"], 1, "latrones-uci report: database 'none.db': no such file"),
    (["--backend", "python", "match", "--demo"], 2, "latrones-uci match: '--backend': an option of the engine, not of"
     " 'match'; expected in the command of an engine, as in cmd=\"latrones-uci --backend ...\"\n"),
    (["--log", "match", "match", "--demo"], 2, "latrones-uci match: '--log': before 'match'; expected after it\n"),
    (["--log", "match", "check", "--list"], 2, "latrones-uci check: '--log': before 'check'; expected after it\n"),
    (["--backend", "match", "check"], 2, "latrones-uci check: '--backend': an option of the engine, not of 'check'\n"),
    (["--log=x", "verify", "x.pgn"], 2, "latrones-uci verify: '--log': an option of the engine, not of 'verify'\n"),
    (["--quiet", "match", "--demo"], 2, "latrones-uci match: '--quiet': before 'match'; expected after it\n"),
    (["--games", "4", "match"], 2, "latrones-uci: unknown argument '--games'; the options of a subcommand come after"),
    (["--quite", "match"], 2, "latrones-uci match: unknown argument '--quite'; did you mean '--quiet'?\n"),
    (["--log", "/none/x.log"], 2, "latrones-uci: '/none/x.log': No such file or directory\n"),
    (["report", "empty.db"], 1, "latrones-uci report: database 'empty.db' is empty: no match has been started"),
    (["pgn", "none.db"], 1, "latrones-uci pgn: database 'none.db': no such file"),
    (["resume", "none.db"], 1, "latrones-uci resume: database 'none.db': no such file"),
    (["resume", "."], 1, "latrones-uci resume: database '.': Is a directory\n"),
    (["report", "."], 1, "latrones-uci report: database '.': Is a directory\n"),
    (["match", "--demo", "--database", "."], 1, "latrones-uci match: database '.': Is a directory\n"),
    (["match", "--demo", "--pgn", "/none/x.pgn"], 1, "latrones-uci match: '/none/x.pgn': No such file or directory\n"),
    (["match", *TWO.replace("cmd=a", "cmd=/no/such").split()], 1, "latrones-uci match: cannot start '/no/such': No"),
    (["revs", "no-such-version", "."], 1, "latrones-uci revs: 'no-such-version'"),
]

# What is read from the file 'input': arguments, the file, and a part of the error.
SETTINGS = "\n" + 2 * "[[engines]]\ncommand = ['a']\ncontrol = 'depth=1'\n"
INPUTS = [
    *[("match --config input", text + SETTINGS, message) for text, message in [
        ("outputs = 3", "outputs: '3' is not a table"),
        ("[outputs]\nfresh = true", "outputs: 'fresh' cannot be set here; expected one of database, fail_on, force, "),
        ("[outputs]\npng = 'a'", "outputs: unknown key 'png'; expected one of database, pgn"),
        ("[outputs]\npgn = ''", "outputs.pgn: '' is not a path"),
        ("[outputs]\nfail_on = ['fualt']", "fail_on: unknown outcome 'fualt'"),
        ("[outputs]\nwatch = 65536", "watch: 65536 is not a port from 0 to 65535"),
        ("[outputs]\nquiet = true\njson = true", "'--json' cannot be combined with '--quiet'"),
    ]],
    *[("suite input", text, message) for text, message in [
        ("hello; bm a1a2", ", line 1: FEN 'hello': found 1 field"),
        (f"{WON}; bm a1a9", "'a1a9'"),
        (f"{WON}; bm", "line 1: bm needs a move"),
        (WON, "no solution; expected bm or dm"),
        (f"{WON}; dm x", "'x'"),
        (f"{WON}; dm 0", "'0'"),
        (f"{WON}; am a1a2", "'am a1a2'"),
        (f"{WON}; dm 1; dm 2", "'dm 2': duplicate dm"),
        (f'{WON}; dm 1; id "x', "missing closing quote"),
        (f"{WON}; dm 1; variant chess", "'chess'"),
        ("4S3/8/8/8/8/8/8/4D3 b 0 1; dm 1", "the game is over"),
        ("", "no positions"),
    ]],
    *[("analyse input", text, message) for text, message in [
        ("[White]", "line 1: malformed tag: '[White]'"),
        (GAME.replace("c6c8", "a1a2"), "'a1a2'"),
        (GAME.replace("latrones", "chess"), "'chess'"),
        (GAME.replace(WON, "hello"), "'hello'"),
    ]],
    ("verify input", "[White]", "line 1: malformed tag: '[White]'"),
    ("verify input", "", "input: no games; expected at least one\n"),
    *[("variants check input", text, message) for text, message in [
        ("[a\n", "input: not a TOML file"), ("[caf\xe9]\n", "not UTF-8"), ("colour = 1\n", "input: colour: "),
        ("", "input: no variants; expected a table such as [my-game]\n"),
    ]],
]  # fmt: skip


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "latin-1.txt").write_bytes(b"\xff\n")
    Store(tmp_path / "page.html", writing=True).close()


def files() -> set[str]:
    """Return the names of the files, but for those of SQLite beside a database that is open."""
    return {name for name in os.listdir() if "html-" not in name}


def error_of(capsys: pytest.CaptureFixture[str], words: list[str], status: int = 2) -> str:
    """Return the error of a command line that fails with this status, prints nothing, and changes no file."""
    before = files()
    assert main(words) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    assert files() == before
    return captured.err


@pytest.mark.parametrize("command", ARGUMENTS)
def test_wrong_arguments(command: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    if command in ("tables", "train"):
        request.getfixturevalue("native_core")
    if command == "train":
        pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")
    if command == "analyse":
        Path("many.pgn").write_text("*\n" * (MAX_GAMES + 1), encoding="utf-8")
    for line, message in ARGUMENTS[command]:
        error = error_of(capsys, [command, *shlex.split(line.replace("TWO", TWO))])
        assert error.startswith(f"latrones-uci {command}: "), line
        assert message in error, line


@pytest.mark.parametrize(("words", "status", "beginning"), LINES)
def test_the_error_begins_with_the_command(
    words: list[str], status: int, beginning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert error_of(capsys, words, status).startswith(beginning)


@pytest.mark.parametrize(("line", "text", "message"), INPUTS)
def test_wrong_files(line: str, text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("input").write_text(text, encoding="latin-1")
    command = line.split()[0]
    found = command in ("verify", "variants")  # a fault found is status 1
    error = error_of(capsys, line.split(), 1 if found else 2)
    assert error.startswith("" if found else f"latrones-uci {command}: ")
    assert "input" in error
    assert message in error


def test_the_short_name_of_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    """Its subcommands follow either name, and an option of both may come first."""
    assert match_main(["--games", "x"]) == 2
    assert capsys.readouterr().err.startswith("latrones-match: ")
    assert match_main(["verify", "game.pgn"]) == main(["match", "verify", "game.pgn"]) == 0
    assert main(["--backend", "python", "perft", "1"]) == 0


@pytest.mark.process
def test_output_that_cannot_be_written() -> None:
    command = f"{shlex.join(OWN_ENGINE)} analyse game.pgn --depth 1"
    full = b"latrones-uci analyse: standard output: No space left on device\n"
    for redirected, expected in {"> /dev/full": (1, full), "1>&-": (0, b""),
                                 "--output out.pgn 0<&- 1>&- 2>&-": (0, b"")}.items():  # fmt: skip
        done = subprocess.run(["sh", "-c", f"{command} {redirected}"], stderr=subprocess.PIPE, timeout=60)
        assert (done.returncode, done.stderr) == expected, redirected
    assert Path("out.pgn").read_text(encoding="utf-8").count("[Annotator ") == 1
