"""The plan of a tournament: who plays whom, with which opening and colours. Game numbers never change."""

import random
from collections.abc import Iterator, Sequence
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
            numbers when games or engines are added to the tournament.
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


@dataclass(frozen=True)
class Growth:
    """What a tournament was before engines were added to it.

    Attributes:
        engines: number of engines.
        games: games per pairing.
        format: the format.
    """

    engines: int
    games: int
    format: Format


def fixtures(
    form: Format, engines: int, variants: int, games: int, seed: int, growth: Sequence[Growth] = ()
) -> Iterator[Fixture]:
    """Yield the games in order; the variant changes from round to round.

    Engines that are added to a tournament play the rounds that were planned by then, with the same openings; these
    games come after all others of those rounds. Later rounds have all engines.

    Args:
        form: the tournament format.
        engines: number of engines.
        variants: number of variants.
        games: number of games per pairing.
        seed: random seed for the order of the pairings in a round.
        growth: the tournament before each addition of engines, in order of time.
    """
    pair = 0
    for turn, meetings in _turns([*growth, Growth(engines, games, form)]):
        order = meetings[:]
        random.Random(f"{seed}:{turn}").shuffle(order)
        for first, second in order:
            for leg in range(min(2, games - 2 * turn)):
                white, black = (second, first) if leg else (first, second)
                yield Fixture(2 * pair + leg + 1, pair, turn, turn % variants, turn // variants, white, black)
            pair += 1


def _turns(stages: Sequence[Growth]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield the rounds with their pairings; at each stage, new pairings first play the rounds of the stages before."""
    before: list[tuple[int, int]] = []
    rounds = 0
    for stage in stages:
        every = pairings(stage.format, stage.engines)
        for turn in range(rounds):
            yield turn, [meeting for meeting in every if meeting not in before]
        for turn in range(rounds, rounds_of(stage.games)):
            yield turn, every
        before, rounds = every, max(rounds, rounds_of(stage.games))
