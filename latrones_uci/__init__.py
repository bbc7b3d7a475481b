"""latrones-uci: a UCI engine and match runner for Latrones (Ludus latrunculorum) and its family."""

from latrones_uci.version import __version__ as __version__
