import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from latrones_uci.engine.limits import Limits
from latrones_uci.game import LatronesError
from latrones_uci.protocol import Dialect
from latrones_uci.protocols.common import first_word
from latrones_uci.protocols.uci.commands import (
    GO_WORDS,
    Bench,
    Command,
    Debug,
    Go,
    GoPerft,
    Greet,
    Plain,
    Query,
    SetOption,
    SetPosition,
    parse_command,
)
from protocol.commands_text import command_text

PLAIN_WORDS = ("isready", "newgame", "stop", "ponderhit", "quit", "d", "eval", "help")
COMMAND_WORDS = (*PLAIN_WORDS, "ucinewgame", "uginewgame", "uci", "ugi", "debug", "setoption", "position", "go",
                 "query", "bench")  # fmt: skip
OTHER_WORDS = ("name", "value", "startpos", "fen", "moves", "on", "off", "p1turn", "gameover", "result", "a1a2",
               "S@d4", "0000", "0", "1", "-1", "99999999999999999999", "Hash", "\x00", "\\xff", "w")  # fmt: skip

words = st.sampled_from((*COMMAND_WORDS, *GO_WORDS, *OTHER_WORDS)) | st.text(max_size=6)
spaces = st.sampled_from([" ", " ", " ", "  ", "\t", "\u2003", "\x0b"])

# ---------------------------------------------------------------- arbitrary input


@given(st.text())
@example("go " + "9" * 10_000)
@example("setoption name")
@example("setoption name name value value")
@example("position moves")
@example("\x1c")
def test_any_text_is_a_command_or_a_one_line_error(line: str) -> None:
    check_any_line(line)


@given(st.lists(st.tuples(words, spaces), max_size=12))
def test_any_words_are_a_command_or_a_one_line_error(pairs: list[tuple[str, str]]) -> None:
    check_any_line("".join(word + space for word, space in pairs))


def check_any_line(line: str) -> None:
    message = None
    try:
        command = parse_command(line)
    except LatronesError as error:
        message = str(error)
    if message is None:
        assert (command is None) == (not line.strip())
    else:
        assert line.strip()
        assert "\n" not in message
        assert len(message) < 1000
    assert first_word(line) == (line.split() or [""])[0]


# ---------------------------------------------------------------- round trips

naturals = st.integers(1, 10**17)
clocks = st.none() | st.integers(-(10**17), 10**17)
move_texts = st.from_regex(r"[a-p][1-9][a-p][1-9]", fullmatch=True)
tokens = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1)
names = st.lists(tokens.filter(lambda text: text != "value"), min_size=1, max_size=3).map(" ".join)
values = st.lists(tokens, max_size=3).map(" ".join)
limits = st.builds(
    Limits,
    depth=st.none() | naturals,
    nodes=st.none() | naturals,
    movetime_ms=st.none() | st.integers(0, 10**17),
    time_ms=st.tuples(clocks, clocks),
    increment_ms=st.tuples(st.integers(0, 10**17), st.integers(0, 10**17)),
    moves_to_go=st.none() | naturals,
    mate=st.none() | naturals,
    infinite=st.booleans(),
    ponder=st.booleans(),
    search_moves=st.lists(move_texts, max_size=4).map(tuple),
)
commands = st.one_of(
    st.builds(Greet, st.sampled_from(Dialect)),
    st.builds(Debug, st.booleans()),
    st.builds(SetOption, names, st.none() | values),
    st.builds(
        SetPosition,
        st.none() | st.lists(tokens.filter(lambda text: text != "moves"), min_size=1).map(" ".join),
        st.lists(move_texts).map(tuple),
    ),
    st.builds(Go, limits),
    st.builds(GoPerft, st.integers(1, 100)),
    st.builds(Query, st.sampled_from(["p1turn", "gameover", "result", "ratings"])),
    st.builds(Bench, st.none() | st.integers(1, 100), st.sampled_from(["core", "ludii", "all"])),
    st.builds(Plain, st.sampled_from(PLAIN_WORDS)),
)


@given(commands)
def test_commands_round_trip(command: Command) -> None:
    assert parse_command(command_text(command)) == command


@given(commands, spaces, spaces)
def test_white_space_does_not_matter(command: Command, around: str, between: str) -> None:
    if not (isinstance(command, SetOption) and command.value):
        assert parse_command(around + command_text(command).replace(" ", between) + around) == command


# ---------------------------------------------------------------- examples


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uginewgame", Plain("newgame")),
        ("ucinewgame", Plain("newgame")),
        ("setoption name Clear Hash", SetOption("Clear Hash", None)),
        ("setoption name  Move   Overhead value  5 ", SetOption("Move Overhead", "5")),
        ("setoption name VariantPath value /my games/a value b.toml",
         SetOption("VariantPath", "/my games/a value b.toml")),
        ("setoption name VariantPath value", SetOption("VariantPath", "")),
        ("setoption name name value name", SetOption("name", "name")),
        ("setoption name Values value 1", SetOption("Values", "1")),
        ("position startpos moves", SetPosition(None, ())),
        ("position fen  4/4/4/4  w  0 1", SetPosition("4/4/4/4 w 0 1", ())),
        ("go", Go(Limits())),
        ("go p1time 5 p2time 6 p1inc 7 p2inc 8", Go(Limits(time_ms=(5, 6), increment_ms=(7, 8)))),
        ("go wtime 5 p2time 6", Go(Limits(time_ms=(5, 6)))),
        ("go searchmoves a1a2 b1b2 infinite", Go(Limits(infinite=True, search_moves=("a1a2", "b1b2")))),
        ("go searchmoves a1a2 depth 3 searchmoves b1b2", Go(Limits(depth=3, search_moves=("a1a2", "b1b2")))),
    ],
)  # fmt: skip
def test_lines(line: str, command: Command) -> None:
    assert parse_command(line) == command
