"""``python -m latrones_uci`` is the engine on standard input and output, and so is this file run as a program."""

import os
import sys

if not __package__:
    # Run as a file, as `OWN_ENGINE` does: use the package around it, not another one that the module path finds first.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import latrones_uci  # noqa: F401
    sys.path.append(sys.path.pop(0))  # behind the standard library, for processes that inherit the path

from latrones_uci.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
