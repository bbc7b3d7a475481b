#!/usr/bin/env python3
"""Print the measures of the package: rooms, arrows, circles, lines by kind, and the time to start the engine.

A room is a folder directly below ``latrones_uci``. An arrow goes from a room to one that its files
import, anywhere in them. It goes upward if the imported room comes later in the table of tests/test_architecture.py.
"""

from __future__ import annotations

import ast
import compileall
import functools
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "latrones_uci"
STARTS = 15


def modules(source: Path) -> dict[str, Path]:
    """Return the modules of a package by their name inside the package; the package itself is ``""``."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = list(path.relative_to(source).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@functools.cache
def imported_names(text: str, module: str, is_package: bool) -> tuple[str, ...]:
    """Return the full names that the text of a module imports anywhere, guarded or not."""

    def names() -> Iterator[str]:
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

    return tuple(names())


def imports(source: Path) -> dict[str, tuple[str, ...]]:
    """Return the full names that each module of a package imports, by its name inside the package."""
    return {module: imported_names(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")
            for module, path in modules(source).items()}


def own_imports(source: Path) -> dict[str, set[str]]:
    """Return the modules of the package that each module imports, by their names inside the package."""
    known = imports(source)
    graph: dict[str, set[str]] = {module: set() for module in known}
    for module, names in known.items():
        for parts in (name.split(".") for name in names):
            if parts[0] == PACKAGE:
                inside = ".".join(parts[1:])
                # `from package.module import name`: a name that is not a module is a name in one.
                graph[module].add(inside if inside in known or len(parts) == 1 else ".".join(parts[1:-1]))
    return graph


def room_of(module: str) -> str:
    """Return the room of a module; empty for the package itself and other modules directly in it."""
    room = module.partition(".")[0]
    return room if (ROOT / PACKAGE / room).is_dir() else ""


def circles(graph: set[tuple[str, str]]) -> list[set[str]]:
    """Return the groups of rooms or modules that import each other, directly or not."""
    reached = {one: {other for start, other in graph if start == one} for one, _ in graph}
    for middle in reached:
        for others in reached.values():
            if middle in others:
                others |= reached[middle]
    groups = {frozenset(other for other in others if one in reached.get(other, ()))
              for one, others in reached.items() if one in others}
    return [set(group) for group in groups]


def floors() -> list[str]:
    """Return the rows of the import table of tests/test_architecture.py, the lowest room first."""
    tree = ast.parse((ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    (table,) = (node.value for node in tree.body
                if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "MAY_IMPORT")
    assert isinstance(table, ast.Dict)
    return [ast.literal_eval(key) for key in table.keys if key is not None]


def files_below(*names: str, suffixes: tuple[str, ...] = (".py",)) -> set[Path]:
    paths = [ROOT / name for name in names]
    files = {file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))}
    return {file for file in files if file.suffix in suffixes and file.is_file()}


def lines(*names: str, suffixes: tuple[str, ...] = (".py",)) -> int:
    return sum(len(file.read_bytes().splitlines()) for file in files_below(*names, suffixes=suffixes))


def kinds_of_lines(*names: str) -> Counter[str]:
    """Count the lines of code, docstrings, imports, comments and none of these."""
    counts: Counter[str] = Counter()
    for file in files_below(*names):
        text = file.read_text(encoding="utf-8")
        kinds = ["blank" if not line.strip() else "comments" if line.lstrip().startswith("#") else "code"
                 for line in text.splitlines()]
        for node in ast.walk(ast.parse(text)):
            string = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, ast.Import | ast.ImportFrom) or isinstance(node, ast.Expr) and string:
                end = node.end_lineno or node.lineno
                kinds[node.lineno - 1 : end] = ["docstrings" if string else "imports"] * (end - node.lineno + 1)
        counts.update(kinds)
    return counts


def main() -> None:
    from measure import start_times

    compileall.compile_dir(ROOT / PACKAGE, quiet=1)  # as it is installed

    found, imported = modules(ROOT / PACKAGE), own_imports(ROOT / PACKAGE)
    rooms = Counter(map(room_of, found))
    pairs = {(one, other) for one, others in imported.items() for other in others if one and other and one != other}
    arrows = {(room_of(one), room_of(other)) for one, other in pairs}
    arrows = {(one, other) for one, other in arrows if one and other and one != other}
    order = floors()
    upward = sorted(f"{one} -> {other}" for one, other in arrows if order.index(one) < order.index(other))
    print(f"rooms: {len([room for room in rooms if room])}, arrows: {len(arrows)},"
          f" rows of the import table: {len(order)}; upward: {', '.join(upward) or 'none'}")
    print(f"circles of rooms: {circles(arrows) or 'none'}; of modules: {circles(pairs) or 'none'}")
    kinds = kinds_of_lines(PACKAGE)
    print(f"Python: {len(found)} files, {lines(PACKAGE)} lines: "
          + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    print(f"JavaScript: {lines(PACKAGE, suffixes=('.js',))} lines; C++: {lines(PACKAGE, suffixes=('.cpp', '.hpp'))}")
    for room, count in sorted(rooms.items()):
        own = lines(*(str(path) for module, path in found.items() if room_of(module) == room))
        print(f"  {room or '(top)':<12} {count:>4} files {own:>6} lines {own / lines(PACKAGE):>6.1%}")
    for name in ("tests", "scripts"):
        print(f"{name}: {lines(name)} lines of Python")
    pages = lines("README.md", "CONTRIBUTING.md", "protocol.md", "docs", suffixes=(".md",))
    print(f"documentation: {pages} lines with protocol.md, {lines('docs/lab', suffixes=('.md',))} of them in docs/lab")
    start_s = statistics.median(start_times("auto", STARTS)) / 1000
    print(f"start to uciok: {start_s:.3f} s, median of {STARTS}")


if __name__ == "__main__":
    main()
