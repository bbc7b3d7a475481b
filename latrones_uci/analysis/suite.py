"""Files of test positions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import Engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, LatronesError, Move, Position, Ruleset, find_variant, quoted
from latrones_uci.protocol import SearchInfo

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
    if (outcome := game.outcome()) is not None:
        raise ValueError(f"{quoted(fields[0])} is a finished game ({outcome.name}, {outcome.termination.value})")
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


# ---------------------------------------------------------------- suite run
# Test positions given to an engine.


@dataclass(frozen=True)
class SuiteResult:
    """What came of a position.

    Attributes:
        position: the position.
        solved: whether the answer in the end is right.
        answer: the search.
        found: the engine's words when it had the solution, and from when on it kept it; None if it is not solved, or
            if the engine told of it only by its ``bestmove``.
    """

    position: SuitePosition
    solved: bool
    answer: SearchAnswer
    found: SearchInfo | None


def solve(position: SuitePosition, engine: Engine, limit: Limit) -> SuiteResult:
    """Gives a position to an engine that has forgotten all others."""
    found: SearchInfo | None = None

    def watch(info: SearchInfo) -> None:
        nonlocal found
        if not info.pv or not is_solution(position, info.pv[0], info):
            found = None
        elif found is None:
            found = info

    engine.new_game(position.game)
    answer = engine.search(position.game, limit, on_info=watch)
    engine.legal_move(position.game, answer.best.move)
    solved = is_solution(position, answer.best.move, answer.info)
    return SuiteResult(position, solved, answer, found if solved else None)


def is_solution(position: SuitePosition, move: str, info: SearchInfo) -> bool:
    """Whether a move with what was told of it is what the position asks for."""
    if position.mate_turns is not None and not (info.mate is not None and 0 < info.mate <= position.mate_turns):
        return False
    try:
        return not position.best_moves or position.game.position.parse_move(move) in position.best_moves
    except LatronesError:
        return False
