"""Openings as the command line names them: random ones, or a file."""

import re
from collections.abc import Iterable, Iterator

from latrones_uci.game import Game, LatronesError, Position, quoted, read_text_file
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.openings.opening import ListedOpenings, Opening, Openings, RandomOpenings

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
    if (result := game.result()) is not None:
        raise LatronesError(f"opening {quoted(text)} is a finished game ({result.name}, {result.reason})")
    return Opening(game.position, tuple(moves) if game.start == start else None)
