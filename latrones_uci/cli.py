"""The command ``latrones-uci``: the engine, or one of its tools."""

import argparse
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from io import FileIO

from latrones_uci import __version__
from latrones_uci.draw import draw_board
from latrones_uci.engine.backend import BACKENDS, choose
from latrones_uci.engine.events import Event, Refusal
from latrones_uci.engine.session import Session
from latrones_uci.game import BoardSizeError, LatronesError, Position, parse_board_size
from latrones_uci.protocol.channel import Channel
from latrones_uci.protocol.commands import Dialect
from latrones_uci.protocol.loop import Loop
from latrones_uci.protocol.render import render_event
from latrones_uci.variants_command import check_file, list_variants, show_variant, variant_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["match"]:
        from latrones_uci.match.cli import main as match_main  # the engine starts faster without it

        return match_main(words[1:])
    if words[:1] == ["check"]:
        from latrones_uci.match.tools.compliance.command import main as check_main

        return check_main(words[1:])
    if words[:1] == ["analyse"]:
        from latrones_uci.match.tools.analyse_command import main as analyse_main

        return analyse_main(words[1:])
    if words[:1] == ["suite"]:
        from latrones_uci.match.tools.suite_command import main as suite_main

        return suite_main(words[1:])
    if words[:1] == ["gui"]:
        from latrones_uci.gui.command import main as gui_main

        return gui_main(words[1:])
    options = _parser().parse_args(words)
    try:
        if options.version:
            print(f"latrones-uci {__version__} (kernel {choose(options.backend, options.without)})")
            return 0
        if options.command == "bench":
            bench = Session.compare_kernels if options.compare else Session.bench
            return _watched(options, lambda engine: bench(engine, options.depth))
        if options.command == "perft":
            return _perft(options)
        if options.command == "variants":
            return _variants(options)
        if options.command == "draw":
            return _draw(options)
        return _serve(options)
    except (LatronesError, OSError, MemoryError) as error:
        print(f"latrones-uci: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="latrones-uci",
        description="An engine for Latrones and its family. Without a command it speaks UCI (or UGI, or CECP"
        " with XBoard) on standard input and output; type 'help' to it for its commands.",
        epilog="'latrones-uci match ...' is latrones-match; 'gui' shows a board in the browser. With an engine of"
        " anybody, 'check' tests it, 'analyse' annotates games, 'suite' gives it positions to solve; each has its"
        " --help.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and the kernel that plays")
    parser.add_argument("--log", metavar="FILE", help="append the traffic, with timestamps, to FILE")
    parser.add_argument("--xboard", action="store_true", help="speak CECP, the protocol of XBoard and WinBoard, also"
                        " when the first line is not 'xboard'")
    _add_backend(parser, "auto")
    parser.add_argument("--without", metavar="TECHNIQUE", action="append", default=[],
                        help="play without a technique of the native search, for matches that weigh it; see"
                        " docs/search.md")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    bench = commands.add_parser("bench", help="search fixed positions; print the signature and the speed")
    bench.add_argument("depth", nargs="?", type=_depth, help="plies")
    bench.add_argument("--compare", action="store_true", help="search with the python and the native kernel, and"
                       " print both side by side")
    _add_backend(bench)
    perft = commands.add_parser("perft", help="count the sequences of so many plies")
    perft.add_argument("depth", type=_depth, help="plies")
    perft.add_argument("--variant", default="latrones", help="the game (default: latrones)")
    perft.add_argument("--board", default="default", help="board size such as 12x8 (default: the game's own)")
    perft.add_argument("--fen", help="a position instead of the start")
    _add_backend(perft)
    variants = commands.add_parser("variants", help="list the games, show one, or check a file of games")
    actions = variants.add_subparsers(dest="action", metavar="ACTION")
    show = actions.add_parser("show", help="print a whole ruleset and its start board")
    show.add_argument("name", help="the game")
    show.add_argument("--path", metavar="FILE", help="a TOML file with more games")
    check = actions.add_parser("check", help="report all that is wrong with a file of games")
    check.add_argument("file", help="a TOML file")
    drawing = commands.add_parser("draw", help="draw a position as SVG", description="Prints a position as SVG.")
    drawing.add_argument("fen", nargs="*", help="the position (default: the start), with or without quotes")
    drawing.add_argument("--variant", default="latrones", help="the game (default: latrones)")
    drawing.add_argument("--path", metavar="FILE", help="a TOML file with more games")
    drawing.add_argument("--board", metavar="SIZE", help="size of the start board (default: the game's own)")
    drawing.add_argument("--moves", metavar="MOVE", nargs="+", default=[], help="moves to play first; the last one is"
                         " marked on the board")
    drawing.add_argument("--flipped", action="store_true", help="seen from Black's side")
    drawing.add_argument("--no-coordinates", action="store_true", help="without the names of files and ranks")
    return parser


def _add_backend(parser: argparse.ArgumentParser, default: str = argparse.SUPPRESS) -> None:
    parser.add_argument("--backend", choices=BACKENDS, default=default,
                        help="the kernel: native where it is compiled, python anywhere, auto the faster one (default)")


def _variants(options: argparse.Namespace) -> int:
    if options.action == "show":
        return show_variant(options.name, options.path)
    return check_file(options.file) if options.action == "check" else list_variants()


def _draw(options: argparse.Namespace) -> int:
    """Prints a board.

    Raises:
        LatronesError: no such game, board, position or move.
    """
    ruleset = variant_of(options.variant, options.path)
    if options.fen and options.board:
        raise BoardSizeError(f"--board {options.board} is for the start; a FEN has its own size")
    if options.fen:
        position = Position.from_fen(ruleset, " ".join(options.fen))
    else:
        position = Position.start(ruleset, parse_board_size(options.board) if options.board else None)
    move, captured = None, list[int]()
    for text in options.moves:
        move = position.parse_move(text)
        captured, position = position.captures(move), position.play(move)
    print(draw_board(position, last_move=move, captured=captured, flipped=options.flipped,
                     coordinates=not options.no_coordinates))
    return 0


def _depth(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 100):
        raise argparse.ArgumentTypeError(f"{text!r} is not a depth 1..100")
    return int(text)


def _perft(options: argparse.Namespace) -> int:
    def begin(engine: Session) -> None:
        engine.set_option("UCI_Variant", options.variant)
        engine.set_option("BoardSize", options.board)
        engine.set_position(options.fen, ())
        engine.perft(options.depth)

    return _watched(options, begin)


def _watched(options: argparse.Namespace, begin: Callable[[Session], None]) -> int:
    """Prints what the work of an engine tells until it ends; 1 if it failed or nobody reads.

    Raises:
        OSError: it cannot be printed, on a full disk say; the work has been ended.
    """
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    engine = Session(events.put, options.backend, options.without)
    begin(engine)

    def mark_end() -> None:
        engine.wait()
        events.put(None)

    threading.Thread(target=mark_end, daemon=True).start()
    failed = False
    try:
        while (event := events.get()) is not None:
            failed |= isinstance(event, Refusal)
            print("\n".join(render_event(event, Dialect.UCI)), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # keeps the exit from flushing what is left
        if not isinstance(error, BrokenPipeError):
            raise
        failed = True
    finally:
        engine.close()
    return int(failed)


def _serve(options: argparse.Namespace) -> int:
    if sys.stdin is None or sys.stdout is None:
        return 0  # started without the one or the other: there is nobody to serve
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(FileIO(options.log, "a")) if options.log else None
        channel = Channel(sys.stdin.fileno(), sys.stdout.fileno(), log)
        Loop(channel, options.backend, options.without, options.xboard).run()
    return 0
