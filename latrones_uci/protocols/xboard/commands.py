"""The commands of CECP, as values."""

from dataclasses import dataclass
from typing import Literal

from latrones_uci.protocols.xboard.moves import ToldMove

Word = Literal["new", "force", "go", "playother", "?", ".", "hint", "undo", "remove", "analyze", "exit", "post",
               "nopost", "hard", "easy", "computer", "quit", "result", "ignored"]


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
    """``usermove MOVE``; ``told`` is the word as received."""

    told: str
    move: ToldMove


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
