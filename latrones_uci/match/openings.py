"""Openings: positions from which the engines play."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from latrones_uci.game import Game, Position, quoted
from latrones_uci.match.errors import SettingsError

_ATTEMPTS = 1000
_MAX_PLIES = 1000
_RANDOM = re.compile(r"random:([0-9]{1,4})", re.ASCII)


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


def parse_openings(text: str) -> int:
    """Reads ``random:PLIES``.

    Raises:
        SettingsError: not of that form, or more than 1000 plies.
    """
    match = _RANDOM.fullmatch(text)
    if match is None or int(match[1]) > _MAX_PLIES:
        raise SettingsError(f"openings {quoted(text)} are not 'random:PLIES' with 0 to {_MAX_PLIES} plies")
    return int(match[1])


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


def schedule(start: Position, games: int, plies: int, seed: int) -> Iterator[Pairing]:
    """The games of a match: each opening twice, colours swapped. The same seed gives the same games.

    Raises:
        SettingsError: (while iterating) no unfinished opening can be found.
    """
    chooser = random.Random(seed)
    opening = start
    for index in range(games):
        if index % 2 == 0:
            opening = random_opening(start, plies, chooser)
        yield Pairing(index + 1, opening, index % 2 == 0)
