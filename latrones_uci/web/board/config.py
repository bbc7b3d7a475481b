"""The configuration of the server, and the settings of a game, which the page sends as JSON.

The page chooses variants and engines from lists; it cannot specify a command.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import LatronesError, Position, Ruleset, parse_board_size
from latrones_uci.text.messages import printable, quoted
from latrones_uci.web.board.engine_catalog import LEVEL_NAMES, EngineCatalog
from latrones_uci.web.lib.page_server import RefusedError

PlayerKind = Literal["person", "engine"]
LimitKind = Literal["time", "depth", "clock"]

_MS_PER_S = 1000
_MAX_CLOCK_S = 24 * 3600
_MAX_MOVE_MS = 3_600_000
_MAX_DEPTH = 100
MAX_PLAYER_NAME = 100


@dataclass(frozen=True)
class GuiConfig:
    """The variants and engines that the server offers."""

    variants: Mapping[str, Ruleset]
    variant_path: str | None
    """A file with more variants, which engines also receive; None for none."""
    engines: tuple[EngineSettings, ...]
    """The engines to choose from, at least one; the first gives hints and analysis."""
    names: tuple[str, ...]
    catalog: EngineCatalog = field(init=False, compare=False)

    def __post_init__(self) -> None:
        ruleset = next(iter(self.variants.values()))
        object.__setattr__(self, "catalog", EngineCatalog(self.engines, self.variant_path, ruleset))

    def ruleset(self, name: Any) -> Ruleset:
        ruleset = self.variants.get(name) if isinstance(name, str) else None
        if ruleset is None:
            raise RefusedError(f"unknown variant {quoted(str(name))}")
        return ruleset

    def engine_number(self, text: str | None) -> int:
        return parse_index(text, len(self.engines), "engine")

    def engine(self, number: int, interrupted: Callable[[], bool]) -> Engine:
        """Return an engine that is not started yet; ``interrupted`` is polled while waiting for the engine."""
        return Engine(self.catalog.settings(number), variant_path=self.variant_path, interrupted=interrupted)


@dataclass(frozen=True)
class PlayerSettings:
    kind: PlayerKind
    engine: int
    """The index of the engine in ``GuiConfig.engines``."""
    limit: LimitKind
    """How an engine plays: a fixed ``time`` per move, a fixed ``depth``, or using its ``clock``."""
    movetime_ms: int
    depth: int
    clock: TimeControl
    """The time control for the game; without limits if there is no clock."""
    level: int | None = None
    """The index of an engine's level in ``LEVEL_NAMES``, None for its full strength."""
    name: str = ""
    """The name of a human, for example from a PGN file; empty for none."""

    @property
    def search_control(self) -> TimeControl:
        """The limits for a search of the engine, not including its clock."""
        if self.limit == "time":
            return TimeControl(movetime_ms=self.movetime_ms)
        return TimeControl(depth=self.depth) if self.limit == "depth" else TimeControl()


@dataclass(frozen=True)
class GameSettings:
    """The settings of a game: its start position, and the players of White and Black."""

    start: Position
    players: tuple[PlayerSettings, PlayerSettings]
    tags: tuple[tuple[str, str], ...] = ()
    """The tags of a game from a file; they are not carried over to a new game."""


def parse_game(data: Any, config: GuiConfig) -> GameSettings:
    """Read the settings of a game.

    The format is ``{"variant": "latrones", "size": "8x8", "fen": "", "players": [WHITE, BLACK]}``; an empty ``fen``
    means the start position on a board of that size. A player is ``{"kind": "engine", "engine": 0, "limit": "time",
    "movetime_ms": 1000, "depth": 6, "base_s": 300, "increment_s": 2}``; ``base_s`` 0 means no clock. Fields that a kind
    of player does not need are optional.

    Raises:
        RefusedError: a field is missing or invalid; the message quotes it.
    """
    if not isinstance(data, dict) or not isinstance(players := data.get("players"), list) or len(players) != 2:
        raise RefusedError("invalid game; expected a variant, a size and two players")
    name, size, fen = (_text(data, key) for key in ("variant", "size", "fen"))
    start = start_position(config.ruleset(name), size, fen)
    white, black = (_parse_player(player, config) for player in players)
    return GameSettings(start, (white, black))


