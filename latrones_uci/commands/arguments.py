"""What subcommands have in common: the argument parser, types of arguments, and errors turned into exit statuses."""

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

from latrones_uci.client.errors import EngineStartError, OperationError, SettingsError
from latrones_uci.client.hints import option_hint
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file
from latrones_uci.game import (
    BoardSizeError,
    LatronesError,
    Position,
    Ruleset,
    all_variants,
    find_variant,
    load_variants,
    parse_board_size,
    parse_variants,
    quoted,
    reason,
)

_UNRECOGNIZED = "unrecognized arguments: "
MOST_PORT = 65535
_MOST_DIGITS = 12
_MOST_SEED_CHARACTERS = 100
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wrap the paragraphs of a description at the width of the terminal; keep indented tables and examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.strip("\n").split("\n\n")
        return "\n\n".join(
            paragraph if any(line.startswith(" ") for line in paragraph.splitlines())
            else textwrap.fill(paragraph, width, initial_indent=indent, subsequent_indent=indent)
            for paragraph in paragraphs
        ) + "\n"  # fmt: skip


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that raises ``SettingsError`` instead of exiting."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; files may also be given between and after options, as with most commands."""
        found, rest = super().parse_known_args(args, namespace)
        several = next((each for each in self._actions if not each.option_strings and each.nargs == "+"), None)
        if rest and several is not None and not any(word.startswith("-") for word in rest):
            getattr(found, several.dest).extend(rest)
            rest = []
        return found, rest

    def error(self, message: str) -> NoReturn:
        """Raise the error, with a hint if it is about an unknown option."""
        unknown = message.removeprefix(_UNRECOGNIZED)
        if unknown != message:
            message = f"unknown argument {quoted(unknown.split()[0])}{option_hint(unknown.split()[0], self._options())}"
        raise SettingsError(message)

    def _options(self) -> list[str]:
        """Return the options of this parser and of its subcommands."""
        found = list(self._option_string_actions)
        for action in self._actions:
            if isinstance(action.choices, dict):
                for subparser in action.choices.values():
                    found += subparser._option_string_actions
        return found


def parse_natural(text: str) -> int:
    """Parse an integer from 0."""
    return _parse_integer(text, 0)


def parse_positive(text: str) -> int:
    """Parse an integer from 1."""
    return _parse_integer(text, 1)


def _parse_integer(text: str, least: int) -> int:
    digits = text.lstrip("0") or "0"
    if not (text.isascii() and text.isdigit()) or digits == "0" and least > 0:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not an integer from {least}")
    if len(digits) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is too large; expected at most {10**_MOST_DIGITS - 1}")
    return int(digits)


def parse_seed(text: str) -> int:
    """Parse any integer, positive or negative."""
    if not _INTEGER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not an integer")
    if len(text) > _MOST_SEED_CHARACTERS:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is too long; expected at most {_MOST_SEED_CHARACTERS} characters"
        )
    return int(text)


def parse_seconds(text: str) -> float:
    """Parse a positive time in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a positive time in seconds")
    return seconds


def parse_rate(text: str) -> float:
    """Parse a number above 0 and at most 1."""
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0 < rate <= 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number above 0 and at most 1")
    return rate


def parse_port(text: str) -> int:
    """Parse a port; 0 stands for any free one."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= MOST_PORT):
        raise argparse.ArgumentTypeError(f"expected a port from 0 to {MOST_PORT}, not {quoted(text)}")
    return int(text)


def parse_option_word(word: str) -> tuple[str, str]:
    """Parse ``NAME=VALUE`` into name and value.

    Raises:
        SettingsError: the word has another form.
    """
    name, equals, value = word.partition("=")
    if not equals or not name.strip() or "\n" in word or "\r" in word:
        raise SettingsError(f"{quoted(word)}: expected NAME=VALUE")
    return name, value


