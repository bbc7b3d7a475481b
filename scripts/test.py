#!/usr/bin/env python3
"""Check this checkout, starting from nothing but a Python interpreter. There are three tiers.

    test.py --quick   lint, types and the unit tests, in a kept environment: under a minute
    test.py           all layers from an installed wheel, both kernels, browser and XBoard where installed
    test.py --all     also slow tests, sanitizers, fuzzing and a build without a compiler: continuous integration

The default and ``--all`` make a virtual environment, build a wheel, install it with the developers' tools, and test it
from outside the checkout. Where there is a C++ compiler the wheel must contain the compiled core. ``--quick`` keeps an
environment in ``.venv`` with an editable install, and reinstalls only when the build's inputs change. Every stage that
can run is run. The exit status is 0 if all of them pass, 1 if one fails, and 2 if nothing can run.
"""

from __future__ import annotations  # an older Python must get as far as the message about its version

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import js_checks
from checkout import copy_checkout
from compiler import find_compiler

OLDEST_PYTHON = (3, 11)
FUZZING_S = 150  # three minutes including the start of each target
ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
KEPT = ROOT / ".venv"
STAMP = "latrones-editable-install.txt"  # in the environment: the inputs of its editable install

QUICK, DEFAULT, ALL = TIERS = ("quick", "default", "all")
QUICK_TESTS = "not slow and not gui and not process and not long"
UNIT_TESTS = {
    QUICK: ["-m", QUICK_TESTS, "--forbid-processes", "--hypothesis-profile=quick"],
    DEFAULT: ["-m", "not slow and not gui"],
    ALL: ["-m", "not gui", "--hypothesis-profile=full"],
}
WINDOW_TESTS = {DEFAULT: ["-m", "gui and not slow"], ALL: ["-m", "gui"]}
SLOWEST = ["--durations=15", "--durations-min=0.5"]


class StageError(Exception):
    """A stage failed; its own output says why."""


