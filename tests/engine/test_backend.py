"""The choice of the kernel, what is told of it, and what a change keeps."""

from __future__ import annotations

import time
from types import ModuleType

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import QuickKernel
from latrones_uci import native
from latrones_uci.engine import memory
from latrones_uci.engine.backend import choose, make_kernel
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.events import BestMove, Note
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Engine


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
    """A native kernel as far as the choice goes, and kernels that remember."""
    core = ModuleType("core")
    core.BUILD = "some compiler"  # type: ignore[attr-defined]
    monkeypatch.setattr(native, "is_compiled", lambda: True)
    monkeypatch.setattr(native, "core", lambda: core)
    fake_kernels.use(monkeypatch, QuickKernel)


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 10 * 2**20)


# ---------------------------------------------------------------- techniques


@pytest.fixture
def techniques(working: None) -> None:
    native.core().TECHNIQUES = {"futility": 1, "null-move": 2}  # type: ignore[attr-defined]


@pytest.mark.usefixtures("techniques")
def test_a_search_without_techniques_is_told_of() -> None:
    text = "native, the faster one (some compiler), without null-move, without futility"
    assert str(choose("auto", ["null-move", "futility"])) == text
    engine = Engine(Listener(), "auto", ["null-move"])
    engine.set_option("Backend", "native")
    assert engine.kernel_text == "native, as Backend says (some compiler), without null-move"
    engine.close()


@pytest.mark.usefixtures("techniques")
def test_techniques_that_there_are_not() -> None:
    with pytest.raises(OptionError, match="without 'null': the native search has futility, null-move"):
        choose("auto", ["null-move", "null"])
    with pytest.raises(OptionError, match="without 'null-move': the python kernel plays, as Backend says"):
        choose("python", ["null-move"])


# ---------------------------------------------------------------- the choice


@pytest.mark.usefixtures("not_compiled")
def test_without_a_compiled_kernel() -> None:
    text = "there is no native kernel: no compiler was found"
    assert str(choose("auto")) == f"python, for {text}"
    assert str(choose("python")) == "python, as Backend says"
    with pytest.raises(OptionError, match=text):
        choose("native")


@pytest.mark.usefixtures("broken")
def test_a_kernel_that_cannot_be_loaded_is_told() -> None:
    text = "the native kernel cannot be loaded: ImportError: undefined symbol: _Zx"
    assert str(choose("auto")) == f"python, for {text}"
    assert str(choose("python")) == "python, as Backend says"
    with pytest.raises(OptionError, match=text):
        choose("native")


@pytest.mark.usefixtures("working")
def test_with_a_compiled_kernel() -> None:
    assert str(choose("auto")) == "native, the faster one (some compiler)"
    assert str(choose("native")) == "native, as Backend says (some compiler)"
    assert str(choose("python")) == "python, as Backend says"


def test_the_kernel_is_the_one_chosen(backend: str) -> None:
    choice = choose(backend)
    assert choice.kernel == make_kernel(choice, 1).name == backend


@pytest.mark.usefixtures("not_compiled")
def test_native_where_there_is_none_changes_nothing(listener: Listener) -> None:
    engine = Engine(listener, "python")
    before, told = engine._kernel, engine.kernel_text
    with pytest.raises(OptionError, match="no compiler was found"):
        engine.set_option("Backend", "native")
    assert (engine._kernel, engine.kernel_text) == (before, told)
    engine.set_option("Backend", "auto")
    assert engine._kernel is before
    assert engine.kernel_text == "python, for there is no native kernel: no compiler was found"
    with pytest.raises(OptionError, match="no compiler was found"):
        Engine(listener, "native")


# ---------------------------------------------------------------- changing it


