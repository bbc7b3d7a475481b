"""Parse the arguments of the commands of CECP; an error is a ``CommandError``, in a move a ``MalformedMoveError``."""

import re
from itertools import pairwise
from typing import NamedTuple

from latrones_uci.game import MalformedMoveError
from latrones_uci.protocols.common import CommandError
from latrones_uci.text.messages import quoted

_SQUARE = "[a-p](?:1[0-6]|[1-9])"
_PLACEMENT = re.compile(f"S@{_SQUARE}", re.ASCII)
_LEG = re.compile(f"({_SQUARE})({_SQUARE})", re.ASCII)
# XBoard reports the removal of a piece of the mover's own side as castling: "d7d5,e5c5" moves d7d5 and removes e5.
# The second target has no meaning and may even be outside the board.
_CASTLING = re.compile(rf"({_SQUARE})({_SQUARE}),({_SQUARE})[^,]+", re.ASCII)
_BASE = re.compile(r"([0-9]{1,6})(?::([0-5]?[0-9]))?", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,6}(?:\.[0-9]{0,6})?|\.[0-9]{1,6}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)


class XBoardMove(NamedTuple):
    """A move as XBoard sends it, with the names of squares."""

    text: str
    """The move in the notation of the other dialects."""
    kills: tuple[str, ...]
    """The squares from which XBoard removes a piece on the way."""


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


def parse_option(line: str) -> tuple[str, str | None]:
    """Parse ``option NAME[=VALUE]`` into name and value."""
    name, equals, value = line.strip().removeprefix("option").partition("=")
    if not name.strip():
        raise CommandError(f"{quoted(line.strip())}: missing option name")
    return " ".join(name.split()), value.strip() if equals else None


def parse_level(moves: str, base: str, increment: str) -> tuple[int, int, int]:
    """Parse ``level MOVES BASE INCREMENT`` into moves per session, milliseconds for them, and milliseconds per move."""
    minutes = _BASE.fullmatch(base)
    if not _NUMBER.fullmatch(moves) or int(moves) < 0 or not minutes or not _SECONDS.fullmatch(increment):
        given = quoted(f"level {moves} {base} {increment}")
        raise CommandError(f"{given}: expected a form such as 'level 40 5 0' or 'level 0 2:30 1.5'")
    base_ms = (int(minutes[1]) * 60 + int(minutes[2] or 0)) * 1000
    return int(moves), base_ms, round(float(increment) * 1000)


def parse_number(command: str, text: str, least: int | None = None) -> int:
    """Parse the number of a command, of at least ``least`` if that is given."""
    if not _NUMBER.fullmatch(text) or (least is not None and int(text) < least):
        wanted = "a number" if least is None else f"a number of at least {least}"
        raise CommandError(f"{quoted(f'{command} {text}')}: {command} needs {wanted}")
    return int(text)
