"""Parse the arguments of the commands of UCI and UGI; an error is a ``CommandError``, in a ``go`` a ``LimitsError``."""

import re
from typing import Any, cast

from latrones_uci.engine.bench import BENCH_SETS, CORE
from latrones_uci.engine.errors import LimitsError
from latrones_uci.engine.limits import Limits
from latrones_uci.protocols.common import CommandError
from latrones_uci.text.messages import quoted

_MAX_DIGITS = 18
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_LONG_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
_VALUE = re.compile(r"\svalue(?:\s|$)")
MAX_PERFT = 100

# Arguments of `go` that take a number, with their meaning.
_NUMBERS = {
    "depth": "depth", "nodes": "nodes", "mate": "mate", "movetime": "movetime_ms", "movestogo": "moves_to_go",
    "wtime": "white_ms", "btime": "black_ms", "winc": "white_increment_ms", "binc": "black_increment_ms",
    "p1time": "white_ms", "p2time": "black_ms", "p1inc": "white_increment_ms", "p2inc": "black_increment_ms",
}
_FLAGS = ("infinite", "ponder")
GO_WORDS = (*_NUMBERS, *_FLAGS, "searchmoves", "perft")


def parse_set_option(text: str, words: list[str]) -> tuple[str, str | None]:
    """Parse ``setoption name N [value V]`` into name and value."""
    if words[:1] != ["name"]:
        raise CommandError(f"{quoted(text.strip())}: expected 'setoption name NAME [value VALUE]'")
    rest = text.split("name", maxsplit=1)[1]
    match = _VALUE.search(rest)
    name, value = (rest[:match.start()], rest[match.end():]) if match else (rest, None)
    name = " ".join(name.split())
    if not name:
        raise CommandError(f"{quoted(text.strip())}: missing option name")
    return name, None if value is None else value.strip()


def parse_position(text: str, words: list[str]) -> tuple[str | None, list[str]]:
    """Parse ``position startpos|fen F [moves ...]`` into a FEN, None for ``startpos``, and moves."""
    at = words.index("moves") if "moves" in words else len(words)
    kind, *fen = words[:at] or [""]
    if kind == "startpos" and not fen:
        return None, words[at + 1:]
    if kind == "fen" and fen:
        return " ".join(fen), words[at + 1:]
    raise CommandError(f"{quoted(text.strip())}: expected 'startpos' or 'fen FEN', then 'moves MOVE ...'")


def parse_go(text: str, words: list[str]) -> Limits:
    """Parse the limits of a ``go``."""
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "perft":
            raise LimitsError(f"{quoted(text.strip())}: expected 'go perft DEPTH'")
        if word in _FLAGS:
            flags.add(word)
        elif word == "searchmoves":
            while rest and rest[-1] not in GO_WORDS:
                moves.append(rest.pop())
            if not moves:
                raise LimitsError(f"{quoted(text.strip())}: searchmoves needs at least one move")
        elif word in _NUMBERS:
            if _NUMBERS[word] in numbers:
                raise LimitsError(f"{quoted(text.strip())}: duplicate {word}")
            if not rest or not _INTEGER.fullmatch(rest[-1]):
                given = f", not {quoted(rest[-1])}" if rest else ""
                if rest and _LONG_INTEGER.fullmatch(rest[-1]):
                    given = f" of at most {_MAX_DIGITS} digits{given}"
                raise LimitsError(f"{quoted(text.strip())}: {word} needs a number{given}")
            numbers[_NUMBERS[word]] = int(rest.pop())
        else:
            raise LimitsError(f"{quoted(text.strip())}: unknown argument {quoted(word)}")
    time_ms = (numbers.pop("white_ms", None), numbers.pop("black_ms", None))
    increment_ms = (numbers.pop("white_increment_ms", 0), numbers.pop("black_increment_ms", 0))
    return Limits(time_ms=time_ms, increment_ms=increment_ms, infinite="infinite" in flags, ponder="ponder" in flags,
                  search_moves=tuple(moves), **cast(Any, numbers))


def parse_perft(text: str) -> int:
    """Parse the depth of a ``go perft``."""
    if not _INTEGER.fullmatch(text) or not 1 <= int(text) <= MAX_PERFT:
        raise LimitsError(f"perft depth {quoted(text)}: expected 1..{MAX_PERFT}")
    return int(text)


def parse_bench(text: str, words: list[str]) -> tuple[int | None, str]:
    """Parse ``bench [DEPTH] [SET]`` into a depth, None for the default, and one of ``BENCH_SETS``."""
    depths, sets = ([], words) if words and words[0] in BENCH_SETS else (words[:1], words[1:])
    good = all(_INTEGER.fullmatch(word) and 1 <= int(word) <= MAX_PERFT for word in depths)
    if not good or len(sets) > 1 or not set(sets) <= set(BENCH_SETS):
        raise CommandError(f"{quoted(text.strip())}: expected a depth 1..{MAX_PERFT}, one of the sets"
                           f" {', '.join(BENCH_SETS)}, both in this order, or no argument")
    return int(depths[0]) if depths else None, sets[0] if sets else CORE
