"""Openings, the positions from which games start: random or listed, in a reproducible order.

``opening_file`` reads lists from files.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Game, Position, canonical_key, counted

Order = Literal["sequential", "random"]
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class BookSettings:
    """How the openings of a file are used.

    Raises:
        SettingsError: a number is too small.
    """

    plies: int | None = None
    """The number of plies after which the moves of each line or game are cut, None to play all of them."""
    order: Order = "sequential"
    """``sequential``, in the order of the file, or ``random``, shuffled by the seed of the match."""
    start: int = 1
    """The first opening to use, from 1, in that order; those before it come last."""

    def __post_init__(self) -> None:
        """Validate the settings."""
        if self.plies is not None and self.plies < 0:
            raise SettingsError(f"plies={self.plies}: expected an integer from 0")
        if self.start < 1:
            raise SettingsError(f"start={self.start}: expected an integer from 1")


@dataclass(frozen=True)
class RandomOpenings:
    """A number of random legal moves from the start position."""

    plies: int


@dataclass(frozen=True)
class ListedOpenings:
    """A list of positions to use in turn; not empty, and no game over."""

    positions: Sequence[Position]
    """The positions."""
    lines: Sequence[tuple[str, ...] | None] = ()
    """For each position the texts of the moves from the start position, None if unknown; empty if all are unknown."""
    order: Order = "sequential"
    """See ``BookSettings``."""
    start: int = 1
    """See ``BookSettings``; at most the number of positions."""
    duplicates: int = 0
    """The number of positions with the pieces and the side to move of another one before them."""


Openings = RandomOpenings | ListedOpenings


@dataclass(frozen=True)
class Opening:
    """An opening."""

    position: Position
    """The position."""
    moves: tuple[str, ...] | None = None
    """The texts of the moves from the start position, None if unknown."""


_ATTEMPTS = 1000
"""The sequence ends after this number of random games in a row without a new opening."""


def opening_sequence(
    start: Position,
    openings: Openings,
    seed: int,
    accepts: Callable[[Position], bool] | None = None,
    known: Sequence[Opening] = (),
) -> Iterator[Opening]:
    """Return an iterator over distinct openings; the same arguments give the same sequence.

    Listed openings come in their ``order``, from their ``start``. Random openings are distinct up to symmetry and
    exchange of colours (see ``canonical_key``); the sequence ends when no new opening is found in 1000 attempts.

    Args:
        start: the start position of the variant.
        openings: the source of the openings.
        seed: random seed.
        accepts: test of random positions; those that it rejects are skipped. It is called once per position, when the
            opening is needed. None accepts all.
        known: the first openings of the same sequence, found earlier; their moves may be unknown. They come first
            again, with their moves, and no position up to the last of them is tested again.

    Raises:
        SettingsError: (while iterating) there is no opening, or ``known`` belongs to another sequence.
    """
    if isinstance(openings, ListedOpenings):
        order = _in_order(range(len(openings.positions)), openings, seed)
        lines = openings.lines
        return (Opening(openings.positions[at], lines[at] if lines else None) for at in order)
    return _random_openings(start, openings, random.Random(seed), accepts, known)


def _in_order(items: Sequence[_Item], openings: ListedOpenings, seed: int) -> list[_Item]:
    ordered = list(items)
    if openings.order == "random":
        random.Random(f"openings:{seed}").shuffle(ordered)
    return ordered[openings.start - 1 :] + ordered[: openings.start - 1]


_MAX_COUNTED = 3000


def count_random_openings(start: Position, plies: int) -> int | None:
    """Return the number of openings that random plies can reach, distinct up to symmetry; None if there are many.

    At most 3000 positions are visited, in a fraction of a second.
    """
    level = {canonical_key(start): start}
    visited = 0
    for _ in range(plies):
        following: dict[str, Position] = {}
        for position in level.values():
            for _, after in position.children():
                visited += 1
                if after.outcome() is None:
                    following.setdefault(canonical_key(after), after)
            if visited > _MAX_COUNTED:
                return None
        if following.keys() == level.keys():  # further plies change nothing
            break
        level = following
    return len(level)


def render_shortage(openings: int, pairs: int) -> str:
    """Render the warning that there are fewer openings than pairs of games: ``only 12 openings for 50 pairs``."""
    return f"only {counted(openings, 'opening')} for {pairs} pairs"


def _random_openings(
    start: Position,
    openings: RandomOpenings,
    chooser: random.Random,
    accepts: Callable[[Position], bool] | None,
    known: Sequence[Opening],
) -> Iterator[Opening]:
    seen: set[str] = set()
    found = attempts = 0
    while attempts < _ATTEMPTS:
        attempts += 1
        opening = _random_opening(start, openings.plies, chooser)
        if opening is None or (key := canonical_key(opening.position)) in seen:
            continue
        seen.add(key)
        position = opening.position
        if position == known[found].position if found < len(known) else accepts is None or accepts(position):
            yield opening
            found += 1
            attempts = 0
    if found < len(known):
        fen = known[found].position.fen()
        raise SettingsError(f"stored opening {found + 1}, '{fen}', does not belong to these settings")
    if not found:
        what = "leaves the game unfinished" if accepts is None else "leaves the game unfinished and passes the screen"
        raise SettingsError(f"no opening of {openings.plies} random plies found that {what}")


def _random_opening(start: Position, plies: int, chooser: random.Random) -> Opening | None:
    """Return the position after random legal moves, each equally likely; None if the game ends first."""
    game = Game(start)
    while len(game.moves) < plies and (moves := game.legal_moves()):
        game.play(chooser.choice(moves))
    if len(game.moves) < plies or game.outcome() is not None:
        return None
    texts = (position.move_text(move) for position, move in zip(game.positions, game.moves, strict=False))
    return Opening(game.position, tuple(texts))
