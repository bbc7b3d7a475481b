"""Positions of random games on small boards, the same ones every time."""

from __future__ import annotations

import random

from latrones_uci.game import Game, Position, find_variant

SIZES = [(4, 4), (4, 5), (5, 4), (5, 5)]


def random_positions(variant: str, count: int, seed: int) -> list[Position]:
    """Unfinished positions after 2 to 40 random plies."""
    rng = random.Random(f"{variant} {seed}")
    found: list[Position] = []
    while len(found) < count:
        game = Game(Position.start(find_variant(variant), rng.choice(SIZES)))
        for _ in range(rng.randint(2, 40)):
            if game.result():
                break
            game.play(rng.choice(game.legal_moves()))
        if not game.result():
            found.append(game.position)
    return found
