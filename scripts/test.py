#!/usr/bin/env python3
"""Check this checkout, starting from nothing but a Python interpreter. There are three tiers.

    test.py --quick   lint, types and the tests that start no process, in the kept environment .venv
    test.py           all layers from an installed wheel, both kernels, browser and XBoard where installed
    test.py --all     also slow tests, the examples of other projects, warnings of both compilers, sanitizers, fuzzing,
                      a build without a compiler and a Python for Windows under Wine: continuous integration

The last two make a virtual environment, build a wheel, install it with the developers' tools, and test it from outside
the checkout; the C++ tests link what the wheel was built from. ``--quick`` installs the checkout itself, again only if
the inputs of the build change. Every stage that can run is run; a stage in the background is counted in no other.
The exit status is 0 if all of them pass, 1 if one fails, and 2 if nothing can run.
"""

from __future__ import annotations  # an older Python must get as far as the message about its version

import argparse
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = 3  # exit status of checks.py
SHOWN_LINES = 40  # of a failed test, repeated below the stages: a long log may have lost its middle
TESTS = {
    "quick": ["-m", "not slow and not gui and not process and not long", "--forbid-processes",
              "--hypothesis-profile=quick", "--cases=4"],
    "default": ["-m", "not slow", "--cases=6"],
    "all": ["--hypothesis-profile=full"],
}


