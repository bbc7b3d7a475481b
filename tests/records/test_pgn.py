"""PGN: written to the letter, read back in any layout, verified by the rules, and appended to files.

Faults are in tests/commands/outputs.txt.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from folders import EXAMPLES
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Game, Outcome, Position, Termination, builtin_variants, find_variant, parse_variants
from latrones_uci.records.pgn_read import PgnGame, PgnMove, parse_search, read_file, read_games
from latrones_uci.records.pgn_verify import DisagreementError, verify_game
from latrones_uci.records.pgn_write import (
    PgnFile,
    render_game,
    render_movetext,
    render_pgn,
    render_search,
)
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.text.command import join_command
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.lib.notation import render_notation
from match_records import played_record, record

VARIANTS = builtin_variants()
EXAMPLE_GAMES = [
    pytest.param(path, name, id=name)
    for path in sorted(EXAMPLES.glob("*.toml"))
    for name in parse_variants(path.read_text(encoding="utf-8"), VARIANTS)
]
OTHER = render_game(played_record(1), "other")


def ply(side: int, movenumber: int, text: str, info: SearchInfo | None = None) -> PlyRecord:
    return PlyRecord(side, movenumber, text, 101_400_000, None, None, info or SearchInfo())


def record_of(game: PlayedGame, names: tuple[str, str] = ("A", "B")) -> GameRecord:
    controls = (TimeControl(movetime_ms=100), TimeControl(base_ms=1000, increment_ms=10))
    return GameRecord(Fixture(3, 1, 1, 0, 1, 0, 1), names, controls, "2024-05-31T12:00:00Z", game)


def random_game(start: Position, seed: int, most_plies: int = 90) -> PlayedGame:
    """A game of random moves, those of many squares (chains) and kills preferred; adjudicated where it gets long."""
    chooser, game, plies = random.Random(seed), Game(start), []
    while len(plies) < most_plies and (moves := game.legal_moves()):
        position = game.position
        rare = [text for text in moves if text[0] == "x" or sum(map(str.isalpha, text)) > 2]
        text = chooser.choice(rare or moves)
        plies.append(ply(position.side, position.movenumber, text))
        game.push(position.parse_move(text))
    outcome = game.outcome() or Outcome(Termination.ADJUDICATION, None, "long enough")
    return PlayedGame(start, tuple(plies), outcome)


def read(text: str) -> list[PgnGame]:
    return list(read_games(text.splitlines(keepends=True)))


def texts_of(game: PgnGame) -> list[str]:
    return [move.text for move in game.moves]


def shape(moves: list[PgnMove]) -> list[object]:
    """Return moves with their variations as nested lists."""
    return [each for move in moves for each in (move.text, *(shape(line) for line in move.variations))]


# ---------------------------------------------------------------- written and read back


@pytest.mark.parametrize(("info", "comment"), [
    (SearchInfo(score=Score(35), depth=6, nodes=12345), "+0.35/6 0.101s n=12345"),
    (SearchInfo(score=Score(-1250), depth=12), "-12.50/12 0.101s"),
    (SearchInfo(score=Score(0), depth=1, nodes=0), "+0.00/1 0.101s n=0"),
    (SearchInfo(score=Score(mate=3), depth=9, nodes=1), "+M3/9 0.101s n=1"),
    (SearchInfo(score=Score(mate=-2), depth=9), "-M2/9 0.101s"),
    (SearchInfo(score=Score(7)), "+0.07 0.101s"),
    (SearchInfo(nodes=5), "0.101s n=5"),
    (SearchInfo(), "0.101s"),
])
def test_comments(info: SearchInfo, comment: str) -> None:
    assert render_search(info, 101_000_000) == comment
    text = render_search(info, 1_234_000_000)
    assert parse_search(text) == (info, 1_234_000_000, "")
    assert parse_search(f"{text}; best a1a3") == (info, 1_234_000_000, "best a1a3")


def test_other_comments_are_no_searches() -> None:
    for text in ("", "good move", "+0.35", "0.5s or so", "1.000s later", "+0.35/6 0.101sn=5"):
        assert parse_search(text) == (SearchInfo(), 0, text), text


def test_a_short_game_to_the_letter(start: Position) -> None:
    """All tags are in tests/golden/games.pgn."""
    plies = (
        ply(0, 1, "a1a5", SearchInfo(score=Score(35), depth=6, nodes=12345)),
        ply(1, 1, "a6b5", SearchInfo(score=Score(mate=-3), depth=9, nodes=7)),
    )
    game = PlayedGame(start, plies, Outcome(Termination.TIME_LOSS, 0, "Black: 3.500 ms late"))
    text = render_game(record_of(game, ('the "A" \\ team', "B\n]")))
    assert text.endswith(
        '[PlyCount "2"]\n[TimeControl "?"]\n[Termination "time loss"]\n[TerminationDetails "Black: 3.500 ms late"]\n'
        '[WhiteTimeControl "st=0.1"]\n[BlackTimeControl "tc=1+0.01"]\n'
        "\n1. a1a5 {+0.35/6 0.101s n=12345} a6b5 {-M3/9 0.101s n=7} 1-0\n\n"
    )
    [game_read] = read(text)
    assert '[White "the \\"A\\" \\\\ team"]\n[Black "B ]"]\n' in text
    assert (game_read.tags["White"], game_read.tags["Black"]) == ('the "A" \\ team', "B ]")
    same = render_game(replace(record_of(game), controls=(TimeControl(base_ms=1000, increment_ms=10),) * 2))
    assert '[TimeControl "1+0.01"]\n[Termination "time loss"]\n' in same
    assert "WhiteTimeControl" not in same


def test_numbers_are_unambiguous_when_sides_do_not_alternate(start: Position) -> None:
    plies = (ply(1, 4, "S@a1"), ply(0, 5, "S@a2"), ply(0, 5, "S@a3"), ply(1, 5, "S@a4"), ply(1, 5, "S@b1"))
    text = render_game(record_of(PlayedGame(start, plies, Outcome(Termination.ADJUDICATION, None, "x"))))
    moves = text.split("\n\n")[1].replace("\n", " ").replace(" {0.101s}", "")
    assert moves == "4... S@a1 5. S@a2 5. S@a3 S@a4 5... S@b1 1/2-1/2"


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_are_read_back_and_verified(variant: str) -> None:
    """Also if they begin in the middle of a double turn, and in the notation of the pages."""
    played = [random_game(Position.start(find_variant(variant)), seed) for seed in range(4)]
    if variant == "bell":
        middle = Position.from_fen(find_variant("bell"), "8/8/8/8/8/8/SSs5[14S1D15s1d] b 0 1")
        played.append(random_game(middle, 1, most_plies=3))
    text = "".join(map(render_game, map(record_of, played)))
    assert max(map(len, text.splitlines())) < 80
    for one, game in zip(played, read(text), strict=True):
        assert game.tags["Variant"] == variant
        assert texts_of(game) == [ply.text for ply in one.plies]
        assert {move.comment for move in game.moves} == {"0.101s"}
        assert (game.result, game.tags["FEN"]) == (one.outcome.result, one.start.fen())
        replay = verify_game(game, VARIANTS)
        assert [position.side for position in replay.positions][: len(one.plies)] == [ply.side for ply in one.plies]
        notes = [render_notation(replay, number) for number in range(len(replay.moves))]
        assert texts_of(read(f"{' '.join(notes)} *")[0]) == texts_of(game)


def test_moves_in_the_notation_for_people_are_checked() -> None:
    """With or without signs, move numbers and judgements; a wrong capture is an error, in a variation, too."""
    tags = '[Variant "latrunculi-xxi"]\n[FEN "9d/10/10/1Ss7/10/10/10/3S1D1s2 w 0 1"]\n[Result "*"]\n'
    for text in ("d1-d5xc5", "d1-d5", "d1-d5xc5*", "d1-d5xc5(+)!?", "25.d1-d5xc5(+)?", "25. d1-d5xc5+", "d1d5+"):
        [game_read] = read(f"{tags}\n{text} (1. Df1-f3 h1-h2) (d1-d5) Dj8-j7(+) (Dj8-i8) *")
        assert texts_of(game_read) == ["d1d5", "j8j7"]
        assert [len(move.variations) for move in game_read.moves] == [2, 1]
        assert verify_game(game_read, VARIANTS).position.piece_at("c5") == ""
    for text, wrong in (("d1-d5xc6 *", "d1-d5xc6"), ("d1-d5 (d1-d4xc4 h1-h2) *", "d1-d4xc4"), ("Dd1-d5 *", "Dd1-d5")):
        [game_read] = read(f"{tags}\n{text}")
        message = f"^game 1, line 5: move '{wrong}': wrong (captures|piece); expected 'd1-d"
        with pytest.raises(DisagreementError, match=message):
            verify_game(game_read, VARIANTS)


def test_a_move_that_is_changed_is_not_what_was_written() -> None:
    [game_read] = read("d1-d5 *")
    game_read.moves[0].text = "c1c4"
    assert str(game_read.moves[0].move_in(Position.start("latrones"))) == "c1c4"


def test_a_brace_does_not_end_a_comment() -> None:
    [game] = read(render_pgn({"Event": "test"}, [PgnMove("a1a2", comment="one } two {three", movenumber=1)], "1-0"))
    assert [(move.text, move.comment) for move in game.moves] == [("a1a2", "one two {three")]
    assert game.result == "1-0"


def test_foreign_layout() -> None:
    [game] = read(
        '\ufeff[White "A"] [Black "B"]\n'
        "% a line to skip\n"
        "; another one\n"
        "{before { [%eval +0.16]\n"
        "the first} 1.a1a2 $1 {one\n"
        "  two}{three} a6a5 ; the rest of the line\n"
        "2. b1b2 2...b6b5 3 c1c2\n"
        "*"
    )
    assert game.tags == {"White": "A", "Black": "B"}
    assert texts_of(game) == ["a1a2", "a6a5", "b1b2", "b6b5", "c1c2"]
    assert game.moves[0].comment == "one two three"
    assert game.moves[2].line == 7


def test_variations_are_alternatives_to_the_move_before_them() -> None:
    [game] = read("1. a1a3 a6a4 (1... b6b4 2. b1b3 (2. c1c3 c6c4) 2... c6c4) (1... c6c4) 2. b1b3 *")
    assert shape(game.moves) == ["a1a3", "a6a4", ["b6b4", "b1b3", ["c1c3", "c6c4"], "c6c4"], ["c6c4"], "b1b3"]
    # Comments belong to the move before them on their level.
    [game] = read("1. a1a3 {one} ({none} 1. b1b3 {two} (1. c1c3 {three}) {four}) {five} a6a4 $2 {six} ; rest\n"
                  " {seven} *")
    first, second = game.moves
    other = first.variations[0][0]
    assert [first.comment, second.comment, other.comment, other.variations[0][0].comment] == [
        "one five", "six seven", "two four", "three"]
    assert (second.glyphs, second.sign) == (["$2"], "?")


@pytest.mark.parametrize(("text", "move", "sign"), [
    ("a1a3??", "a1a3", "??"), ("a1a3 $6", "a1a3", "?!"), ("a1a3!", "a1a3", "!"), ("a1a3 $18", "a1a3", ""),
    ("a1a3 $18 $5", "a1a3", "!?"), ("a1a3???", "a1a3???", ""),
])
def test_signs(text: str, move: str, sign: str) -> None:
    [found] = read(f"1. {text} *")[0].moves
    assert (found.text, found.sign) == (move, sign)


def test_variations_are_written_as_they_are_read() -> None:
    text = "1. a1a3 {x} a6a4 (1... b6b4 2. b1b3 (2. c1c3 f6f4 $2 {deep}) 2... d6d4) 2. b1b3\n*"
    [found] = read(f'[Variant "latrones"]\n[FEN "{Position.start("latrones", "6x6").fen()}"]\n[Result "*"]\n{text}')
    assert shape(found.moves) == ["a1a3", "a6a4", ["b6b4", "b1b3", ["c1c3", "f6f4"], "d6d4"], "b1b3"]
    verify_game(found, VARIANTS)
    assert render_movetext(found.moves, "*") == text


# ---------------------------------------------------------------- files


def rounds(path: Path, match_id: str) -> list[str]:
    return [game.tags["Round"] for game in read_file(path) if game.tags.get("MatchId") == match_id]


def test_games_are_appended_once_beside_those_of_other_matches(tmp_path: Path) -> None:
    path = tmp_path / "out.pgn"
    path.write_text(OTHER, encoding="utf-8")
    for _ in range(2):
        file = PgnFile(path, "mine")
        assert file.others == 1
        for number in (1, 2, 2):
            file.append(played_record(number))
        file.append(record(3, None, Termination.INTERRUPTED))
    assert (rounds(path, "mine"), rounds(path, "other")) == (["1", "2"], ["1"])
    assert path.read_text(encoding="utf-8").startswith(OTHER)


def test_games_with_the_line_ends_of_other_systems_are_not_appended_again(tmp_path: Path) -> None:
    path = tmp_path / "out.pgn"
    whole = OTHER + "".join(render_game(played_record(number), "mine") for number in (1, 2))
    for cut in (None, -200, -2):
        path.write_bytes(whole.replace("\n", "\r\n").encode()[:cut])
        file = PgnFile(path, "mine")
        assert file.others == 1
        for number in (1, 2):
            file.append(played_record(number))
        assert (rounds(path, "mine"), rounds(path, "other")) == (["1", "2"], ["1"]), cut


@pytest.mark.parametrize("kept", [1, 30, 200, 320, 600, -2, -1])
def test_half_a_game_is_made_whole(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "out.pgn"
    whole = OTHER + "".join(render_game(played_record(number), "mine") for number in (1, 2))
    path.write_text(whole + render_game(played_record(3), "mine")[:kept], encoding="utf-8")
    file = PgnFile(path, "mine")
    for number in (1, 2, 3):
        file.append(played_record(number))
    assert (rounds(path, "mine"), rounds(path, "other")) == (["1", "2", "3"], ["1"])


@pytest.mark.long
@pytest.mark.parametrize(("path", "name"), EXAMPLE_GAMES)
def test_examples_are_played(path: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One short game of the real engine against itself."""
    pgn = tmp_path / "games.pgn"
    engine = f"cmd={join_command(OWN_ENGINE)}"
    words = ["--engine", engine, "name=A", "--engine", engine, "name=B", "--each", "depth=1",
             "--variant-path", str(path), "--variant", name, "--games", "1",
             "--openings", "random:2", "--max-plies", "40", "--pgn", str(pgn)]
    assert main(words) == 0
    first = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("game 1/1: A - B "))
    assert not any(word in first for word in ("crash", "illegal", "forfeit", "stall"))
    assert main(["verify", "--variant-path", str(path), str(pgn)]) == 0
    assert "0 disagreements" in capsys.readouterr().out
