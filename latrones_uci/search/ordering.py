"""The order in which moves are tried, made in stages so that a cutoff saves the later ones."""

from collections.abc import Iterator

from latrones_uci.game.rules import Board, Move, Rules
from latrones_uci.search.report import MAX_PLY

_HISTORY_LIMIT = 1 << 20
_WINS = -1000


class MoveOrder:
    """What past cutoffs teach about the order of moves.

    Killers are the last two quiet moves that cut off at a ply; the history of a move grows with the
    square of the depth at which it cut off.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._killers: list[tuple[Move, Move]] = [(-1, -1)] * (MAX_PLY + 1)
        self._history = [[0] * len(rules.move_bits) for _ in range(2)]

    def staged(self, board: Board, table_move: Move, ply: int) -> Iterator[tuple[Move, Board, bool]]:
        """Yields each legal move with the board after it and whether it may have captured or decided.

        The table's move (0: none) first, then captures by the number of men taken, killers, and the rest by history.
        """
        rules = self._rules
        if table_move:
            yield table_move, rules.play(board, table_move), True
        taken: set[Move] = set()
        if tactical := rules.tactical_moves(board):
            captures = order_captures(rules, board, tactical)
            for _, move, child in captures:
                if move != table_move:
                    yield move, child, True
            taken = {move for _, move, _ in captures}
        quiets = rules.moves(board)
        quiets.sort(key=self._history[board[4]].__getitem__, reverse=True)
        for killer in self._killers[ply]:
            if killer in quiets:
                quiets.remove(killer)
                quiets.insert(0, killer)
        play_quiet = rules.play_quiet
        for move in quiets:
            if move != table_move and move not in taken:
                yield move, play_quiet(board, move), False

    def reward(self, side: int, move: Move, depth: int, ply: int) -> None:
        """Remembers a quiet move that cut off."""
        killers = self._killers[ply]
        if killers[1] != move:
            self._killers[ply] = (killers[1], move)
        history = self._history[side]
        history[move] += depth * depth
        if history[move] > _HISTORY_LIMIT:
            history[:] = [value >> 1 for value in history]


def order_captures(rules: Rules, board: Board, tactical: list[Move]) -> list[tuple[int, Move, Board]]:
    """The moves that capture or decide, each with its rank and the board after it, best (lowest rank) first."""
    captures = []
    before = board[1].bit_count()
    for move in tactical:
        child = rules.play(board, move)
        if rules.decided(child):
            captures.append((_WINS, move, child))
        elif child[6] == 0:
            captures.append((child[0].bit_count() - before, move, child))
    captures.sort()
    return captures
