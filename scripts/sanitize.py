#!/usr/bin/env python3
"""Run the tests of the C++ library under sanitizers.

All tests run for memory errors and undefined behaviour, then those with several threads for data races. Needs a
compiler with its sanitizers.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import compiler
import native_tests

SANITIZED = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all", "-D_GLIBCXX_ASSERTIONS"]
# The tests with several threads, and the files they need.
THREADED = [native_tests.TESTS / f"{name}.cpp" for name in ("cases", "main", "search_test", "table_test")]
MOST_COUNTED = "5000000"  # sanitizers make perft more than ten times slower
OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "second_deadlock_stack=1",
}


def memory(cxx: str) -> int:
    """Run all tests under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer; return their exit status."""
    flags = [*SANITIZED, *compiler.instruction_flags(), "-fsanitize=address,undefined"]
    return native_tests.build_and_run(cxx, flags, ["--most", MOST_COUNTED])


def threads(cxx: str) -> int:
    """Run the tests with several threads under ThreadSanitizer; return their exit status."""
    flags = [*SANITIZED, *compiler.instruction_flags(), "-fsanitize=thread"]
    # ThreadSanitizer needs its memory at fixed addresses, which address space randomization may prevent. Containers
    # may not allow to disable it.
    prefix = ["setarch", "--addr-no-randomize"]
    if shutil.which(prefix[0]) is None or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        prefix = []
    sources = [*compiler.LIBRARY, *THREADED]
    return native_tests.build_and_run(cxx, flags, ["--most", MOST_COUNTED, "threads_"], sources, prefix)


RUNS = {"memory": memory, "threads": threads}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests of the C++ library under sanitizers.")
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"run only these of {', '.join(RUNS)} (default: all)")
    chosen = parser.parse_args().runs or list(RUNS)
    if unknown := set(chosen) - set(RUNS):
        parser.error(f"{', '.join(sorted(unknown))}: unknown; expected {', '.join(RUNS)}")
    cxx = compiler.find_compiler()
    if cxx is None:
        print("no C++ compiler found", file=sys.stderr)
        return 2
    os.environ.update(OPTIONS)
    with ThreadPoolExecutor() as pool:  # most of the tests use one thread
        clean = list(pool.map(lambda name: is_clean(name, cxx), chosen))
    return 0 if all(clean) else 1


def is_clean(name: str, cxx: str) -> bool:
    """Make a run and print its outcome."""
    started = time.monotonic()
    try:
        status = RUNS[name](cxx)
    except compiler.CompilerError as error:
        print(error, file=sys.stderr)
        status = 1
    outcome = f"FAILED, exit status {status}" if status else "clean"
    print(f"sanitizers, {name}: {outcome}, {time.monotonic() - started:.0f} s", flush=True)
    return status == 0


if __name__ == "__main__":
    sys.exit(main())
