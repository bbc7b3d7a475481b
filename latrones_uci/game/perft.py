"""Perft: count the move sequences of a given length, the usual test of a move generator."""

from latrones_uci.game.encoding import ONE_LEG, Board, PackedMove
from latrones_uci.game.rules import Rules


def perft(rules: Rules, board: Board, depth: int) -> int:
    """Return the number of sequences of ``depth`` plies from ``board``.

    Repetition and the no-capture limit do not apply; every other ending does. The last ply is counted in bulk.

    Raises:
        ValueError: ``depth`` is negative.
    """
    if not isinstance(depth, int) or depth < 0:
        raise ValueError(f"perft depth {depth!r}: expected an integer from 0")
    if depth == 0:
        return 1
    if rules.decided(board):
        return 0
    return _undecided(rules, board, depth)


def divide(rules: Rules, board: Board, depth: int) -> dict[PackedMove, int]:
    """Return the counts of ``perft(depth)`` by first move.

    Raises:
        ValueError: ``depth`` is below 1.
    """
    if not isinstance(depth, int) or depth < 1:
        raise ValueError(f"perft depth {depth!r}: expected an integer from 1")
    if rules.decided(board):
        return {}
    return {move: perft(rules, rules.play(board, move), depth - 1) for move in rules.moves(board)}


def _undecided(rules: Rules, board: Board, depth: int) -> int:
    if depth == 1:
        return rules.count(board)
    targets = rules.targets(board)
    total = 0
    for move in rules.moves(board):
        if move >= ONE_LEG or rules.wide[move >> 8] & targets:
            total += perft(rules, rules.play(board, move), depth - 1)
        else:
            total += _undecided(rules, rules.play_quiet(board, move), depth - 1)
    return total
