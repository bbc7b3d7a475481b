"""Test suites and puzzles: read and write files of positions with solutions, and test an engine with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import Engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, LatronesError, Move, Position, Ruleset, find_variant
from latrones_uci.game.history import push_parsed
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import SearchInfo

_KEYS = ("bm", "dm", "id", "variant", "theme", "rating", "line")
_DEFAULT_VARIANT = "latrones"
THEMES = ("win", "shut-in", "capture", "double-capture", "save-dux", "escape", "defend")
"""What a puzzle is about: a forced win, one by shutting in or capturing the dux, captures, more than one piece captured
by a move, a dux that is saved, any other loss of the game that is averted, and a position in which all other moves cost
soldiers."""


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
    themes: tuple[str, ...] = ()
    """What a puzzle is about, of ``THEMES``."""
    rating: int | None = None
    """How hard a puzzle is, on the scale of the levels in its game; None if unknown."""
    line: tuple[Move, ...] = ()
    """The whole solution with the replies, up to the last move of the solver; empty if unknown."""

    def solution(self) -> Game:
        """Return the game after the moves of ``line``."""
        game = self.game.copy()
        for move in self.line:
            push_parsed(game, move)
        return game


def parse_suite(lines: Iterable[str], path: str, variants: Mapping[str, Ruleset]) -> list[SuitePosition]:
    """Read test positions, one per line: ``FEN; bm MOVE [MOVE ...]; dm N; id "NAME"; variant NAME``.

    The operations after the FEN can be in any order; ``bm`` or ``dm`` is required. Puzzles have more: ``theme THEME
    [THEME ...]``, ``rating N`` and ``line MOVE [MOVE ...]``. ``#`` outside quotes starts a comment.

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
    return SuitePosition(
        name.removeprefix('"').removesuffix('"'), game, best_moves, _number(words, "dm", "a number of turns", 999),
        _themes(words.get("theme")), _number(words, "rating", "a rating", 9999),
        _line(game, words["line"], best_moves) if "line" in words else ())


def _number(words: Mapping[str, str], key: str, what: str, most: int) -> int | None:
    text = words.get(key)
    if text is not None and not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most):
        raise ValueError(f"{key} {quoted(text)}: expected {what}, 1..{most}")
    return None if text is None else int(text)


def _themes(text: str | None) -> tuple[str, ...]:
    themes = () if text is None else tuple(text.split())
    if text is not None and not themes or not set(themes) <= set(THEMES):
        raise ValueError(f"theme {quoted(text or '')}: expected one or more of {', '.join(THEMES)}")
    return themes


def _line(start: Game, text: str, best_moves: Sequence[Move]) -> tuple[Move, ...]:
    game = start.copy()
    try:
        for word in text.split():
            game.push(word)
    except LatronesError as error:
        raise ValueError(f"line {quoted(text)}: {error}") from error
    moves = tuple(game.moves)
    if not moves or game.positions[-2].side != start.position.side:
        raise ValueError(f"line {quoted(text)}: expected moves of which the last is the solver's")
    if best_moves and moves[0] not in best_moves:
        raise ValueError(f"line {quoted(text)}: begins with {quoted(str(moves[0]))}; expected a move of bm")
    return moves


def render_suite_position(position: SuitePosition) -> str:
    """Return the line of a suite that ``parse_suite`` reads as this position."""
    start = position.game.position
    values = {
        "bm": " ".join(position.best_moves),
        "dm": "" if position.mate_turns is None else str(position.mate_turns),
        "id": f'"{position.name}"', "variant": start.ruleset.name, "theme": " ".join(position.themes),
        "rating": "" if position.rating is None else str(position.rating),
        "line": " ".join(position.solution().moves),
    }
    return "; ".join([start.fen(), *(f"{key} {value}" for key, value in values.items() if value)])


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
