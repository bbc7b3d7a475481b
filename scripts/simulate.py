#!/usr/bin/env python3
"""Simulate statistics whose error bars and error rates the documentation quotes.

    simulate.py bisect    how often 'revs bisect' finds the right commit, and in how many games (docs/lab/gate.md)
    simulate.py gate      how a sequential test ends, beside what 'latrones-uci sprt' computes (docs/lab/gate.md)
    simulate.py ratings   how often the 95% interval of a player contains its true rating (docs/statistics.md)

``gate``: in brackets what ``latrones-uci sprt`` prints, beside the simulated tests. H0 is accepted, or there is no
verdict when the games are used up and the 95% interval of the difference is below ``elo0``. The pairs of a match are
independent; their distribution is the most likely one, with this difference, for a match of two equal engines with this
share of drawn games.

``bisect``: one of the commits, drawn at random, loses strength. The versions are played as by the command, with four
games at a time. With ``--alike 0.5``, half of the pairs end as they do for every other version that plays the opening,
up to its strength, as if versions that differ in little played the same openings.

``ratings``: in each list the players but one have played a round robin of about 100 pairs each, and a newcomer some
pairs against opponents drawn at random. Ratings are normally distributed. An interval is relative to the average of the
players by their games, as in latrones_uci/stats/bradley_terry.py. The result is the same on every machine.
"""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import accumulate
from math import ceil, isinf
from random import Random
from typing import Any, NamedTuple

from base import Command, percentile, run_command
from latrones_uci.stats import Pentanomial, Sprt, Verdict, is_below_h0, log_likelihood_ratio, sprt_verdict
from latrones_uci.stats.bisection import next_version, posterior
from latrones_uci.stats.bradley_terry import Encounter, Rating, rate
from latrones_uci.stats.estimate import score_from_elo
from latrones_uci.stats.results import pentanomial_of
from latrones_uci.stats.sprt import likelihood_jumps, most_likely_under
from latrones_uci.stats.sprt_forecast import USUAL_DRAW_RATIO, forecast_sprt, independent_pairs
from latrones_uci.studies.revisions.campaign import batch_pairs

# ---------------------------------------------------------------- a sequential test

TESTS = (Sprt(-20, 0), Sprt(-5, 0))
DIFFERENCES = (0, -5, -10, -20, -30, -50)
H0, H1, OPEN = "H0", "H1", "no verdict"
RIGHT, WRONG, NO_LOSS = "right commit", "wrong commit", "no loss found"


def pairs_of_equals(draws: float) -> list[float]:
    """Return the shares of pairs with 0 to 2 points between equal players."""
    return independent_pairs((1 - draws) / 2, draws, (1 - draws) / 2)


def pair_chances(draws: float, loss: float) -> list[float]:
    return most_likely_under("normalized", -loss, pairs_of_equals(draws), games_per_trial=2)


def ratio_jump(sprt: Sprt, chances: Sequence[float]) -> float:
    """Return what a pair adds to the ratio at most: while a bound is further away, it need not be computed."""
    return 1.2 * max(map(abs, likelihood_jumps(sprt, chances, games_per_trial=2)))


def steps_to_bound(sprt: Sprt, counts: Pentanomial, jump: float, most: int) -> int:
    """Return how many pairs can be played before the test may end, from 1 to ``most``."""
    ratio = log_likelihood_ratio(sprt, counts)
    return min(max(int(min(ratio - sprt.lower, sprt.upper - ratio) / jump), 1), most)


def play(sprt: Sprt, chances: Sequence[float], most_pairs: int, chance: Random) -> tuple[str, int]:
    jump = ratio_jump(sprt, chances)
    drawn = [0] * 5
    counts, pairs = pentanomial_of_counts(drawn), 0
    while pairs < most_pairs:
        step = steps_to_bound(sprt, counts, jump, most_pairs - pairs)
        for points in chance.choices(range(5), chances, k=step):
            drawn[points] += 1
        counts = pentanomial_of_counts(drawn)
        pairs += step
        verdict = sprt_verdict(sprt, counts)
        if verdict is not Verdict.CONTINUE:
            return verdict.value, pairs
    return H0 if is_below_h0(sprt, counts) else OPEN, pairs


