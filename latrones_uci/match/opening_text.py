"""Openings as the command line names them: random ones, or a file."""

import re
from collections.abc import Iterable
from pathlib import Path

from latrones_uci.game import Game, LatronesError, Position, quoted
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.openings import ListedOpenings, Openings, RandomOpenings

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
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the openings {quoted(path)}: {error}") from error
    return ListedOpenings(tuple(_positions(lines, path, start)))


def _positions(lines: Iterable[str], path: str, start: Position) -> Iterable[Position]:
    """A line is a FEN, or moves from the start, or both with the word ``moves`` between; ``#`` begins a comment."""
    found = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                found.append(_position(text, start))
            except LatronesError as error:
                raise SettingsError(f"{path}, line {number}: {error}") from error
    if not found:
        raise SettingsError(f"the openings {quoted(path)} are empty")
    return found


def _position(text: str, start: Position) -> Position:
    words = text.split()
    at = words.index("moves") if "moves" in words else None
    if at is not None:
        head, moves = words[:at], words[at + 1:]
    elif "/" in text:
        head, moves = words, []
    else:
        head, moves = [], words
    game = Game(start if head in ([], ["startpos"]) else Position.from_fen(start.ruleset, " ".join(head)))
    for move in moves:
        game.play(game.position.parse_move(move))
    if (result := game.result()) is not None:
        raise LatronesError(f"opening {quoted(text)} is a finished game ({result.name}, {result.reason})")
    return game.position
