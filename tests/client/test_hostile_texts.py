"""Engines and files that are out to do harm, from one end to the other: match, screen, PGN, log, report."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from html_page import Page, assert_harmless
from latrones_uci.commands.main import main as engine_main
from latrones_uci.commands.main import match_main as main
from latrones_uci.match.pgn_read import read_file

HOSTILE_ENGINE = Path(__file__).resolve().parent.parent / "fakes" / "hostile_engine.py"
LEFT_BEHIND = {"match.db", "match.pgn", "report.html", "traffic.log", "logs"}


@pytest.mark.parametrize("end", ["crash", "move", "illegal", "resign"])
def test_a_match_of_hostile_engines(end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = ["--engine", f"cmd={shlex.join([sys.executable, str(HOSTILE_ENGINE), end])}", "strict=on", "depth=1"]
    outputs = ["--database", "match.db", "--pgn", "match.pgn", "--report", "report.html", "--log", "traffic.log",
               "--log-dir", "logs"]  # fmt: skip
    assert main([*engine, *engine, "--board", "6x6", "--openings", "random:0", "--games", "2", "--check-claims",
                 *outputs]) == 0  # fmt: skip
    assert set(os.listdir(tmp_path)) == LEFT_BEHIND
    assert set(os.listdir(tmp_path / "logs")) == {"engine-1.log", "engine-2.log"}
    shown = capsys.readouterr().out
    assert is_printable(shown), shown
    for name in ("match.pgn", "traffic.log", "logs/engine-1.log", "logs/engine-2.log"):
        assert is_printable((tmp_path / name).read_text(encoding="utf-8")), name
    games = list(read_file(tmp_path / "match.pgn"))
    assert [len(game.moves) for game in games] == [6, 6]
    assert main(["verify", "match.pgn"]) == 0
    assert main(["pgn", "match.db"]) == 0
    assert is_printable(capsys.readouterr().out)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert_harmless(page)
    assert "\x1b" not in text
    assert any("onerror=alert(1)" in part for parts in page.text.values() for part in parts)


def test_hostile_tags_of_a_pgn_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither names of files, nor what a terminal obeys, nor markup comes of them."""
    hostile = "../../x</script><img src=x>\x1b[2J\x07\u202e"
    tags = {"Event": hostile, "White": hostile, "Black": "/etc/passwd", "Result": "*", "Variant": "rota",
            "Termination": hostile, "TerminationDetails": hostile, "FEN": "3/3/3[3S3s] w 0 1"}  # fmt: skip
    game = "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{{ {hostile} }} S@a1 *\n\n"
    (tmp_path / "hostile.pgn").write_text(game + game, encoding="utf-8")
    assert main(["verify", "hostile.pgn"]) == 1
    captured = capsys.readouterr()
    assert is_printable(captured.out + captured.err)
    fair = (game + game).replace(f'[Termination "{hostile}"]\n', "")
    (tmp_path / "fair.pgn").write_text(fair, encoding="utf-8")
    assert engine_main(["analyse", "fair.pgn", "--output", "out.pgn", "--depth", "1"]) == 0
    assert capsys.readouterr().err == ""
    assert is_printable((tmp_path / "out.pgn").read_text(encoding="utf-8"))
    assert set(os.listdir(tmp_path)) == {"hostile.pgn", "fair.pgn", "out.pgn"}


@pytest.mark.process
def test_a_command_with_what_a_shell_would_obey(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is split into words as a shell would, and that is all."""
    for command in ("true; touch x", "$(touch x)", "`touch x`", "true && touch x", "true | touch x", "> x"):
        engine = ["--engine", f"cmd={command}", "depth=1"]
        assert main([*engine, *engine, "--database", "match.db"]) == 1
        assert "cannot start" in (error := capsys.readouterr().err) or "ended with status" in error, error
    assert not (tmp_path / "x").exists()


def is_printable(text: str) -> bool:
    return text.replace("\n", "").isprintable()
