import pytest

from latrones_uci.game import quoted


@pytest.mark.parametrize("letter", ["a", "\0", "\udcff", "\U000e0001", "'", "\\"])
def test_quoted_text_is_short_even_if_escaped(letter: str) -> None:
    for count in (100, 120, 121, 5_000):
        shown = quoted(letter * count)
        assert shown.isprintable()
        assert len(shown) < 150
        assert shown == repr(letter * count) or shown.endswith(f"'... ({count} characters)") or count > 120


def test_a_short_text_is_quoted_completely() -> None:
    assert quoted("x" * 120) == repr("x" * 120)
    assert quoted("x" * 121) == f"{'x' * 120!r}... (121 characters)"
