import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.match.presets import CONTROL, GAINER, NON_REGRESSION, PRESETS, find_preset


def test_every_preset_can_be_decided() -> None:
    for name, preset in PRESETS.items():
        assert find_preset(name) is preset
        assert preset.name == name
        assert preset.elo0 < preset.elo1
        assert 0 < preset.alpha < 0.5
        assert 0 < preset.beta < 0.5


def test_non_regression_mirrors_the_gainer() -> None:
    assert (NON_REGRESSION.elo0, NON_REGRESSION.elo1) == (-GAINER.elo1, -GAINER.elo0)


def test_control_asks_what_equal_sides_must_fail() -> None:
    assert CONTROL.against_itself
    assert CONTROL.elo0 == 0


def test_unknown_preset() -> None:
    message = "unknown preset 'best'; expected gainer, large-gainer, non-regression, control"
    with pytest.raises(SettingsError, match=message):
        find_preset("best")