class Run:
    """One run of the checks: its folders, and the outcome of each stage."""

    def __init__(self, work: Path, venv: Path) -> None:
        self.work, self.venv, self.package_below = work, venv, venv
        self.python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.outcomes: list[tuple[str, str, float]] = []
        self.failed_tests: list[str] = []  # their names and the ends of their output
        self.pool = ThreadPoolExecutor()

    def stage(self, name: str, action: Callable[[], str | None]) -> bool:
        """Run one stage; record its outcome and seconds. An action may return why it checked nothing."""
        print(f"\n==== {name}", flush=True)
        return self.note(name, *measured(action))

    def begin(self, name: str, action: Callable[[], str | None]) -> Callable[[], bool]:
        """Begin a stage in the background; return what waits for its end."""
        future = self.pool.submit(measured, action)
        return lambda: self.note(name, *future.result())

    def note(self, name: str, outcome: str, seconds: float) -> bool:
        self.outcomes.append((name, outcome, seconds))
        print(f"==== {name}: {outcome}", flush=True)
        return not outcome.startswith("FAILED")

    def command(self, *words: str | Path) -> None:
        print("$", *words, flush=True)
        if status := subprocess.run([str(word) for word in words], cwd=self.work).returncode:
            raise ValueError(f"exit status {status}")

    def captured(self, *words: str | Path) -> str | None:
        """Run a command, and show its output at its end; return its last line if it leaves something out."""
        done = subprocess.run([str(word) for word in words], cwd=self.work, encoding="utf-8", errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print("$", *words, f"\n{done.stdout}", end="", flush=True)
        if done.returncode not in (0, LEFT_OUT):
            raise ValueError(f"exit status {done.returncode}")
        return done.stdout.splitlines()[-1] if done.returncode == LEFT_OUT else None

    def module(self, *words: str | Path) -> None:
        self.command(self.python, "-m", *words)

    def pip(self, *words: str | Path) -> None:
        self.module("pip", "--quiet", "--disable-pip-version-check", *words)

    def script(self, *words: str) -> str | None:
        return self.captured(self.python, ROOT / "scripts" / words[0], *words[1:])

    # ---------------------------------------------------------------- the stages

    def make_environment(self) -> None:
        if not self.python.exists():
            self.command(sys.executable, "-m", "venv", self.venv)

    def install(self, *groups: str) -> None:
        """Build a wheel of a clean copy and install it; install the tools meanwhile, which is mostly waiting."""
        from release import copy_checkout, dependency_group

        copy_checkout(self.work / "source")
        tools = self.pool.submit(self.pip, "install", *(each for group in groups for each in dependency_group(group)))
        self.pip("wheel", "--no-deps", "--wheel-dir", self.work / "wheels", self.work / "source")
        tools.result()
        (wheel,) = (self.work / "wheels").iterdir()
        self.pip("install", "--no-deps", "--force-reinstall", wheel)  # a kept environment may hold an older build

    def install_editable(self) -> None:
        """Install the checkout itself, with its core built in place, unless nothing of the build has changed since."""
        from release import dependency_group

        self.package_below = ROOT / "latrones_uci"
        stamp = self.venv / "latrones-editable-install"
        inputs = [ROOT / "pyproject.toml", ROOT / "setup.py", *(ROOT / "latrones_uci/engine/native").rglob("*.[ch]pp")]
        if not stamp.exists() or max(path.stat().st_mtime for path in inputs) > stamp.stat().st_mtime:
            self.pip("install", "--editable", ROOT, *dependency_group("dev"))
            stamp.touch()

    def pytest(self, *words: str | Path) -> None:
        report = self.work / f"tests-{len(self.outcomes)}.xml"
        try:
            self.run_pytest(f"--junitxml={report}", *words)
        except ValueError as error:
            names = []
            for test in ElementTree.parse(report).iter("testcase") if report.exists() else ():
                for failure in (each for each in test if each.tag in ("failure", "error")):
                    names.append(f"{test.get('classname')}.{test.get('name')}")
                    lines = (failure.text or "").splitlines()[-SHOWN_LINES:]
                    self.failed_tests.append("\n".join([f"---- {names[-1]}", *lines]))
            raise ValueError(f"{error}, {', '.join(names) or 'no test told its outcome'}") from None

    def run_pytest(self, *words: str | Path) -> None:
        self.module("pytest", "--config-file", ROOT / "pyproject.toml", "--rootdir", ROOT, "-p", "no:cacheprovider",
                    f"--expect-prefix={self.package_below}", ROOT / "tests", "--durations=15", "--durations-min=0.5",
                    *words)

    def native(self, *targets: str) -> str | None:
        """Build targets of tests/engine/native, with low priority: tests of windows wait for clicks meanwhile."""
        if reason := "no C++ compiler" if not compiler() else "no cmake" if not shutil.which("cmake") else None:
            return reason
        objects = next(self.work.glob("source/build/temp*/latrones_uci/engine/native/core"), "")
        self.captured("cmake", "-S", ROOT / "tests" / "engine" / "native", "-B", "native",
                      f"-DPython3_EXECUTABLE={self.python}", f"-DCORE_OBJECTS={objects}")
        return self.captured("nice", "-n", "19", "cmake", "--build", "native", "--parallel", str(os.cpu_count()),
                             "--target", *targets)

    def build_without_compiler(self) -> str | None:
        from release import copy_checkout, wheel_without_core

        if Path(sysconfig.get_config_var("CXX") or "").is_absolute():
            return "Python's own compiler is found without a search path"
        copy_checkout(self.work / "pure_source")
        print("made", wheel_without_core(self.python, self.work / "pure_source", self.work / "pure").name)
        return None

    def fuzz(self, seconds: int) -> str | None:
        """Fuzz, where the fuzzer can be installed: not on every system, and not for every version of Python."""
        try:
            self.pip("install", "--only-binary", "atheris", "atheris>=3")
        except ValueError:
            return "atheris cannot be installed here"
        return self.captured(self.python, ROOT / "tests" / "fuzz", "--seconds", str(seconds))


def compiler() -> str | None:
    return os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")


def measured(action: Callable[[], str | None]) -> tuple[str, float]:
    begun = time.monotonic()
    try:
        reason = action()
        outcome = f"left out: {reason}" if reason else "passed"
    except (ValueError, OSError) as error:
        outcome = f"FAILED: {error}"
    return outcome, time.monotonic() - begun


def check_types(run: Run) -> None:
    """Check the types of all modules as on Linux, and of those that Windows imports as there."""
    mypy: list[str | Path] = [run.python, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml"]
    package = ROOT / "latrones_uci"
    run.captured(*mypy, "--cache-dir", run.venv / "mypy_cache", package, ROOT / "scripts", ROOT / "setup.py")
    run.captured(*mypy, "--cache-dir", run.venv / "mypy_cache_windows", "--platform", "win32",
                 package / "__main__.py", *(package / "client").glob("windows_*.py"))


def check(run: Run, tier: str, fuzzing_s: int, pytest_words: list[str]) -> None:
    """Run the stages of a tier that can run here, and record why others cannot."""
    groups = ["dev", *["examples"] * (tier == "all")]
    install = run.install_editable if tier == "quick" else lambda: run.install(*groups)
    if not (run.stage("environment", run.make_environment) and run.stage("install", install)):
        return
    end_of_types = run.begin("types", lambda: check_types(run))
    if compiler():
        run.stage("core", lambda: run.module("latrones_uci", "--backend", "native", "--version"))
    run.stage("lint", lambda: run.module("ruff", "check", "--no-cache", ROOT))
    # Each worker begins with a part of the tests in their order, the first one with those in a browser.
    words = ["--numprocesses", "auto", "--dist", "worksteal", *TESTS[tier], *pytest_words]
    if tier == "quick":
        run.stage("tests", lambda: run.pytest(*words))
        end_of_types()
        return
    if os.name == "nt":  # the part of the tests that Windows and Wine share; the C++ library is tested on POSIX
        run.stage("windows", lambda: run.script("windows.py"))
        end_of_types()
        return
    run.stage("javascript", lambda: run.script("checks.py", "javascript"))
    run.stage("workflows", lambda: run.script("checks.py", "workflows"))
    kernels = [] if tier == "all" else ["native"]  # the other takes a minute
    run.stage("signatures", lambda: run.script("checks.py", "signatures", *kernels) if (ROOT / ".git").exists()
              else "no git")
    end_of_native = run.begin("native", lambda: run.native("check", *["warnings", "sanitizers"] * (tier == "all")))
    run.stage("tests", lambda: run.pytest(*words))
    end_of_types()
    end_of_native()
    if tier == "all":
        run.stage("no compiler", run.build_without_compiler)
        run.stage("fuzzing", lambda: run.fuzz(fuzzing_s) if fuzzing_s else "--fuzz 0")
        run.stage("windows", lambda: run.script("windows.py"))


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036
        print(f"scripts/test.py needs Python 3.11 or newer; this is {sys.version}")
        return 2
    parser = argparse.ArgumentParser(
        description="Build, install and check the package in a virtual environment.",
        epilog="Arguments after -- go to pytest, for instance: test.py --quick -- -k perft -x",
    )
    tier, add = parser.add_mutually_exclusive_group(), parser.add_argument
    tier.add_argument("--quick", dest="tier", action="store_const", const="quick", default="default",
                      help="lint, types and the tests that start no process, in a kept environment")
    tier.add_argument("--all", dest="tier", action="store_const", const="all",
                      help="also slow tests, warnings, sanitizers, fuzzing, a build without a compiler, and Wine")
    add("--fuzz", metavar="SECONDS", type=int, default=60,
        help="how long --all fuzzes, 0 for not at all (default: %(default)s)")
    add("--venv", metavar="DIR", type=Path,
        help="environment to make or reuse, and keep (default: .venv with --quick, else a temporary one)")
    add("pytest_words", nargs="*", metavar="-- ARGUMENT", help="for pytest")
    options = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a pipe of Windows has few characters
        sys.stdout.reconfigure(errors="backslashreplace")
    kept = options.venv or (ROOT / ".venv" if options.tier == "quick" else None)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="latrones-test-") as folder:
        run = Run(Path(folder), kept.resolve() if kept else Path(folder, "venv"))
        check(run, options.tier, options.fuzz, options.pytest_words)
    print("", *run.failed_tests, "", sep="\n")
    for name, outcome, seconds in [*run.outcomes, ("total", "", time.monotonic() - begun)]:
        print(f"{name:<12} {seconds:>7.1f} s  {outcome}".rstrip(), flush=True)
    return 1 if any(outcome.startswith("FAILED") for _, outcome, _ in run.outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
