"""What XBoard is offered and shown: games, positions, the leftovers of captures; and the pages that list them."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from folders import EXAMPLES
from latrones_uci.game import Move, Position, VariantError, builtin_variants, find_variant, load_variants
from latrones_uci.game.fen import FenFields, render_fen
from latrones_uci.protocols.xboard.arguments import parse_xboard_move
from latrones_uci.protocols.xboard.game import (
    Leftover,
    fen_of_xboard,
    find_offered,
    offered,
    plan_removal,
    render_setup,
    requested_removal,
    shown_men,
    xboard_fen,
)
from latrones_uci.protocols.xboard.render import render_xboard_move
from latrones_uci.protocols.xboard.session import COMMANDS
from protocols.test_contract import XBOARD, table
from protocols.xboard_model import XBoard

GAMES = {name: game for name, game in offered(builtin_variants()).items() if game[0].setup == "ranks"}


def crowded(start: Position, chance: random.Random) -> Position:
    """Return a random position of the same game and size, with many captures."""
    files, ranks = start.geometry.files, start.geometry.ranks
    while True:
        men = [chance.choice("Ss") if chance.random() < 0.55 else "" for _ in range(files * ranks)]
        if start.ruleset.dux != "none":
            for square, dux in zip(chance.sample(range(files * ranks), 2), "Dd", strict=True):
                men[square] = dux
        fields = FenFields(files, ranks, tuple(men), None, chance.randrange(2), 0, 1)
        position = Position.from_fen(start.ruleset, render_fen(fields))
        if position.legal_moves():
            return position


def greedy_move(position: Position, chance: random.Random) -> Move:
    """Return a random move, or half the time the one of several that captures most."""
    moves = position.legal_moves()
    some = chance.sample(moves, min(len(moves), 12))
    return max(some, key=lambda move: len(position.captures(move))) if chance.random() < 0.5 else some[0]


def play(start: Position, chance: random.Random, plies: int) -> Counter[int]:
    """Play on XBoard's board and relay the moves to another engine; return the number of moves by pieces captured."""
    board, sizes = XBoard(render_setup(start)[0]), Counter[int]()
    position, leftovers, known_by_other = start, tuple[Leftover, ...](), tuple[Leftover, ...]()
    for _ in range(plies):
        if not position.legal_moves():
            break
        move = greedy_move(position, chance)
        removal = plan_removal(position, move, leftovers)
        name = position.geometry.square_name
        text = render_xboard_move(move, [name(square) for square in removal.kills])
        told = parse_xboard_move(board.engine_moves(text))
        assert told.text == move
        kills = [position.geometry.parse_square(square) for square in told.kills]
        known_by_other = requested_removal(position, move, known_by_other, kills).leftovers
        sizes[len(position.captures(move))] += 1
        position, leftovers = position.play(move), removal.leftovers
        assert sorted(known_by_other) == sorted(leftovers)
        assert board.board() == shown_men(position, leftovers)
        assert {leftover.square for leftover in leftovers}.isdisjoint(
            square for square in range(position.geometry.squares) if position.piece_at(square)
        )
    return sizes


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_random_games(name: str) -> None:
    chance = random.Random(name)
    ruleset, size = GAMES[name]
    start = Position.start(ruleset, size)
    sizes = play(start, chance, 120)
    for _ in range(25):
        sizes += play(crowded(start, chance), chance, 40)
    assert sizes[0] > 100
    assert sizes[2] > 3
    if ruleset.name == "latrones":
        assert sum(count for size, count in sizes.items() if size >= 3) >= 5


LINE = "s2d4/8/8/3S{}/8/8/s3D3/{} w 0 1"  # a line of captured soldiers on the fifth rank, closed by a move up


@pytest.mark.parametrize(
    ("fen", "move", "before", "kills", "leftovers"),
    [
        (LINE.format("4", "7S"), "h1h5", [], [], []),
        (LINE.format("s3", "5S2"), "f1f5", [], ["e5"], []),
        (LINE.format("ss2", "6S1"), "g1g5", [], ["e5", "f5"], []),
        (LINE.format("sss1", "7S"), "h1h5", [], ["e5", "f5"], ["g5"]),
        ("4d1S1/3SS3/5s2/5s2/5S2/8/2S1D3/2s5 w 0 1", "e7f7", [], ["f5", "f6"], []),
        ("3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1", "c6c8", [], ["d8"], []),
        # A captured dux is removed first; the soldiers captured with it stay, because the game is over.
        ("sssdS3/SSS5/8/8/8/8/4D3/3S4 w 0 1", "d1d7", [], ["d8", "a8"], ["b8", "c8"]),
        # A leftover of the mover's own side is the first of two removals.
        (LINE.format("s3", "5S2"), "f1f5", ["a1"], ["a1", "e5"], []),
        (LINE.format("ss2", "6S1"), "g1g5", ["a1"], ["a1", "e5"], ["f5"]),
        (LINE.format("4", "6S1"), "g1g5", ["a1", "b1"], ["a1"], ["b1"]),
        # A leftover disappears when a piece lands on it.
        (LINE.format("4", "6S1"), "g1g5", ["g5"], [], []),
    ],
)
def test_what_a_move_removes(
    fen: str, move: str, before: list[str], kills: list[str], leftovers: list[str]
) -> None:
    position = Position.from_fen(find_variant("latrones"), fen)
    name, square = position.geometry.square_name, position.geometry.parse_square
    waiting = tuple(Leftover(square(each), "S") for each in before)
    removal = plan_removal(position, position.parse_move(move), waiting)
    assert [name(each) for each in removal.kills] == kills
    assert [name(leftover.square) for leftover in removal.leftovers] == leftovers


# ---------------------------------------------------------------- names and pages


def test_page_names_every_command_and_the_flag() -> None:
    listed = [re.findall(r"`([^` ]+)[^`]*`", row.split(" | ")[0]) for row in table("cecp commands", XBOARD)]
    assert sorted(word for row in listed for word in row) == sorted(COMMANDS)
    assert "latrones-uci --xboard" in XBOARD


def test_page_names_every_game() -> None:
    rows = {row.split("|")[1].strip().strip("`"): row for row in table("cecp games", XBOARD)}
    assert list(rows) == list(builtin_variants())
    names = offered(builtin_variants())
    for game, row in rows.items():
        shown = [f"`{name}`" for name, (ruleset, _) in names.items() if ruleset.name == game]
        assert row.split("|")[2].strip() == (", ".join(shown) or "-")


def test_games_from_a_file() -> None:
    names = {name for path in EXAMPLES.glob("*.toml") for name in offered(load_variants(str(path)))}
    assert names >= set(offered(builtin_variants()))
    assert not any("seega" in name for name in names)


def test_names_that_xboard_takes_for_chess() -> None:
    latrones = find_variant("latrones")
    names = ("great-losers", "Losers2", "super", "grand-8", "fairyland", "my-great", "superb", "wildest")
    games = {name: replace(latrones, name=name) for name in names}
    assert {ruleset.name for ruleset, _ in offered(games).values()} == {"fairyland", "my-great", "superb", "wildest"}
    with pytest.raises(VariantError, match="takes the name for chess"):
        find_offered(games, "great-losers")


@pytest.mark.parametrize(("game", "fen"), [("rota", "s2/3/2S[2S2s] w 0 2"), ("rota", "s1S/sS1/S1s[-] w 0 1"),
                                           ("latrones", "ssss/4/1D2/SSSS b 7 31")])
def test_fens_round_trip(game: str, fen: str) -> None:
    assert fen_of_xboard(xboard_fen(Position.from_fen(find_variant(game), fen))) == fen
