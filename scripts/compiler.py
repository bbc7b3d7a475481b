"""The C++ compiler and what it is told: one place for the package's build and for the checks of the library.

Nothing but the standard library, for it is run before anything is installed.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "latrones_uci" / "native"
BINDINGS = NATIVE / "bindings.cpp"
LIBRARY = sorted((NATIVE / "core").glob("*.cpp"))

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow"]
LANGUAGE = ["-std=c++20", "-pthread", *WARNINGS]
OPTIMISED = ["-O3", "-DNDEBUG"]


class CompilerError(Exception):
    """The compiler that was asked for is not there, or it failed."""


def find_compiler() -> str | None:
    """The command of the C++ compiler, None where there is none.

    It is what ``CXX`` names, else the one that built Python, else one under a usual name.

    Raises:
        CompilerError: ``CXX`` names a program that is not there.
    """
    if named := os.environ.get("CXX"):
        if shutil.which(shlex.split(named)[0]) is None:
            raise CompilerError(f"CXX is '{named}', which is not found")
        return named
    for command in (sysconfig.get_config_var("CXX"), "c++", "g++", "clang++"):
        if command and shutil.which(shlex.split(command)[0]) is not None:
            return str(command)
    return None


def describe(compiler: str) -> str:
    """The kind and version of a compiler, such as ``g++ 12.2.0``.

    Raises:
        CompilerError: it cannot even tell its version.
    """
    command = [*shlex.split(compiler), "--version"]
    asked = subprocess.run(command, capture_output=True, text=True)
    if asked.returncode:
        raise CompilerError(f"exit status {asked.returncode}: {shlex.join(command)}\n{asked.stderr}")
    first_line = asked.stdout.partition("\n")[0]
    version = re.search(r"(?<![\w.])\d+(\.\d+)+(?![\w.-])", re.sub(r"\(.*?\)", "", first_line))
    kind = "clang++" if "clang" in first_line.lower() else "g++"
    return f"{kind} {version.group()}" if version else first_line


def instruction_flags(cpu: str | None = None) -> list[str]:
    """The flags that say which instructions may be used.

    ``cpu`` is a name that the compiler knows, such as ``native`` for those of this machine. Without it they are those
    of x86-64-v2 (2009 and later) on x86-64, and elsewhere what the compiler takes for the platform's least.
    """
    target = sysconfig.get_platform().rpartition("-")[2].lower()  # what Python is built for, not what the machine is
    if cpu is None:
        return ["-march=x86-64-v2"] if target in ("x86_64", "amd64") else []
    return [f"-mcpu={cpu}" if target in ("aarch64", "arm64") else f"-march={cpu}"]


def describe_instructions(flags: Sequence[str]) -> str:
    """What ``instruction_flags`` gave, in a few words."""
    return " ".join(flags) or f"{platform.machine()}, no special instructions"


def processors() -> int:
    """How many compilers to run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


def run(command: Iterable[str | Path]) -> None:
    """Runs a compiler; the end of its command, and what it printed, is shown in one piece when it ends.

    Raises:
        CompilerError: it failed; with the command in full.
    """
    words = [str(word) for word in command]
    begun = time.monotonic()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    sys.stdout.write(f"{time.monotonic() - begun:>6.1f} s  {words[0]} ... {words[-1]}\n{done.stdout}")
    sys.stdout.flush()
    if done.returncode:
        raise CompilerError(f"exit status {done.returncode}: {shlex.join(words)}")


def run_all(commands: Iterable[Sequence[str | Path]]) -> None:
    """Runs compilers, as many at a time as there are processors; none is begun after one has failed.

    Raises:
        CompilerError: of the first that failed.
    """
    with ThreadPoolExecutor(processors()) as pool:
        jobs = [pool.submit(run, command) for command in commands]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def build_executable(compiler: str, flags: Sequence[str], sources: Iterable[Path], program: Path) -> None:
    """Compiles sources, in parallel, and links them; the objects are put beside the program.

    Raises:
        CompilerError: something does not compile.
    """
    command = [*shlex.split(compiler), *flags]
    objects = {source: program.parent / f"{source.stem}.o" for source in sources}
    if len(set(objects.values())) < len(objects):
        raise ValueError("two sources have one name")
    # The largest first, so that the last to end is a small one.
    ordered = sorted(objects, key=lambda source: "kernel_" not in source.name)
    print("$", shlex.join(command), flush=True)
    run_all([*command, "-o", str(objects[source]), "-c", str(source)] for source in ordered)
    run([*command, *map(str, objects.values()), "-o", str(program)])
