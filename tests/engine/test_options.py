"""The table of options, and their values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folders import ROOT
from latrones_uci import game
from latrones_uci.engine import native
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.options import (
    Option,
    Settings,
    declared,
    tunable_options,
)
from latrones_uci.game import builtin_variants, ludii_variants
from latrones_uci.protocols.uci.render import render_option

TABLE = declared(builtin_variants())
OPTIONS = list(TABLE.values())


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_defaults_are_valid_and_options_have_help(option: Option) -> None:
    assert option.help.endswith(".")
    if option.kind == "button":
        assert option.default is None
    else:
        text = "<empty>" if option.default == "" else str(option.default)
        assert option.parse(text) == option.default
        assert type(option.parse(text)) is type(option.default)


@given(st.sampled_from(OPTIONS), st.none() | st.text() | st.integers().map(str))
def test_any_value_is_accepted_or_rejected(option: Option, text: str | None) -> None:
    try:
        value = option.parse(text)
    except OptionError as error:
        message = str(error)
        assert option.name in message
        assert len(message) < 500
    else:
        message = ""
        assert option.kind != "spin" or option.minimum <= int(value) <= option.maximum
        assert option.kind != "combo" or value in option.choices
    assert "\n" not in message


def test_no_option_line_has_the_word_default_twice() -> None:
    """Some clients, python-chess among them, split the line at that word, and read an empty value."""
    for option in Settings().options:
        assert render_option(option).split().count("default") == (option.kind != "button")


def test_the_file_of_a_set_can_be_loaded() -> None:
    """It asks for its own games; those of the core set cannot be defined again."""
    settings = Settings()
    settings.set("VariantPath", str(Path(game.__file__).with_name("ludii.toml")))
    assert settings.find("UCI_Variant").choices == (*builtin_variants(), *ludii_variants())
    with pytest.raises(OptionError, match="'latrones': a variant of this name already exists"):
        settings.set("VariantPath", str(Path(game.__file__).with_name("variants.toml")))


# ---------------------------------------------------------------- constants of the native kernel


@pytest.mark.usefixtures("native_core")
def test_constants_are_documented() -> None:
    """If this fails, the expected rows can be copied from the message."""
    page = (ROOT / "docs" / "lab" / "tuning.md").read_text(encoding="utf-8")
    (found,) = re.findall("<!-- constants -->\n(.*?)<!-- /constants -->", page, re.DOTALL)
    expected = [
        f"| `{name}` | {value}{f'; soldiers only: {soldiers_only}' if soldiers_only != value else ''}"
        f" | {least} to {greatest} | {what} |"
        for name, (value, soldiers_only, least, greatest, what) in native.core().TUNING.items()
    ]
    assert found.splitlines()[2:] == expected, "\n" + "\n".join(expected)


@pytest.mark.usefixtures("native_core")
def test_constants_can_only_be_set_if_they_are_offered() -> None:
    constants = tunable_options()
    settings = Settings(further=constants)
    for option in constants:
        assert option.parse(str(option.default)) == option.default == settings.number(option.name)
        assert TABLE.get(option.name) is None
    settings.set("VariantPath", "")  # declares all options again
    assert settings.find("futility_margin").default == 50


def test_values_are_shown_as_setoption_takes_them() -> None:
    settings = Settings()
    settings.set("Ponder", "True")
    shown = [settings.shown(name) for name in ("EvalFile", "Ponder", "Hash", "Clear Hash", "none")]
    assert shown == ["auto", "true", "16", "", ""]
