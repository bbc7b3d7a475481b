#!/usr/bin/env python3
"""Has g++ and clang++, those of them that there are, look through all C++ code; a warning is an error.

Needs pybind11, for the bindings.
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
    """Raises CompilerError if there is anything to say about any source."""
    # Others' headers as the system's, for their warnings are not ours to mend.
    others = ["-isystem", pybind11.get_include(), "-isystem", sysconfig.get_path("include")]
    flags = [*compiler.LANGUAGE, "-Werror", "-fsyntax-only", '-DLATRONES_BUILD=""', "-I", str(compiler.NATIVE), *others]
    sources = [compiler.BINDINGS, *compiler.LIBRARY, *TESTS]
    print(f"looking through {len(sources)} sources with {compiler.describe(cxx)}", flush=True)
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
        print(f"{cxx} is not there, and was not asked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
