"""The order in which moves are tried, made in stages so that a cutoff saves the later ones."""

from collections import defaultdict
from collections.abc import Iterator

from latrones_uci.game.encoding import Board, Move
from latrones_uci.game.rules import Rules
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
        self._history: tuple[defaultdict[Move, int], ...] = (defaultdict(int), defaultdict(int))

    def staged(self, board: Board, table_move: Move, ply: int) -> Iterator[tuple[Move, Board, bool]]:
        """Yields each legal move with the board after it and whether it may have decided the game.

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
        play_quiet, hand = rules.play_quiet, board[8]
        for move in quiets:
            if move != table_move and move not in taken:
                child = play_quiet(board, move)
                yield move, child, hand > 0 == child[8]

    def reward(self, side: int, move: Move, depth: int, ply: int) -> None:
        """Remembers a quiet move that cut off."""
        killers = self._killers[ply]
        if killers[1] != move:
            self._killers[ply] = (killers[1], move)
        history = self._history[side]
        history[move] += depth * depth
        if history[move] > _HISTORY_LIMIT:
            for each in history:
                history[each] >>= 1


def order_captures(rules: Rules, board: Board, tactical: list[Move]) -> list[tuple[int, Move, Board]]:
    """The moves that capture or decide, each with its rank and the board after it, best (lowest rank) first."""
    captures = []
    before = board[1].bit_count()
    for move in tactical:
        child = rules.play(board, move)
        if outcome := rules.decided(child):
            captures.append((_WINS if outcome < 0 else -_WINS, move, child))  # the latter shuts in its own dux
        elif child[6] == 0:
            captures.append((child[0].bit_count() - before, move, child))
    captures.sort()
    return captures
