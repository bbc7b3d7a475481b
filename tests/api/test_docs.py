"""``docs/api.md``: its examples work as they stand, and it covers all public names."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import fields
from pathlib import Path

import pytest

import latrones_uci
from folders import EXAMPLES, ROOT
from latrones_uci import (
    Limit,
    OptionDeclaration,
    PlayResult,
    Score,
    SearchInfo,
    SearchLimits,
    TableValue,
    Timeouts,
)

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
BLOCKS = [(PAGE.count("\n", 0, match.start(1)), match[1])
          for match in re.finditer(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
SESSIONS = [(line, text) for line, text in BLOCKS if text.startswith(">>>")]
PROGRAMS = [pytest.param(text, id=f"line-{line}") for line, text in BLOCKS if not text.startswith(">>>")]
PATIENCE_S = 60


class Checker(doctest.OutputChecker):
    """Compares the names of errors without their private modules."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, re.sub(r"^latrones_uci\.[\w.]+\.(\w+: )", r"\1", got), optionflags)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of the examples: it has docs/examples, and the engine is on the PATH."""
    shutil.copytree(EXAMPLES, tmp_path / "docs" / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    return tmp_path


@pytest.mark.process
@pytest.mark.usefixtures("folder")
def test_examples_of_the_page() -> None:
    parser = doctest.DocTestParser()
    examples = []
    for line, text in SESSIONS:
        found = parser.get_examples(text)
        for example in found:
            example.lineno += line
        examples += found
    assert len(examples) > 60
    test = doctest.DocTest(examples, {}, "docs/api.md", "docs/api.md", 0, PAGE)
    said: list[str] = []
    runner = doctest.DocTestRunner(Checker(), optionflags=doctest.ELLIPSIS)
    result = runner.run(test, out=said.append, clear_globs=False)
    assert result.failed == 0, "".join(said)


@pytest.mark.process
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_of_the_page(folder: Path, program: str) -> None:
    (folder / "my_engine.py").write_text(program, encoding="utf-8")
    lines = ["uci", "position startpos moves d1d5", "go depth 1", "isready", ""]
    done = subprocess.run(
        [sys.executable, "my_engine.py"], input="\n".join(lines), capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "info string error" not in done.stdout
    assert re.search(r"^bestmove [a-h][1-8][a-h][1-8]$", done.stdout, re.MULTILINE)


CLASSES = [getattr(latrones_uci, name) for name in latrones_uci.__all__
           if isinstance(getattr(latrones_uci, name), type)]


@pytest.mark.parametrize("cls", CLASSES)
def test_each_name_of_a_public_class_is_documented(cls: type) -> None:
    """The keys of rulesets are in docs/variants.md."""
    pages = PAGE + (ROOT / "docs" / "variants.md").read_text(encoding="utf-8") * (cls is latrones_uci.Ruleset)
    words = set(re.findall(r"\w+", " ".join(re.findall(r"```.*?```|`[^`\n]+`", pages, re.DOTALL))))
    ours = [each for each in cls.__mro__ if each.__module__.startswith("latrones_uci")]
    names = {name for each in ours for name in (*vars(each), *vars(each).get("__annotations__", ()))}
    assert sorted(name for name in names - words if not name.startswith("_")) == []


def test_the_page_is_complete() -> None:
    missing = [name for name in latrones_uci.__all__ if not re.search(rf"\b{name}\b", PAGE)]
    assert missing == ["__version__"]
    listed = set(re.findall(r"`(\w+)`", "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))))
    for described in (Limit, OptionDeclaration, PlayResult, Score, SearchInfo, SearchLimits, TableValue, Timeouts):
        assert {field.name for field in fields(described)} - listed <= {"stop_requested"}
    errors = {name for name in latrones_uci.__all__ if name.endswith("Error")}
    section = PAGE.partition("\n## Errors\n")[2]
    assert errors == set(re.findall(r"\b\w+Error\b", section)) - {"ValueError", "TypeError", "RuntimeError"}
    examples = set(re.findall(r"\]\(examples/(\w+\.py)\)", PAGE))
    assert examples == {path.name for path in EXAMPLES.glob("*.py")}
