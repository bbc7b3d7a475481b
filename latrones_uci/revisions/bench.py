"""Asks an engine of this project for its version, and for the signature of its bench."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.revisions.run_command import RevisionError, clean_environment, last_lines, run_command

_VERSION_TIMEOUT_S = 60.0
_NODES = re.compile(r"^nodes searched *: *([0-9]+)\s*$", re.ASCII | re.IGNORECASE | re.MULTILINE)
_BENCH_KERNEL = re.compile(r"^kernel: *(\w+)", re.ASCII | re.IGNORECASE | re.MULTILINE)
_VERSION_KERNEL = re.compile(r"\(kernel:? (\w+)")  # with the colon in versions from before there were two


@dataclass(frozen=True)
class BenchCheck:
    """What an engine says of itself.

    Attributes:
        version: the line that it prints for ``--version``.
        bench: the nodes of its bench, the signature of how it plays.
        kernel: the kernel that searched them, ``unknown`` if it does not say.
    """

    version: str
    bench: str
    kernel: str


def check_bench(command: Sequence[str], timeout_s: float) -> BenchCheck:
    """Runs an engine's bench, to the depth that it takes by itself, and asks for its version.

    Raises:
        RevisionError: one of the two fails or takes too long, or there is no signature in what it prints.
    """
    version = next(iter(_ask(command, "--version", _VERSION_TIMEOUT_S).splitlines()), "unknown version").strip()
    output = _ask(command, "bench", timeout_s)
    nodes = _NODES.findall(output)
    if not nodes:
        raise RevisionError(f"bench prints no 'Nodes searched: N': {last_lines(output)}")
    kernel = _BENCH_KERNEL.search(output) or _VERSION_KERNEL.search(version)
    return BenchCheck(version, nodes[-1], kernel[1] if kernel else "unknown")


def _ask(command: Sequence[str], word: str, timeout_s: float) -> str:
    with tempfile.TemporaryDirectory(prefix="latrones-bench-") as folder:
        printed = Path(folder, "output")
        try:
            status = run_command(
                [*command, word], printed, directory=Path(folder), timeout_s=timeout_s, environment=clean_environment()
            )
        except subprocess.TimeoutExpired:
            raise RevisionError(f"{word} does not end within {timeout_s:g} s") from None
        except OSError as error:
            raise RevisionError(f"{word} cannot be run: {error}") from None
        output = printed.read_text(encoding="utf-8", errors="replace")
    if status:
        raise RevisionError(f"{word} ends with status {status}: {last_lines(output)}")
    return output
