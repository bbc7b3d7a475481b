"""Available memory, read from files like those of Linux."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.engine import memory

MB = 2**20
UNLIMITED_V1 = 9223372036854771712


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 4000 MB available and no control groups."""
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "CGROUP", tmp_path / "cgroup")
    write(tmp_path / "proc/meminfo", f"MemTotal: 9999999 kB\nMemFree: 1 kB\nMemAvailable: {4000 * 1024} kB\n")
    return tmp_path


def write(path: Path, text: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="ascii")


def group_2(folder: Path, limit: object, used_mb: int, cached_mb: int = 0) -> None:
    write(folder / "memory.max", limit)
    write(folder / "memory.current", used_mb * MB)
    write(folder / "memory.stat", f"anon 1\nfile 5\ninactive_file {cached_mb * MB}\nactive_file 7")


def group_1(folder: Path, limit: int, used_mb: int, cached_mb: int = 0) -> None:
    write(folder / "memory.limit_in_bytes", limit)
    write(folder / "memory.usage_in_bytes", used_mb * MB)
    write(folder / "memory.stat", f"cache 9\ninactive_file 1\ntotal_inactive_file {cached_mb * MB}")


def available_mb() -> float | None:
    available = memory.available_bytes()
    return None if available is None else available / MB


def test_memory_of_the_machine(system: Path) -> None:
    assert available_mb() == 4000
    memory.check_available(4000)
    with pytest.raises(MemoryError, match="cannot allocate 4001 MB of hash: only 4000 MB of memory available"):
        memory.check_available(4001)
    (system / "proc/meminfo").unlink()
    assert available_mb() is None
    memory.check_available(65536)  # unknown memory is not checked


@pytest.mark.parametrize(
    ("groups", "limits", "available"),
    [
        ("0::/", {"": (1000 * MB, 300)}, 700),
        ("0::/", {"": (1000 * MB, 990, 500)}, 510),  # the file cache does not count as used
        ("0::/", {"": (100 * MB, 101)}, 0),
        ("0::/a.slice/b.scope", {"a.slice": (500 * MB, 100), "a.slice/b.scope": (2000 * MB, 100)}, 400),
        ("0::/\n4:memory:/", {"": ("max", 300), "memory": (UNLIMITED_V1, 300)}, 4000),
        ("5:devices:/x\n4:cpu,memory:/job\n0::/",
         {"memory": (UNLIMITED_V1, 3000), "memory/job": (800 * MB, 700, 50)}, 150),
        ("4:memory:/docker/0123", {"memory": (64 * MB, 60)}, 4),  # the path on the host, in a container
    ],
)  # fmt: skip
def test_control_groups(system: Path, groups: str, limits: dict[str, tuple[int, ...]], available: int) -> None:
    write(system / "proc/self/cgroup", groups)
    for name, limit in limits.items():
        (group_1 if name.startswith("memory") else group_2)(system / "cgroup" / name, *limit)
    assert available_mb() == available


def test_memory_of_this_machine_is_plausible() -> None:
    available = memory.available_bytes()
    assert available is None or 2**20 < available < 2**50
    assert (available is None) == (not Path("/proc/meminfo").exists())
