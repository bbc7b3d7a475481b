"""Checks of the test run: the right package is under test, no skip is hidden, and the marks are right."""

from __future__ import annotations

import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import effort

pytest_plugins = ["engine_fixtures"]

TESTS = Path(__file__).parent
ALLOWED: dict[str, dict[str, str]] = tomllib.loads((TESTS / "allowed_skips.toml").read_text(encoding="utf-8"))
NO_NATIVE = "no native kernel: "

# The same examples every time, so that runs are reproducible; the profile `explore` searches for new ones.
for profile, share in effort.SHARES.items():
    hypothesis.settings.register_profile(
        profile, derandomize=profile != "explore", deadline=None, database=None, print_blob=True,
        max_examples=round(100 * share),
    )
hypothesis.settings.load_profile("default")

# Marks of tests that another system cannot run. They are left out there, not skipped: there is nothing to install.
OF_OTHER_SYSTEMS = [*["linux"] * (sys.platform != "linux"), *["posix"] * (sys.platform == "win32")]

# A shell without job control starts background jobs with SIGINT ignored. The programs that tests start and interrupt
# would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

skipped: dict[str, str] = {}

# The audit events for starting a program; see `sys.audit`.
STARTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.system", "os.startfile"})
forbidding: list[str] = []  # the running test, if it must not start a program


@pytest.fixture(scope="session", params=["python", "native"])
def backend(request: pytest.FixtureRequest) -> str:
    """The name of a kernel; tests with this fixture run with each kernel. A compiled native kernel must work."""
    if request.param == "native":
        request.getfixturevalue("native_core")
    return str(request.param)


@pytest.fixture(scope="session")
def native_core() -> None:
    """For tests of only the native kernel; skips the test if it is not compiled."""
    from latrones_uci.engine import native

    if not native.is_compiled():
        pytest.skip(NO_NATIVE + native.why_not_compiled())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--expect-prefix", metavar="DIR", help="stop unless the latrones_uci under test is installed below DIR"
    )
    parser.addoption(
        "--forbid-processes", action="store_true", help="fail a test that starts a program without the mark 'process'"
    )
    parser.addoption(
        "--cases", metavar="N", type=int, default=sys.maxsize, help="take at most N cases of a test, spread over all"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--forbid-processes"):
        sys.addaudithook(refuse_to_start)
    prefix = config.getoption("--expect-prefix")
    if prefix is None:
        return
    import latrones_uci

    place = Path(latrones_uci.__file__).resolve()
    if not place.is_relative_to(Path(prefix).resolve()):
        raise pytest.UsageError(f"the package under test is {place}, which is not below {prefix}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests of other systems and what ``--cases`` leaves out; begin with those in a browser, the longest."""
    most = config.getoption("--cases")
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any(item.get_closest_marker(mark) for mark in OF_OTHER_SYSTEMS):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    taken = {item for same in cases.values() for item in same[:: -(-len(same) // most)]}
    config.hook.pytest_deselected(items=[item for item in items if item not in taken])
    items[:] = [item for item in items if item in taken]
    items.sort(key=lambda item: item.get_closest_marker("gui") is None)


def refuse_to_start(event: str, arguments: object) -> None:
    if forbidding and event in STARTS:
        raise RuntimeError(f"{forbidding[-1]} starts a program ({event}); mark it with @pytest.mark.process")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if item.config.getoption("--forbid-processes") and not item.get_closest_marker("process"):
        forbidding.append(item.nodeid)
    try:
        return (yield)
    finally:
        forbidding.clear()


def record(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped:
        skipped[report.nodeid] = reason_of(report.longrepr)


def reason_of(longrepr: Any) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) else "expected to fail"


pytest_runtest_logreport = record
pytest_collectreport = record


def is_allowed(test: str, reason: str) -> bool:
    return any(reason.removeprefix("Skipped: ").startswith(start) for start in ALLOWED["reasons"]) or any(
        test.startswith(name[:-1]) if name.endswith("*") else test == name for name in ALLOWED["skips"]
    )


def not_allowed() -> dict[str, str]:
    return {test: reason for test, reason in skipped.items() if not is_allowed(test, reason)}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if not_allowed() and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for reason, count in Counter(skipped.values()).items():
        terminalreporter.write_line(f"{count} tests skipped: {reason}", yellow=True)
    for test, reason in not_allowed().items():
        terminalreporter.write_line(f"SKIP NOT ALLOWED {test}: {reason} (see tests/allowed_skips.toml)", red=True)
