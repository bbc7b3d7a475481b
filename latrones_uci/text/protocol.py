"""Terms that both sides of the protocol share: the dialects, and the words for "no move". See protocol.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import total_ordering
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from latrones_uci.text.messages import wrong_type

NO_MOVE = "0000"
"""The answer of an engine that has no legal move."""
NO_MOVE_TEXTS = frozenset({NO_MOVE, "(none)", "none", "NULL"})
"""The forms of ``NO_MOVE`` that other engines use."""
RESIGNATION = "resign"
"""The word after ``bestmove`` by which an engine resigns."""


class Dialect(Enum):
    """The dialect of a session; the value is the greeting that starts it."""

    UCI = "uci"
    """The Universal Chess Interface, with White and Black."""
    UGI = "ugi"
    """The Universal Game Interface, with players ``p1`` and ``p2``."""

    @property
    def greeted(self) -> str:
        """The line that ends the engine's answer to the greeting."""
        return f"{self.value}ok"

    @property
    def new_game(self) -> str:
        """The command that announces a new game."""
        return f"{self.value}newgame"

    @property
    def clocks(self) -> tuple[str, str]:
        """The words for the remaining time of White and Black in a ``go`` line."""
        return ("wtime", "btime") if self is Dialect.UCI else ("p1time", "p2time")

    @property
    def increments(self) -> tuple[str, str]:
        """The words for the increments of White and Black in a ``go`` line."""
        return ("winc", "binc") if self is Dialect.UCI else ("p1inc", "p2inc")


Bound = Literal["", "lower", "upper"]

WhiteScore: TypeAlias = int | str | None
"""A score from White's point of view as the JSON data of the pages has it: centi-soldiers, ``#3`` or ``#-3`` if White
or Black wins in three of its own turns, None if it is unknown."""


_OPPOSITE: dict[Bound, Bound] = {"": "", "lower": "upper", "upper": "lower"}
_BOUND_ORDER: dict[Bound, int] = {"upper": -1, "": 0, "lower": 1}
_INTEGERS = (int, type(None))


Checked = TypeVar("Checked")


def with_checked(kind: type[Checked], values: Mapping[str, object]) -> Checked:
    """Return an object of a dataclass whose fields have been checked, several times faster than its constructor does.

    The fields must have defaults, which are those of the class.
    """
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made


def _check_integers(values: object, *names: str) -> None:
    """Raise TypeError for a value that is neither an integer nor None."""
    for name in names:
        value = getattr(values, name)
        if type(value) not in _INTEGERS:
            raise wrong_type(name, value, "an integer or None")


