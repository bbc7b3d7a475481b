"""The corpus of what fuzzing has found, and random lines in UCI, UGI and CECP: what ``protocol.md`` promises holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from fuzz import cecp_target, loop_target, seeds
from fuzz.targets import CORPUS, TARGETS, TEXT
from latrones_uci.engine import native
from latrones_uci.protocols.xboard.session import COMMANDS

FUZZ = Path(__file__).parent


@pytest.mark.process
def test_corpus() -> None:
    """In a process of its own, for the targets change what they run in."""
    targets = [name for name in TARGETS if name != "binding" or native.is_compiled()]
    done = subprocess.run([sys.executable, FUZZ, *targets, "--replay"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-1000:]
    inputs = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert len(inputs) == sum(1 for name in targets for _ in (CORPUS / name).iterdir())


@pytest.mark.long
def test_what_targets_begin_with() -> None:
    for name, target in TARGETS.items():
        assert all(len(word.encode()) < 64 for word in target.words), name
        assert any((CORPUS / name).iterdir()), name
        if target.module == TEXT:
            assert all(target.load()(text.encode()) for text in target.seeds()), name


# ---------------------------------------------------------------- random lines

LIMITS = ("depth 1", "depth 2", "nodes 100", "movetime 5", "wtime 50 btime 50", "mate 1 depth 2", "wtime -5", "up",
          "infinite", "ponder", "infinite depth 1", "ponder wtime 100 btime 100", "searchmoves", "depth", "depth x",
          "nodes 0", "depth 1 depth 2", "perft", "perft 0", "perft 1", "movetime -1", "searchmoves a1a1")
OPTIONS = ("Hash value 1", "Hash value 0", "Clear Hash", "MultiPV value 3", "Threads value 2", "Ponder value true",
           "Move Overhead value 0", "Backend value python", "Contempt value 1", "VariantPath value g.toml",
           "VariantPath value none", "BoardSize value 16x16", "BoardSize value 3x1", "BoardSize value default",
           "UCI_Variant value bell", "UCI_Variant value schaedler", "UCI_Variant value tiny")
POSITIONS = ("startpos", "startpos moves d1d5", "startpos moves a1a1", "startpos moves zz", "fen 8/8 w", "fen x", "",
             "fen 3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1 moves c6c8")
UCI_PLAIN = ("stop", "ponderhit", "isready", "uci", "ugi", "d", "eval", "help", "debug on", "ucinewgame",
             "query result", "query gameover", "query p1turn")
uci_words = st.sampled_from(seeds.COMMANDS.split()) | st.text(st.characters(exclude_characters="\n\r"), max_size=30)
uci_lines = st.lists(
    st.sampled_from(LIMITS).map("go {}".format)
    | st.sampled_from(OPTIONS).map("setoption name {}".format)
    | st.sampled_from(POSITIONS).map("position {}".format)
    | st.sampled_from(UCI_PLAIN)
    | st.lists(uci_words, max_size=4).map(" ".join),
    min_size=20, max_size=60,
)


@pytest.mark.usefixtures("tiny_engines")
@pytest.mark.parametrize("kernel", loop_target.KERNELS)
@examples(40)
@given(uci_lines)
def test_random_lines_of_uci(kernel: str, said: list[str]) -> None:
    """No internal error, at most one error and one ``readyok`` a line, a move for every search, no other effects."""
    assert loop_target.run_lines("\n".join(["isready", *said]), kernel) > 0  # the first line selects the dialect


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
))
numbers = st.one_of(with_number(word, 3000) for word in ("ping ", "time ", "otim -", "st ", "sd ", "level 9 0:1 "))
boards = st.sampled_from(FENS).map(lambda fen: f"setboard {fen}")
touches = st.builds(lambda word, square: f"{word} {square}", st.sampled_from(("lift", "hover", "put")),
                    st.from_regex(r"[a-d][1-9]", fullmatch=True))
nonsense = st.lists(st.sampled_from((*COMMANDS, *WORDS)) | st.text(max_size=9), max_size=4).map(" ".join)
cecp_lines = st.lists(moves | moves | plain | plain | numbers | boards | touches | nonsense, min_size=20, max_size=70)


@pytest.mark.usefixtures("tiny_engines")
@pytest.mark.parametrize("kernel", loop_target.KERNELS)
@examples(40)
@given(cecp_lines)
def test_random_lines_of_cecp(kernel: str, said: list[str]) -> None:
    """No internal error, an answer to every line, only legal moves, and the same game on both sides."""
    assert cecp_target.run_lines("\n".join(said), kernel) > 0
