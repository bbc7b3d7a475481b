"""Events as lines of UCI and CECP that the transcripts do not have."""

from dataclasses import replace

import pytest

from latrones_uci.engine.events import BenchBoard, BenchComparison, BenchLine, BenchTotal, EngineEvent, Note, Refusal
from latrones_uci.engine.types import CurrentMove
from latrones_uci.game import Position, find_variant
from latrones_uci.protocols.uci.render import render_event
from latrones_uci.protocols.xboard.render import render_highlight, render_status, render_thinking
from latrones_uci.text.protocol import Dialect, Score, SearchInfo

INFO = SearchInfo(7, 12, 2, Score(40, None, "lower"), 50_000, 31, ("d1d5", "e8e4"), 250)
FIRST = BenchTotal("python", 3, (BenchBoard("bell 8x7", 900, 70),), 900, 80)
SECOND = BenchTotal("native", 7, (BenchBoard("bell 8x7", 12_345_678, 1234),), 12_345_678, 99)


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (INFO, [
            "info depth 7 seldepth 12 multipv 2 score cp 40 lowerbound nodes 50000 nps 200000 hashfull 31 time 250"
            " pv d1d5 e8e4"
        ]),
        (replace(INFO, score=Score(None, -2, "upper"), time_ms=0, wdl=(210, 690, 100)), [
            "info depth 7 seldepth 12 multipv 2 score mate -2 upperbound wdl 210 690 100 nodes 50000 nps 50000000"
            " hashfull 31 time 0 pv d1d5 e8e4"
        ]),
        (CurrentMove(9, "d1d5", 4), ["info depth 9 currmove d1d5 currmovenumber 4"]),
        (Note("two\nlines"), ["info string two lines"]),
        (Refusal("fen", "bad\r\n'x'"), ["info string error fen: bad 'x'"]),
        (BenchLine(2, 5, "latrones 8x8", "8/8 w 0 1", "d1d5", 900, 1500),
         ["2/5 latrones 8x8: 8/8 w 0 1: d1d5, 900 nodes, 1.5 ms, 600000 nodes/s"]),
        (FIRST, ["Median nodes/second, bell 8x7: 70", "Kernel: python, depth 3", "Nodes searched: 900",
                 "Nodes/second: 80"]),
        (BenchComparison(FIRST, SECOND),
         ["                              python nodes  python nodes/s    native nodes  native nodes/s   ratio",
          "bell 8x7                               900              70        12345678            1234    17.6",
          "Kernel: python, depth 3", "Nodes searched: 900", "Nodes/second: 80",
          "Kernel: native, depth 7", "Nodes searched: 12345678", "Nodes/second: 99"]),
    ],
)
def test_events(event: EngineEvent, lines: list[str]) -> None:
    assert render_event(event, Dialect.UCI) == lines


@pytest.mark.parametrize(
    ("score", "shown"),
    [(Score(-31, None), "-31 25 50000 d1d5 e8e4"), (Score(0, None, "lower"), "0 25 50000 d1d5 e8e4 !"),
     (Score(5, None, "upper"), "5 25 50000 d1d5 e8e4 ?"), (Score(None, 3), "100003 25 50000 d1d5 e8e4"),
     (Score(None, -2), "-100002 25 50000 d1d5 e8e4")],
)
def test_thinking(score: Score, shown: str) -> None:
    assert render_thinking(replace(INFO, score=score)) == f"7 {shown}"


def test_status() -> None:
    assert render_status(None, None, 30) == "stat01: 0 0 0 30 30"
    assert render_status(INFO, None, 30) == "stat01: 25 50000 7 0 30"
    assert render_status(INFO, CurrentMove(8, "a1a2", 12), 30) == "stat01: 25 50000 8 18 30 a1a2"


def test_highlights_have_rows_of_any_width() -> None:
    geometry = Position.start(find_variant("latrones"), (12, 8)).geometry
    assert render_highlight(geometry, {0: "Y", 11: "R", 84: "C"}) == "highlight C11/12/12/12/12/12/12/Y10R"
