"""Check the available memory, so that an oversized hash is rejected instead of causing swapping or a kill."""

import sys
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
CGROUP = Path("/sys/fs/cgroup")


def check_available(megabytes: int, what: str = "hash") -> None:
    """Raise MemoryError if fewer than ``megabytes`` (2**20 bytes) are available; the message says for ``what``."""
    available = available_bytes()
    if available is not None and megabytes * 2**20 > available:
        raise MemoryError(f"cannot allocate {megabytes} MB of {what}: only {available // 2**20} MB of memory available")


def available_bytes() -> int | None:
    """Return the memory that can be allocated without swapping; None if the system does not report it.

    On Linux this is the minimum over the machine and all control groups of the process; on Windows that of the memory
    of the machine and of what it can promise.
    """
    return min((room for room in (_machine(), *_control_groups()) if room is not None), default=None)


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Status(ctypes.Structure):
        """``MEMORYSTATUSEX``; numbers of bytes."""

        _fields_ = [
            ("size", wintypes.DWORD), ("load", wintypes.DWORD),
            *((name, ctypes.c_ulonglong) for name in ("memory", "free_memory", "promises", "free_promises", "space",
                                                      "free_space", "free_extended_space")),
        ]

    def _machine() -> int | None:
        status = _Status(size=ctypes.sizeof(_Status))
        if not ctypes.WinDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status)):
            return None
        return min(int(status.free_memory), int(status.free_promises))

else:

    def _machine() -> int | None:
        for line in _lines(PROC / "meminfo"):
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return None


def _control_groups() -> Iterator[int | None]:
    """Yield the memory left in the control group of the process and in all its parents.

    Supports control groups v1 and v2. In a container, the paths may be paths of the host that are not visible inside;
    the visible root is then the group of the container.
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
    """Return the limit of a group minus its usage; the file cache, which can be dropped, does not count as used."""
    limit, used = _number(group / limit_name), _number(group / used_name)
    if limit is None or used is None:
        return None
    stat = (line.split() for line in _lines(group / "memory.stat"))
    cached = sum(int(words[1]) for words in stat if words[:1] == [cached_name])
    return max(0, limit - max(0, used - cached))


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is no such file or it contains ``max``."""
    lines = _lines(path)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []  # another system, or not readable
