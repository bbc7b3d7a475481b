"""Files of test positions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from latrones_uci.game import Game, LatronesError, Move, Position, Ruleset, find_variant, quoted
from latrones_uci.match.errors import SettingsError

_KEYS = ("bm", "dm", "id", "variant")
_DEFAULT_VARIANT = "latrones"


@dataclass(frozen=True)
class SuitePosition:
    """A position with what is asked of an engine there.

    Attributes:
        name: its ``id``, else ``line N``.
        game: the position, as a game without moves.
        best_moves: the moves of which one must be played; empty where none are named.
        mate_turns: in how many turns, at most, the player to move must announce a forced win; None where it is not
            asked.
    """

    name: str
    game: Game
    best_moves: tuple[Move, ...]
    mate_turns: int | None


def parse_suite(lines: Iterable[str], path: str, variants: Mapping[str, Ruleset]) -> list[SuitePosition]:
    """Reads positions, one a line: ``FEN; bm MOVE [MOVE ...]; dm N; id "NAME"; variant NAME``.

    What follows the FEN stands in any order, and each may be missing but ``bm`` or ``dm``. ``#`` outside quotes begins
    a comment.

    Args:
        lines: the text.
        path: of the file, for messages.
        variants: the games known, by name.

    Raises:
        SettingsError: an error in a line, or no position at all. The message names the line and quotes the error.
    """
    positions = []
    for number, line in enumerate(lines, start=1):
        try:
            fields = _split(line)
            if any(fields):
                positions.append(_parse(fields, number, variants))
        except (LatronesError, ValueError) as error:
            raise SettingsError(f"{path}, line {number}: {error}") from error
    if not positions:
        raise SettingsError(f"the suite {quoted(path)} is empty")
    return positions


def _split(line: str) -> list[str]:
    """The fields of a line: semicolons and ``#`` inside double quotes are text."""
    fields, within = [""], False
    for character in line.strip():
        if character == '"':
            within = not within
        if character == "#" and not within:
            break
        if character == ";" and not within:
            fields.append("")
        else:
            fields[-1] += character
    if within:
        raise ValueError(f"a quote does not close: {quoted(line.strip())}")
    return [field.strip() for field in fields]


def _parse(fields: list[str], number: int, variants: Mapping[str, Ruleset]) -> SuitePosition:
    words: dict[str, str] = {}
    for field in filter(None, fields[1:]):
        key, _, value = field.partition(" ")
        if key not in _KEYS:
            raise ValueError(f"{quoted(field)} begins with none of {', '.join(_KEYS)}")
        if key in words:
            raise ValueError(f"{quoted(field)} is a second {key}")
        words[key] = value.strip()
    variant = words.get("variant", _DEFAULT_VARIANT)
    game = Game(Position.from_fen(find_variant(variant, variants), fields[0]))
    if (result := game.result()) is not None:
        raise ValueError(f"{quoted(fields[0])} is a finished game ({result.name}, {result.reason})")
    if not words.keys() & {"bm", "dm"}:
        raise ValueError(f"neither bm nor dm for {quoted(fields[0])}")
    best_moves = tuple(game.position.parse_move(text) for text in words.get("bm", "").split())
    if "bm" in words and not best_moves:
        raise ValueError("bm names no move")
    name = words.get("id", f"line {number}")
    return SuitePosition(name.removeprefix('"').removesuffix('"'), game, best_moves, _turns(words.get("dm")))


def _turns(text: str | None) -> int | None:
    if text is not None and not (text.isascii() and text.isdigit() and 1 <= int(text) <= 999):
        raise ValueError(f"dm {quoted(text)} is not a number of turns from 1 to 999")
    return None if text is None else int(text)
