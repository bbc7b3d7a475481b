"""Plays games given as JSON text: in this process, or wherever an executor runs it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from latrones_uci.game import Position
from latrones_uci.match.engines.controller import EngineController
from latrones_uci.match.engines.engine_pool import EnginePool
from latrones_uci.match.engines.traffic_log import TrafficLog
from latrones_uci.match.errors import EngineStartError
from latrones_uci.match.play.game_play import Player, play_game
from latrones_uci.match.records.record_data import game_to_data
from latrones_uci.match.settings import EngineSettings
from latrones_uci.match.tournament.game_options import game_options
from latrones_uci.match.tournament.settings import start_position
from latrones_uci.match.tournament.task import GameTask, parse_task, render_answer

_START_ATTEMPTS = 3
_START_PAUSE_S = 0.5


class GameWorker:
    """Plays games, one in each thread that asks; engines are kept from game to game."""

    def __init__(
        self, interrupted: Callable[[], bool], most_idle_engines: int, log: TrafficLog | None = None
    ) -> None:
        """Begins without engines.

        Args:
            interrupted: asked all the time; once it says so, games end at once, as interrupted.
            most_idle_engines: how many wait for another game.
            log: where the traffic of the engines is noted, None for nowhere.
        """
        self._interrupted = interrupted
        self._pool = EnginePool(most_idle_engines)
        self._log = log

    def play(self, text: str) -> str:
        """Plays the game of a task (see ``GameTask``); without a position, only greets its engines.

        Returns:
            JSON: ``started`` (UTC) and ``game``; or ``engines``, a list of what they say of themselves.

        Raises:
            EngineStartError: an engine does not start, not even when tried again.
            MatchInterruptedError: while an engine was being started.
            SettingsError: no such game.
        """
        task = parse_task(text)
        with self._engines(task) as engines:
            if not task.fen:
                return render_answer({"engines": [_identity(engine) for engine in engines]})
            start = start_position(task.variant, task.variant_file)
            started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            white, black = (
                Player(engine, settings.control) for engine, settings in zip(engines, task.engines, strict=True)
            )
            game = play_game(Position.from_fen(start.ruleset, task.fen), (white, black), task.limits)
            return render_answer({"started": started, "game": game_to_data(game)})

    def close(self) -> None:
        """Ends all engines that wait."""
        self._pool.close()

    @contextmanager
    def _engines(self, task: GameTask) -> Iterator[list[EngineController]]:
        taken: list[tuple[EngineSettings, EngineController]] = []
        try:
            for settings in task.engines:
                key = (settings, task.variant)
                taken.append((settings, self._pool.take(key, partial(self._start, settings, task))))
            yield [engine for _, engine in taken]
        finally:
            for settings, engine in taken:
                self._pool.give_back((settings, task.variant), engine, keep=not settings.restart)

    def _start(self, settings: EngineSettings, task: GameTask) -> EngineController:
        """Starts an engine; a machine short of memory or processes for a moment shall not end a tournament."""
        for attempt in range(1, _START_ATTEMPTS + 1):
            try:
                options = game_options(task.variant, task.variant_file)
                options["UCI_Variant"] = dict(settings.variant_names).get(task.variant.name, task.variant.name)
                return EngineController(settings, options, task.timeouts, self._interrupted, log=self._log)
            except EngineStartError:
                if attempt == _START_ATTEMPTS or not task.fen:
                    raise
                time.sleep(_START_PAUSE_S)
        raise AssertionError("unreachable")


def play_alone(text: str) -> str:
    """Plays a game in a process of which nothing else is known: its engines are started for it and ended with it.

    See ``GameWorker.play``.
    """
    worker = GameWorker(lambda: False, most_idle_engines=0)
    try:
        return worker.play(text)
    finally:
        worker.close()


def _identity(engine: EngineController) -> dict[str, Any]:
    return {"name": engine.name, "id_name": engine.id_name, "id_author": engine.id_author}
