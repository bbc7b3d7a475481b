"""The puzzles of the package: each is whole, and the engine solves some of them again."""

from __future__ import annotations

from importlib import resources

import pytest

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.time_control import Limit, TimeControl
from latrones_uci.game import Position, builtin_variants, canonical_key
from latrones_uci.records.suite import THEMES, SuitePosition, parse_suite, solve

FILES = sorted(file.name for file in resources.files("latrones_uci").joinpath("puzzles").iterdir())


def shipped(name: str) -> list[SuitePosition]:
    file = resources.files("latrones_uci").joinpath("puzzles", name)
    return parse_suite(file.read_text(encoding="utf-8").splitlines(), name, builtin_variants())


@pytest.mark.parametrize("name", FILES)
def test_shipped_puzzles_are_whole(name: str) -> None:
    """Each has a name of its own, another position, known themes, and a line that wins if a win is asked for."""
    puzzles = shipped(name)
    assert 1 <= len(puzzles) <= 60
    assert len({puzzle.name for puzzle in puzzles}) == len(puzzles)
    assert len({canonical_key(puzzle.game.position) for puzzle in puzzles}) == len(puzzles)
    ratings = [puzzle.rating or 0 for puzzle in puzzles]
    assert ratings == sorted(ratings)
    for puzzle in puzzles:
        position = puzzle.game.position
        assert f"{position.ruleset.name}.suite" == name
        assert position.geometry.name == Position.start(position.ruleset).geometry.name
        assert set(puzzle.themes) <= set(THEMES)
        assert puzzle.themes
        assert len(puzzle.best_moves) == 1
        assert puzzle.line[0] == puzzle.best_moves[0]
        assert len(puzzle.line) > 1 or puzzle.mate_turns == 1
        outcome = puzzle.solution().outcome()
        assert (puzzle.mate_turns is not None) == (outcome is not None and outcome.winner == position.side)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_the_engine_solves_some_shipped_puzzles_again(name: str) -> None:
    with Engine(EngineSettings(OWN_ENGINE, TimeControl(), options=(("Hash", "2"),))) as engine:
        for puzzle in shipped(name)[::12]:
            assert solve(puzzle, engine, Limit(nodes=100_000)).solved, puzzle.name
