"""Any line is a command or a one-line error; ``tests/transcripts`` has what the lines mean."""

from hypothesis import example, given
from hypothesis import strategies as st

from latrones_uci.game import LatronesError
from latrones_uci.protocols.common import first_word
from latrones_uci.protocols.uci.commands import _PARSERS, GO_WORDS, parse_command

OTHER_WORDS = ("name", "value", "startpos", "fen", "moves", "on", "off", "p1turn", "gameover", "result", "a1a2",
               "S@d4", "0000", "0", "1", "-1", "99999999999999999999", "Hash", "isready", "\x00", "\\xff", "w",
               "newgame", "quit")  # fmt: skip

words = st.sampled_from((*_PARSERS, *GO_WORDS, *OTHER_WORDS)) | st.text(max_size=6)
spaces = st.sampled_from([" ", " ", " ", "  ", "\t", "\u2003", "\x0b"])
lines = st.lists(st.tuples(words, spaces).map("".join), max_size=12).map("".join)


@given(st.text() | lines | lines)
@example("go " + "9" * 10_000)
@example("setoption name")
@example("setoption name name value value")
@example("position moves")
@example("\x1c")
def test_any_line_is_a_command_or_a_one_line_error(line: str) -> None:
    assert first_word(line) == (line.split() or [""])[0]
    try:
        outcome: object = parse_command(line)
    except LatronesError as error:
        outcome = str(error)
    assert (outcome is None) == (not line.strip())
    if isinstance(outcome, str):
        assert "\n" not in outcome
        assert len(outcome) < 1000
