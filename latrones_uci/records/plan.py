"""The plan of a tournament: who plays whom, with which opening and colours. Game numbers never change."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations


class Format(Enum):
    """The tournament format."""

    MATCH = "match"
    """Two engines."""
    ROUND_ROBIN = "round-robin"
    """Each engine plays each other."""
    GAUNTLET = "gauntlet"
    """The first engine plays each of the others."""


@dataclass(frozen=True)
class Fixture:
    """A game to be played. Engines, variants and openings are given by their index in the settings, from 0.

    Attributes:
        number: number of the game, from 1. It depends only on the engines, the format and the seed: games keep their
            numbers when games are added to the tournament.
        pair: number of the pair of games with the same opening and engines and swapped colours, from 0.
        round: number of the round, from 0. In a round, every pairing plays one pair of games.
        variant: index of the variant.
        opening: index among the openings of the variant.
        white: index of the engine that plays White.
        black: index of the engine that plays Black.
    """

    number: int
    pair: int
    round: int
    variant: int
    opening: int
    white: int
    black: int


def pairings(form: Format, engines: int) -> list[tuple[int, int]]:
    """Return the pairs of engines that play each other."""
    if form is Format.GAUNTLET:
        return [(0, other) for other in range(1, engines)]
    return list(combinations(range(engines), 2))


def rounds_of(games: int) -> int:
    """Return the number of rounds for a number of games per pairing: two games a round, possibly one in the last."""
    return (games + 1) // 2


def openings_needed(games: int, variants: int) -> int:
    """Return the number of openings of each variant needed for a number of games per pairing."""
    return -(-rounds_of(games) // variants)


def fixtures(form: Format, engines: int, variants: int, games: int, seed: int) -> Iterator[Fixture]:
    """Yield the games in order; the variant changes from round to round.

    Args:
        form: the tournament format.
        engines: number of engines.
        variants: number of variants.
        games: number of games per pairing.
        seed: random seed for the order of the pairings in a round.
    """
    meetings = pairings(form, engines)
    for turn in range(rounds_of(games)):
        order = meetings[:]
        random.Random(f"{seed}:{turn}").shuffle(order)
        for place, (first, second) in enumerate(order):
            pair = turn * len(meetings) + place
            for leg in range(min(2, games - 2 * turn)):
                white, black = (second, first) if leg else (first, second)
                yield Fixture(2 * pair + leg + 1, pair, turn, turn % variants, turn // variants, white, black)
