"""Positions of random games on small boards, reproducible by a seed."""

from __future__ import annotations

import random
import re

from latrones_uci.game import BoardSizeError, Game, Position, Ruleset, find_variant

SMALL = [(4, 4), (4, 5), (5, 4), (5, 5)]
LARGER = [(6, 6), (7, 6), (3, 3)]


def allowed(ruleset: Ruleset, sizes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the sizes on which the game can be played."""
    found = []
    for size in sizes:
        try:
            Position.start(ruleset, size)
        except BoardSizeError:
            continue
        found.append(size)
    return found


def random_positions(variant: str | Ruleset, count: int, seed: int) -> list[Position]:
    """Return unfinished positions after some random plies; in games with placement, after most of the placements."""
    ruleset = find_variant(variant) if isinstance(variant, str) else variant
    rng = random.Random(f"{ruleset.name} {seed}")
    sizes = allowed(ruleset, SMALL) or allowed(ruleset, LARGER)
    placements = 2 * (ruleset.hand + (ruleset.dux == "hand"))
    found: list[Position] = []
    while len(found) < count:
        game = Game(Position.start(ruleset, rng.choice(sizes)))
        least = placements if ruleset.capture_chain != "none" else max(2, placements - 3)
        for _ in range(rng.randint(least, placements + 40)):
            if game.outcome():
                break
            game.push(rng.choice(game.legal_moves()))
        if not game.outcome():
            chains = ruleset.capture_chain != "none"
            found.append(thinned(game.position, rng) if chains else game.position)
    return found


def thinned(position: Position, rng: random.Random) -> Position:
    """Return the position with at most ten pieces: full boards have too many capture chains for plain minimax."""
    geometry = position.geometry
    while True:
        pieces = [square for square in range(geometry.squares) if position.piece_at(square)]
        kept = set(rng.sample(pieces, min(10, len(pieces))))
        rows = ["".join(position.piece_at(rank * geometry.files + file) if rank * geometry.files + file in kept else "."
                        for file in range(geometry.files)) for rank in reversed(range(geometry.ranks))]
        board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
        hand = "[-]" if position.ruleset.setup == "placement" else ""
        thin = Position.from_fen(position.ruleset, f"{board}{hand} {'wb'[position.side]} {position.nocapture} 9")
        if thin.outcome() is None:
            return thin
