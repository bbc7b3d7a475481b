"""Nets with random weights."""

from __future__ import annotations

import random
from array import array

from latrones_uci.engine.nets.file import Layout, Net, Orientation, evaluation_digest
from latrones_uci.game import Ruleset


def random_net(
    ruleset: Ruleset,
    size: tuple[int, int] | None = None,
    seed: int = 1,
    hidden: int = 32,
    limits: tuple[int, ...] = (9, 17),
    orientation: Orientation | None = None,
    least_men: int = 0,
    dux_sides: bool = True,
) -> Net:
    """Return a net of a game on its usual board, with weights that use all of the range."""
    rng = random.Random(seed)
    files, ranks = size or ruleset.default_size
    layout = Layout.of(ruleset, files, ranks, dux_sides)
    if orientation is None:
        orientation = Orientation.DUX if layout.dux_row >= 0 else Orientation.SIDE
    most = 30_000 // (layout.squares * (5 if layout.threat_row >= 0 else 1) + 8)
    buckets = len(limits) + 1
    greatest = min(2**31 // (256 * 256) // hidden, 32_000) // 2

    def numbers(count: int, bound: int) -> array[int]:
        return array("h", [rng.randint(-bound, bound) for _ in range(count)])

    return Net(
        layout, evaluation_digest(ruleset), orientation, f"random net {seed} of {ruleset.name}", hidden, 255,
        rng.randint(2**10, 2**14), limits, numbers(layout.inputs * hidden, most), numbers(hidden, most),
        numbers(2 * buckets * hidden, greatest), tuple(rng.randint(-(10**6), 10**6) for _ in range(buckets)),
        least_men,
    )
