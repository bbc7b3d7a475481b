"""latrones-uci: a UCI engine and match runner for Latrones (Ludus latrunculorum) and its family."""

__version__ = "0.1.0"
