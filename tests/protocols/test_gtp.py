"""GTP: moves as sequences of points, searches in the order of commands, and clocks."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.game import Position, all_variants, find_variant
from latrones_uci.protocols.gtp.game import PointGame, parse_point, point_name
from latrones_uci.protocols.gtp.session import COMMANDS
from latrones_uci.protocols.serve import is_gtp
from protocols.client import Client, matches
from protocols.test_contract import table

MAX_MOVES = 60


@pytest.mark.long
@pytest.mark.parametrize("name", all_variants())
def test_every_move_is_a_sequence_of_points(name: str) -> None:
    """Each move of a random game is made by its points, of which each is legal, and taken back."""
    chance = random.Random(name)
    game = PointGame(Position.start(find_variant(name, all_variants())))
    while (moves := game.game.legal_moves()) and len(game.game.moves) < MAX_MOVES:
        assert len(game.sequences()) == len(moves)
        before, captured = game.position, game.captured
        for move in chance.sample(moves, min(4, len(moves))):
            points, side = game.rest_of(move), before.side
            for point in points:
                assert point in game.legal_points()
                assert parse_point(before.geometry, point_name(before.geometry, point)) == point
                game.play(side, point)
            assert game.position == before.play(move)
            game.undo(len(points))
            assert (game.position, game.chosen, game.captured) == (before, (), captured)
        for point in game.rest_of(chance.choice(moves)):
            game.play(before.side, point)


@pytest.mark.parametrize(
    ("line", "expected"),
    [("protocol_version", True), ("7 list_commands", True), ("name # of the engine", True), ("uci", False),
     ("name x", False), ("setoption name Hash value 1", False)],
)
def test_the_first_line_selects_the_dialect(line: str, expected: bool) -> None:
    assert is_gtp(line) == expected


def test_protocol_page_names_every_command() -> None:
    listed = [re.findall(r"`([^` ]+)[^`]*`", row.split(" | ")[0]) for row in table("gtp commands")]
    assert sorted(word for row in listed for word in row) == sorted(COMMANDS)


def ask(engine: Client, *lines: str) -> list[str]:
    """Send commands, and return their responses, without the empty line that ends each."""
    engine.send(*lines)
    answers = []
    for _ in lines:
        answers.append([])
        while line := engine.read_line():
            answers[-1].append(line)
    return ["\n".join(answer) for answer in answers]


@pytest.mark.long
def test_a_move_is_searched_once_and_given_point_by_point(engine: Client) -> None:
    ask(engine, "name")
    first, rest, fen = ask(engine, "genmove w", "genmove w", "latrones-fen")
    assert matches("= <text>", first)
    assert fen.split()[2] == "b"
    undone, *_ = ask(engine, "gg-undo 2", f"play w {first[2:]}")
    assert undone == "="
    other = next(point for point in ask(engine, "gogui-rules_legal_moves")[0].split()[1:] if point != rest[2:])
    assert ask(engine, f"play w {other}", "gogui-rules_side_to_move") == ["=", "= black"]


def test_the_end_of_input_lets_the_commands_that_wait_run(engine: Client) -> None:
    engine.send("name", "time_settings 0 1 50", "genmove w", "genmove w", "gogui-rules_side_to_move")
    assert engine.finish()[-2:] == ["= black", ""]


def test_the_end_of_input_stops_the_last_search(engine: Client) -> None:
    engine.send("name", "time_settings 36000 0 0", "genmove w")
    assert matches("= <text>", engine.finish()[-2])


@pytest.mark.long
def test_analyses_are_at_full_strength_and_change_nothing(engine: Client) -> None:
    ask(engine, "name", "latrones-param Skill_Level 0", "latrones-fen 3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1")
    score, lines, values = ask(engine, "latrones-score", "latrones-lines", "latrones-values")
    assert matches("= White +M1, win 100%, draw 0%, loss 0%, depth <int>, <int> nodes", score)
    assert lines.splitlines()[:3] == ["= VAR w C8", "SQUARE C6", "TEXT 1. +M1  C6-C8"]
    colours = dict(zip("ABCDEFGH", values[2:].splitlines()[2].split(), strict=True))
    assert {name for name, colour in colours.items() if colour == "#60b060"} == {"C"}
    params = ask(engine, "latrones-param")[0]
    assert "[string] Skill_Level 0" in params


@pytest.mark.parametrize(
    ("arguments", "fen"),
    [(("--gtp", "--variant", "bell", "--level", "3"), "8/8/8/8/8/8/8[16S1D16s1d] w 0 1"),
     (("--gtp", "--board", "12x8"), "ssssssssssss/5d6/12/12/12/12/6D5/SSSSSSSSSSSS w 0 1"),
     (("--gtp", "--variant", "ludii-seega-7x6"), "7/7/7/7/7/7[20S20s] w 0 1"),
     (("--gtp", "--variant-path", "my.toml", "--variant", "mine"), "ssss/1d2/2D1/SSSS w 0 1")],
)
@pytest.mark.process
def test_the_command_line_chooses_the_game(
    arguments: tuple[str, ...], fen: str, start_engine: Callable[..., Client], tmp_path: Path
) -> None:
    (tmp_path / "my.toml").write_text(
        '[mine]\nparent = "latrones"\ntitle = "Mine"\nsource = "We."\ndefault_size = "4x4"\n', encoding="utf-8"
    )
    assert ask(start_engine(*arguments), "latrones-fen") == [f"= {fen}"]