class Run:
    """One run of the checks: its folders, and the outcome of each stage."""

    def __init__(self, work: Path, venv: Path) -> None:
        self.work, self.venv = work, venv
        folder = "Scripts" if os.name == "nt" else "bin"
        self.python = venv / folder / ("python.exe" if os.name == "nt" else "python")
        self.outcomes: list[tuple[str, str, float]] = []
        self.package_below = venv

    def command(self, *arguments: str | Path, environment: dict[str, str] | None = None) -> None:
        """Run a command in the work folder and show its output as it comes."""
        print("$", *arguments, flush=True)
        status = subprocess.run([str(argument) for argument in arguments], cwd=self.work, env=environment).returncode
        if status:
            raise StageError(f"exit status {status}")

    def module(self, *arguments: str | Path) -> None:
        self.command(self.python, "-m", *arguments)

    def pip(self, *arguments: str | Path) -> None:
        self.module("pip", "--quiet", "--disable-pip-version-check", *arguments)

    def stage(self, name: str, action: Callable[[], str | None]) -> bool:
        """Run one stage; record its outcome and seconds. An action may return why it checked nothing."""
        print(f"\n==== {name}", flush=True)
        begun = time.monotonic()
        try:
            reason = action()
            outcome = f"left out: {reason}" if reason else "passed"
        except (StageError, OSError, KeyError) as error:
            outcome = f"FAILED: {error}"
        seconds = time.monotonic() - begun
        self.outcomes.append((name, outcome, seconds))
        print(f"==== {name}: {outcome}, {seconds:.1f} s", flush=True)
        return not outcome.startswith("FAILED")

    def leave_out(self, name: str, reason: str) -> None:
        self.outcomes.append((name, f"left out: {reason}", 0.0))

    @property
    def passed(self) -> bool:
        return not any(outcome.startswith("FAILED") for _, outcome, _ in self.outcomes)

    # ---------------------------------------------------------------- the stages

    def make_environment(self) -> None:
        if not self.python.exists():
            self.command(sys.executable, "-m", "venv", self.venv)
        self.module("pip", "--version")

    def build_wheel(self) -> None:
        """Build the wheel, and meanwhile install the tools, which is mostly waiting for the network."""
        import tomllib  # not at the top: see the first import

        source, wheels = self.work / "source", self.work / "wheels"
        copy_checkout(source)
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        with ThreadPoolExecutor() as pool:
            tools = pool.submit(self.pip, "install", *project["optional-dependencies"]["dev"])
            self.pip("wheel", "--no-deps", "--wheel-dir", wheels, source)
            tools.result()
        shutil.rmtree(source)

    def install(self) -> None:
        (self.venv / STAMP).unlink(missing_ok=True)
        (wheel,) = (self.work / "wheels").glob("*.whl")
        self.pip("install", f"{wheel}[dev]")
        self.pip("install", "--no-deps", "--force-reinstall", wheel)  # a kept environment may hold an older build
        self.command(self.python, "-c", PRINT_PLACE, self.package_below)

    def install_editable(self) -> None:
        """Install the checkout itself, with its core built in place, unless that has been done for these sources."""
        stamp, inputs = self.venv / STAMP, build_inputs()
        self.package_below = ROOT / "latrones_uci"
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != inputs:
            stamp.unlink(missing_ok=True)
            self.pip("install", "--editable", f"{ROOT}[dev]")
            stamp.write_text(inputs, encoding="utf-8")
        self.command(self.python, "-c", PRINT_PLACE, self.package_below)

    def build_without_compiler(self) -> None:
        """Build the package where there is no compiler: it must work, and say that the core is missing."""
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
        """Check that the core is there wherever it can be built: few of the other tests would notice."""
        self.module("latrones_uci", "--backend", "native", "--version")
        self.command(self.python, "-c", PRINT_CORE)

    def lint(self) -> None:
        self.module("ruff", "check", "--no-cache", ROOT)

    def types(self) -> None:
        cache = self.venv / "mypy_cache"
        self.module(
            "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache, ROOT / "latrones_uci"
        )

    def pytest(self, arguments: Sequence[str]) -> None:
        self.module(
            "pytest", "--config-file", ROOT / "pyproject.toml", "--rootdir", ROOT, "-p", "no:cacheprovider",
            f"--expect-prefix={self.package_below}", ROOT / "tests", *SLOWEST, *arguments,
        )  # fmt: skip

    def script(self, name: str, *arguments: str) -> None:
        self.command(self.python, SCRIPTS / name, *arguments)

    def node_script(self, name: str) -> str | None:
        """Run a script that needs tools of Node.js, and returns a status of its own where they cannot be installed."""
        command = [str(self.python), str(SCRIPTS / name)]
        print("$", *command, flush=True)
        done = subprocess.run(command, cwd=self.work, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="", flush=True)
        if done.returncode == js_checks.LEFT_OUT:
            return done.stdout.splitlines()[-1]
        if done.returncode:
            raise StageError(f"exit status {done.returncode}")
        return None

    def start_scripts(self, scripts: dict[str, list[str]]) -> dict[str, Callable[[], None]]:
        """Start to run scripts, one after another and with low priority, beside other stages.

        Returns:
            a function by the name of each script, which waits for its end, shows its output, and raises StageError if
            it failed.
        """
        lowest = [] if os.name == "nt" else ["nice", "-n", "19"]
        pool = ThreadPoolExecutor(1)

        def start(words: list[str]) -> Callable[[], None]:
            command = [*lowest, str(self.python), str(SCRIPTS / words[0]), *words[1:]]
            job = pool.submit(
                subprocess.run, command, cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )

            def finish() -> None:
                print("$", *command, flush=True)
                done = job.result()
                print(done.stdout, end="", flush=True)
                if done.returncode:
                    raise StageError(f"exit status {done.returncode}")

            return finish

        return {name: start(words) for name, words in scripts.items()}

    def fuzz(self, seconds: int) -> str | None:
        """Fuzz, where the fuzzer can be installed: not on every system, and not for every version of Python."""
        (wheel,) = (self.work / "wheels").glob("*.whl")
        try:
            self.pip("install", "--only-binary", "atheris", f"{wheel}[fuzz]")
            self.command(self.python, "-c", "import atheris")
        except StageError:
            return "atheris cannot be installed here"
        self.script("fuzz.py", "--seconds", str(seconds))
        return None

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
    sys.exit(f"the package under test is not below {sys.argv[1]}")
