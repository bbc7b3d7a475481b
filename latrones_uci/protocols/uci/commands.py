"""The commands of UCI and UGI as values, and parsing lines of text into them."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from latrones_uci.engine.bench import BENCH_SETS
from latrones_uci.engine.errors import LimitsError
from latrones_uci.engine.limits import Limits
from latrones_uci.protocols.common import CommandError, UnknownCommandError, first_word
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import Dialect


@dataclass(frozen=True)
class Greet:
    """``uci`` or ``ugi``."""

    dialect: Dialect


@dataclass(frozen=True)
class Debug:
    """``debug on|off``."""

    on: bool


@dataclass(frozen=True)
class SetOption:
    """``setoption name N [value V]``."""

    name: str
    value: str | None


@dataclass(frozen=True)
class SetPosition:
    """``position startpos|fen F [moves ...]``; no FEN means ``startpos``."""

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True)
class Go:
    """``go`` with its limits."""

    limits: Limits


@dataclass(frozen=True)
class GoPerft:
    """``go perft N``."""

    depth: int


@dataclass(frozen=True)
class Query:
    """``query``, from the UGI dialect; ``ratings`` is our own."""

    what: Literal["p1turn", "gameover", "result", "ratings"]


@dataclass(frozen=True)
class Bench:
    """``bench [depth] [core|ludii|all]``."""

    depth: int | None
    positions: str = "core"


@dataclass(frozen=True)
class Plain:
    """A command of one word."""

    word: Literal["isready", "newgame", "stop", "ponderhit", "quit", "d", "eval", "help", "wait"]


Command = Greet | Debug | SetOption | SetPosition | Go | GoPerft | Query | Bench | Plain


# ---------------------------------------------------------------- parsing

_MAX_DIGITS = 18
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_LONG_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
_VALUE = re.compile(r"\svalue(?:\s|$)")
_NEW_GAME = ("newgame", "ucinewgame", "uginewgame")
_QUERIES = ("p1turn", "gameover", "result", "ratings")
MAX_PERFT = 100

# Arguments of `go` that take a number, with their meaning.
_NUMBERS = {
    "depth": "depth", "nodes": "nodes", "mate": "mate", "movetime": "movetime_ms", "movestogo": "moves_to_go",
    "wtime": "white_ms", "btime": "black_ms", "winc": "white_increment_ms", "binc": "black_increment_ms",
    "p1time": "white_ms", "p2time": "black_ms", "p1inc": "white_increment_ms", "p2inc": "black_increment_ms",
}
_FLAGS = ("infinite", "ponder")
GO_WORDS = (*_NUMBERS, *_FLAGS, "searchmoves", "perft")


def parse_command(line: str) -> Command | None:
    """Parse a line; return None if it is blank.

    Raises:
        UnknownCommandError: the first word is not a command.
        CommandError: the arguments of the command are wrong.
        LimitsError: the arguments of a ``go`` are wrong.
    """
    words = line.split()
    if not words:
        return None
    name, rest = words[0], words[1:]
    if name in _NEW_GAME:
        name = "newgame"
    if name in get_args(Plain.__annotations__["word"]):
        _no_more(line, rest)
        return Plain(cast(Any, name))
    parser = _PARSERS.get(name)
    if parser is None:
        raise unknown_command(name)
    return parser(line, rest)


def unknown_command(name: str) -> UnknownCommandError:
    """Return the error for a command that does not exist."""
    return UnknownCommandError(f"{quoted(name)}: unknown command; 'help' lists the commands")


def _no_more(line: str, words: list[str]) -> None:
    if words:
        raise CommandError(f"{quoted(line.strip())}: unexpected argument {quoted(words[0])}")


def _parse_greeting(line: str, words: list[str]) -> Greet:
    _no_more(line, words)
    return Greet(Dialect(line.strip()))


def _parse_debug(line: str, words: list[str]) -> Debug:
    if words not in (["on"], ["off"]):
        raise CommandError(f"{quoted(line.strip())}: expected 'debug on' or 'debug off'")
    return Debug(words == ["on"])


def _parse_set_option(line: str, words: list[str]) -> SetOption:
    if words[:1] != ["name"]:
        raise CommandError(f"{quoted(line.strip())}: expected 'setoption name NAME [value VALUE]'")
    text = line.split("name", maxsplit=1)[1]
    match = _VALUE.search(text)
    name, value = (text[:match.start()], text[match.end():]) if match else (text, None)
    name = " ".join(name.split())
    if not name:
        raise CommandError(f"{quoted(line.strip())}: missing option name")
    return SetOption(name, None if value is None else value.strip())


def _parse_position(line: str, words: list[str]) -> SetPosition:
    head, moves = words, []
    if "moves" in words:
        at = words.index("moves")
        head, moves = words[:at], words[at + 1:]
    if head == ["startpos"]:
        return SetPosition(None, tuple(moves))
    if head[:1] == ["fen"] and len(head) > 1:
        return SetPosition(" ".join(head[1:]), tuple(moves))
    raise CommandError(f"{quoted(line.strip())}: expected 'startpos' or 'fen FEN', then 'moves MOVE ...'")


def _parse_go(line: str, words: list[str]) -> Go | GoPerft:
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "perft":
            if len(words) != 2:
                raise LimitsError(f"{quoted(line.strip())}: expected 'go perft DEPTH'")
            return GoPerft(_perft_depth(rest.pop()))
        if word in _FLAGS:
            flags.add(word)
        elif word == "searchmoves":
            while rest and rest[-1] not in GO_WORDS:
                moves.append(rest.pop())
            if not moves:
                raise LimitsError(f"{quoted(line.strip())}: searchmoves needs at least one move")
        elif word in _NUMBERS:
            if _NUMBERS[word] in numbers:
                raise LimitsError(f"{quoted(line.strip())}: duplicate {word}")
            if not rest or not _INTEGER.fullmatch(rest[-1]):
                given = f", not {quoted(rest[-1])}" if rest else ""
                if rest and _LONG_INTEGER.fullmatch(rest[-1]):
                    given = f" of at most {_MAX_DIGITS} digits{given}"
                raise LimitsError(f"{quoted(line.strip())}: {word} needs a number{given}")
            numbers[_NUMBERS[word]] = int(rest.pop())
        else:
            raise LimitsError(f"{quoted(line.strip())}: unknown argument {quoted(word)}")
    time_ms = (numbers.pop("white_ms", None), numbers.pop("black_ms", None))
    increment_ms = (numbers.pop("white_increment_ms", 0), numbers.pop("black_increment_ms", 0))
    return Go(Limits(time_ms=time_ms, increment_ms=increment_ms, infinite="infinite" in flags,
                     ponder="ponder" in flags, search_moves=tuple(moves), **cast(Any, numbers)))


def _perft_depth(text: str) -> int:
    if not _INTEGER.fullmatch(text) or not 1 <= int(text) <= MAX_PERFT:
        raise LimitsError(f"perft depth {quoted(text)}: expected 1..{MAX_PERFT}")
    return int(text)


def _parse_query(line: str, words: list[str]) -> Query:
    if len(words) != 1 or words[0] not in _QUERIES:
        raise CommandError(f"{quoted(line.strip())}: expected one of {', '.join(_QUERIES)}")
    return Query(cast(Literal["p1turn", "gameover", "result", "ratings"], words[0]))


def _parse_bench(line: str, words: list[str]) -> Bench:
    depths, sets = ([], words) if words[:1] and words[0] in BENCH_SETS else (words[:1], words[1:])
    good = all(_INTEGER.fullmatch(word) and 1 <= int(word) <= MAX_PERFT for word in depths)
    if not good or len(sets) > 1 or not set(sets) <= set(BENCH_SETS):
        raise CommandError(f"{quoted(line.strip())}: expected a depth 1..{MAX_PERFT}, one of the sets"
                           f" {', '.join(BENCH_SETS)}, both in this order, or no argument")
    return Bench(int(depths[0]) if depths else None, *sets)


_PARSERS: dict[str, Callable[[str, list[str]], Command]] = {
    "uci": _parse_greeting,
    "ugi": _parse_greeting,
    "debug": _parse_debug,
    "setoption": _parse_set_option,
    "position": _parse_position,
    "go": _parse_go,
    "query": _parse_query,
    "bench": _parse_bench,
}


# ---------------------------------------------------------------- usage
# The text that ``help`` prints.

OWN_COMMANDS = ("eval", "bench")
"""Commands that only the engine of this project has; each begins its line of the help."""
HELP = """\
{engine} plays Latrones and related games. It reads commands from standard input; protocol.md has the details.
  uci | ugi                              choose the dialect UCI or UGI; list the options
  setoption name N [value V]             set an option, for example: setoption name UCI_Variant value latrones
  isready                                answer readyok, also during a search
  ucinewgame (newgame, uginewgame)       start a new game
  position startpos|fen F [moves M ...]  set up a position, for example: position startpos moves d1d5
  go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
     [mate N] [infinite] [ponder] [searchmoves M ...]
                                         search; ends with bestmove (p1time, p2time, p1inc, p2inc: same as
                                         wtime, btime, winc, binc)
  go perft N                             count the sequences of N plies by first move
  stop | ponderhit                       stop the search; the opponent played the expected move
  wait                                   read on when the search has ended
  query p1turn|gameover|result           ask whose turn it is, whether the game is over, who won
  query ratings                          ask for the range of UCI_Elo that was measured for this game and board
  d                                      print the position
  eval                                   print the evaluation of the position
  bench [depth] [core|ludii|all]         search fixed positions; the node count is a signature of the engine
  debug on|off                           print more information
  help | quit"""


def render_help(engine: str = "latrones-uci", without: Collection[str] = ()) -> list[str]:
    """Return the lines that ``help`` prints for an engine that lacks some of ``OWN_COMMANDS``."""
    return [line for line in HELP.format(engine=engine).splitlines() if first_word(line) not in without]
