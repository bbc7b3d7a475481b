#!/usr/bin/env python3
"""Build the C++ library with its own tests, without Python, and run them.

The test cases (positions with their rulesets and expected values) are written to a file, so that the C++ code does not
need to know any game by name.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import compiler  # noqa: E402
from latrones_uci.engine.kernels import wire  # noqa: E402
from latrones_uci.game import Position, Ruleset, find_variant  # noqa: E402
from latrones_uci.search.evaluation import terms, weights_of  # noqa: E402

TESTS = ROOT / "tests" / "native"
SOURCES = [*compiler.LIBRARY, *sorted(TESTS.glob("*.cpp"))]
PERFT = ROOT / "tests" / "data" / "perft.json"


def value_text(value: object) -> str:
    """Return a value of a ruleset or of weights as text: a string, a number, or numbers separated by commas."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(int(value) if isinstance(value, bool) else value)


def pairs(values: dict[str, Any]) -> str:
    return " ".join(f"{key}={value_text(value)}" for key, value in values.items())


def case(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of one entry of perft.json."""
    ruleset = find_variant(entry["variant"])
    position = Position.from_fen(ruleset, entry["fen"])
    own, opp, bound, own_dux, opp_dux, side, nocapture, hand = wire(position.geometry, position.board)
    found = terms(position.rules, position.board)
    yield f"case {entry['variant']} {entry['fen']}"
    yield f"size {position.geometry.files} {position.geometry.ranks}"
    yield f"ruleset {pairs(rules_to_write(ruleset))}"
    yield f"weights {pairs(dataclasses.asdict(weights_of(ruleset)))}"
    yield "board " + pairs({
        "own": own, "opp": opp, "bound": bound, "own_dux": own_dux, "opp_dux": opp_dux, "side": side,
        "nocapture": nocapture, "hand": hand, "key": position.key,
    })  # fmt: skip
    yield f"decided {position.rules.decided(position.board)}"
    yield f"terms {' '.join(map(str, dataclasses.astuple(found)))}"
    yield f"perft {' '.join(map(str, entry['perft']))}"


def rules_to_write(ruleset: Ruleset) -> dict[str, Any]:
    """Return the fields of a ruleset, except for descriptions, which may contain spaces."""
    return {key: value for key, value in dataclasses.asdict(ruleset).items() if key not in ("name", "title", "source")}


def write_cases(path: Path) -> None:
    """Write the entries of perft.json for games on a grid, the only ones that the library supports."""
    entries = json.loads(PERFT.read_text(encoding="utf-8"))["perft"]
    grid = (entry for entry in entries if find_variant(entry["variant"]).board == "grid")
    path.write_text("".join(f"{line}\n" for entry in grid for line in case(entry)), encoding="utf-8")


def build_and_run(
    cxx: str,
    flags: Sequence[str],
    arguments: Sequence[str],
    sources: Sequence[Path] = SOURCES,
    prefix: Sequence[str] = (),
) -> int:
    """Build the tests in a temporary folder and run them with the command ``prefix``; return their exit status.

    Raises:
        compiler.CompilerError: the tests do not compile.
    """
    with tempfile.TemporaryDirectory(prefix="latrones-native-") as folder:
        program, cases = Path(folder, "native_tests"), Path(folder, "cases.txt")
        write_cases(cases)
        compiler.build_executable(cxx, [*compiler.LANGUAGE, *flags, "-I", str(compiler.NATIVE)], sources, program)
        command = [*prefix, str(program), str(cases), *arguments]
        print("$", *command, flush=True)
        return subprocess.run(command).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Build and run the tests of the C++ library.")
    parser.add_argument("--cpu", help="compile for this processor, like the build of the package")
    parser.add_argument("--fast-build", action="store_true", help="compile with -O1 and assertions")
    parser.add_argument("arguments", nargs="*", metavar="-- ARGUMENT", help="test arguments: [--most COUNT] [NAME...]")
    arguments = parser.parse_args()
    cxx = compiler.find_compiler()
    if cxx is None:
        print("no C++ compiler found", file=sys.stderr)
        return 2
    optimised = ["-O1"] if arguments.fast_build else compiler.OPTIMISED
    flags = [*optimised, *compiler.instruction_flags(arguments.cpu), "-Werror"]
    try:
        return build_and_run(cxx, flags, arguments.arguments)
    except compiler.CompilerError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
