"""The commands of the protocol, as values."""

from dataclasses import dataclass
from typing import Literal

from latrones_uci.engine.limits import Limits
from latrones_uci.protocol import Dialect


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

    word: Literal["isready", "newgame", "stop", "ponderhit", "quit", "d", "eval", "help"]


Command = Greet | Debug | SetOption | SetPosition | Go | GoPerft | Query | Bench | Plain
