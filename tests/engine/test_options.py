import pytest
from hypothesis import given
from hypothesis import strategies as st

from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.options import Option, declared, parse_size_option
from latrones_uci.game import builtin_variants

TABLE = declared(builtin_variants())
OPTIONS = list(TABLE.values())
CHECK = Option("Check", "check", False, "")
SPIN = Option("Spin", "spin", 3, "", -2, 12)
COMBO = Option("Combo", "combo", "One", "", choices=("One", "two words"))
STRING = Option("String", "string", "", "")
BUTTON = Option("Button", "button", None, "")


def test_names_are_those_of_the_contract() -> None:
    assert [option.name for option in OPTIONS] == [
        "UCI_Variant", "BoardSize", "VariantPath", "Hash", "Clear Hash", "Threads", "MultiPV", "Ponder",
        "Move Overhead", "UCI_AnalyseMode", "Backend",
    ]  # fmt: skip
    assert list(TABLE) == [option.name.lower() for option in OPTIONS]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_defaults_are_values_and_everything_is_explained(option: Option) -> None:
    assert option.help.endswith(".")
    if option.kind == "button":
        assert option.default is None
    else:
        text = "<empty>" if option.default == "" else str(option.default)
        assert option.parse(text) == option.default
        assert type(option.parse(text)) is type(option.default)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (CHECK, "true", True), (CHECK, "TRUE", True), (CHECK, "False", False),
        (SPIN, "-2", -2), (SPIN, "12", 12), (SPIN, "007", 7), (SPIN, "-0", 0),
        (COMBO, "one", "One"), (COMBO, "TWO WORDS", "two words"),
        (STRING, "", ""), (STRING, "<empty>", ""), (STRING, "a  b", "a  b"),
        (BUTTON, None, True),
    ],
)  # fmt: skip
def test_values(option: Option, text: str | None, value: object) -> None:
    assert option.parse(text) == value


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (CHECK, "yes"), (CHECK, ""), (CHECK, None), (CHECK, "1"),
        (SPIN, "-3"), (SPIN, "13"), (SPIN, ""), (SPIN, None), (SPIN, "3.0"), (SPIN, "\u0663"), (SPIN, "9" * 5_000),
        (SPIN, "1_0"), (SPIN, " 3"), (SPIN, "+3"),
        (COMBO, "three"), (COMBO, ""), (COMBO, None), (COMBO, "two  words"),
        (STRING, None),
        (BUTTON, ""), (BUTTON, "true"),
    ],
)  # fmt: skip
def test_bad_values_are_quoted(option: Option, text: str | None) -> None:
    with pytest.raises(OptionError) as caught:
        option.parse(text)
    message = str(caught.value)
    assert option.name in message
    assert len(message) < 500
    if text is not None and len(text) < 100:
        assert repr(text) in message


@given(st.sampled_from(OPTIONS), st.none() | st.text())
def test_any_value_is_taken_or_refused(option: Option, text: str | None) -> None:
    try:
        value = option.parse(text)
    except OptionError as error:
        message = str(error)
    else:
        message = ""
        assert option.kind != "spin" or option.minimum <= int(value) <= option.maximum
        assert option.kind != "combo" or value in option.choices
    assert "\n" not in message


def test_sizes() -> None:
    assert parse_size_option("12x8") == (12, 8)
    assert parse_size_option("Default") is None
    for text in ("", "8", "8X8", "x8", "0x8", "8x8 ", "100x8"):
        with pytest.raises(OptionError, match="BoardSize"):
            parse_size_option(text)
