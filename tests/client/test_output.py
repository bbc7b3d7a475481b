from collections.abc import Callable
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latrones_uci.client.output import (
    OptionDeclaration,
    final_info,
    parse_best_move,
    parse_error_line,
    parse_id_name,
    parse_kernel,
    parse_option,
    parse_ranked_line,
    update_info,
)
from latrones_uci.text.protocol import BestMove, Score, SearchInfo


@pytest.mark.parametrize(("parse", "text", "expected"), [
    (parse_best_move, "bestmove d1d5", BestMove("d1d5")),
    (parse_best_move, "bestmove d1d5 ponder d8d6", BestMove("d1d5", "d8d6")),
    (parse_best_move, "  bestmove   S@d4  ponder ", BestMove("S@d4")),
    (parse_best_move, "bestmove", BestMove("")),
    (parse_best_move, "bestmovement a1", None),
    (parse_best_move, "info string bestmove a1a2", None),
    (parse_best_move, "", None),
    (parse_kernel, "info string kernel  native, the \x1bfastest ", "native, the ?fastest"),
    (parse_kernel, "info string kernels", None),
    (parse_kernel, "info string kernel", None),
    (parse_id_name, "id name latrones-uci 0.1", "latrones-uci 0.1"),
    (parse_id_name, "id author nobody", None),
    (parse_error_line, "info string error option: 'x' is not a number", "option: 'x' is not a number"),
    (parse_error_line, "info string all is well", None),
    (parse_option, "option name Clear Hash type button", OptionDeclaration("Clear Hash", "button")),
    (parse_option, "option name UCI_Variant type combo default a b var a b var c",
     OptionDeclaration("UCI_Variant", "combo", ("a b", "c"), "a b")),
    (parse_option, "option name Odd", OptionDeclaration("Odd", "string")),
    (parse_option, "option name Move Overhead type spin default 20 min -5 max 5000",
     OptionDeclaration("Move Overhead", "spin", (), 20, -5, 5000)),
    (parse_option, "option name A type spin min x max 9 9", OptionDeclaration("A", "spin")),
    (parse_option, "option name B type string default 5", OptionDeclaration("B", "string", (), "5")),
    (parse_option, "option name C type check default true", OptionDeclaration("C", "check", default=True)),
    (parse_option, "option name D type string default <empty>", OptionDeclaration("D", "string", default="")),
    (parse_option, "option type spin", None),
    (parse_ranked_line, "info depth 4 multipv 2 score cp -7 nodes 5 pv a1a2 b1b2",
     SearchInfo(4, multipv=2, score=Score(-7), nodes=5, pv=("a1a2", "b1b2"))),
    (parse_ranked_line, "info depth 4 score mate 3 pv a1a2", SearchInfo(4, score=Score(mate=3), pv=("a1a2",))),
    (parse_ranked_line, "info multipv 2 score mate 3 wdl 1000 0 0 pv a1a2",
     SearchInfo(multipv=2, score=Score(mate=3), wdl=(1000, 0, 0), pv=("a1a2",))),
    (parse_ranked_line, "info multipv x score cp 1 pv a1a2", SearchInfo(score=Score(1), pv=("a1a2",))),
    (parse_ranked_line, "info depth 4 multipv 2 score cp -7", None),
    (parse_ranked_line, "info depth 4 currmove a1a2 pv a1a2", None),
    (parse_ranked_line, "info string multipv 2 pv a1a2", None),
    (parse_ranked_line, "bestmove a1a2 pv b1b2", None),
])
def test_lines(parse: Callable[[str], object], text: str, expected: object) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(("lines", "expected"), [
    (["info depth 5 seldepth 9 score cp -35 ebf 1.75 nodes 123 nps 9 time 40 pv d1d5 d8d6", "info nodes 200 time 50"],
     SearchInfo(5, 9, score=Score(-35), nodes=200, time_ms=50, pv=("d1d5", "d8d6"))),
    # A mate replaces a score, and the other way round.
    (["info score cp 3", "info score mate -2 upperbound"], SearchInfo(score=Score(mate=-2, bound="upper"))),
    (["info score mate -2", "info score cp 7 lowerbound"], SearchInfo(score=Score(7, bound="lower"))),
    # Chances belong to the score of their line.
    (["info depth 5 score cp 35 upperbound wdl 300 600 100 pv a1a2", "info nodes 200"],
     SearchInfo(5, score=Score(35, bound="upper"), nodes=200, pv=("a1a2",), wdl=(300, 600, 100))),
    (["info score cp 35 wdl 300 600 100", "info score cp 7"], SearchInfo(score=Score(7))),
    # Negative counts are ignored.
    (["info nodes 5", "info depth -2 nodes -3 time -1 score cp -7"], SearchInfo(score=Score(-7), nodes=5)),
])
def test_info_gathers_over_lines(lines: list[str], expected: SearchInfo) -> None:
    assert final_info(lines) == expected


WORDS = ("depth 3", "seldepth x", "nodes 5", "nps 9", "hashfull 7", "tbhits 0", "time 4", "score cp 8", "score mate -2",
         "score none", "wdl 300 600 100", "wdl 1 2 3", "multipv 1", "multipv 2", "currmove a1a2", "string depth 2",
         "pv a1a2 nodes 8")


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=6))
def test_all_lines_at_once_say_what_they_say_one_by_one(searched: list[list[str]]) -> None:
    lines = [" ".join(["info", *words]) for words in searched]
    assert final_info(lines) == reduce(update_info, lines, SearchInfo())


def test_nodes_per_second_are_those_of_the_engine_or_unknown() -> None:
    info = update_info(SearchInfo(), "info depth 5 nps 9 nodes 123 time 40")
    assert info.nps == 9
    assert update_info(info, "info nodes 200 time 50").nps == 4000
    assert final_info(["info nodes 200 nps 7", "info nodes 300"]).nps is None
    for line in ("info depth 1", "info nodes 200", "info time 50", "info nodes 200 time 0"):
        assert update_info(SearchInfo(), line).nps is None


@pytest.mark.parametrize("text", [
    "info wdl 300 600", "info wdl 300 600 101", "info wdl -1 901 100", "info wdl a b c",
    "info depth 9 multipv 2 score cp 1 pv a1a2", "info depth 9 currmove a1a2 currmovenumber 4",
    "info string depth 9 score cp 8", "info depth nine score cp none nodes", "info depth", "info score", "info",
    "depth 9", "info nodes " + "9" * 5000,
])
def test_lines_that_change_nothing(text: str) -> None:
    info = SearchInfo(2, score=Score(1), nodes=3, time_ms=4, pv=("a1a2",))
    assert update_info(info, text) == info
