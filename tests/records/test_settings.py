"""The settings of a match: as plain data, in a file, and in words; and what cannot be one, said in one line."""

import json
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.client.engine_spec import EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file
from latrones_uci.records.plan import Format
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import (
    MAX_TEST_GAMES,
    DrawRule,
    GameLimits,
    ScreenSettings,
    TournamentSettings,
    read_configuration,
    settings_from_data,
    write_configuration,
)
from latrones_uci.stats import Sprt
from latrones_uci.text.toml import render_toml

HOSTILE = 'a"b\\c\n\x7f\x00é\U0001f600 = [x]'
ENGINES = (
    EngineSettings(("engine", HOSTILE), TimeControl(base_ms=1000, nodes=5), HOSTILE, ((HOSTILE, "1"), ("b", ""))),
    EngineSettings(("other",), TimeControl(movetime_ms=10), restart=True, environment=(("A", ""), ("B", HOSTILE))),
)


def engines(*names: str, **changes: object) -> dict[str, Any]:
    """Return engines of these names; the changes are those of the last one."""
    found: list[dict[str, object]] = [{"command": ["a"], "control": "depth=1", "name": name} for name in names]
    found[-1] |= changes
    return {"engines": found}


def test_a_swiss_of_too_many_engines() -> None:
    """Other settings that cannot be are in tests/commands/errors.txt."""
    with pytest.raises(SettingsError, match="engines: 501 given; expected at most 500 in a swiss"):
        settings_from_data(engines(*map(str, range(501))) | {"format": "swiss"})


def test_plain_data_of_other_types() -> None:
    data = engines("A", "B", options={"Hash": 16, "Ponder": True}) | {"sprt": {"elo0": 0, "elo1": 5}}
    settings = settings_from_data(data)
    assert settings.engines[1].options == (("Hash", "16"), ("Ponder", "true"))
    assert settings.sprt == Sprt(0.0, 5.0)
    assert settings_from_data(json.loads(json.dumps(serialize(settings)))) == settings


def test_settings_survive_the_file(tmp_path: Path) -> None:
    games = tmp_path / "games.toml"
    games.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    path = tmp_path / "match.toml"
    for settings in (
        TournamentSettings(ENGINES),
        TournamentSettings(
            ENGINES, (VariantSettings("mine"), VariantSettings("bell", "8x8")), read_variant_file(str(games)),
            Format.GAUNTLET, 10, "random:6", ScreenSettings(ENGINES[1], 90), -3, 2,
            GameLimits(5, 100, DrawRule(1, 2, 3)), Timeouts(search_s=2.5), Sprt(0, 5.5, model="logistic"),
        ),
    ):
        write_configuration(settings, path)
        assert read_configuration(path) == (settings, {})


def test_toml_of_tables_in_tables() -> None:
    data = {
        "a": 1, "b": [1, 2], "c": {"d e": True, "f": {"g": 1.5}}, "h": [{"i": "j", "k": {"l": "m"}}, {"i": "n"}],
        "o": [],
    }
    assert tomllib.loads(render_toml(data)) == data


def test_a_copy_of_games_lies_where_nobody_else_can_write(tmp_path: Path) -> None:
    """Where the file is not at hand or says something else, as on another machine."""
    path = tmp_path / "games.toml"
    text = '[mine]\nparent = "latrones"\n'
    for make in (lambda: path.write_text("other", encoding="utf-8"), path.unlink, path.mkdir):
        make()
        copy = Path(VariantFile(str(path), text).local_path())
        assert copy.read_text(encoding="utf-8") == text
        assert sys.platform == "win32" or stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    path.rmdir()
    path.write_text(text, encoding="utf-8", newline="\n")
    assert VariantFile(str(path), text).local_path() == str(path)


def test_a_test_in_a_file_without_a_number_of_games_is_played_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    text = "[[engines]]\ncommand = ['a']\ncontrol = 'depth=1'\n" * 2
    for test, games in (("", 2), ("[sprt]\nelo0 = 0\nelo1 = 5\n", MAX_TEST_GAMES)):
        path.write_text(text + test, encoding="utf-8")
        assert read_configuration(path)[0].games == games
    write_configuration(TournamentSettings(ENGINES, games=2, sprt=Sprt(0, 5)), path)
    assert read_configuration(path)[0].games == 2


@pytest.mark.posix
def test_a_name_or_path_that_is_not_utf_8(tmp_path: Path) -> None:
    for key, message in (
        ("name=\udcff", r"name: '\\xff' is not UTF-8; expected a name in UTF-8"),
        ("option.variantpath=/\udcff.toml", r"VariantPath '/\\xff.toml': not UTF-8; expected a path in UTF-8, as"),
    ):
        with pytest.raises(SettingsError, match=message):
            parse_engine(["cmd=a", "depth=1", key], [])
    path = tmp_path / "games-\udcff.toml"
    path.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"games-\\xff.toml': the path is not UTF-8"):
        read_variant_file(str(path))
