"""The checks that conftest.py makes on a run: no skip unless allowed, and the right package under test."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
    """Runs pytest, under the project's conftest.py, on one file of tests; its exit status and what it printed."""
    shutil.copy(TESTS / "conftest.py", folder)
    (folder / "allowed_skips.toml").write_text(f"[reasons]\n{reasons}\n[skips]\n{allowed}", encoding="utf-8")
    (folder / "pytest.ini").touch()
    (folder / "test_some.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("mark", "value"), [("skip(reason='tired')", True), ("skipif(True, reason='tired')", True), ("xfail", False)]
)
def test_skip_fails_the_run(tmp_path: Path, mark: str, value: bool) -> None:
    source = SKIPPING.format(mark=mark, value=value)
    status, printed = run(tmp_path, source, "")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "SKIP NOT ALLOWED test_some.py::test_marked" in printed
    for name in ("test_some.py::test_marked", "test_some.py::*"):
        status, printed = run(tmp_path, source, f'"{name}" = "may rest"')
        assert (status, "NOT ALLOWED" in printed) == (pytest.ExitCode.OK, False)


def test_skipped_file_fails_the_run(tmp_path: Path) -> None:
    status, printed = run(tmp_path, "import pytest\npytest.importorskip('no_such_module')", "")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "SKIP NOT ALLOWED test_some.py" in printed


def test_skips_for_a_reason_that_is_allowed_are_counted(tmp_path: Path) -> None:
    source = SKIPPING.format(mark="skip(reason='no legs: a fish')", value=True)
    assert run(tmp_path, source, "", reasons='"legs: " = "walks"')[0] == pytest.ExitCode.TESTS_FAILED
    status, printed = run(tmp_path, source, "", reasons='"no legs: " = "swims"')
    assert (status, "NOT ALLOWED" in printed) == (pytest.ExitCode.OK, False)
    assert "1 tests left out: Skipped: no legs: a fish" in printed


def test_deselected_is_not_skipped(tmp_path: Path) -> None:
    source = SKIPPING.format(mark="skip(reason='tired')", value=True)
    assert run(tmp_path, source, "", "-k", "passes")[0] == pytest.ExitCode.OK


def test_package_elsewhere_stops_the_run(tmp_path: Path) -> None:
    status, printed = run(tmp_path, "def test_passes(): pass", "", "--expect-prefix", str(tmp_path / "environment"))
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "the package under test is" in printed
    assert "passed" not in printed


def test_package_in_place(tmp_path: Path) -> None:
    status, _ = run(tmp_path, "def test_passes(): pass", "", "--expect-prefix", sys.prefix)
    assert status == pytest.ExitCode.OK
