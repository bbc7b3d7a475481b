"""The game as XBoard has it: variants by its names, the pieces that it shows, and its clock."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.game import BLACK, Game, IllegalMoveError, LatronesError, Move, Position, Ruleset, VariantError
from latrones_uci.text.messages import quoted

SIZES = ((8, 8), (10, 8), (12, 8))
"""Board sizes that are offered besides the default one, if the game allows them."""
RENUMBERED_RANKS = 10
"""XBoard numbers ranks from 0 on boards with this many ranks."""

_SIZED = re.compile(r"(.+)-([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
# Piece letters for XBoard's pictures, White's and then Black's: the fourth is the rook, the fifth the queen. The last
# place is the king, which XBoard allows to castle. Without this table, XBoard uses pawns and kings.
_PICTURES = "(...SD..........sd.......)"
# XBoard 4.9.1 takes a name for a chess variant if it contains a word of the first group, or starts with a whole word of
# the second.
_CHESS = re.compile(
    "normal|wildcastle|nocastle|fischerandom|bughouse|crazyhouse|losers|suicide|giveaway|twokings|kriegspiel|atomic|3check"
    "|shatranj|wild29|wild3[0-6]"
    "|^(?:shogi|chu|courier|gothic|capablanca|knightmate|fairy|cylinder|falcon|caparandom|berolina|janus|super|great"
    "|twilight|makruk|seirawan|grand|spartan|xiangqi|asean|lion|elven|unknown)(?![a-z])",
    re.ASCII | re.IGNORECASE,
)
_BETZA = {"slide": "mR", "step": "mW"}
_BETZA_IN_ALL_DIRECTIONS = {"step": "mK"}
_HAND = re.compile(r"\[([^]]*)\]", re.ASCII)


def why_not_shown(ruleset: Ruleset) -> str | None:
    """Return why XBoard cannot show a game correctly, or None.

    In XBoard, a move takes a piece from one square, or from the hand, to another square, and turns alternate strictly.
    In games with a hand, XBoard adds captured pieces to it; so the only such game on offer is rota, where nothing is
    captured.
    """
    if ruleset.capture_effect == "bind":
        return "soldiers are bound where they stand"
    if ruleset.soldier_jump == "chain" or ruleset.capture_chain != "none":
        return "a move may have several legs"
    if ruleset.no_move == "pass":
        return "a player without a legal move passes"
    if ruleset.setup == "placement" and ruleset.board != "wheel":
        return "pieces are placed and captured"
    return None


def offered(rulesets: Mapping[str, Ruleset]) -> dict[str, tuple[Ruleset, tuple[int, int]]]:
    """Return game and size by XBoard's name: ``latrones`` for the default board, ``latrones-12x8`` for another."""
    found = {}
    for name, ruleset in rulesets.items():
        if why_not_shown(ruleset) is not None:
            continue
        for size in dict.fromkeys((ruleset.default_size, *SIZES)):
            usual = size == ruleset.default_size
            own = name if usual else f"{name}-{size[0]}x{size[1]}"
            if size[1] != RENUMBERED_RANKS and _allows(ruleset, size) and not _CHESS.search(own):
                found[own] = (ruleset, size)
    return found


def find_offered(rulesets: Mapping[str, Ruleset], name: str) -> tuple[Ruleset, tuple[int, int]]:
    """Return the game and size for one of XBoard's names.

    Raises:
        VariantError: the name is not offered; the message says why.
    """
    found = offered(rulesets).get(name)
    if found is not None:
        return found
    match = _SIZED.fullmatch(name)
    ruleset = rulesets.get(name) or (rulesets.get(match[1]) if match else None)
    if ruleset is None:
        raise VariantError(f"unknown game {quoted(name)}")
    why = why_not_shown(ruleset) or ("XBoard takes the name for chess" if _CHESS.search(name) else "not on this board")
    raise VariantError(f"{quoted(name)} is not offered: {why}")


def render_setup(start: Position) -> list[str]:
    """Return pictures, size and start of a game for XBoard, and roughly how its pieces move."""
    ruleset, geometry = start.ruleset, start.geometry
    parent = "1_crazyhouse" if ruleset.setup == "placement" else "0_fairy"  # one kind of piece in hand, or none
    lines = [f"setup {_PICTURES} {geometry.name}+{parent} {xboard_fen(start)}"]
    betza = _BETZA if ruleset.directions == "orthogonal" else _BETZA_IN_ALL_DIRECTIONS
    if ruleset.board == "grid":  # the wheel cannot be described, but XBoard obeys the highlighted squares
        lines.append(f"piece S& {betza[ruleset.soldier_move]}")
    if ruleset.dux != "none":
        lines.append(f"piece D& {betza[ruleset.dux_move]}")
    return lines


