"""Parse and handle the page's JSON requests."""

from collections.abc import Callable
from typing import Any

from latrones_uci.game import (
    BoardSizeError,
    FenError,
    LatronesError,
    Position,
    Ruleset,
    ludii_variants,
    parse_board_size,
    quoted,
)
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE
from latrones_uci.game.position import letters_of
from latrones_uci.web.board.config import GuiConfig, parse_game
from latrones_uci.web.board.game_store import StoreUnusableError
from latrones_uci.web.board.level_catalog import LEVEL_NAMES, level_choices
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.registry import MOST_GAMES, GameRegistry
from latrones_uci.web.board.state import ending_words
from latrones_uci.web.notation import position_data
from latrones_uci.web.page_server import RefusedError
from latrones_uci.web.reasons import reason_against
from latrones_uci.web.rules.lesson import Lesson, summary_of
from latrones_uci.web.rules.rule_page import RulePage, rule_page

Answer = dict[str, Any]
_NOTHING: Answer = {}


class Requests:
    """Handles requests ``{"do": COMMAND, ...}``; all but ``create`` and ``follow`` name a game in ``table``."""

    def __init__(self, registry: GameRegistry) -> None:
        """Handle requests for the games of a registry."""
        self._registry = registry
        self._game_commands: dict[str, Callable[[LiveGame, Answer], None]] = {
            "restart": lambda live, data: live.restart(parse_game(data.get("game"), registry.config)),
            "position": lambda live, data: live.set_position(_text(data, "fen")),
            "move": lambda live, data: live.move(_text(data, "move"), _number(data, "ply")),
            "undo": lambda live, data: live.undo(),
            "show": lambda live, data: live.show_state(),
            "resign": lambda live, data: live.resign(),
            "pause": lambda live, data: live.pause(data.get("on") is True),
            "now": lambda live, data: live.move_now(),
            "hint": lambda live, data: live.ask_hint(),
            "review": lambda live, data: live.review(),
            "analyse": lambda live, data: live.analyse(
                _number(data, "lines"), *_spot(data), data.get("threat") is True, data.get("longer") is True),
            "prune": lambda live, data: live.delete_variation(_number(data, "node")),
            "promote": lambda live, data: live.promote_variation(_number(data, "node")),
        }
        self._store_commands: dict[str, Callable[[Answer], Answer]] = {
            "open": lambda data: {"table": registry.open(data.get("table"), data.get("record"))},
            "delete": lambda data: {"deleted": registry.delete(_texts(data, "records"))},
            "delete-found": lambda data: {
                "deleted": registry.delete_found(_text(data, "search"), _number(data, "count"))},
            "rename": self._rename,
            "import": self._import,
            "export": lambda data: {"pgn": "".join(registry.export_games(_texts(data, "records")))},
        }
        self._questions: dict[str, Callable[[LiveGame, Answer], Answer]] = {
            "moves": lambda live, data: live.moves_at(*_spot(data)),
            "vary": lambda live, data: live.vary(_text(data, "move"), *_spot(data)),
            "line": lambda live, data: live.add_line(_texts(data, "moves"), *_spot(data)),
            "why": lambda live, data: {
                "reason": live.reason_against(_optional_number(data, "from"), _number(data, "to"), *_spot(data))},
            "draw": lambda live, data: {"answer": live.offer_draw()},
        }

    def handle(self, data: Any) -> Answer:
        """Handle a request. The answer is short, because the event stream reports the changes.

        Raises:
            RefusedError: the request is invalid or cannot be carried out now.
        """
        what = data.get("do") if isinstance(data, dict) else None
        if what == "create":
            return {"table": self._registry.create(data.get("game")).name}
        if what == "follow":
            self._registry.follow(_text(data, "stream"), _names(data, "tables"), _names(data, "fresh"))
            return _NOTHING
        if what == "why" and "variant" in data:
            lesson = lesson_of(rules_of_game(self._registry.config, data["variant"]), str(_number(data, "lesson")))
            origin, target = _optional_number(data, "from"), _number(data, "to")
            squares = lesson.position.geometry.squares
            if not 0 <= target < squares or origin is not None and not 0 <= origin < squares:
                raise RefusedError(f"square: expected 0..{squares - 1}")
            return {"reason": reason_against(lesson.position, origin, target)}
        if what == "check":
            return check_position(self._registry.find(data.get("table")).game.start, _text(data, "fen"))
        if what == "options":
            config = self._registry.config
            config.options.set_values(engine_of(config, str(data.get("engine"))), data.get("values"))
            return _NOTHING
        if isinstance(what, str) and what in self._store_commands:
            try:
                return self._store_commands[what](data)
            except StoreUnusableError as error:
                raise RefusedError(str(error)) from error
        if isinstance(what, str) and what in self._questions:
            return self._questions[what](self._registry.find(data.get("table")), data)
        command = self._game_commands.get(what) if isinstance(what, str) else None
        if command is None:
            raise RefusedError("unknown command")
        command(self._registry.find(data.get("table")), data)
        return _NOTHING

    def _rename(self, data: Answer) -> Answer:
        record = self._registry.kept_game(data.get("record")).record
        self._registry.kept.rename(record, visible(_text(data, "name")).strip())
        return _NOTHING

    def _import(self, data: Answer) -> Answer:
        line = _optional_number(data, "line")
        records, rejected = self._registry.import_games(_text(data, "pgn"), 1 if line is None else line)
        return {"records": records, "rejected": rejected}


