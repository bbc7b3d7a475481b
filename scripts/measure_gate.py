"""Minutes until a gate finds a planted loss: sequential tests of an engine against itself with fewer nodes.

A gate is a match of a version against its base with a sequential test. Every test of a row has a seed of its own, so
openings and games of its own. ``--runner`` takes the program of another version, which plays the same engines, so that
only the runner, its openings and its bounds differ. The time is that of the whole command, two games at a time.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from math import sqrt
from statistics import mean, stdev
from typing import NamedTuple

from base import markdown
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.stats import Pentanomial, estimate_from_pairs


class Gate(NamedTuple):
    """The outcome of one test."""

    verdict: str
    games: int
    minutes: float
    pairs: Pentanomial


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    own = shlex.join(OWN_ENGINE)
    add("--tests", type=int, default=10, help="sequential tests of each row (default: 10)")
    add("--nodes", type=int, default=3000, help="nodes of the base (default: 3000)")
    add("--weaker", type=int, nargs="+", default=[2860, 2660], metavar="NODES",
        help="nodes of the versions with a planted loss, a row each (default: 2860 2660)")
    add("--engine", default=own, metavar="COMMAND", help="engine that plays both sides (default: this package's)")
    add("--runner", default=own, metavar="COMMAND", help="program with the command 'match' (default: this package's)")
    add("--seed", type=int, default=1, help="seed of the first test (default: 1)")
    add("--match", default="--sprt elo0=-20 elo1=0 --openings random:6", metavar="WORDS",
        help="further arguments of 'match' (default: %(default)s)")


def run(options: argparse.Namespace) -> None:
    print(markdown(("nodes", "tests", "H0", "H1", "none", "games", "minutes", "normalised Elo"), ()), flush=True)
    for weaker in options.weaker:
        gates = [play(options, weaker, options.seed + number) for number in range(options.tests)]
        found = Counter(gate.verdict for gate in gates)
        zero, half, one, one_half, two = (sum(gate.pairs[points] for gate in gates) for points in range(5))
        loss = estimate_from_pairs((zero, half, one, one_half, two)).normalized_elo
        cells = (f"{weaker} of {options.nodes}", len(gates), found["H0"], found["H1"], found[""],
                 spread([gate.games for gate in gates]), spread([gate.minutes for gate in gates]),
                 f"{loss.value:+.1f} ({loss.low:+.1f} to {loss.high:+.1f})")
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def play(options: argparse.Namespace, weaker: int, seed: int) -> Gate:
    """Play one test and return how it ended; with an error, end the measurement."""
    engine = f"cmd={options.engine}"
    words = [
        *shlex.split(options.runner), "match", "--engine", engine, "name=test", f"nodes={weaker}",
        "--engine", engine, "name=base", f"nodes={options.nodes}", "--concurrency", "2", "--seed", str(seed), "--json",
        *shlex.split(options.match),
    ]
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True)
        minutes = (time.perf_counter() - begun) / 60
    last = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
    if last.get("event") != "tournament_finished":
        sys.exit(f"{shlex.join(words)}: status {done.returncode}, no result")
    standings = last["standings"]
    return Gate(last["verdict"] or "", standings["games"], minutes, tuple(standings["engines"][0]["pairs"]))


def spread(values: list[float] | list[int]) -> str:
    """Return a mean with its standard error."""
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{mean(values):,.2f} ± {error:,.2f}"
