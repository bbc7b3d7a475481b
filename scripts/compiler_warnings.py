#!/usr/bin/env python3
"""Check all C++ code for warnings with g++ and clang++, those that are installed; a warning is an error.

Needs pybind11 for the bindings. ``--tested`` leaves out what ``native_tests.py``, which is as strict, compiles anyway.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pybind11

import compiler

TESTS = sorted((compiler.ROOT / "tests" / "native").glob("*.cpp"))
COMPILERS = ("g++", "clang++")


def check(cxx: str, sources: Sequence[Path]) -> None:
    """Raise CompilerError if a compiler warns about any of the sources."""
    # Include headers of other projects as system headers, which give no warnings.
    external = ["-isystem", pybind11.get_include(), "-isystem", sysconfig.get_path("include")]
    flags = [*compiler.LANGUAGE, "-Werror", "-fsyntax-only", '-DLATRONES_BUILD=""', "-I", str(compiler.NATIVE),
             *external]
    print(f"checking {len(sources)} sources with {compiler.describe(cxx)}", flush=True)
    compiler.run_all([cxx, *flags, str(source)] for source in sources)


def main() -> int:
    parser = argparse.ArgumentParser(description="Check all C++ code for warnings.")
    parser.add_argument("--tested", action="store_true", help="leave out what native_tests.py compiles")
    by_tests = compiler.find_compiler() if parser.parse_args().tested else None
    present = [cxx for cxx in COMPILERS if shutil.which(cxx)]
    for cxx in present:
        covered = by_tests is not None and compiler.describe(by_tests) == compiler.describe(cxx)
        try:
            check(cxx, [compiler.BINDINGS] if covered else [compiler.BINDINGS, *compiler.LIBRARY, *TESTS])
        except compiler.CompilerError as error:
            print(error, file=sys.stderr)
            return 1
    for cxx in set(COMPILERS) - set(present):
        print(f"{cxx}: not installed, skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
