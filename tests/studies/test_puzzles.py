"""Mining puzzles: which positions of a game are puzzles, their lines, themes, ratings and files."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import main
from latrones_uci.game import Game, Position, builtin_variants
from latrones_uci.records.pgn_games import write_pgn
from latrones_uci.records.suite import SuitePosition, parse_suite, render_suite_position
from latrones_uci.studies import puzzles
from latrones_uci.studies.puzzles import (
    Miner,
    MiningSettings,
    Solver,
    chosen,
    fitted_rating,
    named,
    self_play,
    verified,
)
from latrones_uci.text.protocol import Score, SearchInfo

SETTINGS = MiningSettings(nodes=(500, 2000, 8000))
QUIET_WIN = "2s5/8/8/8/s3s1s1/1s6/1d2S3/D1S5 b 1 57"  # of docs/examples/forced-wins.suite: a4a2 wins in two turns


def own_engine() -> Engine:
    return Engine(EngineSettings(OWN_ENGINE, TimeControl(), options=(("Hash", "2"),)))


def quiet_game() -> Game:
    """Return a game that begins with a puzzle, in which the win is missed."""
    game = Game(Position.from_fen("latrones", QUIET_WIN))
    game.push("a4a3")
    return game


def test_a_forced_win_is_found_with_its_line_and_themes() -> None:
    with own_engine() as engine:
        miner = Miner(engine, SETTINGS)
        first, *others = miner.mine(quiet_game())
        assert not list(miner.mine(quiet_game()))  # known
    assert [str(move) for move in first.best_moves] == ["a4a2"]
    assert first.mate_turns == 2
    assert first.themes == ("win", "shut-in", "capture")
    end = first.solution()
    assert end.moves[0] == first.best_moves[0]
    assert (len(end.moves), str(end.outcome())) == (3, "Black wins (dux captured)")
    assert others == []
    assert miner.dropped["seen before"] == 1
    assert miner.looked_at >= 2


def test_placing_is_part_of_a_puzzle_where_it_wins() -> None:
    placed = Game(Position.from_fen("rota", "1s1/1Ss/S2[1S1s] w 0 3"))
    placed.push("S@a3")
    with own_engine() as engine:
        [puzzle] = Miner(engine, SETTINGS).mine(placed)
        assert not list(Miner(engine, SETTINGS).mine(Game("schaedler")))
    assert [str(move) for move in puzzle.best_moves] == ["S@c3"]
    assert (puzzle.mate_turns, puzzle.themes) == (1, ("win",))


def test_a_fortress_is_no_puzzle() -> None:
    """Black shuttles between e7 and f7, in reply to the same of White, and has no other move that does not lose."""
    fortress = Game(Position.from_fen("schaedler", "4S3/1S2s1s1/3S4/1s3S2/8/6s1/3s2S1/8[-] b 0 20"))
    fortress.push("g7g6")
    with own_engine() as engine:
        miner = Miner(engine, MiningSettings(nodes=(500, 2000, 8000), margin=150))
        assert not list(miner.mine(fortress))
    assert miner.dropped["goes to and fro"] == 1


def test_what_is_clearly_best() -> None:
    accepts = MiningSettings(margin=200, most_second=300, least_best=-150).accepts
    assert accepts(Score(150), Score(-50))
    assert not accepts(Score(150), Score(0))
    assert not accepts(Score(700), Score(400))  # won anyway
    assert not accepts(Score(-400), Score(-900))  # lost anyway
    assert accepts(Score(0), Score(mate=-3))
    assert accepts(Score(mate=3), Score(700))  # a win is asked for
    assert not accepts(Score(mate=3), Score(mate=5))


def puzzle_of(operations: str) -> SuitePosition:
    [found] = parse_suite([operations], "x", builtin_variants())
    return found


def test_puzzles_are_verified_by_new_searches() -> None:
    with own_engine() as engine:
        [win] = Miner(engine, SETTINGS).mine(quiet_game())
        assert verified(replace(win, themes=("defend",)), engine, 8000, 150) == win
        assert verified(replace(win, mate_turns=3), engine, 8000, 150) == "a4a2: no win in 3, but +M2"
        other = puzzle_of(f"{QUIET_WIN}; bm a4a3; line a4a3")
        assert verified(other, engine, 8000, 150) == "a4a3: a4a2 is better"


@pytest.mark.parametrize(("gaps", "kept"), [
    ((100, 50, 50), 5),
    ((100, 50, 49), 3),  # the line ends before the move that has an alternative
    ((100, 49, 50), "b1b2: c1c2 is worse by 49 only"),
    ((99, 50, 50), "a1a2: c1c2 is worse by 99 only"),
])
def test_a_line_ends_before_the_first_move_that_has_an_alternative(
    gaps: tuple[int, ...], kept: int | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = puzzle_of(f"{Position.start('latrones').fen()}; bm a1a2; theme win; line a1a2 a8a7 b1b2 b8b7 d1d2")
    moves = iter(zip(("a1a2", "b1b2", "d1d2"), gaps, strict=True))

    def searched(engine: object, position: Position, nodes: int) -> list[SearchInfo]:
        move, gap = next(moves)
        return [SearchInfo(score=score, pv=(text,)) for text, score in ((move, Score(0)), ("c1c2", Score(-gap)))]

    monkeypatch.setattr(puzzles, "_two_lines", searched)
    monkeypatch.setattr(puzzles, "_themes_of", lambda *arguments: ("defend",))
    with own_engine() as engine:
        found = verified(puzzle, engine, 1000, 100)
    assert (found if isinstance(found, str) else len(found.line)) == kept


def lines(best: Score, second: Score) -> list[SearchInfo]:
    return [SearchInfo(score=score, pv=(text,)) for score, text in ((best, "a1a2"), (second, "b1b2"))]


@pytest.mark.parametrize(("best", "second", "turns", "problem"), [
    (Score(0), Score(-100), None, ""),
    (Score(0), Score(-99), None, "b1b2 is worse by 99 only"),
    (Score(0), Score(mate=-2), None, ""),
    (Score(mate=2), Score(mate=3), 2, ""),
    (Score(mate=2), Score(mate=2), 2, "b1b2 wins as fast"),
    (Score(400), Score(0), 2, "no win in 2, but +4.00"),
])
def test_what_holds_at_a_move_of_the_solver(best: Score, second: Score, turns: int | None, problem: str) -> None:
    assert puzzles._problem(lines(best, second), "a1a2", turns, 100) == problem
    assert puzzles._problem(lines(best, second), "c1c2", turns, 100) == "a1a2 is better"


@pytest.mark.parametrize(("best", "second", "themes"), [
    (Score(0), Score(mate=-2), ("escape",)),
    (Score(0), Score(-200), ("defend",)),  # two soldiers are lost, not the game
    (Score(-110), Score(-350), ("defend",)),
    (Score(74), Score(-290), ("defend",)),
    (Score(75), Score(-290), ()),
    (Score(200), Score(0), ()),
])
def test_only_a_lost_game_is_a_loss_that_is_averted(best: Score, second: Score, themes: tuple[str, ...]) -> None:
    start = Position.start("latrones")
    solution = Game(start)
    solution.push("a1a2")
    assert puzzles._themes_of(start, None, solution, lines(best, second), 150) == themes


def test_self_play_is_reproducible() -> None:
    start = Position.start("latrones", (6, 6))
    with own_engine() as engine:
        one, two, other = ([game.moves for game in islice(self_play(engine, start, seed, SETTINGS), 2)]
                           for seed in (1, 1, 2))
    assert one == two != other


@pytest.mark.long
def test_ratings() -> None:
    ratings = (100, 500, 900, 1300)
    solved = [fitted_rating(ratings, 3, count) for count in range(13)]
    assert solved == sorted(solved, reverse=True)
    assert solved[6] == pytest.approx(700, abs=2)
    assert solved[12] >= 100
    assert solved[0] <= 1700
    easy, hard = ("ds3s1s/5s2/S7/2s1sS2/8/3S4/1S2D3/8 w 18 32; bm a6a7; dm 1; line a6a7",
                  "2s5/8/8/8/s3s1s1/1s6/1d2S3/D1S5 b 1 57; bm a4a2; dm 2; line a4a2 a1b1 e4b4")
    with own_engine() as engine:
        solver = Solver.of(engine, Position.start("latrones"))
        assert solver is not None
        assert solver.ratings == tuple(sorted(solver.ratings))
        first, second = map(solver.rated, parse_suite([easy, hard], "x", builtin_variants()))
        assert first.rating is not None
        assert second.rating is not None
        assert solver.ratings[0] <= first.rating < second.rating
        assert Solver.of(engine, Position.start("latrones", (6, 6))) is None  # nothing was measured there


def test_the_choice_is_from_easy_to_hard_with_few_of_one_move() -> None:
    puzzles = [rated(rating, moves) for rating in range(1000, 100, -10) for moves in (1, 3)]
    found = named(chosen(puzzles, 30))
    assert len(found) == 30
    ratings = [puzzle.rating or 0 for puzzle in found]
    assert ratings == sorted(ratings)
    assert ratings[0] < 300
    assert ratings[-1] > 900
    assert sum(len(puzzle.line) == 1 for puzzle in found) <= 5
    assert [puzzle.name for puzzle in found[:2]] == ["latrones 8x8 1", "latrones 8x8 2"]


def rated(rating: int, moves: int) -> SuitePosition:
    game = Game(Position.from_fen("latrones", QUIET_WIN))
    line = game.copy()
    for text in ("a4a2", "a1b1", "a2a1")[:moves]:
        line.push(text)
    return SuitePosition("", game, tuple(line.moves[:1]), None, ("win",), rating, tuple(line.moves))


def test_puzzles_are_written_and_read_as_they_are() -> None:
    [puzzle] = named([rated(700, 3)])
    text = render_suite_position(puzzle)
    assert text == (f'{QUIET_WIN}; bm a4a2; id "latrones 8x8 1"; variant latrones; theme win; rating 700;'
                    " line a4a2 a1b1 a2a1")
    [read] = parse_suite([text], "x", builtin_variants())
    assert read == puzzle


@pytest.mark.parametrize(("operations", "message"), [
    ("theme win chess", "theme 'win chess': expected one or more of win, shut-in, capture, double-capture, save-dux,"
                        " escape, defend"),
    ("theme", "theme '': expected one or more of"),
    ("rating x", "rating 'x': expected a rating, 1..9999"),
    ("rating 0", "rating '0': expected a rating, 1..9999"),
    ("line", "line '': expected moves of which the last is the solver's"),
    ("line a4a2 a1b1", "line 'a4a2 a1b1': expected moves of which the last is the solver's"),
    ("line a4a3", "line 'a4a3': begins with 'a4a3'; expected a move of bm"),
    ("line a4a2 a1a9", "line 'a4a2 a1a9': move 'a1a9': a9 is not on the 8x8 board"),
])
def test_errors_quote_the_input(operations: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_suite([f"{QUIET_WIN}; bm a4a2; {operations}"], "x", builtin_variants())
    assert str(caught.value).startswith(f"x, line 1: {message}")


@pytest.mark.long
def test_the_command_reads_games_and_writes_a_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, output = tmp_path / "games.pgn", tmp_path / "found.suite"
    with games.open("w", encoding="utf-8") as file:
        write_pgn(file, [Game("rota")])
        file.write('[Variant "latrones"]\n\n1. d1d9 *\n\n')
        write_pgn(file, [quiet_game()])
    nodes = ["--nodes", "500,2000,8000"]
    arguments = [str(games), "--variant", "latrones:8x8", *nodes, "--output", str(output)]
    assert main(["puzzles", *arguments]) == 0
    errors = capsys.readouterr().err
    assert "1 game, 1 position, 1 puzzle found, 1 written; dropped: none" in errors
    assert f"{games}: game 2, line 8: move 'd1d9': d9 is not on the 8x8 board; left out\n" in errors
    assert main(["suite", str(output), "--nodes", "20000"]) == 0
    assert "1 of 1 solved" in capsys.readouterr().out
    assert main(["puzzles", str(games), "--variant", "bell", *nodes]) == 1  # no game of bell
    assert "0 games, 0 positions, 0 puzzles found, 0 written; dropped: none" in capsys.readouterr().err
