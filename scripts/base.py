"""What the scripts share: the command line, tables, and other processes during a measurement.

``children``, ``command_of``, ``processor_time`` and ``status_of`` need ``/proc``, so Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))  # after an installed package

Command = tuple[Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int | None]]
"""Adds its arguments, and runs with them; ``options.error`` rejects wrong ones."""


def run_command(
    description: str | None, commands: Mapping[str, Command], words: Sequence[str] | None = None,
    at_least_1: Sequence[str] = (),
) -> int:
    """Run the subcommand that the command line names; return the exit status.

    Its help is the docstring of its function, or else that of its module. The options ``at_least_1`` must be that.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    subparsers = parser.add_subparsers(required=True)
    for name, (add_arguments, run) in commands.items():
        text = run.__doc__ or sys.modules[run.__module__].__doc__
        command = subparsers.add_parser(name, description=text, formatter_class=parser.formatter_class)
        command.set_defaults(run=run, error=command.error)
        add_arguments(command)
    options = parser.parse_args(words)
    for name in at_least_1:
        if (value := getattr(options, name, None)) is not None and value < 1:
            options.error(f"--{name.replace('_', '-')} {value}: too small; expected an integer from 1")
    return options.run(options) or 0


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def print_rows(rows: Mapping[str, str], width: int) -> None:
    for name, text in rows.items():
        print(f"{name:<{width}} {text}")


# ---------------------------------------------------------------- processes


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value below which this percentage of the values lies."""
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def children() -> dict[int, str]:
    """Return the states of the children of this process by their process ids."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = _stat(int(folder.name))[:2]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found[int(folder.name)] = state
    return found


def _stat(process_id: int) -> list[str]:
    """Return the fields of ``/proc/ID/stat`` after the name of the program."""
    return Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def command_of(process_id: int) -> str:
    """Return the command line of a process, empty if it has ended."""
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
    except OSError:
        return ""


def processor_time(process_id: int) -> float:
    """Return the processor time of a process in seconds; 0 if it has ended."""
    try:
        fields = _stat(process_id)
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status_of(process_id: int) -> tuple[int, int]:
    """Return the resident memory of a process in kilobytes, and the number of its threads."""
    lines = Path(f"/proc/{process_id}/status").read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return int(status["VmRSS"].split()[0]), int(status["Threads"])
