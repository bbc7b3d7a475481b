"""Ratios of counts that match tables print."""

from math import inf

from latrones_uci.stats.pentanomial import Pentanomial, pair_shares
from latrones_uci.stats.score import game_count


def game_draw_ratio(wins: int, draws: int, losses: int) -> float:
    """The share of games that were drawn, 0 to 1 (``DrawRatio`` of fastchess and cutechess without pairs).

    Raises:
        ValueError: a negative count, or no games.
    """
    return draws / game_count(wins, draws, losses)


def pair_draw_ratio(pairs: Pentanomial) -> float:
    """The share of pairs that gave each player one point, 0 to 1 (``DrawRatio`` of fastchess with pairs).

    Raises:
        ValueError: not five counts, a negative one, or no pairs.
    """
    return pair_shares(pairs)[2]


def pair_ratio(pairs: Pentanomial) -> float | None:
    """Pairs won over pairs lost: those above one point over those below (``PairsRatio`` of fastchess).

    It is infinite where pairs were won and none was lost, and None where every pair was even.

    Raises:
        ValueError: not five counts, a negative one, or no pairs.
    """
    pair_shares(pairs)
    lost, won = sum(pairs[:2]), sum(pairs[3:])
    if lost == 0:
        return inf if won else None
    return won / lost
