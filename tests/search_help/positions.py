"""Positions of random games on small boards, the same ones every time."""

from __future__ import annotations

import random

from latrones_uci.game import BoardSizeError, Game, Position, Ruleset, find_variant

SMALL = [(4, 4), (4, 5), (5, 4), (5, 5)]
LARGER = [(6, 6), (7, 6), (3, 3)]


def allowed(ruleset: Ruleset, sizes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of the sizes on which the game can be played."""
    found = []
    for size in sizes:
        try:
            Position.start(ruleset, size)
        except BoardSizeError:
            continue
        found.append(size)
    return found


def random_positions(variant: str, count: int, seed: int) -> list[Position]:
    """Unfinished positions after some random plies, the last few placements included in games that place."""
    rng = random.Random(f"{variant} {seed}")
    ruleset = find_variant(variant)
    sizes = allowed(ruleset, SMALL) or allowed(ruleset, LARGER)
    placements = 2 * (ruleset.hand + (ruleset.dux == "hand"))
    found: list[Position] = []
    while len(found) < count:
        game = Game(Position.start(ruleset, rng.choice(sizes)))
        for _ in range(rng.randint(max(2, placements - 3), placements + 40)):
            if game.result():
                break
            game.play(rng.choice(game.legal_moves()))
        if not game.result():
            found.append(game.position)
    return found
