"""The choice of the kernel, its description, what a change keeps, and the memory that is available."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import QuickKernel
from latrones_uci.engine import bench, memory, native
from latrones_uci.engine.backend import choose
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.events import BenchTotal
from latrones_uci.engine.session import Session
from latrones_uci.game import Game

MISSING = "there is no native kernel: no compiler was found"
BROKEN = "the native kernel cannot be loaded: ImportError: undefined symbol: _Zx"


@pytest.fixture
def not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "is_compiled", lambda: False)
    monkeypatch.setattr(native, "why_not_compiled", lambda: "no compiler was found")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def core() -> ModuleType:
        raise ImportError("undefined symbol: _Zx")

    monkeypatch.setattr(native, "is_compiled", lambda: True)
    monkeypatch.setattr(native, "core", core)


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake native kernel that can be chosen, and kernels that record what they are asked."""
    core = ModuleType("core")
    core.BUILD = "some compiler"  # type: ignore[attr-defined]
    monkeypatch.setattr(native, "is_compiled", lambda: True)
    monkeypatch.setattr(native, "core", lambda: core)
    fake_kernels.use(monkeypatch, QuickKernel)


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 10 * 2**20)


# ---------------------------------------------------------------- the choice


def test_with_a_working_native_kernel(working: None) -> None:
    assert str(choose("auto")) == "native, the fastest available (some compiler)"
    assert str(choose("native")) == "native, set by Backend (some compiler)"
    assert str(choose("python")) == "python, set by Backend"
    assert str(choose("auto", tune=True)) == "native, the fastest available (some compiler), tunable"
    with pytest.raises(OptionError, match="--tune: the python kernel has no constants to tune") as raised:
        choose("python", tune=True)
    assert str(raised.value).endswith("(set by Backend); expected the native kernel")


