"""Openings: positions from which the engines play."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Game, LatronesError, Position, canonical_key, quoted, read_text_file


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


# ---------------------------------------------------------------- sequence
# The openings of a match in their order.

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
    if len(game.moves) < plies or game.outcome() is not None:
        return None
    texts = (position.move_text(move) for position, move in zip(game.positions, game.moves, strict=False))
    return Opening(game.position, tuple(texts))


# ---------------------------------------------------------------- text
# Openings as the command line names them: random ones, or a file.

_MAX_PLIES = 1000
_RANDOM = re.compile(r"random:([0-9]{1,4})", re.ASCII)


def parse_openings(text: str, start: Position) -> Openings:
    """Reads ``random:PLIES`` or ``file:PATH``.

    Raises:
        SettingsError: neither; more than 1000 plies; or a file that cannot be read or has an error.
    """
    if text.startswith("file:"):
        return _read_file(text.removeprefix("file:"), start)
    match = _RANDOM.fullmatch(text)
    if match is None or int(match[1]) > _MAX_PLIES:
        raise SettingsError(
            f"openings {quoted(text)} are neither 'random:PLIES' with 0 to {_MAX_PLIES} plies nor 'file:PATH'"
        )
    return RandomOpenings(int(match[1]))


def _read_file(path: str, start: Position) -> ListedOpenings:
    try:
        lines = read_text_file(path).splitlines()
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read the openings {quoted(path)}: {error}") from error
    found = list(_openings(lines, path, start))
    if not found:
        raise SettingsError(f"the openings {quoted(path)} are empty")
    return ListedOpenings(tuple(each.position for each in found), tuple(each.moves for each in found))


def _openings(lines: Iterable[str], path: str, start: Position) -> Iterator[Opening]:
    """A line is a FEN, or moves from the start, or both with the word ``moves`` between; ``#`` begins a comment."""
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                yield _opening(text, start)
            except LatronesError as error:
                raise SettingsError(f"{path}, line {number}: {error}") from error


def _opening(text: str, start: Position) -> Opening:
    words = text.split()
    if "moves" in words:
        at = words.index("moves")
        head, moves = words[:at], words[at + 1:]
    elif "/" in text or words == ["startpos"]:
        head, moves = words, []
    else:
        head, moves = [], words
    game = Game(start if head in ([], ["startpos"]) else Position.from_fen(start.ruleset, " ".join(head)))
    for move in moves:
        game.play(game.position.parse_move(move))
    if (outcome := game.outcome()) is not None:
        raise LatronesError(f"opening {quoted(text)} is a finished game ({outcome.name}, {outcome.termination.value})")
    return Opening(game.position, tuple(moves) if game.start == start else None)
