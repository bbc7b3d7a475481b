"""What commands have in common: that they have standard streams; and how the tools that let an engine search fail."""

import os
import sys
from collections.abc import Callable

from latrones_uci.match.errors import EngineError, EngineStartError, SettingsError


def open_streams() -> None:
    """Gives a program that was started without a standard stream one that leads nowhere.

    Else the next file opened, such as a database, would have its number.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the program
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def run_tool(name: str, work: Callable[[], int]) -> int:
    """Runs the work of a command and turns its failures into one line each, and an exit status.

    Returns:
        What ``work`` returns; 2 for bad arguments and files, an engine that does not start included; 1 for an engine
        that fails later, and where nobody reads; 130 if it was interrupted.
    """
    open_streams()
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
