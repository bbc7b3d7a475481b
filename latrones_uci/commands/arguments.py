"""A command line whose mistakes are one line each, and the types of its words."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from latrones_uci.client.errors import EngineStartError, OperationError, SettingsError
from latrones_uci.game import LatronesError, quoted


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that raises ``SettingsError`` instead of leaving the program."""

    def error(self, message: str) -> NoReturn:
        """Raises the error."""
        raise SettingsError(message)


def parse_natural(text: str) -> int:
    """A whole number from 0."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number")
    return int(text)


def parse_positive(text: str) -> int:
    """A whole number from 1."""
    if (number := parse_natural(text)) < 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number from 1")
    return number


def parse_seconds(text: str) -> float:
    """A time above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a time in seconds")
    return seconds


def parse_option_word(word: str) -> tuple[str, str]:
    """Name and value of ``NAME=VALUE``.

    Raises:
        SettingsError: it is something else.
    """
    name, equals, value = word.partition("=")
    if not equals or not name.strip() or "\n" in word or "\r" in word:
        raise SettingsError(f"{quoted(word)} is not NAME=VALUE")
    return name, value


# ---------------------------------------------------------------- tool main
# What commands have in common: that they have standard streams; and how the tools that let an engine search fail.


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


def run_tool(program: str, work: Callable[[], int]) -> int:
    """Run a command that reads files and drives at most one engine.

    Args:
        program: the name that error messages begin with.
        work: does it, and returns the exit status.

    Returns:
        What ``work`` returns; 2 for bad arguments or files, or an engine that does not start; 1 for an engine that
        fails later, or if nobody reads the output; 130 if it is interrupted.
    """
    open_streams()
    try:
        return work()
    except BrokenPipeError:
        forget_output()
        return 1
    except (SettingsError, LatronesError, EngineStartError, OSError, MemoryError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except OperationError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run_match_tool(program: str, work: Callable[[], int]) -> int:
    """Run a command that plays or reads a match.

    Args:
        program: the name that error messages begin with.
        work: does it, and returns the exit status.

    Returns:
        What ``work`` returns; 2 for bad arguments; 1 if an engine, a database, a build or a file fails, or if nobody
        reads the output.
    """
    open_streams()
    try:
        return work()
    except SettingsError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except OperationError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        forget_output()
        return 1
    except OSError as error:
        if error.filename is None:  # files are named in their errors
            forget_output()
            error = OSError(error.errno, error.strerror, "standard output")
        print(f"{program}: {error}", file=sys.stderr)
        return 1


def forget_output() -> None:
    """Keep the interpreter from flushing at exit what nobody reads, or what no longer fits on the disk."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
