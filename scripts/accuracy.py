#!/usr/bin/env python3
"""Measure the accuracy that a review gives to random players and to this engine at full strength.

Plays games of two random players, of a random player against the engine, and of the engine against itself, from
positions after four random plies, and reviews them. Prints a table for docs/browser.md. All limits are nodes, so that a
seed gives the same table everywhere; the review's are about those that the board page reaches in its time.
"""

from __future__ import annotations

import argparse
import random
from statistics import mean

from latrones_uci import Engine, Game, Limit
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import builtin_variants
from latrones_uci.match.annotation import accuracy, analyse_game

OPENING_PLIES = 4
MOST_PLIES = 80
REVIEW_LIMIT = Limit(nodes=200_000)
FEWEST_MOVES = 5  # of a player; shorter games say little
KINDS = {"random": (True, True), "random against the engine": (True, False), "engine": (False, False)}


def played(variant: str, randoms: tuple[bool, bool], engine: Engine, limit: Limit, choose: random.Random) -> Game:
    """Return a game of White and Black, who play at random or by the engine."""
    game = Game(variant)
    while len(game.moves) < OPENING_PLIES and game.outcome() is None:
        game.play(choose.choice(game.legal_moves()))
    game = Game(game.position)
    while game.outcome() is None and len(game.moves) < MOST_PLIES:
        if randoms[game.position.side]:
            game.play(choose.choice(game.legal_moves()))
        else:
            game.play(engine.play(game, limit).move or game.legal_moves()[0])
    return game


def accuracies(variant: str, kind: str, games: int, limit: Limit, seed: int) -> list[int]:
    """Return the accuracy of each player of a kind; of both kinds in one game, those of the random player."""
    choose, found = random.Random(f"{seed} {variant} {kind}"), []
    with Engine.popen(OWN_ENGINE, variant=variant) as engine:
        for number in range(games):
            first, second = KINDS[kind]
            game = played(variant, (second, first) if number % 2 else (first, second), engine, limit, choose)
            moves = analyse_game(game, engine, REVIEW_LIMIT)
            for side in (0, 1):
                own = [move for move in moves if move.side == side]
                if len(own) >= FEWEST_MOVES and (first == second or (side == number % 2)):
                    found += [share for share in [accuracy(own)] if share is not None]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", nargs="*", help="games (default: those of the core set, except Rota)")
    parser.add_argument("--games", type=int, default=4, help="games of each kind (default: 4)")
    parser.add_argument("--nodes", type=int, default=1_000_000, help="nodes per move (default: 1,000,000)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    options = parser.parse_args()
    print(f"| game | {' | '.join(KINDS)} |\n|---|{'---|' * len(KINDS)}")
    for variant in options.variants or [name for name in builtin_variants() if name != "rota"]:
        cells = []
        for kind in KINDS:
            shares = accuracies(variant, kind, options.games, Limit(nodes=options.nodes), options.seed)
            cells.append(f"{mean(shares):.0f}% ({min(shares)} to {max(shares)})" if shares else "-")
        print(f"| {variant} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
