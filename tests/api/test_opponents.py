"""The files of docs/examples for programs of others, without these programs."""

from __future__ import annotations

import configparser
import sys
from pathlib import Path

import pytest

from folders import EXAMPLES
from latrones_uci import Engine, Game, Limit, Position, load_variants

FAKE_BOARD = """
def create_bitboard_new_game(files, ranks, user_is_white):
    assert user_is_white
    print("a message of the program")
    global size
    size = files, ranks
"""
FAKE_PLAYER = """
from . import gameboard

TIMEOUT_SEC = 10.0
turned = False


def find_move_for_bot(white_pieces, white_kings, black_pieces, black_kings, moving_white):
    with open(__file__ + ".log", "a") as log:
        print(white_pieces, white_kings, black_pieces, black_kings, moving_white, TIMEOUT_SEC, file=log)
    files, ranks = gameboard.size
    first = files * (ranks - 1) if moving_white else 0
    step = -files if moving_white else files
    if TIMEOUT_SEC < 0.1:
        step = -step  # off the board
    return 1 << first, 1 << first + step if first + step >= 0 else 1
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program with the modules of the web program "Latrones"; it moves the soldier on the a-file one step ahead."""
    package = tmp_path / "python"
    package.mkdir()
    for name, text in (("__init__", ""), ("gameboard", FAKE_BOARD), ("bot", FAKE_PLAYER)):
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


def bits_of(start: str, *squares: str, files: int = 8, ranks: int = 8) -> int:
    return sum(1 << (ranks - int(square[1:])) * files + ord(square[0]) - ord("a") for square in (start, *squares))


@pytest.mark.process
def test_web_program(program: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "web_latrones.py"), str(program)]
    game = Game("latrones")
    with Engine.popen(command) as engine:
        moves = [engine.play(game, Limit(depth=1)).move]
        game.push("a1a2")
        moves.append(engine.play(game, Limit(time=3)).move)
        other = Game("latrones", board="6x5")
        moves.append(engine.play(other, Limit(depth=1)).move)
        assert not engine.take_violations()
        engine.play(game, Limit(time=0.1))
        (violation,) = engine.take_violations()
    assert list(map(str, moves)) == ["a1a2", "a8a7", "a1a2"]
    assert "a8a8" in str(violation)
    lines = [line.split() for line in (program / "python" / "bot.py.log").read_text(encoding="utf-8").splitlines()]
    files = "abcdefgh"
    white, black = bits_of(*(f"{file}1" for file in files)), bits_of(*(f"{file}8" for file in files))
    assert lines[0] == [*map(str, (white, bits_of("e2"), black, bits_of("d7"))), "True", "10.0"]
    assert lines[1][4] == "False"
    assert 1 < float(lines[1][5]) < 1.5
    assert int(lines[1][0]) == white - bits_of("a1") + bits_of("a2")
    assert int(lines[2][0]) == bits_of(*(f"{file}1" for file in "abcdef"), files=6, ranks=5)


def test_file_for_fairy_stockfish_x() -> None:
    """The file says in the keys of that program what the ruleset says."""
    file = configparser.ConfigParser()
    file.optionxform = str  # type: ignore[assignment,method-assign]
    file.read(EXAMPLES / "museum-quintana.ini", encoding="utf-8")
    ruleset = load_variants(EXAMPLES / "museum-quintana.toml")["museum-quintana"]
    assert file.sections() == [ruleset.name]
    keys = dict(file[ruleset.name])
    assert keys.pop("customPiece1") == "s:mR"  # the letter of our FENs; a rook that does not capture by moving
    board, side, _, _, *counts = keys.pop("startFen").split()
    assert f"{board} {side} {' '.join(counts)}" == Position.start(ruleset).fen()
    assert ruleset.custodian == "one"
    assert (keys.pop("surroundCaptureOpposite"), keys.pop("connectDiagonal")) == ("true", "false")
    assert (keys.pop("extinctionPieceTypes"), keys.pop("extinctionValue")) == ("s", "loss")
    assert int(keys.pop("extinctionPieceCount")) == ruleset.fewest_men - 1
    assert keys.pop("stalemateValue") == ruleset.no_move
    assert keys == {"nMoveRule": "0"}
