#!/usr/bin/env python3
"""Compare the bench signatures of both kernels with the last ones in the history.

A commit that changes play ends with ``Bench: PYTHON NATIVE``, the node counts of ``bench`` with each kernel. The last
such line of the history is the expected signature; a line with one number is for the Python kernel only. The exit
status is 0 if all signatures are equal, 1 if one differs, 2 if they cannot be compared: no history, a shallow one
without such a line, or a kernel that does not run.
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
    """The signatures cannot be compared."""


def expected_signatures(checkout: Path) -> tuple[str, dict[str, int]]:
    """Return the last commit with a bench line, and its node counts by kernel."""
    shallow = git(checkout, "rev-parse", "--is-shallow-repository").strip() == "true"
    for record in git(checkout, "log", "--format=%H%n%B%x00").split("\0"):
        lines = [line.strip() for line in record.strip().splitlines()]
        found = [match for line in lines[1:] if (match := BENCH.fullmatch(line))]
        if found:
            numbers = [int(number) for number in found[-1].groups() if number is not None]
            return lines[0], dict(zip(KERNELS, numbers, strict=False))
    hint = ": the history is shallow; fetch all of it" if shallow else ""
    raise UnknownError(f"no commit with a line 'Bench: N N'{hint}")


def git(checkout: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(checkout), *arguments], capture_output=True, text=True)
    except OSError as error:
        raise UnknownError(f"cannot run git: {error.strerror}") from None
    if done.returncode:
        raise UnknownError(f"git {arguments[0]}: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return done.stdout


def signature(kernel: str) -> int:
    """Return the bench signature of the installed package, or of the checkout if none is installed."""
    environment = dict(os.environ)
    if importlib.util.find_spec("latrones_uci") is None:
        environment["PYTHONPATH"] = str(CHECKOUT)
    done = subprocess.run(  # -P: import the installed package, which has a compiled kernel, not the current directory
        [sys.executable, "-P", "-m", "latrones_uci", "bench", "--backend", kernel], capture_output=True, text=True,
        env=environment,
    )  # fmt: skip
    found = re.search(r"^Nodes searched: ([0-9]+)$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        output = done.stderr.strip() or done.stdout[-200:].strip()
        raise UnknownError(f"cannot run bench of the {kernel} kernel: {output}")
    return int(found[1])


def check(checkout: Path, kernels: Iterable[str], measure: Callable[[str], int]) -> int:
    commit, expected = expected_signatures(checkout)
    print(f"expected by {commit[:12]}: {', '.join(f'{kernel} {nodes}' for kernel, nodes in expected.items())}")
    differ = 0
    for kernel in kernels:
        if kernel not in expected:
            print(f"{kernel}: no expected signature")
            continue
        nodes = measure(kernel)
        differ += nodes != expected[kernel]
        verdict = "ok" if nodes == expected[kernel] else f"DIFFERS, expected {expected[kernel]}"
        print(f"{kernel}: {nodes}, {verdict}", flush=True)
    return 1 if differ else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkout", type=Path, default=CHECKOUT,
                        help="checkout whose history is read (default: this one)")  # fmt: skip
    parser.add_argument("--kernel", choices=KERNELS, action="append", help="check only this kernel (default: both)")
    arguments = parser.parse_args()
    try:
        return check(arguments.checkout, arguments.kernel or KERNELS, signature)
    except UnknownError as error:
        print(f"bench_check: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
