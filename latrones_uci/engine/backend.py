"""Which kernel plays, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from latrones_uci import native
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.interface import Kernel
from latrones_uci.engine.memory import check_available
from latrones_uci.engine.native_kernel import NativeKernel
from latrones_uci.engine.python_kernel import PythonKernel
from latrones_uci.game import quoted

BACKENDS = ("auto", "python", "native")


@dataclass(frozen=True)
class Choice:
    """A kernel chosen for a value of the option ``Backend``.

    Attributes:
        kernel: its name.
        why: the reason, to be read behind the name and a comma.
        without: techniques that its search does without.
    """

    kernel: Literal["python", "native"]
    why: str
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        """What is told of it, the same everywhere."""
        return f"{self.kernel}, {self.why}{''.join(f', without {name}' for name in self.without)}"


def choose(backend: str, without: Sequence[str] = ()) -> Choice:
    """The kernel for a value of ``Backend``. The compiled one is loaded only where it may play.

    Args:
        backend: the value.
        without: techniques of the native search to do without, for matches that weigh them.

    Raises:
        OptionError: ``native`` where there is none, or where it cannot be loaded; ``without`` what there is not.
    """
    choice = _choose(backend)
    if without:
        if choice.kernel != "native":
            raise OptionError(f"without {quoted(without[0])}: the {choice.kernel} kernel plays, {choice.why}")
        known = native.core().TECHNIQUES
        if unknown := [name for name in without if name not in known]:
            raise OptionError(f"without {quoted(unknown[0])}: the native search has {', '.join(known)}")
    return replace(choice, without=tuple(without))


def _choose(backend: str) -> Choice:
    if backend == "python":
        return Choice("python", "as Backend says")
    if not native.is_compiled():
        problem = f"there is no native kernel: {native.why_not_compiled()}"
    else:
        try:
            build = native.core().BUILD
        except Exception as error:  # whatever a module of machine code may do when it is loaded
            problem = f"the native kernel cannot be loaded: {type(error).__name__}: {error}"
        else:
            return Choice("native", f"{'as Backend says' if backend == 'native' else 'the faster one'} ({build})")
    if backend == "native":
        raise OptionError(f"option Backend: {problem}")
    return Choice("python", f"for {problem}")


def make_kernel(choice: Choice, hash_megabytes: int) -> Kernel:
    """The kernel chosen, with an empty table.

    Raises:
        MemoryError: there is not so much memory.
    """
    check_available(hash_megabytes)
    return NativeKernel(hash_megabytes, choice.without) if choice.kernel == "native" else PythonKernel(hash_megabytes)