@pytest.mark.usefixtures("working")
def test_a_change_keeps_all_but_the_table(listener: Listener) -> None:
    engine = Engine(listener, "python")
    engine.set_option("Hash", "3")
    engine.set_option("Threads", "5")
    engine.set_option("MultiPV", "2")
    engine.set_position(None, ["d1d5"])
    first = engine._kernel
    engine.set_option("Backend", "NATIVE")
    second = engine._kernel
    assert isinstance(second, QuickKernel)
    assert second is not first
    assert (second.hash_megabytes, second.threads) == (3, 5)
    assert len(engine.game.moves) == 1
    engine.set_option("Backend", "auto")  # the same kernel, for another reason
    assert engine._kernel is second
    assert second.cleared == 0
    assert engine.kernel_text == "native, the faster one (some compiler)"
    assert listener.take() == []


def test_both_kernels_in_turn(listener: Listener, backend: str) -> None:
    engine = Engine(listener, "python")
    for name in (backend, "python", backend):
        engine.set_option("Backend", name)
        assert engine.kernel_text.startswith(f"{name}, as Backend says")
        engine.go(Limits(depth=2), time.monotonic_ns())
        engine.wait()
        (best,) = listener.best_moves()
        assert isinstance(best, BestMove)
        assert engine.game.position.parse_move(str(best.move))


@pytest.mark.usefixtures("working")
def test_the_solver_plays_what_is_solved_and_the_table_stays(listener: Listener) -> None:
    engine = Engine(listener)
    kernel = engine._kernel
    engine.set_option("UCI_Variant", "rota")
    assert listener.take() == [Note("rota is solved outright: the solver plays")]
    assert engine.kernel_text == "solver, for rota is solved outright"
    engine.set_option("Hash", "5")
    engine.set_option("UCI_Variant", "latrones")
    assert engine._kernel is kernel
    assert isinstance(kernel, QuickKernel)
    assert kernel.hash_megabytes == 5


# ---------------------------------------------------------------- memory


@pytest.mark.usefixtures("little_memory")
def test_the_first_kernel_is_checked_too(listener: Listener, backend: str) -> None:
    with pytest.raises(MemoryError, match="16 MB of hash asked for, 10 MB of memory available"):
        Engine(listener, backend)


def test_more_hash_than_memory_is_refused(engine: Engine, listener: Listener, request: pytest.FixtureRequest) -> None:
    before = vars(engine._kernel)["_table"]
    request.getfixturevalue("little_memory")
    with pytest.raises(OptionError, match="Hash: '11' is refused, the old table stays: .* 10 MB of memory available"):
        engine.set_option("Hash", "11")
    assert vars(engine._kernel)["_table"] is before
    engine.set_option("Hash", "10")
    assert vars(engine._kernel)["_table"] is not before


@pytest.mark.usefixtures("working")
def test_a_backend_without_memory_for_its_table_is_refused(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(hash_megabytes: int) -> QuickKernel:
        raise MemoryError(f"{hash_megabytes} MB")

    engine = Engine(listener, "python")
    kernel = engine._kernel
    fake_kernels.use(monkeypatch, out_of_memory)
    with pytest.raises(OptionError, match="Backend: 'native' is refused, the old kernel stays: 16 MB"):
        engine.set_option("Backend", "native")
    assert engine._kernel is kernel
    assert engine.kernel_text == "python, as Backend says"


# ---------------------------------------------------------------- threads


def test_the_python_kernel_says_that_it_has_one_thread(listener: Listener) -> None:
    engine = Engine(listener, "python")
    engine.set_option("Threads", "3")
    assert listener.take() == [Note("the python kernel uses 1 of 3 threads")]
    engine.set_option("Threads", "1")
    assert listener.take() == []


def test_threads_are_kept_from_kernel_to_kernel(listener: Listener, backend: str) -> None:
    engine = Engine(listener, backend)
    engine.set_option("Threads", "3")
    notes = listener.take()
    assert notes == ([] if backend == "native" else [Note("the python kernel uses 1 of 3 threads")])
    engine.set_option("Backend", "python")
    assert listener.take() == ([Note("the python kernel uses 1 of 3 threads")] if backend == "native" else [])
