"""Time controls and their keys on the command line, the clock of a player, and the limits of one search."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from reprlib import repr as shorten
from typing import NamedTuple

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Move
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import Dialect

TIME_CONTROL_KEYS = ("tc", "st", "depth", "nodes")

_UNLIMITED = "inf"
_SECONDS = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,3}))?", re.ASCII)


@dataclass(frozen=True)
class TimeControl:
    """The limits of a player. At most one of ``movetime_ms`` and ``base_ms`` is set; all limits that are set apply."""

    movetime_ms: int | None = None
    """Milliseconds for every move."""
    base_ms: int | None = None
    """Milliseconds on the clock at the start of a game; if 0, it starts with the increment."""
    increment_ms: int = 0
    """Milliseconds added to the clock after each ply of the player. Sides need not alternate."""
    depth: int | None = None
    """Depth limit in plies."""
    nodes: int | None = None
    """Node limit per search."""
    period_moves: int | None = None
    """Number of the player's plies after which ``base_ms`` is added again, None for never."""
    unlimited: bool = False
    """Whether there is no limit at all, and the engine itself decides when to answer."""

    @property
    def timed(self) -> bool:
        """Whether there is a time limit."""
        return self.movetime_ms is not None or self.base_ms is not None

    @property
    def start_ms(self) -> int | None:
        """Milliseconds on the clock before the first move; None without a clock."""
        return self.base_ms if self.base_ms is None else self.base_ms or self.increment_ms

    def pgn_tag(self) -> str:
        """Render the value of a PGN ``TimeControl`` tag.

        Returns:
            ``1+0.01``, ``40/60+0.1`` with periods of 40 moves, ``0.1/move``, or ``-`` without a time limit.
        """
        if self.movetime_ms is not None:
            return f"{_render_seconds(self.movetime_ms)}/move"
        if self.base_ms is None:
            return "-"
        period = "" if self.period_moves is None else f"{self.period_moves}/"
        return f"{period}{_render_seconds(self.base_ms)}+{_render_seconds(self.increment_ms)}"

    def to_text(self) -> str:
        """Render all limits as on the command line: ``tc=1+0.01 depth=6``."""
        named: list[str] = []
        if self.movetime_ms is not None:
            named.append(f"st={_render_seconds(self.movetime_ms)}")
        if self.base_ms is not None:
            named.append(f"tc={self.pgn_tag()}")
        if self.unlimited:
            named.append(f"tc={_UNLIMITED}")
        if self.depth is not None:
            named.append(f"depth={self.depth}")
        if self.nodes is not None:
            named.append(f"nodes={self.nodes}")
        return " ".join(named)

    @staticmethod
    def from_text(text: str) -> "TimeControl":
        """Parse the output of ``to_text``.

        Raises:
            SettingsError: an unknown key, a duplicate, or an invalid limit.
        """
        words: dict[str, str] = {}
        for word in text.split():
            key, _, value = word.partition("=")
            if key not in TIME_CONTROL_KEYS or not value or key in words:
                raise SettingsError(f"{quoted(word)}: expected a limit such as tc=1+0.01, st=0.1, depth=6, nodes=10000")
            words[key] = value
        return parse_time_control(words)


def parse_time_control(words: Mapping[str, str]) -> TimeControl:
    """Parse the limits of a player; keys other than ``TIME_CONTROL_KEYS`` are ignored.

    * ``st``: seconds per move, such as ``st=0.1``.
    * ``tc``: ``[MOVES/][[HOURS:]MINUTES:]SECONDS[+INCREMENT]``, seconds with at most three decimals, such as
      ``tc=1+0.01`` or ``tc=40/60+0.1``. The time is added again after each period of so many moves; 0 moves are the
      whole game. Without any time but the increment, the clock starts with it. ``tc=inf`` is no clock.
    * ``depth``, ``nodes``: integers from 1, with or without a time limit.

    Raises:
        SettingsError: a value is malformed, ``st`` is combined with ``tc``, or there is no limit.
    """
    if "st" in words and "tc" in words:
        raise SettingsError(f"{quoted('st=' + words['st'])} cannot be combined with {quoted('tc=' + words['tc'])}")
    movetime_ms = None if "st" not in words else _milliseconds("st", words["st"], words["st"], least=1)
    clock = _Clocked() if "tc" not in words else _parse_clock(words["tc"])
    depth, nodes = (_positive_integer(key, words[key]) if key in words else None for key in ("depth", "nodes"))
    unlimited = movetime_ms is None and clock.base_ms is None and depth is None and nodes is None
    if unlimited and "tc" not in words:
        raise SettingsError("an engine has no limit; expected st=, tc=, depth= or nodes=")
    return TimeControl(movetime_ms, clock.base_ms, clock.increment_ms, depth, nodes, clock.period_moves, unlimited)


class _Clocked(NamedTuple):
    base_ms: int | None = None
    increment_ms: int = 0
    period_moves: int | None = None


