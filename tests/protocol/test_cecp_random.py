"""Random lines in the CECP dialect, checked by an independent referee; see ``fuzz.cecp_target``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from fuzz.cecp_target import run_lines
from fuzz.loop_target import KERNELS
from latrones_uci.protocols.xboard.commands import COMMANDS

FENS = ("s3d3/8/8/2Sssss1/8/8/s3D3/7S w - - 0 1", "3ds3/3S4/2S5/8/8/8/8/4D3 w - - 0 1", "3/3/3[SSs] w - - 0 1", "8 w")
WORDS = ("1", "0", "-1", "a1", "d1d5", "a8a7", "x", "=", "999999999999", "latrones", "\u2620", "w", "debug")


def with_number(word: str, largest: int) -> st.SearchStrategy[str]:
    return st.integers(0, largest).map(lambda number: f"{word}{number}")


moves = with_number("usermove *", 400) | with_number("usermove ~", 400) | st.just("usermove =")
plain = st.sampled_from((
    "new", "force", "go", "playother", "undo", "remove", "hard", "easy", "post", "nopost", "analyze", "exit", "hint",
    "?", ".", "computer", "result * {}", "option MultiPV=3", "option Clear Hash", "option VariantPath=g.toml",
    "variant tiny", "variant rota", "variant latrones-10x8", "variant bell", "rejected debug", "protover 2", "memory 1",
    "cores 2",
))  # fmt: skip
numbers = st.one_of(with_number(word, 3000) for word in ("ping ", "time ", "otim -", "st ", "sd ", "level 9 0:1 "))
boards = st.sampled_from(FENS).map(lambda fen: f"setboard {fen}")
touches = st.builds(lambda word, square: f"{word} {square}", st.sampled_from(("lift", "hover", "put")),
                    st.from_regex(r"[a-d][1-9]", fullmatch=True))  # fmt: skip
nonsense = st.lists(st.sampled_from((*COMMANDS, *WORDS)) | st.text(max_size=9), max_size=4).map(" ".join)
lines = st.lists(moves | moves | plain | plain | numbers | boards | touches | nonsense, min_size=20, max_size=70)


@pytest.mark.usefixtures("tiny_engines")
@pytest.mark.parametrize("kernel", KERNELS)
@examples(40)
@given(lines)
def test_random_lines(kernel: str, said: list[str]) -> None:
    """No internal error, an answer to every line, only legal moves, and the same game on both sides."""
    assert run_lines("\n".join(said), kernel) > 0
