import pytest

from latrones_uci.stats.multinomial import mean_of, most_likely_with_mean, t_value_deviations

SHARES = (0.2, 0.3, 0.5)


def test_mean_0_or_1() -> None:
    """A mean of 0 or 1 allows one outcome only."""
    assert most_likely_with_mean(SHARES, 0) == [1.0, 0.0, 0.0]
    assert most_likely_with_mean(SHARES, 1) == [0.0, 0.0, 1.0]
    assert mean_of(most_likely_with_mean(SHARES, 0.4)) == pytest.approx(0.4)


def test_deviations_at_t_value_0() -> None:
    assert t_value_deviations(SHARES, 0.0, 0.3) == [-0.5, 0.0, 0.5]
