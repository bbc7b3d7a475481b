#!/usr/bin/env python3
"""Make a repository with 17 commits of docs/examples/c_engine, of which the twelfth loses strength.

    planted_history.py DIR
    latrones-uci revs bisect v1 main --repository DIR

The others change words, names and the order in which moves are searched, or do not compile (docs/lab/bisect.md).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parent.parent / "docs" / "examples" / "c_engine"
FORWARD, BACKWARD = "{1, -1, WIDTH, -WIDTH}", "{-WIDTH, WIDTH, -1, 1}"
SIDEWAYS, UPWARD = "{-1, 1, -WIDTH, WIDTH}", "{WIDTH, 1, -WIDTH, -1}"
RISING, FALLING = "for (int from = 0; from < SQUARES; from++)", "for (int from = SQUARES - 1; from >= 0; from--)"
VALUES, DOUBLED, PLANTED = (f"SOLDIER = {soldier}, RANK = {rank}, DUX_FREEDOM = {freedom} }}"
                            for soldier, rank, freedom in ((100, 2, 6), (200, 4, 12), (200, 4, 4)))

COMMITS = (
    ("Explain how to build the engine", "README", "", "cc -O2 -o engine engine.c\n"),
    ("Search moves to the left first", "engine.c", FORWARD, SIDEWAYS),
    ("Give a soldier 200 points", "engine.c", VALUES, DOUBLED),
    ("Generate moves from the last square on", "engine.c", RISING, FALLING),
    ("Shorten a comment", "engine.c", "/* captures first */", "/* captures before others */"),
    ("Search moves upwards first", "engine.c", SIDEWAYS, UPWARD + " /* not yet"),
    ("End the comment", "engine.c", " /* not yet", ""),
    ("Search moves backwards first", "engine.c", UPWARD, BACKWARD),
    ("Thank the readers", "README", "engine.c\n", "engine.c\n\nThank you for reading.\n"),
    ("Name the author", "engine.c", "id author The examples", "id author The planted history"),
    ("Tidy the values", "engine.c", DOUBLED, PLANTED),
    ("Generate moves from the first square on", "engine.c", FALLING, RISING),
    ("Say what is searched", "engine.c", "/* captures before others */", "/* captures first, then the rest */"),
    ("Search moves to the right first", "engine.c", BACKWARD, FORWARD),
    ("End with a blank line", "README", "reading.\n", "reading.\n\n"),
    ("Search moves to the left first again", "engine.c", FORWARD, SIDEWAYS),
)
"""Subject, file, old text and new text of each commit after the first."""


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def make(folder: Path) -> None:
    shutil.copytree(EXAMPLE, folder)
    (folder / "README").touch()
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "An engine")
    git(folder, "tag", "v1")
    for subject, name, old, new in COMMITS:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise ValueError(f"{name}: {old!r} is not in it")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        git(folder, "commit", "-am", subject)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path, help="new directory for the repository")
    make(parser.parse_args().folder)
    sys.exit(0)
