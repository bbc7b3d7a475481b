"""The installed package: its metadata, its data files, and the examples in its docstrings."""

import doctest
import importlib
import os
import pkgutil
import sysconfig
from importlib import metadata, resources

import pytest

import latrones_uci

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(latrones_uci.__path__, "latrones_uci.")
    if not module.name.endswith("__main__")
)


def test_version() -> None:
    assert metadata.version("latrones-uci") == latrones_uci.__version__


def test_there_are_no_runtime_dependencies() -> None:
    required = metadata.requires("latrones-uci") or []
    assert [requirement for requirement in required if "extra ==" not in requirement] == []


def test_console_scripts() -> None:
    scripts = {script.name: script.value for script in metadata.distribution("latrones-uci").entry_points}
    main = "latrones_uci.commands.main"
    assert scripts == {"latrones-uci": f"{main}:main", "latrones-match": f"{main}:match_main"}


@pytest.mark.parametrize(
    "name",
    ["py.typed", "game/variants.toml", "native/_core.pyi", "web/board/page.html", "web/board/page.js",
     "openings/latrones.fen", "web/lib/base.css", "web/watch/watch.html"],
)  # fmt: skip
def test_data_files(name: str) -> None:
    assert resources.files("latrones_uci").joinpath(name).is_file()


@pytest.mark.process
def test_examples_in_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples start the engine by its name, as in an activated environment."""
    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    assert len(MODULES) > 100
    results = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted for result in results.values()) > 0
