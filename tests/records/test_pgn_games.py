"""Games of every variant written as PGN, read back and verified; the shipped examples played by the match runner."""

from __future__ import annotations

import random
import shlex
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Game, Outcome, Position, Termination, builtin_variants, find_variant, parse_variants
from latrones_uci.match.pgn_read import PgnGame, read_games
from latrones_uci.match.pgn_verify import DisagreementError, verify_game
from latrones_uci.match.pgn_write import render_game
from latrones_uci.match.plan import Fixture
from latrones_uci.match.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.protocol import SearchInfo
from latrones_uci.web.notation import render_notation

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
DEPTH = TimeControl(depth=1)
MAX_PLIES = 90
EXAMPLE_GAMES = [
    pytest.param(path, name, id=name)
    for path in sorted(EXAMPLES.glob("*.toml"))
    for name in parse_variants(path.read_text(encoding="utf-8"), builtin_variants())
]


def random_game(start: Position, seed: int, most_plies: int = MAX_PLIES) -> PlayedGame:
    """A game of random moves, those of many squares (chains) and kills preferred; adjudicated where it gets long."""
    chooser, game, plies = random.Random(seed), Game(start), []
    while len(plies) < most_plies and (moves := game.legal_moves()):
        position = game.position
        texts = [position.move_text(move) for move in moves]
        rare = [text for text in texts if text[0] == "x" or sum(map(str.isalpha, text)) > 2]
        text = chooser.choice(rare or texts)
        plies.append(PlyRecord(position.side, position.movenumber, text, 1_000_000, None, None, SearchInfo()))
        game.play(position.parse_move(text))
    outcome = game.outcome() or Outcome(Termination.ADJUDICATION, None, "long enough")
    return PlayedGame(start, tuple(plies), outcome)


def written(game: PlayedGame) -> str:
    first = Fixture(1, 0, 0, 0, 0, 0, 1)
    return render_game(GameRecord(first, ("A", "B"), (DEPTH, DEPTH), "2024-05-31T12:00:00Z", game))


def read_one(text: str) -> PgnGame:
    (game,) = read_games(text.splitlines(keepends=True))
    return game


@pytest.mark.parametrize("variant", builtin_variants())
@pytest.mark.parametrize("seed", range(4))
def test_a_game_is_read_back_and_verified(variant: str, seed: int) -> None:
    played = random_game(Position.start(find_variant(variant)), seed)
    recorded = read_one(written(played))
    assert recorded.tags["Variant"] == variant
    assert [move.text for move in recorded.moves] == [ply.text for ply in played.plies]
    assert recorded.result == played.outcome.result
    game = verify_game(recorded, builtin_variants())
    assert [ply.side for ply in played.plies] == [position.side for position in replayed(played)]
    assert len(game.moves) == len(played.plies)


@pytest.mark.parametrize("variant", builtin_variants())
def test_moves_as_the_pages_show_them_are_read(variant: str) -> None:
    game = Game(Position.start(find_variant(variant)))
    for ply in random_game(game.start, 1).plies:
        game.play(ply.text)
    texts = [position.move_text(move) for position, move in zip(game.positions, game.moves, strict=False)]
    notes = [render_notation(game, ply) for ply in range(len(game.moves))]
    read, = read_games([f"{' '.join(notes)} *"])
    assert [move.text for move in read.moves] == texts


def test_a_game_without_a_fen_begins_from_the_usual_start() -> None:
    game = read_one('[Variant "latrones"]\n[Result "*"]\n\n1. a1-a3 *')
    assert verify_game(game, builtin_variants()).start == Position.start("latrones")


def test_a_chess_game_is_recognised() -> None:
    game = read_one('[Event "Chess"]\n[Result "*"]\n\n1. e4 e5 *')
    with pytest.raises(DisagreementError, match=r"'e4'.*; the game has no tag Variant .* is it chess"):
        verify_game(game, builtin_variants(), Position.start("latrones"))


def replayed(played: PlayedGame) -> list[Position]:
    """The positions before each ply."""
    position, found = played.start, []
    for ply in played.plies:
        found.append(position)
        position = position.play(position.parse_move(ply.text))
    return found


def test_all_kinds_of_moves_have_been_among_them() -> None:
    texts = [ply.text for variant in ("schaedler", "bell") for seed in range(4)
             for ply in random_game(Position.start(find_variant(variant)), seed).plies]  # fmt: skip
    for begin in ("S@", "D@", "x"):
        assert any(text.startswith(begin) for text in texts)
    assert any("@" not in text and sum(map(str.isalpha, text)) > 2 for text in texts)


def test_double_turns_are_numbered_and_can_be_verified() -> None:
    played = random_game(Position.start(find_variant("bell")), 1, most_plies=7)
    text = written(played)
    one, two, three, four, five, six, seven = (ply.text for ply in played.plies)
    moves = text.split("\n\n")[1].replace("\n", " ").replace(" {0.001s}", "")
    assert moves == (
        f"1. {one} 1. {two} {three} 1... {four} 2. {five} 2. {six} {seven} 1/2-1/2"
    )
    assert [ply.side for ply in played.plies] == [0, 0, 1, 1, 0, 0, 1]
    verify_game(read_one(text), builtin_variants())


def test_a_game_from_the_middle_of_a_double_turn() -> None:
    start = Position.from_fen(find_variant("bell"), "8/8/8/8/8/8/SSs5[14S1D15s1d] b 0 1")
    text = written(random_game(start, 1, most_plies=3))
    assert "\n1... S@" in text
    verify_game(read_one(text), builtin_variants())


def test_a_double_turn_left_out_is_found() -> None:
    """Without one of its plies the game cannot be replayed up to its duces."""
    played = random_game(Position.start(find_variant("bell")), 1, most_plies=40)
    recorded = read_one(written(played))
    del recorded.moves[1]
    recorded.tags["PlyCount"] = str(len(recorded.moves))
    with pytest.raises(DisagreementError, match=r"move '.+' is not legal"):
        verify_game(recorded, builtin_variants())


@pytest.mark.parametrize(("path", "name"), EXAMPLE_GAMES)
def test_examples_are_played(path: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One short game of the real engine against itself."""
    pgn = tmp_path / "games.pgn"
    engine = f"cmd={shlex.join(OWN_ENGINE)}"
    words = ["--engine", engine, "name=A", "--engine", engine, "name=B", "--each", "depth=1",
             "--variant-path", str(path), "--variant", name, "--games", "1",
             "--openings", "random:2", "--max-plies", "40", "--pgn", str(pgn)]  # fmt: skip
    assert main(words) == 0
    first = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("game 1/1: A - B "))
    assert not any(word in first for word in ("crash", "illegal", "forfeit", "stall"))
    assert main(["verify", "--variant-path", str(path), str(pgn)]) == 0
    assert "0 disagreements" in capsys.readouterr().out
