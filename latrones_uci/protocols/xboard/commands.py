"""The commands of CECP as values, and parsing lines of XBoard into them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, cast, get_args

from latrones_uci.game import MalformedMoveError
from latrones_uci.protocols.common import CommandError, UnknownCommandError
from latrones_uci.protocols.xboard.game import fen_of_xboard
from latrones_uci.text.messages import counted, quoted

Word = Literal["new", "force", "go", "playother", "?", ".", "hint", "undo", "remove", "analyze", "exit", "post",
               "nopost", "hard", "easy", "computer", "quit", "result", "ignored"]


class XBoardMove(NamedTuple):
    """A move as XBoard sends it, with the names of squares."""

    text: str
    """The move in the notation of the other dialects."""
    kills: tuple[str, ...]
    """The squares from which XBoard removes a piece on the way."""


@dataclass(frozen=True)
class Plain:
    """A command of one word; ``ignored`` stands for all commands that have no effect."""

    word: Word


@dataclass(frozen=True)
class Features:
    """``protover N``: asks for the features of the engine."""


@dataclass(frozen=True)
class Rejected:
    """``rejected FEATURE``."""

    feature: str


@dataclass(frozen=True)
class ChooseVariant:
    """``variant NAME``."""

    name: str


@dataclass(frozen=True)
class UserMove:
    """``usermove MOVE``; ``received`` is the word as received."""

    received: str
    move: XBoardMove


@dataclass(frozen=True)
class SetBoard:
    """``setboard FEN``; the FEN is in the form of the other dialects."""

    fen: str


@dataclass(frozen=True)
class Ping:
    """``ping N``."""

    number: str


@dataclass(frozen=True)
class Level:
    """``level MOVES BASE INCREMENT``."""

    moves_per_session: int
    base_ms: int
    increment_ms: int


@dataclass(frozen=True)
class Number:
    """``st``, ``sd``, ``time``, ``otim``, ``memory`` or ``cores`` with its number."""

    word: Literal["st", "sd", "time", "otim", "memory", "cores"]
    value: int


@dataclass(frozen=True)
class SetOption:
    """``option NAME[=VALUE]``."""

    name: str
    value: str | None


@dataclass(frozen=True)
class Touch:
    """``lift``, ``hover`` or ``put``: what a person does with a piece, and the name of the square."""

    word: Literal["lift", "hover", "put"]
    square: str


Command = (Plain | Features | Rejected | ChooseVariant | UserMove | SetBoard | Ping | Level | Number | SetOption
           | Touch)


# ---------------------------------------------------------------- parsing

IGNORED = ("xboard", "accepted", "random", "name", "rating", "ics", "draw", "bk")
"""Commands without effect, whatever follows them."""

_SQUARE = "[a-p](?:1[0-6]|[1-9])"
_PLACEMENT = re.compile(f"S@{_SQUARE}", re.ASCII)
_LEG = re.compile(f"({_SQUARE})({_SQUARE})", re.ASCII)
# XBoard reports the removal of a piece of the mover's own side as castling: "d7d5,e5c5" moves d7d5 and removes e5.
# The second target has no meaning and may even be outside the board.
_CASTLING = re.compile(rf"({_SQUARE})({_SQUARE}),({_SQUARE})[^,]+", re.ASCII)
_BASE = re.compile(r"([0-9]{1,6})(?::([0-5]?[0-9]))?", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,6}(?:\.[0-9]{0,6})?|\.[0-9]{1,6}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def parse_command(line: str) -> Command | None:
    """Parse a line; return None if it is blank.

    Raises:
        UnknownCommandError: the first word is not a command.
        CommandError: the arguments of the command are wrong.
        MalformedMoveError: the argument of ``usermove`` is not a move.
    """
    words = line.split()
    if not words:
        return None
    name, rest = words[0], words[1:]
    if name in IGNORED:
        return Plain("ignored")
    if name == "result":  # the arguments are for people
        return Plain("result")
    if name in get_args(Word) and name != "ignored":
        if rest:
            raise CommandError(f"{quoted(line.strip())}: unexpected argument {quoted(rest[0])}")
        return Plain(cast(Any, name))
    if name == "option":
        return _parse_option(line)
    if name == "setboard":
        return SetBoard(fen_of_xboard(" ".join(rest)))
    parser = _PARSERS.get(name)
    if parser is None:
        raise UnknownCommandError(f"{quoted(name)}: unknown command")
    count, read = parser
    if len(rest) != count:
        raise CommandError(f"{quoted(line.strip())}: {name} needs {counted(count, 'argument')}, not {len(rest)}")
    return read(name, rest)


def _parse_option(line: str) -> SetOption:
    name, equals, value = line.strip().removeprefix("option").partition("=")
    if not name.strip():
        raise CommandError(f"{quoted(line.strip())}: missing option name")
    return SetOption(" ".join(name.split()), value.strip() if equals else None)


def _parse_level(name: str, words: list[str]) -> Level:
    moves, base, increment = words
    minutes = _BASE.fullmatch(base)
    if not _NUMBER.fullmatch(moves) or int(moves) < 0 or not minutes or not _SECONDS.fullmatch(increment):
        given = quoted(" ".join([name, *words]))
        raise CommandError(f"{given}: expected a form such as 'level 40 5 0' or 'level 0 2:30 1.5'")
    base_ms = (int(minutes[1]) * 60 + int(minutes[2] or 0)) * 1000
    return Level(int(moves), base_ms, round(float(increment) * 1000))


def _parse_number(name: str, words: list[str]) -> Number:
    least = -(10**9) if name in ("time", "otim") else 1
    if not _NUMBER.fullmatch(words[0]) or int(words[0]) < least:
        wanted = "a number" if least < 0 else f"a number of at least {least}"
        raise CommandError(f"{quoted(' '.join([name, *words]))}: {name} needs {wanted}")
    return Number(cast(Any, name), int(words[0]))


def _parse_ping(name: str, words: list[str]) -> Ping:
    if not _NUMBER.fullmatch(words[0]):
        raise CommandError(f"{quoted(' '.join([name, *words]))}: {name} needs a number")
    return Ping(words[0])


def _parse_protover(name: str, words: list[str]) -> Features:
    _parse_ping(name, words)
    return Features()


# For each command, the number of arguments and the parser.
_PARSERS: dict[str, tuple[int, Callable[[str, list[str]], Command]]] = {
    "protover": (1, _parse_protover),
    "rejected": (1, lambda name, words: Rejected(words[0])),
    "variant": (1, lambda name, words: ChooseVariant(words[0])),
    "usermove": (1, lambda name, words: UserMove(words[0], parse_xboard_move(words[0]))),
    "ping": (1, _parse_ping),
    "level": (3, _parse_level),
    **dict.fromkeys(("st", "sd", "time", "otim", "memory", "cores"), (1, _parse_number)),
    **{word: (1, lambda name, words: Touch(cast(Any, name), words[0])) for word in ("lift", "hover", "put")},
}
COMMANDS = (*_PARSERS, "option", "setboard", *(word for word in get_args(Word) if word != "ignored"), *IGNORED)
"""The first words of all commands."""


def parse_xboard_move(text: str) -> XBoardMove:
    """Parse ``e5e4``, ``e5f4,f4e4``, ``e5f4,f4d4,d4e4``, ``d7d5,e5c5`` or ``S@e4``.

    Raises:
        MalformedMoveError: the text has another form.
    """
    if _PLACEMENT.fullmatch(text):
        return XBoardMove(text, ())
    legs = [match for match in map(_LEG.fullmatch, text.split(",")) if match]
    if len(legs) == text.count(",") + 1 <= 3 and all(one[2] == other[1] for one, other in pairwise(legs)):
        kills = tuple(leg[2] for leg in legs[:-1])
        return XBoardMove(legs[0][1] + legs[-1][2], kills)
    if match := _CASTLING.fullmatch(text):
        return XBoardMove(match[1] + match[2], (match[3],))
    raise MalformedMoveError(f"{quoted(text)}: not a move; expected a form such as 'd1d5' or 'd1e5,e5d5'")