"""
PRINT_CORE = """
from latrones_uci import native
print("compiled core:", native.core().BUILD)
"""


def build_inputs() -> str:
    """Return a checksum of what an editable install is made from: Python files are not copied, so not of them."""
    native = ROOT / "latrones_uci" / "native"
    files = [
        *(ROOT / name for name in ("pyproject.toml", "setup.py", "scripts/compiler.py")),
        *sorted(native.rglob("*.cpp")),
        *sorted(native.rglob("*.hpp")),
    ]
    digest = hashlib.sha256(str(ROOT).encode())
    for file in files:
        digest.update(f"\0{file.relative_to(ROOT).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def check(run: Run, tier: str, fuzzing_s: int, pytest_arguments: list[str]) -> None:
    """Run the stages of a tier that can run here, and record why others cannot."""
    if tier == QUICK:
        ready = run.stage("environment", run.make_environment) and run.stage("install", run.install_editable)
    else:
        ready = (
            run.stage("environment", run.make_environment)
            and run.stage("wheel", run.build_wheel)
            and run.stage("install", run.install)
        )
    if not ready:
        return
    compiler = find_compiler()
    if tier != QUICK and compiler:
        run.stage("core", run.core)
    run.stage("lint", run.lint)
    run.stage("types", run.types)
    run.stage("tests", lambda: run.pytest(["--numprocesses", "auto", *UNIT_TESTS[tier], *pytest_arguments]))
    if tier == QUICK:
        return
    run.stage("javascript", lambda: run.node_script("js_checks.py"))
    run.stage("workflows", lambda: run.node_script("workflow_checks.py"))
    beside = run.start_scripts(scripts_beside_windows(run, compiler))
    if pytest_arguments:
        run.leave_out("windows", "arguments for pytest were given")
    else:  # two files at a time: a test that clicks must not wait for many others
        run.stage("windows", lambda: run.pytest(["--numprocesses", "2", "--dist", "loadfile", *WINDOW_TESTS[tier]]))
    for name, result in beside.items():
        run.stage(name, result)
    if tier == ALL:
        check_the_rest(run, compiler, fuzzing_s)


def scripts_beside_windows(run: Run, compiler: str | None) -> dict[str, list[str]]:
    """Return the scripts to run while windows wait for clicks: the words of each by its name."""
    scripts = {}
    if (ROOT / ".git").exists():
        scripts["signatures"] = ["bench_check.py"]
    else:
        run.leave_out("signatures", "this is no git checkout, so no commit promises signatures")
    if compiler:
        scripts["warnings"] = ["compiler_warnings.py", "--tested"]
        scripts["native tests"] = ["native_tests.py", "--fast-build"]
    else:
        run.leave_out("native", "there is no C++ compiler: the core was neither built nor tested")
    return scripts


def check_the_rest(run: Run, compiler: str | None, fuzzing_s: int) -> None:
    if compiler:
        if Path(sysconfig.get_config_var("CXX") or "").is_absolute():
            run.leave_out("no compiler", "Python's own compiler is found without a search path")
        else:
            run.stage("no compiler", run.build_without_compiler)
        run.stage("sanitizers", lambda: run.script("sanitize.py"))
    if fuzzing_s:
        run.stage("fuzzing", lambda: run.fuzz(fuzzing_s))
    else:
        run.leave_out("fuzzing", "--fuzz 0")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Build, install and check the package in a virtual environment.",
        epilog="Arguments after -- go to pytest, for instance: test.py --quick -- -k perft -x",
    )
    tier = parser.add_mutually_exclusive_group()
    tier.add_argument(
        "--quick", dest="tier", action="store_const", const=QUICK, default=DEFAULT,
        help="lint, types and the tests that start no process, in a kept environment",
    )  # fmt: skip
    tier.add_argument(
        "--all", dest="tier", action="store_const", const=ALL,
        help="also slow tests, sanitizers, fuzzing and a build without a compiler",
    )  # fmt: skip
    parser.add_argument(
        "--fuzz", metavar="SECONDS", type=int, default=FUZZING_S,
        help="how long --all fuzzes, 0 for not at all (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--venv", metavar="DIR", type=Path,
        help="environment to make or reuse, and keep (default: .venv with --quick, else a temporary one)",
    )  # fmt: skip
    parser.add_argument("pytest_arguments", nargs="*", metavar="-- ARGUMENT", help="for pytest")
    return parser.parse_args()


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        print(f"scripts/test.py needs Python {'.'.join(map(str, OLDEST_PYTHON))} or newer; this is {sys.version}")
        return 2
    arguments = parse_arguments()
    kept = arguments.venv or (KEPT if arguments.tier == QUICK else None)
    with tempfile.TemporaryDirectory(prefix="latrones-test-") as folder:
        work = Path(folder)
        run = Run(work, kept.resolve() if kept else work / "venv")
        check(run, arguments.tier, arguments.fuzz, arguments.pytest_arguments)
        run.print_table()
        return 0 if run.passed else 1


if __name__ == "__main__":
    sys.exit(main())
