"""Requests of the page as JSON: read them and carry them out."""

from collections.abc import Callable
from typing import Any

from latrones_uci.game import BoardSizeError, Ruleset
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE
from latrones_uci.gui.config import GuiConfig, parse_game
from latrones_uci.gui.live_game import LiveGame
from latrones_uci.gui.registry import MOST_GAMES, GameRegistry
from latrones_uci.web.page_server import RefusedError

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
            "resign": lambda live, data: live.resign(),
            "pause": lambda live, data: live.pause(data.get("on") is True),
            "now": lambda live, data: live.move_now(),
            "hint": lambda live, data: live.ask_hint(),
            "analyse": lambda live, data: live.analyse(_number(data, "lines")),
        }

    def handle(self, data: Any) -> Answer:
        """Carry out a request. The answer is short, because the event stream reports the changes.

        Raises:
            RefusedError: the request is invalid or cannot be carried out now.
        """
        what = data.get("do") if isinstance(data, dict) else None
        if what == "create":
            return {"table": self._registry.create(data.get("game")).name}
        if what == "follow":
            self._registry.follow(_text(data, "stream"), _names(data, "tables"), _names(data, "fresh"))
            return _NOTHING
        command = self._game_commands.get(what) if isinstance(what, str) else None
        if command is None:
            raise RefusedError("unknown command")
        command(self._registry.find(data.get("table")), data)
        return _NOTHING


def menu(config: GuiConfig) -> Answer:
    """Return the choices of the menu: the variants with their board sizes, and the engines."""
    return {
        "games": [{"name": name, "title": ruleset.title, "size": "x".join(map(str, ruleset.default_size)),
                   "sizes": _sizes(ruleset)} for name, ruleset in config.variants.items()],
        "engines": list(config.names),
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


def _number(data: Answer, key: str) -> int:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RefusedError(f"{key}: expected an integer")
    return value
