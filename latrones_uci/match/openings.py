"""Openings, the positions from which games start: random or listed, in a reproducible order."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Game, LatronesError, Position, canonical_key, quoted, read_text_file, reason


@dataclass(frozen=True)
class RandomOpenings:
    """A number of random legal moves from the start position."""

    plies: int


@dataclass(frozen=True)
class ListedOpenings:
    """A list of positions to use in turn; not empty, and no game over.

    Attributes:
        positions: the positions.
        lines: for each position the texts of the moves from the start position, None if unknown; empty if all are
            unknown.
    """

    positions: tuple[Position, ...]
    lines: tuple[tuple[str, ...] | None, ...] = ()


Openings = RandomOpenings | ListedOpenings


@dataclass(frozen=True)
class Opening:
    """An opening.

    Attributes:
        position: the position.
        moves: the texts of the moves from the start position, None if unknown.
    """

    position: Position
    moves: tuple[str, ...] | None = None


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

    Listed openings keep their order. Random openings are distinct up to symmetry and exchange of colours (see
    ``canonical_key``); the sequence ends when no new opening is found in 1000 attempts.

    Args:
        start: the start position of the variant.
        openings: the source of the openings.
        seed: random seed.
        accepts: test of random positions; those that it rejects are skipped. It is called once per position, when the
            opening is needed. None accepts all.
        known: the first openings of the same sequence, found earlier. They come first again, and no position up to the
            last of them is tested again.

    Raises:
        SettingsError: (while iterating) there is no opening, or ``known`` belongs to another sequence.
    """
    if isinstance(openings, ListedOpenings):
        lines = openings.lines or (None,) * len(openings.positions)
        return map(Opening, openings.positions, lines)
    return _random_openings(start, openings, random.Random(seed), accepts, known)


def render_shortage(openings: int, pairs: int) -> str:
    """Render the warning that there are fewer openings than pairs of games: ``only 12 openings for 50 pairs``."""
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
        fen = known[found].position.fen()
        raise SettingsError(f"opening {found + 1}, '{fen}', in the database does not belong to these settings")
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


_MOST_PLIES = 1000
_RANDOM = re.compile(r"random:([0-9]{1,4})", re.ASCII)


def parse_openings(text: str, start: Position) -> Openings:
    """Parse ``random:PLIES``, or read ``file:PATH``.

    Raises:
        SettingsError: the text is malformed, has more than 1000 plies, or names a file that cannot be read or has an
            error.
    """
    if text.startswith("file:"):
        return _read_file(text.removeprefix("file:"), start)
    match = _RANDOM.fullmatch(text)
    if match is None or int(match[1]) > _MOST_PLIES:
        raise SettingsError(
            f"openings {quoted(text)}: expected 'random:PLIES' with 0 to {_MOST_PLIES} plies, or 'file:PATH'"
        )
    return RandomOpenings(int(match[1]))


def _read_file(path: str, start: Position) -> ListedOpenings:
    try:
        lines = read_text_file(path).splitlines()
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read the openings {quoted(path)}: {reason(error)}") from error
    found = list(_openings(lines, path, start))
    if not found:
        raise SettingsError(f"the openings {quoted(path)} are empty; expected at least one line")
    return ListedOpenings(tuple(each.position for each in found), tuple(each.moves for each in found))


def _openings(lines: Iterable[str], path: str, start: Position) -> Iterator[Opening]:
    """Parse lines: a FEN, or moves from the start, or both with the word ``moves`` between; ``#`` starts a comment."""
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
        raise LatronesError(f"opening {quoted(text)}: the game is over ({outcome.name}, {outcome.reason})")
    return Opening(game.position, tuple(moves) if game.start == start else None)
