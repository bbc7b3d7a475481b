"""The promises to users, as texts that a change must not alter by accident.

Each file beside this module is what the function of its name returns. ``python tests/golden/test_golden.py`` writes
them anew; a difference that is meant needs a line in CHANGELOG.md. The protocol is frozen by tests/transcripts.
"""

from __future__ import annotations

import contextlib
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
from latrones_uci import native
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import COMMANDS, main
from latrones_uci.game import Game, builtin_variants, ludii_variants

FOLDER = Path(__file__).resolve().parent
DATABASES = ("0.1.0.db", "0.2.0.db")
"""Matches of four games, played by the versions of their names; see ``_engine``."""
NETS = Path(latrones_uci.__file__).parent / "nets"
MAX_PLIES = 60


def called(*words: str) -> tuple[int, str, str]:
    """Return the exit status, the output and the messages of a command that runs in this process."""
    out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = main(words)
    except SystemExit as ended:
        status = int(ended.code or 0)
    out.flush()
    return status, out.buffer.getvalue().decode(), errors.getvalue()  # type: ignore[attr-defined]


def _engine(folder: Path) -> None:
    """Make the engine of the databases."""
    (folder / "engine").write_text(f"#!/bin/sh\nexec {shlex.join(OWN_ENGINE)} --backend python\n", encoding="utf-8")
    (folder / "engine").chmod(0o755)


def help_texts(folder: Path) -> str:
    texts = [called(*words, "--help")[1] for words in ([], *([command] for command in COMMANDS))]
    return ("=" * 80 + "\n").join(texts)


def statuses(folder: Path) -> str:
    """The exit status of each command, with the last line of its messages."""
    (folder / "bad.pgn").write_text('[Event "?"]\n[Variant "latrones"]\n\n1. z9z9 *\n', encoding="utf-8")
    (folder / "bad.toml").write_text("[x]\nparent = 1\n", encoding="utf-8")
    commands = (
        "--version", "--depth", "nonsense", "perft 1", "perft x", "bench 0", "variants", "variants show latrones",
        "variants show chess", "variants check bad.toml", "draw 8/8", "draw", "verify bad.pgn",
        "verify none.pgn", "report none.db", "pgn none.db", "ratings none.db", "resume none.db", "suite none.suite",
        "analyse none.pgn", "match", "match --engine cmd=none --engine cmd=none --each nodes=1", "match --games 0",
        "match --engine x", "check none", "tables none", "train none", "tune", "book --count 0", "revs",
    )  # fmt: skip
    lines = []
    with contextlib.chdir(folder):
        for command in commands:
            status, _, messages = called(*command.split())
            lines.append(f"{status}  latrones-uci {command}\n     {(messages.splitlines() or [''])[-1]}".rstrip())
    return "\n".join(lines) + "\n"


def options(folder: Path) -> str:
    """What the engine says before ``uciok``, without what depends on machine and build."""
    done = subprocess.run(OWN_ENGINE, input="uci\nquit\n", capture_output=True, text=True, cwd=folder, check=True)
    return re.sub(r"(kernel \w+,).*|(name Threads .* max) \d+", lambda m: f"{m[1] or m[2]} ...", done.stdout)


def names(folder: Path) -> str:
    """The public names with their signatures, methods and attributes."""
    lines = []
    for name in latrones_uci.__all__:
        value = getattr(latrones_uci, name)
        lines.append(f"{name}{_signature(value)}" if name != "__version__" else name)
        if inspect.isclass(value):
            members = {key: inspect.getattr_static(value, key) for key in dir(value) if not key.startswith("_")}
            lines += [f"    {key}{_signature(getattr(value, key))}" for key, member in sorted(members.items())
                      if not hasattr(int, key) and not hasattr(BaseException, key) and member is not None]
    return "\n".join(lines) + "\n"


def _signature(value: object) -> str:
    try:
        text = str(inspect.signature(value)) if callable(value) else ""
        return re.sub(r"(latrones_uci|collections)(\.[a-z_]+)+\.|<function (\S+) at \w+>", r"\3", text)
    except ValueError:
        return ""


def schemas(folder: Path) -> str:
    """The tables of a new database of a match, and of the games of the board page."""
    from latrones_uci.match.store import _SCHEMA
    from latrones_uci.web.board.game_store import GameStore

    GameStore(folder / "games.db").close()
    with contextlib.closing(sqlite3.connect(folder / "games.db")) as connection:
        games = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")]
    return _SCHEMA.strip() + "\n\n" + ";\n".join(games) + "\n"