def open_streams() -> None:
    """Open the null device for each standard stream that is missing.

    Otherwise the next file opened, such as a database, would get the descriptor of the stream.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open until the program ends
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def error_text(error: Exception) -> str:
    """Return the message of an error; that of an ``OSError`` names the file, or standard output if it has no name."""
    if isinstance(error, MemoryError):
        return str(error) or "out of memory"
    if not isinstance(error, OSError):
        return str(error)
    name = "standard output" if error.filename is None else quoted(str(error.filename))
    return f"{name}: {reason(error)}"


def add_game(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that ``game_of`` reads."""
    add = parser.add_argument
    add("game", metavar="GAME|FILE.toml", help="variant, or a TOML file with a variant")
    add("--variant", metavar="NAME", help="variant of the TOML file (default: its first)")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the variant)")


def game_of(options: argparse.Namespace) -> tuple[VariantSettings, VariantFile | None]:
    """Return the variant, and the file that defines it.

    Raises:
        SettingsError: the file cannot be read or has no variant, or the arguments exclude each other.
    """
    name, path = options.game, options.variant_path
    if not name.lower().endswith(".toml"):
        if options.variant is not None:
            raise SettingsError(f"--variant {options.variant}: given without a TOML file; expected a file, not"
                                f" {quoted(name)}")  # fmt: skip
        return VariantSettings(name, options.board or ""), None if path is None else read_variant_file(path)
    if path is not None:
        raise SettingsError(f"--variant-path {quoted(path)} cannot be combined with the file {quoted(name)}")
    file = read_variant_file(name)
    names = list(parse_variants(file.text, all_variants()))
    if not names:
        raise SettingsError(f"{quoted(name)}: no variants; expected at least one")
    return VariantSettings(options.variant or names[0], options.board or ""), file


def variant_of(name: str, path: str | None) -> Ruleset:
    """Return the variant of a name, built in or from a variant file.

    Raises:
        VariantError: the variant does not exist, or the file cannot be read or has an error.
    """
    return find_variant(name, None if path is None else load_variants(path, all_variants()))


def position_of(ruleset: Ruleset, fen: str | None, board: str | None) -> Position:
    """Return the position of a FEN, or without one the start position on a board.

    Raises:
        LatronesError: the FEN or the board size is invalid, or both are given.
    """
    if fen and board:
        raise BoardSizeError(f"--board {quoted(board)} cannot be combined with a FEN")
    if fen:
        return Position.from_fen(ruleset, fen)
    return Position.start(ruleset, parse_board_size(board) if board else None)


def run_tool(program: str, work: Callable[[], int]) -> int:
    """Run a command that reads files and drives at most one engine.

    Args:
        program: the prefix of error messages.
        work: runs the command and returns the exit status.

    Returns:
        The exit status from ``work``; 2 for bad arguments or files, or an engine that does not start; 1 if an engine
        fails later, or the output is closed; 130 after an interruption.
    """
    open_streams()
    try:
        return work()
    except BrokenPipeError:
        forget_output()
        return 1
    except (SettingsError, LatronesError, EngineStartError, OSError, MemoryError) as error:
        print(f"{program}: {error_text(error)}", file=sys.stderr)
        return 2
    except OperationError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run_match_tool(program: str, work: Callable[[], int]) -> int:
    """Run a command that plays or reads a match.

    Args:
        program: the prefix of error messages.
        work: runs the command and returns the exit status.

    Returns:
        The exit status from ``work``; 2 for bad arguments; 1 if an engine, a database, a build or a file fails, or the
        output is closed.
    """
    open_streams()
    try:
        return work()
    except SettingsError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except (OperationError, MemoryError) as error:
        print(f"{program}: {error_text(error)}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        forget_output()
        return 1
    except OSError as error:
        if error.filename is None:  # errors of files have a name
            forget_output()
        print(f"{program}: {error_text(error)}", file=sys.stderr)
        return 1


def forget_output() -> None:
    """Discard buffered output, so that the interpreter does not flush it to a closed pipe or a full disk at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
