#!/usr/bin/env python3
"""Run the match runner from a checkout, in any directory: ``python3 scripts/match.py --demo``.

It is the installed package that runs, or the source of the checkout if none is installed.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = str(Path(__file__).resolve().parent.parent)

if find_spec("latrones_uci") is None:
    sys.path.append(CHECKOUT)
    if "--demo" in sys.argv:
        print(f"{Path(__file__).name}: latrones-uci is not installed: the demo plays the source in {CHECKOUT}",
              file=sys.stderr)  # fmt: skip

from latrones_uci.commands.main import match_main as main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
