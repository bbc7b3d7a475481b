"""The layers of the package and their allowed imports; standard library only; no long files or functions."""

from __future__ import annotations

import ast
import functools
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "latrones_uci"
PACKAGE = SOURCE.name
SOURCE_SUFFIXES = {".py", ".pyi", ".c", ".h", ".cpp", ".hpp", ".js", ".css", ".html"}
LONGEST_FILE = 800

# Each room, and the other rooms that its modules may import. A module belongs to the longest matching name.
#
#   game <- tables <- search, native <- engine <- uci, xboard <- commands
#   game, stats <- client <- records <- match <- report, gui <- commands
#   web <- lessons <- gui; web <- report <- watch
#
# Everything that drives an engine can therefore use our own only as a subprocess, like any other.
CLIENTS = {"version", "game", "protocol", "client"}
MAY_IMPORT: dict[str, set[str]] = {
    "": {*CLIENTS, "draw", "function_engine", "records"},  # the public API
    "version": set(),
    "game": set(),
    "stats": set(),
    "protocol": set(),
    "draw": {"version", "game"},
    "explain": {"game", "draw"},  # the rules of any game in words
    "tables": {"game"},  # read by the engine and by the referee
    "search": {"game", "protocol", "tables"},
    "native": {"version", "game"},
    "tables.maker": {"game", "native", "tables"},
    "engine": {"version", "game", "protocol", "search", "native", "tables", "tables.maker"},
    "uci": {"version", "game", "protocol", "search", "engine"},  # parses and renders the values of `engine`
    "xboard": {"version", "game", "protocol", "search", "engine", "uci"},
    "uci.loop": {"game", "protocol", "engine", "uci", "xboard"},  # the first line chooses the dialect
    "client": {"version", "game", "protocol"},
    # The loop of our own engine serves a function, which receives its limits as values of the client.
    "function_engine": {"game", "protocol", "client", "search", "engine", "uci", "uci.loop"},
    "records": CLIENTS,
    "match": {*CLIENTS, "stats", "records", "tables"},
    "analysis": {*CLIENTS, "records"},
    "report": {*CLIENTS, "draw", "stats", "records", "match", "analysis", "web"},  # the notation of moves, reviews
    "web": {"game", "protocol", "draw"},  # what the pages in the browser share
    "lessons": {"game", "explain", "protocol", "draw", "web"},
    "gui": {*CLIENTS, "draw", "records", "match", "analysis", "web", "lessons"},
    "watch": {*CLIENTS, "draw", "stats", "records", "match", "report", "web"},
    # Plays by the native kernel in this process; its matches run engines as subprocesses, like all others.
    "train": {*CLIENTS, "draw", "stats", "records", "match", "report", "search", "native", "tables", "tables.maker",
              "engine"},
    "compliance": CLIENTS,
    "revisions": {"game", "client", "records"},
    "commands.arguments": {"game", "client"},
    "commands": {*CLIENTS, "draw", "explain", "stats", "records", "match", "analysis", "report", "web", "lessons",
                 "gui", "watch", "compliance", "revisions", "commands.arguments"},
    # Only these commands run our engine in this process.
    "commands.bench": {"protocol", "engine", "uci", "commands.arguments"},
    "commands.perft": {"engine", "commands.arguments", "commands.bench"},
    "commands.tables": {*CLIENTS, "native", "engine", "tables", "tables.maker", "commands.arguments"},
    "commands.train": {*CLIENTS, "native", "records", "match", "search", "tables", "train", "commands.arguments"},
    "commands.main": {"version", "game", "client", "engine", "uci", "uci.loop", "commands.arguments", "commands.bench"},
    "__main__": {"", "commands.main"},  # the package itself first, if it is run as a file
}


# Imports inside functions that are allowed although the room may not import the module, with the reason.
LAZY = {
    ("game.position", "draw"): "notebooks show a position as a picture, and the drawing needs positions",
    ("game.history", "draw"): "likewise for a game",
}