@pytest.mark.long
@pytest.mark.usefixtures("native_core")
def test_a_session_that_can_be_tuned(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    positions = bench.bench_positions("core")[:3]
    monkeypatch.setattr(bench, "bench_positions", lambda name: positions)
    session, usual = Session(listener, tune=True), Session(listener)
    with pytest.raises(OptionError, match="unknown option 'futility_margin'"):
        usual.set_option("futility_margin", "60")
    with pytest.raises(OptionError, match="option Backend|--tune: the python kernel"):
        session.set_option("Backend", "python")
    session.set_option("EvalFile", "none")  # a net has no weights
    totals = []
    for value in ("12", "80", "12"):
        session.set_option("Weight_Threat", value)
        session.bench(4)
        session.wait()
        totals += [event.nodes for event in listener.take_all(BenchTotal)]
    assert totals[0] == totals[2] != totals[1]


@pytest.mark.parametrize(("state", "why"), [("not_compiled", MISSING), ("broken", BROKEN)])
def test_without_a_working_native_kernel(
    listener: Listener, request: pytest.FixtureRequest, state: str, why: str
) -> None:
    request.getfixturevalue(state)
    assert str(choose("auto")) == f"python, because {why}"
    assert str(choose("python")) == "python, set by Backend"
    with pytest.raises(OptionError, match=f"no constants to tune .because {why}"):
        choose("auto", tune=True)
    with pytest.raises(OptionError, match=why):
        Session(listener, "native")
    session = Session(listener, "python")
    before, text = session._searcher.kernel, session.kernel_text
    with pytest.raises(OptionError, match=why):
        session.set_option("Backend", "native")
    assert (session._searcher.kernel, session.kernel_text) == (before, text)
    session.set_option("Backend", "auto")
    assert session._searcher.kernel is before
    assert session.kernel_text == f"python, because {why}"


# ---------------------------------------------------------------- changing it


@pytest.mark.usefixtures("working")
def test_a_change_of_kernel_keeps_everything_but_the_table(listener: Listener) -> None:
    session = Session(listener, "python")
    session.set_option("Hash", "3")
    session.set_option("Threads", "5")
    session.set_position(None, ["d1d5"])
    first = session._searcher.kernel
    session.set_option("Backend", "NATIVE")
    second = session._searcher.kernel
    assert isinstance(second, QuickKernel)
    assert second is not first
    assert (second.hash_megabytes, second.threads) == (3, 5)
    assert len(session.game.moves) == 1
    assert listener.notes() == ["kernel native, set by Backend (some compiler)"]
    session.set_option("Backend", "auto")  # the same kernel, for another reason
    assert session._searcher.kernel is second
    assert second.cleared == 0
    assert session.kernel_text == "native, the fastest available (some compiler)"
    assert listener.take() == []


@pytest.mark.usefixtures("working")
def test_solved_games_use_the_solver_and_keep_the_table(listener: Listener) -> None:
    session = Session(listener)
    kernel = session._searcher.kernel
    session.set_option("UCI_Variant", "rota")
    assert listener.notes() == ["kernel solver, because rota is solved"]
    session.set_option("Hash", "5")
    session.set_option("UCI_Variant", "latrones")
    assert session._searcher.kernel is kernel
    assert isinstance(kernel, QuickKernel)
    assert kernel.hash_megabytes == 5
    assert listener.notes() == ["kernel native, the fastest available (some compiler)"]


@pytest.mark.usefixtures("working")
def test_a_game_that_the_options_do_not_choose_can_be_solved(listener: Listener) -> None:
    """The next position is of the game of the options again."""
    session = Session(listener)
    for _ in range(2):
        session.set_game(Game("rota"))
        assert session.kernel_text == "solver, because rota is solved"
    session.set_position(None, ["d1d5"])
    assert session.kernel_text == "native, the fastest available (some compiler)"
    assert (session.option_value("UCI_Variant"), len(session.game.moves)) == ("latrones", 1)


# ---------------------------------------------------------------- memory


@pytest.mark.usefixtures("little_memory")
def test_memory_of_the_first_kernel_is_checked(listener: Listener, backend: str) -> None:
    with pytest.raises(MemoryError, match="cannot allocate 16 MB of hash: only 10 MB of memory available"):
        Session(listener, backend)


def test_more_hash_than_memory_is_rejected(session: Session, request: pytest.FixtureRequest) -> None:
    before = vars(session._searcher.kernel)["_table"]
    request.getfixturevalue("little_memory")
    with pytest.raises(OptionError, match="Hash: keeping the old table: cannot allocate 11 MB of hash: only 10 MB"):
        session.set_option("Hash", "11")
    assert vars(session._searcher.kernel)["_table"] is before
    session.set_option("Hash", "10")
    assert vars(session._searcher.kernel)["_table"] is not before


@pytest.mark.usefixtures("working")
def test_a_backend_without_memory_for_its_table_is_rejected(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(hash_megabytes: int) -> QuickKernel:
        raise MemoryError(f"{hash_megabytes} MB")

    session = Session(listener, "python")
    kernel = session._searcher.kernel
    fake_kernels.use(monkeypatch, out_of_memory)
    with pytest.raises(OptionError, match="Backend: keeping the python kernel: 16 MB"):
        session.set_option("Backend", "native")
    assert session._searcher.kernel is kernel
    assert session.kernel_text == "python, set by Backend"


# ---------------------------------------------------------------- available memory, read from files like those of Linux

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


@pytest.mark.linux  # it looks at /proc
def test_memory_of_the_machine(system: Path) -> None:
    assert available_mb() == 4000
    memory.check_available(4000)
    with pytest.raises(MemoryError, match="cannot allocate 4001 MB of hash: only 4000 MB of memory available"):
        memory.check_available(4001)
    (system / "proc/meminfo").unlink()
    assert available_mb() is None
    memory.check_available(65536)  # unknown memory is not checked


@pytest.mark.linux
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
)
def test_control_groups(system: Path, groups: str, limits: dict[str, tuple[int, ...]], available: int) -> None:
    write(system / "proc/self/cgroup", groups)
    for name, limit in limits.items():
        (group_1 if name.startswith("memory") else group_2)(system / "cgroup" / name, *limit)
    assert available_mb() == available


def test_memory_of_this_machine_is_plausible() -> None:
    available = memory.available_bytes()
    assert available is None or 2**20 < available < 2**50
    assert (available is None) == (not Path("/proc/meminfo").exists())
