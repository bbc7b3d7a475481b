"""Choose a move by endgame tables: at the root, the tables take precedence over a search."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from latrones_uci.engine.tables import Tables, TableValue
from latrones_uci.engine.tables.directory import plies_to_end, value_after
from latrones_uci.engine.types import (
    MAX_TABLE_PLIES,
    TABLE_PROVEN,
    TABLE_WIN,
    WIN,
    CurrentMove,
    Reporter,
    SearchResult,
    Task,
    to_score,
)
from latrones_uci.game import Game, PackedMove, Position
from latrones_uci.game.history import REPETITION_COUNT
from latrones_uci.text.protocol import SearchInfo

MAX_LINE = 60
"""Maximum number of moves in a reported line."""


class _Ranked(NamedTuple):
    """A root move, its value for the player who makes it, and how often the position after it has occurred."""

    move: PackedMove
    value: TableValue
    occurrences: int


class RootChoice(NamedTuple):
    """The moves of a position according to the tables."""

    answer: SearchResult | None
    """The result, if the tables choose the move themselves."""
    task: Task
    """Otherwise, the task of a search among the moves that keep the value."""
    report: Reporter
    """Receives the progress of that search and reports the value in the tables instead of its scores."""


def choose_at_root(game: Game, task: Task, report: Reporter) -> RootChoice | None:
    """Choose among the moves of a position with the tables of ``task``; None if a move is in no table.

    In a won position the quickest move to the next capture (or the end) is played at once, in a lost one the slowest.
    If the position is drawn, or only the no-capture limit decides it, a search without tables chooses among the moves
    that keep the value. A move that repeats a position for the third time has the value of that ending.
    """
    tables = task.tables
    if tables is None or tables.value(game.position.board) is None:
        return None
    ranked = _ranked(game, task, tables)
    if ranked is None:
        return None
    best = ranked[0].value
    if best.outcome and not best.by_limit:
        return RootChoice(_answer(game, task, tables, ranked, report), task, report)
    kept = [each for each in ranked if each.value.outcome == best.outcome]
    if best.outcome > 0:  # a repetition would give the win away
        kept = [each for each in kept if each.occurrences == min(other.occurrences for other in kept)]
    moves = tuple(move for move in task.root_moves if any(each.move == move for each in kept))
    return RootChoice(None, replace(task, root_moves=moves, tables=None), _with_value(best, len(ranked), report))


def _ranked(game: Game, task: Task, tables: Tables) -> list[_Ranked] | None:
    """Return the root moves, best first; None if one of them is in no table."""
    position = game.position
    ranked = []
    for move in task.root_moves:
        occurrences = game.count(position.after(move))
        value = value_after(tables, position.rules, position.board, move)
        if value is None:
            return None
        decided = position.rules.decided(position.rules.play(position.board, move))
        if occurrences >= REPETITION_COUNT - 1 and not decided:
            value = TableValue(-1, 1) if position.ruleset.repetition == "loss" else TableValue(0, 0)
        ranked.append(_Ranked(move, value, occurrences))
    return sorted(ranked, key=lambda each: _key(position, tables, each))


def _key(position: Position, tables: Tables, ranked: _Ranked) -> tuple[int, ...]:
    """Return the sort key of a root move: short wins, draws, long losses; break ties by the value of the next stage."""
    value = ranked.value
    after = tables.value(position.rules.play(position.board, ranked.move)) if value.plies == 1 else None
    next_stage = 0 if after is None else after.plies * value.outcome
    return (-value.outcome, value.plies * value.outcome, next_stage)


def _answer(game: Game, task: Task, tables: Tables, ranked: list[_Ranked], report: Reporter) -> SearchResult:
    position = game.position
    first: tuple[PackedMove, ...] = ()
    for rank, each in enumerate(ranked[: task.multipv], start=1):
        ahead = game.copy()
        ahead.push(position.named_move(each.move))
        line = (each.move, *best_line(ahead, tables, MAX_LINE - 1))
        first = first or line
        pv = map(position.named_move, line)
        wins_now = position.rules.decided(position.rules.play(position.board, each.move)) < 0
        rest = plies_to_end(tables, position.rules, position.board, each.value)
        score = WIN - 1 if wins_now else _internal(each.value, rest)
        depth = max(1, len(line))
        report(SearchInfo(depth, depth, rank, to_score(score), len(ranked), 0, tuple(pv), wdl=_chances(each.value),
                          tbhits=len(ranked)))
    return SearchResult(first[0], first[1] if len(first) > 1 else None, len(ranked))


def best_line(game: Game, tables: Tables, most: int) -> tuple[PackedMove, ...]:
    """Play the best moves of both sides from a won or lost position, to the end of the game or ``most`` moves."""
    line: list[PackedMove] = []
    while len(line) < most and game.outcome() is None and (best := best_move(game.position, tables)) is not None:
        line.append(best)
        game.push(game.position.named_move(best))
    return tuple(line)


def best_move(position: Position, tables: Tables) -> PackedMove | None:
    """Return the best move of a won or lost position by the tables, None if they do not decide it."""
    value = tables.probe(position)
    if value is None or not value.outcome or value.by_limit:
        return None
    moves = []
    for move in position.packed_moves:
        after = value_after(tables, position.rules, position.board, move)
        if after is None:
            return None
        moves.append(_Ranked(move, after, 0))
    return min(moves, key=lambda each: _key(position, tables, each)).move


def _internal(value: TableValue, rest: int | None) -> int:
    """Return the internal score of a value; ``rest`` are the plies to the end of the game, None if unknown."""
    if rest is not None and rest <= MAX_TABLE_PLIES:
        return value.outcome * (WIN - rest)
    return value.outcome * max(TABLE_WIN - value.plies, TABLE_PROVEN)


def _chances(value: TableValue) -> tuple[int, int, int]:
    return int(value.outcome > 0) * 1000, int(not value.outcome) * 1000, int(value.outcome < 0) * 1000


def _with_value(value: TableValue, hits: int, report: Reporter) -> Callable[[SearchInfo | CurrentMove], None]:
    """Return a function that reports the value of the tables instead of the scores of a search."""
    score = to_score(_internal(value, None))

    def send(item: SearchInfo | CurrentMove) -> None:
        if isinstance(item, SearchInfo):
            item = replace(item, score=score, wdl=_chances(value), tbhits=hits)
        report(item)

    return send
