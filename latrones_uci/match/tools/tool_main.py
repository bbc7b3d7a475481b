"""What the tools that let an engine search have in common: how they fail."""

import os
import sys
from collections.abc import Callable

from latrones_uci.match.errors import EngineError, EngineStartError, SettingsError


def run_tool(name: str, work: Callable[[], int]) -> int:
    """Runs the work of a command and turns its failures into one line each, and an exit status.

    Returns:
        What ``work`` returns; 2 for bad arguments and files, an engine that does not start included; 1 for an engine
        that fails later, and where nobody reads; 130 if it was interrupted.
    """
    try:
        return work()
    except (SettingsError, EngineStartError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # Nobody reads on: end quietly, and keep the interpreter from flushing what is left.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except EngineError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
