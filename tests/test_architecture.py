"""The rooms of the package and their allowed imports; untrusted data is never executed, and read up to a limit."""

from __future__ import annotations

import ast
import functools
import re
import sys
from pathlib import Path

import pytest

from folders import ROOT
from house import PACKAGE, imports, own_imports

SOURCE = ROOT / PACKAGE

# Each room, and the other rooms that its modules may import. A module belongs to the longest matching name.
#
#   text <- game <- words;  game <- engine <- protocols;  game <- client
#   stats, client <- records <- match <- studies;  records, words <- web;  commands
#
# Everything that drives an engine can therefore use our own only as a subprocess, like any other.
GAMES = {"version", "text", "game"}
RECORDS = {*GAMES, "client", "stats", "records"}
MATCHES = {*RECORDS, "match"}
MAY_IMPORT: dict[str, set[str]] = {
    "": set(),  # the public API: imported by name, when it is used
    "version": set(),
    "text": set(),
    "game": {"text"},
    "words": {"text", "game"},
    "stats": set(),
    "engine.native": GAMES,
    "engine.tables": {*GAMES, "engine.native"},  # read by the engine and by the referee
    "engine": {*GAMES, "engine.native", "engine.tables"},
    "client": GAMES,
    "ludii": {*GAMES, "client"},  # Java sources, and the programs that compile and run them
    "protocols": {*GAMES, "words", "engine", "engine.native", "engine.tables"},
    # The loop of our own engine serves a function, which receives its limits as values of the client.
    "protocols.function_engine": {*GAMES, "client", "engine", "protocols"},
    "records": {*GAMES, "client", "stats"},
    "match": {*RECORDS, "engine.tables"},
    # Training plays by the native kernel in this process; its matches run engines as subprocesses, like all others.
    "studies": {*MATCHES, "engine", "engine.native", "engine.tables"},
    "web": {*MATCHES, "words", "studies"},
    "commands": {*MATCHES, "words", "studies", "ludii", "web", "engine", "engine.native", "engine.tables", "protocols"},
    "__main__": {"", "commands"},  # the package itself first, if it is run as a file
}


def layer_of(module: str) -> str | None:
    """Return the layer of a module; None if it is not in the table."""
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in MAY_IMPORT), None)


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
            if layer_of(name) not in MAY_IMPORT[layer] | {layer}
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
            package = module.rpartition(".")[0]
            if package and graph.get(package):  # it is loaded before the module
                waiting.append(package)
    return {layer_of(module) for module in reached} - {layer}


def test_imports_run_one_way() -> None:
    assert forbidden_imports(SOURCE) == []


def test_the_table_has_no_cycle() -> None:
    waiting = dict(MAY_IMPORT)
    while free := [layer for layer, below in waiting.items() if below.isdisjoint(waiting)]:
        for layer in free:
            del waiting[layer]
    assert waiting == {}


@pytest.mark.parametrize(("room", "others"), [
    *((room, {"engine", "engine.native", "protocols"}) for room in ("client", "records", "match", "web")),
    ("engine", {"protocols", "match", "client", "commands"}),
])
def test_rooms_never_reach_others(room: str, others: set[str]) -> None:
    """Not even through other rooms."""
    assert layers_reached(SOURCE, room).isdisjoint(others)


# Packages of extras, and the only modules that may import them: when needed, with a clear error if they are missing.
EXTRAS = {
    ("match.cluster", "distributed"), ("studies.train.features", "numpy"), ("studies.train.features", "numpy.typing"),
    ("studies.train.fit", "numpy"),
}


def test_standard_library_only() -> None:
    foreign = {
        f"{module or PACKAGE} imports {name}"
        for module, names in imports(SOURCE).items()
        for name in names
        if name.split(".")[0] not in sys.stdlib_module_names | {PACKAGE} and (module, name) not in EXTRAS
    }
    assert foreign == set()


