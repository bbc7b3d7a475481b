"""Results of two players as counts, and the ratios that match tables print.

The two games of a pair start from the same opening with colours swapped, so they are not independent: with a biased
opening each player wins one game. Pairs are independent. That is why matches are counted in pairs, as in fishtest and
fastchess (wiki of fishtest, "Fishtest Mathematics").
"""

from collections.abc import Iterable
from math import inf
from typing import TypeAlias

Pentanomial: TypeAlias = tuple[int, int, int, int, int]
"""The numbers of pairs with 0, 1/2, 1, 3/2 and 2 points for the player. Reversed, they are those of the opponent."""

_INDEX_OF_PAIR_SCORE = {0.0: 0, 0.5: 1, 1.0: 2, 1.5: 3, 2.0: 4}


def pentanomial_of(pair_scores: Iterable[float]) -> Pentanomial:
    """Count pairs by the points of both games together.

    Raises:
        ValueError: a score is not one of 0, 1/2, 1, 3/2 and 2.
    """
    counts = [0] * 5
    for score in pair_scores:
        if score not in _INDEX_OF_PAIR_SCORE:
            raise ValueError(f"pair score {score}: expected 0, 0.5, 1, 1.5 or 2")
        counts[_INDEX_OF_PAIR_SCORE[score]] += 1
    lost, half, even, one_and_half, won = counts
    return lost, half, even, one_and_half, won


def reversed_pairs(pairs: Pentanomial) -> Pentanomial:
    """Return the pairs from the point of view of the opponent."""
    lost, half, even, one_and_half, won = pairs
    return won, one_and_half, even, half, lost


def pair_count(pairs: Pentanomial) -> int:
    """Return the number of pairs, which may be 0; there are twice as many games.

    Raises:
        ValueError: there are not five counts, or a count is negative.
    """
    if len(pairs) != 5:
        raise ValueError(f"pentanomial {pairs}: {len(pairs)} counts; expected five")
    if min(pairs) < 0:
        raise ValueError(f"pentanomial {pairs}: negative count")
    return sum(pairs)


def game_count(wins: int, draws: int, losses: int) -> int:
    """Return the number of games, which may be 0.

    Raises:
        ValueError: a count is negative.
    """
    if min(wins, draws, losses) < 0:
        raise ValueError(f"{wins} wins, {draws} draws, {losses} losses: negative count")
    return wins + draws + losses


def game_draw_ratio(wins: int, draws: int, losses: int) -> float:
    """Return the share of drawn games, 0 to 1 (``DrawRatio`` of fastchess and cutechess without pairs).

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    games = game_count(wins, draws, losses)
    if games == 0:
        raise ValueError("no games: the draw ratio is undefined")
    return draws / games


def pair_draw_ratio(pairs: Pentanomial) -> float:
    """Return the share of pairs with one point for each player, 0 to 1 (``DrawRatio`` of fastchess with pairs).

    Raises:
        ValueError: there are not five counts, a count is negative, or there are no pairs.
    """
    count = pair_count(pairs)
    if count == 0:
        raise ValueError("no pairs: the draw ratio is undefined")
    return pairs[2] / count


def pair_ratio(pairs: Pentanomial) -> float | None:
    """Return the ratio of pairs won (above one point) to pairs lost (below one point) (``PairsRatio`` of fastchess).

    It is infinite if pairs were won and none was lost, and None if every pair was even or there are none.

    Raises:
        ValueError: there are not five counts, or a count is negative.
    """
    pair_count(pairs)
    lost, won = sum(pairs[:2]), sum(pairs[3:])
    if lost == 0:
        return inf if won else None
    return won / lost
