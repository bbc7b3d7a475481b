"""Who plays whom, from which opening, with which colour: the games of a tournament, numbered for good."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations


class Format(Enum):
    """Who meets whom."""

    MATCH = "match"
    """Two engines."""
    ROUND_ROBIN = "round-robin"
    """Everyone meets everyone."""
    GAUNTLET = "gauntlet"
    """The first engine meets each of the others."""


@dataclass(frozen=True)
class Fixture:
    """A game to be played. Engines, variants and openings are named by their place in the settings, from 0.

    Attributes:
        number: of the game, from 1. It depends on nothing but the engines, the format and the seed: a tournament made
            longer keeps the numbers of its games.
        pair: of games with the same opening and engines, colours swapped; from 0.
        round: from 0; in each, every pairing plays a pair of games from one opening.
        variant: of the game.
        opening: its place among those of its variant.
        white: engine.
        black: engine.
    """

    number: int
    pair: int
    round: int
    variant: int
    opening: int
    white: int
    black: int


def pairings(form: Format, engines: int) -> list[tuple[int, int]]:
    """The pairs of engines that meet."""
    if form is Format.GAUNTLET:
        return [(0, other) for other in range(1, engines)]
    return list(combinations(range(engines), 2))


def rounds_of(games: int) -> int:
    """The rounds in which so many games of each pairing are played: two games a round, in the last perhaps one."""
    return (games + 1) // 2


def openings_needed(games: int, variants: int) -> int:
    """How many openings of each variant are looked at by so many games of each pairing."""
    return -(-rounds_of(games) // variants)


def fixtures(form: Format, engines: int, variants: int, games: int, seed: int) -> Iterator[Fixture]:
    """The games in order; the variants take turns by rounds.

    Args:
        form: who meets whom.
        engines: their number.
        variants: their number.
        games: of each pairing.
        seed: of the order of the pairings in a round.
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
