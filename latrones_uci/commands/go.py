"""The command ``latrones-uci go``: search one position."""

import argparse
import json
import queue
import threading
import time
from dataclasses import asdict
from typing import Any

from latrones_uci.commands.arguments import (
    parse_natural,
    parse_option_word,
    parse_positive,
    position_of,
    variant_of,
)
from latrones_uci.commands.bench import add_backend
from latrones_uci.engine.events import Event, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.game import Game
from latrones_uci.protocol import BestMove, Dialect, SearchInfo
from latrones_uci.protocols.uci.render import render_event

DEFAULT_MOVETIME_MS = 1000


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = ("Search one position, and print the lines of the search as in the protocol; the last line has"
                          " the best move.")  # fmt: skip
    parser.add_argument("--variant", default="latrones", help="variant (default: latrones)")
    parser.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants")
    parser.add_argument("--board", metavar="SIZE",
                        help="board size of the start position, such as 12x8 (default: that of the variant)")
    parser.add_argument("--fen", help="position (default: the start position)")
    parser.add_argument("--moves", nargs="+", metavar="MOVE", default=[], help="moves from there")
    parser.add_argument("--depth", type=parse_positive, metavar="N", help="maximum depth in plies")
    parser.add_argument("--nodes", type=parse_positive, metavar="N", help="maximum number of positions")
    parser.add_argument("--movetime", type=parse_natural, metavar="MS",
                        help=f"time in milliseconds (default: {DEFAULT_MOVETIME_MS}, without other limits)")
    parser.add_argument("--mate", type=parse_positive, metavar="N", help="stop at a win in N turns")
    parser.add_argument("--multipv", type=parse_positive, metavar="N", default=1, help="number of lines (default: 1)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        help="option of the engine; may be repeated")
    parser.add_argument("--json", action="store_true", help="print one JSON object: the last lines and the best move")
    add_backend(parser)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    start = position_of(variant_of(options.variant, options.variant_path), options.fen, options.board)
    game = Game(start)
    for move in options.moves:
        game.play(move)
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    session = Session(events.put, options.backend)
    session.set_option("VariantSet", "all")
    if options.variant_path is not None:
        session.set_option("VariantPath", options.variant_path)
    session.set_option("UCI_Variant", options.variant)
    for text in options.option:
        session.set_option(*parse_option_word(text))
    session.set_option("MultiPV", str(options.multipv))
    session.set_position(start.fen(), options.moves)
    given = (options.depth, options.nodes, options.movetime, options.mate)
    movetime = DEFAULT_MOVETIME_MS if all(each is None for each in given) else options.movetime
    limits = Limits(depth=options.depth, nodes=options.nodes, movetime_ms=movetime, mate=options.mate)
    session.go(limits, time.monotonic_ns())

    def mark_end() -> None:
        session.wait()
        events.put(None)

    threading.Thread(target=mark_end, daemon=True).start()
    found: dict[str, Any] = {"variant": options.variant, "fen": game.position.fen(), "lines": {}, "bestmove": None}
    try:
        return _report(events, options.json, found)
    except KeyboardInterrupt:
        session.stop()
        _report(events, options.json, found)
        raise
    finally:
        session.close()


def _report(events: "queue.SimpleQueue[Event | None]", as_json: bool, found: dict[str, Any]) -> int:
    """Print the events of a search until it ends, and return the exit status."""
    failed = False
    while (event := events.get()) is not None:
        match event:
            case SearchInfo() if as_json:
                found["lines"][event.multipv] = _line(event)
            case BestMove() if as_json:
                found |= {"bestmove": event.move, "ponder": event.ponder}
            case Refusal() if as_json:
                found["error"] = f"{event.code}: {event.message}"
            case _ if not as_json:
                print("\n".join(render_event(event, Dialect.UCI)), flush=True)
        failed |= isinstance(event, Refusal)
    if as_json:
        print(json.dumps(found | {"lines": list(found["lines"].values())}), flush=True)
    return int(failed)


def _line(info: SearchInfo) -> dict[str, Any]:
    """Return a line of a search as JSON has it: the fields that it has, with the score as in ``info``."""
    fields = {name: value for name, value in asdict(info).items() if value is not None and name != "reported_nps"}
    score = {name: value for name, value in fields["score"].items() if value not in (None, "")}
    return {**fields, "score": score, "nps": info.nps}
