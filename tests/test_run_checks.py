"""The checks of conftest.py on a test run, and the helper that groups cases."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import latrones_uci

TESTS = Path(__file__).parent
MARKED = """
import pytest
def test_passes():
    pass
@pytest.mark.skip(reason="tired: a cat")
def test_skipped():
    pass
@pytest.mark.skipif(True, reason="tired: a cat")
def test_skipped_here():
    pass
@pytest.mark.xfail
def test_expected_to_fail():
    assert False
"""
SKIPPED_FILE = "import pytest\npytest.importorskip('no_such_module')"
STARTING = """
import subprocess, sys
import pytest
def test_starts():
    try:
        subprocess.run([sys.executable, "-c", ""], check=True)
    except OSError:
        pass
"""
STARTING_MARKED = STARTING.replace("def test", "@pytest.mark.process\ndef test")
SKIP = "SKIP NOT ALLOWED test_some.py"
TIRED = [f"{SKIP}::{name}: " for name in ("test_skipped", "test_skipped_here", "test_expected_to_fail")]
REASON = '[reasons]\n"tired: " = "sleeps"\n[skips]\n'
NAMES = '[reasons]\n"legs: " = ""\n[skips]\n"test_some.py::test_skipped" = ""\n"test_some.py::test_expected*" = ""'
FAILED, PASSED = pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.OK
PLACE = Path(latrones_uci.__file__).parent


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize(("source", "allowed", "words", "status", "printed"), [
    # Skips and expected failures fail the run, unless their reason or their name is allowed.
    (MARKED, "", [], FAILED, TIRED),
    (MARKED, REASON, [], FAILED, ["2 tests skipped: Skipped: tired: a cat", TIRED[2]]),
    (MARKED, NAMES, [], FAILED, [TIRED[1]]),
    (MARKED, NAMES.replace("test_skipped", "*"), [], PASSED, []),
    (MARKED, "", ["-k", "passes"], PASSED, []),
    (SKIPPED_FILE, "", [], FAILED, [f"{SKIP}: "]),
    # The package under test is the one that is expected.
    (MARKED, REASON, ["--expect-prefix", "elsewhere"], pytest.ExitCode.USAGE_ERROR, ["the package under test is"]),
    (MARKED, "", [f"--expect-prefix={PLACE}", "-k", "passes"], PASSED, ["1 passed"]),
    # A test that starts a program needs a mark, even if it catches the error.
    (STARTING, "", ["--forbid-processes"], FAILED, ["test_starts starts a program (subprocess.Popen); mark it with"]),
    (STARTING_MARKED, "", ["--forbid-processes"], PASSED, ["1 passed"]),
    (STARTING, "", [], PASSED, ["1 passed"]),
])
def test_checks_of_a_run(
    tmp_path: Path, source: str, allowed: str, words: list[str], status: int, printed: list[str]
) -> None:
    for name in ("conftest.py", "engine_fixtures.py"):
        shutil.copy(TESTS / name, tmp_path)
    (tmp_path / "allowed_skips.toml").write_text(allowed or "[reasons]\n[skips]\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = process\n", encoding="utf-8")
    (tmp_path / "test_some.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words, str(tmp_path)]
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    # Loading the plugins would take longer than everything else.
    environment = os.environ | {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    output = done.stdout + done.stderr
    assert done.returncode == status, output
    assert [text for text in printed if text not in output] == []
    assert output.count(SKIP) == sum(text.startswith(SKIP) for text in printed)
