"""How much of the protocols, the match runner and the statistics their tests run: lines and branches, by folder.

    python3 scripts/coverage.py [--lowest PERCENT] [--files] [-- ARGUMENTS OF PYTEST]

Child processes are counted as well: the engine over pipes, runners that are killed by a test in the end, workers. Those
that are killed outright leave nothing to be counted. The exit status is 1 if a test failed, or if a layer has less than
``--lowest`` percent of its branches (default: 95).
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
LAYERS = ("uci", "xboard", "client", "records", "match", "analysis", "report", "compliance", "revisions", "stats")
TESTS = tuple(
    f"tests/{folder}"
    for folder in ("protocol", "client", "records", "match", "report", "compliance", "revisions", "commands", "stats")
)
_PERCENT = 95.0


@dataclass
class Share:
    """Lines and branches that there are, and those that were run."""

    lines: int = 0
    lines_run: int = 0
    branches: int = 0
    branches_run: int = 0

    def add(self, summary: dict[str, int]) -> None:
        self.lines += summary["num_statements"]
        self.lines_run += summary["covered_lines"]
        self.branches += summary["num_branches"]
        self.branches_run += summary["covered_branches"]

    @property
    def percent_of_branches(self) -> float:
        return 100 * self.branches_run / self.branches if self.branches else 100.0

    def render(self, name: str) -> str:
        lines = 100 * self.lines_run / self.lines if self.lines else 100.0
        return (f"{name:<50} {self.lines_run:>6}/{self.lines:<6} {lines:>6.2f}%"
                f" {self.branches_run:>6}/{self.branches:<6} {self.percent_of_branches:>6.2f}%")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lowest", type=float, default=_PERCENT, metavar="PERCENT", help="of the branches of a layer")
    parser.add_argument("--files", action="store_true", help="a line for each file that is not covered in full")
    parser.add_argument("pytest_arguments", nargs="*", metavar="-- ARGUMENT", help="for pytest")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="latrones-coverage-") as folder:
        status, report = measure(Path(folder), arguments.pytest_arguments)
    return 1 if not print_table(report, arguments.lowest, arguments.files) or status else 0


def measure(folder: Path, pytest_arguments: list[str]) -> tuple[int, dict[str, dict[str, object]]]:
    """Runs the tests; the exit status of pytest, and the files' part of coverage's report."""
    config = ["--rcfile", str(ROOT / "pyproject.toml")]
    environment = os.environ | {"COVERAGE_FILE": str(folder / "data")}

    def coverage(*words: str) -> int:
        return subprocess.run([sys.executable, "-m", "coverage", *words], env=environment, cwd=ROOT).returncode

    tests = [str(ROOT / test) for test in TESTS]
    status = coverage("run", *config, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *pytest_arguments)
    if coverage("combine", "-q", *config) or coverage("json", "-q", *config, "-o", str(folder / "report.json")):
        sys.exit("coverage: nothing was measured")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return status, report["files"]


def print_table(files: dict[str, dict[str, object]], lowest: float, with_files: bool) -> bool:
    """Prints the shares by layer and by folder; whether no layer has too little."""
    shares: dict[str, Share] = {}
    for path, file in sorted(files.items()):
        parts = Path(path).parts
        inside = parts[parts.index("latrones_uci") + 1 : -1]
        if inside and inside[0] in LAYERS:
            for name in {inside[0], "/".join(inside)}:
                shares.setdefault(name, Share()).add(file["summary"])  # type: ignore[arg-type]
            if with_files and (file["missing_lines"] or file["missing_branches"]):
                own = Share()
                own.add(file["summary"])  # type: ignore[arg-type]
                print(own.render("/".join(parts[parts.index("latrones_uci") + 1 :])))
                print(f"    lines {file['missing_lines']}, branches {file['missing_branches']}")
    print(f"{'':<50} {'lines':^21} {'branches':^21}")
    for name in sorted(shares):
        print(shares[name].render(name if name in LAYERS else f"  {name}"))
    poor = [name for name in LAYERS if name not in shares or shares[name].percent_of_branches < lowest]
    for name in poor:
        print(f"{name}: less than {lowest:g}% of the branches")
    return not poor


if __name__ == "__main__":
    sys.exit(main())
