"""The choice of the kernel, its description, and what a change keeps."""

from __future__ import annotations

from types import ModuleType

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import QuickKernel
from latrones_uci import native
from latrones_uci.engine import bench, memory
from latrones_uci.engine.backend import choose
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.events import BenchTotal
from latrones_uci.engine.session import Session

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
    before, text = session._kernel, session.kernel_text
    with pytest.raises(OptionError, match=why):
        session.set_option("Backend", "native")
    assert (session._kernel, session.kernel_text) == (before, text)
    session.set_option("Backend", "auto")
    assert session._kernel is before
    assert session.kernel_text == f"python, because {why}"


# ---------------------------------------------------------------- changing it


@pytest.mark.usefixtures("working")
def test_a_change_of_kernel_keeps_everything_but_the_table(listener: Listener) -> None:
    session = Session(listener, "python")
    session.set_option("Hash", "3")
    session.set_option("Threads", "5")
    session.set_position(None, ["d1d5"])
    first = session._kernel
    session.set_option("Backend", "NATIVE")
    second = session._kernel
    assert isinstance(second, QuickKernel)
    assert second is not first
    assert (second.hash_megabytes, second.threads) == (3, 5)
    assert len(session.game.moves) == 1
    assert listener.notes() == ["kernel native, set by Backend (some compiler)"]
    session.set_option("Backend", "auto")  # the same kernel, for another reason
    assert session._kernel is second
    assert second.cleared == 0
    assert session.kernel_text == "native, the fastest available (some compiler)"
    assert listener.take() == []


@pytest.mark.usefixtures("working")
def test_solved_games_use_the_solver_and_keep_the_table(listener: Listener) -> None:
    session = Session(listener)
    kernel = session._kernel
    session.set_option("UCI_Variant", "rota")
    assert listener.notes() == ["kernel solver, because rota is solved"]
    session.set_option("Hash", "5")
    session.set_option("UCI_Variant", "latrones")
    assert session._kernel is kernel
    assert isinstance(kernel, QuickKernel)
    assert kernel.hash_megabytes == 5
    assert listener.notes() == ["kernel native, the fastest available (some compiler)"]


# ---------------------------------------------------------------- memory


@pytest.mark.usefixtures("little_memory")
def test_memory_of_the_first_kernel_is_checked(listener: Listener, backend: str) -> None:
    with pytest.raises(MemoryError, match="cannot allocate 16 MB of hash: only 10 MB of memory available"):
        Session(listener, backend)


def test_more_hash_than_memory_is_rejected(session: Session, request: pytest.FixtureRequest) -> None:
    before = vars(session._kernel)["_table"]
    request.getfixturevalue("little_memory")
    with pytest.raises(OptionError, match="Hash: keeping the old table: cannot allocate 11 MB of hash: only 10 MB"):
        session.set_option("Hash", "11")
    assert vars(session._kernel)["_table"] is before
    session.set_option("Hash", "10")
    assert vars(session._kernel)["_table"] is not before


@pytest.mark.usefixtures("working")
def test_a_backend_without_memory_for_its_table_is_rejected(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(hash_megabytes: int) -> QuickKernel:
        raise MemoryError(f"{hash_megabytes} MB")

    session = Session(listener, "python")
    kernel = session._kernel
    fake_kernels.use(monkeypatch, out_of_memory)
    with pytest.raises(OptionError, match="Backend: keeping the python kernel: 16 MB"):
        session.set_option("Backend", "native")
    assert session._kernel is kernel
    assert session.kernel_text == "python, set by Backend"
