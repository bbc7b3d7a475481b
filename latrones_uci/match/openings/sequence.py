"""The openings of a match in their order."""

import random
from collections.abc import Callable, Iterator, Sequence

from latrones_uci.game import Game, Position, canonical_key
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.openings.opening import ListedOpenings, Opening, Openings, RandomOpenings

_ATTEMPTS = 1000
"""So many random games in a row without a new opening end the sequence."""


def opening_sequence(
    start: Position,
    openings: Openings,
    seed: int,
    accepts: Callable[[Position], bool] | None = None,
    known: Sequence[Opening] = (),
) -> Iterator[Opening]:
    """The openings of a match, each once: the same arguments give the same ones, however many are asked for.

    Listed openings come as they are listed. Random ones are distinct even if the board is turned or mirrored or the
    colours are exchanged (see ``canonical_key``); they end when no new one is found in a thousand attempts.

    Args:
        start: the start of the game.
        openings: where they come from.
        seed: of random openings.
        accepts: judges random positions; those that it does not accept are left out. Asked once for each, when the
            opening is asked for. None accepts all.
        known: the first ones of the same sequence, got earlier. They come first again, and nothing up to the last
            of them is judged anew.

    Raises:
        SettingsError: (while iterating) there is no opening at all, or ``known`` begins another sequence.
    """
    if isinstance(openings, ListedOpenings):
        lines = openings.lines or (None,) * len(openings.positions)
        return map(Opening, openings.positions, lines)
    return _random_openings(start, openings, random.Random(seed), accepts, known)


def render_shortage(openings: int, pairs: int) -> str:
    """The warning that there are fewer openings than pairs of games: ``only 12 openings for 50 pairs``."""
    return f"only {openings} opening{'s' * (openings != 1)} for {pairs} pairs"


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
        if opening == known[found] if found < len(known) else accepts is None or accepts(opening.position):
            yield opening
            found += 1
            attempts = 0
    if found < len(known):
        raise SettingsError(f"opening {found + 1}, '{known[found].position.fen()}', is none of these settings")
    if not found:
        which = "leaves the game unfinished" if accepts is None else "leaves the game unfinished and is accepted"
        raise SettingsError(f"no opening of {openings.plies} random plies found that {which}")


def _random_opening(start: Position, plies: int, chooser: random.Random) -> Opening | None:
    """The position after random legal moves, each equally likely; None if they finish the game."""
    game = Game(start)
    while len(game.moves) < plies and (moves := game.legal_moves()):
        game.play(chooser.choice(moves))
    if len(game.moves) < plies or game.result() is not None:
        return None
    texts = (position.move_text(move) for position, move in zip(game.positions, game.moves, strict=False))
    return Opening(game.position, tuple(texts))
