"""Files of variants: what would take minutes or gigabytes is counted, and refused, before it is parsed."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.variants import check_file
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.options import Settings
from latrones_uci.game import VariantError, builtin_variants, check_variants, parse_variants, variants
from latrones_uci.game import load_variants as load_file
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.game.variants import MAX_FILE_BYTES, MAX_KEYS, MAX_VARIANTS
from latrones_uci.records.settings import read_configuration
from latrones_uci.text.toml import MAX_BARE_CHARACTERS, MAX_KEY_PARTS, MAX_NESTED, MAX_TABLES, parse_toml

ENTRY = '[{}]\nparent = "latrones"\ntitle = "T"\nsource = "S"\n'
MANY = 20_000
FEWER = 5_000
DOTS = "too many dots"
NESTED = "too many nested tables"
LONG = "without quotes that is too long"
TABLES = "too many tables"
ITEMS = "too many keys"
LINES = "too many lines and strings"

TOO_MUCH = {
    "dots": ("a" + ".a" * MANY + "=1", DOTS),
    "dots with blanks": ("a" + " .\ta" * MANY + "=1", DOTS),
    "quoted parts": ("x=1\n''" + '.""' * FEWER + "=1", "line 2: .*" + DOTS),
    "parts with quotes inside": ("a" + ".'\"'.\"'\"" * FEWER + "=1", DOTS),
    "dots in a header": ("[a" + ".a" * MANY + "]", DOTS),
    "dots in an inline table": ("a={b" + ".b" * MANY + "=1}", DOTS),
    "dots after a comment": ("# \"\"\"\na" + ".a" * MANY + "=1 # '''", "line 2: .*" + DOTS),
    "dots after a text": ('t = """\n"" \\""" [[ .a.a.a.a.a """\na' + ".a" * MANY, "line 3: .*" + DOTS),
    "arrays": ("a=" + "[" * 1000, NESTED),
    "arrays over lines": ("\n\na=" + "[\n" * 1000, NESTED),
    "inline tables": ("a=" + "{a=" * 1000, NESTED),
    "lines": ("\n" * 5 * MANY, LINES),
    "comments": ("#\n" * 5 * MANY, LINES),
    "strings": ("a=" + '""' * 3 * MANY, LINES),
    "a number": ("a=" + "9" * MANY, LONG),
    "hexadecimal digits": ("a=0x" + "f" * MANY, LONG),
    "a bare key": ("k" * MANY + "=1", LONG),
    "tables": ("".join(f"[k{number}]\n" for number in range(MANY)), TABLES),
    "lists of tables": ("[[a]]\n" * MANY, TABLES),
    "keys": ("".join(f"k{number}=1\n" for number in range(MANY + 1)), ITEMS),
    "items": ("a=[" + "1," * (MANY + 1) + "]", ITEMS),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_excess_is_found_without_parsing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str) -> dict[str, Any]:
        raise AssertionError("parsed")

    monkeypatch.setattr(tomllib, "loads", parse)
    text, expected = TOO_MUCH[name]
    with pytest.raises(ValueError, match=expected) as caught:
        parse_toml(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


WITHIN = [
    ".".join("a" * MAX_KEY_PARTS) + " = 1",
    "a = " + "[" * MAX_NESTED + "]" * MAX_NESTED,
    "a = 0x" + "f" * (MAX_BARE_CHARACTERS - 2),
    "".join(f"[k{number}]\n" for number in range(MAX_TABLES)),
    "a = '" + "x.y[{=," * MANY + "'",
    'a = "' + r"\"x.y[{=,#'" * MANY + '"  # "',
    'a = """' + "\n'''x.y[{=,\n\"\" " * FEWER + '"""""  # "',
    "a = '''" + '\n""" \\x.y[{=,' * FEWER + "'''''",
    "# " + "a.b.c.d.e.f.g" * MANY + "\n" + "# '\n" * MANY + "a = 1 # \"",
    "a = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]\nb.c = 1e5\nd = 1979-05-27T07:32:00.999Z",
]


@pytest.mark.parametrize("text", WITHIN, ids=range(len(WITHIN)))
def test_what_is_within_the_limits_is_parsed_as_ever(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


ENDLESS = ['a = """\nb', "a = '''\nb", 'a = "b', "a = 'b", 'a = "\\', 'a = """' + r'\"""' * MANY]


@pytest.mark.parametrize("text", ENDLESS, ids=range(len(ENDLESS)))
def test_a_string_without_an_end_is_an_error_of_the_parser(text: str) -> None:
    with pytest.raises(ValueError, match="not a TOML file: "):
        parse_toml(text)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    text = ENTRY.format("mine")
    assert list(parse_variants("\ufeff" + text, builtin_variants())) == ["mine"]
    path = tmp_path / "games.toml"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert "mine" in load_variants(str(path))


# ---------------------------------------------------------------- every way in


@pytest.mark.parametrize(("read", "error"), [
    (lambda path: Settings().set("VariantPath", str(path)), OptionError),
    (lambda path: load_variants(str(path)), SettingsError),
    (read_configuration, SettingsError),
])
def test_every_reader_refuses_it(
    read: Callable[[Path], object], error: type[Exception], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.toml"
    path.write_text(TOO_MUCH["dots"][0], encoding="utf-8")
    with pytest.raises(error, match=f"games.toml'.*{DOTS}"):
        read(path)
    assert check_file(str(path)) == 1
    assert capsys.readouterr().err == f"{path}: line 1: key with too many dots; expected at most 4 parts\n"


# ---------------------------------------------------------------- the work of a file of variants


def test_a_file_has_a_limited_number_of_variants_and_keys() -> None:
    full = "".join(ENTRY.format(f"g{number}") for number in range(MAX_VARIANTS))
    assert len(parse_variants(full, builtin_variants())) == MAX_VARIANTS
    for text in (full + ENTRY.format("more"), "[a]\n" + "".join(f"k{n} = 1\n" for n in range(MAX_KEYS + 1))):
        with pytest.raises(VariantError, match="too many"):
            parse_variants(text, builtin_variants())
    assert len(full) < MAX_FILE_BYTES


def test_each_key_of_a_variant_is_checked_a_fixed_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a file is its number of variants times a constant, however their parents are chained."""
    calls = 0
    original = Ruleset.value_problem

    def count(key: str, value: object) -> str | None:
        nonlocal calls
        calls += 1
        return original(key, value)

    def resolve(*arguments: object) -> None:
        raise AssertionError("the types of the keys are resolved again")

    builtin_variants()
    monkeypatch.setattr("latrones_uci.game.ruleset.get_type_hints", resolve)
    monkeypatch.setattr(Ruleset, "value_problem", staticmethod(count))
    chain = ENTRY.format("g0") + "".join(f'[g{number}]\nparent = "g{number - 1}"\n' for number in range(1, 31))
    assert len(parse_variants(chain, builtin_variants())) == 31
    assert calls <= 31 * 2 * len(Ruleset.__dataclass_fields__)


def test_parsing_stops_at_the_first_problem_and_children_do_not_repeat_it() -> None:
    unknown = "[g0]\n" + "".join(f"k{number} = 1\n" for number in range(100))
    text = unknown + "".join(f'[g{number}]\nparent = "g0"\n' for number in range(1, 100))
    _, found = check_variants(text, builtin_variants())
    assert [problem.key for problem in found if problem.text.startswith("unknown key")] == [f"k{n}" for n in range(100)]
    with pytest.raises(VariantError, match="variant 'g0': k0: unknown key"):
        parse_variants(text, builtin_variants())


@pytest.mark.parametrize(("value", "shown"), [
    ("0x" + "f" * 198, "0x?[0-9a-f.]+|[0-9]+[.]+[0-9]+"),
    ("[" + "1," * 4000 + "]", r"\[1, 1"),
    ("true", "true"),
    ('"' + "x" * 50_000 + '"', "xxx"),
])
def test_values_of_the_wrong_kind_are_quoted_briefly(value: str, shown: str) -> None:
    with pytest.raises(VariantError, match=rf"hand: expected .*, not .*({shown})") as caught:
        parse_variants(ENTRY.format("mine") + f"hand = {value}\n", builtin_variants())
    assert len(str(caught.value)) < 300


# ---------------------------------------------------------------- kinds of files


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    with pytest.raises(VariantError, match="not a regular file|Is a directory"):
        load_file(str(tmp_path))


@pytest.mark.posix
def test_neither_pipes_nor_devices_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(VariantError, match="not a regular file"):
            load_file(str(path))


def test_an_endless_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "games.toml"
    with path.open("wb") as file:
        file.truncate(2**40)  # a sparse file, which needs no disk space
    with pytest.raises(VariantError, match="longer than 131072 bytes"):
        load_file(str(path))


def test_an_invalid_path_is_an_error() -> None:
    with pytest.raises(VariantError, match="not UTF-8|null"):
        load_file("a\0b")


@pytest.mark.posix
def test_a_file_that_waits_for_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/proc/kmsg calls itself a regular file; reading it waits for the next message of the kernel."""
    path, flags = tmp_path / "kmsg", list[int]()
    path.touch()
    original = os.open

    def remember(path: str, mode: int) -> int:
        flags.append(mode)
        return original(path, mode)

    def read(descriptor: int, count: int) -> bytes:
        assert flags.pop() & os.O_NONBLOCK
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", remember)
        patch.setattr(os, "read", read)
        with pytest.raises(VariantError, match="not a regular file"):
            variants.read_variants(str(path))


def test_names_that_differ_in_case_only_are_rejected() -> None:
    """Options are compared without case, so that one of them could not be chosen."""
    for names in (("Mine", "mine"), ("mine", "MINE", "other")):
        with pytest.raises(VariantError, match="case"):
            parse_variants("".join(ENTRY.format(name) for name in names), builtin_variants())
    assert list(parse_variants(ENTRY.format("Mine"), builtin_variants())) == ["Mine"]