def gate_line(sprt: Sprt, elo: float, options: argparse.Namespace) -> str:
    chance = Random(f"{options.seed}:{sprt.elo0}:{elo}")
    chances = pair_chances(options.draws, -elo)
    played = [play(sprt, chances, options.games // 2, chance) for _ in range(options.runs)]
    ends = Counter(how for how, _ in played)
    found = forecast_sprt(sprt, elo, pairs_of_equals(options.draws), options.games // 2)
    computed = {H0: found.accept_h0 + found.below_h0, H1: found.accept_h1, OPEN: found.no_verdict}
    games = [2 * pairs for _, pairs in played]
    mean, long = sum(games) / options.runs, percentile(games, 95)
    cells = [f"{sprt.elo0:g} to {sprt.elo1:g}", f"{elo}"]
    cells += [f"{ends[how] / options.runs:.1%} ({share:.1%})" for how, share in computed.items()]
    cells += [f"{mean:,.0f} ({2 * found.mean_pairs:,.0f})", f"{long:,} ({2 * ceil(found.long_pairs):,})"]
    return f"| {' | '.join(cells)} |"


def simulate_gate(options: argparse.Namespace) -> None:
    print(f"| test | true Elo | {H0} | {H1} | {OPEN} | mean games | 95% within |")
    print("|---|---|---|---|---|---|---|", flush=True)
    print_lines(gate_line, [(sprt, elo, options) for sprt in TESTS for elo in DIFFERENCES], options)


def print_lines(line: Callable[..., str], cases: Sequence[tuple[Any, ...]], options: argparse.Namespace) -> None:
    """Print a line of a table for each case, computed in parallel."""
    del options.error  # a method of the parser, which cannot be sent to other processes
    with ProcessPoolExecutor() as pool:
        for text in pool.map(line, *zip(*cases, strict=True)):
            print(text, flush=True)


# ---------------------------------------------------------------- a bisection

BISECTIONS = ((40, 0.65), (20, 0.65), (80, 0.65), (40, 0.9), (0, 0.65))
"""True losses, and shares of drawn games."""
CONCURRENCY = 4


class Bisected(NamedTuple):

    end: str
    games: int
    versions: int


def bisect(loss: float, draws: float, options: argparse.Namespace, run: int) -> Bisected:
    """Simulate a bisection; the versions are those of the commits after the base."""
    chance = Random(f"bisect:{options.seed}:{loss}:{draws}:{run}")
    culprit = chance.randrange(options.commits)
    scales = [list(accumulate(pair_chances(draws, each))) for each in (0, loss)]
    shared: list[float] = []
    counts = [[0] * 5 for _ in range(options.commits)]
    while True:
        found = posterior([pentanomial_of_counts(each) for each in counts])
        likeliest = max(found.chances)
        played = {commit for commit, each in enumerate(counts) if any(each)}
        games = 2 * sum(map(sum, counts))
        if likeliest >= options.confidence:
            return Bisected(RIGHT if found.chances[culprit] == likeliest else WRONG, games, len(played))
        if found.no_loss >= options.confidence:
            return Bisected(NO_LOSS, games, len(played))
        commit = next_version(found, range(options.commits), played, options.confidence)
        scale, before = scales[commit >= culprit], sum(counts[commit])
        for number in range(before, before + batch_pairs(CONCURRENCY, games // 2)):
            if number == len(shared):
                shared.append(chance.random())
            drawn = shared[number] if options.alike and chance.random() < options.alike else chance.random()
            counts[commit][min(bisect_right(scale, drawn), 4)] += 1


def pentanomial_of_counts(counts: Sequence[int]) -> Pentanomial:
    lost, half, even, one_and_half, won = counts
    return lost, half, even, one_and_half, won


def bisect_line(loss: float, draws: float, options: argparse.Namespace) -> str:
    ends = [bisect(loss, draws, options, run) for run in range(options.runs)]
    kinds = Counter(each.end for each in ends)
    shares = " | ".join(f"{kinds[end] / options.runs:.1%}" for end in (RIGHT, WRONG, NO_LOSS))
    games = [each.games for each in ends]
    versions = sum(each.versions for each in ends) / options.runs
    return (f"| {loss} | {draws:.0%} | {shares} | {sum(games) / options.runs:,.0f} | {percentile(games, 95):,} |"
            f" {versions:.1f} |")


def simulate_bisect(options: argparse.Namespace) -> None:
    print(f"| true loss | draws | {RIGHT} | {WRONG} | {NO_LOSS} | mean games | 95% within | versions built |\n"
          "|---|---|---|---|---|---|---|---|", flush=True)
    print_lines(bisect_line, [(loss, draws, options) for loss, draws in BISECTIONS], options)


# ---------------------------------------------------------------- rating lists

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
                  for one in range(newcomer) for other in range(one + 1, newcomer)}
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


def simulate_ratings(options: argparse.Namespace) -> None:
    print("| players | pairs of the newcomer | in the interval | without bounds | LOS misleads |"
          " others: in the interval | without bounds | LOS misleads |\n|---|---|---|---|---|---|---|---|")
    for size in SIZES:
        for pairs in NEWCOMER_PAIRS:
            both = [simulated(size, pairs, DRAW_RATES[number % len(DRAW_RATES)], Random(f"{size} {pairs} {number}"))
                    for number in range(options.lists)]
            newcomers, others = ([each[place] for each in both] for place in (0, 1))
            print(f"| {size} | {pairs} | {cells(newcomers)} | {cells(others)} |", flush=True)


def add_gate(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--games", type=int, default=4000, help="most games of a match (default: %(default)s)")
    add("--runs", type=int, default=500, help="matches for each line (default: %(default)s)")
    add("--draws", type=float, default=USUAL_DRAW_RATIO, help="share of drawn games (default: %(default)s)")
    add("--seed", type=int, default=1, help="random seed (default: %(default)s)")


def add_bisect(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--commits", type=int, default=64, help="commits after the base (default: %(default)s)")
    add("--confidence", type=float, default=0.95, help="probability at which to stop (default: %(default)s)")
    add("--runs", type=int, default=1000, help="bisections for each line (default: %(default)s)")
    add("--alike", type=float, default=0.0, help="share of pairs that end alike (default: %(default)s)")
    add("--seed", type=int, default=1, help="random seed (default: %(default)s)")


def add_ratings(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--lists", type=int, default=1000, help="simulated lists of each kind (default: %(default)s)")


COMMANDS: dict[str, Command] = {
    "bisect": (add_bisect, simulate_bisect), "gate": (add_gate, simulate_gate),
    "ratings": (add_ratings, simulate_ratings),
}

if __name__ == "__main__":
    sys.exit(run_command(__doc__, COMMANDS))
