#!/usr/bin/env python3
"""Break the program on purpose, one break at a time, and see that the named test notices.

    mutations.py                     all breaks of the Python code
    mutations.py --only NAME ...     those whose names begin so
    mutations.py --native            also those of the C++ code, each of which needs a build
    mutations.py --list              what there is

The breaks are listed in tests/mutations.toml. Each is applied to a copy of the checkout, in which its test must fail;
on the copy without it every test must pass. The exit status is 0 if all breaks are noticed, 1 if one is not, and 2 if
the list or an argument is wrong. It needs the developers' tools in the interpreter that runs it.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "mutations.toml"
TIMEOUT_S = 300
TEST_TIMEOUT_S = 90  # a break may make its test hang, which is noticed as well
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
)
CORE_FOLDER = Path("latrones_uci", "native")
NATIVE_BUILD = "build/native"
FAILED, PASSED = 1, 0  # pytest's exit statuses; all others are faults of the run itself
CPP_TEST = re.compile(r"(tests/native/\w+\.cpp)::(\w+)")


class ListError(Exception):
    """The list of breaks is wrong."""


@dataclass(frozen=True)
class Mutation:
    """A deliberate break."""

    name: str
    """Short, unique."""
    what: str
    """What is wrong with the program then."""
    file: str
    """The file that is changed, relative to the checkout."""
    find: str
    """The text that is replaced; it occurs once in the file."""
    replace: str
    """The text in its place."""
    test: str
    """The pytest id, or ``tests/native/FILE.cpp::NAME`` for a test of the C++ library, that must fail."""
    native: bool = False
    """Whether the compiled core has to be built anew."""


def load(path: Path = LIST) -> list[Mutation]:
    """Read the list.

    Raises:
        ListError: it is not TOML, or an entry has the wrong keys, types, or a name that another has.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise ListError(f"{path}: {error}") from None
    types = {field.name: bool if field.name == "native" else str for field in fields(Mutation)}
    found: dict[str, Mutation] = {}
    for number, entry in enumerate(entries, start=1):
        name = entry.get("name", f"entry {number}")
        if wrong := (set(types) ^ set(entry)) - {"native"}:
            raise ListError(f"{name}: missing or unknown keys: {', '.join(sorted(wrong))}")
        wrong = {key for key, value in entry.items() if type(value) is not types[key]}
        wrong |= {key for key, value in entry.items() if value == "" and key != "replace"}
        if wrong:
            raise ListError(f"{name}: wrong type or empty: {', '.join(sorted(wrong))}")
        if name in found:
            raise ListError(f"{name}: duplicate name")
        found[name] = Mutation(**entry)
    return list(found.values())


def problems(mutation: Mutation, root: Path = ROOT) -> list[str]:
    """Return what is wrong with an entry, against the files of a checkout."""
    found = []
    if mutation.find == mutation.replace:
        found.append("find and replace are the same")
    file = root / mutation.file
    if not file.is_file():
        found.append(f"{mutation.file} does not exist")
    elif (count := file.read_text(encoding="utf-8").count(mutation.find)) != 1:
        found.append(f"find occurs {count} times in {mutation.file}; expected once")
    test_file, _, rest = mutation.test.partition("::")
    function = rest.partition("[")[0]
    if not (root / test_file).is_file():
        found.append(f"{test_file} does not exist")
    elif function:
        text = (root / test_file).read_text(encoding="utf-8")
        pattern = rf"^TEST\({function}\)" if test_file.endswith(".cpp") else rf"^def {function}\("
        if not re.search(pattern, text, re.MULTILINE):
            found.append(f"there is no {function} in {test_file}")
    is_cpp = mutation.file.endswith((".cpp", ".hpp"))
    if is_cpp != mutation.native:
        found.append("native is for C++ files, and for them only")
    return found


# ---------------------------------------------------------------- copies of the checkout


