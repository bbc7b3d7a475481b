"""Parse lines of XBoard into commands."""

import re
from collections.abc import Callable
from typing import Any, cast, get_args

from latrones_uci.game import counted, quoted
from latrones_uci.protocols.uci.parse import CommandError, UnknownCommandError
from latrones_uci.protocols.xboard.commands import (
    ChooseVariant,
    Command,
    Features,
    Level,
    Number,
    Ping,
    Plain,
    Rejected,
    SetBoard,
    SetOption,
    Touch,
    UserMove,
    Word,
)
from latrones_uci.protocols.xboard.moves import parse_told_move
from latrones_uci.protocols.xboard.variant_names import fen_of_xboard

IGNORED = ("xboard", "accepted", "random", "name", "rating", "ics", "draw", "bk")
"""Commands without effect, whatever follows them."""

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
        raise CommandError(f"{quoted(' '.join([name, *words]))}: ping needs a number")
    return Ping(words[0])


# For each command, the number of arguments and the parser.
_PARSERS: dict[str, tuple[int, Callable[[str, list[str]], Command]]] = {
    "protover": (1, lambda name, words: Features()),
    "rejected": (1, lambda name, words: Rejected(words[0])),
    "variant": (1, lambda name, words: ChooseVariant(words[0])),
    "usermove": (1, lambda name, words: UserMove(words[0], parse_told_move(words[0]))),
    "ping": (1, _parse_ping),
    "level": (3, _parse_level),
    **dict.fromkeys(("st", "sd", "time", "otim", "memory", "cores"), (1, _parse_number)),
    **{word: (1, lambda name, words: Touch(cast(Any, name), words[0])) for word in ("lift", "hover", "put")},
}
COMMANDS = (*_PARSERS, "option", "setboard", *(word for word in get_args(Word) if word != "ignored"), *IGNORED)
"""The first words of all commands."""