def _parse_clock(text: str) -> _Clocked:
    if text == _UNLIMITED:
        return _Clocked()
    moves, slash, rest = text.rpartition("/")
    if slash and not (moves.isascii() and moves.isdigit() and len(moves) <= 9):
        raise SettingsError(f"{quoted('tc=' + text)}: expected a number of moves before '/', not {quoted(moves)}")
    base, plus, increment = rest.partition("+")
    *larger, seconds = base.split(":")
    if len(larger) > 2:
        raise SettingsError(f"{quoted('tc=' + text)}: expected a time as [[HOURS:]MINUTES:]SECONDS")
    base_ms = _milliseconds("tc", text, seconds, least=0)
    for factor, part in zip((60, 3600), reversed(larger), strict=False):
        base_ms += factor * _milliseconds("tc", text, part, least=0)
    increment_ms = _milliseconds("tc", text, increment, least=0) if plus else 0
    if base_ms + increment_ms < 1:
        raise SettingsError(f"{quoted('tc=' + text)}: the clock stays at 0; expected a positive time or increment")
    return _Clocked(base_ms, increment_ms, int(moves or 0) or None)


def _milliseconds(key: str, text: str, seconds: str, least: int) -> int:
    match = _SECONDS.fullmatch(seconds)
    milliseconds = 1000 * int(match[1]) + int((match[2] or "").ljust(3, "0")) if match else -1
    if milliseconds < least:
        expected = f"{'a positive time' if least else 'a time'} in seconds with at most three decimals"
        if key == "tc" and seconds == text:
            expected += f", or {_UNLIMITED}"
        part = "" if seconds == text else f", not {quoted(seconds)}"
        raise SettingsError(f"{quoted(f'{key}={text}')}: expected {expected}{part}")
    return milliseconds


def _positive_integer(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
        raise SettingsError(f"{quoted(f'{key}={text}')}: expected an integer from 1")
    return int(text)


def _render_seconds(milliseconds: int) -> str:
    """Render seconds without trailing zeros: ``1``, ``0.1``, ``0.005``."""
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".")


NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
_MAX_DIGITS = 18
"""The digits of a number in the protocol."""
MAX_SECONDS = 1_000_000_000