@pytest.mark.parametrize(
    ("module", "text", "found"),
    [
        ("game/x.py", "import latrones_uci.engine.limits", "game.x imports engine.limits"),
        ("game/x.py", "from latrones_uci import Engine", "game.x imports latrones_uci"),
        ("engine/tables/x.py", "from ..limits import L", "engine.tables.x imports engine.limits"),
        ("engine/limits.py", "from ..protocols import serve", "engine.limits imports protocols.serve"),
        ("match/x.py", "def f():\n    from latrones_uci import engine", "match.x imports engine"),
        ("match/x.py", "import importlib\nimportlib.import_module('latrones_uci.engine')", "match.x imports engine"),
        ("protocols/serve.py", "import latrones_uci.match as m", "protocols.serve imports match"),
        ("novelty.py", "", "novelty belongs to no layer"),
    ],
)
def test_forbidden_imports_are_found(tmp_path: Path, module: str, text: str, found: str) -> None:
    source = tmp_path / PACKAGE
    layers = ("game", "engine", "engine/tables", "protocols", "match")
    files = ["__init__.py", *(f"{layer}/__init__.py" for layer in layers)]
    for name in [*files, "engine/limits.py", "protocols/serve.py"]:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).touch()
    assert forbidden_imports(source) == []
    (source / module).write_text(text, encoding="utf-8")
    assert forbidden_imports(source) == [found]


# ---------------------------------------------------------------- untrusted data

SOURCES = sorted(SOURCE.rglob("*.py"))

# Functions and modules that turn data into code, and the only files that may use them.
FORBIDDEN_CALLS = {
    "eval", "exec", "compile", "__import__", "system", "popen", "spawnl", "spawnv", "execfile", "getoutput",
    "getstatusoutput", "mktemp", "literal_eval", "startfile",
}
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve", "code", "codeop", "imp", "runpy", "xml", "yaml",
                     "distributed"}
MAY_IMPORT_BY_NAME = {
    "engine/native/__init__.py": "the compiled core, under a name that stands there",
    "__init__.py": "the home of a public name, from its own table",
    "match/cluster.py": "the extra 'cluster', which pickles; docs/trust.md says whom one must trust",
}
# What tells one system from another, and the only modules that may ask for it, each for one thing.
SYSTEM_MODULES = {"msvcrt", "fcntl", "ctypes", "_winapi", "winreg", "pwd", "grp", "resource", "termios"}
SYSTEM_NAMES = {"sys.platform", "os.name", "platform.system", "platform.platform"}
MAY_ASK_FOR_THE_SYSTEM = {
    "client/child.py": "the choice between the next two",
    "client/windows_child.py": "processes with pipes, on Windows",
    "client/windows_job.py": "the jobs in which they and other programs end",
    "client/processors.py": "processors and cores",
    "client/programs.py": "programs other than engines",
    "studies/train/pool.py": "processes of this program",
    "text/signals.py": "the signals that end programs",
    "client/posix_child.py": "processes with pipes, on all systems but Windows",
    "text/clock.py": "the clock with small steps",
    "text/command.py": "the words of commands",
    "text/messages.py": "what is wrong with a folder that is opened as a file",
    "text/folders.py": "the folders of the user",
    "text/ports.py": "ports for one program",
    "engine/memory.py": "the memory of the machine",
    "text/files.py": "locks, names and removal of files",
    "text/streams.py": "the encoding of pipes, consoles, and how a pipe ends",
}
CLOCKS = {f"{name}{unit}" for name in ("monotonic", "perf_counter") for unit in ("", "_ns")}
MAY_HAVE_A_CLOCK = {
    "text/clock.py": "the clock of all others",
    "client/guard.py": "a program of its own, for POSIX, that imports nothing of the package",
}
# Calls that read a whole file, and the modules that may use them, because the files belong to program or system.
UNBOUNDED = {"read_text", "read_bytes", "readlines", "load"}
MAY_READ_UNBOUNDED = {
    "engine/bench.py": "the positions of the bench",
    "engine/calibration.py": "the levels and models of the package",
    "engine/memory.py": "files of /proc and /sys",
    "game/variants.py": "the games of the package",
    "web/board/puzzles.py": "the puzzles of the package",
    "web/rules/rule_page.py": "the lessons of the package",
    "web/lib/markup.py": "pages, styles and scripts of the package",
    "client/guard.py": "environments in /proc",
    "studies/revisions/build.py": "what builds and engines printed; the cache's own marks",
    "studies/revisions/source.py": "the working tree that is to be built",
    "client/posix_child.py": "files of /proc",
    "records/engine_files.py": "an engine's program, after a look at its size",
    "engine/native/__init__.py": "a note of the package's build",
}


