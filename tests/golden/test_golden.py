"""The promises to users, as texts that a change must not alter by accident.

Each text beside this module is what the function of its name returns. ``python tests/golden/test_golden.py`` writes
them anew; a difference that is meant needs a line in CHANGELOG.md. The protocols are frozen by protocols/transcripts.
The databases are never written anew: the versions in their names have written them.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import inspect
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import latrones_uci
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.command_line import COMMANDS
from latrones_uci.commands.main import main, match_main
from latrones_uci.engine import native
from latrones_uci.game import Game, builtin_variants, ludii_variants
from latrones_uci.records.store import Store, StoredEngine
from latrones_uci.version import __version__
from latrones_uci.web.board.game_store import GameStore

FOLDER = Path(__file__).resolve().parent
MATCH = "match-0.3.0.db"
"""A match of six games in three variants, between two of ``_engine``: wins, repetitions and adjudications."""
NETS = Path(latrones_uci.__file__).parent / "engine" / "nets"
MAX_PLIES = 60


def called(*words: str, run: Callable[[tuple[str, ...]], int] = main) -> tuple[int, str, str]:
    """Return the exit status, the output and the messages of a command that runs in this process."""
    out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = run(words)
    except SystemExit as ended:
        status = int(ended.code or 0)
    out.flush()
    return status, out.buffer.getvalue().decode(), errors.getvalue()  # type: ignore[attr-defined]


def succeed(*words: str) -> str:
    """Return the output of a command that ends with exit status 0."""
    status, out, messages = called(*words)
    assert status == 0, messages
    return out


def _engine(folder: Path) -> None:
    """Make the engine of the matches."""
    (folder / "engine").write_text(f"#!/bin/sh\nexec {shlex.join(OWN_ENGINE)} --backend python\n", encoding="utf-8")
    (folder / "engine").chmod(0o755)


def help_texts(folder: Path) -> str:
    texts = [called(*words, "--help")[1] for words in ([], *([command] for command in COMMANDS))]
    texts.append(called("--help", run=match_main)[1])
    return ("=" * 80 + "\n").join(texts)


def statuses(folder: Path) -> str:
    """The exit status of each command."""
    (folder / "bad.pgn").write_text('[Event "?"]\n[Variant "latrones"]\n\n1. z9z9 *\n', encoding="utf-8")
    (folder / "bad.toml").write_text("[x]\nparent = 1\n", encoding="utf-8")
    commands = (
        "--version", "--depth", "nonsense", "perft 1", "perft x", "bench 0", "variants", "variants show latrones",
        "variants show chess", "variants check bad.toml", "draw 8/8", "draw", "verify bad.pgn",
        "verify none.pgn", "report none.db", "pgn none.db", "ratings none.db", "resume none.db", "suite none.suite",
        "analyse none.pgn", "match", "match --engine cmd=none --engine cmd=none --each nodes=1", "match --games 0",
        "match --engine x", "check none", "tables none", "train none", "tune", "book --count 0", "revs",
    )
    with contextlib.chdir(folder):
        return "".join(f"{called(*command.split())[0]}  latrones-uci {command}\n" for command in commands)


def options(folder: Path) -> str:
    """The answer to ``uci``, without what depends on version, machine and build."""
    done = subprocess.run(OWN_ENGINE, input="uci\nquit\n", capture_output=True, text=True, cwd=folder, check=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("info string")]
    return re.sub(r"(name Threads .* max) \d+", r"\1 ...", "\n".join(lines).replace(__version__, "VERSION")) + "\n"


def names(folder: Path) -> str:
    """The public names with their signatures, methods and attributes."""
    lines = []
    for name in latrones_uci.__all__:
        value = getattr(latrones_uci, name)
        lines.append(f"{name}{_signature(value)}" if name != "__version__" else name)
        if inspect.isclass(value):
            members = {key: inspect.getattr_static(value, key) for key in dir(value) if not key.startswith("_")}
            inherited = {key for base in value.__mro__ if base.__module__ == "builtins" for key in vars(base)
                         if members.get(key) is vars(base)[key]}  # those of Python, which differ between its versions
            lines += [f"    {key}{_signature(getattr(value, key))}" for key, member in sorted(members.items())
                      if key not in inherited and member is not None]
    return "\n".join(lines) + "\n"


def _signature(value: object) -> str:
    """Return the parameters without modules, and without private defaults."""
    try:
        text = str(inspect.signature(value)) if callable(value) and not isinstance(value, enum.EnumMeta) else ""
    except ValueError:
        return ""
    return re.sub(r"(latrones_uci|collections)(\.[a-z_]+)+\.", "", re.sub(r"<function \S+ at \w+>", "...", text))


def schemas(folder: Path) -> str:
    """The tables of a new database of a match, and of one with the games of the board page."""
    with Store(folder / "match.db", writing=True) as store:
        store.begin({}, [StoredEngine("A", "A", "", ("a",), "", "")], "2024-05-31T12:00:00Z", "test")
        store.add_trials(0, [])  # makes the tables of a tuning
    GameStore(folder / "games.db").close()
    return _tables(folder / "match.db") + "\n" + _tables(folder / "games.db")


def _tables(path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name").fetchall()
        numbers = [connection.execute(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version")]
    column = r", (?=\w+ (TEXT|INTEGER|REAL)|PRIMARY)"
    lines = (re.sub(column, ",\n    ", " ".join(sql.split())) for sql, in made)
    return "".join(f"{line};\n" for line in lines) + "application_id {}, user_version {}\n".format(*numbers)


def moves(folder: Path) -> str:
    """A game of pseudo-random moves of each ruleset: its move texts, the FENs at its start and end, and the outcome."""
    lines = []
    for ruleset in {**builtin_variants(), **{each.name: each for each in ludii_variants().values()}}.values():
        game, seed = Game(ruleset), 1
        start = game.position.fen()
        texts = []
        while game.outcome() is None and len(texts) < MAX_PLIES:
            seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
            legal = sorted(game.legal_moves())
            texts.append(legal[seed // 65536 % len(legal)])
            game.push(texts[-1])
        lines += [ruleset.name, f"  {start}", f"  {' '.join(texts)}", f"  {game.position.fen()}", f"  {game.outcome()}"]
    return "\n".join(lines) + "\n"


def files(folder: Path) -> str:
    """The sums of the nets of the package, and of an endgame table."""
    succeed("tables", "latrones", "--board", "4x4", "--men", "4", "--threads", "1", "--path", str(folder))
    paths = [*sorted(NETS.glob("*.net")), *sorted(path for path in folder.rglob("*.ltb"))]
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths)


def games(folder: Path) -> str:
    """The games of a match as PGN."""
    shutil.copy(FOLDER / MATCH, folder)
    return succeed("pgn", str(folder / MATCH))


def report(folder: Path) -> str:
    """What the report of a match says, without style, scripts and drawings, and the data of its replays."""
    shutil.copy(FOLDER / MATCH, folder)
    succeed("report", str(folder / MATCH), "--output", str(folder / "report.html"))
    page = (folder / "report.html").read_text(encoding="utf-8")
    data = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    text = re.sub(r"<(style|script|svg).*?</\1>", "", page, flags=re.DOTALL)
    lines = [*filter(None, (line.strip() for line in re.sub(r"<[^>]*>", "\n", text).splitlines()))]
    for key, value in ((key, value) for each in data for key, value in json.loads(each).items()):
        rows = value if isinstance(value, list) and any(isinstance(item, list | dict) for item in value) else [value]
        lines += [f"{key}:", *(json.dumps(row) for row in rows)]
    return "\n".join(lines) + "\n"


def events(folder: Path) -> str:
    """The events of a match as JSON, and its PGN, without times, speeds and ids."""
    _engine(folder)
    with contextlib.chdir(folder):
        out = succeed(
            "match", "--engine", "cmd=./engine", "name=One", "nodes=60", "--engine", "cmd=./engine", "name=Two",
            "nodes=30", "--variant", "latrones:6x6", "--openings", "random:2", "--seed", "7", "--games", "2",
            "--concurrency", "1", "--max-plies", "12", "--json-moves", "--pgn", "games.pgn")
    happened = sorted((json.loads(line) for line in out.splitlines()), key=_game_of)  # games may start together
    lines = [json.dumps(_timeless(event)) for event in happened]
    text = (folder / "games.pgn").read_text(encoding="utf-8")
    text = re.sub(r'(Date|MatchId|Time|UTC\w+|Machine|Kernel) ".*"', r'\1 ""', text)
    text = re.sub(r"\d+\.\d+s|\d+ ms|(?<=/s )\d+", "...", text)
    return ("\n".join(lines) + "\n\n" + text).replace(__version__, "VERSION")


def _game_of(event: dict[str, object]) -> int:
    return int(str(event.get("game", 0 if event["event"] == "tournament_started" else 99)))


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: "..." if re.search(r"time|_ns|_ms|_s$|nps|date|created|started|run|kernel|version|id$", key)
                else _timeless(each) for key, each in value.items()}
    return [_timeless(each) for each in value] if isinstance(value, list) else value


GOLDEN: dict[str, Callable[[Path], str]] = {
    "help.txt": help_texts, "names.txt": names, "schemas.sql": schemas, "moves.txt": moves, "games.pgn": games,
    "report.txt": report,
}
WITH_PROCESSES: dict[str, Callable[[Path], str]] = {
    "statuses.txt": statuses, "options.txt": options, "files.txt": files, "events.txt": events,
}


@pytest.fixture(autouse=True)
def _of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def compare(name: str, now: str) -> None:
    then = (FOLDER / name).read_text(encoding="utf-8")
    if name == "help.txt":  # Python's versions break its lines at different places
        assert now.split() == then.split()
    assert name == "help.txt" or now == then


@pytest.mark.posix  # help names folders of the user, and lines end otherwise
@pytest.mark.parametrize("name", GOLDEN)
def test_promises(name: str, tmp_path: Path) -> None:
    compare(name, GOLDEN[name](tmp_path))


@pytest.mark.process
@pytest.mark.parametrize("name", WITH_PROCESSES)
def test_promises_of_processes(name: str, tmp_path: Path) -> None:
    if name == "files.txt" and not native.is_compiled():
        pytest.skip("no native kernel: it makes endgame tables")
    compare(name, WITH_PROCESSES[name](tmp_path))


def test_databases_are_unchanged() -> None:
    for line in (FOLDER / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        checksum, name = line.split()
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == checksum, name


@pytest.mark.process
@pytest.mark.slow
def test_a_match_of_an_earlier_version_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _engine(tmp_path)
    shutil.copy(FOLDER / MATCH, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = succeed("pgn", MATCH)
    succeed("resume", MATCH, "--games", "7", "--accept-changed-engine", "--quiet", "--report", "report.html")
    after = succeed("pgn", MATCH)
    assert (before.count("[Result "), after.count("[Result ")) == (6, 7)
    assert after.startswith(before.rstrip())
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_kept_games_of_an_earlier_version_are_found(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "games-0.2.0.db", tmp_path)
    store = GameStore(tmp_path / "games-0.2.0.db")
    (game,) = store.games("kept ann")
    store.close()
    assert (game.name, game.players, game.result) == ("Kept", ("Ann", "Engine"), "1-0")
    assert ([text for text, *_ in game.plies], game.movetext) == (["a1a4", "a6a5"], "1. a1a4 {good} a6a5")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    for target, function in {**GOLDEN, **WITH_PROCESSES}.items():
        with tempfile.TemporaryDirectory() as temporary:
            (FOLDER / target).write_text(function(Path(temporary)), encoding="utf-8")
    sys.exit(0)
