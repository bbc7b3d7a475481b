"""The command ``latrones-uci bench``: print the engine's signature and speed."""

import argparse
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from latrones_uci.commands.arguments import forget_output, on_interrupt
from latrones_uci.engine.backend import BACKENDS
from latrones_uci.engine.bench import BENCH_SETS
from latrones_uci.engine.events import EngineEvent, Refusal
from latrones_uci.engine.session import Session
from latrones_uci.protocols.uci.render import render_event
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import Dialect
from latrones_uci.text.signals import WAKE_S
from latrones_uci.text.streams import is_reader_gone


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Search fixed positions, and print the node count (the engine's signature) and the speed."
    parser.add_argument("depth", nargs="?", type=parse_depth, help="depth in plies (default: fixed for each kernel)")
    parser.add_argument("--set", choices=BENCH_SETS, default=BENCH_SETS[0], dest="positions",
                        help="positions of the core set, of Ludii's rulesets, or both; the signature is that of the"
                        " core set (default: core)")
    parser.add_argument("--compare", action="store_true", help="run both kernels and print the results side by side")
    add_backend(parser)


def run(options: argparse.Namespace, program: str) -> int:
    if options.compare and options.backend != "auto":
        print(f"{program}: --compare with --backend {options.backend}: it runs both kernels; expected no --backend",
              file=sys.stderr)
        return 2
    return run_session(options, lambda session: session.bench(options.depth, options.positions, options.compare))


def add_backend(parser: argparse.ArgumentParser, default: str = argparse.SUPPRESS) -> None:
    """Add ``--backend``; without a default, the value given before the subcommand applies."""
    parser.add_argument("--backend", choices=BACKENDS, default=default,
                        help="kernel: native needs compiled code, auto uses it if available (default: auto)")


def parse_depth(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 100):
        raise argparse.ArgumentTypeError(f"expected a depth from 1 to 100, not {quoted(text)}")
    return int(text)


def choose_variant(session: Session, options: argparse.Namespace) -> None:
    """Set a session to the variant of ``add_variant``.

    Raises:
        OptionError: there is no such variant, or its file has an error.
    """
    session.set_option("VariantSet", "all")
    if options.variant_path is not None:
        session.set_option("VariantPath", options.variant_path)
    session.set_option("UCI_Variant", options.variant)


def print_event(event: EngineEvent) -> None:
    print("\n".join(render_event(event, Dialect.UCI)), flush=True)


def run_session(
    options: argparse.Namespace, begin: Callable[[Session], None], show: Callable[[EngineEvent], None] = print_event,
    shows_rest: bool = False,
) -> int:
    """Start work in a session, show its events until it ends, and return the exit status.

    ``begin`` starts the work. If it is interrupted, the remaining events, such as the best move, are shown only with
    ``shows_rest``.

    Raises:
        OSError: the output cannot be written, for example on a full disk; the work is stopped.
    """
    events: queue.SimpleQueue[EngineEvent | None] = queue.SimpleQueue()
    session = Session(events.put, options.backend)
    interrupted = failed = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        session.stop()

    def mark_end() -> None:
        session.wait()
        events.put(None)

    try:
        with on_interrupt(interrupt):  # an exception while a thread starts would leave it running
            begin(session)
            if interrupted:  # before there was anything to stop
                session.stop()
            threading.Thread(target=mark_end, daemon=True).start()
            while (event := _taken(events)) is not None:
                failed |= isinstance(event, Refusal)
                if shows_rest or not interrupted:
                    show(event)
    except OSError as error:
        forget_output()
        if not is_reader_gone(error):
            raise
        failed = True
    finally:
        session.close()
    if interrupted:
        raise KeyboardInterrupt
    return int(failed)


def _taken(events: "queue.SimpleQueue[EngineEvent | None]") -> EngineEvent | None:
    """Wait for the next event."""
    while True:
        with suppress(queue.Empty):
            return events.get(timeout=WAKE_S)
