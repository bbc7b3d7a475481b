#!/usr/bin/env python3
"""Recomputes the signatures of both kernels and compares them with those that the history promises.

A commit that changes play ends with ``Bench: PYTHON NATIVE``, the nodes that ``bench`` searches with each kernel. The
last such line of the history has to hold still; a line with one number promises those of the Python kernel alone. The
exit status is 0 if all that is promised holds, 1 if not, 2 if it cannot be told: without a history, with one that is
cut off before any such line, or without a kernel that is promised.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
KERNELS = ("python", "native")
BENCH = re.compile(r"Bench: ([0-9]+)(?: ([0-9]+))?")


class UnknownError(Exception):
    """It cannot be told whether the signatures hold."""


def last_promise(checkout: Path) -> tuple[str, dict[str, int]]:
    """The last commit with a bench line, and the nodes by kernel."""
    shallow = git(checkout, "rev-parse", "--is-shallow-repository").strip() == "true"
    for record in git(checkout, "log", "--format=%H%n%B%x00").split("\0"):
        lines = [line.strip() for line in record.strip().splitlines()]
        found = [match for line in lines[1:] if (match := BENCH.fullmatch(line))]
        if found:
            numbers = [int(number) for number in found[-1].groups() if number is not None]
            return lines[0], dict(zip(KERNELS, numbers, strict=False))
    cut = ": the history is shallow; fetch all of it" if shallow else ""
    raise UnknownError(f"no commit has a line 'Bench: N N'{cut}")


def git(checkout: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(checkout), *arguments], capture_output=True, text=True)
    except OSError as error:
        raise UnknownError(f"git cannot be run: {error}") from None
    if done.returncode:
        raise UnknownError(f"git {arguments[0]}: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return done.stdout


def signature(kernel: str) -> int:
    """The nodes of a bench of the package that this interpreter has, or else of the checkout's."""
    environment = dict(os.environ)
    if importlib.util.find_spec("latrones_uci") is None:
        environment["PYTHONPATH"] = str(CHECKOUT)
    done = subprocess.run(  # -P: an installed package has a compiled kernel, one in the folder we are in may lack it
        [sys.executable, "-P", "-m", "latrones_uci", "bench", "--backend", kernel], capture_output=True, text=True,
        env=environment,
    )  # fmt: skip
    found = re.search(r"^Nodes searched: ([0-9]+)$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        raise UnknownError(f"no bench of the {kernel} kernel: {done.stderr.strip() or done.stdout[-200:].strip()}")
    return int(found[1])


def check(checkout: Path, kernels: Iterable[str], measure: Callable[[str], int]) -> int:
    commit, promised = last_promise(checkout)
    print(f"promised by {commit[:12]}: {', '.join(f'{kernel} {nodes}' for kernel, nodes in promised.items())}")
    differ = 0
    for kernel in kernels:
        if kernel not in promised:
            print(f"{kernel}: nothing is promised")
            continue
        nodes = measure(kernel)
        differ += nodes != promised[kernel]
        verdict = "as promised" if nodes == promised[kernel] else f"not {promised[kernel]}"
        print(f"{kernel}: {nodes}, {verdict}", flush=True)
    return 1 if differ else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkout", type=Path, default=CHECKOUT, help="whose history counts (default: this one's)")
    parser.add_argument("--kernel", choices=KERNELS, action="append", help="only this kernel (default: both)")
    arguments = parser.parse_args()
    try:
        return check(arguments.checkout, arguments.kernel or KERNELS, signature)
    except UnknownError as error:
        print(f"bench_check: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
