"""Levels: what a level sees, how it chooses, and how the options choose the level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import QuickKernel
from latrones_uci.engine.calibration import levels_of
from latrones_uci.engine.levels import ALL_LINES, MAX_LINES, MIN_LINES, LevelKernel, SearchQuality, value_of
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.engine.types import MAX_PLY, CurrentMove, Reporter, SearchResult, Task
from latrones_uci.game import Game, find_variant
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import BestMove, Score, SearchInfo

WIN_IN_ONE = "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"
LATRONES = find_variant("latrones")
START = Game("latrones")
MOVES = START.position.packed_moves
TEXTS = START.legal_moves()


class LinesKernel(QuickKernel):
    """Reports a line for each root move, with the scores given, best first."""

    scores = (Score(100), Score(80), Score(-500))

    def answer(self, task: Task, report: Reporter, should_stop: Callable[[], bool]) -> SearchResult:
        scores = dict(zip(MOVES, self.scores, strict=False))
        moves = [move for move in scores if move in task.root_moves]
        for rank, move in enumerate(moves[:task.multipv], start=1):
            report(SearchInfo(1, 1, rank, scores[move], 7, 0, self.line(move)))
        return SearchResult(task.root_moves[0], None, 9)


def play(
    strength: float, seed: int, *, game: Game | None = None, lines: int = 1, kernel: QuickKernel | None = None
) -> tuple[str, list[SearchInfo]]:
    """Return the move that a level chooses among three lines, and what it reports."""
    game = game or START
    task = Task(MOVES[:3], multipv=lines)
    infos: list[SearchInfo | CurrentMove] = []
    kernel = kernel or LinesKernel(1)
    result = LevelKernel(kernel, strength, seed).search(game, task, infos.append, lambda: False, lambda _: True)
    return game.position.named_move(result.move), [info for info in infos if isinstance(info, SearchInfo)]


# ---------------------------------------------------------------- the sight


def test_a_stronger_player_sees_more_and_errs_less() -> None:
    sights = [SearchQuality.of_strength(strength / 2) for strength in range(201)]
    assert all(one.temperature > other.temperature for one, other in pairwise(sights))
    assert all((one.nodes or 0) <= (other.nodes or 0) and one.depth <= other.depth for one, other in pairwise(sights))
    assert all(one.lines >= other.lines for one, other in pairwise(sights))
    assert SearchQuality.of_strength(50.1).lines == MAX_LINES
    nearest = SearchQuality.of_strength(50)
    assert SearchQuality.of_strength(50.1, 0.5) == SearchQuality.of_strength(54.9, 0.5) == nearest
    assert SearchQuality.of_strength(55.1, 0.5) == SearchQuality.of_strength(55.1)
    assert SearchQuality.of_strength(60, 1.0) == SearchQuality.of_strength(60)
    assert sights[0] == SearchQuality(1, None, ALL_LINES, 3000.0)
    assert sights[-1] == SearchQuality(MAX_PLY, 30_000, MIN_LINES, pytest.approx(2.0))


def test_limits_of_a_level_and_those_given_both_count() -> None:
    moves = MOVES
    low, high = SearchQuality.of_strength(10), SearchQuality.of_strength(100)
    assert low.task(Task(moves)) == Task(moves, depth=1, multipv=len(moves))
    assert low.task(Task(moves, depth=9, nodes=50)) == Task(moves, depth=1, nodes=50, multipv=len(moves))
    assert high.task(Task(moves, depth=3)).nodes == 30_000 + MIN_LINES * len(moves)
    assert high.task(Task(moves, depth=3)).depth == 3
    assert high.task(Task(moves, nodes=50, mate=2)) == Task(moves, nodes=50, mate=2, multipv=MIN_LINES)
    assert high.task(Task(moves, multipv=9)).multipv == 9
    assert high.task(Task(moves[:2])).multipv == 2


# ---------------------------------------------------------------- the choice


def test_values_keep_the_order_of_scores() -> None:
    scores = [Score(mate=1), Score(mate=2), Score(mate=99), Score(3000), Score(0), Score(-4000), Score(mate=-99),
              Score(mate=-1), Score(mate=0)]
    values = [value_of(score) for score in scores]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2]
    assert values[0] == -values[-2]


def test_choices_follow_a_softmax() -> None:
    """At a temperature of 20, a move that is 20 worse is chosen e times less often, and one 600 worse never."""
    first, second, _ = TEXTS[:3]
    found = Counter(play(50.01, seed)[0] for seed in range(600))
    assert found[second] / found[first] == pytest.approx(0.368, abs=0.08)
    assert set(found) == {first, second}
    found = Counter(play(0, seed)[0] for seed in range(300))
    assert len(found) == 3
    assert min(found.values()) > 70, "the weakest player moves at random"


def test_errors_depend_on_the_seed_and_the_game_alone() -> None:
    assert play(20, 1) == play(20, 1)
    assert len({play(20, seed)[0] for seed in range(20)}) > 1
    repeated = Game("latrones")
    for text in ("h1h2", "a8a7", "h2h1", "a7a8"):
        repeated.push(text)
    assert any(play(20, seed)[0] != play(20, seed, game=repeated)[0] for seed in range(20))


def test_the_move_that_is_played_is_reported_last() -> None:
    seed = next(seed for seed in range(100) if play(60, seed)[0] != play(100, seed)[0])
    move, infos = play(60, seed)
    assert [(info.multipv, info.pv[0], info.nodes) for info in infos] == [
        (1, TEXTS[0], 7), (1, move, 9)
    ]
    assert infos[1].score == Score(80)
    _, infos = play(60, seed, lines=2)
    assert [info.multipv for info in infos] == [1, 2, 1, 2]
    assert [info.pv[0] for info in infos[2:]] == [move, infos[0].pv[0]]
    assert [(info.multipv, info.nodes) for info in play(100, 1)[1]] == [(1, 7)]  # not again, if it is the best


def test_a_short_sight_searches_each_move_alone() -> None:
    """It takes the best move, shows as many lines as asked for, and stops between two moves."""
    kernel = LinesKernel(1)
    move, infos = play(50, 1, lines=2, kernel=kernel)
    assert [task.root_moves for task in kernel.tasks] == [(move,) for move in MOVES[:3]]
    assert all((task.depth, task.multipv) == (1, 1) for task in kernel.tasks)
    assert [(info.multipv, info.score, info.nodes) for info in infos] == [(1, Score(100), 27), (2, Score(80), 27)]
    assert move == infos[0].pv[0]


class Silent(QuickKernel):
    def answer(self, task: Task, report: Reporter, should_stop: Callable[[], bool]) -> SearchResult:
        return SearchResult(task.root_moves[0], None, 0)


class Stopped(LinesKernel):
    """Is stopped in the second iteration, after a new line of the first move."""

    def answer(self, task: Task, report: Reporter, should_stop: Callable[[], bool]) -> SearchResult:
        report(SearchInfo(1, 1, 2, Score(900), 3, 0, self.line(task.root_moves[0])))
        report(SearchInfo(2, 2, 1, Score(-900), 5, 0, self.line(task.root_moves[0])))
        report(SearchInfo(1, 1, 3, Score(0), 5, 0, self.line(task.root_moves[1])))
        return SearchResult(task.root_moves[0], None, 5)


def test_the_last_line_of_a_move_counts() -> None:
    assert play(50, 1, kernel=Silent(1)) == (TEXTS[0], [])
    assert play(60, 1, kernel=Stopped(1))[0] == TEXTS[1]


# ---------------------------------------------------------------- levels of a session


def test_a_win_in_one_is_taken_except_by_the_lowest_levels(session: Session, listener: Listener) -> None:
    session.set_position(WIN_IN_ONE, [])
    wins = {}
    for level in (0, 6, 8):
        session.set_option("Skill Level", str(level))
        moves = []
        for seed in range(1, 11):
            session.set_option("Skill Seed", str(seed))
            moves.append(listener.search(session)[0])
        wins[level] = moves.count("c6c8")
    assert wins[0] < 8
    assert wins[6] >= 9
    assert wins[8] == 10


def test_levels_and_full_strength_do_not_depend_on_each_other(session: Session, listener: Listener) -> None:
    def search(level: int, **limits: int) -> list[tuple[object, ...]]:
        session.set_option("Skill Level", str(level))
        session.new_game()
        move, infos = listener.search(session, **limits)
        return [(move, info.nodes, info.score, info.pv) for info in infos]

    session.set_option("Skill Seed", "3")
    level, full = search(14), search(20, depth=3)
    session.set_option("Threads", "2")
    session.set_option("Hash", "1")
    assert search(14) == level
    session.set_option("Threads", "1")
    assert search(20, depth=3) == full


def test_errors_differ_from_game_to_game_unless_seeded(session: Session, listener: Listener) -> None:
    session.set_option("Skill Level", "0")

    def moves() -> set[str | None]:
        found = set()
        for _ in range(6):
            session.new_game()
            found.add(listener.search(session)[0])
        return found

    assert len(moves()) > 1
    session.set_option("Skill Seed", "1")
    assert len(moves()) == 1


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> tuple[Session, list[QuickKernel]]:
    """A session and its kernels: that of full strength, and that of the levels when it is made."""
    kernels: list[QuickKernel] = []

    def make(hash_megabytes: int) -> QuickKernel:
        kernels.append(LinesKernel(hash_megabytes))
        return kernels[-1]

    fake_kernels.use(monkeypatch, make)
    return Session(listener), kernels


def test_rating_overrides_the_level(scripted: tuple[Session, list[QuickKernel]], listener: Listener) -> None:
    session, kernels = scripted
    ladder = levels_of(LATRONES)

    def sight(kernel: int = -1) -> Task:
        listener.search(session, depth=5)
        return kernels[kernel].tasks[-1]

    full = sight()
    assert (full.depth, full.multipv, len(kernels)) == (5, 1, 1)
    session.set_option("Skill Level", "19")
    high = sight()
    assert sight() == high
    assert [(len(kernel.tasks), kernel.cleared) for kernel in kernels] == [(1, 0), (2, 2)]  # each from an empty table
    assert high.nodes is not None
    assert high.multipv == SearchQuality.of_strength(ladder.strengths[19]).lines
    assert len(kernels) == 2
    session.set_option("UCI_Elo", str(round(ladder.ratings[0])))
    assert sight() == high  # without UCI_LimitStrength it has no effect
    session.set_option("UCI_LimitStrength", "true")
    assert sight().depth == 1
    session.set_option("UCI_Elo", str(round(ladder.ratings[19])))
    assert sight() == high
    session.set_option("Skill Level", "20")
    assert sight() == high
    session.set_option("UCI_LimitStrength", "false")
    assert sight(0) == full


def test_analysis_is_at_full_strength(scripted: tuple[Session, list[QuickKernel]], listener: Listener) -> None:
    """Only the move after ``stop`` is that of the level."""
    session, kernels = scripted
    session.set_option("Skill Level", "0")
    moves = set()
    for seed in range(1, 20):
        session.set_option("Skill Seed", str(seed))
        session.go(Limits(infinite=True), now_ns())
        listener.wait_for(SearchInfo)
        session.stop()
        session.wait()
        info, best = (event for event in listener.take() if isinstance(event, (SearchInfo, BestMove)))
        assert isinstance(info, SearchInfo)
        assert isinstance(best, BestMove)
        assert info.score == LinesKernel.scores[0]
        moves.add(best.move)
    assert len(moves) == 3
    assert (kernels[0].tasks[-1].depth, kernels[1].tasks[-1].depth) == (MAX_PLY, 1)
