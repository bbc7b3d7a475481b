"""Moves of the pieces on the board: slides, steps, jumps, chains, and the locks that forbid some of them."""

from collections.abc import Callable, Iterator
from itertools import islice

from latrones_uci.game.captures import Binding, Captures
from latrones_uci.game.encoding import CHAIN, MAX_CHAINS, Board, PackedMove, last_square, path_move
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.ruleset import Ruleset

# The pieces before a leg of a chain: own, opp, own_dux, opp_dux, bound.
Pieces = tuple[int, int, int, int, int]


class Movement:
    """The movement rules of a variant on one board. ``Rules`` adds the rule against blocking one's own dux."""

    def __init__(self, ruleset: Ruleset, geometry: Geometry, captures: Captures) -> None:
        self.geometry, self.captures = geometry, captures
        self.wide, self.near, self.full = geometry.wide, geometry.near, geometry.full
        self.square_at, self.run_moves, self.row = geometry.square_at, geometry.run_moves, geometry.row
        self.soldiers_slide, self.dux_slides = ruleset.soldier_move == "slide", ruleset.dux_move == "slide"
        self.alike = ruleset.dux_move in ("none", ruleset.soldier_move)
        self.soldier_jump, self.dux_jump = ruleset.soldier_jump, ruleset.dux_jump
        self.jump_must_capture = ruleset.jump_must_capture
        self.jumps = self.soldier_jump != "none" or self.dux_jump != "none"
        self.own_dux_guarded = ruleset.blocking_own_dux == "illegal"
        self.jumps_over_all = ruleset.jump_over == "all"
        self.diagonals = geometry.diagonals if ruleset.directions == "all" else ()
        self.chain = ruleset.capture_chain
        self.soldier_locks, self.dux_locks = ruleset.soldier_locks, ruleset.dux_locks == "sides"
        self.locks = self.soldier_locks != "none" or self.dux_locks
        self.guards_entry = ruleset.enter_between == "illegal"
        self.binding, self.binds, self.keeps_marks = Binding(geometry), captures.binds, ruleset.marks == "kept"

    def reach(self, own: int, own_dux: int, empty: int) -> int:
        """Return the destinations of slides and steps as bits of single orientations, one bit per move."""
        if self.alike:
            starts = own << 1 & empty
            return empty & ~(empty + starts) if self.soldiers_slide else starts
        dux = self.wide[own_dux]
        sliders = dux if self.dux_slides else own ^ dux
        return (own << 1 & empty) | empty & ~(empty + (sliders << 1 & empty))

    def moves(self, board: Board, pieces: int = -1) -> list[PackedMove]:
        """Return all moves of pieces on the board, including chains; with ``pieces``, only of those squares."""
        own, opp, own_dux, opp_dux, _, _, _, bound, _ = board
        empty = self.full ^ (own | opp)
        movers = own & ~bound & pieces
        if self.alike:
            moves = self._slides(movers, empty) if self.soldiers_slide else self._steps(movers, empty)
        else:
            dux = self.wide[own_dux] & pieces
            soldiers = movers & ~dux
            moves = self._slides(soldiers, empty) if self.soldiers_slide else self._steps(soldiers, empty)
            moves += self._slides(dux, empty) if self.dux_slides else self._steps(dux, empty)
        if self.diagonals:
            moves += self._diagonal_steps(movers, empty)
        if self.jumps:
            moves += self._jumps((own, opp, own_dux, opp_dux, bound), movers, empty)
        if self.guards_entry:
            moves = self._entering((own, opp, own_dux, opp_dux, bound), moves)
        if self.locks:
            moves = self._unlocked(own, opp, own_dux, opp_dux, empty, moves)
        if self.chain != "none":
            targets = self.captures.targets(own, opp, opp_dux, empty)
            captures = [move for move in moves if self.wide[move >> 8] & targets]
            if self.chain == "forced":
                moves = [move for move in moves if not self.wide[move >> 8] & targets
                         or self._may_end(own, opp, own_dux, opp_dux, move)]
            moves += self._chains_after(captures, own, opp, own_dux, opp_dux)
        return moves

    def tactical_moves(self, board: Board, targets: int) -> list[PackedMove]:
        """Return the moves that land on ``targets``, and the chains of captures whose first leg does."""
        own, opp, own_dux, opp_dux, _, _, _, bound, _ = board
        empty = self.full ^ (own | opp)
        movers = own & ~bound
        reach = self.reach(movers, own_dux, empty) & targets
        square_at = self.square_at
        moves: list[PackedMove] = []
        while reach:
            bit = reach & -reach
            reach ^= bit
            # The next lower bit of `own` is the piece that reaches this square.
            moves.append(square_at[(own & bit - 1).bit_length() - 1] | square_at[bit.bit_length() - 1] << 8)
        if self.diagonals:
            moves += [step for step in self._diagonal_steps(movers, empty) if self.wide[step >> 8] & targets]
        if self.jumps:
            moves += [jump for jump in self._jumps((own, opp, own_dux, opp_dux, bound), movers, empty, targets)
                      if self.wide[last_square(jump)] & targets]
        if self.guards_entry:
            moves = self._entering((own, opp, own_dux, opp_dux, bound), moves)
        if self.locks:
            moves = self._unlocked(own, opp, own_dux, opp_dux, empty, moves)
        if self.chain != "none":
            chains = self._chains_after(moves, own, opp, own_dux, opp_dux)
            if self.chain == "forced":
                moves = [move for move in moves if self._may_end(own, opp, own_dux, opp_dux, move)]
            moves += chains
        return moves

    # ---------------------------------------------------------------- single legs

    def _slides(self, pieces: int, empty: int) -> list[PackedMove]:
        starts = pieces << 1 & empty
        swept = empty + starts
        run_moves = self.run_moves
        moves: list[PackedMove] = []
        while starts:
            start = starts & -starts
            end = swept & -start
            moves += run_moves[(end & -end) - start]
            starts ^= start
        return moves

    def _steps(self, pieces: int, empty: int) -> list[PackedMove]:
        starts = pieces << 1 & empty
        run_moves = self.run_moves
        moves: list[PackedMove] = []
        while starts:
            start = starts & -starts
            moves += run_moves[start]
            starts ^= start
        return moves

    def diagonal_reach(self, pieces: int, empty: int) -> int:
        shifted, pieces = self.geometry.shifted, pieces & self.geometry.base
        return sum((shifted(pieces, distance) & empty).bit_count() for distance in self.diagonals)

    def _diagonal_steps(self, pieces: int, empty: int) -> list[PackedMove]:
        square_at, pieces = self.square_at, pieces & self.geometry.base
        return [square_at[square_bit - distance] | square_at[square_bit] << 8
                for distance in self.diagonals
                for square_bit in _bits(self.geometry.shifted(pieces, distance) & empty)]

    def _jumps(self, pieces: Pieces, movers: int, empty: int, targets: int | None = None) -> list[PackedMove]:
        """Return the jumps of soldiers and dux; with ``targets``, at least those that land on them."""
        own, opp, own_dux, opp_dux, _ = pieces
        dux = self.wide[own_dux] & movers
        singles = (movers & ~dux if self.soldier_jump == "single" else 0) | (dux if self.dux_jump == "single" else 0)
        moves: list[PackedMove] = []
        over = own | opp if self.jumps_over_all else opp
        if singles:
            moves += self._single_jumps(singles, over, empty)
        if self.soldier_jump == "chain" and (targets is None or targets):
            moves += self._hops(pieces, movers & ~dux, over, empty)
        if self.dux_jump == "line" and dux and (landings := self.line_landings(own, opp, own_dux, empty)):
            if self.jump_must_capture:
                landings &= self.captures.targets(own, opp, opp_dux, empty) if targets is None else targets
            while landings:
                bit = landings & -landings
                landings ^= bit
                moves.append(own_dux | self.square_at[bit.bit_length() - 1] << 8)
        if self.jump_must_capture:
            moves = [jump for jump in moves if self._captures(own, opp, opp_dux, jump)]
        if self.own_dux_guarded and dux:
            moves = [jump for jump in moves if jump & 255 != own_dux or self._dux_is_free(own, opp, opp_dux, jump)]
        return moves

    def _dux_is_free(self, own: int, opp: int, opp_dux: int, jump: PackedMove) -> int:
        """Return the empty neighbours of the dux after it has jumped.

        Only jumps need this test: after a slide or step, the square behind the dux is empty.
        """
        origin, to = jump & 255, jump >> 8
        own ^= self.wide[origin] ^ self.wide[to]
        return self.near[to] & ~(own | opp ^ self.captures.victims(own, opp, opp_dux, origin, to))

    def _entering(self, pieces: Pieces, moves: list[PackedMove]) -> list[PackedMove]:
        """Return the moves of one leg that may end where they do, and all chains of hops."""
        between = self.geometry.between(pieces[1])
        return [move for move in moves
                if move >= CHAIN or not self.wide[move >> 8] & between or self._may_enter(pieces, move)]

    def _may_enter(self, pieces: Pieces, leg: PackedMove) -> bool:
        own, opp, _, opp_dux, bound = pieces
        landing = self.wide[leg >> 8]
        if not landing & self.geometry.between(opp):
            return True
        if self.binds:  # judged before the leg, as in Ludii: the piece that moves can be the one behind
            return bool(self.binding.flanked(landing, opp & ~bound & ~self.wide[opp_dux], own & ~bound))
        return bool(self._captures(own, opp, opp_dux, leg))

    def line_landings(self, own: int, opp: int, own_dux: int, empty: int) -> int:
        """Return the first empty squares behind the runs of pieces next to the dux, as bits of single orientations."""
        occupied = own | opp
        return occupied + (self.wide[own_dux] << 1 & occupied) & ~occupied & empty

    def _single_jumps(self, pieces: int, over: int, empty: int) -> list[PackedMove]:
        landings = (pieces << 1 & over) << 1 & empty
        moves = []
        while landings:
            bit = landings & -landings
            landings ^= bit
            index = bit.bit_length() - 1
            moves.append(self.square_at[index - 2] | self.square_at[index] << 8)
        for distance in self.diagonals:
            shifted = self.geometry.shifted
            landings = shifted(shifted(pieces & self.geometry.base, distance) & over, distance) & empty
            moves += [self.square_at[bit - 2 * distance] | self.square_at[bit] << 8 for bit in _bits(landings)]
        return moves

    def _captures(self, own: int, opp: int, opp_dux: int, move: PackedMove) -> int:
        origin, to = move & 255, move >> 8
        return self.captures.victims(own ^ self.wide[origin] ^ self.wide[to], opp, opp_dux, origin, to)

    # ---------------------------------------------------------------- several legs

    @staticmethod
    def _bounded(chains: Callable[[int], Iterator[PackedMove]]) -> list[PackedMove]:
        """Return the chains of ``chains(max_squares)``; if there are too many, only the shortest ones.

        Args:
            chains: yields all chains of at most so many squares.
        """
        moves = list(islice(chains(1 << 16), MAX_CHAINS + 1))
        if len(moves) <= MAX_CHAINS:
            return moves
        squares, shorter = 2, list[PackedMove]()
        while len(moves := list(islice(chains(squares), MAX_CHAINS + 1))) <= MAX_CHAINS:
            squares, shorter = squares + 1, moves
        return shorter

    def _hops(self, pieces: Pieces, movers: int, over: int, empty: int) -> list[PackedMove]:
        """Return the chains of hops over pieces of ``over``, which are not captured."""
        first_hops = self._single_jumps(movers, over, empty)
        return self._bounded(lambda squares: (
            path_move(path)
            for hop in first_hops
            for path in self._extended_hops(pieces, [hop & 255, hop >> 8], over, empty, squares)))

    def _extended_hops(
        self, pieces: Pieces, path: list[int], over: int, empty: int, squares: int
    ) -> Iterator[list[int]]:
        """Yield ``path`` and its continuations; ``pieces`` are before its last hop, and kept where they matter."""
        if self.guards_entry:
            if not self._may_enter(pieces, path[-2] | path[-1] << 8):
                return
            pieces = self._hopped(pieces, path[-2], path[-1])
        yield path
        if len(path) == squares:
            return
        for jump in self._single_jumps(self.wide[path[-1]], over, empty):
            if jump >> 8 not in path:
                yield from self._extended_hops(pieces, [*path, jump >> 8], over, empty, squares)

    def _hopped(self, pieces: Pieces, origin: int, to: int) -> Pieces:
        """Return the pieces after a hop of a soldier; marks that are judged anew change only when a chain ends."""
        own, opp, own_dux, opp_dux, bound = pieces
        own ^= self.wide[origin] ^ self.wide[to]
        if self.keeps_marks:
            bound = self.binding.landed(own, opp, bound, self.wide[own_dux] | self.wide[opp_dux], origin, to)
        return own, opp, own_dux, opp_dux, bound

    def _chains_after(
        self, moves: list[PackedMove], own: int, opp: int, own_dux: int, opp_dux: int
    ) -> list[PackedMove]:
        """Return the chains of two or more legs that start with one of ``moves``."""
        return self._bounded(lambda squares: (
            chain
            for move in moves
            for chain in self._chains(own, opp, own_dux, opp_dux, [move & 255, move >> 8], squares)))

    def _chains(
        self, own: int, opp: int, own_dux: int, opp_dux: int, path: list[int], squares: int
    ) -> Iterator[PackedMove]:
        """Yield the chains that continue ``path`` if its last leg captures; ``own`` and ``opp`` are before that leg."""
        if len(path) == squares:
            return
        after = self._after_capture(own, opp, own_dux, opp_dux, path[-2] | path[-1] << 8)
        if after is None:
            return
        own, opp, own_dux, opp_dux, legs = after
        for leg in legs:
            longer = [*path, leg >> 8]
            if self.chain == "free" or self._may_end(own, opp, own_dux, opp_dux, leg):
                yield path_move(longer)
            yield from self._chains(own, opp, own_dux, opp_dux, longer, squares)

    def _after_capture(
        self, own: int, opp: int, own_dux: int, opp_dux: int, leg: PackedMove
    ) -> tuple[int, int, int, int, list[PackedMove]] | None:
        """Return the pieces after a leg that captures, and the next legs of the same piece; else None."""
        origin, to = leg & 255, leg >> 8
        own ^= self.wide[origin] ^ self.wide[to]
        victims = self.captures.victims(own, opp, opp_dux, origin, to)
        if not victims:
            return None
        opp ^= victims
        if self.wide[opp_dux] & victims:
            opp_dux = -1
        is_dux = origin == own_dux
        if is_dux:
            own_dux = to
        piece, empty = self.wide[to], self.full ^ (own | opp)
        legs = self._steps(piece, empty)
        if self.diagonals:
            legs += self._diagonal_steps(piece, empty)
        if (self.dux_jump if is_dux else self.soldier_jump) == "single":
            legs += self._single_jumps(piece, own | opp if self.jumps_over_all else opp, empty)
        if self.guards_entry:
            legs = self._entering((own, opp, own_dux, opp_dux, 0), legs)
        return own, opp, own_dux, opp_dux, legs

    def _may_end(self, own: int, opp: int, own_dux: int, opp_dux: int, leg: PackedMove) -> bool:
        """Return whether the turn may end with a leg, in games where that depends on what it captures."""
        after = self._after_capture(own, opp, own_dux, opp_dux, leg)
        if self.chain == "capturing":
            return after is not None
        return after is None or not after[4]

    # ---------------------------------------------------------------- locks

    def _unlocked(
        self, own: int, opp: int, own_dux: int, opp_dux: int, empty: int, moves: list[PackedMove]
    ) -> list[PackedMove]:
        """Return the moves that no lock forbids on the board before the move."""
        locked = self._locked_soldiers(own, opp, own_dux) if self.soldier_locks != "none" else 0
        covered = 0
        if self.dux_locks and own_dux >= 0 and self.near[own_dux] & opp:
            covered = 4 - (self.near[own_dux] & empty).bit_count()
        if not locked and not covered:
            return moves
        wide, near = self.wide, self.near
        targets = self.captures.targets(own, opp, opp_dux, empty)
        kept = []
        for move in moves:
            origin, to = move & 255, move >> 8
            if origin == own_dux:
                if covered >= 3 or covered and not (
                    covered == 1 and wide[to] & near[origin] or self._offensive(own, opp, opp_dux, move, targets)
                ):
                    continue
            elif wide[origin] & locked and not self._offensive(own, opp, opp_dux, move, targets):
                continue
            kept.append(move)
        return kept

    def _offensive(self, own: int, opp: int, opp_dux: int, move: PackedMove, targets: int) -> bool:
        landing = self.wide[move >> 8]
        return bool(landing & self.near[opp_dux] or landing & targets and self._captures(own, opp, opp_dux, move))

    def _locked_soldiers(self, own: int, opp: int, own_dux: int) -> int:
        base, row = self.geometry.base, self.row
        soldiers, friends, enemies = own & base & ~self.wide[own_dux], own & base, opp & base
        if self.soldier_locks == "melee":
            # An enemy locks a soldier only if it touches no other piece of the soldier's side.
            east, west, north, south = friends << 1, friends >> 1, friends << row, friends >> row
            enemies &= ~(east & west | north & south | (east | west) & (north | south))
        return (enemies << 1 | enemies >> 1 | enemies << row | enemies >> row) & soldiers


def _bits(squares: int) -> Iterator[int]:
    while squares:
        bit = squares & -squares
        squares ^= bit
        yield bit.bit_length() - 1
