"""The rules of one game on one board, compiled into tables and masks: moves, captures, endings.

A *board* is a plain tuple, seen from the player to move, so that a search can make one in a
fraction of a microsecond:

    (own, opp, own_dux, opp_dux, side, key, nocapture)

``own`` and ``opp`` are wide sets (see ``geometry``) of all men of the player to move and of the
other, duces included; the duces' squares follow (-1: none), then the side to move (0 White), the
Zobrist key, and the number of plies since the last capture.

A *move* is an integer: origin square in the low 8 bits, landing square above them.

What costs time is telling captures from other moves. ``targets`` finds, by a few operations on
whole boards, a superset of the squares where landing can capture or decide the game; a move to
any other square is *quiet* and ``play_quiet`` makes it without looking further.
"""

from functools import lru_cache

from latrones_uci.game.geometry import Geometry, geometry_of
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.game.zobrist import BLACK_TO_MOVE, man_keys

Board = tuple[int, int, int, int, int, int, int]
Move = int

WHITE, BLACK = 0, 1
SOLDIER, DUX = 0, 2  # offsets into the men's Zobrist keys; plus the side


class Rules:
    """The compiled rules; made by ``rules_of`` and never changed afterwards."""

    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        """Compiles ``ruleset`` for a board.

        Raises:
            BoardSizeError: the game does not allow the size.
        """
        ruleset.check_size(geometry.files, geometry.ranks)
        self.ruleset, self.geometry = ruleset, geometry
        self.wide, self.near = geometry.wide, geometry.near
        self.full, self.base, self.row = geometry.full, geometry.base, geometry.row
        self.square_at, self.wide_at = geometry.square_at, geometry.wide_at
        self.run_moves, self.run_squares = geometry.run_moves, geometry.run_squares
        self.man_keys = man_keys(geometry.files, geometry.ranks)
        self.line_custodian = ruleset.custodian == "line"
        self.void_axes = geometry.axes if ruleset.flanked_mover == "void_axis" else ()
        self.dux_jumps = ruleset.dux_jump == "line"
        self.dux_captured = ruleset.dux_fate == "captured"
        corners = (0, geometry.files - 1, geometry.squares - geometry.files, geometry.squares - 1)
        self.corners = sum(self.wide[square] for square in corners) & self.base if ruleset.corner else 0
        # By move: the change of `own`, and by side the change of the key for a soldier and for a dux.
        size = (geometry.squares - 1) * 257 + 1
        self.move_bits = [0] * size
        self.soldier_keys = ([0] * size, [0] * size)
        self.dux_keys = ([0] * size, [0] * size)
        for moves in geometry.run_moves.values():
            self._add_tables(moves[-1])

    def _add_tables(self, move: Move) -> None:
        origin, to = move & 255, move >> 8
        self.move_bits[move] = self.wide[origin] ^ self.wide[to]
        for side in (WHITE, BLACK):
            for kind, tables in ((SOLDIER, self.soldier_keys), (DUX, self.dux_keys)):
                keys = self.man_keys[kind + side]
                tables[side][move] = keys[origin] ^ keys[to] ^ BLACK_TO_MOVE

    # ---------------------------------------------------------------- positions

    def start(self) -> Board:
        """The board before the first move."""
        files, squares = self.geometry.files, self.geometry.squares
        white = sum(self.wide[:files])
        black = sum(self.wide[squares - files:squares])
        white_dux = files + files // 2
        black_dux = squares - 2 * files + files - 1 - files // 2
        return self.board(white | self.wide[white_dux], black | self.wide[black_dux], white_dux, black_dux, WHITE, 0)

    def board(self, white: int, black: int, white_dux: int, black_dux: int, side: int, nocapture: int) -> Board:
        """Puts a board together from its parts, the men as wide sets."""
        key = BLACK_TO_MOVE if side else 0
        for men, dux, colour in ((white, white_dux, WHITE), (black, black_dux, BLACK)):
            for square in self.geometry.squares_of(men):
                key ^= self.man_keys[(DUX if square == dux else SOLDIER) + colour][square]
        if side == WHITE:
            return (white, black, white_dux, black_dux, side, key, nocapture)
        return (black, white, black_dux, white_dux, side, key, nocapture)

    # ---------------------------------------------------------------- moves

    def moves(self, board: Board) -> list[Move]:
        """All legal moves of a board whose game is not decided."""
        own, opp, own_dux, opp_dux, _, _, _ = board
        empty = self.full ^ (own | opp)
        starts = own << 1 & empty
        swept = empty + starts
        run_moves = self.run_moves
        moves: list[Move] = []
        while starts:
            start = starts & -starts
            end = swept & -start
            moves += run_moves[(end & -end) - start]
            starts ^= start
        if self.dux_jumps and own_dux >= 0 and (landings := self._jump_landings(own, opp, own_dux, empty)):
            landings &= self.targets(own, opp, opp_dux, empty)
            moves += self._jumps(board, landings)
        liberties = self.near[own_dux] & empty
        if own_dux >= 0 and not liberties & (liberties - 1):
            return self._keeping_dux_free(board, moves, liberties)
        return moves

    def tactical_moves(self, board: Board) -> list[Move]:
        """The legal moves onto ``targets``: every capture, every winning move, and a few more."""
        own, opp, own_dux, opp_dux, _, _, _ = board
        empty = self.full ^ (own | opp)
        targets = self.targets(own, opp, opp_dux, empty)
        if not targets:
            return []
        reach = empty & ~(empty + (own << 1 & empty)) & targets
        square_at = self.square_at
        moves: list[Move] = []
        while reach:
            bit = reach & -reach
            reach ^= bit
            # What stands next below a square that is swept is the man that sweeps it.
            moves.append(square_at[(own & bit - 1).bit_length() - 1] | square_at[bit.bit_length() - 1] << 8)
        if self.dux_jumps and own_dux >= 0:
            moves += self._jumps(board, self._jump_landings(own, opp, own_dux, empty) & targets)
        liberties = self.near[own_dux] & empty
        if own_dux >= 0 and not liberties & (liberties - 1):
            return self._keeping_dux_free(board, moves, liberties)
        return moves

    def count(self, board: Board) -> int:
        """``len(self.moves(board))``, without listing them where that can be avoided."""
        own, opp, own_dux, _, _, _, _ = board
        empty = self.full ^ (own | opp)
        liberties = self.near[own_dux] & empty
        if own_dux >= 0 and (
            not liberties & (liberties - 1) or self.dux_jumps and self._jump_landings(own, opp, own_dux, empty)
        ):
            return len(self.moves(board))
        return (empty & ~(empty + (own << 1 & empty))).bit_count()

    def _jump_landings(self, own: int, opp: int, own_dux: int, empty: int) -> int:
        """First empty squares behind the runs of men next to the dux, as bits of single orientations."""
        occupied = own | opp
        return occupied + (self.wide[own_dux] << 1 & occupied) & ~occupied & empty

    def _jumps(self, board: Board, landings: int) -> list[Move]:
        """Those dux jumps that capture."""
        own, opp, own_dux, opp_dux, _, _, _ = board
        jumps = []
        while landings:
            bit = landings & -landings
            landings ^= bit
            to = self.square_at[bit.bit_length() - 1]
            if self.victims(own ^ self.wide[own_dux] ^ self.wide[to], opp, opp_dux, to):
                jumps.append(own_dux | to << 8)
        return jumps

    def _keeping_dux_free(self, board: Board, moves: list[Move], liberties: int) -> list[Move]:
        """Drops the moves that leave the mover's dux, which has ``liberties``, without an empty neighbour."""
        wide, kept = self.wide, []
        for move in moves:
            if not liberties or wide[move >> 8] & liberties:
                after_opp, after_own, _, after_dux, _, _, _ = self.play(board, move)
                if not self.near[after_dux] & ~(after_own | after_opp):
                    continue
            kept.append(move)
        return kept

    # ---------------------------------------------------------------- captures

    def targets(self, own: int, opp: int, opp_dux: int, empty: int) -> int:
        """Wide set of empty squares that holds all where a man of ``own`` may capture or decide by landing.

        A superset: whose move it is that lands there, and what it leaves behind, is not looked at.
        """
        landings = self.capture_landings(own, opp, opp_dux, empty)
        wide_at = self.wide_at
        targets = 0
        while landings:
            bit = landings & -landings
            targets |= wide_at[bit.bit_length() - 1]
            landings ^= bit

        dux_liberties = self.near[opp_dux] & empty
        last = dux_liberties if not dux_liberties & (dux_liberties - 1) else 0
        if self.ruleset.enclosure:
            last |= self._enclosing_squares(opp & self.base, empty & self.base)
        if self.corners & opp:
            last |= self._corner_squares(own, opp, empty)
        return targets | self.geometry.widen(last) if last else targets

    def capture_landings(self, own: int, opp: int, opp_dux: int, empty: int) -> int:
        """Empty squares behind enemies with a man of ``own`` on their far side, as bits of single orientations."""
        if self.line_custodian:
            return opp + (own << 1 & opp) & ~opp & empty
        return (own << 1 & opp & ~self.wide[opp_dux]) << 1 & empty

    def _enclosing_squares(self, opp: int, empty: int) -> int:
        """Squares that may be the last liberty of a group (sets of the first orientation).

        The men of such a group that touch the liberty have no other, and no man next to them has
        any: two neighbours with liberties never share one, for a square's neighbours do not touch.
        """
        row = self.row
        east, west, north, south = empty << 1, empty >> 1, empty << row, empty >> row
        across, along = east | west, north | south
        free = (across | along) & opp
        single = free & ~(east & west | north & south | across & along)
        if not single:
            return 0
        single &= ~(free << 1 | free >> 1 | free << row | free >> row)
        if not single:
            return 0
        return (single << 1 | single >> 1 | single << row | single >> row) & empty

    def _corner_squares(self, own: int, opp: int, empty: int) -> int:
        found = 0
        for corner in self.geometry.squares_of(self.corners & opp):
            if self.near[corner] & own:
                found |= self.near[corner] & empty
        return found

    def victims(self, own: int, opp: int, opp_dux: int, to: int) -> int:
        """Wide set of the men of ``opp`` captured by the man of ``own`` that has just landed on ``to``."""
        beside = self.wide[to] << 1 & opp
        if not beside:
            return 0
        if self.line_custodian:
            anchors = opp + beside & ~opp & own
            for forth, back in self.void_axes:
                if beside & forth and beside & back:
                    anchors &= ~(forth | back)
        else:
            anchors = beside << 1 & own
        victims = 0
        while anchors:
            anchor = anchors & -anchors
            start = 1 << (beside & anchor - 1).bit_length() - 1
            victims |= self.run_squares[anchor - start]
            anchors ^= anchor
        near_enemies = self.near[to] & opp
        if self.corners & near_enemies:
            for corner in self.geometry.squares_of(self.corners & near_enemies):
                if not self.near[corner] & ~own:
                    victims |= self.wide[corner]
        victims &= ~self.wide[opp_dux]
        if self.ruleset.enclosure:
            victims |= self._enclosed(near_enemies, opp & self.base, self.base & self.full & ~(own | opp))
        if self.dux_captured and opp_dux >= 0 and not self.near[opp_dux] & ~(own | opp):
            victims |= self.wide[opp_dux]
        return victims

    def _enclosed(self, seeds: int, opp: int, empty: int) -> int:
        """Wide set of the groups of ``opp`` that hold one of ``seeds`` and have no empty neighbour."""
        row, near = self.row, self.near
        enclosed = 0
        while seeds:
            group = seeds & -seeds
            seeds ^= group
            if near[self.square_at[group.bit_length() - 1]] & empty or enclosed & group:
                continue
            size = 0
            while size != group:
                size = group
                group |= (group << 1 | group >> 1 | group << row | group >> row) & opp
            if not (group << 1 | group >> 1 | group << row | group >> row) & empty:
                enclosed |= group
        return self.geometry.widen(enclosed)

    # ---------------------------------------------------------------- playing

    def play(self, board: Board, move: Move) -> Board:
        """The board after a move that is legal but for what it leaves of the mover's own dux."""
        own, opp, own_dux, opp_dux, side, key, nocapture = board
        own ^= self.move_bits[move]
        to = move >> 8
        if move & 255 == own_dux:
            own_dux = to
            key ^= self.dux_keys[side][move]
        else:
            key ^= self.soldier_keys[side][move]
        victims = self.victims(own, opp, opp_dux, to)
        if not victims:
            return (opp, own, opp_dux, own_dux, side ^ 1, key, nocapture + 1)
        soldiers, dux = self.man_keys[SOLDIER + (side ^ 1)], self.man_keys[DUX + (side ^ 1)]
        for square in self.geometry.squares_of(victims):
            key ^= dux[square] if square == opp_dux else soldiers[square]
        if self.wide[opp_dux] & victims:
            opp_dux = -1
        return (opp ^ victims, own, opp_dux, own_dux, side ^ 1, key, 0)

    def play_quiet(self, board: Board, move: Move) -> Board:
        """``play`` for a legal move that does not land on one of ``targets``."""
        own, opp, own_dux, opp_dux, side, key, nocapture = board
        if move & 255 == own_dux:
            return (opp, own ^ self.move_bits[move], opp_dux, move >> 8,
                    side ^ 1, key ^ self.dux_keys[side][move], nocapture + 1)
        return (opp, own ^ self.move_bits[move], opp_dux, own_dux,
                side ^ 1, key ^ self.soldier_keys[side][move], nocapture + 1)

    def decided(self, board: Board) -> int:
        """-1 if the player to move has lost by the men on the board, 1 if it has won so, else 0."""
        own, opp, own_dux, opp_dux, _, _, _ = board
        empty = self.full ^ (own | opp)
        if self._lost(own, own_dux, empty):
            return -1
        return 1 if self._lost(opp, opp_dux, empty) else 0

    def _lost(self, men: int, dux: int, empty: int) -> bool:
        return dux < 0 or not self.near[dux] & empty or (men.bit_count() >> 2) - 1 < self.ruleset.fewest_soldiers


@lru_cache(maxsize=32)
def rules_of(ruleset: Ruleset, files: int, ranks: int) -> Rules:
    """The (shared) compiled rules of a game on a board.

    Raises:
        BoardSizeError: the game does not allow the size.
    """
    return Rules(ruleset, geometry_of(files, ranks))