class Clock:
    """The clock of one player in one game."""

    def __init__(self, control: TimeControl) -> None:
        """Set the clock for a new game."""
        self.control = control
        """The player's limits."""
        self.left_ns = None if control.start_ms is None else control.start_ms * NS_PER_MS
        """Nanoseconds left, None if the time control has no clock; negative only within the time margin."""
        self._plies = 0

    @property
    def moves_to_go(self) -> int | None:
        """The player's plies until time is added for the next period, None if none is."""
        moves = self.control.period_moves
        return None if moves is None else moves - self._plies % moves

    @property
    def left_ms(self) -> int | None:
        """The milliseconds left that an engine is sent, at least 1; None without a clock."""
        return None if self.left_ns is None else max(self.left_ns // NS_PER_MS, 1)

    @property
    def increment_ms(self) -> int | None:
        """The milliseconds added after each ply; None without a clock."""
        return None if self.left_ns is None else self.control.increment_ms

    def allowed_ns(self) -> int | None:
        """Return the time allowed for the next ply, None without a time limit."""
        if self.control.movetime_ms is not None:
            return self.control.movetime_ms * NS_PER_MS
        return self.left_ns

    def spend(self, elapsed_ns: int) -> None:
        """Subtract the time of a ply."""
        if self.left_ns is not None:
            self.left_ns -= elapsed_ns

    def add_increment(self) -> None:
        """Add the increment for a completed ply, and the time of the next period after the last ply of one."""
        self._plies += 1
        if self.left_ns is not None:
            moves = self.control.period_moves
            next_period_ms = (self.control.base_ms or 0) if moves and self._plies % moves == 0 else 0
            self.left_ns += (self.control.increment_ms + next_period_ms) * NS_PER_MS


@dataclass(frozen=True)
class Limit:
    """The limits of one search; without any, it runs until it is stopped.

    Raises:
        ValueError: a time that is not a number of seconds from 0, or a count that is not an integer from 1.
    """

    time: float | None = None
    """Seconds for this search."""
    depth: int | None = None
    """Maximum depth in plies."""
    nodes: int | None = None
    """Maximum number of nodes."""
    mate: int | None = None
    """Stop when a win in this many turns is found."""
    white_clock: float | None = None
    """Seconds left on White's clock."""
    black_clock: float | None = None
    """Seconds left on Black's clock."""
    white_inc: float | None = None
    """Seconds added to White's clock after each of its plies."""
    black_inc: float | None = None
    """Seconds added to Black's clock after each of its plies."""
    moves_to_go: int | None = None
    """Own plies until time is added to the clock, None if none is."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("depth", "nodes", "mate", "moves_to_go"):
            count = getattr(self, name)
            if count is not None and (type(count) is not int or not 1 <= count < 10**_MAX_DIGITS):
                raise ValueError(f"{name}: {shorten(count)} is not an integer from 1 of at most {_MAX_DIGITS} digits")
        for name in ("time", "white_clock", "black_clock", "white_inc", "black_inc"):
            seconds = getattr(self, name)
            if seconds is not None:
                check_seconds(name, seconds)

    def check_mover(self, side: int) -> None:
        """Check that there is a clock for the player to move (0 White, 1 Black) if there is anything about clocks.

        Raises:
            ValueError: that clock is missing.
        """
        own, other = ("black", "white") if side else ("white", "black")
        names = (f"{other}_clock", f"{own}_inc", f"{other}_inc", "moves_to_go")
        given = [f"{name}={getattr(self, name)!r}" for name in names if getattr(self, name) is not None]
        if given and getattr(self, f"{own}_clock") is None:
            raise ValueError(f"{', '.join(given)}: without {own}_clock, the clock of the player to move; expected both")

    def after(self, side: int, elapsed: float) -> "Limit":
        """Return the limits after a ply of a player (0 White, 1 Black) that took so many seconds."""
        clock, increment = ("black_clock", "black_inc") if side else ("white_clock", "white_inc")
        if (left := getattr(self, clock)) is None:
            return self
        left = max(left - elapsed, 0.0) + (getattr(self, increment) or 0.0)
        moves = None if self.moves_to_go is None or self.moves_to_go == 1 else self.moves_to_go - 1
        return replace(self, moves_to_go=moves, **{clock: min(left, MAX_SECONDS)})

    def without_times(self, side: int) -> tuple[object, ...]:
        """Return the limits of a player (0 White, 1 Black) without times on clocks, only whether it has a clock."""
        clock = self.black_clock if side else self.white_clock
        return self.time, self.depth, self.nodes, self.mate, clock is None

    def render_go(
        self, dialect: Dialect = Dialect.UCI, *, ponder: bool = False, root_moves: Sequence[Move] = ()
    ) -> str:
        """Render the ``go`` line. Times are rounded to milliseconds; clocks and times per move are at least 1 ms."""
        clocks = _whole_ms(self.white_clock, 1), _whole_ms(self.black_clock, 1)
        increments = _whole_ms(self.white_inc, 0), _whole_ms(self.black_inc, 0)
        others = _whole_ms(self.time, 1), self.moves_to_go, self.depth, self.nodes, self.mate
        line = _render_go(dialect, (*clocks, *increments, *others), ponder=ponder)
        return f"{line} searchmoves {' '.join(root_moves)}" if root_moves else line


def check_seconds(name: str, seconds: object) -> None:
    """Check a number of seconds.

    Raises:
        ValueError: it is not a number, or it is negative, infinite or far too large.
    """
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (is_number and 0 <= seconds <= MAX_SECONDS):  # type: ignore[operator]
        raise ValueError(f"{name}: {shorten(seconds)} is not a number of seconds from 0 to {MAX_SECONDS:,}")


def _whole_ms(seconds: float | None, least: int) -> int | None:
    return None if seconds is None else max(round(seconds * 1000), least)


_GO_NAMES = {
    dialect: (*dialect.clocks, *dialect.increments, "movetime", "movestogo", "depth", "nodes", "mate")
    for dialect in Dialect
}


def _render_go(dialect: Dialect, values: Sequence[int | None], *, ponder: bool) -> str:
    """Render a ``go`` line with the values of ``_GO_NAMES`` that are not None; without any, an infinite search."""
    named = zip(_GO_NAMES[dialect], values, strict=True)
    line = "".join([f" {name} {value}" for name, value in named if value is not None])
    return f"go{' ponder' if ponder else ''}{line or ' infinite'}"


def clock_limit(side: int, clocks: tuple[Clock, Clock]) -> Limit:
    """Return the limits of the next search of a player (0 White, 1 Black), with both clocks if the player has one."""
    *times_ms, moves_to_go, depth, nodes, mate = _limits(side, clocks)
    white, black, white_inc, black_inc, movetime = (None if value is None else value / 1000 for value in times_ms)
    return Limit(movetime, depth, nodes, mate, white, black, white_inc, black_inc, moves_to_go)


def _limits(side: int, clocks: tuple[Clock, Clock]) -> tuple[int | None, ...]:
    """Return the limits of the next search of a player, in the order of ``_GO_NAMES``; times in milliseconds."""
    control = clocks[side].control
    times: tuple[int | None, ...] = (None, None, None, None)
    if control.base_ms is not None:
        white, black = clocks
        times = (white.left_ms, black.left_ms, white.increment_ms, black.increment_ms)
    return (*times, control.movetime_ms, clocks[side].moves_to_go, control.depth, control.nodes, None)


def render_go(side: int, clocks: tuple[Clock, Clock], dialect: Dialect, *, ponder: bool = False) -> str:
    """Render the ``go`` line of a player in a game.

    An unlimited search is a plain ``go``, because ``go infinite`` would forbid the engine to answer before ``stop``.
    """
    if clocks[side].control.unlimited:
        return "go ponder" if ponder else "go"
    return _render_go(dialect, _limits(side, clocks), ponder=ponder)
