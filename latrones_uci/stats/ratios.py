"""Draw ratios and pair ratios, as printed in match tables."""

from math import inf

from latrones_uci.stats.pentanomial import Pentanomial, pair_shares
from latrones_uci.stats.score import game_count


def game_draw_ratio(wins: int, draws: int, losses: int) -> float:
    """Return the share of drawn games, 0 to 1 (``DrawRatio`` of fastchess and cutechess without pairs).

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    return draws / game_count(wins, draws, losses)


def pair_draw_ratio(pairs: Pentanomial) -> float:
    """Return the share of pairs with one point for each player, 0 to 1 (``DrawRatio`` of fastchess with pairs).

    Raises:
        ValueError: there are not five counts, a count is negative, or there are no pairs.
    """
    return pair_shares(pairs)[2]


def pair_ratio(pairs: Pentanomial) -> float | None:
    """Return the ratio of pairs won (above one point) to pairs lost (below one point) (``PairsRatio`` of fastchess).

    It is infinite if pairs were won and none was lost, and None if every pair was even.

    Raises:
        ValueError: there are not five counts, a count is negative, or there are no pairs.
    """
    pair_shares(pairs)
    lost, won = sum(pairs[:2]), sum(pairs[3:])
    if lost == 0:
        return inf if won else None
    return won / lost
