#!/usr/bin/env python3
"""Runs every check on this checkout, with nothing but a Python interpreter to start from.

Makes a virtual environment, builds the package as a wheel, installs it there with the tools for developers, and from
outside the checkout runs ruff, mypy and pytest on it. Where there is a C++ compiler the compiled core must be in the
wheel and answer, and the C++ library's own tests are run as well, plainly and under sanitizers. At last, what reads
strangers' text is fuzzed for three minutes. All stages that can run are run; the exit status is 0 if all passed.
"""

from __future__ import annotations  # so that an older Python, too, reads on to where it is told of its age

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from checkout import copy_checkout
from compiler import find_compiler

OLDEST_PYTHON = (3, 11)
FUZZING_S = 150  # three minutes with the start of each target
ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"


class StageError(Exception):
    """A stage failed; its own output has said why."""


class Run:
    """One run of all the checks: where it happens, and what became of each stage."""

    def __init__(self, work: Path, venv: Path) -> None:
        self.work, self.venv = work, venv
        folder = "Scripts" if os.name == "nt" else "bin"
        self.python = venv / folder / ("python.exe" if os.name == "nt" else "python")
        self.outcomes: list[tuple[str, str, float]] = []
        self.fuzzed = False

    def command(self, *arguments: str | Path, environment: dict[str, str] | None = None) -> None:
        """Runs a command in the work folder, its output shown as it comes."""
        print("$", *arguments, flush=True)
        status = subprocess.run([str(argument) for argument in arguments], cwd=self.work, env=environment).returncode
        if status:
            raise StageError(f"exit status {status}")

    def module(self, *arguments: str | Path) -> None:
        self.command(self.python, "-m", *arguments)

    def pip(self, *arguments: str | Path) -> None:
        self.module("pip", "--quiet", "--disable-pip-version-check", *arguments)

    def stage(self, name: str, action: Callable[[], None]) -> bool:
        """Runs one stage and notes its outcome and seconds."""
        print(f"\n==== {name}", flush=True)
        begun = time.monotonic()
        try:
            action()
            outcome = "passed"
        except (StageError, OSError, KeyError) as error:
            outcome = f"FAILED: {error}"
        seconds = time.monotonic() - begun
        self.outcomes.append((name, outcome, seconds))
        print(f"==== {name}: {outcome}, {seconds:.1f} s", flush=True)
        return outcome == "passed"

    # ---------------------------------------------------------------- the stages

    def make_environment(self) -> None:
        if not self.python.exists():
            self.command(sys.executable, "-m", "venv", self.venv)
        self.module("pip", "--version")

    def build_wheel(self) -> None:
        source, wheels = self.work / "source", self.work / "wheels"
        copy_checkout(source)
        self.pip("wheel", "--no-deps", "--wheel-dir", wheels, source)
        shutil.rmtree(source)

    def install(self) -> None:
        (wheel,) = (self.work / "wheels").glob("*.whl")
        self.pip("install", f"{wheel}[dev]")
        self.pip("install", "--no-deps", "--force-reinstall", wheel)  # a kept environment may hold an older build
        self.command(self.python, "-c", PRINT_PLACE, self.venv)

    def build_without_compiler(self) -> None:
        """The package must also build where there is no compiler, and then say so."""
        source, wheels, empty = (self.work / name for name in ("source", "wheels_without_core", "empty"))
        copy_checkout(source)
        empty.mkdir()
        environment = {key: value for key, value in os.environ.items() if key != "CXX"} | {"PATH": str(empty)}
        self.command(
            self.python, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-deps",
            "--wheel-dir", wheels, source, environment=environment,
        )  # fmt: skip
        shutil.rmtree(source)
        (wheel,) = wheels.iterdir()
        print("made", wheel.name)
        if not wheel.name.endswith("-py3-none-any.whl"):
            raise StageError("a wheel without the core is for every platform")
        with zipfile.ZipFile(wheel) as archive:
            print("reason:", archive.read("latrones_uci/native/not_built.txt").decode().strip())

    def core(self) -> None:
        """Wherever the core can be built it must be there: the rest of the tests would hardly notice."""
        self.module("latrones_uci", "--backend", "native", "--version")
        self.command(self.python, "-c", PRINT_CORE)

    def ruff(self) -> None:
        self.module("ruff", "check", "--no-cache", ROOT)

    def mypy(self) -> None:
        cache = self.work / "mypy_cache"
        self.module(
            "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache, ROOT / "latrones_uci"
        )

    def pytest(self, arguments: list[str]) -> None:
        self.module(
            "pytest", "--config-file", ROOT / "pyproject.toml", "--rootdir", ROOT, "-p", "no:cacheprovider",
            "--expect-prefix", self.venv, ROOT / "tests", *arguments,
        )  # fmt: skip

    def script(self, name: str, *arguments: str) -> None:
        self.command(self.python, SCRIPTS / name, *arguments)

    def fuzz(self, seconds: int) -> None:
        """Fuzzes where the fuzzer can be had, which is not on every system and for every version of Python."""
        (wheel,) = (self.work / "wheels").glob("*.whl")
        try:
            self.pip("install", "--only-binary", "atheris", f"{wheel}[fuzz]")
            self.command(self.python, "-c", "import atheris")
        except StageError:
            return
        self.fuzzed = True
        self.script("fuzz.py", "--seconds", str(seconds))

    def print_table(self) -> None:
        print()
        for name, outcome, seconds in self.outcomes:
            print(f"{name:<12} {seconds:>7.1f} s  {outcome}")
        print(f"{'total':<12} {sum(seconds for _, _, seconds in self.outcomes):>7.1f} s", flush=True)


