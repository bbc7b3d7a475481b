"""Untrusted data is never executed (no evaluation, no pickle, no shell), and is read only up to a limit."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from house import imports

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "latrones_uci"
SOURCES = sorted(SOURCE.rglob("*.py"))

# Functions and modules that turn data into code, and the only files that may use them.
FORBIDDEN_CALLS = {
    "eval", "exec", "compile", "__import__", "system", "popen", "spawnl", "spawnv", "execfile", "getoutput",
    "getstatusoutput", "mktemp", "literal_eval", "startfile",
}  # fmt: skip
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve", "code", "codeop", "imp", "runpy", "xml", "yaml",
                     "distributed"}  # fmt: skip
MAY_IMPORT_BY_NAME = {
    "native/__init__.py": "the compiled core, under a name that stands there",
    "__init__.py": "the home of a public name, from its own table",
    "__main__.py": "the package around this file, under its constant name",
    "commands/command_line.py": "the module of a subcommand, under a name from its own table",
    "commands/main.py": "the command line, under a name that stands there",
    "protocols/serve.py": "the dialect of XBoard, under a name that stands there",
    "match/cluster.py": "the extra 'cluster', which pickles; docs/trust.md says whom one must trust",
}
# Calls that read a whole file, and the modules that may use them, because the files belong to program or system.
UNBOUNDED = {"read_text", "read_bytes", "readlines", "load"}
MAY_READ_UNBOUNDED = {
    "engine/bench.py": "the positions of the bench",
    "engine/calibration.py": "the levels and models of the package",
    "engine/nets.py": "the nets of the package",
    "engine/memory.py": "files of /proc and /sys",
    "game/variants.py": "the games of the package",
    "web/rules/rule_page.py": "the lessons of the package",
    "web/report/markup.py": "pages, styles and scripts of the package",
    "client/guard.py": "environments in /proc",
    "revisions/build.py": "what pip and this project's engine printed",
    "revisions/cache.py": "the cache's own marks",
    "revisions/source.py": "the working tree that is to be built",
    "check/steps.py": "files of /proc",
    "match/database.py": "an engine's program, after a look at its size",
    "native/__init__.py": "a note of the package's build",
}


@functools.cache
def calls_in(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_nothing_is_evaluated_unpickled_or_passed_to_a_shell() -> None:
    for path in SOURCES:
        found = [
            ast.unparse(call) for call in calls_in(path)
            if name_of(call) in FORBIDDEN_CALLS and ast.unparse(call.func) != "re.compile"
            or any(keyword.arg == "shell" for keyword in call.keywords)
        ]  # fmt: skip
        assert found == [], path
    imported = {(module, name.partition(".")[0]) for module, names in imports(SOURCE).items() for name in names}
    assert {each for each in imported if each[1] in FORBIDDEN_MODULES} == {("match.cluster", "distributed")}


def test_modules_are_imported_by_name_only_where_allowed() -> None:
    found = {str(path.relative_to(SOURCE)) for path in SOURCES if "import_module" in map(name_of, calls_in(path))}
    assert found == set(MAY_IMPORT_BY_NAME)


def test_programs_are_started_with_lists_of_arguments() -> None:
    """The system, or a shell, would split a string."""
    for path in SOURCES:
        for call in calls_in(path):
            if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "subprocess":
                assert not isinstance(call.args[0], (ast.Constant, ast.JoinedStr)), ast.unparse(call)


def test_files_are_read_with_limits() -> None:
    found = {
        str(path.relative_to(SOURCE)) for path in SOURCES
        if any(name_of(call) in UNBOUNDED or name_of(call) == "read" and not call.args and not call.keywords
               and ast.unparse(call.func) != "self.read" for call in calls_in(path))
    }  # fmt: skip
    assert found == set(MAY_READ_UNBOUNDED)
