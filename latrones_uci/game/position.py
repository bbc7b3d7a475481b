"""Positions as immutable values with everything that is needed to continue the game."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from latrones_uci.game import algebraic, notation, perft
from latrones_uci.game.encoding import (
    BLACK,
    CHAIN,
    PASS,
    SIDE_NAMES,
    WHITE,
    Arrangement,
    Board,
    Move,
    PackedMove,
    dux_in_hand,
    pack_hand,
    soldiers_in_hand,
)
from latrones_uci.game.errors import BoardSizeError, FenError, IllegalMoveError, LatronesError, MalformedMoveError
from latrones_uci.game.fen import MAX_COUNTER, FenFields, parse_fen, render_fen
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.outcome import Outcome, Termination
from latrones_uci.game.rules import Rules, rules_of
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.game.variants import find_variant, parse_board_size, reference
from latrones_uci.text.messages import quoted, wrong_type


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """A position of a variant: pieces, side to move and counters.

    Positions are immutable. They are equal if variant, board size and FEN are equal, and where repetition is illegal
    also what must not occur again. Create them with ``start`` or ``from_fen``. ``print(position)`` shows the board as
    text; a notebook shows it as a picture.

    Example:
        >>> from latrones_uci import Position
        >>> position = Position.start("latrones")
        >>> position.play("d1d5").fen()
        'ssssssss/3d4/8/3S4/8/8/4D3/SSS1SSSS b 1 1'
    """

    rules: Rules
    """The compiled rules of the variant on this board."""
    board: Board
    """The pieces as the rules represent them (see ``encoding``)."""
    movenumber: int
    """From 1; incremented when the turn passes from Black to White."""
    past: tuple[frozenset[Arrangement], ...] = ()
    """In games where repetition is illegal, what must not occur again (see ``Rules.arrangements``): that of this
    position and of the game before it, as far as it is known and can occur again. Otherwise empty. Sets, each at least
    twice as large as the next, so that the positions of a game share most of them."""

    @classmethod
    def _first(cls, rules: Rules, board: Board, movenumber: int) -> "Position":
        past = (frozenset([rules.arrangement(board)]),) if rules.forbids_repetition else ()
        return cls(rules, board, movenumber, past)

    @classmethod
    def start(cls, variant: Ruleset | str = "latrones", board: tuple[int, int] | str | None = None) -> "Position":
        """Return the start position of a variant.

        Args:
            variant: the variant, or the name of a built-in one.
            board: files and ranks, or a string such as ``12x8``; None for the variant's default board.

        Raises:
            VariantError: the variant is unknown.
            BoardSizeError: the size is malformed, or not allowed in the variant.
        """
        ruleset = _ruleset(variant)
        files, ranks = ruleset.default_size if board is None else _size(board)
        ruleset.check_size(files, ranks)
        rules = rules_of(ruleset, files, ranks)
        return cls._first(rules, rules.start(), 1)

    @classmethod
    def from_fen(cls, variant: Ruleset | str, fen: str) -> "Position":
        """Read a FEN, which also determines the board size.

        Args:
            variant: the variant, or the name of a built-in one.
            fen: the position, with all four fields or the first two.

        Raises:
            VariantError: the variant is unknown.
            FenError: the FEN is malformed, or not possible in the variant.
        """
        ruleset = _ruleset(variant)
        if not isinstance(fen, str):
            raise wrong_type("FEN", fen, "a string")
        fields = parse_fen(fen, letters_of(ruleset), ruleset.setup == "placement")
        try:
            ruleset.check_size(fields.files, fields.ranks)
            rules = rules_of(ruleset, fields.files, fields.ranks)
            return cls._first(rules, _board(rules, fields), fields.movenumber)
        except (BoardSizeError, FenError) as error:
            raise FenError(f"FEN {quoted(fen)}: {error}") from None

    @property
    def ruleset(self) -> Ruleset:
        """The variant."""
        return self.rules.ruleset

    @property
    def geometry(self) -> Geometry:
        """The board's size and squares."""
        return self.rules.geometry

    @property
    def side(self) -> int:
        """The player to move: 0 White, 1 Black."""
        return self.board[4]

    @property
    def key(self) -> int:
        """The 64-bit Zobrist key of pieces and side to move."""
        return self.board[5]

    @property
    def nocapture(self) -> int:
        """The number of plies since the last capture."""
        return self.board[6]

    @property
    def repetition_key(self) -> Hashable:
        """A key that two positions of one game share if they repeat each other, and only then."""
        board = self.board
        return (*board[:5], *board[7:])

    @property
    def hand(self) -> dict[str, int]:
        """Pieces in hand by letter (``S D s d``), zero counts omitted."""
        hand = self.board[8]
        counts = {"S": soldiers_in_hand(hand, WHITE), "D": dux_in_hand(hand, WHITE),
                  "s": soldiers_in_hand(hand, BLACK), "d": dux_in_hand(hand, BLACK)}
        return {piece: count for piece, count in counts.items() if count}

    def piece_at(self, square: int | str) -> str:
        """Return the piece on a square: ``S s``, ``D d``, bound ``B b``, or ``""`` if it is empty.

        Args:
            square: its number, from 0 along the ranks, or its name, such as ``d1``.

        Raises:
            LatronesError: the board has no square of that name.
            IndexError: the board has no square of that number.
        """
        return self._pieces[self._square(square)]

    def _square(self, square: int | str) -> int:
        """Return the number of a square; errors are those of ``piece_at``."""
        if isinstance(square, str):
            return self.geometry.parse_square(square)
        if not isinstance(square, int):
            raise wrong_type("square", square, "a number or a name such as 'd1'")
        if not 0 <= square < self.geometry.squares:
            raise IndexError(f"square {square}: not on the {self.geometry.name} board")
        return square

    @cached_property
    def _pieces(self) -> tuple[str, ...]:
        own, opp, own_dux, opp_dux, side, _, _, bound, _ = self.board
        white, occupied, pieces = own if side == WHITE else opp, own | opp, []
        for square, bit in enumerate(self.rules.wide[:self.geometry.squares]):
            piece = ""
            if occupied & bit:
                piece = "D" if square in (own_dux, opp_dux) else "B" if bound & bit else "S"
            pieces.append(piece if white & bit else piece.lower())
        return tuple(pieces)

    def fen(self) -> str:
        """Return the FEN with all four fields."""
        geometry = self.geometry
        return render_fen(
            FenFields(
                geometry.files, geometry.ranks, self._pieces, self.hand if self.ruleset.setup == "placement" else None,
                self.side, self.nocapture, self.movenumber)
        )

    def diagram(self) -> str:
        """Return the board as lines of letters."""
        return notation.render_diagram(self.geometry, self._pieces)

    # ---------------------------------------------------------------- moves

    # Cached by hand: until Python 3.12, all threads share the lock of a cached_property.

    @property
    def _decision(self) -> int:
        """The value of ``rules.decided``, cached because each move of a game needs it several times."""
        decision: int | None = self.__dict__.get("_cached_decision")
        if decision is None:
            decision = self.__dict__["_cached_decision"] = self.rules.decided(self.board)
        return decision

    @property
    def _unfinished_moves(self) -> tuple[PackedMove, ...]:
        moves: tuple[PackedMove, ...] | None = self.__dict__.get("_cached_moves")
        if moves is None:
            moves = () if self._decision else tuple(self.rules.moves(self.board))
            if self.past and moves:
                moves = tuple(move for move in moves if not self._repeats(move))
                if not moves and self.rules.passes:
                    moves = (PASS,)
            self.__dict__["_cached_moves"] = moves
        return moves

    def _repeats(self, move: PackedMove) -> bool:
        """Return whether a move other than a pass repeats what has occurred, where that is illegal."""
        if move == PASS:
            return False
        made = self.rules.arrangements(self.board, move)
        return any(not occurred.isdisjoint(made) for occurred in self.past)

    @property
    def packed_moves(self) -> tuple[PackedMove, ...]:
        """The legal moves as integers, which are many times faster to list."""
        return () if self.nocapture_reached else self._unfinished_moves

    def legal_moves(self) -> list[Move]:
        """Return the legal moves; an empty list if the game is over."""
        return list(map(_named_moves(self.geometry).__getitem__, self.packed_moves))

    def is_legal(self, move: str) -> bool:
        """Return whether a move, or its text, is legal here; a text that is not a move is not."""
        try:
            self.parse_move(move)
        except LatronesError:
            return False
        return True

    def play(self, move: str) -> "Position":
        """Return the position after a legal move, given as a move or as its text.

        Raises:
            MalformedMoveError: the text does not have the form of a move.
            IllegalMoveError: the move is not legal here.
        """
        return self.after(self.parse_move(move).packed)

    def passed(self) -> "Position | None":
        """Return the position with the other player to move, or None if that is not possible in this variant.

        The counters, and what must not occur again, stay as they are.
        """
        turned, hand, (_, _, own_dux, opp_dux, *_) = self.rules.turned(self.board), self.board[8], self.board
        duces = (own_dux, opp_dux) if self.side == WHITE else (opp_dux, own_dux)
        return None if self.rules.placement.problem(hand, turned[4], duces) else replace(self, board=turned)

    def _is_legal(self, move: PackedMove) -> bool:
        if self.nocapture_reached or self._decision:
            return False
        moves: tuple[PackedMove, ...] | None = self.__dict__.get("_cached_moves")
        if moves is not None or (self.past and move == PASS):
            return move in self._unfinished_moves
        return self.rules.is_legal(self.board, move) and not (self.past and self._repeats(move))

    def after(self, move: Move | PackedMove) -> "Position":
        """Return the position after a legal move, or its integer; that it is legal is not checked, as in ``play``."""
        if not isinstance(move, int):
            move = self.read_move(move).packed
        board = self.rules.play(self.board, move)
        if board[6] > MAX_COUNTER:
            board = (*board[:6], MAX_COUNTER, *board[7:])
        passed_to_white = self.side == BLACK and board[4] == WHITE
        number = min(self.movenumber + passed_to_white, MAX_COUNTER)
        return Position(self.rules, board, number, self._past_after(move, board) if self.past else self.past)

    def _past_after(self, move: PackedMove, board: Board) -> tuple[frozenset[Arrangement], ...]:
        last = frozenset(self.rules.arrangements(self.board, move)[:1])
        before = self.board
        if (before[0] | before[1]).bit_count() != (board[0] | board[1]).bit_count():
            return (last,)  # no earlier position has as few pieces, or as many while placing
        kept = len(self.past)
        while kept and len(self.past[kept - 1]) < 2 * len(last):
            kept -= 1
            last |= self.past[kept]
        return (*self.past[:kept], last)

    def past_arrangements(self) -> frozenset[Arrangement]:
        """Return all arrangements of ``past`` in one set."""
        return frozenset().union(*self.past)

    def captures(self, move: str) -> list[int]:
        """Return the squares of the pieces that a legal move captures, in ascending order.

        Raises:
            MalformedMoveError: the text does not have the form of a move.
            IllegalMoveError: the move is not legal here.
        """
        return self.lifted(self.play(move))

    def lifted(self, after: "Position") -> list[int]:
        """Return the squares of the enemy pieces that are missing from ``after``, the position after a move."""
        return self.rules.lifted(self.board, after.board)

    def parse_move(self, text: str) -> Move:
        """Read a move and check that it is legal in this position.

        Raises:
            MalformedMoveError: the text does not have the form of a move.
            IllegalMoveError: the move is not legal here.
        """
        move = self.read_move(text)
        if not self._is_legal(move.packed):
            raise self._illegal(text)
        return move

    def parse_algebraic(self, text: str) -> Move:
        """Read a move in the notation for people, such as ``d1-d5xc5`` or ``De6-i6xi7+``, or as ``parse_move`` does.

        A sign at the end is not checked, and captures can be left out; where some are named, they must be all that the
        move captures.

        Raises:
            MalformedMoveError: the text does not have the form of a move.
            IllegalMoveError: the move is not legal here, does not capture what the text names, or is not one of a dux.
        """
        if not isinstance(text, str):
            raise wrong_type("move", text, "a string such as 'd1-d5xc5'")
        said = algebraic.split_algebraic(text)
        if said is None:
            raise MalformedMoveError(
                f"move {quoted(text)}: malformed; expected a form such as 'd1-d5xc5', 'De2-e5' or '@d4'")
        try:
            move = self.parse_move(said.move)
        except IllegalMoveError as error:
            raise error if text == said.move else IllegalMoveError(f"move {quoted(text)}: {error}") from None
        if said.dux or said.captures:
            algebraic.check_algebraic(self.rules, self.board, self.after(move).board, move, said, text)
        return move

    def algebraic(self, move: str) -> str:
        """Return a legal move in the notation for people, such as ``d1-d5xc5*`` (see ``parse_algebraic``).

        A sign tells what it does to the enemy dux: ``*`` it lands next to it, ``(+)`` and leaves it at most two open
        sides, ``+`` it threatens to shut it in, ``#`` it decides the game.

        Raises:
            MalformedMoveError: the text does not have the form of a move.
            IllegalMoveError: the move is not legal here.
        """
        parsed = self.parse_move(move)
        return algebraic_text(self, self.after(parsed), parsed)

    def read_move(self, text: str) -> Move:
        """Read a move without testing whether it is legal in this position.

        Raises:
            MalformedMoveError: the text does not have the form of a move.
            IllegalMoveError: the move names a square off this board, or has a form that this variant does not use.
        """
        geometry = self.geometry
        if isinstance(text, Move) and text.files == geometry.files:
            return text
        if not isinstance(text, str):
            raise wrong_type("move", text, "a Move, or its text such as 'd1d5'")
        packed = geometry.parse_short_path(text)
        return self.named_move(notation.parse_move(geometry, self.ruleset, text) if packed is None else packed)

    def named_move(self, packed: PackedMove) -> Move:
        """Return the move with an integer of ``packed_moves``."""
        return _named_moves(self.geometry)[packed]

    def _illegal(self, text: str) -> IllegalMoveError:
        reason = ""
        if (outcome := self.outcome()) is not None:
            reason = f": the game is over ({outcome.name}, {outcome.reason})"
        return IllegalMoveError(f"move {quoted(text)} is not legal in '{self.fen()}'{reason}")

    # ---------------------------------------------------------------- endings, counts

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None. Only ``Game.outcome`` also knows repetitions."""
        return self.decided() or self.ending_by_count()

    def decided(self) -> Outcome | None:
        """Return a win on the board (by capture, immobilisation or too few enemy pieces), or None."""
        if decision := self._decision:
            winner = self.side if decision > 0 else 1 - self.side
            return Outcome(Termination.DECIDED, winner, self.rules.decision(self.board))
        return None

    @property
    def nocapture_reached(self) -> bool:
        """Whether the position has reached the limit of plies without a capture."""
        return 0 < self.ruleset.nocapture_limit <= self.nocapture

    def ending_by_count(self) -> Outcome | None:
        """Return an ending that is tested after repetition: no-capture limit or no legal move; None otherwise."""
        if self.nocapture_reached:
            return self._ending(self.ruleset.nocapture_result, Termination.NO_CAPTURE)
        if self._decision or not self._can_move():
            return self._ending(self.ruleset.no_move, Termination.NO_MOVE)
        return None

    def _can_move(self) -> bool:
        """Return whether an undecided position has a legal move; where repetition is illegal, one is often enough."""
        if not self.past:
            return self.rules.can_move(self.board)
        if "_cached_moves" in self.__dict__ or self.rules.passes:
            return bool(self._unfinished_moves)
        return any(not self._repeats(move) for move in self.rules.moves(self.board))

    def _ending(self, how: str, termination: Termination) -> Outcome:
        sign = self.rules.ending(how, self.board)
        return Outcome(termination, None if sign == 0 else self.side if sign > 0 else 1 - self.side)

    def children(self) -> list[tuple[Move, "Position"]]:
        """Return the legal moves, with the position after each; the no-capture limit does not apply."""
        return [(self.named_move(move), self.after(move)) for move in self._unfinished_moves]

    def perft(self, depth: int) -> int:
        """Return the number of sequences of exactly ``depth`` plies; repetition and no-capture limit do not apply."""
        return perft.perft(self.rules, self.board, depth)

    def divide(self, depth: int) -> dict[str, int]:
        """Return the counts of ``perft(depth)`` by the text of the first move; ``depth`` is at least 1."""
        return {self.named_move(move): count
                for move, count in sorted(perft.divide(self.rules, self.board, depth).items())}

    # ---------------------------------------------------------------- value

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what differs between positions; all of a variant and board size share the compiled rules again."""
        size = self.geometry.files, self.geometry.ranks
        return _restored, (reference(self.ruleset), size, self.board, self.movenumber, self.past)

    def __copy__(self) -> "Position":
        """Return the position itself, which never changes."""
        return self

    def __deepcopy__(self, memo: object) -> "Position":
        """Return the position itself, which never changes."""
        return self

    def __eq__(self, other: object) -> bool:
        """Compare variant, board size, pieces, side to move, counters, and what must not occur again."""
        return (
            isinstance(other, Position)
            and (self.ruleset, self.geometry.name, self.board, self.movenumber)
            == (other.ruleset, other.geometry.name, other.board, other.movenumber)
            and (self.past is other.past or self.past_arrangements() == other.past_arrangements())
        )

    def __hash__(self) -> int:
        """Return a hash that agrees with ``__eq__``."""
        return hash((self.board, self.movenumber))

    def __str__(self) -> str:
        """Return the board as text, and the FEN below it."""
        return f"{self.diagram()}\n{self.fen()}"

    def _repr_svg_(self) -> str:
        """Return the board as SVG, for notebooks."""
        return draw_board(self)

    def __repr__(self) -> str:
        """Return the call that makes it, or a description if its variant is not built in."""
        if isinstance(reference(self.ruleset), str):
            return f"Position.from_fen({self.ruleset.name!r}, {self.fen()!r})"
        return f"<Position of {self.ruleset.name}: {self.fen()}>"


