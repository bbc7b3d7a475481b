"""Rota: the wheel of nine squares, where three in a line through the centre win."""

from itertools import pairwise

from latrones_uci.game.board import Board
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.moves import Move
from latrones_uci.game.rules import Rules
from latrones_uci.game.ruleset import Ruleset

RIM = ("a1", "a2", "a3", "b3", "c3", "c2", "c1", "b1")
CENTRE = "b2"


class WheelRules(Rules):
    """The rules on the wheel. Nothing is captured, so only how men step and who has won is other than on a grid."""

    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        """Compiles the wheel."""
        super().__init__(ruleset, geometry)
        rim, centre = [geometry.parse_square(name) for name in RIM], geometry.parse_square(CENTRE)
        spokes = [(square, centre) for square in rim]
        pairs = [*pairwise([*rim, rim[0]]), *spokes]
        self._steps: list[list[Move]] = [[] for _ in range(geometry.squares)]
        for one, other in [*pairs, *((other, one) for one, other in pairs)]:
            self._steps[one].append(one | other << 8)
            self._add_tables(one | other << 8)
        half = len(rim) // 2
        self._lines = [self.wide[rim[i]] | self.wide[rim[i + half]] | self.wide[centre] for i in range(half)]

    def targets(self, board: Board) -> int:
        """Every square: any landing may complete a line."""
        return self.full

    def moves(self, board: Board) -> list[Move]:
        """All legal moves of a board whose game is not decided."""
        own, opp, _, _, side, _, _, _, hand = board
        if hand:
            return self.placement.moves(own | opp, hand, side)
        return [move for square in self.geometry.squares_of(own) for move in self._steps[square]
                if not (own | opp) & self.wide[move >> 8]]

    def tactical_moves(self, board: Board) -> list[Move]:
        """The winning moves."""
        return [move for move in self.moves(board) if self.decided(self.play(board, move))]

    def count(self, board: Board) -> int:
        """``len(self.moves(board))``."""
        return len(self.moves(board))

    def decided(self, board: Board) -> int:
        """-1 if the player to move has lost by the other's line, 1 if it has a line itself, else 0."""
        own, opp = board[:2]
        if any(opp & line == line for line in self._lines):
            return -1
        return 1 if any(own & line == line for line in self._lines) else 0