@functools.cache
def nodes_in(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def calls_in(path: Path) -> list[ast.Call]:
    return [node for node in nodes_in(path) if isinstance(node, ast.Call)]


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.mark.long
def test_nothing_is_evaluated_unpickled_or_passed_to_a_shell() -> None:
    for path in SOURCES:
        found = [
            ast.unparse(call) for call in calls_in(path)
            if name_of(call) in FORBIDDEN_CALLS and ast.unparse(call.func) != "re.compile"
            or any(keyword.arg == "shell" for keyword in call.keywords)
        ]
        assert found == [], path
    imported = {(module, name.partition(".")[0]) for module, names in imports(SOURCE).items() for name in names}
    assert {each for each in imported if each[1] in FORBIDDEN_MODULES} == {("match.cluster", "distributed")}


def test_modules_are_imported_by_name_only_where_allowed() -> None:
    found = {str(path.relative_to(SOURCE)) for path in SOURCES if "import_module" in map(name_of, calls_in(path))}
    assert found == set(MAY_IMPORT_BY_NAME)


@functools.cache
def names_in(path: Path) -> set[str]:
    """Return the modules that a file imports, and the names with a dot that it uses or imports from a module."""
    found = set()
    for node in nodes_in(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute):
            found.add(ast.unparse(node))
    return found


@pytest.mark.long
def test_few_modules_ask_for_the_system() -> None:
    """What differs between systems has one place, with one function for all others."""
    found = {path.relative_to(SOURCE).as_posix() for path in SOURCES
             if names_in(path) & (SYSTEM_MODULES | SYSTEM_NAMES)}
    assert found == set(MAY_ASK_FOR_THE_SYSTEM)


@pytest.mark.long
def test_one_clock_measures_and_limits() -> None:
    clocks = {f"time.{name}" for name in CLOCKS}
    found = {path.relative_to(SOURCE).as_posix() for path in SOURCES if names_in(path) & clocks}
    assert found == set(MAY_HAVE_A_CLOCK)


@pytest.mark.long
def test_only_rules_and_searches_know_the_order_in_a_board() -> None:
    """Elsewhere a board is unpacked whole, or the position has a property."""
    for path in SOURCES:
        if path.relative_to(SOURCE).parts[0] not in ("game", "engine"):
            found = [ast.unparse(node) for node in nodes_in(path)
                     if isinstance(node, ast.Subscript) and ast.unparse(node.value).rpartition(".")[2] == "board"
                     and not isinstance(getattr(node.slice, "value", None), str)]
            assert found == [], path


def test_programs_are_started_with_lists_of_arguments() -> None:
    """The system, or a shell, would split a string."""
    for path in SOURCES:
        for call in calls_in(path):
            if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "subprocess":
                words = call.args[:1]
                assert not any(isinstance(each, (ast.Constant, ast.JoinedStr)) for each in words), ast.unparse(call)


# The modules that may open a file to write text; elsewhere its lines could end as those of the system.
MAY_OPEN_TEXT_TO_WRITE = {
    "text/files.py": "for all others",
    "commands/arguments.py": "the null device",
}


def opened_to_write_text(calls: list[ast.Call]) -> list[str]:
    """Return the calls that open a file to write text, or write a whole one."""
    found = []
    for call in calls:
        arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
        modes = [node.value for argument in arguments for node in ast.walk(argument)
                 if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        if name_of(call) == "write_text" or name_of(call) in ("open", "fdopen", "NamedTemporaryFile") and any(
            re.fullmatch(r"[rwaxt+]*[wax+][rwaxt+]*", mode) for mode in modes
        ):
            found.append(ast.unparse(call))
    return found


def test_text_is_written_with_the_same_line_ends_everywhere() -> None:
    found = {path.relative_to(SOURCE).as_posix() for path in SOURCES if opened_to_write_text(calls_in(path))}
    assert found == set(MAY_OPEN_TEXT_TO_WRITE)


def test_text_opened_to_write_is_found() -> None:
    writers = ["open(name, 'w')", "path.open('a', encoding='utf-8')", "path.write_text(text)", "open(name, mode='r+')",
               "path.open('x' if text else 'xb')", "os.fdopen(number, 'wt')"]
    others = ["open(name)", "path.open('rb')", "path.open('ab')", "open(name, 'wb')", "path.open(encoding='utf-8')"]
    calls = [ast.parse(text, mode="eval").body for text in writers + others]
    assert opened_to_write_text([call for call in calls if isinstance(call, ast.Call)]) == writers


def test_files_are_read_with_limits() -> None:
    found = {
        str(path.relative_to(SOURCE)) for path in SOURCES
        if any(name_of(call) in UNBOUNDED or name_of(call) == "read" and not call.args and not call.keywords
               and ast.unparse(call.func) != "self.read" for call in calls_in(path))
    }
    assert found == set(MAY_READ_UNBOUNDED)
