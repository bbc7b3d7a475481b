#!/usr/bin/env python3
"""Print the measures of the package: rooms, the arrows between them, lines, and the time to start the engine.

A room is a folder directly below ``latrones_uci``, or ``protocol.py``. An arrow goes from a room to one that its files
import, anywhere in them. It goes upward if the imported room comes later in the table of tests/test_architecture.py.
"""

from __future__ import annotations

import ast
import compileall
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "latrones_uci"
STARTS = 15


def room_of(parts: tuple[str, ...]) -> str:
    """Return the room of a module, given by its names below the package; empty for the package itself and `version`."""
    return parts[0] if parts and ((PACKAGE / parts[0]).is_dir() or parts[0] == "protocol") else ""


def imports(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the modules and names of the package that a file imports, as names below the package."""
    inside = path.relative_to(PACKAGE).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = (PACKAGE.name, *inside)[: len(inside) + 1 - node.level] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            names = [(*base, alias.name) for alias in node.names]
        else:
            continue
        yield from (name[1:] for name in names if name[0] == PACKAGE.name)


def arrows(files: Iterable[Path]) -> set[tuple[str, str]]:
    found = set()
    for path in files:
        room = room_of(path.relative_to(PACKAGE).with_suffix("").parts)
        found |= {(room, room_of(name)) for name in imports(path)}
    return {(one, other) for one, other in found if one and other and one != other}


def circles(graph: set[tuple[str, str]]) -> list[set[str]]:
    """Return the groups of rooms that import each other, directly or not."""
    reached = {one: {other for start, other in graph if start == one} for one, _ in graph}
    for middle in reached:
        for one in reached:
            if middle in reached[one]:
                reached[one] |= reached[middle]
    groups = {frozenset(other for other in reached[one] if one in reached.get(other, ()))
              for one in reached if one in reached[one]}  # fmt: skip
    return [set(group) for group in groups]


def floors() -> list[str]:
    """Return the rooms from the ground up, as listed by tests/test_architecture.py."""
    tree = ast.parse((ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    (table,) = (node.value for node in tree.body
                if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "MAY_IMPORT")  # fmt: skip
    return list(ast.literal_eval(ast.unparse(ast.Tuple(table.keys))))


def lines(*paths: Path, suffixes: tuple[str, ...]) -> int:
    """Return the lines of files, and of all files below folders."""
    files = {file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))}
    return sum(len(file.read_bytes().splitlines()) for file in files if file.suffix in suffixes and file.is_file())


def start_s() -> float:
    """Return the median time from the start of the engine to ``uciok``, with its modules compiled to bytecode."""
    sys.path.insert(0, str(ROOT))
    from latrones_uci.client.engine_spec import OWN_ENGINE

    compileall.compile_dir(PACKAGE, quiet=1)
    times = []
    for _ in range(STARTS):
        begun = time.perf_counter()
        with subprocess.Popen(OWN_ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
            assert engine.stdin and engine.stdout  # noqa: PT018
            print("uci", file=engine.stdin, flush=True)
            while engine.stdout.readline() != "uciok\n":
                pass
            times.append(time.perf_counter() - begun)
            engine.communicate("quit\n")
    return statistics.median(times)


def main() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    python = lines(PACKAGE, suffixes=(".py",))
    rooms = Counter(room_of(path.relative_to(PACKAGE).with_suffix("").parts) for path in files)
    graph, order = arrows(files), floors()
    upward = sorted(f"{one} -> {other}" for one, other in graph if order.index(one) < order.index(other))
    print(f"rooms: {len([room for room in rooms if room])}, arrows: {len(graph)}")
    print(f"circles: {circles(graph) or 'none'}; upward: {', '.join(upward) or 'none'}")
    print(f"Python: {len(files)} files, {python} lines; JavaScript: {lines(PACKAGE, suffixes=('.js',))};"
          f" C++: {lines(PACKAGE, suffixes=('.cpp', '.hpp'))}")
    for room, count in rooms.items():
        own = sum(lines(path, suffixes=(".py",)) for path in files
                  if room_of(path.relative_to(PACKAGE).with_suffix("").parts) == room)  # fmt: skip
        print(f"  {room or '(top)':<12} {count:>4} files {own:>6} lines {own / python:>6.1%}")
    for name in ("tests", "scripts"):
        print(f"{name}: {lines(ROOT / name, suffixes=('.py',))} lines of Python")
    docs = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "protocol.md", "docs")]
    print(f"documentation: {lines(*docs, suffixes=('.md',))} lines, with docs/lab")
    print(f"start to uciok: {start_s():.3f} s, median of {STARTS}")


if __name__ == "__main__":
    main()
