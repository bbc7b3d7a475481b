"""``python -m latrones_uci`` is the engine on standard input and output."""

import sys

from latrones_uci.commands.main import main

sys.exit(main(sys.argv[1:]))
