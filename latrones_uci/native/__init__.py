"""The compiled kernel, if the package was built with it."""

import importlib.util
from importlib import import_module
from pathlib import Path
from types import ModuleType

_MODULE = "latrones_uci.native._core"
NOT_BUILT = "not_built.txt"
"""File in which a build without the core stores the reason."""


def is_compiled() -> bool:
    """Return whether there is a compiled kernel."""
    return importlib.util.find_spec(_MODULE) is not None


def core() -> ModuleType:
    """Return the compiled kernel; see ``_core.pyi``.

    Raises:
        ImportError: there is none, or it cannot be loaded.
    """
    return import_module(_MODULE)


def why_not_compiled() -> str:
    """Return the reason why there is no compiled kernel."""
    note = Path(__file__).with_name(NOT_BUILT)
    return note.read_text(encoding="utf-8").strip() if note.is_file() else (
        f"the source in {Path(__file__).parent.parent} was not built"
    )
