#!/usr/bin/env python3
"""Simulate rating lists, and print how often the 95% interval of a player contains its true rating.

In each list the players but one have played a round robin of about 100 pairs each, and a newcomer some pairs against
opponents drawn at random. Ratings are normally distributed. An interval is relative to the average of the players by
their games, as in latrones_uci/stats/bradley_terry.py. The result is the same on every machine; docs/statistics.md
quotes it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from math import isinf
from random import Random
from typing import NamedTuple

from latrones_uci.stats import pentanomial_of, score_from_elo
from latrones_uci.stats.bradley_terry import Encounter, Rating, rate

SIZES = (3, 20)
NEWCOMER_PAIRS = (1, 2, 3, 5, 10, 50)
DRAW_RATES = (0.2, 0.5, 0.8)  # of equal players
SPREAD_ELO = 60
PAIRS_OF_OTHERS = 100


class Found(NamedTuple):
    """Whether an interval contains the truth, None without bounds; and whether a LOS above 97.5% is wrong."""

    inside: bool | None
    misled: bool


def encounter(pairs: int, difference: float, draw_rate: float, chance: Random) -> Encounter:
    """Return pairs of games of two players with a difference of ratings."""
    score = score_from_elo(difference)
    draw = min(draw_rate, 1.6 * min(score, 1 - score))
    weights = (1 - score - draw / 2, draw, score - draw / 2)
    return Encounter(pentanomial_of(sum(chance.choices((0, 0.5, 1), weights, k=2)) for _ in range(pairs)))


def simulated(size: int, pairs: int, draw_rate: float, chance: Random) -> tuple[Found, Found]:
    """Return what a list says about its newcomer, and about another player."""
    truth = [chance.gauss(0, SPREAD_ELO) for _ in range(size)]
    newcomer = size - 1
    each = max(1, PAIRS_OF_OTHERS // (size - 2))
    encounters = {(one, other): encounter(each, truth[one] - truth[other], draw_rate, chance)
                  for one in range(newcomer) for other in range(one + 1, newcomer)}  # fmt: skip
    for other, count in Counter(chance.randrange(newcomer) for _ in range(pairs)).items():
        encounters[other, newcomer] = encounter(count, truth[other] - truth[newcomer], draw_rate, chance)
    found = rate([str(number) for number in range(size)], encounters)
    by_number = {int(rating.name): rating for rating in found.ratings}
    games = sum(rating.games for rating in found.ratings)
    shift = sum(rating.games * (rating.elo - truth[number]) for number, rating in by_number.items()) / games

    def judged(number: int, rival: int) -> Found:
        rating: Rating = by_number[number]
        inside = None if isinf(rating.margin) else abs(rating.elo - truth[number] - shift) <= rating.margin
        los, stronger = found.superiority[str(number), str(rival)], truth[number] > truth[rival]
        return Found(inside, (los > 0.975 and not stronger) or (los < 0.025 and stronger))

    return judged(newcomer, 0), judged(0, 1)


def cells(found: list[Found]) -> str:
    """Return the share of intervals that contain the truth, of players without bounds, and of misleading LOS."""
    bounded = [each.inside for each in found if each.inside is not None]
    inside = f"{sum(bounded) / len(bounded):.1%}" if len(bounded) > len(found) / 20 else "no bounds yet"
    without = 1 - len(bounded) / len(found)
    return f"{inside} | {without:.1%} | {sum(each.misled for each in found) / len(found):.1%}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=int, default=1000, help="simulated lists of each kind (default: 1000)")
    options = parser.parse_args()
    print("| players | pairs of the newcomer | in the interval | without bounds | LOS misleads |"
          " others: in the interval | without bounds | LOS misleads |\n|---|---|---|---|---|---|---|---|")
    for size in SIZES:
        for pairs in NEWCOMER_PAIRS:
            both = [simulated(size, pairs, DRAW_RATES[number % len(DRAW_RATES)], Random(f"{size} {pairs} {number}"))
                    for number in range(options.lists)]  # fmt: skip
            newcomers, others = ([each[place] for each in both] for place in (0, 1))
            print(f"| {size} | {pairs} | {cells(newcomers)} | {cells(others)} |", flush=True)


if __name__ == "__main__":
    main()
