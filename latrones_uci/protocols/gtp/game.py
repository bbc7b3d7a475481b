"""A game as GTP plays it: a move is a sequence of points, and the side to move stays until it is complete.

A soldier moves by its point and the point where it goes, a chain by all its points. A placement and the capture of a
bound soldier are one point each. ``pass`` ends a chain that could go on; where the rules make a player pass, it is the
whole move. The sequences of two legal moves of a position always differ.

Point names have no letter I, so file ``i`` of these games is ``J``.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from latrones_uci.game import BLACK, SIDE_NAMES, WHITE, Game, Geometry, IllegalMoveError, Move, Position
from latrones_uci.protocols.common import CommandError
from latrones_uci.text.messages import quoted

LETTERS = "ABCDEFGHJKLMNOPQR"
PASS = "pass"
COLOURS = {"w": WHITE, "white": WHITE, "b": BLACK, "black": BLACK}

Point = int | None
"""A square by its number, or None for a pass."""


def parse_colour(text: str) -> int:
    """Parse ``b``, ``w``, ``black`` or ``white``, in any case, as a side.

    Raises:
        CommandError: the text is something else.
    """
    side = COLOURS.get(text.lower())
    if side is None:
        raise CommandError(f"invalid color {quoted(text)}; expected black or white")
    return side


def point_name(geometry: Geometry, point: Point) -> str:
    """Return the name of a point, such as ``J5``, or ``pass``."""
    if point is None:
        return PASS
    rank, file = divmod(point, geometry.files)
    return f"{LETTERS[file]}{rank + 1}"


def parse_point(geometry: Geometry, text: str) -> Point:
    """Parse the name of a point, or ``pass``, in any case.

    Raises:
        CommandError: the text is something else, or the point is not on the board.
    """
    if text.lower() == PASS:
        return None
    file, rank = LETTERS.find(text[:1].upper()), text[1:]
    if file < 0 or not rank.isascii() or not rank.isdigit() or len(rank) > 2 or rank.startswith("0"):
        raise CommandError(f"invalid coordinate {quoted(text)}; expected a form such as 'D5', or 'pass'")
    if file >= geometry.files or int(rank) > geometry.ranks:
        raise CommandError(f"invalid coordinate {quoted(text)}: not on the {geometry.name} board")
    return (int(rank) - 1) * geometry.files + file


def points_of(move: Move) -> tuple[Point, ...]:
    return move.squares or (None,)


class _Entry(NamedTuple):
    """The state before a command ``play`` or ``genmove``, to which ``undo`` returns."""

    plies: int
    chosen: tuple[Point, ...]


class PointGame:
    """A game that is played point by point."""

    def __init__(self, start: Position) -> None:
        self.game = Game(start)
        """The complete moves so far; read only."""
        self.chosen: tuple[Point, ...] = ()
        """The points of the move that is not complete yet."""
        self._entries: list[_Entry] = []
        self._sequences: tuple[Position, dict[tuple[Point, ...], Move]] | None = None

    @property
    def position(self) -> Position:
        return self.game.position

    @property
    def captured(self) -> tuple[int, int]:
        """Number of pieces that White and Black have captured."""
        counts = [0, 0]
        for before, after in pairwise(self.game.positions):
            counts[before.side] += len(before.lifted(after))
        return counts[0], counts[1]

    def sequences(self) -> dict[tuple[Point, ...], Move]:
        """Return the legal moves by their points, those that begin with the chosen ones; none if the game is over."""
        position = self.position
        if self._sequences is None or self._sequences[0] is not position:
            self._sequences = position, {points_of(move): move for move in self.game.legal_moves()}
        size = len(self.chosen)
        return {points: move for points, move in self._sequences[1].items() if points[:size] == self.chosen}

    def legal_points(self) -> list[Point]:
        """Return the points that may be played, in ascending order, and a pass last if it may be played."""
        size, sequences = len(self.chosen), self.sequences()
        following = {points[size] for points in sequences if len(points) > size}
        points: list[Point] = [*sorted(point for point in following if point is not None)]
        return [*points, None] if None in following or (self.chosen and self.chosen in sequences) else points

    def play(self, side: int, point: Point) -> None:
        """Play a point; the move is made when it is complete.

        A pass of the side that is not to move, or after the end of the game, changes nothing. With it, programs that
        ask both sides by turns can play these games.

        Raises:
            IllegalMoveError: it is not the turn of the side, or the point may not be played.
        """
        entry, position, outcome = _Entry(len(self.game.moves), self.chosen), self.position, self.game.outcome()
        if point is not None or (side == position.side and outcome is None):
            name = point_name(position.geometry, point)
            if outcome is not None:
                raise IllegalMoveError(f"illegal move {name}: the game is over ({outcome})")
            if side != position.side:
                raise IllegalMoveError(f"illegal move {name}: it is {SIDE_NAMES[position.side]}'s turn")
            if point not in self.legal_points():
                raise IllegalMoveError(f"illegal move {name}: not legal {self._where()}")
            self._add(point)
        self._entries.append(entry)

    def _add(self, point: Point) -> None:
        """Add a legal point to the move, and make the move if it is complete."""
        ended = point is None and bool(self.chosen)
        if not ended:
            self.chosen = (*self.chosen, point)
        sequences = self.sequences()
        if ended or (self.chosen in sequences and len(sequences) == 1):
            self.game.push(sequences[self.chosen])
            self.chosen = ()

    def _where(self) -> str:
        names = " ".join(point_name(self.position.geometry, point) for point in self.chosen)
        return f"after {names}" if names else f"in '{self.position.fen()}'"

    def undo(self, count: int = 1) -> None:
        """Take back points. Raises CommandError: fewer were played."""
        if count > len(self._entries):
            raise CommandError(f"cannot undo: {len(self._entries)} points were played")
        for _ in range(count):
            entry = self._entries.pop()
            while len(self.game.moves) > entry.plies:
                self.game.pop()
            self.chosen = entry.chosen

    def rest_of(self, move: Move) -> list[Point]:
        """Return the points that complete a legal move, with the pass that ends a chain which could go on."""
        points = points_of(move)
        longer = any(len(other) > len(points) and other[:len(points)] == points for other in self.sequences())
        return [*points[len(self.chosen):], *([None] if longer else [])]


def move_points(geometry: Geometry, points: Sequence[Point]) -> str:
    """Return a move as text for people, such as ``D1-D5``."""
    return "-".join(point_name(geometry, point) for point in points)
