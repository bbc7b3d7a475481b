"""Get the version and the bench signature of an engine of this project."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.game import reason
from latrones_uci.revisions.run_command import RevisionError, clean_environment, last_lines, run_command

_VERSION_TIMEOUT_S = 60.0
_NODES = re.compile(r"^nodes searched *: *([0-9]+)\s*$", re.ASCII | re.IGNORECASE | re.MULTILINE)
_BENCH_KERNEL = re.compile(r"^kernel: *(\w+)", re.ASCII | re.IGNORECASE | re.MULTILINE)
_VERSION_KERNEL = re.compile(r"\(kernel:? (\w+)")  # early versions print a colon


@dataclass(frozen=True)
class BenchCheck:
    """The version and the signature that an engine prints."""

    version: str
    """The line printed for ``--version``."""
    bench: str
    """The node count of ``bench``, the signature of its play."""
    kernel: str
    """The kernel that ran the bench, ``unknown`` if the engine does not print it."""


def check_bench(command: Sequence[str], timeout_s: float) -> BenchCheck:
    """Run an engine's ``--version``, and its ``bench`` to the default depth.

    Args:
        command: program and arguments of the engine.
        timeout_s: timeout for the bench in seconds.

    Raises:
        RevisionError: one of the two fails or exceeds its timeout, or the bench prints no signature.
    """
    version = next(iter(_run(command, "--version", _VERSION_TIMEOUT_S).splitlines()), "unknown version").strip()
    output = _run(command, "bench", timeout_s)
    nodes = _NODES.findall(output)
    if not nodes:
        raise RevisionError(f"bench: no line 'Nodes searched: N' in the output: {last_lines(output)}")
    kernel = _BENCH_KERNEL.search(output) or _VERSION_KERNEL.search(version)
    return BenchCheck(version, nodes[-1], kernel[1] if kernel else "unknown")


def _run(command: Sequence[str], argument: str, timeout_s: float) -> str:
    with tempfile.TemporaryDirectory(prefix="latrones-bench-") as folder:
        output_file = Path(folder, "output")
        try:
            status = run_command(
                [*command, argument], output_file, directory=Path(folder), timeout_s=timeout_s,
                environment=clean_environment(),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RevisionError(f"{argument}: timeout after {timeout_s:g} s") from None
        except OSError as error:
            raise RevisionError(f"{argument}: cannot start the engine: {reason(error)}") from None
        output = output_file.read_text(encoding="utf-8", errors="replace")
    if status:
        raise RevisionError(f"{argument}: exit status {status}: {last_lines(output)}")
    return output
