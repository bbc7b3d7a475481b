import stat
import tomllib
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file
from latrones_uci.match.adjudication import DrawRule, GameLimits
from latrones_uci.match.files import render_toml
from latrones_uci.match.plan import Format
from latrones_uci.match.screen import ScreenSettings
from latrones_uci.match.settings import MAX_TEST_GAMES, TournamentSettings, read_configuration, write_configuration
from latrones_uci.stats import Sprt

HOSTILE = 'a"b\\c\n\x7f\x00é\U0001f600 = [x]'
ENGINES = (
    EngineSettings(("engine", HOSTILE), TimeControl(base_ms=1000, nodes=5), HOSTILE, ((HOSTILE, "1"), ("b", ""))),
    EngineSettings(("other",), TimeControl(movetime_ms=10), restart=True, environment=(("A", ""), ("B", HOSTILE))),
)


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
    ],
)
def test_a_bad_file_is_one_clear_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        read_configuration(path)
    assert message in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


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


@pytest.mark.parametrize(
    "text", [f"engines = {'[' * 5_000}", 'variant_path = "a\\u0000b"', "engines = [" + "{a=" * 3_000]
)
def test_hostile_files_are_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "match.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_configuration(path)
    assert str(caught.value).isprintable()


def test_a_test_in_a_file_without_a_number_of_games_is_played_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    engines = "[[engines]]\ncommand = ['a']\ncontrol = 'depth=1'\n" * 2
    for text, games in (("", 2), ("[sprt]\nelo0 = 0\nelo1 = 5\n", MAX_TEST_GAMES)):
        path.write_text(engines + text, encoding="utf-8")
        assert read_configuration(path)[0].games == games
    write_configuration(TournamentSettings(ENGINES, games=2, sprt=Sprt(0, 5)), path)
    assert read_configuration(path)[0].games == 2


@pytest.mark.parametrize(("keys", "message"), [
    (["name=\udcff"], r"name: '\\udcff' is not UTF-8; expected a name in UTF-8"),
    (["option.variantpath=/\udcff.toml"], r"VariantPath '/\\udcff.toml': not UTF-8; expected a path in UTF-8, as"),
])  # fmt: skip
def test_a_name_or_path_that_is_not_utf_8(keys: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_engine(["cmd=a", "depth=1", *keys], [])


def test_a_variant_file_whose_path_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "games-\udcff.toml"
    path.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"games-\\udcff.toml': the path is not UTF-8"):
        read_variant_file(str(path))


def test_names_that_are_the_same_in_pgn_are_refused() -> None:
    engines = tuple(EngineSettings(("a",), TimeControl(depth=1), name) for name in ("A B", "A\u00a0B"))
    with pytest.raises(SettingsError, match=r"engine names 'A B' and 'A\\xa0B': the same name in PGN"):
        TournamentSettings(engines)
