"""Puzzles for the page: the files of the package, the verdict on a move, and the answer to a wrong one."""

import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from latrones_uci.client.engine import Engine
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.time_control import Limit
from latrones_uci.game import SIDE_NAMES, Game, LatronesError, Move, Position, Ruleset, builtin_variants
from latrones_uci.game.history import push_parsed
from latrones_uci.records.annotation import WINNING_CENTI
from latrones_uci.records.suite import SuitePosition, parse_suite
from latrones_uci.text.messages import counted
from latrones_uci.text.protocol import Score
from latrones_uci.web.board.config import GuiConfig
from latrones_uci.web.lib.notation import (
    Json,
    immobile,
    legal_move_data,
    ply_data,
    position_data,
    render_notation,
    surrounded,
)
from latrones_uci.web.lib.page_server import RefusedError

MAX_PUZZLES = 1000
"""Of a game."""
_SEARCH_S = 0.4  # for the answer to a wrong move
_COMPARED_S = 4.0  # at most, for the move of the line to the same depth
_EVEN_CENTI = 30
_AS_GOOD_CENTI = 30  # a move is right if the score that it leaves is worse by no more than this
_refuting = threading.Lock()  # one engine at a time


@lru_cache(maxsize=16)
def puzzles_of(variant: str) -> tuple[SuitePosition, ...]:
    """Return the puzzles of a built-in game that the package contains, easy ones first; empty if there are none."""
    ruleset = builtin_variants().get(variant)
    if ruleset is None or not has_puzzles(ruleset):
        return ()
    lines = _file_of(variant).read_text(encoding="utf-8").splitlines()
    return tuple(parse_suite(lines, f"{variant}.suite", builtin_variants()))


def list_puzzles(config: GuiConfig, variant: str) -> Json:
    """Return the games that have puzzles, and the puzzles of one of them: of ``variant``, or else of the first."""
    names = [name for name, ruleset in config.variants.items() if has_puzzles(ruleset)]
    if not names:
        raise RefusedError("no puzzles for the games of this server")
    name = variant if variant in names else names[0]
    return {
        "games": [{"name": each, "title": config.variants[each].title} for each in names], "variant": name,
        "puzzles": [{"id": puzzle.name, "themes": puzzle.themes, "rating": puzzle.rating, "turns": puzzle.mate_turns,
                     "side": puzzle.game.position.side} for puzzle in puzzles_of(name)],
    }


@lru_cache(maxsize=64)
def has_puzzles(ruleset: Ruleset) -> bool:
    return builtin_variants().get(ruleset.name) == ruleset and _file_of(ruleset.name).is_file()


def _file_of(variant: str) -> Traversable:
    return resources.files("latrones_uci").joinpath("puzzles", f"{variant}.suite")


def find_puzzle(variant: Any, number: Any) -> SuitePosition:
    found = puzzles_of(variant) if isinstance(variant, str) else ()
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(found):
        raise RefusedError(f"puzzle {number!r} of {variant!r}: expected 0..{len(found) - 1}"
                           if found else f"no puzzles of {variant!r}")
    return found[number]


def show_puzzle(puzzle: SuitePosition, moves: Sequence[str]) -> Json:
    """Return a puzzle after the first moves of its line, and the verdict on the last of them.

    The ``verdict`` is ``right``, ``solved``, or ``wrong`` for a move that is not the one of the line, and then only the
    last of ``steps`` is to be shown. After a right move, ``steps`` has the move and the replies.
    """
    game, before = _played(puzzle, moves)
    tried = len(game.moves)
    wrong = tuple(game.moves) != puzzle.line[:tried]
    side, verdict = puzzle.game.position.side, "wrong" if wrong else "right"
    while not wrong and len(game.moves) < len(puzzle.line) and game.position.side != side:
        push_parsed(game, puzzle.line[len(game.moves)])
    if not wrong and len(game.moves) == len(puzzle.line):
        verdict = "solved"
    return {**_board(game), "verdict": verdict, "steps": _steps(game, before),
            "legal": legal_move_data(game.position) if verdict == "right" else []}


def solve_puzzle(puzzle: SuitePosition, moves: Sequence[str]) -> Json:
    """Return the ``steps`` of a puzzle's line after the first ``moves`` of it."""
    game, _ = _played(puzzle, moves)
    return {"steps": _steps(puzzle.solution(), len(game.moves))}


