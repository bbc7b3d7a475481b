"""A small match with malicious strings from engines, for tests of the report.

``HOSTILE`` is such a string, and ``SHOWN`` is how the report shows it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.process import EngineFault
from latrones_uci.client.time_control import NS_PER_MS
from latrones_uci.game import Game, Outcome, Position, Termination, find_variant
from latrones_uci.match.standings import Standings
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.records.store import StoredEngine
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.match.collect import ReportedMatch
from match_records import CLOCK

HOSTILE = "</script></style><img src=x onerror=alert(1)>\"'&amp;\x1b[31m\x00\u202e\udc80\u2028]]>-->"
SHOWN = r"""</script></style><img src=x onerror=alert(1)>"'&amp;\x1b[31m\x00\u202e\x80\u2028]]>-->"""
NAMES = (f"one {HOSTILE}", f"two {HOSTILE}")
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


def report_record(number: int, game: Game, outcome: Outcome, **more: object) -> GameRecord:
    """Return a game of a report, with the first engine as White."""
    plies = tuple(
        PlyRecord(position.side, position.movenumber, move, round(12.5 * at * NS_PER_MS), None,
                  (60_000 - at) * NS_PER_MS, searched(position.side, 7 * at - 90, 1000 * at))
        for at, (position, move) in enumerate(zip(game.positions, game.moves, strict=False)))
    played = PlayedGame(game.start, plies, outcome)
    return GameRecord(Fixture(number, number // 2, number - 1, 0, number % 3, 0, 1), NAMES, (CLOCK, CLOCK), "",
                      replace(played, **more))  # type: ignore[arg-type]


def match_games() -> list[Game]:
    """Return a game on each of ``BOARDS``."""
    return [played(variant, size, 40, 3) for variant, size in BOARDS]


def hostile_match() -> ReportedMatch:
    """Return games on all ``BOARDS`` and some with faults; every string that can come from outside is ``HOSTILE``."""
    games = [report_record(number, game, Outcome(Termination.NO_MOVE, number % 2))
             for number, game in enumerate(match_games(), 1)]
    short = played("latrones", (8, 8), 5, 1)
    bad = report_record(
        6, short, Outcome(Termination.CRASH, 1, HOSTILE), violations=(f"White: {HOSTILE}: {HOSTILE}",),
        fault=EngineFault(None, (HOSTILE,)), offence=PlyRecord(0, 3, HOSTILE))
    bad = replace(bad, game=replace(bad.game, plies=(
        *bad.game.plies, PlyRecord(1, 3, HOSTILE, info=SearchInfo(score=Score(mate=-2))))))
    strange = report_record(7, short, Outcome(Termination.DECIDED, None, HOSTILE))
    return reported([*games, bad, strange], NAMES, ((HOSTILE, HOSTILE),))


def reported(records: Sequence[GameRecord], names: tuple[str, ...] = NAMES,
             settings: Sequence[tuple[str, str]] = ()) -> ReportedMatch:
    """Return what a report shows of games."""
    standings = Standings(names)
    for record in records:
        standings.add(record)
    engines = [StoredEngine(name, HOSTILE, HOSTILE, (HOSTILE,), HOSTILE, HOSTILE) for name in names]
    own = EngineSettings((HOSTILE,), CLOCK, options=((HOSTILE, HOSTILE),), environment=((HOSTILE, HOSTILE),))
    return ReportedMatch(HOSTILE, engines, [own] * len(names), records, standings, [HOSTILE], settings)