def moves(folder: Path) -> str:
    """A game of pseudo-random moves of each ruleset: its move texts, the FENs at its start and end, and the outcome."""
    lines = []
    for ruleset in {**builtin_variants(), **{each.name: each for each in ludii_variants().values()}}.values():
        game, seed = Game(ruleset), 1
        start = game.position.fen()
        texts = []
        while game.outcome() is None and len(texts) < MAX_PLIES:
            seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
            legal = sorted(game.position.move_text(move) for move in game.legal_moves())
            texts.append(legal[seed // 65536 % len(legal)])
            game.play(texts[-1])
        lines += [ruleset.name, f"  {start}", f"  {' '.join(texts)}", f"  {game.position.fen()}", f"  {game.outcome()}"]
    return "\n".join(lines) + "\n"


def files(folder: Path) -> str:
    """The sums of the nets of the package, and of an endgame table."""
    status, _, messages = called(
        "tables", "latrones", "--board", "4x4", "--men", "4", "--threads", "1", "--path", str(folder))
    assert status == 0, messages
    paths = [*sorted(NETS.glob("*.net")), *sorted(path for path in folder.rglob("*.ltb"))]
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths)


def games(folder: Path) -> str:
    """The games of the databases as PGN."""
    texts = []
    for name in DATABASES:
        shutil.copy(FOLDER / name, folder)
        texts.append(called("pgn", str(folder / name))[1])
    return "\n".join(texts)


def report(folder: Path) -> str:
    """What the reports of the databases say, without style, scripts and drawings."""
    pages = []
    for name in DATABASES:
        shutil.copy(FOLDER / name, folder / name)
        status, _, messages = called("report", str(folder / name), "--output", str(folder / "report.html"))
        assert status == 0, messages
        page = (folder / "report.html").read_text(encoding="utf-8")
        data = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
        text = re.sub(r"<(style|script|svg).*?</\1>", "", page, flags=re.DOTALL)
        lines = filter(None, (line.strip() for line in re.sub(r"<[^>]*>", "\n", text).splitlines()))
        pages.append("\n".join([*lines, *(json.dumps(json.loads(each), sort_keys=True, indent=1) for each in data)]))
    return "\n".join(pages) + "\n"


def events(folder: Path) -> str:
    """The events of a match as JSON, and its PGN, without times, speeds and ids."""
    _engine(folder)
    with contextlib.chdir(folder):
        status, out, messages = called(
            "match", "--engine", "cmd=./engine", "name=One", "nodes=60", "--engine", "cmd=./engine", "name=Two",
            "nodes=30", "--variant", "latrones:6x6", "--openings", "random:2", "--seed", "7", "--games", "2",
            "--concurrency", "1", "--json-moves", "--pgn", "games.pgn")
    assert status == 0, messages
    happened = sorted((json.loads(line) for line in out.splitlines()), key=_game_of)  # games may start together
    lines = [json.dumps(_timeless(event)) for event in happened]
    text = (folder / "games.pgn").read_text(encoding="utf-8")
    text = re.sub(r'(Date|MatchId|Time|UTC\w+|Machine|Kernel) ".*"', r'\1 ""', text)
    return "\n".join(lines) + "\n\n" + re.sub(r"\d+\.\d+s|\d+ ms|(?<=/s )\d+", "...", text)


def _game_of(event: dict[str, object]) -> int:
    return int(str(event.get("game", 0 if event["event"] == "tournament_started" else 99)))


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: "..." if re.search(r"time|_ns|_ms|_s$|nps|date|created|started|run|kernel|version|id$", key)
                else _timeless(each) for key, each in value.items()}  # fmt: skip
    return [_timeless(each) for each in value] if isinstance(value, list) else value


GOLDEN: dict[str, Callable[[Path], str]] = {
    "help.txt": help_texts, "names.txt": names, "schemas.sql": schemas, "moves.txt": moves, "games.pgn": games,
    "report.txt": report,
}
WITH_PROCESSES: dict[str, Callable[[Path], str]] = {
    "statuses.txt": statuses, "options.txt": options, "files.txt": files, "events.txt": events,
}


@pytest.mark.parametrize("name", GOLDEN)
def test_promises(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert GOLDEN[name](tmp_path) == (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.process
@pytest.mark.parametrize("name", WITH_PROCESSES)
def test_promises_of_processes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    if name == "files.txt" and not native.is_compiled():
        pytest.skip("no native kernel: it makes endgame tables")
    assert WITH_PROCESSES[name](tmp_path) == (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.process
@pytest.mark.parametrize("name", DATABASES)
def test_matches_of_earlier_releases_are_resumed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _engine(tmp_path)
    shutil.copy(FOLDER / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    status, out, messages = called("resume", name, "--games", "6", "--accept-changed-engine")
    assert status == 0, messages
    assert "Finished game 6" in out or "game 6" in out, out


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    for target, function in {**GOLDEN, **WITH_PROCESSES}.items():
        with tempfile.TemporaryDirectory() as temporary:
            (FOLDER / target).write_text(function(Path(temporary)), encoding="utf-8")
    sys.exit(0)
