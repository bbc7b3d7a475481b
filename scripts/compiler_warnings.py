#!/usr/bin/env python3
"""Check all C++ code for warnings with g++ and clang++, those that are installed; a warning is an error.

Needs pybind11 for the bindings.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig

import pybind11

import compiler

TESTS = sorted((compiler.ROOT / "tests" / "native").glob("*.cpp"))
COMPILERS = ("g++", "clang++")


def check(cxx: str) -> None:
    """Raise CompilerError if a compiler warns about any source."""
    # Include headers of other projects as system headers, which give no warnings.
    external = ["-isystem", pybind11.get_include(), "-isystem", sysconfig.get_path("include")]
    flags = [*compiler.LANGUAGE, "-Werror", "-fsyntax-only", '-DLATRONES_BUILD=""', "-I", str(compiler.NATIVE),
             *external]
    sources = [compiler.BINDINGS, *compiler.LIBRARY, *TESTS]
    print(f"checking {len(sources)} sources with {compiler.describe(cxx)}", flush=True)
    compiler.run_all([cxx, *flags, str(source)] for source in sources)


def main() -> int:
    present = [cxx for cxx in COMPILERS if shutil.which(cxx)]
    for cxx in present:
        try:
            check(cxx)
        except compiler.CompilerError as error:
            print(error, file=sys.stderr)
            return 1
    for cxx in set(COMPILERS) - set(present):
        print(f"{cxx}: not installed, skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
