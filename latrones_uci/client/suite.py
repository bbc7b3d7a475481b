"""Test suites: read files of test positions and test an engine with them."""

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
    """A test position with the expected answers."""

    name: str
    """Its ``id``; ``line N`` if it has none."""
    game: Game
    """The position, as a game without moves."""
    best_moves: tuple[Move, ...]
    """The correct moves; empty if any move is correct."""
    mate_turns: int | None
    """Maximum number of turns of the forced win that the engine must announce; None if not required."""


def parse_suite(lines: Iterable[str], path: str, variants: Mapping[str, Ruleset]) -> list[SuitePosition]:
    """Read test positions, one per line: ``FEN; bm MOVE [MOVE ...]; dm N; id "NAME"; variant NAME``.

    The operations after the FEN can be in any order; ``bm`` or ``dm`` is required. ``#`` outside quotes starts a
    comment.

    Args:
        lines: the lines of the file.
        path: the path of the file, for error messages.
        variants: the known variants, by name.

    Raises:
        SettingsError: a line is invalid, or there is no position. The message contains the line number.
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
        raise SettingsError(f"suite {quoted(path)}: no positions")
    return positions


def _split(line: str) -> list[str]:
    """Split a line into its fields; semicolons and ``#`` inside double quotes are text."""
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
        raise ValueError(f"{quoted(line.strip())}: missing closing quote")
    return [field.strip() for field in fields]


def _parse(fields: list[str], number: int, variants: Mapping[str, Ruleset]) -> SuitePosition:
    words: dict[str, str] = {}
    for field in filter(None, fields[1:]):
        key, _, value = field.partition(" ")
        if key not in _KEYS:
            raise ValueError(f"{quoted(field)}: unknown operation; expected one of {', '.join(_KEYS)}")
        if key in words:
            raise ValueError(f"{quoted(field)}: duplicate {key}")
        words[key] = value.strip()
    variant = words.get("variant", _DEFAULT_VARIANT)
    game = Game(Position.from_fen(find_variant(variant, variants), fields[0]))
    if (outcome := game.outcome()) is not None:
        raise ValueError(f"{quoted(fields[0])}: the game is over ({outcome.name}, {outcome.reason})")
    if not words.keys() & {"bm", "dm"}:
        raise ValueError(f"{quoted(fields[0])}: no solution; expected bm or dm")
    best_moves = tuple(game.position.parse_move(text) for text in words.get("bm", "").split())
    if "bm" in words and not best_moves:
        raise ValueError("bm needs a move")
    name = words.get("id", f"line {number}")
    return SuitePosition(name.removeprefix('"').removesuffix('"'), game, best_moves, _turns(words.get("dm")))


def _turns(text: str | None) -> int | None:
    if text is not None and not (text.isascii() and text.isdigit() and 1 <= int(text) <= 999):
        raise ValueError(f"dm {quoted(text)}: expected a number of turns, 1..999")
    return None if text is None else int(text)


# ---------------------------------------------------------------- solving


@dataclass(frozen=True)
class SuiteResult:
    """The result of a test position."""

    position: SuitePosition
    """The test position."""
    solved: bool
    """Whether the final answer is correct."""
    answer: SearchAnswer
    """The search."""
    found: SearchInfo | None
    """The search information from which on the engine kept the solution; None if the position is not solved, or if only
    the ``bestmove`` shows the solution."""


def solve(position: SuitePosition, engine: Engine, limit: Limit) -> SuiteResult:
    """Let an engine search a test position as a new game, so that earlier positions do not help."""
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
    """Return whether a move with its search information is a correct answer."""
    mate = info.score.mate
    if position.mate_turns is not None and not (mate is not None and 0 < mate <= position.mate_turns):
        return False
    try:
        return not position.best_moves or position.game.position.parse_move(move) in position.best_moves
    except LatronesError:
        return False
