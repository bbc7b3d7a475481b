"""The settings of a match: as plain data, in a file, and in words; and what cannot be one, said in one line."""

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.client.engine_spec import EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file
from latrones_uci.match.adjudication import DrawRule, GameLimits
from latrones_uci.match.files import render_toml
from latrones_uci.match.plan import Format
from latrones_uci.match.screen import ScreenSettings
from latrones_uci.match.serialize import serialize
from latrones_uci.match.settings import (
    MAX_TEST_GAMES,
    TournamentSettings,
    read_configuration,
    settings_from_data,
    write_configuration,
)
from latrones_uci.stats import Sprt

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


SWISS, KNOCKOUT = engines(*"ABCDE") | {"format": "swiss"}, engines(*"ABCDE") | {"format": "knockout"}
SPRT = {"sprt": {"elo0": 0, "elo1": 5}}
TUNED = {"name": "Aim", "start": 5, "minimum": 0, "maximum": 9, "step": 1}
TUNING = engines("T (plus)", "T (minus)") | {"tuning": {"parameters": [TUNED]}}


def draw(**changes: int) -> dict[str, Any]:
    return {"limits": {"draw": {"movenumber": 1, "moves": 1, "score_centi": 10} | changes}}


@pytest.mark.parametrize(("changes", "message"), [
    # what does not fit is told by its place
    ({"games": "3"}, "games: '3' is not an integer"),
    ({"games": True}, "games: 'True' is not an integer"),
    ({"games": 10**18}, "games: '1000000000000000000' is not an integer"),
    ({"limits": 3}, "limits: '3' is not a table"),
    ({"limits": {"check_claims": 1}}, "limits.check_claims: '1' is not true or false"),
    ({"sprt": {"elo0": 0}}, "sprt: elo1 is missing"),
    ({"sprt": {"elo0": 0, "elo1": float("nan")}}, "sprt.elo1: 'nan' is not a number"),
    ({"sprt": {"elo0": 5, "elo1": 0}}, "sprt: elo0 5.0: expected a value below elo1 0.0"),
    ({"sprt": {"elo0": 0, "elo1": 5, "model": "bayes"}}, "sprt.model: 'bayes' is not one of logistic, normalized"),
    ({"format": "cup"}, "format: 'cup' is not one of match, round-robin, gauntlet"),
    ({"variants": "bell"}, "variants: 'bell' is not a list"),
    ({"variants": ["bell", 1]}, "variants[1]: '1' is not a string"),
    (engines("A", "B", nmae="C"), "engines[1]: unknown key 'nmae'; did you mean 'name='?"),
    (engines("A", "B", options=["a"]), "engines[1].options: \"['a']\" is not a table"),
    (engines("A", "B", options={"a": 1.5}), "engines[1].options.a: '1.5' is not a string"),
    (engines("A", "B", control="tc=x"), "engines[1].control: 'tc=x'"),
    (engines("A", "B", control=5), "engines[1].control: '5' is not a string"),
    ({"more": 1}, "unknown key 'more'"),
    ({"games": 0}, "games: 0 is not an integer from 1"),
    (engines("A", "B", "C"), "engines: 3 given; expected two, each as '--engine cmd=...'"),
    (engines("A") | {"format": "gauntlet"}, "engines: 1 given; expected at least two"),
    (engines("A B", "A\u00a0B"), r"engine names 'A B' and 'A\xa0B': the same name in PGN"),
    ({"variants": ["latrones:6x6"] * 2}, "duplicate variant 'latrones:6x6'"),
    ({"variants": []}, "variants: none given; expected at least one"),
    (draw(moves=-3), "moves: -3 is not an integer from 1"),
    (draw(movenumber=-10), "movenumber: -10 is not an integer from 0"),
    (draw(score_centi=-10), "score_centi: -10 is not an integer from 0"),
    ({"limits": {"resign": {"moves": 0, "score_centi": 100}}}, "moves: 0 is not an integer from 1"),
    ({"limits": {"resign": {"moves": 1, "score_centi": -100}}}, "score_centi: -100 is not an integer from 0"),
    ({"limits": {"max_plies": 0}}, "max_plies: 0 is not an integer from 1"),
    ({"limits": {"margin_ms": -4}}, "margin_ms: -4 is not an integer from 0"),
    # sequential tests, rounds and tunings
    (engines(*"ABC") | SPRT | {"format": "gauntlet"}, "sequential test: 3 engines given; expected two"),
    (SPRT | {"format": "swiss"}, "sequential test: the format is swiss; expected a match"),
    (SPRT | {"format": "knockout"}, "sequential test: the format is knockout; expected a match"),
    (SWISS | {"games": 3}, "games: 3 is odd; expected an even number for a swiss"),
    (SWISS | {"rounds": 6}, "rounds: 6 given; expected 1 to 5 for 5 engines, so that no two of them need to meet"),
    (SWISS | {"rounds": 0}, "rounds: 0 given; expected 1 to 5"),
    (SWISS | engines(*map(str, range(501))), "engines: 501 given; expected at most 500 in a swiss"),
    (KNOCKOUT | {"rounds": 2}, "rounds: 2 given for a knockout; expected --format swiss, or --games N"),
    (KNOCKOUT | {"format": "round-robin", "rounds": 2}, "rounds: 2 given for a round-robin"),
    (TUNING | {"games": 3}, "games: 3 is odd"),
    (TUNING | {"format": "gauntlet"}, "tuning: cannot be combined with the format gauntlet"),
    (TUNING | SPRT, "tuning: cannot be combined with a sequential test"),
    (TUNING | {"tuning": {"parameters": []}}, "parameters: none given"),
    (TUNING | {"tuning": {"parameters": [TUNED | {"minimum": 9, "maximum": 1}]}},
     "tuning.parameters[0]: minimum 9 is not below maximum 1"),
    (TUNING | engines("T (plus)", "T (minus)", command=["other"]),
     "tuning: the two engines differ; expected the same engine twice"),
])  # fmt: skip
def test_settings_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        settings_from_data(engines("A", "B") | changes)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_plain_data_of_other_types() -> None:
    data = engines("A", "B", options={"Hash": 16, "Ponder": True}) | SPRT
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
    ):  # fmt: skip
        write_configuration(settings, path)
        assert read_configuration(path) == (settings, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("engines = [", "Invalid"),
        ("games = 3", "engines is missing"),
        ("games = 'x'\nengines = []", "games: 'x' is not an integer"),
        ("gmaes = 3\nengines = []", "unknown key 'gmaes'"),
        ("engines = []", "0 given"),
        ("[[engines]]\ncommand = ['a']\ncontrol = 'depth=0'", "engines[0].control: 'depth=0'"),
        ("variant_path = '/no/such/games.toml'\nengines = []", "'/no/such/games.toml'"),
        ('variant_path = "a\\u0000b"', ""),
        (f"engines = {'[' * 5_000}", "too many tables and arrays"),
    ],
)
def test_a_bad_file_is_one_clear_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        read_configuration(path)
    assert message in str(raised.value)
    assert str(path) in str(raised.value)
    assert str(raised.value).isprintable()


