"""The command ``latrones-match``: settings in, progress and tables out."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from latrones_uci.match.arguments import MatchArguments, parse_arguments
from latrones_uci.match.errors import EngineStartError, SettingsError
from latrones_uci.match.report import render_progress, render_summary
from latrones_uci.match.tally import MatchTally
from latrones_uci.match.tournament import GameFinished, run_match
from latrones_uci.match.verify_command import run_verify

_OWN_ENGINE = ("-m", "latrones_uci")
_BUSY_SWITCH_INTERVAL_S = 0.0005


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command.

    Args:
        arguments: without the program's name; None for those of the process.

    Returns:
        The exit status: 0; 1 if the match broke off or ``verify`` found a disagreement; 2 for bad arguments;
        130 if the match was interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["verify"]:
            return run_verify(words[1:])
        return _run_match(parse_arguments(words, (sys.executable, *_OWN_ENGINE)))
    except SettingsError as error:
        print(f"latrones-match: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Nobody reads on: end quietly, and keep the interpreter from flushing what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run_match(arguments: MatchArguments) -> int:
    settings = arguments.settings
    tally: MatchTally | None = None

    def on_game(event: GameFinished) -> None:
        nonlocal tally
        tally = event.tally
        print(render_progress(event.record, event.tally, settings.games), flush=True)

    interrupt = threading.Event()
    failure = ""
    try:
        if settings.pgn_path is not None:
            # What cannot be written shall fail now rather than after a game.
            settings.pgn_path.open("w" if arguments.overwrite_pgn else "a").close()
        if settings.concurrency > 1:
            # A worker that referees must not hold up the threads that take the times of other games.
            sys.setswitchinterval(_BUSY_SWITCH_INTERVAL_S)
        with _signals_to(interrupt.set):
            tally = run_match(settings, on_game, interrupt)
    except BrokenPipeError:
        raise
    except (EngineStartError, OSError) as error:
        failure = str(error)
    if tally is not None:
        print(f"\n{render_summary(tally, settings)}")
        if settings.pgn_path is not None:
            print(f"PGN: {settings.pgn_path.resolve()}")
    if failure:
        print(f"latrones-match: {failure}", file=sys.stderr)
        return 1
    return 130 if interrupt.is_set() else 0


@contextmanager
def _signals_to(action: Callable[[], None]) -> Iterator[None]:
    """While it lasts, the first SIGINT or SIGTERM calls ``action``; a second one ends the program as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = {number: signal.getsignal(number) for number in numbers}

    def handle(number: int, frame: FrameType | None) -> None:
        restore()
        action()

    def restore() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    for number in numbers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        restore()


if __name__ == "__main__":
    sys.exit(main())
