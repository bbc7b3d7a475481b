"""Puzzles of the page, without a browser: the list, verdicts, solutions, and the answers to wrong moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from latrones_uci.client.engine_spec import parse_engine
from latrones_uci.commands.gui import gui_config
from latrones_uci.game import Position, builtin_variants
from latrones_uci.records.suite import SuitePosition
from latrones_uci.text.protocol import Score
from latrones_uci.web.board import puzzles
from latrones_uci.web.board.puzzles import find_puzzle, list_puzzles, puzzles_of, refute, show_puzzle, solve_puzzle
from latrones_uci.web.board.server import Server
from latrones_uci.web.lib.page_server import RefusedError
from page_requests import ask, do
from serving import fakes, serving

IN_TWO = "2s5/8/8/8/s3s1s1/1s6/1d2S3/D1S5 b 1 57; bm a4a2; dm 2; id \"two\"; theme win; line a4a2 a1b1 a2a1"
MATERIAL = "2s5/8/8/8/s3s1s1/1s6/1d2S3/D1S5 b 1 57; bm a4a2; id \"soldier\"; theme capture; line a4a2"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


def puzzle_of(line: str) -> SuitePosition:
    [found] = puzzles.parse_suite([line], "x", builtin_variants())
    return found


def test_every_core_game_has_puzzles_and_others_have_none() -> None:
    config = fakes()
    found = list_puzzles(config, "latrones")
    assert found["variant"] == "latrones"
    assert {game["name"] for game in found["games"]} == set(builtin_variants())
    assert len(found["puzzles"]) == len(puzzles_of("latrones"))
    assert {"id", "themes", "rating", "turns", "side"} == set(found["puzzles"][0])
    assert list_puzzles(config, "seega")["variant"] == "latrones"
    assert puzzles_of("../openings/latrones") == ()
    for variant, number in (("latrones", 60), ("latrones", True), ("latrones", None), ("seega", 0), (7, 0)):
        with pytest.raises(RefusedError, match=r"puzzle"):
            find_puzzle(variant, number)


def test_verdicts_on_the_moves_of_a_line() -> None:
    puzzle = puzzle_of(IN_TWO)
    shown = show_puzzle(puzzle, [])
    assert (shown["verdict"], shown["steps"]) == ("right", [])
    assert {move["text"] for move in shown["legal"]} == set(map(str, puzzle.game.legal_moves()))
    shown = show_puzzle(puzzle, ["a4a2"])
    assert shown["verdict"] == "right"
    assert [(step["text"], step["mover"], step["note"]) for step in shown["steps"]] == [
        ("a4a2", 1, "a4-a2+"), ("a1b1", 0, "Da1-b1+")]
    assert "a2a1" in [move["text"] for move in shown["legal"]]
    shown = show_puzzle(puzzle, ["a4a2", "a1b1", "a2a1"])
    assert (shown["verdict"], [step["text"] for step in shown["steps"]]) == ("solved", ["a2a1"])
    assert shown["steps"][-1]["over"]
    shown = show_puzzle(puzzle, ["a4a3"])
    assert (shown["verdict"], [step["text"] for step in shown["steps"]], shown["legal"]) == ("wrong", ["a4a3"], [])
    assert [step["text"] for step in solve_puzzle(puzzle, ["a4a2", "a1b1"])["steps"]] == ["a2a1"]
    for moves, message in ((["a4a9"], "a9 is not on the 8x8 board"), (["a1a2"], "'a1a2'"),
                           (["a4a3", "a1b1"], "expected a move of the solution before it")):
        with pytest.raises(RefusedError, match=message):
            show_puzzle(puzzle, moves)


@pytest.mark.long
def test_a_wrong_move_is_answered_by_the_engine(server: Server) -> None:
    config = server.registry.config
    answer = refute(puzzle_of(IN_TWO), ["c8c7"], config)
    assert not answer["solved"]
    [reply] = answer["steps"]
    assert reply["mover"] == 0
    assert any(word in answer["words"] for word in ("ahead by", "even", "wins"))
    assert refute(puzzle_of(IN_TWO), ["a4a2", "a1b1", "a2a1"], config) == {
        "solved": True, "steps": [], "words": "Black wins (dux captured)."}
    slow = puzzle_of(IN_TWO.replace("dm 2", "dm 9"))
    assert refute(slow, ["a4a2"], config)["words"] == "That wins as fast, in 1 more turn."
    assert refute(puzzle_of(MATERIAL), ["a4a2"], config) == {"solved": True, "steps": [], "words": "As good as a4-a2+."}
    missing = gui_config([parse_engine(("cmd=/no/such/engine", "st=1"), ())])
    with pytest.raises(RefusedError, match="no answer to this move: cannot start"):
        refute(puzzle_of(IN_TWO), ["c8c7"], missing)


@pytest.mark.long
def test_a_move_that_is_about_as_good_as_the_best_is_right(server: Server) -> None:
    puzzle = puzzle_of(f'{Position.start("latrones").fen()}; bm a1a2; id "quiet"; theme capture; line a1a2')
    answer = refute(puzzle, ["b1b2"], server.registry.config)
    assert answer == {"solved": True, "steps": [], "words": "As good as a1-a2."}
    with pytest.raises(RefusedError, match="and not its last"):
        refute(puzzle, ["a1a2", "a8a7"], server.registry.config)


@pytest.mark.parametrize(("score", "best", "good"), [
    (Score(110), Score(140), True),
    (Score(109), Score(140), False),
    (Score(250), Score(140), True),  # a short search may find more than the long one that made the puzzle
    (Score(mate=3), Score(140), True),
    (Score(mate=-3), Score(140), False),
    (Score(900), Score(mate=3), False),
    (Score(mate=0, won=True), Score(0), True),
    (Score(mate=0), Score(0), False),
])
def test_what_is_as_good(score: Score, best: Score, good: bool) -> None:
    assert puzzles._is_as_good(score, best) == good


def test_requests_of_the_page(server: Server) -> None:
    listed = ask(server, "GET", "puzzles.json?variant=bell")
    assert listed.status == 200
    assert listed.json["variant"] == "bell"
    assert ask(server, "GET", "puzzle.svg?variant=latrones&puzzle=0").body.startswith(b"<svg")
    assert ask(server, "GET", "puzzle.svg?variant=latrones&puzzle=x").status == 404
    puzzle = find_puzzle("latrones", 0)
    assert do(server, do="puzzle", variant="latrones", puzzle=0, moves=[]).json["verdict"] == "right"
    steps = do(server, do="solve", variant="latrones", puzzle=0, moves=[]).json["steps"]
    assert [step["text"] for step in steps] == [str(move) for move in puzzle.line]
    for moves in (None, "a1a2", [1], ["a1a2"] * 65):
        answer = do(server, do="puzzle", variant="latrones", puzzle=0, moves=moves).json
        assert answer["error"] == "moves: expected a list of moves"
    assert "expected 0.." in do(server, do="puzzle", variant="latrones", puzzle=999, moves=[]).json["error"]
