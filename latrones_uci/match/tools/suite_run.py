"""Test positions given to an engine."""

from dataclasses import dataclass

from latrones_uci.game import LatronesError
from latrones_uci.match.engines.controller import SearchAnswer
from latrones_uci.match.records.search_info import SearchInfo
from latrones_uci.match.tools.searcher import Searcher
from latrones_uci.match.tools.suite_text import SuitePosition


@dataclass(frozen=True)
class SuiteResult:
    """What came of a position.

    Attributes:
        position: the position.
        solved: whether the answer in the end is right.
        answer: the search.
        found: the engine's words when it had the solution, and from when on it kept it; None if it is not solved, or
            if the engine told of it only by its ``bestmove``.
    """

    position: SuitePosition
    solved: bool
    answer: SearchAnswer
    found: SearchInfo | None


def solve(position: SuitePosition, searcher: Searcher) -> SuiteResult:
    """Gives a position to an engine that has forgotten all others."""
    found: SearchInfo | None = None

    def watch(info: SearchInfo) -> None:
        nonlocal found
        if not info.pv or not is_solution(position, info.pv[0], info):
            found = None
        elif found is None:
            found = info

    searcher.new_game(position.game)
    answer = searcher.search(position.game, watch)
    solved = is_solution(position, answer.best.move, answer.info)
    return SuiteResult(position, solved, answer, found if solved else None)


def is_solution(position: SuitePosition, move: str, info: SearchInfo) -> bool:
    """Whether a move with what was told of it is what the position asks for."""
    if position.mate_turns is not None and not (info.mate is not None and 0 < info.mate <= position.mate_turns):
        return False
    try:
        return not position.best_moves or position.game.position.parse_move(move) in position.best_moves
    except LatronesError:
        return False
