"""A small match with malicious strings from engines, for tests of the report.

``HOSTILE`` is such a string, and ``SHOWN`` is how the report shows it.
"""

from __future__ import annotations

import random
from dataclasses import replace

from latrones_uci.client.time_control import NS_PER_MS
from latrones_uci.game import Game, Position, builtin_variants, find_variant
from latrones_uci.match.standings import Results
from latrones_uci.records.record import PlyRecord
from latrones_uci.stats import Interval, Sprt
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.match.data import (
    ReportData,
    ReportEngine,
    ReportGame,
    ReportSprt,
    ReportStanding,
)

HOSTILE = "</script></style><img src=x onerror=alert(1)>\"'&amp;\x1b[31m\x00\u202e\udc80\u2028]]>-->"
SHOWN = r"""</script></style><img src=x onerror=alert(1)>"'&amp;\x1b[31m\x00\u202e\x80\u2028]]>-->"""
BOARDS = (("latrones", (8, 8)), ("latrunculi-xxi", (10, 8)), ("schaedler", (8, 8)), ("bell", (8, 7)), ("rota", (3, 3)))


def played(variant: str, size: tuple[int, int], plies: int, seed: int) -> Game:
    """Return a game of random moves that prefers captures."""
    choice = random.Random(seed)
    game = Game(Position.start(find_variant(variant), size))
    while len(game.moves) < plies and (moves := game.legal_moves()):
        game.push(choice.choice([move for move in moves if game.position.captures(move)] or moves))
    return game


def searched(side: int, for_white: int, nodes: int) -> SearchInfo:
    return SearchInfo(5, score=Score(for_white * (1 - 2 * side)), nodes=nodes)


def report_game(number: int, game: Game, **fields: object) -> ReportGame:
    """Return the game as data of a report, with the first engine as White."""
    positions, geometry = game.positions, game.start.geometry
    plies = tuple(
        PlyRecord(position.side, position.movenumber, move, round(12.5 * at * NS_PER_MS), None,
                  (60_000 - at) * NS_PER_MS, searched(position.side, 7 * at - 90, 1000 * at))
        for at, (position, move) in enumerate(zip(positions, game.moves, strict=False)))
    made = ReportGame(number, game.start.ruleset.name, (geometry.files, geometry.ranks), game.start.fen(), 0, 1,
                      number % 2, "normal", "decided", plies, f"{number}", number % 3)
    return replace(made, **fields)  # type: ignore[arg-type]


def match_games() -> list[Game]:
    """Return a game on each of ``BOARDS``."""
    return [played(variant, size, 40, 3) for variant, size in BOARDS]


def hostile_match() -> ReportData:
    """Return games on all ``BOARDS`` and one with faults; every string that can come from outside is ``HOSTILE``."""
    games = [report_game(number, game) for number, game in enumerate(match_games(), 1)]
    bad = report_game(
        6, played("latrones", (8, 8), 5, 1), winner=1, termination=HOSTILE, details=HOSTILE, round=HOSTILE,
        fault=HOSTILE, culprit=0, violations=(HOSTILE,), stderr=HOSTILE)
    bad = replace(bad, plies=(*bad.plies, PlyRecord(1, 3, HOSTILE, info=SearchInfo(score=Score(mate=-2)))))
    unknown = report_game(7, played("latrones", (8, 8), 2, 1), variant=HOSTILE, counts=False, winner=None)
    names = (f"one {HOSTILE}", f"two {HOSTILE}")
    engines = tuple(ReportEngine(name, HOSTILE, HOSTILE, ((HOSTILE, HOSTILE),), HOSTILE, ((HOSTILE, HOSTILE),))
                    for name in names)
    return ReportData(
        HOSTILE, HOSTILE, engines, (*games, bad, unknown), builtin_variants(),
        (ReportStanding(1, Results(4, 0, 2), Interval(120.4, -30.0, float("inf")), ((HOSTILE, HOSTILE),)),
         ReportStanding(0, Results(2, 0, 4), Interval(float("-inf"), float("-inf"), 30.0))),
        ReportSprt(Sprt(0.0, 5.0), ((2, 0.5), (4, -0.25), (6, 1.5)), HOSTILE),
        ((HOSTILE, HOSTILE),), ((HOSTILE, HOSTILE),))
