"""What the page's wishes, sent as JSON, come to."""

from collections.abc import Callable
from typing import Any

from latrones_uci.game import BoardSizeError, Ruleset
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE
from latrones_uci.gui.config import GuiConfig, RefusedError, parse_game
from latrones_uci.gui.live_game import LiveGame
from latrones_uci.gui.registry import MOST_TABLES, GameRegistry

Answer = dict[str, Any]
_NOTHING: Answer = {}


class Requests:
    """Obeys ``{"do": WHAT, ...}``; all but ``create`` and ``follow`` name their ``table``."""

    def __init__(self, registry: GameRegistry) -> None:
        """Requests for the tables of a registry."""
        self._registry = registry
        self._table_commands: dict[str, Callable[[LiveGame, Answer], None]] = {
            "restart": lambda table, data: table.restart(parse_game(data.get("game"), registry.config)),
            "position": lambda table, data: table.set_position(_text(data, "fen")),
            "move": lambda table, data: table.move(_text(data, "move"), _number(data, "ply")),
            "undo": lambda table, data: table.undo(),
            "resign": lambda table, data: table.resign(),
            "pause": lambda table, data: table.pause(data.get("on") is True),
            "now": lambda table, data: table.move_now(),
            "hint": lambda table, data: table.ask_hint(),
            "analyse": lambda table, data: table.analyse(_number(data, "lines")),
        }

    def obey(self, data: Any) -> Answer:
        """Does what is asked; the answer tells little, for what has changed comes by the stream.

        Raises:
            RefusedError: it cannot be done.
        """
        what = data.get("do") if isinstance(data, dict) else None
        if what == "create":
            return {"table": self._registry.create(data.get("game")).name}
        if what == "follow":
            self._registry.follow(_text(data, "stream"), _names(data, "tables"), _names(data, "fresh"))
            return _NOTHING
        command = self._table_commands.get(what) if isinstance(what, str) else None
        if command is None:
            raise RefusedError("that is none of the things that can be done")
        command(self._registry.find(data.get("table")), data)
        return _NOTHING


def menu(config: GuiConfig) -> Answer:
    """What can be chosen: the games with their boards, and the engines."""
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
        raise RefusedError(f"{key} is not a text")
    return value


def _names(data: Answer, key: str) -> list[str]:
    value = data.get(key)
    if not isinstance(value, list) or len(value) > MOST_TABLES or not all(isinstance(name, str) for name in value):
        raise RefusedError(f"{key} is not a list of names")
    return value


def _number(data: Answer, key: str) -> int:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RefusedError(f"{key} is not a whole number")
    return value
