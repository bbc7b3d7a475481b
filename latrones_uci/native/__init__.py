"""The compiled kernel, where the package was built with one."""

import importlib.util
from importlib import import_module, resources
from types import ModuleType

_MODULE = "latrones_uci.native._core"
NOT_BUILT = "not_built.txt"
"""Where a build without the core leaves the reason."""


def is_compiled() -> bool:
    """Whether there is a compiled kernel."""
    return importlib.util.find_spec(_MODULE) is not None


def core() -> ModuleType:
    """The compiled kernel; see ``_core.pyi``.

    Raises:
        ImportError: there is none, or it cannot be loaded.
    """
    return import_module(_MODULE)


def why_not_compiled() -> str:
    """Why there is no compiled kernel."""
    note = resources.files(__package__) / NOT_BUILT
    return note.read_text(encoding="utf-8").strip() if note.is_file() else "the package is not built, only copied"
