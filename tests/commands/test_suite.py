"""``latrones-uci suite``: read test positions and test an engine; the solutions in the documentation are proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.client.suite import SuitePosition, is_solution, parse_suite
from latrones_uci.commands.main import main
from latrones_uci.game import builtin_variants
from latrones_uci.protocol import Score, SearchInfo
from search_help.prover import shortest_win, winning_moves

SUITE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "forced-wins.suite"
POSITIONS = parse_suite(SUITE.read_text(encoding="utf-8").splitlines(), str(SUITE), builtin_variants())
POSITIONS_TO_PROVE = [
    pytest.param(position, id=position.name, marks=pytest.mark.long if (position.mate_turns or 0) > 2 else ())
    for position in POSITIONS
]
FEN = "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"  # White wins by c6c8
OPEN = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"


def test_the_suite_covers_every_variant() -> None:
    assert len(POSITIONS) >= 20
    assert {position.game.position.ruleset.name for position in POSITIONS} == set(builtin_variants())
    assert len({position.name for position in POSITIONS}) == len(POSITIONS)


@pytest.mark.parametrize("position", POSITIONS_TO_PROVE)
def test_the_suite_is_proven(position: SuitePosition) -> None:
    here, turns = position.game.position, position.mate_turns
    assert turns is not None
    assert shortest_win(here, turns) == turns
    assert winning_moves(here, turns) == set(map(here.move_text, position.best_moves))


@pytest.mark.parametrize("backend", ["native", pytest.param("python", marks=pytest.mark.slow)], indirect=True)
def test_our_engine_solves_it(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = {"native": "200000", "python": "20000"}[backend]  # the native search is the more selective one
    assert main(["suite", str(SUITE), "--nodes", nodes, "--option", f"Backend={backend}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(POSITIONS) + 2
    assert lines[0].startswith(f"1/{len(POSITIONS)} solved latrones 6x6, in 1, a: ")
    assert " from depth 1, " in lines[0]
    assert f": {len(POSITIONS)} of {len(POSITIONS)} solved, " in lines[-1]


def suite_file(folder: Path, *lines: str) -> str:
    path = folder / "own.suite"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_unsolved_positions_are_reported_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = suite_file(
        tmp_path,
        "# a comment, and a blank line",
        "",
        f'{FEN}; id "wrong; on # purpose" ; bm e1e2   # another one',
        f"{FEN}; dm 1",
        f"{OPEN}; dm 2; id far; bm a1a2",
    )
    assert main(["suite", path, "--depth", "2"]) == 1
    first, second, third, _, total = capsys.readouterr().out.splitlines()
    assert first.startswith("1/3 NOT SOLVED wrong; on # purpose: c6c8 +M1/")
    assert first.endswith(", expected e1e2")
    assert second.startswith("2/3 solved line 4: c6c8, from depth 1, ")
    assert third.endswith(", expected a1a2 with a win in 2")
    assert ": 1 of 3 solved" in total


def test_solutions_of_a_position() -> None:
    both, win, best = parse_suite(
        [f"{FEN}; bm c6c8; dm 2", f"{FEN}; dm 2", f"{FEN}; bm c6c8 e1e2"], "x", builtin_variants()
    )
    assert is_solution(both, "c6c8", SearchInfo(score=Score(mate=1)))
    assert not is_solution(both, "e1e2", SearchInfo(score=Score(mate=1)))
    assert not is_solution(both, "c6c8", SearchInfo(score=Score(900)))
    assert not is_solution(win, "e1e2", SearchInfo(score=Score(mate=-1)))
    assert not is_solution(win, "e1e2", SearchInfo(score=Score(mate=3)))
    assert is_solution(best, "e1e2", SearchInfo())
    assert not is_solution(best, "hello", SearchInfo())
