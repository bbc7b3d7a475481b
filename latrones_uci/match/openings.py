"""Openings: positions from which the engines play."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from latrones_uci.game import Game, Position
from latrones_uci.match.errors import SettingsError

_ATTEMPTS = 1000


@dataclass(frozen=True)
class RandomOpenings:
    """A number of random legal moves from the start of the game."""

    plies: int


@dataclass(frozen=True)
class ListedOpenings:
    """Positions to be taken in turn, from the first again after the last; not empty, none finished.

    Attributes:
        positions: the positions.
        lines: for each the texts of the moves from the start of the game to it, None where they are not known; empty
            if none are.
    """

    positions: tuple[Position, ...]
    lines: tuple[tuple[str, ...] | None, ...] = ()


Openings = RandomOpenings | ListedOpenings


@dataclass(frozen=True)
class Opening:
    """Where a game begins.

    Attributes:
        position: the position.
        moves: the texts of the moves from the start of the game to it, None where they are not known.
    """

    position: Position
    moves: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Pairing:
    """A game to be played.

    Attributes:
        number: from 1.
        start: the position after the opening.
        first_is_white: whether the first engine has White.
    """

    number: int
    start: Position
    first_is_white: bool


def random_opening(start: Position, plies: int, chooser: random.Random) -> Position:
    """The position after ``plies`` random legal moves, each equally likely; never a finished one.

    Raises:
        SettingsError: every attempt ended the game.
    """
    for _ in range(_ATTEMPTS):
        game = Game(start)
        while len(game.moves) < plies and (moves := game.legal_moves()):
            game.play(chooser.choice(moves))
        if len(game.moves) == plies and game.result() is None:
            return game.position
    raise SettingsError(f"no opening of {plies} random plies found that leaves the game unfinished")


def schedule(start: Position, games: int, openings: Openings, seed: int) -> Iterator[Pairing]:
    """The games of a match: each opening twice, colours swapped. The same seed gives the same games.

    Raises:
        SettingsError: (while iterating) no unfinished opening can be found.
    """
    chooser = random.Random(seed)
    opening = start
    for index in range(games):
        if index % 2 == 0:
            if isinstance(openings, RandomOpenings):
                opening = random_opening(start, openings.plies, chooser)
            else:
                opening = openings.positions[index // 2 % len(openings.positions)]
        yield Pairing(index + 1, opening, index % 2 == 0)
