"""Custom games from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.game import builtin_variants
from protocol.client import Client

GOOD = """
[small-latrones]
parent = "latrones"
title = "Latrones on small boards"
default_size = "6x6"
max_size = "8x8"
nocapture_limit = 3

[smaller-latrones]
parent = "small-latrones"
default_size = "5x5"
"""
SECOND = '[other]\nparent = "latrunculi-classical"\n'
START_6X6 = "Fen: ssssss/2d3/6/6/3D2/SSSSSS w 0 1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good games.toml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "second.toml").write_text(SECOND, encoding="utf-8")
    return tmp_path


def variants(engine: Client) -> list[str]:
    (line,) = (line for line in engine.ask("uci", until="uciok") if line.startswith("option name UCI_Variant "))
    return [part.strip() for part in line.split(" var ")[1:]]


def fen(engine: Client) -> str:
    return engine.shown()[-4]


def test_good_file(engine: Client, folder: Path) -> None:
    engine.send("setoption name VariantPath value good games.toml")
    assert engine.answer() == []
    assert variants(engine) == [*builtin_variants(), "small-latrones", "smaller-latrones"]
    engine.send("setoption name UCI_Variant value Small-Latrones")
    assert fen(engine) == START_6X6
    engine.send("position startpos moves a1a2 f6f5 a2a1")
    assert engine.shown()[-1] == "Result: draw nocapture"
    engine.send("setoption name UCI_Variant value smaller-latrones")
    assert fen(engine) == "Fen: sssss/2d2/5/2D2/SSSSS w 0 1"
    assert engine.ask("go depth 2", until="bestmove")[-1] != "bestmove 0000"


def test_board_size_is_kept_if_allowed_or_becomes_the_default(engine: Client, folder: Path) -> None:
    engine.send("setoption name VariantPath value good games.toml", "setoption name BoardSize value 7x6",
                "setoption name UCI_Variant value small-latrones")  # fmt: skip
    assert fen(engine) == "Fen: sssssss/3d3/7/7/3D3/SSSSSSS w 0 1"
    engine.send("setoption name UCI_Variant value latrones", "setoption name BoardSize value 12x8")
    (note,) = engine.answer("setoption name UCI_Variant value small-latrones")
    assert note == (
        "info string BoardSize set to auto: board size '12x8' is not allowed in small-latrones; expected 4x4 to 8x8"
    )
    assert fen(engine) == START_6X6
    assert engine.answer("setoption name BoardSize value 9x9")[0].startswith("info string error option: ")
    assert fen(engine) == START_6X6


def test_file_replaces_the_previous_one(engine: Client, folder: Path) -> None:
    engine.send("setoption name VariantPath value good games.toml", "setoption name VariantPath value second.toml")
    assert variants(engine) == [*builtin_variants(), "other"]
    engine.send("setoption name VariantPath value <empty>")
    assert variants(engine) == list(builtin_variants())


def test_current_game_cannot_be_removed(engine: Client, folder: Path) -> None:
    engine.send("setoption name VariantPath value second.toml", "setoption name UCI_Variant value other",
                "position startpos moves a1a2")  # fmt: skip
    before = engine.shown()
    for path in ("good games.toml", "<empty>", ""):
        (error,) = engine.answer(f"setoption name VariantPath value {path}")
        assert error.startswith("info string error option: option VariantPath: ")
        assert error.endswith("does not define the current game, other;"
                              " set UCI_Variant to another game first, such as latrones")
    assert engine.shown() == before
    assert variants(engine)[-1] == "other"


def test_unchanged_game_keeps_its_position(engine: Client, folder: Path) -> None:
    engine.send("position startpos moves a1a2")
    before = engine.shown()
    engine.send("setoption name VariantPath value second.toml")
    assert engine.shown() == before


def test_changed_game_restarts(engine: Client, folder: Path) -> None:
    changed = GOOD.replace('default_size = "6x6"', 'default_size = "4x6"')
    (folder / "changed.toml").write_text(changed, encoding="utf-8")
    engine.send("setoption name VariantPath value good games.toml", "setoption name UCI_Variant value small-latrones",
                "position startpos moves a1a2", "setoption name VariantPath value changed.toml")  # fmt: skip
    assert fen(engine) == "Fen: ssss/1d2/4/4/2D1/SSSS w 0 1"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[a\n", "not a TOML file"),
        ("a = 1\n", "a: key outside a table"),
        ("x = " + "[" * 100_000, "'bad.toml'"),
        ("[a]\nparent = 'nobody'\n", "'nobody'"),
        ("[a]\nparent = 'a'\n", "its own parent"),
        ("[latrones]\nparent = 'latrunculi-classical'\n", "variant 'latrones': a variant of this name already exists"),
        ("[a]\nparent = 'latrones'\ncolour = 'red'\n", "colour: unknown key"),
        ("[a]\ntitle = 'x'\n", "missing"),
        ("[a]\nparent = 'latrones'\ncustodian = 'five'\n", "custodian"),
        ("[a]\nparent = 'latrones'\ncorner = 1\n", "corner"),
        ("[a]\nparent = 'latrones'\nnocapture_limit = -1\n", "nocapture_limit"),
        ("[a]\nparent = 'latrones'\ndefault_size = '3x3'\n", "min_size"),
        ("[a]\nparent = 'latrones'\ndefault_size = 'wide'\n", "'wide'"),
        ("[a]\nparent = 'latrones'\nfewest_soldiers = " + "9" * 5_000, "'bad.toml'"),
    ],
)
def test_bad_files_change_nothing(engine: Client, folder: Path, text: str, named: str) -> None:
    (folder / "bad.toml").write_text(text, encoding="utf-8")
    engine.send("setoption name VariantPath value good games.toml", "position startpos moves a1a2")
    before, games = engine.shown(), variants(engine)
    (error,) = engine.answer("setoption name VariantPath value bad.toml")
    assert error.startswith("info string error option: option VariantPath: 'bad.toml'")
    assert named in error
    assert len(error) < 1000
    assert (engine.shown(), variants(engine)) == (before, games)


def test_unreadable_files(engine: Client, folder: Path) -> None:
    (folder / "latin.toml").write_bytes(b"[caf\xe9]\n")
    for path in ("missing.toml", ".", "latin.toml", "a\x00b"):
        (error,) = engine.answer(f"setoption name VariantPath value {path}")
        assert error.startswith("info string error option: option VariantPath: ")
    assert variants(engine) == list(builtin_variants())
