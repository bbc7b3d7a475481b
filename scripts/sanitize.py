#!/usr/bin/env python3
"""Runs the C++ library's own tests under sanitizers: all of them for memory and undefined behaviour, then those of
several threads for data races. Needs a compiler with its sanitizers; both runs must be clean.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time

import compiler
import native_tests

SANITIZED = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all", "-D_GLIBCXX_ASSERTIONS"]
# The tests of threads, and what they need.
THREADED = [native_tests.TESTS / f"{name}.cpp" for name in ("cases", "main", "search_test", "table_test")]
MOST_COUNTED = "5000000"  # a sanitizer slows counting down ten times and more
OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "second_deadlock_stack=1",
}


def memory(cxx: str) -> int:
    """All tests under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer; returns their exit status."""
    flags = [*SANITIZED, *compiler.instruction_flags(), "-fsanitize=address,undefined"]
    return native_tests.build_and_run(cxx, flags, ["--most", MOST_COUNTED])


def threads(cxx: str) -> int:
    """The tests of several threads under ThreadSanitizer; returns their exit status."""
    flags = [*SANITIZED, *compiler.instruction_flags(), "-fsanitize=thread"]
    # It needs the memory where it expects it, which a kernel that scatters addresses widely does not always grant; and
    # a container may forbid to ask for that.
    prefix = ["setarch", "--addr-no-randomize"]
    if shutil.which(prefix[0]) is None or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        prefix = []
    sources = [*compiler.LIBRARY, *THREADED]
    return native_tests.build_and_run(cxx, flags, ["--most", MOST_COUNTED, "threads_"], sources, prefix)


RUNS = {"memory": memory, "threads": threads}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the C++ library's own tests under sanitizers.")
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"only these of {', '.join(RUNS)}")
    chosen = parser.parse_args().runs or list(RUNS)
    if unknown := set(chosen) - set(RUNS):
        parser.error(f"{', '.join(sorted(unknown))}: not one of {', '.join(RUNS)}")
    cxx = compiler.find_compiler()
    if cxx is None:
        print("there is no C++ compiler", file=sys.stderr)
        return 2
    os.environ.update(OPTIONS)
    failed = 0
    for name in chosen:
        begun = time.monotonic()
        try:
            status = RUNS[name](cxx)
        except compiler.CompilerError as error:
            print(error, file=sys.stderr)
            status = 1
        failed += status != 0
        outcome = f"FAILED, exit status {status}" if status else "clean"
        print(f"sanitizers, {name}: {outcome}, {time.monotonic() - begun:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
