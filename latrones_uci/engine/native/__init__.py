"""The compiled kernel, if the package was built with it."""

import importlib.util
from importlib import import_module
from pathlib import Path
from types import ModuleType

_MODULE = "latrones_uci.engine.native._core"
NOT_BUILT = "not_built.txt"
"""File in which a build without the core stores the reason."""


def is_compiled() -> bool:
    """Return whether there is a compiled kernel."""
    return importlib.util.find_spec(_MODULE) is not None


def core() -> ModuleType:
    """Return the compiled kernel; see ``_core.pyi``.

    Raises:
        ImportError: there is none, or it cannot be loaded.
        KeyboardInterrupt: an interruption while it was loaded, which pybind11 reports as an ``ImportError``.
    """
    try:
        return import_module(_MODULE)
    except ImportError as error:
        cause = error.__cause__
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__
        if cause is not None:
            raise cause from error
        raise


def why_not_compiled() -> str:
    """Return the reason why there is no compiled kernel."""
    note = Path(__file__).with_name(NOT_BUILT)
    return note.read_text(encoding="utf-8").strip() if note.is_file() else (
        f"the source in {Path(__file__).parent.parent.parent} was not built"
    )
