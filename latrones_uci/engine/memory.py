"""How much memory there is to take."""

from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
CGROUP = Path("/sys/fs/cgroup")


def check_available(megabytes: int) -> None:
    """Raises MemoryError where there are not so many megabytes (2**20 bytes) to take."""
    available = available_bytes()
    if available is not None and megabytes * 2**20 > available:
        raise MemoryError(f"{megabytes} MB of hash asked for, {available // 2**20} MB of memory available")


def available_bytes() -> int | None:
    """Memory that can be taken without swapping; None where the system does not say.

    On Linux the least of what the machine and each control group of the process have left.
    """
    return min((room for room in (_of_machine(), *_of_groups()) if room is not None), default=None)


def _of_machine() -> int | None:
    for line in _lines(PROC / "meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _of_groups() -> Iterator[int | None]:
    """What the limits of the process's memory group, and of all groups around it, leave.

    Control groups are of version 2 or 1. Inside a container the paths may be those of the machine, which cannot be seen
    there; the root that can be is then the container's own group.
    """
    for line in _lines(PROC / "self/cgroup"):
        number, controllers, path = line.split(":", 2)
        if number == "0":
            root, names = CGROUP, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root, names = CGROUP / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for length in range(len(parts) + 1):
            yield _room_in(root.joinpath(*parts[:length]), *names)


def _room_in(group: Path, limit_name: str, used_name: str, cached_name: str) -> int | None:
    """The limit less what is used, where files that the system merely keeps at hand do not count as used."""
    limit, used = _number(group / limit_name), _number(group / used_name)
    if limit is None or used is None:
        return None
    stat = (line.split() for line in _lines(group / "memory.stat"))
    cached = sum(int(words[1]) for words in stat if words[:1] == [cached_name])
    return max(0, limit - max(0, used - cached))


def _number(path: Path) -> int | None:
    """The number that a file holds; None where there is no such file or it says ``max``."""
    lines = _lines(path)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []  # another system, or not ours to read: nothing is said there
