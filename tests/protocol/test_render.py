from dataclasses import replace

import pytest

from latrones_uci.engine.events import (
    BenchBoard,
    BenchComparison,
    BenchLine,
    BenchTotal,
    Event,
    Note,
    PerftCount,
    Refusal,
)
from latrones_uci.engine.options import Option
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.protocol import BestMove, Dialect, Score, SearchInfo
from latrones_uci.protocols.uci.render import render_event, render_option, render_position, render_response
from latrones_uci.search.types import CurrentMove


def info(score: Score, time_ms: int = 250) -> SearchInfo:
    return SearchInfo(7, 12, 2, score, 50_000, 31, ("d1d5", "e8e4"), time_ms)


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (info(Score(-35, None)), [
            "info depth 7 seldepth 12 multipv 2 score cp -35 nodes 50000 nps 200000 hashfull 31 time 250 pv d1d5 e8e4"
        ]),
        (info(Score(None, 3), 0), [
            "info depth 7 seldepth 12 multipv 2 score mate 3 nodes 50000 nps 50000000 hashfull 31 time 0 pv d1d5 e8e4"
        ]),
        (info(Score(None, 0)), [
            "info depth 7 seldepth 12 multipv 2 score mate 0 nodes 50000 nps 200000 hashfull 31 time 250 pv d1d5 e8e4"
        ]),
        (info(Score(40, None, "lower")), [
            "info depth 7 seldepth 12 multipv 2 score cp 40 lowerbound nodes 50000 nps 200000 hashfull 31 time 250"
            " pv d1d5 e8e4"
        ]),
        (info(Score(None, -2, "upper")), [
            "info depth 7 seldepth 12 multipv 2 score mate -2 upperbound nodes 50000 nps 200000 hashfull 31 time 250"
            " pv d1d5 e8e4"
        ]),
        (replace(info(Score(40, None, "lower")), wdl=(210, 690, 100)), [
            "info depth 7 seldepth 12 multipv 2 score cp 40 lowerbound wdl 210 690 100 nodes 50000 nps 200000"
            " hashfull 31 time 250 pv d1d5 e8e4"
        ]),
        (CurrentMove(9, "d1d5", 4), ["info depth 9 currmove d1d5 currmovenumber 4"]),
        (BestMove("d1d5"), ["bestmove d1d5"]),
        (BestMove("d1d5", "e8e4"), ["bestmove d1d5 ponder e8e4"]),
        (BestMove(), ["bestmove 0000"]),
        (Note("two\nlines"), ["info string two lines"]),
        (Refusal("fen", "bad\r\n'x'"), ["info string error fen: bad 'x'"]),
        (PerftCount((("a1a2", 3), ("b1b2", 40)), 43), ["a1a2: 3", "b1b2: 40", "", "Nodes searched: 43"]),
        (PerftCount((), 0), ["", "Nodes searched: 0"]),
        (BenchLine(2, 5, "latrones 8x8", "8/8 w 0 1", "d1d5", 900, 1500),
         ["2/5 latrones 8x8: 8/8 w 0 1: d1d5, 900 nodes, 1.5 ms, 600000 nodes/s"]),
        (BenchTotal("python", 3, (BenchBoard("latrones 8x8", 900, 70),), 900, 80),
         ["Median nodes/second, latrones 8x8: 70", "Kernel: python, depth 3", "Nodes searched: 900",
          "Nodes/second: 80"]),
        (BenchComparison(BenchTotal("python", 3, (BenchBoard("bell 8x7", 900, 70),), 900, 80),
                         BenchTotal("native", 7, (BenchBoard("bell 8x7", 12_345_678, 1234),), 12_345_678, 99)),
         ["                              python nodes  python nodes/s    native nodes  native nodes/s   ratio",
          "bell 8x7                               900              70        12345678            1234    17.6",
          "Kernel: python, depth 3", "Nodes searched: 900", "Nodes/second: 80",
          "Kernel: native, depth 7", "Nodes searched: 12345678", "Nodes/second: 99"]),
    ],
)  # fmt: skip
def test_events(event: Event, lines: list[str]) -> None:
    assert render_event(event, Dialect.UCI) == lines


def test_ugi_best_move_has_two_words() -> None:
    assert render_event(BestMove("d1d5", "e8e4"), Dialect.UGI) == ["bestmove d1d5"]


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (Option("Clear Hash", "button", None, ""), "option name Clear Hash type button"),
        (Option("Hash", "spin", 16, "", 1, 64), "option name Hash type spin default 16 min 1 max 64"),
        (Option("Ponder", "check", False, ""), "option name Ponder type check default false"),
        (Option("Path", "string", "", ""), "option name Path type string default <empty>"),
        (Option("Kind", "combo", "a", "", choices=("a", "b c")), "option name Kind type combo default a var a var b c"),
    ],
)
def test_options(option: Option, line: str) -> None:
    assert render_option(option) == line


def test_position_of_a_finished_game() -> None:
    game = Game(Position.from_fen(find_variant("latrones"), "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"))
    game.play(game.position.parse_move("c6c8"))
    shown = render_position(game, "native, the\nfaster one")
    assert shown[0] == game.position.diagram()
    assert shown[1:] == ["", "Kernel: native, the faster one", "Fen: 2S1s3/3S4/8/8/8/8/8/4D3 b 0 1",
                         f"Key: {game.position.key:016x}", "Moves:", "Result: p1win decided"]  # fmt: skip


def test_response() -> None:
    assert render_response("p1win") == "response p1win"
