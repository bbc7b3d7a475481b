"""The checks of conftest.py on a test run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import latrones_uci

TESTS = Path(__file__).parent
SKIPPING = """
import pytest

def test_passes():
    pass

@pytest.mark.{mark}
def test_marked():
    assert {value}
"""


def run(folder: Path, source: str, allowed: str, *arguments: str, reasons: str = "") -> tuple[int, str]:
    """Run pytest with the project's conftest.py on one test file; return exit status and output."""
    for name in ("conftest.py", "engine_fixtures.py"):
        shutil.copy(TESTS / name, folder)
    (folder / "allowed_skips.toml").write_text(f"[reasons]\n{reasons}\n[skips]\n{allowed}", encoding="utf-8")
    (folder / "pytest.ini").touch()
    (folder / "test_some.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, str(folder)]
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    # Loading the plugins would take longer than everything else.
    environment = os.environ | {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.process
def test_skips_and_expected_failures_fail_the_run(tmp_path: Path) -> None:
    marks = {"skip(reason='tired')": True, "skipif(True, reason='tired')": True, "xfail": False}
    source = "import pytest\n" + "".join(
        f"@pytest.mark.{mark}\ndef test_marked_{number}():\n    assert {value}\n"
        for number, (mark, value) in enumerate(marks.items())
    )
    status, printed = run(tmp_path, source, "")
    assert status == pytest.ExitCode.TESTS_FAILED
    for number in range(len(marks)):
        assert f"SKIP NOT ALLOWED test_some.py::test_marked_{number}" in printed
    first, second = '"test_some.py::test_marked_0" = "may rest"', '"test_some.py::test_marked_1" = "may rest"'
    status, printed = run(tmp_path, source, f"{first}\n{second}")
    assert (status, printed.count("NOT ALLOWED")) == (pytest.ExitCode.TESTS_FAILED, 1)
    status, printed = run(tmp_path, source, '"test_some.py::*" = "may rest"')
    assert (status, "NOT ALLOWED" in printed) == (pytest.ExitCode.OK, False)


@pytest.mark.process
def test_skipped_file_fails_the_run(tmp_path: Path) -> None:
    status, printed = run(tmp_path, "import pytest\npytest.importorskip('no_such_module')", "")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "SKIP NOT ALLOWED test_some.py" in printed


@pytest.mark.process
def test_skips_with_an_allowed_reason_are_counted(tmp_path: Path) -> None:
    source = SKIPPING.format(mark="skip(reason='no legs: a fish')", value=True)
    assert run(tmp_path, source, "", reasons='"legs: " = "walks"')[0] == pytest.ExitCode.TESTS_FAILED
    status, printed = run(tmp_path, source, "", reasons='"no legs: " = "swims"')
    assert (status, "NOT ALLOWED" in printed) == (pytest.ExitCode.OK, False)
    assert "1 tests skipped: Skipped: no legs: a fish" in printed


@pytest.mark.process
def test_deselected_tests_are_not_skipped_tests(tmp_path: Path) -> None:
    source = SKIPPING.format(mark="skip(reason='tired')", value=True)
    assert run(tmp_path, source, "", "-k", "passes")[0] == pytest.ExitCode.OK


@pytest.mark.process
def test_a_package_in_another_folder_stops_the_run(tmp_path: Path) -> None:
    status, printed = run(tmp_path, "def test_passes(): pass", "", "--expect-prefix", str(tmp_path / "environment"))
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "the package under test is" in printed
    assert "passed" not in printed


@pytest.mark.process
def test_a_package_in_the_expected_folder(tmp_path: Path) -> None:
    place = Path(latrones_uci.__file__).parent
    status, printed = run(tmp_path, "def test_passes(): pass", "", f"--expect-prefix={place}")
    assert (status, "1 passed" in printed) == (pytest.ExitCode.OK, True)


STARTING = """
import subprocess, sys
import pytest
{mark}
def test_starts():
    try:
        subprocess.run([sys.executable, "-c", ""], check=True)
    except OSError:
        pass
"""


@pytest.mark.process
def test_a_test_that_starts_a_program_needs_the_mark(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = process\n")
    status, printed = run(tmp_path, STARTING.format(mark=""), "", "--forbid-processes")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "test_some.py::test_starts starts a program (subprocess.Popen); mark it with" in printed
    marked = STARTING.format(mark="@pytest.mark.process")
    assert run(tmp_path, marked, "", "--forbid-processes")[0] == pytest.ExitCode.OK
    assert run(tmp_path, STARTING.format(mark=""), "")[0] == pytest.ExitCode.OK
