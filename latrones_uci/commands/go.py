"""The command ``latrones-uci go``: search one position."""

import argparse
import json
from typing import Any

from latrones_uci.commands.arguments import (
    add_variant,
    parse_natural,
    parse_option_word,
    parse_positive,
    position_of,
    variant_of,
)
from latrones_uci.commands.bench import add_backend, choose_variant, print_event, run_session
from latrones_uci.engine.events import EngineEvent, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.protocols.analysis import DEFAULT_MOVETIME_MS, render_line
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import BestMove, SearchInfo


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = ("Search one position, and print the lines of the search as in the protocol; the last line has"
                          " the best move.")
    add_variant(parser)
    parser.add_argument("--fen", help="position (default: the start position)")
    parser.add_argument("--moves", nargs="+", metavar="MOVE", default=[], help="moves from there")
    parser.add_argument("--depth", type=parse_positive, metavar="N", help="maximum depth in plies")
    parser.add_argument("--nodes", type=parse_positive, metavar="N", help="maximum number of positions")
    parser.add_argument("--movetime", type=parse_natural, metavar="MS",
                        help=f"time in milliseconds (default: {DEFAULT_MOVETIME_MS}, without other limits)")
    parser.add_argument("--mate", type=parse_positive, metavar="N",
                        help="stop at a win in N turns, or when there is none")
    parser.add_argument("--multipv", type=parse_positive, metavar="N", default=1, help="number of lines (default: 1)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        help="option of the engine; may be repeated")
    parser.add_argument("--json", action="store_true", help="print one JSON object: the last lines and the best move")
    add_backend(parser)


def run(options: argparse.Namespace, program: str) -> int:
    found: dict[str, Any] = {"variant": options.variant, "fen": "", "lines": {}, "bestmove": None}

    def note(event: EngineEvent) -> None:
        match event:
            case SearchInfo():
                found["lines"][event.multipv] = render_line(event)
            case BestMove():
                found.update(bestmove=event.move, ponder=event.ponder)
                print(json.dumps(found | {"lines": list(found["lines"].values())}), flush=True)
            case Refusal():
                found["error"] = f"{event.code}: {event.message}"

    def begin(session: Session) -> None:
        _begin(session, options)
        found["fen"] = session.game.position.fen()

    return run_session(options, begin, note if options.json else print_event, shows_rest=True)


def _begin(session: Session, options: argparse.Namespace) -> None:
    start = position_of(variant_of(options.variant, options.variant_path), options.fen, options.board)
    choose_variant(session, options)
    for text in options.option:
        session.set_option(*parse_option_word(text))
    session.set_option("MultiPV", str(options.multipv))
    session.set_position(start.fen(), options.moves)
    given = (options.depth, options.nodes, options.movetime, options.mate)
    movetime = DEFAULT_MOVETIME_MS if all(each is None for each in given) else options.movetime
    session.go(Limits(depth=options.depth, nodes=options.nodes, movetime_ms=movetime, mate=options.mate), now_ns())
