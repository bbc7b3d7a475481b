"""Measure the coverage of the package by its tests: lines and branches of every folder.

    python3 scripts/coverage.py [--lowest PERCENT] [--files] [-- PYTEST ARGUMENTS]

Child processes are measured as well: engines over pipes, runners that a test terminates, workers. Processes that are
killed with SIGKILL leave no data. The exit status is 1 if a test failed, or if a folder of ``GATED`` has less than
``--lowest`` percent of its branches covered (default: 95); the other folders are printed without a limit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GATED = ("protocols", "client", "match", "stats")
TESTS = (
    "protocol", "xboard", "client", "records", "match", "stats", "report", "compliance", "revisions", "commands",
    "game", "search", "engine", "gui", "watch", "api",
)  # fmt: skip
PACKAGE = "latrones_uci"
TOP_LEVEL = "(top level)"
_PERCENT = 95.0


@dataclass
class Share:
    """The numbers of lines and branches, and of those that the tests have run."""

    lines: int = 0
    lines_covered: int = 0
    branches: int = 0
    branches_covered: int = 0

    def add(self, summary: dict[str, int]) -> None:
        self.lines += summary["num_statements"]
        self.lines_covered += summary["covered_lines"]
        self.branches += summary["num_branches"]
        self.branches_covered += summary["covered_branches"]

    @property
    def percent_of_branches(self) -> float:
        return 100 * self.branches_covered / self.branches if self.branches else 100.0

    def render(self, name: str) -> str:
        lines = 100 * self.lines_covered / self.lines if self.lines else 100.0
        return (f"{name:<50} {self.lines_covered:>6}/{self.lines:<6} {lines:>6.2f}%"
                f" {self.branches_covered:>6}/{self.branches:<6} {self.percent_of_branches:>6.2f}%")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lowest", type=float, default=_PERCENT, metavar="PERCENT",
                        help=f"lowest branch coverage of {', '.join(GATED)} (default: {_PERCENT:g})")  # fmt: skip
    parser.add_argument("--files", action="store_true", help="list the missed lines and branches of every file")
    parser.add_argument("pytest_arguments", nargs="*", metavar="-- ARGUMENT", help="arguments for pytest")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="latrones-coverage-") as folder:
        status, report = measure(Path(folder), arguments.pytest_arguments)
    return 1 if not print_table(report, arguments.lowest, arguments.files) or status else 0


def measure(folder: Path, pytest_arguments: list[str]) -> tuple[int, dict[str, dict[str, object]]]:
    """Run the tests; return the exit status of pytest, and the files of coverage's report by path."""
    config = ["--rcfile", str(ROOT / "pyproject.toml")]
    environment = os.environ | {"COVERAGE_FILE": str(folder / "data")}

    def coverage(*options: str) -> int:
        return subprocess.run([sys.executable, "-m", "coverage", *options], env=environment, cwd=ROOT).returncode

    tests = [str(ROOT / "tests" / folder) for folder in TESTS]
    status = coverage("run", *config, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *pytest_arguments)
    if coverage("combine", "-q", *config) or coverage("json", "-q", *config, "-o", str(folder / "report.json")):
        sys.exit("coverage: no data")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return status, report["files"]


def print_table(files: dict[str, dict[str, object]], lowest: float, with_files: bool) -> bool:
    """Print the coverage of every folder of the package; return whether all gated ones reach the limit."""
    shares: dict[str, Share] = {}
    for path, file in sorted(files.items()):
        parts = Path(path).parts
        inside = parts[parts.index(PACKAGE) + 1 :]
        folders = inside[:-1] or (TOP_LEVEL,)
        for name in {folders[0], "/".join(folders)}:
            shares.setdefault(name, Share()).add(file["summary"])  # type: ignore[arg-type]
        if with_files and (file["missing_lines"] or file["missing_branches"]):
            own = Share()
            own.add(file["summary"])  # type: ignore[arg-type]
            print(own.render("/".join(inside)))
            print(f"    lines {file['missing_lines']}, branches {file['missing_branches']}")
    print(f"{'':<50} {'lines':^21} {'branches':^21}")
    for name in sorted(shares):
        print(shares[name].render(f"  {name}" if "/" in name else f"{name} *" if name in GATED else name))
    print(f"* needs {lowest:g}% of its branches")
    low = [name for name in GATED if name not in shares or shares[name].percent_of_branches < lowest]
    for name in low:
        print(f"{name}: less than {lowest:g}% of the branches")
    return not low


if __name__ == "__main__":
    sys.exit(main())
