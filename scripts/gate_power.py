"""Simulate what a sequential test finds in a limited number of games, at several true losses; docs/ci.md has the table.

    python3 scripts/gate_power.py [--games 4000] [--runs 500] [--draws 0.65] [--seed 1]

A match is *caught* if the test accepts H0, or has no verdict when the games are used up and the 95% interval of the
difference is below ``elo0``; it *passes* if the test accepts H1. At a loss of 0, what is caught is a false alarm.
Losses are in normalised Elo. The pairs of a match are independent; their distribution is the most likely one, with this
loss, for a match of two equal engines with this share of drawn games.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from math import log, sqrt
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from latrones_uci.stats import Sprt, Verdict, is_below_h0, log_likelihood_ratio, sprt_verdict
from latrones_uci.stats.elo import t_value_of_normalized_elo
from latrones_uci.stats.multinomial import most_likely_with_t_value, variance_of
from latrones_uci.stats.results import Pentanomial

TESTS = (Sprt(-20, 0), Sprt(-5, 0))
LOSSES = (0, 5, 10, 20, 30, 50)
CAUGHT, PASSED, OPEN = "caught", "passes", "no verdict"


def pair_chances(draws: float, loss: float) -> list[float]:
    """Return the chances of pairs with 0 to 2 points."""
    decisive = (1 - draws) / 2
    game = (decisive, draws, decisive)
    equal = [sum(game[i] * game[points - i] for i in range(3) if 0 <= points - i < 3) for points in range(5)]
    return most_likely_with_t_value(equal, t_value_of_normalized_elo(-loss, 2))


def play(sprt: Sprt, chances: Sequence[float], most_pairs: int, chance: Random) -> tuple[str, int]:
    """Return how a simulated match ends, and its number of pairs."""
    # What a pair adds to the ratio at most: while a bound is further away, the ratio need not be computed.
    jump = (sprt.elo1 - sprt.elo0) * log(10) / 800 * sqrt(2) * 0.5 / sqrt(variance_of(chances)) * 1.2
    counts = [0] * 5
    pairs = 0
    while pairs < most_pairs:
        ratio = log_likelihood_ratio(sprt, _pentanomial(counts))
        step = min(max(int(min(ratio - sprt.lower, sprt.upper - ratio) / jump), 1), most_pairs - pairs)
        for points in chance.choices(range(5), chances, k=step):
            counts[points] += 1
        pairs += step
        verdict = sprt_verdict(sprt, _pentanomial(counts))
        if verdict is not Verdict.CONTINUE:
            return CAUGHT if verdict is Verdict.ACCEPT_H0 else PASSED, pairs
    return CAUGHT if is_below_h0(sprt, _pentanomial(counts)) else OPEN, pairs


def _pentanomial(counts: Sequence[int]) -> Pentanomial:
    lost, half, even, one_and_half, won = counts
    return lost, half, even, one_and_half, won


def line(sprt: Sprt, loss: float, arguments: argparse.Namespace) -> str:
    """Return a line of the table."""
    chance = Random(f"{arguments.seed}:{sprt.elo0}:{loss}")
    chances = pair_chances(arguments.draws, loss)
    played = [play(sprt, chances, arguments.games // 2, chance) for _ in range(arguments.runs)]
    ends = Counter(how for how, _ in played)
    shares = " | ".join(f"{ends[how] / arguments.runs:.1%}" for how in (CAUGHT, PASSED, OPEN))
    games = 2 * sum(pairs for _, pairs in played) / arguments.runs
    return f"| {sprt.elo0:g} to {sprt.elo1:g} | {loss} | {shares} | {games:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate what a sequential test finds in a limited number of games.")
    parser.add_argument("--games", type=int, default=4000, help="most games of a match (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=500, help="matches for each line (default: %(default)s)")
    parser.add_argument("--draws", type=float, default=0.65, help="share of drawn games (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: %(default)s)")
    arguments = parser.parse_args()
    print(f"| test | true loss | {CAUGHT} | {PASSED} | {OPEN} | mean games |\n|---|---|---|---|---|---|", flush=True)
    lines = [(sprt, loss, arguments) for sprt in TESTS for loss in LOSSES]
    with ProcessPoolExecutor() as pool:
        for text in pool.map(line, *zip(*lines, strict=True)):
            print(text, flush=True)


if __name__ == "__main__":
    main()