class Copy:
    """A copy of the checkout, in which one break at a time is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT, folder, ignore=NOT_COPIED, symlinks=True)
        # Without bytecode files: one that is as old and as long as a changed source would pass for it.
        self._environment = os.environ | {
            "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(folder / ".pycache"),
        }  # fmt: skip

    def run(self, command: Sequence[str]) -> tuple[int | None, str]:
        """Run a command here; return its exit status, None if it took too long, and what it printed."""
        with subprocess.Popen(
            command, cwd=self.folder, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=os.name != "nt",
        ) as process:  # fmt: skip
            try:
                printed, _ = process.communicate(timeout=TIMEOUT_S)
                return process.returncode, printed
            except subprocess.TimeoutExpired:
                if os.name == "nt":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
                printed, _ = process.communicate()
                return None, printed

    def test(self, *tests: str) -> tuple[int | None, str]:
        """Run tests, all of one kind: pytest's or the C++ library's."""
        if CPP_TEST.fullmatch(tests[0]):
            names = [test.partition("::")[2] for test in tests]
            status, printed = 0, ""
            for command in (["cmake", "-S", "tests/native", "-B", NATIVE_BUILD],
                            ["cmake", "--build", NATIVE_BUILD, "--parallel", "--target", "check_tests"],
                            [sys.executable, "tests/native/write_cases.py", f"{NATIVE_BUILD}/cases.txt"],
                            [f"{NATIVE_BUILD}/check_tests", f"{NATIVE_BUILD}/cases.txt", *names]):  # fmt: skip
                status, printed = self.run(command)
                if status != 0:
                    break
            return status, printed
        return self.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist",
             f"--timeout={TEST_TIMEOUT_S}", *tests],
        )  # fmt: skip

    def build(self) -> None:
        """Build the compiled core in place.

        Raises:
            ListError: it does not compile.
        """
        status, printed = self.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"])
        if status:
            raise ListError(f"the core does not compile\n{printed[-3000:]}")

    def cores(self) -> dict[Path, bytes]:
        """Return the contents of the compiled core."""
        return {path: path.read_bytes() for path in (self.folder / CORE_FOLDER).glob("_core*.so")}

    def try_out(self, mutation: Mutation) -> str:
        """Make the break, run its test, and take the break back; return "" if the test failed, else what happened."""
        file = self.folder / mutation.file
        before, builds = file.read_text(encoding="utf-8"), mutation.native and not CPP_TEST.fullmatch(mutation.test)
        cores = self.cores() if builds else {}
        try:
            file.write_text(before.replace(mutation.find, mutation.replace), encoding="utf-8")
            if builds:
                self.build()
            status, printed = self.test(mutation.test)
        finally:
            file.write_text(before, encoding="utf-8")
            for path, core in cores.items():  # the next break in this copy may be one of Python
                path.unlink(missing_ok=True)  # a new file: a process may still have the old one in memory
                path.write_bytes(core)
        if status == FAILED or status is None:
            return ""
        what = "NOT NOTICED: the test passes" if status == PASSED else f"NO TEST RAN: exit status {status}"
        return f"{what}\n{printed[-2000:]}"


# ---------------------------------------------------------------- runs


def check_unbroken(copy: Copy, mutations: Iterable[Mutation], say: Callable[[str], None]) -> list[str]:
    """Run every test on the copy as it is; return those that do not pass."""
    failed = []
    tests = sorted({mutation.test for mutation in mutations})
    for kind in (True, False):
        those = [test for test in tests if bool(CPP_TEST.fullmatch(test)) == kind]
        if not those:
            continue
        status, printed = copy.test(*those)
        if status != PASSED:
            say(printed[-3000:])
            failed += [test for test in those if copy.test(test)[0] != PASSED]
    return failed


def run_all(mutations: Sequence[Mutation], jobs: int, say: Callable[[str], None]) -> list[str]:
    """Try all breaks, so many at a time; return the names of those that were not noticed."""
    missed = []
    with tempfile.TemporaryDirectory(prefix="latrones-mutations-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies: queue.SimpleQueue[Copy] = queue.SimpleQueue()
        for number in range(jobs):
            copies.put(Copy(Path(folder, str(number))))
        first = copies.get()
        if any(mutation.native for mutation in mutations):
            first.build()
            for _ in range(jobs - 1):
                other = copies.get()
                for path, core in first.cores().items():
                    (other.folder / path.relative_to(first.folder)).write_bytes(core)
                copies.put(other)
        failed = check_unbroken(first, mutations, say)
        copies.put(first)
        if failed:
            raise ListError(f"tests that fail without any break: {', '.join(failed)}")

        def one(mutation: Mutation) -> tuple[Mutation, str, float]:
            copy, begun = copies.get(), time.monotonic()
            try:
                return mutation, copy.try_out(mutation), time.monotonic() - begun
            finally:
                copies.put(copy)

        for mutation, fault, seconds in pool.map(one, mutations):
            say(f"{'noticed' if not fault else 'FAILED':<8} {seconds:>6.1f} s  {mutation.name}: {mutation.what}")
            if fault:
                say(fault)
                missed.append(mutation.name)
    return missed


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Break the program on purpose and see that its tests notice.")
    parser.add_argument("--only", metavar="NAME", nargs="+", help="breaks whose names begin with one of these")
    parser.add_argument("--native", action="store_true", help="also breaks of the C++ code, which need builds")
    parser.add_argument("--list", action="store_true", help="print the breaks and run nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="breaks at a time (default: %(default)s)")
    return parser.parse_args(arguments)


def main(given: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(given)
    try:
        everything = load()
        if wrong := [f"{each.name}: {what}" for each in everything for what in problems(each)]:
            raise ListError("\n".join(wrong))
        names = tuple(arguments.only or [""])
        named = [each for each in everything if each.name.startswith(names)]
        chosen = [each for each in named if arguments.native or not each.native]
        if arguments.list:
            for each in named:
                print(f"{each.name}{' (native)' if each.native else ''}: {each.what}\n    {each.file} -> {each.test}")
            return 0
        if not chosen:
            raise ListError("no break is chosen; --list prints their names, and those of C++ need --native")
        missed = run_all(chosen, max(1, arguments.jobs), lambda line: print(line, flush=True))
    except ListError as error:
        print(error, file=sys.stderr)
        return 2
    left = len(named) - len(chosen)
    print(f"{len(chosen)} breaks, {len(chosen) - len(missed)} noticed" + (f", {left} need --native" if left else ""))
    if missed:
        print(f"not noticed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