def refute(puzzle: SuitePosition, moves: Sequence[str], config: GuiConfig) -> Json:
    """Return what an engine says of a last move that is not of the line: the reply as ``steps``, and ``words``.

    The puzzle is ``solved`` if the move wins as fast as the line, or without a forced win leaves about the same score.
    """
    game, before = _played(puzzle, moves)
    side = puzzle.game.position.side
    if (outcome := game.outcome()) is not None:
        won = outcome.winner == side
        return {"solved": won, "steps": [], "words": f"{outcome}."}
    solution = game.up_to(before)
    push_parsed(solution, puzzle.line[before])
    try:
        with _refuting, config.engine(0, lambda: False) as engine:
            score, reply, depth = _searched(game, side, engine, Limit(time=_SEARCH_S))
            equal = Limit(depth=depth, time=_COMPARED_S if depth else _SEARCH_S)
            best = None if puzzle.mate_turns is not None else _searched(solution, side, engine, equal)[0]
    except (EngineError, WaitInterruptedError) as error:
        raise RefusedError(f"no answer to this move: {error}") from error
    own = sum(each.side == side for each in game.positions[:-1])
    if puzzle.mate_turns is not None and score.mate is not None and 0 < score.mate <= puzzle.mate_turns - own:
        return {"solved": True, "steps": [], "words": f"That wins as fast, in {counted(score.mate, 'more turn')}."}
    if best is not None and _is_as_good(score, best):
        return {"solved": True, "steps": [], "words": f"As good as {render_notation(solution, before)}."}
    if reply is None or game.position.side == side:
        return {"solved": False, "steps": [], "words": _judged(score, side, puzzle)}
    game.push(reply)
    return {"solved": False, "steps": _steps(game, before + 1), "words": _judged(score, side, puzzle)}


def _searched(game: Game, side: int, engine: Engine, limit: Limit) -> tuple[Score, Move | None, int | None]:
    """Return the score for ``side``, the best move, and the depth, if it was searched and the engine tells it."""
    if (outcome := game.outcome()) is not None:
        return Score(mate=0, won=True) if outcome.winner == side else Score(cp=0), None, None
    position = Position.from_fen(game.position.ruleset, game.position.fen())  # a game of its own for the engine
    info = engine.analyse(Game(position), limit)
    reply = engine.legal_move(Game(position), info.pv[0]) if info.pv else None
    return (info.score if position.side == side else -info.score), reply, info.depth


def _is_as_good(score: Score, best: Score) -> bool:
    """Return whether a move leaves about the score that the move of the line leaves, or wins."""
    if score.mate is not None or best.mate is not None:
        return score.mate is not None and (score.won or score.mate > 0)
    return (score.cp or 0) >= (best.cp or 0) - _AS_GOOD_CENTI


def _played(puzzle: SuitePosition, moves: Sequence[str]) -> tuple[Game, int]:
    """Return the game after moves of which all but the last are those of the line, and their number without it."""
    game = puzzle.game.copy()
    for number, text in enumerate(moves):
        if tuple(game.moves) != puzzle.line[:number] or number == len(puzzle.line):
            raise RefusedError(f"move {text!r}: expected a move of the solution before it, and not its last")
        try:
            game.push(text)
        except LatronesError as error:
            raise RefusedError(str(error)) from error
    return game, max(len(moves) - 1, 0)


def _board(game: Game) -> Json:
    position = game.position
    return {"start": position_data(game.start), "files": position.geometry.files, "title": position.ruleset.title,
            "wheel": position.ruleset.board == "wheel", "surrounded": surrounded(position),
            "immobile": immobile(position)}


def _steps(game: Game, first: int) -> list[Json]:
    """Return the plies of a game from number ``first`` on: what the board draws, the mover and the notation."""
    return [{**ply_data(game.positions[ply], game.positions[ply + 1], game.moves[ply]),
             "mover": game.positions[ply].side, "note": render_notation(game, ply),
             "over": ply == len(game.moves) - 1 and game.outcome() is not None}
            for ply in range(first, len(game.moves))]


def _judged(score: Score, side: int, puzzle: SuitePosition) -> str:
    name, other = SIDE_NAMES[side], SIDE_NAMES[1 - side]
    if score.mate is not None:
        if score.mate > 0:
            return f"{name} still wins, but more slowly."
        return f"{other} wins in {counted(abs(score.mate), 'turn')}."
    centi = score.cp or 0
    if abs(centi) < _EVEN_CENTI:
        return "The game is even."
    leader = name if centi > 0 else other
    if abs(centi) >= WINNING_CENTI:
        leads = f"{leader} is winning"
    else:
        leads = f"{leader} is ahead by {abs(centi) / 100:.1f} soldiers"
    return f"{leads}, without a forced win." if puzzle.mate_turns is not None else f"{leads}."
