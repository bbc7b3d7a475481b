"""Builds a version from its source and installs it in a virtual environment of its own."""

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from latrones_uci.revisions.run_command import RevisionError, clean_environment, last_lines, run_command

_BUILD_TIMEOUT_S = 3600.0
_COMPILER_VARIABLES = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "ARCHFLAGS")
_ERROR = re.compile(r"error: (?!subprocess-exited-with-error)", re.IGNORECASE)  # that is pip's word for any failure

Run = Callable[[Sequence[str]], None]
"""Runs a command of a build; raises ``RevisionError`` if it fails."""

Install = Callable[[Path, Path, Run], None]
"""Makes a virtual environment and installs a version there: the directory of its source, the place of the environment
(not there yet), and what runs commands."""


def environment_python(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / "Scripts" / "python.exe" if os.name == "nt" else environment / "bin" / "python"


def install_with_pip(source: Path, environment: Path, run: Run) -> None:
    """Builds as the version's own ``pyproject.toml`` says; needs a package index for what the build requires.

    Raises:
        RevisionError: a command fails.
    """
    run([sys.executable, "-I", "-m", "venv", str(environment)])
    pip = [str(environment_python(environment)), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    run([*pip, "install", "--no-deps", str(source)])


def command_runner(log: Path, held: Sequence[int]) -> Run:
    """What runs the commands of one build.

    Args:
        log: the file to which goes what they print.
        held: file descriptors that they hold as long as they run.
    """

    def run(command: Sequence[str]) -> None:
        try:
            status = run_command(
                command, log, directory=log.parent, timeout_s=_BUILD_TIMEOUT_S, environment=clean_environment(),
                held=held,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RevisionError(f"building takes longer than {_BUILD_TIMEOUT_S:g} s; see {log}") from None
        except OSError as error:
            raise RevisionError(f"building: {shlex.join(command)} cannot be run: {error}") from None
        if status:
            said = _first_errors(log.read_text(encoding="utf-8", errors="replace"))
            raise RevisionError(f"building ends with status {status}: {said} (all of it is in {log})")

    return run


def _first_errors(output: str) -> str:
    """The lines that tell why a build failed: the first that speak of errors, for later ones follow from them."""
    errors = [line for line in output.splitlines() if _ERROR.search(line)]
    return last_lines("\n".join(errors[:2]) if errors else output)


def find_compiler() -> str | None:
    """The C++ compiler that a build finds, None where the compiled core is not to be expected."""
    if os.name == "nt":
        return None  # where it is not built
    for command in (os.environ.get("CXX"), sysconfig.get_config_var("CXX"), "c++", "g++", "clang++"):
        if command and shutil.which(shlex.split(command)[0]) is not None:
            return str(command)
    return None


def machine_hash() -> str:
    """A hash of all but the source that tells one build from another: Python, platform, compiler, and its flags."""
    compiler = find_compiler()
    identity = [
        sys.version, sys.implementation.name, sys.base_prefix, sysconfig.get_platform(), " ".join(platform.libc_ver()),
        compiler, _describe(compiler) if compiler else None,
        *(os.environ.get(name) for name in _COMPILER_VARIABLES),
    ]  # fmt: skip
    return hashlib.sha256(repr(identity).encode()).hexdigest()


def _describe(compiler: str) -> str:
    """Its version as it prints it; a compiler that cannot even do that will fail the build, and be quoted then."""
    done = subprocess.run(
        [*shlex.split(compiler), "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    return done.stdout.decode(errors="replace").partition("\n")[0]
