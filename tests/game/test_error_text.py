from pathlib import Path

import pytest

from latrones_uci.game import quoted, reason


@pytest.mark.parametrize("letter", ["a", "\0", "\udcff", "\U000e0001", "'", "\\"])
def test_quoted_text_is_short_even_if_escaped(letter: str) -> None:
    for count in (100, 120, 121, 5_000):
        shown = quoted(letter * count)
        assert shown.isprintable()
        assert len(shown) < 150
        assert shown == repr(letter * count) or shown.endswith(f"'... ({count} characters)") or count > 120
    assert quoted("x" * 121) == f"{'x' * 120!r}... (121 characters)"


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
