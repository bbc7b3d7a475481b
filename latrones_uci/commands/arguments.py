"""What subcommands have in common: the argument parser, types of arguments, and errors turned into exit statuses."""

import argparse
import math
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any, NoReturn, Self, TextIO

from latrones_uci.client.errors import EngineStartError, EngineVariantError, OperationError, SettingsError
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
)
from latrones_uci.text.clock import now_s
from latrones_uci.text.messages import quoted, reason, with_byte_escapes
from latrones_uci.text.signals import INTERRUPTS, block_signals
from latrones_uci.text.streams import is_reader_gone, without_waiting

UNRECOGNIZED = "unrecognized arguments: "
"""How ``argparse`` begins the message about unknown arguments."""
MAX_PORT = 65535
_MAX_DIGITS = 12
_MAX_SEED_CHARACTERS = 100
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that knows what was declared, and raises ``SettingsError`` instead of exiting."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    @property
    def declared(self) -> list[argparse.Action]:
        return self._actions

    @property
    def options(self) -> dict[str, argparse.Action]:
        """The declared options, by each of their names."""
        return self._option_string_actions

    def format_help(self) -> str:
        """Return the help; paragraphs are wrapped at the width of the terminal, tables and examples are kept."""
        width = max(shutil.get_terminal_size().columns - 2, 11)
        self.description, self.epilog = (text and _wrapped(text, width) for text in (self.description, self.epilog))
        return super().format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; files may also be given between and after options, as with most commands."""
        found, rest = super().parse_known_args(args, namespace)
        several = next((each for each in self.declared if not each.option_strings and each.nargs == "+"), None)
        if rest and several is not None and not any(word.startswith("-") for word in rest):
            getattr(found, several.dest).extend(rest)
            rest = []
        return found, rest

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix(UNRECOGNIZED)
        if unknown != message:
            option = unknown.split()[0]
            message = f"unknown argument {quoted(option)}{option_hint(option, list(self.options))}"
        raise SettingsError(with_byte_escapes(message))


def _wrapped(text: str, width: int) -> str:
    """Return a text with its paragraphs wrapped, except for those with indented lines."""
    return "\n\n".join(
        paragraph if any(line.startswith(" ") for line in paragraph.splitlines()) else textwrap.fill(paragraph, width)
        for paragraph in text.strip("\n").split("\n\n")
    )


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
    if len(digits) > _MAX_DIGITS:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is too large; expected at most {10**_MAX_DIGITS - 1}")
    return int(digits)


def parse_seed(text: str) -> int:
    """Parse any integer, positive or negative."""
    if not _INTEGER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not an integer")
    if len(text) > _MAX_SEED_CHARACTERS:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is too long; expected at most {_MAX_SEED_CHARACTERS} characters"
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
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= MAX_PORT):
        raise argparse.ArgumentTypeError(f"expected a port from 0 to {MAX_PORT}, not {quoted(text)}")
    return int(text)


def parse_option_word(word: str) -> tuple[str, str]:
    """Parse ``NAME=VALUE`` into name and value. Raises SettingsError: the word has another form."""
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


def add_game(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Declare the arguments that ``game_of`` reads."""
    add = parser.add_argument
    add("game", nargs=None if required else "?", metavar="GAME|FILE.toml", help="variant, or a TOML file with a"
        " variant")
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
                                f" {quoted(name)}")
        return VariantSettings(name, options.board or ""), None if path is None else read_variant_file(path)
    if path is not None:
        raise SettingsError(f"--variant-path {quoted(path)} cannot be combined with the file {quoted(name)}")
    file = read_variant_file(name)
    names = list(parse_variants(file.text, all_variants()))
    if not names:
        raise SettingsError(f"{quoted(name)}: no variants; expected at least one")
    return VariantSettings(options.variant or names[0], options.board or ""), file