def xboard_fen(position: Position) -> str:
    """Return the position with the fields that XBoard expects: no castling, no en passant."""
    board, side, nocapture, movenumber = position.fen().split()
    if position.ruleset.setup == "placement":
        hand = "".join(man * count for man, count in position.hand.items())
        board = f"{board.partition('[')[0]}[{hand}]"
    return f"{board} {side} - - {nocapture} {movenumber}"


def fen_of_xboard(text: str) -> str:
    """Convert a FEN of XBoard: drop castling and en passant, count the pieces in hand."""
    fields = _HAND.sub(_counted, text).split()
    return " ".join(fields[:2] + fields[4:6])


def _counted(hand: re.Match[str]) -> str:
    counts = Counter(hand[1].replace("-", ""))
    return f"[{''.join(f'{count}{man}' for man, count in counts.items()) or '-'}]"


def _allows(ruleset: Ruleset, size: tuple[int, int]) -> bool:
    try:
        ruleset.check_size(*size)
    except LatronesError:
        return False
    return True


# ---------------------------------------------------------------- captured pieces that XBoard still shows
#
# With one move, XBoard removes at most two pieces from squares where the moving piece does not land. It writes them as
# squares on the way: `e5xf4xd4-e4` removes the pieces on f4 and d4 and moves from e5 to e4. Any further captured piece
# stays on XBoard's board, as a leftover, until one of the next moves of either side removes it.

MAX_KILLS = 2


class Leftover(NamedTuple):
    """A captured piece that XBoard still shows."""

    square: int
    man: str

    @property
    def side(self) -> int:
        return BLACK if self.man.islower() else 1 - BLACK


class Removal(NamedTuple):
    """What a move removes from XBoard's board, apart from a piece on the landing square."""

    kills: tuple[int, ...]
    """Squares, in the order in which they are sent to XBoard."""
    leftovers: tuple[Leftover, ...]
    """Those that remain."""


def plan_removal(position: Position, move: Move, leftovers: Sequence[Leftover]) -> Removal:
    """Choose what a move removes: a captured dux, then existing leftovers, oldest first, then other captured pieces.

    If the last of two kills is a piece of the mover's own side, XBoard does not report the first kill to the other
    engine. Therefore at most one kill is such a piece, and it comes first.

    Args:
        position: the position before the move.
        move: a legal move.
        leftovers: those before the move; one on the landing square disappears by itself.
    """
    waiting = _waiting(position, move, leftovers)
    own = [leftover for leftover in waiting if leftover.side == position.side][:1]
    others = [leftover for leftover in waiting if leftover.side != position.side]
    killed = [*own, *others][:MAX_KILLS]
    remaining = tuple(leftover for leftover in waiting if leftover not in killed)
    return Removal(tuple(leftover.square for leftover in killed), remaining)


def requested_removal(position: Position, move: Move, leftovers: Sequence[Leftover], kills: Sequence[int]) -> Removal:
    """Return what a move removes when XBoard names the kills. Arguments are as for ``plan_removal``.

    Raises:
        IllegalMoveError: there is no captured piece on one of the squares.
    """
    waiting = _waiting(position, move, leftovers)
    if not set(kills) <= {leftover.square for leftover in waiting}:
        raise IllegalMoveError("the move removes a piece that is not captured")
    return Removal(tuple(kills), tuple(leftover for leftover in waiting if leftover.square not in kills))


def _waiting(position: Position, move: Move, leftovers: Sequence[Leftover]) -> list[Leftover]:
    """Return all that a move should remove. A dux comes first: its capture ends the game, so no move follows."""
    _, target = ends_of(move)
    captured = [Leftover(square, position.piece_at(square)) for square in position.captures(move)]
    older = [leftover for leftover in leftovers if leftover.square != target]
    return sorted([*older, *captured], key=lambda leftover: leftover.man not in "Dd")


