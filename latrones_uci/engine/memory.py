"""How much memory there is to take."""

from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int | None:
    """Memory that can be taken without swapping; None where the system does not say.

    On Linux the least of what the machine and what the control group of the process have left.
    """
    rooms = [room for room in (_of_machine(), _of_group()) if room is not None]
    return min(rooms, default=None)


def check_available(megabytes: int) -> None:
    """Raises MemoryError where there are not so many megabytes (2**20 bytes) to take."""
    available = available_bytes()
    if available is not None and megabytes * 2**20 > available:
        raise MemoryError(f"{megabytes} MB of hash asked for, {available // 2**20} MB of memory available")


def _of_machine() -> int | None:
    if not _MEMINFO.exists():
        return None
    for line in _MEMINFO.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _of_group() -> int | None:
    """What the limit of a control group leaves, of version 2 or 1, as a container sees its own."""
    for limit_file, used_file in (
        (_CGROUP / "memory.max", _CGROUP / "memory.current"),
        (_CGROUP / "memory/memory.limit_in_bytes", _CGROUP / "memory/memory.usage_in_bytes"),
    ):
        if limit_file.exists() and used_file.exists():
            limit = limit_file.read_text(encoding="ascii").strip()
            return None if limit == "max" else max(0, int(limit) - int(used_file.read_text(encoding="ascii")))
    return None
