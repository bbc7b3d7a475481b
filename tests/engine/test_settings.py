from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.settings import Settings
from latrones_uci.game import builtin_variants

FILE = """
[small]
parent = "latrones"
default_size = "5x6"
max_size = "7x7"
"""


def set_all(settings: Settings, choices: list[tuple[str, str]]) -> list[str]:
    remarks = []
    for name, value in choices:
        if name == "BoardSize":
            settings.choose_board_size(value)
        elif (remark := settings.choose_variant(value)) is not None:
            remarks.append(remark)
    return remarks


def test_defaults() -> None:
    settings = Settings()
    assert settings.ruleset.name == "latrones"
    assert settings.start().fen() == "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"
    assert (settings.number("Hash"), settings.number("MultiPV"), settings.number("Move Overhead")) == (16, 1, 20)


@pytest.mark.parametrize("variant", ["latrones", "latrunculi-classical"])
@pytest.mark.parametrize("size", ["default", "4x4", "12x8", "16x16"])
def test_order_of_variant_and_size_does_not_matter(variant: str, size: str) -> None:
    one, other = Settings(), Settings()
    choices = [("UCI_Variant", variant), ("BoardSize", size)]
    assert set_all(one, choices) == set_all(other, choices[::-1]) == []
    assert one.start() == other.start()


@given(st.lists(st.sampled_from([("UCI_Variant", "latrones"), ("UCI_Variant", "latrunculi-classical"),
                                 ("BoardSize", "4x9"), ("BoardSize", "default"), ("BoardSize", "8x8")])))  # fmt: skip
def test_only_the_last_of_each_counts(choices: list[tuple[str, str]]) -> None:
    settings, plain = Settings(), Settings()
    assert set_all(settings, choices) == []
    set_all(plain, list(dict(choices).items()))
    assert settings.start() == plain.start()


def test_size_that_the_next_game_does_not_allow_becomes_the_default_with_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "games.toml"
    path.write_text(FILE, encoding="utf-8")
    settings = Settings()
    settings.load_variants(str(path))
    settings.choose_board_size("8x5")
    remark = settings.choose_variant("small")
    assert remark is not None
    assert "'8x5'" in remark
    assert settings.start().geometry.name == "5x6"
    settings.choose_board_size("7x7")
    assert settings.choose_variant("latrones") is None
    assert settings.start().geometry.name == "7x7"


def test_bad_size_changes_nothing() -> None:
    settings = Settings()
    settings.choose_board_size("9x9")
    for text in ("3x9", "9x17", "nine"):
        with pytest.raises(OptionError):
            settings.choose_board_size(text)
        assert settings.start().geometry.name == "9x9"


def test_options_are_found_in_any_case() -> None:
    settings = Settings()
    assert settings.find("CLEAR hash").name == "Clear Hash"
    with pytest.raises(OptionError, match="'Clear  Hash'"):
        settings.find("Clear  Hash")


def test_games_of_a_file_are_choices(tmp_path: Path) -> None:
    path = tmp_path / "games.toml"
    path.write_text(FILE, encoding="utf-8")
    settings = Settings()
    settings.load_variants(str(path))
    assert settings.find("UCI_Variant").choices == (*builtin_variants(), "small")
    settings.choose_variant("small")
    with pytest.raises(OptionError, match="lacks the game now played, small"):
        settings.load_variants("")
    settings.choose_variant("latrones")
    settings.load_variants("")
    assert settings.find("UCI_Variant").choices == tuple(builtin_variants())