def rules_of_game(config: GuiConfig, name: Any) -> RulePage:
    """Return the rules of a variant.

    Raises:
        RefusedError: there is no such variant.
    """
    ruleset = config.variants.get(name) if isinstance(name, str) else None
    if ruleset is None:
        raise RefusedError(f"unknown variant {quoted(str(name))}")
    return rule_page(ruleset)


def levels_of_engine(config: GuiConfig, engine: str | None, variant: Any, size: str = "") -> list[Answer]:
    """Return the levels of an engine, by its index, in a variant on a board; empty if it has no levels.

    Raises:
        RefusedError: there is no such engine, variant or board.
    """
    ruleset = rules_of_game(config, variant).ruleset
    try:
        start = Position.start(ruleset, parse_board_size(size) if size else None)
    except LatronesError as error:
        raise RefusedError(str(error)) from error
    return level_choices(config.levels, engine_of(config, engine), start)


def engine_of(config: GuiConfig, engine: str | None) -> int:
    """Return the index of the engine named in an address.

    Raises:
        RefusedError: there is no such engine.
    """
    most = len(config.engines) - 1
    if engine is None or not engine.isascii() or not engine.isdigit() or len(engine) > 6 or int(engine) > most:
        raise RefusedError(f"engine {quoted(str(engine))}: expected 0..{most}")
    return int(engine)


def check_position(start: Position, fen: str) -> Answer:
    """Check a position by the rules, for the variant and the board size of ``start``.

    Returns:
        Pieces, hands and side of the position, or of ``start`` if the position is not possible. ``pieces`` are the
        pieces of the variant, ``holds`` is whether it has hands, and ``start`` is its start position. ``problem`` is
        why the position is not possible, and ``ending`` how the game has ended in it; otherwise they are empty.
    """
    ruleset, geometry = start.ruleset, start.geometry
    usual = Position.start(ruleset, (geometry.files, geometry.ranks))
    position, problem, ending = start, "", ""
    try:
        position = Position.from_fen(ruleset, fen)
    except FenError as error:
        problem = str(error.__context__ or error)  # without the FEN, which the page shows
        problem = f"{problem[0].upper()}{problem[1:]}."
    else:
        if (outcome := position.outcome()) is not None:
            ending = f"The game is over in this position: {ending_words(position, outcome)}."
    holds = ruleset.setup == "placement"
    return {**position_data(position), "pieces": letters_of(ruleset), "holds": holds, "start": usual.fen(),
            "problem": problem, "ending": ending}


def lesson_of(page: RulePage, number: str | None) -> Lesson:
    """Return a lesson of a game by its number from 0.

    Raises:
        RefusedError: there is no such lesson.
    """
    count = len(page.lessons)
    if number is None or not number.isascii() or not number.isdigit() or len(number) > 3 or int(number) >= count:
        raise RefusedError(f"lesson {quoted(str(number))}: expected 0..{count - 1}")
    return page.lessons[int(number)]


def menu(config: GuiConfig) -> Answer:
    """Return the choices of the menu: the variants with their board sizes, and the engines."""
    return {
        "games": [{"name": name, "title": ruleset.title, "summary": summary_of(ruleset),
                   "size": "x".join(map(str, ruleset.default_size)), "sizes": _sizes(ruleset),
                   "folded": ludii_variants().get(name) == ruleset}
                  for name, ruleset in config.variants.items()],
        "engines": list(config.names), "levels": list(LEVEL_NAMES),
    }


def _sizes(ruleset: Ruleset) -> list[str]:
    sides = range(MIN_SIDE, MAX_SIDE + 1)
    return [f"{files}x{ranks}" for files in sides for ranks in sides if _is_allowed(ruleset, files, ranks)]


def _is_allowed(ruleset: Ruleset, files: int, ranks: int) -> bool:
    try:
        ruleset.check_size(files, ranks)
    except BoardSizeError:
        return False
    return True


def visible(text: str) -> str:
    """Return a text without control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _text(data: Answer, key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise RefusedError(f"{key}: expected a string")
    return value


def _names(data: Answer, key: str) -> list[str]:
    value = data.get(key)
    if not isinstance(value, list) or len(value) > MOST_GAMES or not all(isinstance(name, str) for name in value):
        raise RefusedError(f"{key}: expected a list of at most {MOST_GAMES} names")
    return value


def _texts(data: Answer, key: str) -> list[str]:
    value = data.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(text, str) for text in value):
        raise RefusedError(f"{key}: expected a list of strings")
    return value


def _optional_number(data: Answer, key: str) -> int | None:
    return None if data.get(key) is None else _number(data, key)


def _spot(data: Answer) -> tuple[int | None, int | None]:
    """Return a place in a game: its ply and the number of a move of a variation, None for none."""
    return _optional_number(data, "ply"), _optional_number(data, "node")


def _number(data: Answer, key: str) -> int:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RefusedError(f"{key}: expected an integer")
    return value
