"""Random lines in UCI and UGI: after each, what ``protocol.md`` promises holds; see ``fuzz.loop_target``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from fuzz import seeds
from fuzz.loop_target import KERNELS, run_lines

LIMITS = ("depth 1", "depth 2", "nodes 100", "movetime 5", "wtime 50 btime 50", "mate 1 depth 2", "wtime -5", "up",
          "infinite", "ponder", "infinite depth 1", "ponder wtime 100 btime 100", "searchmoves", "depth", "depth x",
          "nodes 0", "depth 1 depth 2", "perft", "perft 0", "perft 1", "movetime -1", "searchmoves a1a1")  # fmt: skip
OPTIONS = ("Hash value 1", "Hash value 0", "Clear Hash", "MultiPV value 3", "Threads value 2", "Ponder value true",
           "Move Overhead value 0", "Backend value python", "Contempt value 1", "VariantPath value g.toml",
           "VariantPath value none", "BoardSize value 16x16", "BoardSize value 3x1", "BoardSize value default",
           "UCI_Variant value bell", "UCI_Variant value schaedler", "UCI_Variant value tiny")  # fmt: skip
POSITIONS = ("startpos", "startpos moves d1d5", "startpos moves a1a1", "startpos moves zz", "fen 8/8 w", "fen x", "",
             "fen 3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1 moves c6c8")  # fmt: skip
PLAIN = ("stop", "ponderhit", "isready", "uci", "ugi", "d", "eval", "help", "debug on", "ucinewgame", "query result",
         "query gameover", "query p1turn")  # fmt: skip
words = st.sampled_from(seeds.COMMANDS.split()) | st.text(st.characters(exclude_characters="\n\r"), max_size=30)
lines = st.lists(
    st.sampled_from(LIMITS).map("go {}".format)
    | st.sampled_from(OPTIONS).map("setoption name {}".format)
    | st.sampled_from(POSITIONS).map("position {}".format)
    | st.sampled_from(PLAIN)
    | st.lists(words, max_size=4).map(" ".join),
    min_size=20, max_size=60,
)  # fmt: skip


@pytest.mark.usefixtures("tiny_engines")
@pytest.mark.parametrize("kernel", KERNELS)
@examples(40)
@given(lines)
def test_random_lines(kernel: str, said: list[str]) -> None:
    """No internal error, at most one error and one ``readyok`` a line, and a move for every search."""
    assert run_lines("\n".join(["isready", *said]), kernel) > 0  # the first line selects the dialect
