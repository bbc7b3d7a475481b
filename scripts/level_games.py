"""Matches for levels.py and wdl.py, between players in this process: no time is lost to pipes, and the speed of the
machine decides nothing.

Everything else is that of the match runner: openings, pairs with both colours, referee, and a database for each match,
which ``latrones-uci verify``, ``report`` and ``ratings`` read. A match that is played again is resumed.
"""

import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings, start_position
from latrones_uci.engine.kernels import Kernel, NativeKernel, PythonKernel, SolverKernel
from latrones_uci.engine.levels import TABLE_MEGABYTES, LevelKernel
from latrones_uci.game import Game, Position
from latrones_uci.match.database import begin, stored_settings
from latrones_uci.match.events import Event
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import GameTask, Identity, TaskResult
from latrones_uci.protocol import SearchInfo
from latrones_uci.records.record import PlayedGame, PlyRecord
from latrones_uci.records.store import Store
from latrones_uci.search.types import MAX_PLY, CurrentMove, Task

RANDOM, GREEDY, FULL = "random", "greedy", "full"
HASH_MEGABYTES = 16
_STARTED = "2000-01-01T00:00:00Z"
Choose = Callable[[Game], tuple[str, SearchInfo]]


@dataclass(frozen=True)
class Player:
    """A player of the matches.

    Attributes:
        name: its name in the ratings.
        kind: ``random`` and ``greedy``, as in docs/examples; ``full``, the engine without a level; or ``level``.
        strength: that of a level.
        nodes: nodes per move at full strength.
        backend: the kernel.
    """

    name: str
    kind: str
    strength: float = 0.0
    nodes: int = 0
    backend: str = "native"

    def settings(self) -> EngineSettings:
        """Return the player as an engine that the runner stores, but does not start."""
        control = TimeControl(nodes=self.nodes) if self.nodes else TimeControl(unlimited=True)
        return EngineSettings((self.kind, str(self.strength), self.backend), control, self.name)


def play_match(path: Path, game: str, players: tuple[Player, Player], games: int, openings: str) -> Path:
    """Play the games of a match that its database lacks, and return the database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    executor = _Here()
    with Store(path, writing=True) as store:
        known = store.settings()
        settings = TournamentSettings(
            tuple(player.settings() for player in players), (VariantSettings(game),),
            games=games if known is None else max(games, stored_settings(store).games), openings=openings, seed=1,
        )  # fmt: skip
        named = begin(settings, store, executor, play, _STARTED)
        Tournament(named, store, _ignore, threading.Event()).run(executor, play)
    return path


Match = tuple[Path, str, tuple[Player, Player], int, str]


def play_matches(matches: Sequence[Match], processes: int) -> list[Path]:
    """Play matches, some of them at the same time, and return their databases."""
    if processes == 1:
        return [play_match(*match) for match in matches]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(_play_match, matches))


def _play_match(match: Match) -> Path:
    return play_match(*match)


def _ignore(event: Event) -> None:
    """Ignore an event of a match."""


class _Here(Executor):
    """Runs everything at once, in this thread."""

    def submit(self, function: Callable, /, *arguments: object, **named: object) -> Future:  # type: ignore[type-arg]
        done: Future[object] = Future()
        done.set_result(function(*arguments, **named))
        return done


# ---------------------------------------------------------------- a game


def play(task: GameTask) -> TaskResult:
    """Play the game of a task; without a position, only identify its players."""
    start = start_position(task.variant, None)
    if not task.fen:
        return TaskResult(tuple(Identity(each.name or "", each.name or "", "") for each in task.engines))
    position = Position.from_fen(start.ruleset, task.fen)
    players = [
        _chooser(settings, start, seed=2 * task.game_number + side) for side, settings in enumerate(task.engines)
    ]
    game, plies = Game(position), []
    while (outcome := game.outcome()) is None:
        side, number = game.position.side, game.position.movenumber
        text, info = players[side](game)
        plies.append(PlyRecord(side, number, text, 0, None, None, info))
        game.play(text)
    return TaskResult((), _STARTED, PlayedGame(position, tuple(plies), outcome))


def _chooser(settings: EngineSettings, start: Position, seed: int) -> Choose:
    kind, strength, backend = settings.command
    if kind in (RANDOM, GREEDY):
        source = random.Random(seed)
        return lambda game: _move(game, source, greedy=kind == GREEDY)
    full = kind == FULL
    # Two players never share a kernel with a table that is kept from move to move.
    kernel = _kernel(backend, HASH_MEGABYTES if full else TABLE_MEGABYTES, seed % 2 if full else 0)
    if start.ruleset.board == "wheel":
        kernel = SolverKernel(start)
    kernel.clear_hash()
    player = kernel if full else LevelKernel(kernel, float(strength), seed)

    def choose(game: Game) -> tuple[str, SearchInfo]:
        infos: list[SearchInfo] = []

        def hear(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo) and item.multipv == 1:
                infos.append(item)

        task = Task(tuple(game.legal_moves()), MAX_PLY, settings.control.nodes)
        result = player.search(game, task, hear, _never, _always)
        info = replace(infos[-1], pv=infos[-1].pv[:1]) if infos else SearchInfo()
        return game.position.move_text(result.move), info

    return choose


@cache
def _kernel(backend: str, megabytes: int, copy: int) -> Kernel:
    return NativeKernel(megabytes) if backend == "native" else PythonKernel(megabytes)


def _never() -> bool:
    return False


def _always(progress: object) -> bool:
    return True


def _move(game: Game, source: random.Random, *, greedy: bool) -> tuple[str, SearchInfo]:
    moves = game.legal_moves()
    if not greedy:
        return str(source.choice(moves)), SearchInfo()
    position = game.position

    def value(move: object) -> tuple[int, int, float]:
        game.play(move)  # type: ignore[arg-type]
        outcome = game.outcome()
        game.pop()
        won = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == position.side else -1
        return won, len(position.captures(move)), source.random()  # type: ignore[arg-type]

    return str(max(moves, key=value)), SearchInfo()
