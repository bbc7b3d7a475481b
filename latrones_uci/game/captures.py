"""What a man captures by landing on a square."""

from latrones_uci.game.geometry import Geometry
from latrones_uci.game.ruleset import Ruleset


class Captures:
    """The captures of a game on a board: where they are possible at all, and exactly.

    What costs time is telling captures from other moves. ``targets`` finds, by a few operations on whole boards, a
    superset of the squares where landing can capture or decide the game; elsewhere nobody needs to look.
    """

    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        """Compiles what a ruleset says of captures."""
        self.geometry = geometry
        self.wide, self.near, self.wide_at = geometry.wide, geometry.near, geometry.wide_at
        self.base, self.row, self.full = geometry.base, geometry.row, geometry.full
        self.square_at, self.run_squares = geometry.square_at, geometry.run_squares
        self.binds = ruleset.capture_effect == "bind"
        self.custodian = ruleset.custodian
        self.void_axes = geometry.axes if ruleset.flanked_mover == "void_axis" else ()
        corners = (0, geometry.files - 1, geometry.squares - geometry.files, geometry.squares - 1)
        self.corners = sum(self.wide[square] for square in corners) & self.base if ruleset.corner else 0
        self.enclosure = ruleset.enclosure
        self.push_and_crush, self.flank_attack = ruleset.push_and_crush, ruleset.flank_attack
        self.phalanx = ruleset.phalanx
        self.travels = self.push_and_crush or self.flank_attack or self.phalanx
        self.dux_captured = ruleset.dux_fate == "captured"
        self.dux_blocked_loses = ruleset.dux_fate in ("captured", "immobilised")
        self.dux_spared = ruleset.dux_fate != "ordinary"
        self.safe = self.wide[geometry.centre] if ruleset.safe_square == "centre" else 0

    def landings(self, own: int, opp: int, opp_dux: int, empty: int) -> int:
        """Empty squares behind enemies with a man of ``own`` on their far side, as bits of single orientations.

        Landing there is a custodian capture, or binds.
        """
        if self.custodian == "line":
            return opp + (own << 1 & opp) & ~opp & empty
        if self.custodian == "one":
            if self.dux_spared:
                opp &= ~self.wide[opp_dux]
            return (own << 1 & opp) << 1 & empty
        return 0

    def targets(self, own: int, opp: int, opp_dux: int, empty: int) -> int:
        """Wide set of empty squares that holds all where a man of ``own`` may capture or decide by landing.

        A superset: whose move it is that lands there, and what it leaves behind, is not looked at. With captures by
        direction of travel some squares have only the bits of the orientations concerned.
        """
        if self.binds:
            return 0
        landings = self.landings(own, opp, opp_dux, empty)
        if self.flank_attack:
            landings |= opp + (own << 1 & opp) & ~opp & empty
        wide_at = self.wide_at
        targets = 0
        while landings:
            bit = landings & -landings
            targets |= wide_at[bit.bit_length() - 1]
            landings ^= bit

        last = 0
        if self.dux_blocked_loses:
            last = self.near[opp_dux] & empty
            if last & (last - 1):
                last = 0
        if self.enclosure:
            last |= self._enclosing_squares(opp & self.base, empty & self.base)
        if self.corners & opp:
            last |= self._corner_squares(own, opp, empty)
        if self.travels:
            targets |= own >> 1 & empty
        return targets | self.geometry.widen(last) if last else targets

    def _enclosing_squares(self, opp: int, empty: int) -> int:
        """Squares that may be the last liberty of a group (sets of the first orientation).

        The men of such a group that touch the liberty have no other, and no man next to them has any: two neighbours
        with liberties never share one, for a square's neighbours do not touch.
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
        """Wide set of the men of ``opp`` captured by the man of ``own`` that came from ``origin`` to ``to``."""
        victims = self._ahead(own, opp, opp_dux, origin, to) if self.travels else 0
        beside = self.wide[to] << 1 & opp
        if not beside:
            return victims
        anchors = 0
        if self.custodian == "line":
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
        near_enemies = self.near[to] & opp
        if self.corners & near_enemies:
            for corner in self.geometry.squares_of(self.corners & near_enemies):
                if not self.near[corner] & ~own:
                    victims |= self.wide[corner]
        if self.dux_spared:
            victims &= ~self.wide[opp_dux]
        if self.enclosure:
            victims |= self._enclosed(near_enemies, opp & self.base, self.base & self.full & ~(own | opp))
        if self.dux_captured and opp_dux >= 0 and not self.near[opp_dux] & ~(own | opp):
            victims |= self.wide[opp_dux]
        return victims & ~self.safe

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

    def _ahead(self, own: int, opp: int, opp_dux: int, origin: int, to: int) -> int:
        """The captures in the direction of travel: push and crush, flank attack, phalanx."""
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
                # The addition carries through the run of friends to what stands behind it.
                behind = own + first & ~own & line
                if behind & prey and self._supported(own, direction, behind - (first >> 1)):
                    victim |= behind
        elif self.flank_attack and first & prey and first << 1 & opp and opp + first & ~opp & own & line:
            victim = first
        return self.wide_at[victim.bit_length() - 1] if victim else 0

    def _supported(self, own: int, direction: int, stretch: int) -> bool:
        """Whether on at least one side all the squares beside a stretch of a line hold friends."""
        line = self.geometry.lines[direction] & own
        pitch = (self.geometry.files if direction < 2 else self.geometry.ranks) + 1
        left, right = stretch << pitch, stretch >> pitch
        return left & line == left or (right & line == right and right << pitch == stretch)


# ---------------------------------------------------------------- binding
# Bound marks: soldiers that stand between two free enemies.

MOST_ROUNDS = 4


class Binding:
    """Judges the marks of a board anew after an action."""

    def __init__(self, geometry: Geometry) -> None:
        """Prepares for a board."""
        self._geometry, self._base, self._row = geometry, geometry.base, geometry.row

    def judged(self, mover: int, other: int, bound: int) -> int:
        """The wide set of bound soldiers after an action by ``mover``; ``bound`` is that before.

        In each round first the other's soldiers are judged, then the mover's, each pass by the marks as the pass before
        it left them. Rounds end with one that changes nothing, or with the fourth.
        """
        mover, other, marks = mover & self._base, other & self._base, bound & self._base
        before = marks
        for _ in range(MOST_ROUNDS):
            of_other = self._between(mover & ~marks, other)
            of_mover = self._between(other & ~of_other, mover)
            marks_now = of_other | of_mover
            if marks_now == marks:
                break
            marks = marks_now
        return bound if marks == before else self._geometry.widen(marks)

    def _between(self, free: int, soldiers: int) -> int:
        """Those of ``soldiers`` with two of ``free`` on both sides along an axis."""
        row = self._row
        return (free << 1 & free >> 1 | free << row & free >> row) & soldiers
