"""Self-play: what its records say is true, and depends on the task alone."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

import cases
from latrones_uci.client.errors import OperationError
from latrones_uci.engine.nets.python import men_of
from latrones_uci.engine.tables import Tables
from latrones_uci.engine.types import TABLE_PROVEN
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.studies.train import self_play
from latrones_uci.studies.train.pool import PoolContext
from latrones_uci.studies.train.positions import RecordLayout, Scored
from latrones_uci.studies.train.self_play import SelfPlaySettings, SelfPlayTask, StoppedError, play_task
from tables_help import make

pytestmark = pytest.mark.usefixtures("native_core")
GAMES = [variant for variant in cases.VARIANTS if variant != "rota"]
QUICK = SelfPlaySettings(nodes=60, most_plies=40)


def task_of(variant: str, seed: str = "1", games: int = 2, **changes: int) -> SelfPlayTask:
    ruleset = find_variant(variant)
    files, ranks = ruleset.default_size
    return SelfPlayTask(ruleset, files, ranks, seed, games, replace(QUICK, **changes))


def player_of(task: SelfPlayTask) -> self_play._Player:
    return self_play._Player(task, Position.start(task.ruleset, (task.files, task.ranks)), lambda: False)


def games_of(task: SelfPlayTask) -> list[list[Scored]]:
    """Return the positions of each game of a task."""
    player = player_of(task)
    return [list(player.play(random.Random(number))) for number in range(task.games)]


@pytest.mark.parametrize("variant", GAMES)
def test_every_game_can_be_played(variant: str) -> None:
    task = task_of(variant, games=3, most_centi=2000)
    data, size = play_task(task), RecordLayout.of(task.ruleset, task.files, task.ranks).size
    assert len(data) % size == 0
    assert len(data) // size > 10


def test_a_task_can_be_stopped() -> None:
    with pytest.raises(StoppedError):
        play_task(task_of("latrones"), lambda: True)


@pytest.mark.long
@pytest.mark.parametrize("variant", ["latrones", "latrunculi-xxi", "schaedler", "bell"])
def test_lines_end_like_games(variant: str) -> None:
    """The quick form of a game agrees with ``Game`` on every ending."""
    start, ends, rng = Position.start(variant), set(), random.Random(4)
    for _ in range(12):
        game, line = Game(start), self_play._Line(start)
        for _ in range(400):
            outcome, result = game.outcome(), line.result()
            if outcome is not None:
                mover = game.position.side
                assert result == (0 if outcome.winner is None else 1 if outcome.winner == mover else -1)
                ends.add(outcome.termination)
                break
            assert result is None
            assert sorted(line.moves) == sorted(game.position.packed_moves)
            # Going back and forth repeats positions.
            back = [move for move in line.moves if game.moves[-2:-1] and move >> 8 == game.moves[-2].squares[0]]
            move = rng.choice(back if back and rng.randrange(3) else line.moves)
            line.play(move)
            game.push(game.position.named_move(move))
    assert ends


def test_positions_are_quiet_open_and_scored_by_full_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the side with all nodes scores positions; captures and proven results are left out."""
    searched: list[tuple[object, int, int, int | None]] = []
    original = self_play._Player._search

    def spy(player: self_play._Player, line: self_play._Line, nodes: int) -> tuple[int, int | None]:
        move, score = original(player, line, nodes)
        searched.append((line.board, nodes, move, score))
        return move, score

    monkeypatch.setattr(self_play._Player, "_search", spy)
    rules = Position.start("latrones").rules
    found = list(chain(*games_of(task_of("latrones", nodes=100, unequal=100, most_plies=120, games=3))))
    assert len(found) > 30
    by_board = {board: (nodes, move, score) for board, nodes, move, score in searched}
    for scored in found:
        nodes, move, score = by_board[scored.board]
        assert (nodes, score) == (100, scored.score)
        assert abs(scored.score) < TABLE_PROVEN
        assert rules.play(scored.board, move)[6] > 0
    assert {nodes for _, nodes, _, _ in searched} == {100, 10}
    assert sum(scored.first for scored in found) == 3


