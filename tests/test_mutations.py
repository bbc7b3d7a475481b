"""The list of deliberate breaks: its format, and that each one still applies to the code."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "mutations.py"
ENTRY = {"name": "n", "what": "w", "file": "a.py", "find": "one", "replace": "two", "test": "tests/test_a.py::test_a"}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutations", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutations"] = module  # dataclasses look up their module there
    spec.loader.exec_module(module)
    return module


def test_every_break_applies_to_the_code(script: ModuleType) -> None:
    mutations = script.load()
    assert len(mutations) > 100
    assert [f"{each.name}: {what}" for each in mutations for what in script.problems(each)] == []


def listed(folder: Path, *entries: dict[str, object]) -> Path:
    file = folder / "list.toml"
    lines = ["[[mutation]]\n" + "".join(f"{key} = {value!r}\n" for key, value in entry.items()) for entry in entries]
    file.write_text("".join(lines), encoding="utf-8")
    return file


def test_a_list_is_read(script: ModuleType, tmp_path: Path) -> None:
    (mutation,) = script.load(listed(tmp_path, {**ENTRY, "replace": ""}))
    assert (mutation.name, mutation.replace, mutation.native) == ("n", "", False)


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ([], "'mutation'"),
        ([{**ENTRY, "more": "x"}], "n: missing or unknown keys: more"),
        ([{key: value for key, value in ENTRY.items() if key != "test"}], "n: missing or unknown keys: test"),
        ([{**ENTRY, "find": ""}], "n: wrong type or empty: find"),
        ([{**ENTRY, "what": 1}], "n: wrong type or empty: what"),
        ([ENTRY, ENTRY], "n: duplicate name"),
    ],
)
def test_invalid_lists_are_rejected(
    script: ModuleType, tmp_path: Path, entries: list[dict[str, object]], what: str
) -> None:
    with pytest.raises(script.ListError, match=what):
        script.load(listed(tmp_path, *entries))


def test_the_error_in_an_entry_is_reported(script: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "a.py").write_text("one or one\n")
    (tmp_path / "b.cpp").write_text("one\n")
    (tmp_path / "tests" / "test_a.py").write_text("def test_b():\n    pass\n")
    mutation = script.Mutation(**ENTRY)
    assert script.problems(mutation, tmp_path) == [
        "find occurs 2 times in a.py; expected once", "there is no test_a in tests/test_a.py"]
    assert script.problems(replace(mutation, file="b.cpp", test="tests/test_a.py::test_b[1]"), tmp_path) == [
        "native is for C++ files, and for them only"]
    assert script.problems(replace(mutation, file="c.py", replace="one", test="tests/test_c.py"), tmp_path) == [
        "find and replace are the same", "c.py does not exist", "tests/test_c.py does not exist"]


class FakeCopy:
    """A substitute for a copy of the checkout, in which tests end with given exit statuses."""

    def __init__(self, statuses: dict[str, int]) -> None:
        self.statuses = statuses

    def test(self, *tests: str) -> tuple[int, str]:
        return max(self.statuses[test] for test in tests), ""


def test_a_test_that_fails_without_a_break_is_reported(script: ModuleType) -> None:
    mutations = [script.Mutation(**{**ENTRY, "name": test, "test": test}) for test in ("t::a", "t::b")]
    assert script.check_unbroken(FakeCopy({"t::a": 0, "t::b": 0}), mutations, print) == []
    assert script.check_unbroken(FakeCopy({"t::a": 0, "t::b": 1}), mutations, print) == ["t::b"]


def test_the_core_is_restored_after_a_break_of_it(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next break in the same copy may be one of Python code, whose test uses the core."""
    root = tmp_path / "checkout"
    (root / script.CORE_FOLDER).mkdir(parents=True)
    (root / script.CORE_FOLDER / "a.hpp").write_text("int a = 1;")
    (root / script.CORE_FOLDER / "_core.x.so").write_bytes(b"good")
    monkeypatch.setattr(script, "ROOT", root)
    copy = script.Copy(tmp_path / "copy")
    core = copy.folder / script.CORE_FOLDER / "_core.x.so"
    monkeypatch.setattr(copy, "build", lambda: core.write_bytes(b"broken"))
    during = []
    monkeypatch.setattr(copy, "test", lambda test: (during.append(core.read_bytes()), (1, ""))[1])
    mutation = script.Mutation("a", "w", str(script.CORE_FOLDER / "a.hpp"), "1", "2", "t.py::t", native=True)
    assert copy.try_out(mutation) == ""
    assert (during, core.read_bytes()) == ([b"broken"], b"good")


@pytest.mark.slow
@pytest.mark.process
def test_breaks_are_tried_out(script: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A break that is found, one that is not, and one that prevents its test from running."""
    root = tmp_path / "checkout"
    (root / "tests").mkdir(parents=True)
    (root / "sums.py").write_text("def add(a, b):\n    return a + b\n\n\ndef unused():\n    return 1\n")
    test = "import sums\n\n\ndef test_add():\n    assert sums.add(2, 3) == 5\n"
    (root / "tests" / "test_sums.py").write_text(test)
    original, script.ROOT = script.ROOT, root
    try:
        copy = script.Copy(tmp_path / "copy")
        noticed = script.Mutation("a", "w", "sums.py", "a + b", "a * b", "tests/test_sums.py::test_add")
        missed = replace(noticed, find="return 1", replace="return 2")
        broken = replace(noticed, find="a + b", replace="a +")
        assert script.check_unbroken(copy, [noticed], print) == []
        assert copy.try_out(noticed) == ""
        assert copy.try_out(missed).startswith("NOT NOTICED: the test passes")
        assert copy.try_out(broken).startswith("NO TEST RAN: exit status")
        assert (copy.folder / "sums.py").read_text() == (root / "sums.py").read_text()
        assert script.run_all([noticed, replace(missed, name="b")], 2, print) == ["b"]
    finally:
        script.ROOT = original


def test_nothing_to_do_is_an_error(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--only", "no-such-break"]) == 2
    assert "no break is chosen" in capsys.readouterr().err
    assert script.main(["--list", "--only", "rules-corner"]) == 0
    assert capsys.readouterr().out.startswith("rules-corner: ")
