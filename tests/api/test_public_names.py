"""``import latrones_uci``: the public names, imported when they are first used.

``PYTHONPATH=tests python3 tests/api/test_public_names.py`` writes the names for type checkers.
"""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import latrones_uci

STUB = Path(latrones_uci.__file__).with_suffix(".pyi")


def stub() -> str:
    """Return the file that type checkers read."""
    def order(name: str) -> tuple[bool, bool, str]:
        return not name.isupper(), not name[0].isupper(), name.lower()

    lines = [
        f"from latrones_uci.{home} import {name} as {name}\n"
        for home, names in sorted(latrones_uci._HOMES.items()) for name in sorted(names, key=order)
    ]
    return "".join(['"""The names of `__init__.py`, for type checkers; a test makes this file."""\n\n', *lines])


def test_type_checkers_read_the_same_names() -> None:
    assert STUB.read_text(encoding="utf-8") == stub()
    assert dir(latrones_uci) == latrones_uci.__all__


@pytest.mark.parametrize("name", latrones_uci.__all__)
def test_a_public_name_is_documented(name: str) -> None:
    value = getattr(latrones_uci, name)
    assert isinstance(value, str) or value.__doc__
    if isinstance(value, type):
        assert value.__name__ == name


def test_no_module_has_the_name_of_something_public() -> None:
    """Else ``import latrones_uci.NAME`` would replace it."""
    modules = {module.name for module in pkgutil.iter_modules(latrones_uci.__path__)}
    assert modules.isdisjoint(latrones_uci.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'latrones_uci' has no attribute 'Board'"):
        latrones_uci.Board  # noqa: B018
    with pytest.raises(ImportError, match="Board"):
        from latrones_uci import Board  # noqa: F401


@pytest.mark.process
@pytest.mark.parametrize(("statement", "loaded"), [
    ("import latrones_uci", set()),
    ("from latrones_uci import Game", {"game", "text"}),
    ("from latrones_uci import Engine, Limit", {"game", "client", "text"}),
])
def test_names_are_imported_when_used(statement: str, loaded: set[str]) -> None:
    program = f"import sys; {statement}; print(*{{m.split('.')[1] for m in sys.modules if 'latrones_uci.' in m}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.split()) == loaded


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
