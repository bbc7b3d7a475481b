"""How a game went: lead changes, drama and killer moves, from what the players expected.

C. Browne defined these criteria for games that a program plays against itself ("Automatic Generation and Evaluation of
Recombination Games", PhD thesis, Queensland University of Technology, 2008; C. Browne and F. Maire, "Evolutionary Game
Design", IEEE Transactions on Computational Intelligence and AI in Games 2, 2010, 1-16). Both estimate the position of
either player after each move with one static evaluation. Here the estimates are the scores of the two players' own
searches, which differ, so that three things are our choice: an estimate is a chance from 0 to 1; the lead is the mean
of two successive estimates, one of each player where they alternate; and a killer move is judged by the opponent alone.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

Estimates = Sequence[tuple[int, float]]
"""For each ply the player, 0 White or 1 Black, and White's chance before it as this player expects it, 0 to 1."""

LEAST_LEAD = 0.12
"""The smallest lead that makes a player the leader; half a soldier on the scale of ``match.quality``."""


def leads(estimates: Estimates) -> list[float]:
    """Return White's lead between each ply and the next, from -1 (Black has won) to 1."""
    return [one + other - 1 for (_, one), (_, other) in pairwise(estimates)]


def lead_changes(leads: Sequence[float]) -> int:
    """Return how often the leader is another one than the leader before.

    Browne divides this number by that of the moves. Below a lead of ``LEAST_LEAD``, nobody leads; Browne has no such
    bound.
    """
    leaders = [lead > 0 for lead in leads if abs(lead) >= LEAST_LEAD]
    return sum(before != after for before, after in pairwise(leaders))


def drama(leads: Sequence[float], winner: int) -> tuple[float, float]:
    """Return how far behind the winner (0 White, 1 Black) was, and for what share of the game; both 0 to 1.

    The first is Browne's average drama: the mean of ``sqrt(E_loser - E_winner)`` over the positions in which the loser
    was ahead, 0 if there are none, with the estimates ``E`` from 0 to 1. The root makes small leads count for more.
    """
    deficits = [deficit for lead in leads if (deficit := lead if winner else -lead) > 0]
    if not deficits:
        return 0.0, 0.0
    return sum(map(sqrt, deficits)) / len(deficits), len(deficits) / len(leads)


def killer_move(estimates: Estimates) -> tuple[float, int]:
    """Return the largest gain of chance by one move, 0 to 1, and the index of its ply.

    Browne takes the largest increase of the mover's estimate by a move. Here it is the largest loss of chance from one
    estimate of a player to that player's next one, with one of the opponent in between; 0 and 0 if there is none. Two
    estimates in a row of a player, as in a turn of two placements, say nothing of the opponent.
    """
    best, place = 0.0, 0
    last: dict[int, float] = {}
    for index, (side, white) in enumerate(estimates):
        own = 1 - white if side else white
        if side in last and estimates[index - 1][0] != side and last[side] - own > best:
            best, place = last[side] - own, index - 1
        last[side] = own
    return best, place