class _NamedMoves(dict[PackedMove, Move]):
    """The moves of a board with their texts, by number. Those without chains are few, and kept."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry

    def __missing__(self, move: PackedMove) -> Move:
        named = Move(notation.render_move(self._geometry, move), move, self._geometry.files)
        if move < CHAIN:
            self[move] = named
        return named


_named_moves = lru_cache(maxsize=32)(_NamedMoves)


def _restored(
    variant: Ruleset | str, size: tuple[int, int], board: Board, movenumber: int,
    past: tuple[frozenset[Arrangement], ...],
) -> Position:
    return Position(rules_of(_ruleset(variant), *size), board, movenumber, past)


def _ruleset(variant: Ruleset | str) -> Ruleset:
    if isinstance(variant, Ruleset):
        variant.check_name()
        return variant
    if not isinstance(variant, str):
        raise wrong_type("variant", variant, "a name or a Ruleset")
    return find_variant(variant)


def _size(board: tuple[int, int] | str) -> tuple[int, int]:
    if isinstance(board, str):
        return parse_board_size(board)
    match board:
        case (int(files), int(ranks)):
            return files, ranks
    raise wrong_type("board", board, "two integers (files, ranks), or a text such as '12x8'")


def letters_of(ruleset: Ruleset) -> str:
    """Return the letters of the pieces that a variant can have on the board."""
    return "Ss" + ("Dd" if ruleset.dux != "none" else "") + ("Bb" if ruleset.capture_effect == "bind" else "")


def _board(rules: Rules, fields: FenFields) -> Board:
    pieces, duces, bound = [0, 0], [-1, -1], 0
    for square, piece in enumerate(fields.pieces):
        if piece:
            colour = BLACK if piece.islower() else WHITE
            pieces[colour] |= rules.wide[square]
            if piece in "Dd":
                if duces[colour] >= 0:
                    raise FenError(f"more than one {piece} on the board")
                duces[colour] = square
            elif piece in "Bb":
                bound |= rules.wide[square]
    in_hand = fields.hand or {}
    for piece, count in in_hand.items():
        if count > 99 or piece in "Dd" and count > 1:
            raise FenError(f"{count}{piece} in hand: expected at most {1 if piece in 'Dd' else 99}")
    hand = pack_hand((in_hand.get("S", 0), in_hand.get("s", 0)), (in_hand.get("D", 0), in_hand.get("d", 0)))
    if hand and bound:
        raise FenError("bound soldiers while pieces are in hand")
    if problem := rules.placement.problem(hand, fields.side, (duces[WHITE], duces[BLACK])):
        raise FenError(problem)
    return rules.board(
        (pieces[WHITE], pieces[BLACK]), (duces[WHITE], duces[BLACK]), fields.side, fields.nocapture, bound, hand)


def algebraic_text(before: Position, after: Position, move: Move) -> str:
    """Return a move in the notation for people, given the positions before and after it."""
    return algebraic.render_algebraic(before.rules, before.board, after.board, move, after.outcome())


def draw_board(
    position: Position, *, last_move: str | None = None, captured: Iterable[int | str] = (),
    arrows: Iterable[str] = (), ringed: Iterable[int | str] = (), flipped: bool = False, coordinates: bool = True,
    bare: bool = False, standalone: bool = True,
) -> str:
    """Return a position as an ``<svg>`` element.

    Args:
        position: the position, of any variant and board size; pieces in hand are drawn, too.
        last_move: the move that led to the position, or its text, which is marked.
        captured: squares, by number or name, on which that move captured pieces, which are marked.
        arrows: moves, or their texts, that are drawn as arrows, over the pieces; a placement or kill is a ring.
        ringed: squares, by number or name, that are marked with a ring, over the pieces.
        flipped: draw the board from Black's side.
        coordinates: draw the names of files and ranks; on the wheel, of squares.
        bare: draw the board only, without hands and the mark of the player to move; coordinates are inside the squares.
        standalone: include style and symbols, as a file needs them. A page includes ``svg.BOARD_STYLE`` and
            ``svg.BOARD_SYMBOLS`` once; without ``standalone`` the element has the attributes that the script of a page
            needs.
    """
    from latrones_uci.game.svg import render_board  # an engine starts sooner without it

    if not isinstance(position, Position):
        raise wrong_type("position", position, "a Position; a Game has one as game.position")
    if isinstance(arrows, str):
        raise wrong_type("arrows", arrows, "several moves, such as ['d1d5']")
    ruleset, geometry, outcome = position.ruleset, position.geometry, position.outcome()
    state = f"{SIDE_NAMES[position.side]} to move" if outcome is None else str(outcome)
    return render_board(
        geometry, [position.piece_at(square) for square in range(geometry.squares)],
        position.hand if ruleset.setup == "placement" else None, position.side, wheel=ruleset.board == "wheel",
        title=f"{ruleset.title}, {geometry.name}, {state}", fen=position.fen(),
        last_move=None if last_move is None else position.read_move(last_move),
        captured=[position._square(square) for square in captured],
        ringed=[position._square(square) for square in ringed],
        arrows=[position.read_move(move) for move in arrows], flipped=flipped, coordinates=coordinates, bare=bare,
        standalone=standalone,
    )
