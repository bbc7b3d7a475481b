"""The static evaluation, in centi-soldiers, the same integer in every kernel."""

from collections.abc import Callable
from dataclasses import dataclass

from latrones_uci.game.rules import Board, Rules

Evaluate = Callable[[Board], int]


@dataclass(frozen=True)
class Weights:
    """What each term is worth, in centi-soldiers.

    Attributes:
        soldier: a man on the board.
        mobility: a square that a man can slide to.
        threat: a direction from which landing on an empty square would capture.
        dux_sides: a dux with 0, 1, 2, 3, 4 open sides.
    """

    soldier: int = 100
    mobility: int = 2
    threat: int = 6
    dux_sides: tuple[int, int, int, int, int] = (-120, -70, -20, 0, 6)


WEIGHTS = Weights()


@dataclass(frozen=True)
class Terms:
    """The evaluation's parts, each own minus opponent's, weighted."""

    material: int
    mobility: int
    threats: int
    dux_safety: int

    @property
    def total(self) -> int:
        """The evaluation."""
        return self.material + self.mobility + self.threats + self.dux_safety


def terms(rules: Rules, board: Board, weights: Weights = WEIGHTS) -> Terms:
    """The parts of the evaluation of a board, from the player to move; their sum is ``evaluate``'s."""
    own, opp, own_dux, opp_dux = board[:4]
    empty = rules.full ^ (own | opp)

    def side(men: int, others: int, dux: int, other_dux: int) -> tuple[int, int, int, int]:
        landings = rules.capture_landings(men, others, other_dux, empty)
        return (
            weights.soldier * (men.bit_count() >> 2),
            weights.mobility * (empty & ~(empty + (men << 1 & empty))).bit_count(),
            weights.threat * landings.bit_count(),
            weights.dux_sides[(rules.near[dux] & empty).bit_count()],
        )

    mine, theirs = side(own, opp, own_dux, opp_dux), side(opp, own, opp_dux, own_dux)
    return Terms(*(a - b for a, b in zip(mine, theirs, strict=True)))


def evaluator(rules: Rules, weights: Weights = WEIGHTS) -> Evaluate:
    """A function from boards to ``terms(...).total``, written out for speed."""
    full, near, wide = rules.full, rules.near, rules.wide
    line_custodian = rules.line_custodian
    quarter_soldier, mobility, threat, dux_sides = (
        weights.soldier // 4, weights.mobility, weights.threat, weights.dux_sides)

    def evaluate(board: Board) -> int:
        own, opp, own_dux, opp_dux, _, _, _ = board
        empty = full ^ (own | opp)
        if line_custodian:
            own_threats = opp + (own << 1 & opp) & ~opp & empty
            opp_threats = own + (opp << 1 & own) & ~own & empty
        else:
            own_threats = (own << 1 & opp & ~wide[opp_dux]) << 1 & empty
            opp_threats = (opp << 1 & own & ~wide[own_dux]) << 1 & empty
        return (
            quarter_soldier * (own.bit_count() - opp.bit_count())
            + mobility * ((empty & ~(empty + (own << 1 & empty))).bit_count()
                          - (empty & ~(empty + (opp << 1 & empty))).bit_count())
            + threat * (own_threats.bit_count() - opp_threats.bit_count())
            + dux_sides[(near[own_dux] & empty).bit_count()]
            - dux_sides[(near[opp_dux] & empty).bit_count()]
        )

    return evaluate
