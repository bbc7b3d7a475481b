#!/usr/bin/env python3
"""Run the match runner from a bare checkout, in any directory: ``python3 scripts/match.py --demo``."""

import os
import sys
from pathlib import Path

CHECKOUT = str(Path(__file__).resolve().parent.parent)

sys.path.insert(0, CHECKOUT)
# The engines are children of this process and must find the same package.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [CHECKOUT, os.environ.get("PYTHONPATH")]))

from latrones_uci.commands.main import match_main as main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
