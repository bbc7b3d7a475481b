"""The script that plays other programs: who plays whom, its command line, and a match of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import opponents as script
from base import run_command
from folders import EXAMPLES
from latrones_uci.game import find_variant, load_variants

RANDOM = f'web-latrones="{sys.executable}" "{EXAMPLES / "random_mover.py"}"'


def run(*words: str) -> int:
    return run_command(script.__doc__, script.COMMANDS, words)


def test_the_games_connect_all_players() -> None:
    for game in script.GAMES:
        players = [player for player in script.OPPONENTS if player.program in ("", *game.programs)]
        met: dict[str, set[str]] = {}
        for one, other in script.pairings(players):
            met.setdefault(one.name, set()).add(other.name)
            met.setdefault(other.name, set()).add(one.name)
        reached, found = {script.LEVELS[0].name}, [script.LEVELS[0].name]
        while found:
            new = met[found.pop()] - reached
            reached |= new
            found += new
        assert reached == set(met) == {player.name for player in (*script.LEVELS, *players)}


def test_the_games_exist() -> None:
    for game in script.GAMES:
        assert game.variant in load_variants(EXAMPLES / game.file) if game.file else find_variant(game.variant)
    assert {program for game in script.GAMES for program in game.programs} == {
        player.program for player in script.OPPONENTS if player.program}


@pytest.mark.parametrize("given", ["gnugo=gnugo", "ludii", "ludii=", "=x"])
def test_wrong_opponents(tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("table", str(tmp_path), "--opponent", given)
    message = f"--opponent {given!r}: expected one of fairy-stockfish-x, ludii, web-latrones, '=' and a command"
    assert message in capsys.readouterr().err


@pytest.mark.process
@pytest.mark.long
def test_table(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("table", str(tmp_path), "--opponent", RANDOM, "--games", "2", "--nodes", "100")
    assert run(*words) == 0
    first = capfd.readouterr().out
    head, _, row = first.splitlines()
    assert head == "| game | opponent | its limit | won | drawn | lost | score |"
    cells = row.strip("| ").split(" | ")
    assert cells[:3] == ["`latrones`", "Latrones (web program)", "`depth=1`"]
    assert sum(map(int, cells[3:6])) == 2
    assert run(*words) == 0  # from the database
    assert capfd.readouterr().out == first
