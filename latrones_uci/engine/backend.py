"""Which kernel plays, and why."""

from dataclasses import dataclass
from typing import Literal

from latrones_uci import native
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.interface import Kernel
from latrones_uci.engine.memory import check_available
from latrones_uci.engine.native_kernel import NativeKernel
from latrones_uci.engine.python_kernel import PythonKernel

BACKENDS = ("auto", "python", "native")


@dataclass(frozen=True)
class Choice:
    """A kernel chosen for a value of the option ``Backend``.

    Attributes:
        kernel: its name.
        why: the reason, to be read behind the name and a comma.
    """

    kernel: Literal["python", "native"]
    why: str

    def __str__(self) -> str:
        """What is told of it, the same everywhere."""
        return f"{self.kernel}, {self.why}"


def choose(backend: str) -> Choice:
    """The kernel for a value of ``Backend``. The compiled one is loaded only where it may play.

    Raises:
        OptionError: ``native`` where there is none, or where it cannot be loaded.
    """
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
    return (NativeKernel if choice.kernel == "native" else PythonKernel)(hash_megabytes)
