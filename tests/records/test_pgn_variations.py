"""Variations, glyphs and searches in PGN, written and read back."""

from __future__ import annotations

import pytest

from latrones_uci.game import Game, builtin_variants
from latrones_uci.match.pgn_read import PgnMove, parse_search, read_games
from latrones_uci.match.pgn_verify import DisagreementError, verify_game
from latrones_uci.match.pgn_write import WrittenMove, render_movetext, render_search
from latrones_uci.protocol import Score, SearchInfo

START = Game("latrones", "6x6").start.fen()
TAGS = f'[Variant "latrones"]\n[FEN "{START}"]\n[Result "*"]\n\n'


def moves_of(text: str) -> list[PgnMove]:
    game, = read_games(text.splitlines())
    return game.moves


def shape(moves: list[PgnMove]) -> list[object]:
    """Return moves with their variations as nested lists."""
    return [each for move in moves for each in (move.text, *(shape(line) for line in move.variations))]


def test_variations_are_alternatives_to_the_move_before_them() -> None:
    moves = moves_of("1. a1a3 a6a4 (1... b6b4 2. b1b3 (2. c1c3 c6c4) 2... c6c4) (1... c6c4) 2. b1b3 *")
    assert shape(moves) == ["a1a3", "a6a4", ["b6b4", "b1b3", ["c1c3", "c6c4"], "c6c4"], ["c6c4"], "b1b3"]


def test_comments_belong_to_the_move_before_them_on_their_level() -> None:
    moves = moves_of("1. a1a3 {one} ({none} 1. b1b3 {two} (1. c1c3 {three}) {four}) {five} a6a4 $2 {six} ; rest\n"
                     " {seven} *")
    first, second = moves
    other = first.variations[0][0]
    assert [first.comment, second.comment, other.comment, other.variations[0][0].comment] == [
        "one five", "six seven", "two four", "three"]  # fmt: skip
    assert (second.glyphs, second.sign) == (["$2"], "?")


@pytest.mark.parametrize(("text", "move", "sign"), [
    ("a1a3??", "a1a3", "??"), ("a1a3 $6", "a1a3", "?!"), ("a1a3!", "a1a3", "!"), ("a1a3 $18", "a1a3", ""),
    ("a1a3 $18 $5", "a1a3", "!?"), ("a1a3???", "a1a3???", ""),
])  # fmt: skip
def test_signs(text: str, move: str, sign: str) -> None:
    found, = moves_of(f"1. {text} *")
    assert (found.text, found.sign) == (move, sign)


def test_what_is_written_is_read_back() -> None:
    inner = (WrittenMove(0, 2, "c1c3", "", "", ()), WrittenMove(1, 2, "c6c4", "deep", "$2"))
    line = (WrittenMove(1, 1, "b6b4", ""), WrittenMove(0, 2, "b1b3", "", "", (inner,)), WrittenMove(1, 2, "d6d4", ""))
    main = [WrittenMove(0, 1, "a1a3", "x"), WrittenMove(1, 1, "a6a4", "", "", (line,)), WrittenMove(0, 2, "b1b3", "")]
    text = render_movetext(main, "*")
    assert text == ("1. a1a3 {x} a6a4 (1... b6b4 2. b1b3 (2. c1c3 c6c4 $2 {deep}) 2... d6d4) 2. b1b3\n*")
    assert shape(moves_of(text)) == ["a1a3", "a6a4", ["b6b4", "b1b3", ["c1c3", "c6c4"], "d6d4"], "b1b3"]


def test_variations_are_checked_against_the_rules() -> None:
    good, = read_games((TAGS + "1. a1a3 (1. b1b3 a6a4 (1... b6b4)) 1... a6a4 *").splitlines())
    assert len(verify_game(good, builtin_variants()).moves) == 2
    for wrong in ("(1. b1b9)", "(1. b1b3 b1b2)", "(1. b1b3 a6a4 (1... a1a2))"):
        bad, = read_games((TAGS + f"1. a1a3\n{wrong} a6a4 *").splitlines())
        with pytest.raises(DisagreementError, match="line 6: "):
            verify_game(bad, builtin_variants())


@pytest.mark.parametrize("info", [
    SearchInfo(), SearchInfo(score=Score(cp=-135), depth=6, nodes=12345), SearchInfo(score=Score(mate=-3), depth=9),
    SearchInfo(score=Score(cp=0)), SearchInfo(nodes=7),
])  # fmt: skip
def test_searches_are_read_back(info: SearchInfo) -> None:
    text = render_search(info, 1_234_000_000)
    assert parse_search(text) == (info, 1_234_000_000, "")
    assert parse_search(f"{text}; best a1a3") == (info, 1_234_000_000, "best a1a3")


def test_other_comments_are_no_searches() -> None:
    for text in ("", "good move", "+0.35", "0.5s or so", "1.000s later", "+0.35/6 0.101sn=5"):
        assert parse_search(text) == (SearchInfo(), 0, text), text
