"""The C++ compiler and its flags, for the build of the package; tests/native/CMakeLists.txt is that of its tests.

Uses the standard library only, because it runs before anything is installed.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "latrones_uci" / "native"
BINDINGS = NATIVE / "bindings.cpp"
LIBRARY = sorted((NATIVE / "core").glob("*.cpp"))

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow"]
LANGUAGE = ["-std=c++20", "-pthread", *WARNINGS]
OPTIMISED = ["-O3", "-DNDEBUG"]


class CompilerError(Exception):
    """The requested compiler was not found, or it failed."""


def find_compiler() -> str | None:
    """Return the command of the C++ compiler, None if there is none.

    It is the value of ``CXX``, otherwise the compiler that built Python, otherwise one with a common name.

    Raises:
        CompilerError: ``CXX`` is set to a program that does not exist.
    """
    if named := os.environ.get("CXX"):
        if shutil.which(shlex.split(named)[0]) is None:
            raise CompilerError(f"CXX='{named}': program not found")
        return named
    for command in (sysconfig.get_config_var("CXX"), "c++", "g++", "clang++"):
        if command and shutil.which(shlex.split(command)[0]) is not None:
            return str(command)
    return None


def describe(compiler: str) -> str:
    """Return the kind and version of a compiler, such as ``g++ 12.2.0``.

    Raises:
        CompilerError: ``--version`` failed.
    """
    command = [*shlex.split(compiler), "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CompilerError(f"exit status {done.returncode}: {shlex.join(command)}\n{done.stderr}")
    first_line = done.stdout.partition("\n")[0]
    version = re.search(r"(?<![\w.])\d+(\.\d+)+(?![\w.-])", re.sub(r"\(.*?\)", "", first_line))
    kind = "clang++" if "clang" in first_line.lower() else "g++"
    return f"{kind} {version.group()}" if version else first_line


def instruction_flags(cpu: str | None = None) -> list[str]:
    """Return the flags that select the instruction set.

    ``cpu`` is a name that the compiler knows, such as ``native`` for this machine. The default is x86-64-v2 (processors
    since 2009) on x86-64, and the compiler's own default on other platforms.
    """
    target = sysconfig.get_platform().rpartition("-")[2].lower()  # the target of Python, not the machine
    if cpu is None:
        return ["-march=x86-64-v2"] if target in ("x86_64", "amd64") else []
    return [f"-mcpu={cpu}" if target in ("aarch64", "arm64") else f"-march={cpu}"]


def describe_instructions(flags: Sequence[str]) -> str:
    """Describe the result of ``instruction_flags``."""
    return " ".join(flags) or f"{platform.machine()}, default instructions"


def processors() -> int:
    """Return the number of compilers to run in parallel."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