PRINT_PLACE = """
import pathlib, sys, latrones_uci
place = pathlib.Path(latrones_uci.__file__).resolve()
print("under test:", place)
if not place.is_relative_to(pathlib.Path(sys.argv[1]).resolve()):
    sys.exit("the package under test does not lie in the environment made for it")
"""
PRINT_CORE = """
from latrones_uci import native
print("compiled core:", native.core().BUILD)
"""


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Build, install and check the package in a virtual environment of its own.",
        epilog="Arguments after -- go to pytest, for instance: test.py --fast -- -k perft -x",
    )
    parser.add_argument("--fast", action="store_true", help="leave out slow tests, windows and sanitizers")
    parser.add_argument(
        "--fuzz", metavar="SECONDS", type=int, default=FUZZING_S,
        help="how long to fuzz, 0 for not at all, as with --fast (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--venv", metavar="DIR", type=Path, help="make the environment here and keep it, or reuse it")
    parser.add_argument("pytest_arguments", nargs="*", metavar="-- ARGUMENT", help="for pytest")
    return parser.parse_args()


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        print(f"scripts/test.py needs Python {'.'.join(map(str, OLDEST_PYTHON))} or newer; this is {sys.version}")
        return 2
    arguments = parse_arguments()
    # Windows and browsers are watched alone: whoever clicks must not wait for others.
    chosen = ["--numprocesses", "auto", "-m", "not slow and not gui" if arguments.fast else "not gui"]
    with tempfile.TemporaryDirectory(prefix="latrones-test-") as folder:
        work = Path(folder)
        run = Run(work, arguments.venv.resolve() if arguments.venv else work / "venv")
        ready = (
            run.stage("environment", run.make_environment)
            and run.stage("wheel", run.build_wheel)
            and run.stage("install", run.install)
        )
        # A source distribution has no commits that promise signatures; a checkout has.
        has_history = (ROOT / ".git").exists()
        if ready:
            compiler = find_compiler()
            if compiler:
                run.stage("core", run.core)
                if not Path(sysconfig.get_config_var("CXX") or "").is_absolute():  # which is found without a path
                    run.stage("no compiler", run.build_without_compiler)
            run.stage("ruff", run.ruff)
            run.stage("mypy", run.mypy)
            run.stage("pytest", lambda: run.pytest(chosen + arguments.pytest_arguments))
            if not arguments.fast and not arguments.pytest_arguments:
                run.stage("windows", lambda: run.pytest(["-m", "gui"]))
            if compiler:
                run.stage("warnings", lambda: run.script("compiler_warnings.py"))
                run.stage("native tests", lambda: run.script("native_tests.py"))
            if has_history:
                run.stage("signatures", lambda: run.script("bench_check.py"))
            if compiler and not arguments.fast:
                run.stage("sanitizers", lambda: run.script("sanitize.py"))
            if arguments.fuzz and not arguments.fast:
                run.stage("fuzzing", lambda: run.fuzz(arguments.fuzz))
        run.print_table()
        if ready and not has_history:
            print("This is no git checkout: no commit promises signatures, and none were compared.")
        if ready and not run.fuzzed:
            print("Nothing was fuzzed, as was asked for, or because atheris cannot be installed here.")
        if ready and not compiler:
            print("There is no C++ compiler: the core was neither built nor tested.")
        return 0 if all(outcome == "passed" for _, outcome, _ in run.outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
