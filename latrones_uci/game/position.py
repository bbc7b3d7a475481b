"""A position as a value: everything that is needed to play on."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from latrones_uci.game import notation, perft
from latrones_uci.game.diagram import render_diagram
from latrones_uci.game.encoding import BLACK, WHITE, Board, Move, PackedMove, dux_in_hand, pack_hand, soldiers_in_hand
from latrones_uci.game.errors import BoardSizeError, FenError, IllegalMoveError, quoted
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.outcome import Outcome, Termination
from latrones_uci.game.rules import Rules, rules_of
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.game.variants import find_variant, parse_board_size


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """A position of a game: men, side to move and counters, on a board of some size.

    Immutable; two positions are equal when the games, sizes and FENs are. Users call ``start`` or ``from_fen``.
    ``print(position)`` shows the board as text, and a notebook as a picture.

    Attributes:
        rules: the compiled rules of the game on this board.
        board: the men as the rules hold them (see ``rules``).
        movenumber: from 1; grows when the turn passes from Black to White.

    Example:
        >>> from latrones_uci import Position
        >>> position = Position.start("latrones")
        >>> position.play("d1d5").fen()
        'ssssssss/3d4/8/3S4/8/8/4D3/SSS1SSSS b 1 1'
    """

    rules: Rules
    board: Board
    movenumber: int

    @classmethod
    def start(cls, variant: Ruleset | str = "latrones", board: tuple[int, int] | str | None = None) -> "Position":
        """Return the start of a variant.

        Args:
            variant: the variant, or the name of a built-in one.
            board: files and ranks, or a text such as ``12x8``; None for the variant's own board.

        Raises:
            VariantError: there is no such variant.
            BoardSizeError: malformed, or not allowed by the variant.
        """
        ruleset = find_variant(variant) if isinstance(variant, str) else variant
        files, ranks = parse_board_size(board) if isinstance(board, str) else board or ruleset.default_size
        ruleset.check_size(files, ranks)
        rules = rules_of(ruleset, files, ranks)
        return cls(rules, rules.start(), 1)

    @classmethod
    def from_fen(cls, variant: Ruleset | str, fen: str) -> "Position":
        """Read a FEN; the text fixes the size of the board.

        Args:
            variant: the variant, or the name of a built-in one.
            fen: the position, with all four fields or the first two.

        Raises:
            VariantError: there is no such variant.
            FenError: malformed, or not allowed by the variant.
        """
        ruleset = find_variant(variant) if isinstance(variant, str) else variant
        fields = notation.parse_fen(fen, letters_of(ruleset), ruleset.setup == "placement")
        try:
            ruleset.check_size(fields.files, fields.ranks)
            rules = rules_of(ruleset, fields.files, fields.ranks)
            return cls(rules, _board(rules, fields), fields.movenumber)
        except (BoardSizeError, FenError) as error:
            raise FenError(f"FEN {quoted(fen)}: {error}") from None

    @property
    def ruleset(self) -> Ruleset:
        """The game."""
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
        """The 64-bit Zobrist key of men and side to move."""
        return self.board[5]

    @property
    def nocapture(self) -> int:
        """Plies since the last capture."""
        return self.board[6]

    @property
    def repetition_key(self) -> Hashable:
        """Equal for exactly those positions of one game that are repetitions of each other."""
        board = self.board
        return (*board[:5], *board[7:])

    @property
    def hand(self) -> dict[str, int]:
        """Men yet to be placed, by letter (``S D s d``); zero counts are omitted."""
        hand = self.board[8]
        counts = {"S": soldiers_in_hand(hand, WHITE), "D": dux_in_hand(hand, WHITE),
                  "s": soldiers_in_hand(hand, BLACK), "d": dux_in_hand(hand, BLACK)}
        return {man: count for man, count in counts.items() if count}

    def piece_at(self, square: int) -> str:
        """The man on a square, ``S s``, ``D d``, bound ``B b``, or ``""``."""
        own, opp, own_dux, opp_dux, side, _, _, bound, _ = self.board
        bit = self.rules.wide[square]
        if not (own | opp) & bit:
            return ""
        letter = "D" if square in (own_dux, opp_dux) else "B" if bound & bit else "S"
        return letter if (side == WHITE) == bool(own & bit) else letter.lower()

    def fen(self) -> str:
        """The position as text, all fields written."""
        geometry = self.geometry
        men = tuple(self.piece_at(square) for square in range(geometry.squares))
        return notation.render_fen(
            notation.FenFields(
                geometry.files, geometry.ranks, men, self.hand if self.ruleset.setup == "placement" else None,
                self.side, self.nocapture, self.movenumber)
        )

    def diagram(self) -> str:
        """The board drawn with letters, for people."""
        return render_diagram(self.geometry, [self.piece_at(square) for square in range(self.geometry.squares)])

    # ---------------------------------------------------------------- moves

    @cached_property
    def _decision(self) -> int:
        """What ``rules.decided`` says; asked several times for each move of a game."""
        return self.rules.decided(self.board)

    @cached_property
    def _unfinished_moves(self) -> tuple[PackedMove, ...]:
        return () if self._decision else tuple(self.rules.moves(self.board))

    def legal_moves(self) -> list[Move]:
        """Return the legal moves; none in a finished position."""
        return [] if self.nocapture_reached else [self._named(move) for move in self._unfinished_moves]

    def play(self, move: PackedMove | str) -> "Position":
        """Return the position after a legal move, given as such or as text.

        Raises:
            MalformedMoveError: a text that is not a move.
            IllegalMoveError: the move is not legal here.
        """
        if isinstance(move, str):
            move = self.parse_move(move)
        elif not self._is_legal(move):
            raise self._illegal(self.move_text(move))
        return self._after(move)

    def passed(self) -> "Position | None":
        """Return the position with the other player to move, None if it is not possible in this variant."""
        board, side, *counters = self.fen().split()
        try:
            return Position.from_fen(self.ruleset, " ".join([board, "b" if side == "w" else "w", *counters]))
        except FenError:
            return None

    def _named(self, move: PackedMove) -> Move:
        return Move(move, notation.render_move(self.geometry, move))

    def _is_legal(self, move: PackedMove) -> bool:
        return not self.nocapture_reached and move in self._unfinished_moves

    def _after(self, move: PackedMove) -> "Position":
        board = self.rules.play(self.board, move)
        if board[6] > notation.MAX_COUNTER:
            board = (*board[:6], notation.MAX_COUNTER, *board[7:])
        passed_to_white = self.side == BLACK and board[4] == WHITE
        return Position(self.rules, board, min(self.movenumber + passed_to_white, notation.MAX_COUNTER))

    def captures(self, move: PackedMove | str) -> list[int]:
        """Return the squares from which a legal move lifts enemy pieces, in rising order.

        Raises:
            MalformedMoveError: a text that is not a move.
            IllegalMoveError: the move is not legal here.
        """
        return self.lifted(self.play(move))

    def lifted(self, after: "Position") -> list[int]:
        """Return the squares of the enemy pieces that are gone in ``after``, the position after a move from here."""
        board = after.board
        return self.geometry.squares_of(self.board[1] & ~(board[0] if board[4] != self.side else board[1]))

    def parse_move(self, text: str) -> Move:
        """Reads the text of a move that is legal here.

        Raises:
            MalformedMoveError: none of the forms of a move.
            IllegalMoveError: not legal here.
        """
        move = notation.parse_move(self.geometry, self.ruleset, text)
        if not self._is_legal(move):
            raise self._illegal(text)
        return Move(move, text)

    def move_text(self, move: PackedMove) -> str:
        """Return the text of a move."""
        return notation.render_move(self.geometry, move)

    def _illegal(self, text: str) -> IllegalMoveError:
        why = ""
        if (outcome := self.outcome()) is not None:
            why = f": the game is over ({outcome.name}, {outcome.termination.value})"
        return IllegalMoveError(f"move {quoted(text)} is not legal in '{self.fen()}'{why}")

    # ---------------------------------------------------------------- endings, counts

    def outcome(self) -> Outcome | None:
        """How the game ended, as far as this position alone tells: repetition is for ``Game``."""
        return self.decided() or self.ending_by_count()

    def decided(self) -> Outcome | None:
        """The first of the endings: won by capture, immobilisation or too few enemies."""
        if decision := self._decision:
            return Outcome(Termination.DECIDED, self.side if decision > 0 else 1 - self.side)
        return None

    @property
    def nocapture_reached(self) -> bool:
        """Whether the limit of plies without a capture is reached."""
        return 0 < self.ruleset.nocapture_limit <= self.nocapture

    def ending_by_count(self) -> Outcome | None:
        """The endings that come after repetition: the no-capture limit, and no legal move."""
        if self.nocapture_reached:
            return self._ending(self.ruleset.nocapture_result, Termination.NO_CAPTURE)
        if not self._unfinished_moves:
            return self._ending(self.ruleset.no_move, Termination.NO_MOVE)
        return None

    def _ending(self, how: str, termination: Termination) -> Outcome:
        sign = self.rules.ending(how, self.board)
        return Outcome(termination, None if sign == 0 else self.side if sign > 0 else 1 - self.side)

    def children(self) -> list[tuple[PackedMove, "Position"]]:
        """The moves that perft counts, with the position after each: the no-capture limit does not apply."""
        return [(move, self._after(move)) for move in self._unfinished_moves]

    def perft(self, depth: int) -> int:
        """Number of sequences of exactly ``depth`` plies; repetition and the no-capture limit aside."""
        return perft.perft(self.rules, self.board, depth)

    def divide(self, depth: int) -> dict[str, int]:
        """The counts of ``perft(depth)``, ``depth`` at least 1, by the text of the first move."""
        return {self.move_text(move): count
                for move, count in sorted(perft.divide(self.rules, self.board, depth).items())}

    # ---------------------------------------------------------------- value

    def __eq__(self, other: object) -> bool:
        """Same game, size, men, side and counters."""
        return (
            isinstance(other, Position)
            and (self.ruleset, self.geometry.name, self.board, self.movenumber)
            == (other.ruleset, other.geometry.name, other.board, other.movenumber)
        )

    def __hash__(self) -> int:
        """Hashes what ``__eq__`` compares."""
        return hash((self.board, self.movenumber))

    def __str__(self) -> str:
        """Return the board as text, and the FEN below it."""
        return f"{self.diagram()}\n{self.fen()}"

    def _repr_svg_(self) -> str:
        """Return the board as SVG, for notebooks."""
        from latrones_uci.draw import draw_board  # draws positions, so it cannot be imported before them

        return draw_board(self)

    def __repr__(self) -> str:
        """Game and FEN."""
        return f"Position({self.ruleset.name!r}, {self.fen()!r})"


def letters_of(ruleset: Ruleset) -> str:
    """The letters of the men that can stand on the board of a game."""
    return "Ss" + ("Dd" if ruleset.dux != "none" else "") + ("Bb" if ruleset.capture_effect == "bind" else "")


def _board(rules: Rules, fields: notation.FenFields) -> Board:
    """The board that a FEN describes.

    Raises:
        FenError: it cannot be in this game.
    """
    men, duces, bound = [0, 0], [-1, -1], 0
    for square, man in enumerate(fields.men):
        if man:
            colour = BLACK if man.islower() else WHITE
            men[colour] |= rules.wide[square]
            if man in "Dd":
                if duces[colour] >= 0:
                    raise FenError(f"more than one {man}")
                duces[colour] = square
            elif man in "Bb":
                bound |= rules.wide[square]
    in_hand = fields.hand or {}
    for man, count in in_hand.items():
        if count > 99 or man in "Dd" and count > 1:
            raise FenError(f"{count}{man} in hand are too many")
    hand = pack_hand((in_hand.get("S", 0), in_hand.get("s", 0)), (in_hand.get("D", 0), in_hand.get("d", 0)))
    if hand and bound:
        raise FenError("soldiers are bound before all are placed")
    if problem := rules.placement.problem(hand, fields.side, (duces[WHITE], duces[BLACK])):
        raise FenError(problem)
    return rules.board(
        (men[WHITE], men[BLACK]), (duces[WHITE], duces[BLACK]), fields.side, fields.nocapture, bound, hand)