def modules(source: Path) -> dict[str, Path]:
    """Return the modules of a package by their name inside the package; the package itself is ``""``."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = list(path.relative_to(source).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def layer_of(module: str) -> str | None:
    """Return the layer of a module; None if it is not in the table."""
    if not module:
        return ""
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in MAY_IMPORT), None)


def imported_names(path: Path, module: str) -> tuple[str, ...]:
    """Yield the full names that a module imports anywhere, guarded or not."""
    return _names_in(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")


@functools.cache
def _names_in(text: str, module: str, is_package: bool) -> tuple[str, ...]:
    return tuple(_each_name_in(text, module, is_package))


def _each_name_in(text: str, module: str, is_package: bool) -> Iterator[str]:
    own = [PACKAGE, *module.split(".")] if module else [PACKAGE]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = len(own) - node.level + is_package
            base = [*own[:above], *([node.module] if node.module else [])] if node.level else [node.module or ""]
            yield from (".".join([*base, alias.name]) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__"):
                yield str(node.args[0].value)


def own_imports(source: Path) -> dict[str, set[str]]:
    """Return the modules of the package that each module imports, by their names inside the package."""
    known = modules(source)
    graph: dict[str, set[str]] = {module: set() for module in known}
    for module, path in known.items():
        for name in imported_names(path, module):
            parts = name.split(".")
            if parts[0] == PACKAGE:
                inside = ".".join(parts[1:])
                # `from package.module import name`: a name that is not a module is a name in one.
                graph[module].add(inside if inside in known or len(parts) == 1 else ".".join(parts[1:-1]))
    return graph


def forbidden_imports(source: Path) -> list[str]:
    found = []
    for module, imported in own_imports(source).items():
        layer = layer_of(module)
        if layer is None:
            found.append(f"{module} belongs to no layer")
            continue
        found += [
            f"{module or PACKAGE} imports {name or PACKAGE}"
            for name in sorted(imported)
            if layer_of(name) not in MAY_IMPORT[layer] | {layer} and (module, name) not in LAZY
        ]
    return found


def layers_reached(source: Path, layer: str) -> set[str | None]:
    """Return the layers of all modules that the modules of a layer import, directly or indirectly."""
    graph = own_imports(source)
    reached: set[str] = set()
    waiting = [module for module in graph if layer_of(module) == layer]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += graph.get(module, ())
            if "." in module:
                waiting.append(module.rpartition(".")[0])  # a module's package is loaded before it
    return {layer_of(module) for module in reached} - {layer}


def test_imports_run_one_way() -> None:
    found = forbidden_imports(SOURCE)
    assert not found, "\n".join(found)


def test_the_table_has_no_cycle() -> None:
    waiting = dict(MAY_IMPORT)
    while free := [layer for layer, below in waiting.items() if below.isdisjoint(waiting)]:
        for layer in free:
            del waiting[layer]
    assert waiting == {}


@pytest.mark.parametrize("room", ["client", "match", "web", "gui", "watch", "compliance", "analysis"])
def test_clients_never_reach_the_engine(room: str) -> None:
    """Not even through other rooms."""
    assert layers_reached(SOURCE, room).isdisjoint({"engine", "search", "native", "uci", "xboard"})


def test_engine_never_reaches_a_dialect() -> None:
    assert layers_reached(SOURCE, "engine").isdisjoint({"uci", "xboard", "match", "client", "commands"})


# Packages of extras, and the only modules that may import them: when needed, with a clear error if they are missing.
EXTRAS = {
    ("match.worker", "distributed"), ("train.features", "numpy"), ("train.features", "numpy.typing"),
    ("train.fit", "numpy"),
}  # fmt: skip


def test_standard_library_only() -> None:
    foreign = {
        f"{module or PACKAGE} imports {name}"
        for module, path in modules(SOURCE).items()
        for name in imported_names(path, module)
        if name.split(".")[0] not in sys.stdlib_module_names | {PACKAGE} and (module, name) not in EXTRAS
    }
    assert foreign == set()


def test_no_long_files() -> None:
    lengths = {
        str(path.relative_to(SOURCE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in SOURCE.rglob("*")
        if path.suffix in SOURCE_SUFFIXES
    }
    assert lengths
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


# Longer functions of these layers, with the reason why splitting them would not help.
SHORT_FUNCTIONS_IN = ("uci", "xboard", "client", "records", "match", "report", "compliance", "stats")
LONGEST_FUNCTION = 60
MAY_BE_LONGER: dict[str, str] = {}


def long_functions(source: Path) -> set[str]:
    """Return the functions that are longer than the limit, from ``def`` to the last line."""
    return {
        f"{module}.{node.name}"
        for module, path in modules(source).items()
        if module.partition(".")[0] in SHORT_FUNCTIONS_IN
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno + 1 > LONGEST_FUNCTION
    }


def test_no_long_functions() -> None:
    assert long_functions(SOURCE) == set(MAY_BE_LONGER)


def test_long_functions_are_found(tmp_path: Path) -> None:
    for module, lines in {"match/x.py": 59, "match/y.py": 60, "game/z.py": 99}.items():
        (tmp_path / module).parent.mkdir(exist_ok=True)
        (tmp_path / module).write_text("class A:\n    def f():\n" + "        pass\n" * lines, encoding="utf-8")
    assert long_functions(tmp_path) == {"match.y.f"}


# Names that several modules share, and why they do. The module of a subcommand has the subcommand's name, whatever else
# has it, and is not counted.
SHARED_NAMES = {
    "bench": "engine: the bench; revisions: runs that of a built version and reads its count",
    "commands": "a room: the subcommands of latrones-uci; uci, xboard: the commands of the protocol, side by side",
    "engine": "a room: our engine; client: any engine as a subprocess, `Engine` of the public API",
    "errors": "game, engine, client: the errors of each",
    "events": "engine, match: what each reports while it runs",
    "game": "a room: the rules; match: plays one refereed game",
    "notation": "game: of the protocols; web: for people",
    "parse": "uci, xboard: side by side",
    "render": "uci, xboard: side by side",
    "session": "engine: the state machine of our engine; xboard: of a controller that speaks CECP",
}


def shared_names(source: Path) -> set[str]:
    """Names that more than one module has; rooms count as modules."""
    counted = (module for module in modules(source) if not module.startswith("commands."))
    return {name for name, count in Counter(module.rpartition(".")[2] for module in counted).items() if count > 1}


def test_one_name_for_one_thing() -> None:
    assert shared_names(SOURCE) == set(SHARED_NAMES)


def test_shared_names_are_found(tmp_path: Path) -> None:
    for name in ("game/__init__.py", "game/rules.py", "match/game.py", "gui/rules.py", "commands/rules.py", "draw.py",
                 "commands/draw.py"):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert shared_names(tmp_path) == {"game", "rules"}


# Modules that are shorter, and why they are no part of another. `__init__` and `__main__` may be as short as they like.
SHORTEST_MODULE = 40
MAY_BE_SHORTER = {
    "version": "read by the build without the rest of the package",
    "engine.errors": "the errors of a room are in a module of that name",
    "commands.perft": "a small subcommand; each is a file",
    "commands.pgn": "a small subcommand",
}
MOST_FILES = 225
LARGEST_SHARE = 0.2


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def short_modules(source: Path) -> set[str]:
    return {
        module
        for module, path in modules(source).items()
        if path.stem not in ("__init__", "__main__") and line_count(path) < SHORTEST_MODULE
    }


def room_shares(source: Path) -> dict[str, float]:
    """The share of each room in the package's lines of Python; modules that are in no room are rooms themselves."""
    lines = Counter[str]()
    for module, path in modules(source).items():
        lines[module.partition(".")[0]] += line_count(path)
    return {room: count / lines.total() for room, count in lines.items()}


