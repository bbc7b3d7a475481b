#!/usr/bin/env python3
"""Lint and type-check the scripts of the pages and of the report, with ESLint and TypeScript from npm.

The tools, in fixed versions, go into a cache folder outside the checkout; nothing that is shipped needs them. The exit
status is 0 if nothing is found, 1 if something is, and 3 if the tools cannot be installed, without Node.js and npm or
offline; the last line says why.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (
    "latrones_uci/web/lib/*.js", "latrones_uci/web/lib/*.d.ts", "latrones_uci/web/board/*.js",
    "latrones_uci/web/board/*.d.ts", "latrones_uci/web/watch/*.js", "latrones_uci/web/watch/*.d.ts",
    "latrones_uci/web/report/*.js",
)  # fmt: skip
PACKAGES = ("typescript@5.9.3", "eslint@9.39.2", "@eslint/js@9.39.2", "globals@17.0.0")
INSTALL_TIMEOUT_S = 300
LEFT_OUT = 3

TYPES = {
    "allowJs": True, "checkJs": True, "noEmit": True, "target": "es2022", "module": "es2022",
    "moduleResolution": "bundler", "lib": ["es2023", "dom", "dom.iterable"], "types": [],
    "noImplicitAny": True, "noImplicitThis": True, "noImplicitReturns": True, "noUnusedLocals": True,
    "noUnusedParameters": True, "noFallthroughCasesInSwitch": True, "strictBindCallApply": True,
    "strictFunctionTypes": True, "useUnknownInCatchVariables": False,
}  # fmt: skip
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
  {files: ["latrones_uci/web/report/*.js"], languageOptions: {sourceType: "script"}},
];
"""


class LeftOutError(Exception):
    """The tools cannot be installed here."""


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "latrones-uci" / "js-tools"


def tools(cache: Path, packages: Sequence[str] = PACKAGES) -> Path:
    """Return a folder with packages of npm, installed there if it is not there yet.

    Raises:
        LeftOutError: they cannot be installed.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise LeftOutError("there is no Node.js with npm")
    folder = cache / hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        command = [npm, "install", "--prefix", temporary, "--no-save", "--no-package-lock", "--no-audit", "--no-fund",
                   "--ignore-scripts", "--loglevel=error", *packages]  # fmt: skip
        try:
            installed = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise LeftOutError(f"npm does not install them within {INSTALL_TIMEOUT_S} s") from None
        if installed.returncode:
            print(installed.stderr, file=sys.stderr)
            raise LeftOutError("npm cannot install them")
        if not folder.is_dir():  # another run may have been quicker
            shutil.copytree(temporary, folder)
    return folder


def run(*command: str | Path) -> bool:
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    return subprocess.run(words, cwd=ROOT).returncode == 0


def check(folder: Path) -> bool:
    """Run both tools; return whether neither found anything."""
    modules = folder / "node_modules"
    sources = [path for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
    scripts = [path.relative_to(ROOT) for path in sources if path.suffix == ".js"]
    (folder / "eslint.config.mjs").write_text(LINT, encoding="utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        config = Path(temporary, "tsconfig.json")
        config.write_text(json.dumps({"compilerOptions": TYPES, "files": list(map(str, sources))}), encoding="utf-8")
        typed = run("node", modules / "typescript" / "bin" / "tsc", "--project", config, "--pretty", "false")
    linted = run("node", modules / "eslint" / "bin" / "eslint.js", "--config", folder / "eslint.config.mjs",
                 "--max-warnings", "0", *scripts)  # fmt: skip
    return typed and linted


def main() -> int:
    parser = argparse.ArgumentParser(description="Lint and type-check the scripts of the pages and the report.")
    parser.add_argument("--cache", type=Path, default=default_cache(), metavar="DIR",
                        help="where the tools are kept (default: %(default)s)")  # fmt: skip
    try:
        folder = tools(parser.parse_args().cache)
    except LeftOutError as error:
        print(f"the scripts are not checked: {error}")
        return LEFT_OUT
    passed = check(folder)
    print("JavaScript: " + ("clean" if passed else "FAILED"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
