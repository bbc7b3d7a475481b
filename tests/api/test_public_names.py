"""``import latrones_uci``: the public names, imported when they are first used."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import latrones_uci


def guarded_imports() -> dict[str, str]:
    """Return what ``if TYPE_CHECKING`` imports: each name and its module."""
    tree = ast.parse(Path(latrones_uci.__file__).read_text(encoding="utf-8"))
    (guard,) = (node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(guard.test) == "TYPE_CHECKING"
    return {alias.name: str(node.module) for node in guard.body
            if isinstance(node, ast.ImportFrom) and node.module != "typing" for alias in node.names}


def test_the_lists_of_names_agree() -> None:
    homes = {name: f"latrones_uci.{home}" for home, names in latrones_uci._HOMES.items() for name in names}
    assert homes == guarded_imports()
    assert sorted(homes) == sorted(latrones_uci.__all__) == dir(latrones_uci)
    assert len(set(latrones_uci.__all__)) == len(latrones_uci.__all__)


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
    ("from latrones_uci import Game", {"game"}),
    ("from latrones_uci import Engine, Limit", {"game", "client", "protocol"}),
])
def test_names_are_imported_when_used(statement: str, loaded: set[str]) -> None:
    program = f"import sys; {statement}; print(*{{m.split('.')[1] for m in sys.modules if 'latrones_uci.' in m}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.split()) == loaded
