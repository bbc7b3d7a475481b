"""A game to be played, as JSON text: what travels to wherever it is played, and what comes back."""

import json
from dataclasses import dataclass, field
from typing import Any

from latrones_uci.match.plain import from_plain, to_plain
from latrones_uci.match.settings import EngineSettings, GameLimits, Timeouts
from latrones_uci.match.tournament.settings import VariantFile, VariantSettings


@dataclass(frozen=True)
class GameTask:
    """All that is needed to play a game, wherever.

    Attributes:
        label: of the game, for logs.
        engines: White and Black.
        variant: the game and its board.
        variant_file: file with more games, None for none.
        fen: the position after the opening; empty to greet the engines without a game.
        limits: what the referee applies beside the rules.
        timeouts: how long engines are waited for.
    """

    label: str
    engines: tuple[EngineSettings, ...]
    variant: VariantSettings
    variant_file: VariantFile | None = None
    fen: str = ""
    limits: GameLimits = field(default_factory=GameLimits)
    timeouts: Timeouts = field(default_factory=Timeouts)


def render_task(task: GameTask) -> str:
    """The task as JSON text."""
    return json.dumps(to_plain(task), separators=(",", ":"))


def parse_task(text: str) -> GameTask:
    """Reads what ``render_task`` writes.

    Raises:
        ValueError: no such text.
    """
    return from_plain(GameTask, json.loads(text))


def render_answer(data: dict[str, Any]) -> str:
    """What comes back, as JSON text."""
    return json.dumps(data, separators=(",", ":"))


def parse_answer(text: str) -> dict[str, Any]:
    """Reads what ``render_answer`` writes.

    Raises:
        ValueError: no such text.
    """
    data = json.loads(text)
    if not isinstance(data, dict):
        raise ValueError(f"not an answer: {text[:80]!r}")
    return data
