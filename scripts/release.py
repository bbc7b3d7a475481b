#!/usr/bin/env python3
"""Build the files of a release: a source distribution of the checkout, and from it a wheel for this platform.

The wheel is installed in a fresh environment, and both kernels are tested there. The files are listed with their
SHA-256. Nothing is published.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from checkout import ROOT, copy_checkout
from compiler import find_compiler

PERFT = ("perft", "4")
PERFT_COUNT = "7645455"  # of the start position of latrones; see tests/data/perft.json
SHOW_CORE = """
from latrones_uci import native
print("compiled core:", native.core().BUILD if native.is_compiled() else f"none: {native.why_not_compiled()}")
"""
SHOWN_LINES = 5  # of the output of a command
COMMANDS = "uci\nisready\nposition startpos\ngo depth 3\n"


def run(*command: str | Path, stdin: str | None = None) -> str:
    """Run a command outside the checkout, print the end of its output, and return all of it.

    If the command fails, print all of its output and exit.
    """
    print("$", *command, flush=True)
    done = subprocess.run(
        [str(word) for word in command], cwd=tempfile.gettempdir(), input=stdin, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    if done.returncode:
        sys.exit("\n".join([*lines, f"exit status {done.returncode}"]))
    print(*lines[-SHOWN_LINES:], sep="\n", flush=True)
    return done.stdout


def programs(environment: Path) -> Path:
    """Create a virtual environment; return the folder of its programs."""
    venv.create(environment, with_pip=True)
    return environment / ("Scripts" if os.name == "nt" else "bin")


def build(work: Path, output: Path) -> list[Path]:
    """Build a source distribution from a clean copy, and a wheel from it, which shows that no file is missing."""
    bin_folder = programs(work / "build_environment")
    run(bin_folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build")
    copy_checkout(work / "source")
    run(bin_folder / "python", "-m", "build", "--outdir", work / "files", work / "source")
    output.mkdir(parents=True, exist_ok=True)
    return [file.replace(output / file.name) for file in sorted((work / "files").iterdir())]


def test_wheel(work: Path, wheel: Path) -> None:
    """Install a wheel in an empty environment, and test both kernels."""
    bin_folder = programs(work / "environment")
    pip = (bin_folder / "python", "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-index", wheel)
    compiled = "none" not in run(bin_folder / "python", "-c", SHOW_CORE)
    if find_compiler() and not compiled:
        sys.exit("no compiled core in the wheel although there is a compiler")
    run(bin_folder / "latrones-uci", "--version")
    for backend in ("python", *(["native"] if compiled else [])):
        if PERFT_COUNT not in run(bin_folder / "latrones-uci", "--backend", backend, *PERFT):
            sys.exit(f"{' '.join(PERFT)} of the {backend} kernel: wrong count; expected {PERFT_COUNT}")
    if "bestmove" not in run(bin_folder / "latrones-uci", stdin=COMMANDS):
        sys.exit("the engine printed no bestmove")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build and test a source distribution and a wheel.")
    parser.add_argument("--output", metavar="DIR", type=Path, default=ROOT / "dist",
                        help="output folder (default: dist)")  # fmt: skip
    output = parser.parse_args().output.resolve()
    # The temporary folder is inside the output folder, because files are renamed, which works within one file system.
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=output) as folder:
        files = build(Path(folder), output)
        (wheel,) = (path for path in files if path.suffix == ".whl")
        test_wheel(Path(folder), wheel)
    print(f"\nbuilt in {output}:")
    for path in files:
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
