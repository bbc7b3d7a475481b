"""The choice of the kernel, with its reason."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from latrones_uci.engine import native
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.kernels import Kernel, NativeKernel, PythonKernel
from latrones_uci.engine.memory import check_available

BACKENDS = ("auto", "python", "native")


class KernelChoice(NamedTuple):
    """A kernel chosen for a value of the option ``Backend``."""

    kernel: Literal["python", "native"]
    why: str
    """The reason, worded to follow the name and a comma."""
    tune: bool = False
    """Whether its constants can be set."""

    def __str__(self) -> str:
        return f"{self.kernel}, {self.why}{', tunable' * self.tune}"


def choose(backend: str, tune: bool = False) -> KernelChoice:
    """Choose the kernel for a value of ``Backend``. The compiled kernel is only loaded if it may be used.

    ``tune`` says that the constants of the native search become options.

    Raises:
        OptionError: ``native`` was chosen but is missing or cannot be loaded, or ``tune`` is set with another kernel.
    """
    choice = _choose(backend)
    if tune and choice.kernel != "native":
        raise OptionError(f"--tune: the {choice.kernel} kernel has no constants to tune ({choice.why}); expected the"
                          " native kernel")
    return choice._replace(tune=tune)


def _choose(backend: str) -> KernelChoice:
    if backend == "python":
        return KernelChoice("python", "set by Backend")
    if not native.is_compiled():
        problem = f"there is no native kernel: {native.why_not_compiled()}"
    else:
        try:
            build = native.core().BUILD
        except Exception as error:  # loading a binary module may raise anything
            problem = f"the native kernel cannot be loaded: {type(error).__name__}: {error}"
        else:
            why = "set by Backend" if backend == "native" else "the fastest available"
            return KernelChoice("native", f"{why} ({build})")
    if backend == "native":
        raise OptionError(f"option Backend: {problem}")
    return KernelChoice("python", f"because {problem}")


def make_kernel(choice: KernelChoice, hash_megabytes: int, tuned: Mapping[str, int] | None = None) -> Kernel:
    """Create the chosen kernel with an empty table.

    ``tuned`` are the constants of the native kernel that were set; see ``NativeKernel.tune``.

    Raises:
        MemoryError: not enough memory.
    """
    check_available(hash_megabytes)
    if choice.kernel == "python":
        return PythonKernel(hash_megabytes)
    kernel = NativeKernel(hash_megabytes)
    for name, value in (tuned or {}).items():
        kernel.tune(name, value)
    return kernel