def test_no_short_modules() -> None:
    assert short_modules(SOURCE) == set(MAY_BE_SHORTER)


def test_no_large_rooms_and_not_too_many_files() -> None:
    assert {room: share for room, share in room_shares(SOURCE).items() if share > LARGEST_SHARE} == {}
    assert len(modules(SOURCE)) <= MOST_FILES


def test_sizes_are_counted(tmp_path: Path) -> None:
    files = {"__init__.py": 1, "match/__init__.py": 0, "match/x.py": 39, "match/y.py": 40, "z.py": 20}
    for module, lines in files.items():
        (tmp_path / module).parent.mkdir(exist_ok=True)
        (tmp_path / module).write_text("pass\n" * lines, encoding="utf-8")
    assert short_modules(tmp_path) == {"match.x", "z"}
    assert room_shares(tmp_path) == {"": 0.01, "match": 0.79, "z": 0.2}


@pytest.mark.parametrize(
    ("module", "text", "found"),
    [
        ("game/x.py", "import latrones_uci.engine.limits", "game.x imports engine.limits"),
        ("game/x.py", "from latrones_uci import Engine", "game.x imports latrones_uci"),
        ("search/x.py", "from latrones_uci.engine import limits", "search.x imports engine.limits"),
        ("search/x.py", "from latrones_uci.engine.limits import Limits", "search.x imports engine.limits"),
        ("engine/limits.py", "from ..uci import render", "engine.limits imports uci.render"),
        ("engine/__init__.py", "from ..uci.render import info", "engine imports uci.render"),
        ("match/x.py", "def f():\n    from latrones_uci import engine", "match.x imports engine"),
        ("match/x.py", "import latrones_uci.uci.loop", "match.x imports uci.loop"),
        ("match/x.py", "import importlib\nimportlib.import_module('latrones_uci.search')", "match.x imports search"),
        ("uci/render.py", "import latrones_uci.match as m", "uci.render imports match"),
        ("novelty.py", "", "novelty belongs to no layer"),
    ],
)
def test_forbidden_imports_are_found(tmp_path: Path, module: str, text: str, found: str) -> None:
    source = tmp_path / PACKAGE
    files = ["__init__.py", *(f"{layer}/__init__.py" for layer in ("game", "search", "engine", "uci", "match"))]
    for name in [*files, "engine/limits.py", "uci/loop.py", "uci/render.py"]:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).touch()
    assert forbidden_imports(source) == []
    (source / module).write_text(text, encoding="utf-8")
    assert forbidden_imports(source) == [found]


def test_indirect_imports_are_followed(tmp_path: Path) -> None:
    source = tmp_path / PACKAGE
    for name, text in {
        "match/x.py": "from latrones_uci.uci.parse import parse",
        "uci/parse.py": "from ..engine.limits import Limits",
        "engine/limits.py": "",
    }.items():
        (source / name).parent.mkdir(parents=True)
        (source / name).write_text(text, encoding="utf-8")
    assert layers_reached(source, "match") == {"uci", "engine"}
