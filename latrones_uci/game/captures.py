"""Captures: which pieces a landing captures, and which soldiers are bound."""

from latrones_uci.game.geometry import Geometry
from latrones_uci.game.ruleset import Ruleset


class Captures:
    """The capture rules of a variant on one board.

    Finding the victims of each move is slow. ``targets`` therefore computes, by a few operations on whole boards, a
    superset of the squares where a landing can capture or decide the game; moves to other squares need no test.
    """

    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        self.geometry = geometry
        self.wide, self.near, self.wide_at = geometry.wide, geometry.near, geometry.wide_at
        self.base, self.row, self.full = geometry.base, geometry.row, geometry.full
        self.square_at, self.run_squares = geometry.square_at, geometry.run_squares
        self.binds = ruleset.capture_effect == "bind"
        # What landings are counted as threats, and what a landing captures between two.
        self.threats = "one" if ruleset.jump_captures and ruleset.custodian == "none" else ruleset.custodian
        self.custodian = "none" if self.binds else ruleset.custodian
        self.intervention, self.jump_captures = ruleset.intervention, ruleset.jump_captures
        self.void_axes = geometry.axes if ruleset.flanked_mover == "void_axis" else ()
        corners = sum(self.wide[square] for square in (
            0, geometry.files - 1, geometry.squares - geometry.files, geometry.squares - 1))
        self.corners = corners & self.base if ruleset.corner else 0
        self.hostile = corners if ruleset.hostile_corners else 0
        self.diagonals = geometry.diagonals if ruleset.directions == "all" and self.threats == "one" else ()
        self.enclosure = ruleset.enclosure
        self.push_and_crush, self.flank_attack = ruleset.push_and_crush, ruleset.flank_attack
        self.phalanx = ruleset.phalanx
        self.travels = self.push_and_crush or self.flank_attack or self.phalanx
        self.dux_captured = ruleset.dux_fate == "captured"
        self.dux_needs_open_side = ruleset.dux_needs_open_side
        self.dux_spared = ruleset.dux_fate != "ordinary"
        self.safe = self.wide[geometry.centre] if ruleset.safe_square == "centre" else 0

    def landings(self, own: int, opp: int, opp_dux: int, empty: int) -> int:
        """Return the empty squares where a landing flanks enemies between two pieces of ``own``.

        Such a landing captures or binds; in games without captures between two, a jump that captures may land there.
        The squares are bits of single orientations; diagonals are left out.
        """
        if self.hostile:
            own, opp = own | self.hostile, opp & ~self.hostile
        if self.threats == "line":
            return opp + (own << 1 & opp) & ~opp & empty
        if self.threats == "one":
            if self.dux_spared:
                opp &= ~self.wide[opp_dux]
            return (own << 1 & opp) << 1 & empty
        return 0

    def diagonal_landings(self, own: int, opp: int, opp_dux: int, empty: int) -> list[int]:
        """Return the same for each diagonal direction (sets of the first orientation); none in games without them."""
        shifted = self.geometry.shifted
        if self.dux_spared:
            opp &= ~self.wide[opp_dux]
        if self.hostile:
            own, opp = own | self.hostile, opp & ~self.hostile
        return [shifted(shifted(own & self.base, distance) & opp, distance) & empty for distance in self.diagonals]

    def targets(self, own: int, opp: int, opp_dux: int, empty: int) -> int:
        """Return a wide set that contains all squares where a piece of ``own`` can capture or decide by landing.

        The set may contain more squares, as it ignores which piece lands there and what it leaves behind. With captures
        by direction of travel, some squares have only the bits of the directions concerned.
        """
        landings = 0 if self.binds else self.landings(own, opp, opp_dux, empty)
        if self.flank_attack:
            landings |= opp + (own << 1 & opp) & ~opp & empty
        wide_at = self.wide_at
        targets = 0
        while landings:
            bit = landings & -landings
            targets |= wide_at[bit.bit_length() - 1]
            landings ^= bit

        last = 0
        if self.dux_needs_open_side:
            last = self.near[opp_dux] & empty
            if last & (last - 1):
                last = 0
        if self.intervention:
            last |= self.geometry.between(opp) & empty
        if self.enclosure:
            last |= self._enclosing_squares(opp & self.base, empty & self.base)
        if self.corners & opp:
            last |= self._corner_squares(own, opp, empty)
        for found in self.diagonal_landings(own, opp, opp_dux, empty) if self.diagonals else ():
            last |= found
        if self.travels:
            targets |= own >> 1 & empty
        return targets | self.geometry.widen(last) if last else targets

    def _enclosing_squares(self, opp: int, empty: int) -> int:
        """Return the squares that can be the last liberty (empty neighbour) of a group; sets of the first orientation.

        In such a group, the pieces next to the liberty have no other one, and their neighbours have none at all: two
        adjacent pieces never share a liberty, because the neighbours of a square are not adjacent to each other.
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

    def victims(self, own: int, opp: int, opp_dux: int, origin: int, to: int) -> int:
        """Return the wide set of enemies captured by the piece of ``own`` that has moved from ``origin`` to ``to``."""
        victims = self._ahead(own, opp, opp_dux, origin, to) if self.travels else 0
        if self.jump_captures:
            victims |= self._jumped(opp & ~(self.wide[opp_dux] if self.dux_spared else 0), origin, to)
        if self.diagonals and self.custodian != "none":
            victims |= self._diagonal_victims(own, opp & ~(self.wide[opp_dux] if self.dux_spared else 0), to)
        beside = self.wide[to] << 1 & opp
        if not beside:
            return victims
        anchors = 0
        if self.hostile:
            anchors = self._with_hostile_corners(own, opp, beside)
        elif self.custodian == "line":
            anchors = opp + beside & ~opp & own
        elif self.custodian == "one":
            anchors = beside << 1 & own
        for forth, back in self.void_axes:
            if beside & forth and beside & back:
                anchors &= ~(forth | back)
        while anchors:
            anchor = anchors & -anchors
            start = 1 << (beside & anchor - 1).bit_length() - 1
            victims |= self.run_squares[anchor - start]
            anchors ^= anchor
        for forth, back in self.geometry.axes if self.intervention else ():
            if beside & forth and beside & back:
                for enemy in (beside & forth, beside & back):
                    victims |= self.wide_at[enemy.bit_length() - 1]
        near_enemies = self.near[to] & opp
        if self.corners & near_enemies:
            for corner in self.geometry.squares_of(self.corners & near_enemies):
                if not self.near[corner] & ~own:
                    victims |= self.wide[corner]
        if self.enclosure:
            victims |= self._enclosed(near_enemies, opp & self.base, self.base & self.full & ~(own | opp))
        if self.dux_spared:
            victims &= ~self.wide[opp_dux]
        if self.dux_captured and opp_dux >= 0 and not self.near[opp_dux] & ~(own | opp):
            victims |= self.wide[opp_dux]
        return victims & ~self.safe

    def _jumped(self, opp: int, origin: int, to: int) -> int:
        """Return the enemy that a single jump goes over, as a wide set; slides and steps go over none."""
        files = self.geometry.files
        if abs(origin // files - to // files) | abs(origin % files - to % files) != 2:
            return 0
        return self.wide[(origin + to) // 2] & opp & ~self.safe

    def _with_hostile_corners(self, own: int, opp: int, beside: int) -> int:
        """Return the squares behind enemies next to a piece that are friendly, as bits of single orientations."""
        prey, friends = opp & ~self.hostile, own | self.hostile
        if self.custodian == "line":
            return prey + (beside & prey) & ~prey & friends
        return (beside & prey) << 1 & friends

    def _diagonal_victims(self, own: int, opp: int, to: int) -> int:
        shifted, piece, found = self.geometry.shifted, self.wide[to] & self.base, 0
        for distance in self.diagonals:
            beside = shifted(piece, distance) & opp & ~self.hostile
            if beside and shifted(beside, distance) & (own | self.hostile):
                found |= beside
        return self.geometry.widen(found) & ~self.safe if found else 0

    def _enclosed(self, seeds: int, opp: int, empty: int) -> int:
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

    def _ahead(self, own: int, opp: int, opp_dux: int, origin: int, to: int) -> int:
        """Return the captures in the direction of travel: push and crush, flank attack, phalanx."""
        direction = self.geometry.travel(origin, to)
        line = self.geometry.lines[direction]
        first = self.wide[to] << 1 & line
        prey = opp & ~self.safe & ~(self.wide[opp_dux] if self.dux_spared else 0)
        victim = 0
        if first & own:
            second = first << 1
            beyond = second << 1
            if self.push_and_crush and second & prey and (beyond & own or not beyond & self.full):
                victim = second
            if self.phalanx:
                # The addition carries through the run of friendly pieces to the square behind it.
                behind = own + first & ~own & line
                if behind & prey and self._supported(own, direction, behind - (first >> 1)):
                    victim |= behind
        elif self.flank_attack and first & prey and first << 1 & opp and opp + first & ~opp & own & line:
            victim = first
        return self.wide_at[victim.bit_length() - 1] if victim else 0

    def _supported(self, own: int, direction: int, stretch: int) -> bool:
        """Return whether friendly pieces occupy all squares on at least one side of a stretch of a line."""
        line = self.geometry.lines[direction] & own
        pitch = (self.geometry.files if direction < 2 else self.geometry.ranks) + 1
        left, right = stretch << pitch, stretch >> pitch
        return left & line == left or (right & line == right and right << pitch == stretch)


# ---------------------------------------------------------------- bound soldiers

MAX_ROUNDS = 4


class Binding:
    """Marks the soldiers that are bound: those between two free enemies. Duces help to bind, and are never bound."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry, self._base, self._row = geometry, geometry.base, geometry.row

    def updated(self, mover: int, other: int, bound: int, duces: int) -> int:
        """Return the wide set of bound soldiers after an action by ``mover``.

        Each round first marks the opponent's soldiers, then the mover's, using the marks of the previous step. Rounds
        end when one changes nothing, and after the fourth.

        Args:
            mover: pieces of the player who has just moved.
            other: pieces of the opponent.
            bound: the bound soldiers before the action.
            duces: the duces of both sides.
        """
        mover, other, marks = mover & self._base, other & self._base, bound & self._base
        before = marks
        for _ in range(MAX_ROUNDS):
            of_other = self._geometry.between(mover & ~marks) & other & ~duces
            of_mover = self._geometry.between(other & ~of_other) & mover & ~duces
            marks_now = of_other | of_mover
            if marks_now == marks:
                break
            marks = marks_now
        return bound if marks == before else self._geometry.widen(marks)

    def landed(self, mover: int, other: int, bound: int, duces: int, origin: int, to: int) -> int:
        """Return the wide set of bound soldiers after a landing, in games where marks are kept.

        All changes are judged on the board after the landing, with the marks before it: a soldier of the opponent is
        released if the piece left it and a free piece stands on its other side; one is bound between the piece that
        landed and another free one; and bound soldiers of the mover next to it, held by it, are freed.

        Args:
            mover: pieces of the player who moves, after the landing.
            other: pieces of the opponent.
            bound: the bound soldiers before the landing.
            duces: the duces of both sides.
            origin: the square that the piece left.
            to: the square on which it landed.
        """
        mover, other, marks, wide = mover & self._base, other & self._base, bound & self._base, self._geometry.wide
        free_mover, free_other = mover & ~marks, other & ~marks
        released = self.flanked(wide[origin], other & marks, free_mover)
        caught = self.flanked(wide[to], free_other & ~duces, free_mover)
        freed = 0
        for square in self._geometry.squares_of(caught):
            freed |= self.flanked(wide[square], mover & marks, free_other)
        after = marks & ~(released | freed) | caught
        return bound if after == marks else self._geometry.widen(after)

    def flanked(self, start: int, soldiers: int, behind: int) -> int:
        """Return those of ``soldiers`` next to a square that have a piece of ``behind`` right behind them.

        The sets may be wide; the result is of the first orientation.
        """
        row, start, found = self._row, start & self._base, 0
        soldiers, behind = soldiers & self._base, behind & self._base
        for distance in (1, row):
            found |= start << distance & soldiers & behind >> distance
            found |= start >> distance & soldiers & behind << distance
        return found
