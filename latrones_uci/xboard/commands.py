"""The commands of XBoard, as values."""

from dataclasses import dataclass
from typing import Literal

from latrones_uci.xboard.moves import ToldMove

Word = Literal["new", "force", "go", "playother", "?", ".", "hint", "undo", "remove", "analyze", "exit", "post",
               "nopost", "hard", "easy", "computer", "quit", "result", "ignored"]


@dataclass(frozen=True)
class Plain:
    """A command that is one word; ``ignored`` stands for all that need nothing done."""

    word: Word


@dataclass(frozen=True)
class Features:
    """``protover N``: asks what the engine can do."""


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
    """``usermove MOVE``; ``told`` is the word as it came."""

    told: str
    move: ToldMove


@dataclass(frozen=True)
class SetBoard:
    """``setboard FEN``, the FEN in our form."""

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
    """``lift``, ``hover`` or ``put``: what a person does to the man of a square, by its name."""

    word: Literal["lift", "hover", "put"]
    square: str


Command = (Plain | Features | Rejected | ChooseVariant | UserMove | SetBoard | Ping | Level | Number | SetOption
           | Touch)