def test_results_are_those_of_the_player_to_move() -> None:
    results = set()
    for game in games_of(task_of("petteia-xxi", nodes=300, games=6, most_plies=300)):
        by_side = {(scored.board[4], scored.result) for scored in game}
        whites = {result if side == 0 else -result for side, result in by_side}
        assert len(whites) == 1
        results |= whites
    assert len(results) > 1


def test_a_game_without_open_positions_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with tables that contain every position: no search runs in which the task could be stopped."""
    monkeypatch.setattr(self_play._Player, "_result", lambda player, line: 0)
    with pytest.raises(OperationError, match="latrones: none of 2000 openings of 4 to 12 random plies"):
        play_task(task_of("latrones"))


def test_tables_are_read_once_for_many_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Position.start("latrones", "5x5")
    make(start, 4, tmp_path)
    loaded = []
    load = self_play.load_tables
    monkeypatch.setattr(self_play, "load_tables", lambda core, tables: (loaded.append(tables), load(core, tables)))
    task = SelfPlayTask(start.ruleset, 5, 5, "1", 2, QUICK, tables=str(tmp_path))
    first = play_task(task)
    assert len(loaded) == 1
    play_task(replace(task, seed="2"))
    assert play_task(task) == first
    assert len(loaded) == 1
    play_task(replace(task, tables=""))
    assert play_task(task) == first
    assert len(loaded) == 2
    # The games end with them.
    tables, task = Tables(tmp_path, start), replace(task, games=8, settings=replace(QUICK, most_plies=200))
    without, with_tables = (
        sum(tables.value(scored.board) is not None for scored in chain(*games_of(replace(task, tables=folder))))
        for folder in ("", str(tmp_path))
    )
    assert without > 10
    assert not with_tables


PARENT = """
import sys
from latrones_uci.game import Position
from latrones_uci.studies.train.self_play import SelfPlayTask, local_processes, play_in_process
if __name__ == "__main__":
    task = SelfPlayTask(Position.start("latrones").ruleset, 8, 8, "1", 100_000)
    with local_processes(2) as executor:
        executor.submit(play_in_process, task)
        print(*executor._processes, flush=True)
        sys.stdin.read()
"""


@pytest.mark.process
@pytest.mark.long
@pytest.mark.linux  # it looks at /proc
def test_the_processes_end_with_a_killed_parent(tmp_path: Path, await_end: Callable[[int], None]) -> None:
    program = tmp_path / "parent.py"
    program.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        children = parent.stdout.readline().decode().split()
        assert children
        assert all(Path("/proc", child).exists() for child in children)
        parent.kill()
    for child in children:
        await_end(int(child))


def test_games_end_with_few_men() -> None:
    geometry = Position.start("latrones").geometry
    games = games_of(task_of("latrones", games=4, nodes=200, most_plies=200, least_men=16))
    assert {men_of(scored.board, geometry) for scored in chain(*games)} == {16, 17, 18}


@pytest.mark.parametrize("variant", GAMES)
def test_games_can_begin_with_few_men(variant: str) -> None:
    start = Position.start(variant)
    men = men_of(start.board, start.geometry)
    task = task_of(variant, endgames=100)
    player = player_of(task)
    for number in range(20):
        line = player._endgame(random.Random(number))
        assert line is not None
        position = line.position
        fewer, more = sorted(len(start.geometry.squares_of(squares)) for squares in position.board[:2])
        assert 1 <= fewer <= men // 4
        assert fewer <= more <= men // 2
        assert not position.hand
        assert position.outcome() is None
    assert all(men_of(game[0].board, start.geometry) <= 3 * men // 4 for game in games_of(task) if game)


def test_without_a_position_with_few_men_games_begin_with_an_opening() -> None:
    task = task_of("latrones", games=2, nodes=100, endgames=100, least_men=14)
    assert player_of(task)._endgame(random.Random(1)) is None
    assert games_of(task)[1]


@pytest.mark.process
def test_processes_are_not_interrupted_while_they_import() -> None:
    """Until they ignore Ctrl+C, it is blocked."""
    process = PoolContext().Process(target=signal.raise_signal, args=(signal.SIGINT,))
    process.start()
    process.join(60)
    assert process.exitcode == 0
