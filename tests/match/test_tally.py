from latrones_uci.game import Position
from latrones_uci.match.clock import TimeControl
from latrones_uci.match.engine_output import SearchInfo
from latrones_uci.match.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.match.report import render_elo, render_progress, render_summary
from latrones_uci.match.settings import EngineSettings, MatchSettings
from latrones_uci.match.tally import MatchTally
from latrones_uci.match.termination import Termination

MS = 1_000_000
NAMES = ("A", "B")
MOVETIME = TimeControl(movetime_ms=100)
CLOCK = TimeControl(base_ms=1000, increment_ms=10)


def record(start: Position, number: int, winner: int | None, termination: Termination, *plies: PlyRecord,
           offence: PlyRecord | None = None, details: str = "decided") -> GameRecord:  # fmt: skip
    """Odd games have A as White."""
    first_is_white = number % 2 == 1
    names = NAMES if first_is_white else (NAMES[1], NAMES[0])
    controls = (MOVETIME, CLOCK) if first_is_white else (CLOCK, MOVETIME)
    game = PlayedGame(start, plies, winner, termination, details, offence)
    return GameRecord(number, names, controls, first_is_white, "2024.05.31", game)


def ply(side: int, elapsed_ms: int, allowed_ms: int, left_ms: int | None, depth: int | None) -> PlyRecord:
    left_ns = None if left_ms is None else left_ms * MS
    return PlyRecord(side, 1, "a1a2", elapsed_ms * MS, allowed_ms * MS, left_ns, SearchInfo(depth=depth, nodes=depth))


def tally_of(start: Position) -> MatchTally:
    tally = MatchTally(NAMES)
    tally.add(record(start, 1, 0, Termination.NORMAL, ply(0, 99, 100, None, 4), ply(1, 10, 1000, 990, 6)))
    tally.add(record(start, 2, 0, Termination.TIME_LOSS, ply(0, 400, 1000, 600, None),
                     offence=ply(1, 103, 100, None, 8), details="Black: 3.000 ms late"))  # fmt: skip
    tally.add(record(start, 3, None, Termination.NORMAL, details="repetition"))
    tally.add(record(start, 4, 1, Termination.CRASH, details="White: ended with status 3"))
    tally.add(record(start, 5, None, Termination.ADJUDICATION, details="no end after 9 plies"))
    tally.add(record(start, 6, None, Termination.INTERRUPTED, ply(1, 50, 100, None, 2)))
    return tally


def test_counts_are_the_first_engines(start: Position) -> None:
    tally = tally_of(start)
    assert (tally.wins, tally.draws, tally.losses, tally.unterminated) == (2, 2, 1, 1)
    assert (tally.games, tally.points) == (5, 3.0)
    assert tally.terminations == {
        "normal: decided": 1,
        "time loss of A": 1,
        "normal: repetition": 1,
        "crash of B": 1,
        "adjudication": 1,
    }


def test_plies_belong_to_engines_not_to_colours(start: Position) -> None:
    first, second = tally_of(start).engines
    assert (first.plies, first.depth_sum, first.depth_plies, first.node_sum) == (3, 14, 3, 14)
    assert (second.plies, second.depth_sum, second.depth_plies) == (2, 6, 1)
    assert (first.largest_overshoot_ns, first.smallest_clock_left_ns) == (3 * MS, None)
    assert (second.largest_overshoot_ns, second.smallest_clock_left_ns) == (-600 * MS, 600 * MS)


def test_summary(start: Position) -> None:
    engines = (EngineSettings(("a",), MOVETIME), EngineSettings(("b",), CLOCK))
    settings = MatchSettings(engines, start.ruleset, (6, 6))
    assert render_summary(tally_of(start), settings).splitlines() == [
        "A against B: latrones 6x6, 5 games",
        "Interrupted:    1 games under way do not count",
        "W-D-L:          2-2-1",
        "Score:          60.00% (95% interval 27.77% to 84.85%)",
        "Elo difference: +70.4 +/- 307.5 (95% interval -166.1 to +299.3)",
        "Terminations:",
        "      1 normal: decided",
        "      1 time loss of A",
        "      1 normal: repetition",
        "      1 crash of B",
        "      1 adjudication",
        "Engines:",
        "  A (st=0.1): 3 moves, depth 4.67, 5 nodes, 84.0 ms a move, largest overshoot 3.0 ms (margin 0 ms)",
        "  B (tc=1+0.01): 2 moves, depth 6.00, 6 nodes, 205.0 ms a move,"
        " never over its time (smallest clock left 600.0 ms)",
    ]


def test_summary_of_nothing(start: Position) -> None:
    engines = (EngineSettings(("a",), MOVETIME), EngineSettings(("b",), CLOCK))
    summary = render_summary(MatchTally(NAMES), MatchSettings(engines, start.ruleset, (6, 6)))
    assert "0 games" in summary
    assert "Elo" not in summary


def test_progress(start: Position) -> None:
    tally = MatchTally(NAMES)
    game = record(start, 2, 0, Termination.STALL, details="Black: no answer")
    tally.add(game)
    assert render_progress(game, tally, 10) == (
        "game 2/10: B - A 1-0 in 0 plies, stall (Black: no answer) | A 0-0-1, 0/1"
    )


def test_elo_text() -> None:
    assert render_elo(45, 18, 37) == "+27.9 +/- 62.5 (95% interval -33.8 to +89.3)"
    assert render_elo(3, 1, 0) == "+338.0 +/- unbounded (95% interval -37.4 to +652.9)"
    assert render_elo(100, 0, 0) == "+inf (all games won; 95% interval from +566.2)"
    assert render_elo(0, 0, 100) == "-inf (all games lost; 95% interval up to -566.2)"