def add_variant(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose the variant and the board of a position; see ``variant_of`` and ``position_of``."""
    add = parser.add_argument
    add("--variant", default="latrones", help="variant (default: latrones)")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    add("--board", metavar="SIZE", help="board size of the start position, such as 12x8 (default: that of the variant)")


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


def run_tool(program: str, work: Callable[[], int], *, of_match: bool = False) -> int:
    """Run a subcommand, print the error that ends it, and write all output.

    ``of_match`` says that the command plays or reads a match; others read files and drive at most one engine.

    Returns:
        The exit status from ``work``; 2 for bad arguments; 1 if an engine, a database or a build fails, or the output
        cannot be written. Unless ``of_match``, bad files and an engine that does not start are bad arguments; then they
        fail.
    """
    bad = (SettingsError,) if of_match else (SettingsError, LatronesError, EngineStartError, OSError, MemoryError)
    open_streams()
    try:
        status = work()
    except SystemExit:  # after --help
        if flush_output(program):
            raise
        return 1
    except (SettingsError, LatronesError, OperationError, OSError, MemoryError) as error:
        if is_reader_gone(error):
            forget_output()
            return 1
        print(f"{program}: {error_text(error)}{_variant_hint(program, error)}", file=sys.stderr)
        if isinstance(error, OSError) and error.filename is None:  # errors of files have a name
            forget_output()
            return 1
        status = 2 if isinstance(error, bad) else getattr(error, "exit_status", 1)
    return status if flush_output(program) else status or 1


def _variant_hint(program: str, error: BaseException) -> str:
    """Return how to choose a variant that the engine plays, if that is what is wrong; else nothing."""
    while not isinstance(error, EngineVariantError):
        if error.__cause__ is None:
            return ""
        error = error.__cause__
    if not error.offered:
        return ""
    recipe = f", or variants = [\"{error.offered[0]}\"] in revs.toml" if " revs" in program else ""
    return f"; choose it with --variant {error.offered[0]}{recipe}"


def flush_output(program: str, *, wait: bool = True) -> bool:
    """Write what is buffered for standard output, and return whether it could be written; the error is one line.

    With ``wait``, and always on Windows, it waits for a reader that does not read. ``program`` is the prefix of the
    error message.
    """
    try:
        if sys.stdout is not None:
            with nullcontext() if wait else without_waiting(sys.stdout.fileno()):
                sys.stdout.flush()
    except ValueError:  # a stream without a descriptor, or closed
        return True
    except OSError as error:
        if not is_reader_gone(error) and not isinstance(error, BlockingIOError):
            print(f"{program}: {error_text(error)}", file=sys.stderr)
        forget_output()
        return False
    return True


def forget_output() -> None:
    """Discard buffered output, so that the interpreter does not flush it to a closed pipe or a full disk at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---------------------------------------------------------------- interruptions

_BOUNCE_S = 1.0
_AGAIN_S = 0.01
_interrupted_at = -math.inf


@contextmanager
def on_interrupt(action: Callable[[], None], *, last: bool = False) -> Iterator[None]:
    """Call ``action`` on the first of ``INTERRUPTS``; a later one raises ``KeyboardInterrupt``.

    Signals within a second after the first are ignored: impatient users press Ctrl+C twice, and a terminal and a
    supervisor may both send one. A signal that the parent process ignores for its children stays ignored.

    Args:
        action: called in the main thread.
        last: whether the process ends afterwards; signals are then ignored after an interruption.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    acted, received = False, int(signal.SIGINT)

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal acted, received
        global _interrupted_at
        now, before = now_s(), _interrupted_at
        if now - before < _BOUNCE_S:
            return
        _interrupted_at, received = now, number
        if acted:
            raise KeyboardInterrupt
        acted = True
        action()

    def interrupt_again(lost: Any) -> None:
        """Interrupt once more if Python has dropped the exception, as it does in the callback of a weak reference."""
        global _interrupted_at
        if lost.exc_type is not KeyboardInterrupt:
            report(lost)
            return
        _interrupted_at = -math.inf
        main = threading.main_thread().ident
        kill: Any = getattr(signal, "pthread_kill", lambda thread, number: signal.raise_signal(number))
        timer = threading.Timer(_AGAIN_S, kill, (main, received))
        timer.daemon = True
        timer.start()

    previous = {number: signal.getsignal(number) for number in INTERRUPTS}
    for number, handler in previous.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    report, sys.unraisablehook = sys.unraisablehook, interrupt_again
    try:
        yield
    finally:
        sys.unraisablehook = report
        ends = last and _interrupted_at > -math.inf  # also by an action inside this one
        if ends:  # not SIG_IGN alone: the interpreter installs the default handlers again before it ends
            block_signals(INTERRUPTS)
        for number, handler in previous.items():
            signal.signal(number, signal.SIG_IGN if ends else handler)


def raise_interrupt() -> None:
    raise KeyboardInterrupt


# ---------------------------------------------------------------- progress

_SHOW_EVERY_S, _LOG_EVERY_S = 0.2, 15.0
_FIRST_AFTER_S = 1.0
_LINE_WIDTH = 79


class LongWork:
    """Shows how far long work has come: in place on a terminal, else as a line now and then.

    A context manager that removes the last state from the terminal.
    """

    def __init__(self, stream: TextIO | None = None, log_every_s: float = _LOG_EVERY_S) -> None:
        self._stream, self._log_every_s = stream or sys.stderr, log_every_s
        self._live = self._stream is not None and self._stream.isatty()
        self._next = now_s()
        if stream is None:
            self._next += _FIRST_AFTER_S if self._live else log_every_s
        self._shown = False

    def __call__(self, text: str) -> None:
        """Show a state, if it is time for one."""
        now = now_s()
        if now < self._next:
            return
        self._next, self._shown = now + (_SHOW_EVERY_S if self._live else self._log_every_s), True
        if self._live:
            print(f"\r{text[:_LINE_WIDTH]:<{_LINE_WIDTH}}", end="", file=self._stream, flush=True)
        else:
            print(text, file=self._stream, flush=True)

    def clear(self) -> None:
        if self._live and self._shown:
            print(f"\r{'':<{_LINE_WIDTH}}\r", end="", file=self._stream, flush=True)
            self._shown = False

    def warn(self, text: str) -> None:
        """Print a line that stays, on stderr."""
        self.clear()
        print(text, file=sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()
