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
    SWISS = "swiss"
    """In each round, engines with equal or near scores play each other."""
    KNOCKOUT = "knockout"
    """The winners of a round play the next one."""

    @property
    def in_rounds(self) -> bool:
        """Whether the pairings of a round depend on the results of the rounds before."""
        return self in (Format.SWISS, Format.KNOCKOUT)


@dataclass(frozen=True)
class Fixture:
    """A game to be played. Engines, variants and openings are given by their index in the settings, from 0."""

    number: int
    """Number of the game, from 1. It depends only on the engines, the format and the seed: games keep their numbers
    when games are added to the tournament."""
    pair: int
    """Number of the pair of games with the same opening and engines and swapped colours, from 0."""
    round: int
    """Number of the round, from 0. In a round, every pairing plays one pair of games; in a Swiss tournament or a
    knockout, all of its games."""
    variant: int
    opening: int
    """Index among the openings of the variant."""
    white: int
    black: int


def pairings(form: Format, engines: int) -> list[tuple[int, int]]:
    """Return the pairs of engines that play each other, of a format without rounds that depend on results."""
    if form is Format.GAUNTLET:
        return [(0, other) for other in range(1, engines)]
    return list(combinations(range(engines), 2))


def rounds_of(games: int) -> int:
    """Return the number of rounds for a number of games per pairing: two games a round, possibly one in the last."""
    return (games + 1) // 2


def openings_needed(games: int, variants: int) -> int:
    """Return the number of openings of each variant needed for a number of games per pairing."""
    return -(-rounds_of(games) // variants)


@dataclass(frozen=True)
class Plan:
    """What determines the games of a tournament, apart from their results."""

    format: Format
    engines: int
    variants: int
    games: int
    """Games per pairing; in a knockout, level pairings play more."""
    seed: int = 0
    """Random seed for the order of the pairings in a round."""
    swiss_rounds: int | None = None
    """Number of rounds of a Swiss tournament, None for the default."""

    @property
    def rounds(self) -> int:
        """The number of rounds in which the pairings depend on results: of a Swiss tournament or a knockout."""
        halvings = (self.engines - 1).bit_length()  # the rounds after which one of them can have won all
        return self.swiss_rounds or halvings if self.format is Format.SWISS else halvings

    @property
    def most_rounds(self) -> int:
        """The most rounds of a Swiss tournament in which no engines meet twice."""
        return self.engines - 1 + self.engines % 2

    @property
    def games_at_least(self) -> int:
        """The number of games; in a knockout, there are more if pairings are level."""
        if self.format is Format.SWISS:
            return self.games * self.rounds * (self.engines // 2)
        if self.format is Format.KNOCKOUT:
            return self.games * (self.engines - 1)
        return self.games * len(pairings(self.format, self.engines))

    @property
    def openings(self) -> int:
        """The number of openings of each variant that are needed at least."""
        return openings_needed(self.games * (self.rounds if self.format.in_rounds else 1), self.variants)


def fixtures(form: Format, engines: int, variants: int, games: int, seed: int) -> Iterator[Fixture]:
    """Yield the games in order; the variant changes from round to round.

    Args:
        form: the tournament format.
        engines: number of engines.
        variants: number of variants.
        games: number of games per pairing.
        seed: random seed for the order of the pairings in a round.
    """
    pair = 0
    for turn in range(rounds_of(games)):
        order = pairings(form, engines)
        random.Random(f"{seed}:{turn}").shuffle(order)
        for first, second in order:
            for leg in range(min(2, games - 2 * turn)):
                white, black = (second, first) if leg else (first, second)
                yield Fixture(2 * pair + leg + 1, pair, turn, turn % variants, turn // variants, white, black)
            pair += 1