def shown_men(position: Position, leftovers: Sequence[Leftover]) -> list[str]:
    """Return the letter of the piece that XBoard shows on each square, "" for none."""
    men = [position.piece_at(square) for square in range(position.geometry.squares)]
    for leftover in leftovers:
        men[leftover.square] = leftover.man
    return men


def ends_of(move: Move) -> tuple[int | None, int]:
    """Return the start square of a move of one leg (None for a placement) and its landing square."""
    *origin, target = move.squares
    return (origin[0] if origin else None), target


# ---------------------------------------------------------------- the game and its clock


class XBoardGame:
    """Keeps the game and the leftovers that XBoard shows after each ply.

    The engine gets the game only when it is to search, which may be a ply further on.
    """

    def __init__(self, engine: Session) -> None:
        self._engine = engine
        self._fen: str | None = None
        self._game = engine.game.copy()
        self._leftovers: list[tuple[Leftover, ...]] = [()]

    @property
    def game(self) -> Game:
        """The game so far; do not modify it."""
        return self._game

    @property
    def position(self) -> Position:
        return self._game.position

    @property
    def leftovers(self) -> tuple[Leftover, ...]:
        """The leftovers that XBoard shows now."""
        return self._leftovers[-1]

    @property
    def plies(self) -> int:
        """The number of moves that can be taken back."""
        return len(self._game.moves)

    def moves_made(self, side: int) -> int:
        return sum(position.side == side for position in self._game.positions[:-1])

    def check_fen(self, fen: str) -> None:
        """Raise FenError if the text is not a position of this game."""
        Position.from_fen(self.position.ruleset, fen)

    def begin(self, fen: str | None) -> None:
        """Start a new game, from the start position or from a FEN. No search may be running.

        Raises:
            FenError: not a position of this game; nothing has changed.
        """
        if fen is None:
            self._engine.new_game()
        else:
            self.check_fen(fen)
        self._engine.set_position(fen, ())
        self._fen, self._game, self._leftovers = fen, self._engine.game.copy(), [()]

    def legal_move(self, text: str) -> Move:
        """Parse the text of a legal move.

        Raises:
            MalformedMoveError: not a move.
            IllegalMoveError: not legal in this position.
        """
        if (result := self._game.outcome()) is not None:
            raise IllegalMoveError(f"the game is over: {result.name}")
        return self.position.parse_move(text)

    def play(self, move: Move, leftovers: tuple[Leftover, ...]) -> None:
        self._game.push(move)
        self._leftovers.append(leftovers)

    def take_back(self, plies: int) -> None:
        """Take back a number of moves, at most ``plies`` of the game."""
        keep = self.plies - plies
        self._game, self._leftovers = self._game.up_to(keep), self._leftovers[:keep + 1]

    def show_engine(self, *expected: str) -> None:
        """Set the engine to the game and the moves expected next. No search may be running."""
        self._engine.set_position(self._fen, [*self._game.moves, *expected])


CENTISECOND_MS = 10


@dataclass(frozen=True)
class XBoardClock:
    """The values of ``level``, ``st``, ``sd``, ``time`` and ``otim``; the default is 40 moves in 5 minutes."""

    moves_per_session: int = 40
    """Moves after which a clock is reset; 0: the clock is for the whole game."""
    base_ms: int = 300_000
    increment_ms: int = 0
    """Time per session, and increment per move."""
    move_ms: int | None = None
    """Fixed time per move, which replaces the three above."""
    depth: int | None = None
    """Maximum depth in plies."""
    own_ms: int | None = None
    other_ms: int | None = None
    """Time left on the engine's clock and on the opponent's; None before XBoard has sent it."""

    def for_new_game(self) -> "XBoardClock":
        """Return the same time control with full clocks and unlimited depth."""
        return replace(self, depth=None, own_ms=None, other_ms=None)

    def limits(self, side: int, moves_made: int) -> Limits:
        """Return the limits for a move of ``side``, which has made ``moves_made`` moves in this game."""
        if self.move_ms is not None:
            return Limits(depth=self.depth, movetime_ms=self.move_ms)
        own = self.base_ms if self.own_ms is None else self.own_ms
        other = self.base_ms if self.other_ms is None else self.other_ms
        to_go = self.moves_per_session - moves_made % self.moves_per_session if self.moves_per_session else None
        return Limits(
            depth=self.depth, time_ms=(own, other) if side == 0 else (other, own),
            increment_ms=(self.increment_ms, self.increment_ms), moves_to_go=to_go,
        )
