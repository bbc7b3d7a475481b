from pathlib import Path

import pytest

from latrones_uci.text.messages import VISIBLE_BYTES, printable, quoted, reason


@pytest.mark.parametrize("letter", ["a", "\0", "\udcff", "\U000e0001", "'", "\\"])
def test_quoted_text_is_short_even_if_escaped(letter: str) -> None:
    for count in (100, 120, 121, 5_000):
        shown = quoted(letter * count)
        assert shown.isprintable()
        assert len(shown) < 150
        whole = repr(letter * count).replace(r"\udcff", r"\xff")
        assert shown == whole or shown.endswith(f"'... ({count} characters)") or count > 120
    assert quoted("x" * 121) == f"{'x' * 120!r}... (121 characters)"


@pytest.mark.parametrize(("text", "shown"), [
    ("x\udcff.toml", r"x\xff.toml"),  # a byte that is not UTF-8
    ("\udc80\udced\udca0", r"\x80\xed\xa0"),
    ("\ud800", r"\ud800"),  # a surrogate that is no byte
    ("\u2212\x1b", "\u2212\\x1b"),
])
def test_bytes_that_are_not_utf_8_are_shown_in_one_way(text: str, shown: str) -> None:
    assert quoted(text) == f"'{shown}'"
    assert printable(text) == shown
    assert printable(text.encode("utf-8", VISIBLE_BYTES).decode()) == shown
    assert quoted(r"\udcff") == r"'\\udcff'", "the text is not taken for a byte"


def test_reason_of_a_system_error_has_no_number_and_no_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Errno") as raised:
        (tmp_path / "none.txt").read_bytes()
    assert reason(raised.value) == "No such file or directory"


def test_reason_of_other_errors() -> None:
    assert reason(OSError("the guard does not start")) == "the guard does not start"
    assert reason(ValueError("longer than 5 bytes")) == "longer than 5 bytes"
    with pytest.raises(UnicodeDecodeError) as raised:
        b"abc\xff".decode("utf-8")
    assert reason(raised.value) == "not UTF-8: invalid byte 0xff"
