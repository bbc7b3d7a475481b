"""The static evaluation in centi-soldiers; both kernels compute the same integer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from latrones_uci.game.encoding import Board, dux_in_hand, pieces_in_hand
from latrones_uci.game.rules import Rules
from latrones_uci.game.ruleset import Ruleset

Evaluate = Callable[[Board], int]

PURSUIT_REACH = 3
"""Distance in steps up to which a piece counts as near an enemy."""

PURSUED_MEN, SQUARES_PER_PURSUED_MAN = 8, 8
"""Number of men up to which the side with fewer is pursued. In games with a weight ``captured``, there are more on
boards of more than 64 squares: one for so many squares."""

FEW_MEN = 4
"""Number of men up to which ``Weights.hemmed`` applies to the side with fewer."""
LAST_MEN, LAST_MEN_FACTOR = 2, 7
"""Number of men up to which ``Weights.pursued_edge`` and ``Weights.hemmed`` count more, in games with a weight
``hemmed``, and the factor."""


@dataclass(frozen=True)
class Weights:
    """The weights of the evaluation terms, in centi-soldiers."""

    soldier: int = 100
    """A piece on the board or in hand."""
    ordinary_dux: int = 60
    """Bonus, on top of ``soldier``, for a dux that can be captured like a soldier."""
    bound: int = -60
    """A bound soldier, which can neither move nor bind and may be killed."""
    slide: int = 1
    """A square that a piece can slide to, in games where soldiers slide."""
    step: int = 3
    """A square that a piece can step to, in games where soldiers step."""
    threat: int = 12
    """A direction from which landing on an empty square would capture or bind."""
    dux_sides: tuple[int, int, int, int, int] = (-120, -70, -20, 0, 6)
    """A dux with 0, 1, 2, 3, 4 open sides, in games where a dux without open sides is lost."""
    edge: int = 0
    """A piece on an edge of the board."""
    pursued_edge: int = 0
    """For the side with more pieces, an enemy piece on an edge of the board, if the enemy has at most ``pursued_men``
    pieces."""
    pursuit: int = 0
    """For the same side, each step by which a piece of either side is nearer to an enemy than ``PURSUIT_REACH`` + 1
    steps."""
    captured: int = 0
    """For the same side, each piece that the enemy has fewer than ``pursued_men``. It makes up for the ``pursuit`` of a
    captured piece; where many pieces are near it, that is more than a ``soldier``."""
    hemmed: int = 0
    """For the same side, if the enemy has at most ``FEW_MEN`` pieces, each slide or step that an enemy piece lacks,
    averaged over the enemy pieces. Slides and steps are counted as in ``slide`` and ``step``, out of the number of
    other squares on the file and rank of a piece."""

    @property
    def pursues(self) -> bool:
        """Whether ``Terms.pursuit`` can be other than 0."""
        return bool(self.edge or self.pursued_edge or self.pursuit or self.captured or self.hemmed)


def weights_of(ruleset: Ruleset) -> Weights:
    """Return the weights for a game. docs/lab/evaluation.md lists the matches that decided them."""
    if ruleset.capture_effect == "bind":
        return _BINDING
    if ruleset.soldier_move == "step" and ruleset.repetition == "illegal" and not ruleset.nocapture_limit:
        return _HUNTING
    if ruleset.soldier_move == "step" and ruleset.nocapture_limit and ruleset.nocapture_result == "most_men":
        return _COUNTING
    drives = ruleset.soldier_move == "slide" and ruleset.soldier_locks == "none"
    if ruleset.enclosure:
        return _ENCLOSING_DRIVING if drives else _ENCLOSING
    return _DRIVING if drives else _WEIGHTS


_WEIGHTS = Weights()
# In games that capture enclosed groups, mobility is worth more.
_ENCLOSING = replace(_WEIGHTS, slide=4, dux_sides=(-60, -35, -10, 0, 3))
# The last sliding pieces of a side escape unless they are driven. Where moves lock pieces, they get caught anyway.
_DRIVING, _ENCLOSING_DRIVING = (
    replace(weights, pursued_edge=10, pursuit=5, hemmed=4) for weights in (_WEIGHTS, _ENCLOSING)
)
# Where repetition is illegal and no limit ends the game, pieces that step have to be hunted down, by many at a time.
_HUNTING = replace(_WEIGHTS, edge=-4, pursued_edge=15, pursuit=10, captured=300)
# Where the side with more men wins at the limit, only the next captures count, and pieces that step need no room.
_COUNTING = replace(_WEIGHTS, step=0, threat=30, edge=-6)
# In games that bind pieces before they are killed, pieces evade enemies that keep their distance, most easily in the
# centre, and a piece that binds is often bound in turn.
_BINDING = replace(_WEIGHTS, bound=0, step=5, threat=8, edge=-8, pursued_edge=15, pursuit=8)


def pursued_men(weights: Weights, squares: int) -> int:
    """Return the number of men up to which the side with fewer is pursued, on a board with this number of squares."""
    return max(PURSUED_MEN, squares // SQUARES_PER_PURSUED_MAN) if weights.captured else PURSUED_MEN


class Terms(NamedTuple):
    """The weighted terms of the evaluation, each for the player to move minus the opponent."""

    material: int
    mobility: int
    threats: int
    dux_safety: int
    bound: int
    pursuit: int

    @property
    def total(self) -> int:
        return self.material + self.mobility + self.threats + self.dux_safety + self.bound + self.pursuit


def terms(rules: Rules, board: Board) -> Terms:
    """Return the terms of the evaluation of a board, for the player to move."""
    weights = weights_of(rules.ruleset)
    own, opp, own_dux, opp_dux, colour, _, _, bound, hand = board
    empty = rules.full ^ (own | opp)
    ruleset = rules.ruleset
    mobility = weights.slide if ruleset.soldier_move == "slide" else weights.step
    breathes = ruleset.dux_needs_open_side

    def side(pieces: int, others: int, dux: int, other_dux: int, colour: int) -> tuple[int, int, int, int, int]:
        count = (pieces.bit_count() >> 2) + pieces_in_hand(hand, colour)
        has_dux = dux >= 0 or dux_in_hand(hand, colour)
        free, free_others = pieces & ~bound, others & ~bound
        moves = 0
        if mobility:
            moves = rules.movement.reach(free, dux, empty).bit_count() + rules.movement.diagonal_reach(free, empty)
        threats = rules.captures.landings(free, free_others, other_dux, empty).bit_count() + sum(
            map(int.bit_count, rules.captures.diagonal_landings(free, free_others, other_dux, empty)))
        return (
            weights.soldier * count + (weights.ordinary_dux if has_dux and ruleset.dux_fate == "ordinary" else 0),
            mobility * moves,
            weights.threat * threats,
            weights.dux_sides[(rules.near[dux] & empty).bit_count()] if breathes else 0,
            weights.bound * ((pieces & bound).bit_count() >> 2),
        )

    mine, theirs = side(own, opp, own_dux, opp_dux, colour), side(opp, own, opp_dux, own_dux, colour ^ 1)
    differences = [a - b for a, b in zip(mine, theirs, strict=True)]
    differences.append(_pursuit(rules, board, weights) if weights.pursues else 0)
    return Terms(*differences)


def _pursuit(rules: Rules, board: Board, weights: Weights) -> int:
    """Return the pursuit term: the bonus of the side with more pieces for driving the other side, and the edges."""
    geometry = rules.geometry
    all_own, all_opp, own_dux, opp_dux, side, _, _, _, hand = board
    own, opp = all_own & geometry.base, all_opp & geometry.base
    own_edge, opp_edge = (own & geometry.edges).bit_count(), (opp & geometry.edges).bit_count()
    edge = weights.edge * (own_edge - opp_edge)
    own_men = own.bit_count() + pieces_in_hand(hand, side)
    opp_men = opp.bit_count() + pieces_in_hand(hand, side ^ 1)
    lead, men = own_men - opp_men, min(own_men, opp_men)
    most = pursued_men(weights, geometry.squares)
    if not lead or men > most:
        return edge
    nearness = geometry.nearness(own, opp, PURSUIT_REACH)
    hunted, dux = (all_opp, opp_dux) if lead > 0 else (all_own, own_dux)
    factor = LAST_MEN_FACTOR if weights.hemmed and men <= LAST_MEN else 1
    gain = weights.pursuit * nearness + factor * weights.pursued_edge * (opp_edge if lead > 0 else own_edge)
    gain += weights.captured * (most - men)
    if weights.hemmed and 0 < men <= FEW_MEN:
        moves = rules.movement.reach(hunted, dux, rules.full ^ (all_own | all_opp)).bit_count()
        gain += factor * weights.hemmed * (men * (geometry.files + geometry.ranks - 2) - moves) // men
    return edge + gain if lead > 0 else edge - gain


def evaluator(rules: Rules) -> Evaluate:
    """Return a function from boards to ``terms(...).total``, with a faster version for games where all pieces slide."""
    ruleset = rules.ruleset
    slides, binds = ruleset.soldier_move == "slide" and rules.movement.alike, ruleset.capture_effect == "bind"
    if not ruleset.hand and slides and not binds and not ruleset.hostile_corners:
        return _slides_evaluator(rules)

    def evaluate(board: Board) -> int:
        return terms(rules, board).total

    return evaluate


def _slides_evaluator(rules: Rules) -> Evaluate:
    weights = weights_of(rules.ruleset)
    full, near, wide = rules.full, rules.near, rules.wide
    captures = rules.captures
    one, line, dux_spared = captures.custodian == "one", captures.custodian == "line", captures.dux_spared
    quarter_soldier, mobility, threat = weights.soldier // 4, weights.slide, weights.threat
    ordinary = weights.ordinary_dux if rules.ruleset.dux_fate == "ordinary" else 0
    dux_sides = weights.dux_sides if rules.ruleset.dux_needs_open_side else (0,) * 5
    pursues, most_bits = weights.pursues, 4 * pursued_men(weights, rules.geometry.squares)

    def evaluate(board: Board) -> int:
        own, opp, own_dux, opp_dux, _, _, _, _, _ = board
        empty = full ^ (own | opp)
        own_threats = opp_threats = 0
        if line:
            own_threats = opp + (own << 1 & opp) & ~opp & empty
            opp_threats = own + (opp << 1 & own) & ~own & empty
        elif one:
            own_prey, opp_prey = (opp & ~wide[opp_dux], own & ~wide[own_dux]) if dux_spared else (opp, own)
            own_threats = (own << 1 & own_prey) << 1 & empty
            opp_threats = (opp << 1 & opp_prey) << 1 & empty
        own_bits, opp_bits = own.bit_count(), opp.bit_count()  # four bits per piece
        value = (
            quarter_soldier * (own_bits - opp_bits)
            + mobility * ((empty & ~(empty + (own << 1 & empty))).bit_count()
                          - (empty & ~(empty + (opp << 1 & empty))).bit_count())
            + threat * (own_threats.bit_count() - opp_threats.bit_count())
            + dux_sides[(near[own_dux] & empty).bit_count()]
            - dux_sides[(near[opp_dux] & empty).bit_count()]
        )
        # In most positions no side is pursued, and these games have no weight for edges.
        if pursues and own_bits != opp_bits and (own_bits <= most_bits or opp_bits <= most_bits):
            value += _pursuit(rules, board, weights)
        return value + ordinary * ((own_dux >= 0) - (opp_dux >= 0)) if ordinary else value

    return evaluate
