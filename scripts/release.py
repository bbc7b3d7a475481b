#!/usr/bin/env python3
"""Makes what is released: a source distribution of the checkout, and from that a wheel for this platform.

The wheel is then installed in a fresh environment, where both kernels must answer. What was made is listed with its
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
PERFT_COUNT = "7645455"  # of the first game's usual start; see tests/data/perft.json
SHOW_CORE = """
from latrones_uci import native
print("compiled core:", native.core().BUILD if native.is_compiled() else f"none: {native.why_not_compiled()}")
"""
MOST_SHOWN = 5  # lines of what a command printed
TRAFFIC = "uci\nisready\nposition startpos\ngo depth 3\n"


def run(*command: str | Path, given: str | None = None) -> str:
    """Runs a command away from the checkout and returns what it printed, of which the end is shown.

    If it fails all is shown, and the script ends.
    """
    print("$", *command, flush=True)
    done = subprocess.run(
        [str(word) for word in command], cwd=tempfile.gettempdir(), input=given, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    if done.returncode:
        sys.exit("\n".join([*lines, f"exit status {done.returncode}"]))
    print(*lines[-MOST_SHOWN:], sep="\n", flush=True)
    return done.stdout


def programs(environment: Path) -> Path:
    """Makes a virtual environment; returns the folder of its programs."""
    venv.create(environment, with_pip=True)
    return environment / ("Scripts" if os.name == "nt" else "bin")


def build(work: Path, output: Path) -> list[Path]:
    """Builds a source distribution from a clean copy, and a wheel from that, which shows that nothing is missing."""
    bin_folder = programs(work / "build_environment")
    run(bin_folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build")
    copy_checkout(work / "source")
    run(bin_folder / "python", "-m", "build", "--outdir", work / "made", work / "source")
    output.mkdir(parents=True, exist_ok=True)
    return [made.replace(output / made.name) for made in sorted((work / "made").iterdir())]


def try_out(work: Path, wheel: Path) -> None:
    """Installs a wheel where nothing else is, and lets it answer."""
    bin_folder = programs(work / "environment")
    pip = (bin_folder / "python", "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-index", wheel)
    compiled = "none" not in run(bin_folder / "python", "-c", SHOW_CORE)
    if find_compiler() and not compiled:
        sys.exit("there is a compiler, but no compiled core in the wheel")
    run(bin_folder / "latrones-uci", "--version")
    for backend in ("python", *(["native"] if compiled else [])):
        if PERFT_COUNT not in run(bin_folder / "latrones-uci", "--backend", backend, *PERFT):
            sys.exit(f"{' '.join(PERFT)} of the {backend} kernel is not {PERFT_COUNT}")
    if "bestmove" not in run(bin_folder / "latrones-uci", given=TRAFFIC):
        sys.exit("the engine gave no move")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build and try out a source distribution and a wheel.")
    parser.add_argument("--output", metavar="DIR", type=Path, default=ROOT / "dist", help="where to put them: dist")
    output = parser.parse_args().output.resolve()
    # Files go from one folder to the other by renaming, so both lie on one file system.
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=output) as folder:
        made = build(Path(folder), output)
        (wheel,) = (path for path in made if path.suffix == ".whl")
        try_out(Path(folder), wheel)
    print("\nmade in", output)
    for path in made:
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
