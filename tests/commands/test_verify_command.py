"""PGN of other programs: without a variant, with tags in lower case, or of variants of one's own."""

from pathlib import Path

import pytest

from latrones_uci.commands.main import main

# As cutegames writes it with the colours "white" and "black": no variant, no termination, no SetUp.
OTHERS = """[Event "My Event"]
[Site "CuteGames"]
[Date "??"]
[Round "1"]
[white "A"]
[black "B"]
[Result "1-0"]
[FEN "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"]
[Winner "A"]
[Loser "B"]
[PlyCount "1"]

1. c6c8 1-0


"""
LOWER_CASE = OTHERS.replace("Result", "result").replace("FEN", "fen").replace("PlyCount", "plycount")
OWN = '[variant "mine"]\n[fen "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"]\n[result "1-0"]\n\n1. c6c8 1-0\n\n'
FILE = '[mine]\nparent = "latrones"\ntitle = "Mine"\nsource = "Me"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(FILE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("text", [OTHERS, LOWER_CASE])
def test_the_variant_of_a_file_without_one(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for count, counted in (1, "1 game (1 1-0), 1 ply"), (2, "2 games (2 1-0), 2 plies"):
        (folder / "games.pgn").write_text(text * count, encoding="utf-8")
        assert main(["verify", "games.pgn", "--variant", "latrones"]) == 0
        assert capsys.readouterr().out == f"games.pgn: {counted}, 0 disagreements\nterminations: {count} ?\n"
    assert main(["verify", "games.pgn"]) == 1
    assert capsys.readouterr().err == (
        "games.pgn: 2 games without the tag Variant; --variant NAME says which variant they are\n")


@pytest.mark.parametrize(("old", "new", "message"), [
    ("c6c8", "c6d8", "line 13: move 'c6d8'"),
    ("PlyCount \"1\"", "PlyCount \"2\"", "tag PlyCount is '2', but the moves are 1 ply"),
    ("plycount \"1\"", "plycount \"2\"", "tag PlyCount is '2', but the moves are 1 ply"),
    ("result \"1-0\"", "result \"0-1\"", "tag Result is '0-1', but the moves end with '1-0'"),
    ("1-0", "0-1", "tag Result is '0-1', but by the rules it is 1-0"),
    ("[fen \"3ds3", "[FEN \"\"]\n[fen \"3ds3", "duplicate tag"),
])  # fmt: skip
def test_faults_in_such_files(
    old: str, new: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = OTHERS if old in OTHERS else LOWER_CASE
    (folder / "games.pgn").write_text(text.replace(old, new), encoding="utf-8")
    assert main(["verify", "games.pgn", "--variant", "latrones"]) == 1
    assert message in capsys.readouterr().err


def test_without_a_position_the_game_begins_at_the_start(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for position in ("", '[FEN "startpos"]\n'):
        (folder / "games.pgn").write_text(f'{position}[Result "*"]\n\n1. a1a2 a6a5 *\n', encoding="utf-8")
        assert main(["verify", "games.pgn", "--variant", "latrones:6x6"]) == 0
    assert main(["verify", "games.pgn", "--variant", "latrones"]) == 1


def test_variants_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "games.pgn").write_text(OWN * 32, encoding="utf-8")
    assert main(["verify", "games.pgn"]) == 1
    captured = capsys.readouterr()
    assert captured.err == (
        "games.pgn: 32 games of the unknown variant 'mine'; expected one of latrones, latrunculi-classical,"
        " latrunculi-xxi, petteia-xxi, single-stone-xxi, schaedler, bell, rota, or --variant-path FILE\n")
    assert "32 games (32 1-0), 32 plies, 32 disagreements" in captured.out
    for words in (["games.pgn", "--variant-path", "mine.toml"], ["--variant-path", "mine.toml", "games.pgn"],
                  ["games.pgn", "games.pgn", "--variant-path", "mine.toml"],
                  ["games.pgn", "--variant-path", "mine.toml", "games.pgn"]):  # fmt: skip
        assert main(["verify", *words]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        assert captured.out.count("games.pgn: 32 games") == 1
        assert captured.out.count("games.pgn: no new game, 32 duplicate") == words.count("games.pgn") - 1
    for words in (["perft", "1", "--variant", "mine"], ["draw", "--variant", "mine"], ["variants", "show", "mine"]):
        assert main([*words, "--variant-path", "mine.toml"]) == 0
