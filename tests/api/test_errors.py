"""Wrong arguments anywhere in the public API: one clear error, which quotes them.

The calls and their errors are in errors.txt; ``python tests/api/test_errors.py`` writes the errors anew.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import latrones_uci
from latrones_uci import Engine, Game, LatronesError, Limit, PgnError, read_pgn
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.time_control import TimeControl

TABLE = Path(__file__).with_name("errors.txt")
HEAD, *CALLS = TABLE.read_text(encoding="utf-8").split("\n>>> ")
NAMES = {name: getattr(latrones_uci, name) for name in latrones_uci.__all__}
NAMES |= {"Path": Path, "dataclasses": dataclasses}


def with_error(call: str, engine: Engine) -> str:
    """Return a call and the error that it raises, as they are in the table."""
    expression = call.partition("\n")[0]
    with pytest.raises(Exception, match=".") as raised:
        eval(expression, NAMES | {"engine": engine})
    return f"{expression}\n{raised.type.__name__}: {raised.value}"


def not_started() -> Engine:
    return Engine(EngineSettings(("no-such-engine",), TimeControl()))


@pytest.mark.parametrize("call", CALLS)
def test_one_clear_error(call: str) -> None:
    assert with_error(call, not_started()) == call.rstrip("\n")
    assert call.rstrip("\n").count("\n") == 1


def test_wrong_arguments_leave_an_engine_usable() -> None:
    with Engine.popen(OWN_ENGINE, board="6x6") as engine:
        for call in CALLS:
            if call.startswith("engine."):
                assert with_error(call, engine) == call.rstrip("\n")
        game = Game("latrones", board="6x6")
        assert engine.play(game, Limit(depth=1)).move in game.legal_moves()


def test_a_rejected_move_changes_nothing() -> None:
    game: Any = Game()
    for move in ("d1c5", "zz", None):
        with pytest.raises((LatronesError, TypeError)):
            game.push(move)
    assert (len(game.positions), game.moves) == (1, ())


def test_faults_of_pgn_files(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    with pytest.raises(FileNotFoundError):
        next(read_pgn(path))
    head = '[Variant "latrones"]\n[FEN "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"]\n'
    for text, message in (
        ("[", "line 1: malformed tag: "), (f'{head}[Result "1-0"]\n1. c6d5 1-0\n', "line 4: move 'c6d5' is not legal"),
        (f'{head}[Result "0-1"]\n1. c6c8 0-1\n', "by the rules it is 1-0"),
        ('[Result "*"]\n*\n', "missing tag 'Variant'"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(PgnError, match=message):
            list(read_pgn(path))


if __name__ == "__main__":
    TABLE.write_text("\n>>> ".join([HEAD, *(with_error(call, not_started()) for call in CALLS)]) + "\n", "utf-8")
