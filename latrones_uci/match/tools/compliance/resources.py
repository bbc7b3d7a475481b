"""Memory and processor time of an engine and its children, as far as the system tells."""

import os
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class Resources:
    """What a process group holds and has used.

    Attributes:
        resident_bytes: memory in use, resident, that shared with others included.
        processor_s: processor seconds used so far.
    """

    resident_bytes: int
    processor_s: float


def measure_group(group_id: int) -> Resources | None:
    """What the processes of a group use together; None where there is no ``/proc`` that tells it."""
    pages = ticks = found = 0
    for entry in _PROC.glob("[0-9]*/stat"):
        try:
            # The name of the program, in brackets, may hold blanks and brackets: see proc(5).
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended since
        if len(fields) > 21 and int(fields[2]) == group_id:
            found += 1
            ticks += int(fields[11]) + int(fields[12])
            pages += int(fields[21])
    if not found:
        return None
    return Resources(pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))
