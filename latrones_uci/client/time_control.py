"""How long and how far a player may think, and its words on the command line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import quoted
from latrones_uci.protocol import Dialect

TIME_CONTROL_KEYS = ("tc", "st", "depth", "nodes")

_SECONDS = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,3}))?", re.ASCII)


@dataclass(frozen=True)
class TimeControl:
    """The limits of one player's search. Either ``movetime_ms`` or ``base_ms`` or neither; the others add to them.

    Attributes:
        movetime_ms: milliseconds for every move.
        base_ms: milliseconds on the clock at the start of a game.
        increment_ms: milliseconds added to the clock after each ply of its player. Sides need not alternate.
        depth: depth limit in plies.
        nodes: limit of positions searched.
    """

    movetime_ms: int | None = None
    base_ms: int | None = None
    increment_ms: int = 0
    depth: int | None = None
    nodes: int | None = None

    @property
    def timed(self) -> bool:
        """Whether a move can be late."""
        return self.movetime_ms is not None or self.base_ms is not None

    def pgn_tag(self) -> str:
        """The value of a PGN ``TimeControl`` tag: ``1+0.01``, ``0.1/move``, or ``-`` without a limit of time."""
        if self.movetime_ms is not None:
            return f"{_render_seconds(self.movetime_ms)}/move"
        if self.base_ms is None:
            return "-"
        return f"{_render_seconds(self.base_ms)}+{_render_seconds(self.increment_ms)}"

    def to_text(self) -> str:
        """All limits in the words of the command line: ``tc=1+0.01 depth=6``."""
        named: list[str] = []
        if self.movetime_ms is not None:
            named.append(f"st={_render_seconds(self.movetime_ms)}")
        if self.base_ms is not None:
            named.append(f"tc={self.pgn_tag()}")
        if self.depth is not None:
            named.append(f"depth={self.depth}")
        if self.nodes is not None:
            named.append(f"nodes={self.nodes}")
        return " ".join(named)

    @staticmethod
    def from_text(text: str) -> "TimeControl":
        """Reads what ``to_text`` writes.

        Raises:
            SettingsError: a word that is none of these, or an impossible limit.
        """
        words: dict[str, str] = {}
        for word in text.split():
            key, _, value = word.partition("=")
            if key not in TIME_CONTROL_KEYS or not value or key in words:
                raise SettingsError(f"{quoted(word)} is not a limit such as tc=1+0.01, st=0.1, depth=6 or nodes=10000")
            words[key] = value
        return parse_time_control(words)


def parse_time_control(words: Mapping[str, str]) -> TimeControl:
    """Reads the limits of a player; keys other than ``TIME_CONTROL_KEYS`` are not looked at.

    * ``st``: seconds per move, ``st=0.1``.
    * ``tc``: ``[MINUTES:]SECONDS[+INCREMENT]``, seconds with at most three decimals, ``tc=1+0.01``.
    * ``depth``, ``nodes``: whole numbers from 1, alone or beside either of the former.

    Raises:
        SettingsError: a malformed value, ``st`` together with ``tc``, or no limit at all.
    """
    if "st" in words and "tc" in words:
        raise SettingsError(f"{quoted('st=' + words['st'])} and {quoted('tc=' + words['tc'])} exclude each other")
    movetime_ms = base_ms = None
    increment_ms = 0
    if "st" in words:
        movetime_ms = _milliseconds("st", words["st"], words["st"], least=1)
    if "tc" in words:
        base_ms, increment_ms = _base_and_increment(words["tc"])
    depth, nodes = (_whole_number(key, words[key]) if key in words else None for key in ("depth", "nodes"))
    if movetime_ms is None and base_ms is None and depth is None and nodes is None:
        raise SettingsError("an engine has no limit: give st=, tc=, depth= or nodes=")
    return TimeControl(movetime_ms, base_ms, increment_ms, depth, nodes)


def _base_and_increment(text: str) -> tuple[int, int]:
    if "/" in text:
        raise SettingsError(f"{quoted('tc=' + text)}: moves per session are not supported")
    base, _, increment = text.partition("+")
    minutes, colon, seconds = base.rpartition(":")
    base_ms = _milliseconds("tc", text, seconds, least=0)
    if colon:
        base_ms += 60 * _milliseconds("tc", text, minutes, least=0)
    if base_ms < 1:
        raise SettingsError(f"{quoted('tc=' + text)}: the clock starts at 0")
    return base_ms, _milliseconds("tc", text, increment, least=0) if "+" in text else 0


def _milliseconds(key: str, text: str, seconds: str, least: int) -> int:
    match = _SECONDS.fullmatch(seconds)
    milliseconds = 1000 * int(match[1]) + int((match[2] or "").ljust(3, "0")) if match else -1
    if milliseconds < least:
        wanted = f"a time in seconds{' above 0' if least else ''}, with at most three decimals"
        raise SettingsError(f"{quoted(f'{key}={text}')}: {quoted(seconds)} is not {wanted}")
    return milliseconds


def _whole_number(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
        raise SettingsError(f"{quoted(f'{key}={text}')} is not a whole number from 1")
    return int(text)


def _render_seconds(milliseconds: int) -> str:
    """Seconds without needless zeros: ``1``, ``0.1``, ``0.005``."""
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".")


# ---------------------------------------------------------------- clock
# The clock of a player, and the ``go`` line that tells it.


_NS_PER_MS = 1_000_000


class Clock:
    """The time of one player in one game.

    Attributes:
        control: the limits it counts by.
        left_ns: nanoseconds left, None where the control has no clock; below 0 only by what a margin forgave.
    """

    def __init__(self, control: TimeControl) -> None:
        """Sets the clock for a new game."""
        self.control = control
        self.left_ns = None if control.base_ms is None else control.base_ms * _NS_PER_MS

    def allowed_ns(self) -> int | None:
        """How long the next ply may take, None where time is not limited."""
        if self.control.movetime_ms is not None:
            return self.control.movetime_ms * _NS_PER_MS
        return self.left_ns

    def spend(self, elapsed_ns: int) -> None:
        """Takes the time of a ply off the clock."""
        if self.left_ns is not None:
            self.left_ns -= elapsed_ns

    def add_increment(self) -> None:
        """Adds what a completed ply earns."""
        if self.left_ns is not None:
            self.left_ns += self.control.increment_ms * _NS_PER_MS


@dataclass(frozen=True)
class Limit:
    """What bounds one search; without any limit it is endless.

    Attributes:
        time: seconds for this search.
        depth: plies.
        nodes: positions searched.
        mate: stop at a win in this many turns.
        white_clock: seconds left on White's clock.
        black_clock: seconds left on Black's clock.
        white_inc: seconds added to White's clock after each of its plies.
        black_inc: seconds added to Black's clock after each of its plies.

    Raises:
        ValueError: a negative time, or a count below 1.
    """

    time: float | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    white_clock: float | None = None
    black_clock: float | None = None
    white_inc: float | None = None
    black_inc: float | None = None

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("depth", "nodes", "mate"):
            count = getattr(self, name)
            if count is not None and (type(count) is not int or count < 1):
                raise ValueError(f"{name}: {count!r} is not an integer from 1")
        for name in ("time", "white_clock", "black_clock", "white_inc", "black_inc"):
            seconds = getattr(self, name)
            if seconds is not None and not 0 <= seconds < 1e9:
                raise ValueError(f"{name}: {seconds!r} is not a number of seconds from 0")

    def render_go(self, dialect: Dialect = Dialect.UCI) -> str:
        """Return the ``go`` line; times in whole milliseconds, those of a clock or a move at least 1."""
        words = ["go"]
        for names, values, least in (
            (dialect.clocks, (self.white_clock, self.black_clock), 1),
            (dialect.increments, (self.white_inc, self.black_inc), 0),
            (("movetime",), (self.time,), 1),
        ):
            for name, seconds in zip(names, values, strict=True):
                if seconds is not None:
                    words += [name, str(max(round(seconds * 1000), least))]
        for name in ("depth", "nodes", "mate"):
            if (count := getattr(self, name)) is not None:
                words += [name, str(count)]
        return " ".join(words if len(words) > 1 else ["go", "infinite"])


def clock_limit(side: int, clocks: tuple[Clock, Clock]) -> Limit:
    """Return what bounds the next search of the player ``side`` (0 White, 1 Black); both clocks, if it has one."""
    control = clocks[side].control
    lefts: list[float | None] = [None, None]
    increments: list[float | None] = [None, None]
    if control.base_ms is not None:
        for player, clock in enumerate(clocks):
            if clock.left_ns is not None:
                lefts[player] = max(clock.left_ns // _NS_PER_MS, 1) / 1000
                increments[player] = clock.control.increment_ms / 1000
    movetime_s = None if control.movetime_ms is None else control.movetime_ms / 1000
    return Limit(movetime_s, control.depth, control.nodes, None, *lefts, *increments)