def start_position(ruleset: Ruleset, size: str, fen: str = "") -> Position:
    """Return the position of a FEN, or without one the start on a board of a size, empty for the variant's own."""
    try:
        return (Position.from_fen(ruleset, fen) if fen.strip()
                else Position.start(ruleset, parse_board_size(size) if size else None))
    except LatronesError as error:
        raise RefusedError(str(error)) from error


def parse_index(text: str | None, count: int, what: str) -> int:
    """Return the number, from 0, of one of several things that an address or a request names."""
    if text is None or not (text.isascii() and text.isdigit() and len(text) <= 6) or int(text) >= count:
        raise RefusedError(f"{what} {quoted(str(text))}: expected 0..{count - 1}")
    return int(text)


def _parse_player(data: Any, config: GuiConfig) -> PlayerSettings:
    if not isinstance(data, dict):
        raise RefusedError(f"player {quoted(str(data))}: expected an object")
    kind, limit = _choice(data, "kind", get_args(PlayerKind)), _choice(data, "limit", get_args(LimitKind), "time")
    base_s = _number(data, "base_s", 0, _MAX_CLOCK_S, 0)
    increment_s = _number(data, "increment_s", 0, _MAX_CLOCK_S, 0)
    clock = (TimeControl(base_ms=round(base_s * _MS_PER_S), increment_ms=round(increment_s * _MS_PER_S))
             if base_s else TimeControl())
    if increment_s and not base_s:
        raise RefusedError("an increment needs a clock; set the minutes per side, or the increment to 0")
    if kind == "engine" and limit == "clock" and not base_s:
        raise RefusedError("an engine that uses its clock needs one; set the minutes of its clock")
    level = None if data.get("level") is None else int(_number(data, "level", 0, len(LEVEL_NAMES) - 1, 0))
    return PlayerSettings(
        kind, int(_number(data, "engine", 0, len(config.engines) - 1, 0)), limit,
        int(_number(data, "movetime_ms", 1, _MAX_MOVE_MS, _MS_PER_S)),
        int(_number(data, "depth", 1, _MAX_DEPTH, 4)), clock, level if kind == "engine" else None,
        printable(_text(data, "name"), " ").strip()[:MAX_PLAYER_NAME])


def game_data(settings: GameSettings) -> dict[str, Any]:
    """Return the settings of a game in the format of ``parse_game``."""
    start = settings.start
    return {"variant": start.ruleset.name, "size": start.geometry.name, "fen": _other_start(start),
            "players": [_player_data(player) for player in settings.players],
            **({"tags": dict(settings.tags)} if settings.tags else {})}


@lru_cache(maxsize=64)
def _other_start(start: Position) -> str:
    """Return the FEN of a start position that is not the variant's, otherwise an empty string."""
    usual = Position.start(start.ruleset, (start.geometry.files, start.geometry.ranks))
    return "" if start.fen() == usual.fen() else start.fen()


def _player_data(player: PlayerSettings) -> dict[str, Any]:
    data, clock = asdict(player), player.clock
    del data["clock"]
    return data | {"base_s": (clock.base_ms or 0) / _MS_PER_S, "increment_s": (clock.increment_ms or 0) / _MS_PER_S}


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise RefusedError(f"{key} {quoted(str(value))}: expected a string")
    return value


def _choice(data: dict[str, Any], key: str, choices: tuple[Any, ...], default: str | None = None) -> Any:
    value = data.get(key, default)
    if value not in choices:
        raise RefusedError(f"{key} {quoted(str(value))}: expected one of {', '.join(choices)}")
    return value


def _number(data: dict[str, Any], key: str, least: float, most: float, default: float) -> float:
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise RefusedError(f"{key} {quoted(str(value))}: expected a number {least}..{most}")
    return value