@total_ordering
@dataclass(frozen=True)
class Score:
    """A score from the point of view of one player: in a ``SearchInfo``, of the player to move.

    Without any value it is unknown.

    Scores are ordered from a lost game to a won one: ``-M0 < -M1 < -M5 < -2.00 < +0.35 < +M5 < +M1 < +M0``. Of equal
    values, an upper bound is less than the exact score, and that is less than a lower bound. Comparing an unknown score
    raises a ``ValueError``.
    """

    cp: int | None = None
    """Centi-soldiers; None if the score is a proven win or loss."""
    mate: int | None = None
    """Turns of the winner until the game is won, positive if the player wins, negative if it loses; 0 if it loses
    before the other side has another turn, see also ``won``."""
    bound: Bound = ""
    """"" for an exact score, ``lower`` if the true score is at least this, ``upper`` if it is at most this."""
    won: bool = False
    """Whether ``mate`` is 0 from the winner's point of view."""

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            TypeError: a value has another type.
            ValueError: there are two values, or ``bound`` is unknown.
        """
        if type(self.cp) not in _INTEGERS or type(self.mate) not in _INTEGERS:  # cheap, as each info line makes a score
            _check_integers(self, "cp", "mate")
        if type(self.won) is not bool:
            raise wrong_type("won", self.won, "a bool")
        if self.cp is not None and self.mate is not None:
            raise ValueError(f"cp {self.cp}, mate {self.mate}: expected one of them")
        if self.bound not in _OPPOSITE:
            raise ValueError(f"bound {self.bound!r}: expected one of '', 'lower', 'upper'")

    def __str__(self) -> str:
        """Return the score in soldiers, such as ``+0.35``, a forced win or loss such as ``+M3``, or ``?``."""
        if self.mate is not None:
            return f"{'+' if self._wins else '-'}M{abs(self.mate)}"
        return "?" if self.cp is None else f"{self.cp / 100:+.2f}"

    def __neg__(self) -> "Score":
        """Return the score from the other player's point of view."""
        cp, mate = (None if value is None else -value for value in (self.cp, self.mate))
        return Score(cp, mate, _OPPOSITE[self.bound], won=self.mate == 0 and not self.won)

    def __lt__(self, other: "Score") -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self._order < other._order

    def number(self, mate: int = 100_000) -> int:
        """Return the score as one number in centi-soldiers, in the order of scores; ``bound`` does not count.

        Args:
            mate: the value of a game that is won. A win in N turns is ``mate - N``, a loss in N turns ``N - mate``. It
                should be above every ``cp``: endgame tables count up to 20,000.

        Raises:
            ValueError: the score is unknown, or ``mate`` is not above its turns.
            TypeError: ``mate`` is not an integer.
        """
        if type(mate) is not int:
            raise TypeError(f"mate {mate!r}: {type(mate).__name__}; expected an integer")
        if self.mate is not None:
            turns = abs(self.mate)
            if mate <= turns:
                raise ValueError(f"mate {mate}: not above the {turns} turns of the score; expected a larger number")
            return mate - turns if self._wins else turns - mate
        if self.cp is None:
            raise ValueError("score '?': unknown; only known scores are numbers")
        return self.cp

    def white(self, side: int) -> "Score":
        """Return the score from White's point of view; ``side`` is the player whose score it is, 0 White, 1 Black.

        Raises:
            ValueError: there is no such player.
        """
        if side not in (0, 1):
            raise ValueError(f"side {side!r}: expected 0 (White) or 1 (Black)")
        return -self if side else self

    def for_white(self, side: int) -> WhiteScore:
        """Return the score from White's point of view as JSON data; see ``white``."""
        score = self.white(side)
        return score.cp if score.mate is None else f"#{'' if score._wins else '-'}{abs(score.mate)}"

    @property
    def _wins(self) -> bool:
        return self.won or (self.mate or 0) > 0

    @property
    def _order(self) -> tuple[int, int, int]:
        """What scores are compared by: lost, undecided or won; the value; the bound."""
        if self.mate is not None:
            return (1 if self._wins else -1), -self.mate, _BOUND_ORDER[self.bound]
        if self.cp is None:
            raise ValueError("score '?': unknown; only known scores can be compared")
        return 0, self.cp, _BOUND_ORDER[self.bound]


@dataclass(frozen=True)
class SearchInfo:
    """What an ``info`` line says about one line of a search; None where it says nothing."""

    depth: int | None = None
    """Nominal depth, in plies."""
    seldepth: int | None = None
    """Greatest ply reached, quiescence included."""
    multipv: int = 1
    """Rank of the line, from 1."""
    score: Score = Score()
    """Score of the line."""
    nodes: int | None = None
    """Positions searched so far."""
    hashfull: int | None = None
    """Transposition table entries written by this search, per mille."""
    pv: tuple[str, ...] = ()
    """The line, as move texts."""
    time_ms: int | None = None
    """Milliseconds since the search began, by the engine's clock."""
    wdl: tuple[int, int, int] | None = None
    """Chances of a win, a draw and a loss of the player to move, per mille."""
    tbhits: int | None = None
    """Positions found in endgame tables, None without tables."""
    reported_nps: int | None = None
    """Nodes per second by the engine's own measurement."""

    def __post_init__(self) -> None:
        """Check the types.

        Raises:
            TypeError: a value has another type.
        """
        _check_integers(self, "depth", "seldepth", "nodes", "hashfull", "time_ms", "tbhits", "reported_nps")
        if type(self.multipv) is not int:
            raise wrong_type("multipv", self.multipv, "an integer")
        if not isinstance(self.score, Score):
            raise wrong_type("score", self.score, "a Score")
        if not isinstance(self.pv, tuple) or not all(isinstance(move, str) for move in self.pv):
            raise wrong_type("pv", self.pv, "a tuple of moves")
        if self.wdl is not None and (not isinstance(self.wdl, tuple) or [type(each) for each in self.wdl] != 3 * [int]):
            raise wrong_type("wdl", self.wdl, "a tuple of three integers or None")

    @property
    def nps(self) -> int | None:
        """Nodes per second: as the engine reports them, else of ``nodes`` and ``time_ms``; None if they are unknown."""
        if self.reported_nps is not None or self.nodes is None or not self.time_ms:
            return self.reported_nps
        return self.nodes * 1000 // self.time_ms


class BestMove(NamedTuple):
    """What a ``bestmove`` line says."""

    move: str = NO_MOVE
    """Its text; ``0000`` if there is no legal move, empty if the line names none."""
    ponder: str | None = None
    """The expected reply, None if there is none."""
