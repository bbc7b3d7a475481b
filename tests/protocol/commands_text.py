"""Render commands as lines, the inverse of the parser; for tests only."""

from __future__ import annotations

from latrones_uci.engine.limits import Limits
from latrones_uci.protocols.uci.commands import (
    Bench,
    Command,
    Debug,
    Go,
    GoPerft,
    Greet,
    Plain,
    Query,
    SetOption,
    SetPosition,
)


def command_text(command: Command) -> str:
    match command:
        case Greet(dialect):
            return dialect.value
        case Debug(on):
            return f"debug {'on' if on else 'off'}"
        case SetOption(name, value):
            return f"setoption name {name}" + ("" if value is None else f" value {value}")
        case SetPosition(fen, moves):
            start = "startpos" if fen is None else f"fen {fen}"
            return f"position {start}" + (f" moves {' '.join(moves)}" if moves else "")
        case Go(limits):
            return " ".join(["go", *limits_words(limits)])
        case GoPerft(depth):
            return f"go perft {depth}"
        case Query(what):
            return f"query {what}"
        case Bench(depth, positions):
            return " ".join(["bench", *([] if depth is None else [str(depth)]), *[positions] * (positions != "core")])
        case Plain(word):
            return word


def limits_words(limits: Limits) -> list[str]:
    numbers = {
        "depth": limits.depth,
        "nodes": limits.nodes,
        "mate": limits.mate,
        "movetime": limits.movetime_ms,
        "wtime": limits.time_ms[0],
        "btime": limits.time_ms[1],
        "winc": limits.increment_ms[0],
        "binc": limits.increment_ms[1],
        "movestogo": limits.moves_to_go,
    }
    words = [text for word, number in numbers.items() if number is not None for text in (word, str(number))]
    words += [word for word in ("infinite", "ponder") if getattr(limits, word)]
    return words + (["searchmoves", *limits.search_moves] if limits.search_moves else [])
