import pytest

from latrones_uci.stats.multinomial import mean_of, most_likely_with_mean, t_value_deviations

SHARES = (0.2, 0.3, 0.5)


def test_the_ends_of_the_scores() -> None:
    """A mean of 0 or 1 leaves one outcome, whatever was observed."""
    assert most_likely_with_mean(SHARES, 0) == [1.0, 0.0, 0.0]
    assert most_likely_with_mean(SHARES, 1) == [0.0, 0.0, 1.0]
    assert mean_of(most_likely_with_mean(SHARES, 0.4)) == pytest.approx(0.4)


def test_without_a_t_value_the_deviations_are_those_from_even() -> None:
    assert t_value_deviations(SHARES, 0.0, 0.3) == [-0.5, 0.0, 0.5]