def test_toml_of_tables_in_tables() -> None:
    data = {
        "a": 1, "b": [1, 2], "c": {"d e": True, "f": {"g": 1.5}}, "h": [{"i": "j", "k": {"l": "m"}}, {"i": "n"}],
        "o": [],
    }  # fmt: skip
    assert tomllib.loads(render_toml(data)) == data


def test_a_copy_of_games_lies_where_nobody_else_can_write(tmp_path: Path) -> None:
    """Where the file is not at hand or says something else, as on another machine."""
    path = tmp_path / "games.toml"
    text = '[mine]\nparent = "latrones"\n'
    for make in (lambda: path.write_text("other", encoding="utf-8"), path.unlink, path.mkdir):
        make()
        copy = Path(VariantFile(str(path), text).local_path())
        assert copy.read_text(encoding="utf-8") == text
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    path.rmdir()
    path.write_text(text, encoding="utf-8")
    assert VariantFile(str(path), text).local_path() == str(path)


def test_a_test_in_a_file_without_a_number_of_games_is_played_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    text = "[[engines]]\ncommand = ['a']\ncontrol = 'depth=1'\n" * 2
    for test, games in (("", 2), ("[sprt]\nelo0 = 0\nelo1 = 5\n", MAX_TEST_GAMES)):
        path.write_text(text + test, encoding="utf-8")
        assert read_configuration(path)[0].games == games
    write_configuration(TournamentSettings(ENGINES, games=2, sprt=Sprt(0, 5)), path)
    assert read_configuration(path)[0].games == 2


def test_a_name_or_path_that_is_not_utf_8(tmp_path: Path) -> None:
    for key, message in (
        ("name=\udcff", r"name: '\\udcff' is not UTF-8; expected a name in UTF-8"),
        ("option.variantpath=/\udcff.toml", r"VariantPath '/\\udcff.toml': not UTF-8; expected a path in UTF-8, as"),
    ):
        with pytest.raises(SettingsError, match=message):
            parse_engine(["cmd=a", "depth=1", key], [])
    path = tmp_path / "games-\udcff.toml"
    path.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"games-\\udcff.toml': the path is not UTF-8"):
        read_variant_file(str(path))
