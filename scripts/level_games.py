"""Play matches for levels.py, wdl.py and family.py between players in this process.

This saves the time for pipes. With a limit of nodes or depth, the results do not depend on the speed of the machine.
Everything else is as in the match runner: openings, pairs with both colours, referee, and a database for each match,
which ``latrones-uci verify``, ``report`` and ``ratings`` read. A repeated match is resumed.
"""

import hashlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings, start_position
from latrones_uci.engine.kernels import Kernel, NativeKernel, PythonKernel, SolverKernel
from latrones_uci.engine.levels import TABLE_MEGABYTES, LevelKernel
from latrones_uci.engine.nets import AUTO, Nets
from latrones_uci.game import Game, Position
from latrones_uci.match.adjudication import GameLimits, adjudicate
from latrones_uci.match.database import begin, stored_settings
from latrones_uci.match.events import Event
from latrones_uci.match.record import PlayedGame, PlyRecord
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import GameTask, Identity, TaskResult
from latrones_uci.protocol import SearchInfo
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
        strength: the strength of a level.
        nodes: nodes per move at full strength, 0 for no limit.
        backend: the kernel.
        depth: depth in plies at full strength, 0 for no limit.
        movetime_ms: milliseconds per move at full strength, 0 for no limit.
        random_plies: number of plies at the start of each game in which the player moves at random. If both players
            have the same number, all games begin at the start position but still differ.
    """

    name: str
    kind: str
    strength: float = 0.0
    nodes: int = 0
    backend: str = "native"
    depth: int = 0
    movetime_ms: int = 0
    random_plies: int = 0

    def settings(self) -> EngineSettings:
        """Return the player as an engine that the runner stores but does not start."""
        limited = self.nodes or self.depth or self.movetime_ms
        control = TimeControl(movetime_ms=self.movetime_ms or None, depth=self.depth or None, nodes=self.nodes or None,
                              unlimited=not limited)  # fmt: skip
        command = (self.kind, str(self.strength), self.backend, *[str(self.random_plies)] * bool(self.random_plies))
        return EngineSettings(command, control, self.name)


class Match(NamedTuple):
    """A match to play.

    Attributes:
        path: its database.
        game: the variant.
        players: the two players.
        games: the number of games; colours are swapped after each game.
        openings: as for the match runner; each pair of games has a new opening.
        max_plies: plies after which an unfinished game is a draw, None for no limit.
    """

    path: Path
    game: str
    players: tuple[Player, Player]
    games: int
    openings: str
    max_plies: int | None = None


def play_match(
    path: Path, game: str, players: tuple[Player, Player], games: int, openings: str, max_plies: int | None = None
) -> Path:
    """Play the missing games of a match, and return its database; see ``Match``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    executor = _Here()
    with Store(path, writing=True) as store:
        known = store.settings()
        settings = TournamentSettings(
            tuple(player.settings() for player in players), (VariantSettings(game),),
            games=games if known is None else max(games, stored_settings(store).games), openings=openings, seed=1,
            limits=GameLimits(max_plies=max_plies),
        )  # fmt: skip
        named = begin(settings, store, executor, play, _STARTED)
        Tournament(named, store, _ignore, threading.Event()).run(executor, play)
    return path


def play_matches(matches: Sequence[Match], processes: int) -> Iterator[Path]:
    """Play matches, up to ``processes`` at the same time, and yield their databases in order."""
    if processes == 1:
        yield from map(_play_match, matches)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_play_match, matches)


def _play_match(match: Match) -> Path:
    return play_match(*match)


def engine_hash() -> str:
    """Return a hash of the code that affects the players' moves."""
    package = Path(__file__).resolve().parent.parent / "latrones_uci"
    digest = hashlib.sha256()
    files = [path for folder in ("game", "search", "native", "nets") for path in sorted((package / folder).rglob("*"))]
    files += [package / "engine" / name for name in ("kernels.py", "levels.py", "nets.py")]
    for path in [*files, Path(__file__).resolve()]:
        if path.suffix in (".py", ".so", ".toml", ".net"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def _ignore(event: Event) -> None:
    """Ignore an event of a match."""


class _Here(Executor):
    """Runs every call immediately in the current thread."""

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
    game, plies = Game(position), list[PlyRecord]()
    while (outcome := game.outcome() or adjudicate(plies, task.limits)) is None:
        side, number = game.position.side, game.position.movenumber
        text, info = players[side](game)
        plies.append(PlyRecord(side, number, text, 0, None, None, info))
        game.play(text)
    return TaskResult((), _STARTED, PlayedGame(position, tuple(plies), outcome))


def _chooser(settings: EngineSettings, start: Position, seed: int) -> Choose:
    kind, strength, backend, *at_random = settings.command
    if at_random:
        return _after_random_plies(int(at_random[0]), _chooser(replace(settings, command=settings.command[:3]), start,
                                                               seed), random.Random(seed))  # fmt: skip
    if kind in (RANDOM, GREEDY):
        source = random.Random(seed)
        return lambda game: _move(game, source, greedy=kind == GREEDY)
    full = kind == FULL
    # Two players must not share a kernel whose table is kept between moves.
    kernel = _kernel(backend, full, seed % 2 if full else 0)
    if start.ruleset.board == "wheel":
        kernel = SolverKernel(start)
    kernel.clear_hash()
    player = kernel if full else LevelKernel(kernel, float(strength), seed)

    control = settings.control

    def choose(game: Game) -> tuple[str, SearchInfo]:
        infos: list[SearchInfo] = []

        def hear(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo) and item.multipv == 1:
                infos.append(item)

        task = Task(game.position.packed_moves, control.depth or MAX_PLY, control.nodes)
        should_stop = _never if control.movetime_ms is None else _stop_after(control.movetime_ms)
        result = player.search(game, task, hear, should_stop, _always)
        info = replace(infos[-1], pv=infos[-1].pv[:1]) if infos else SearchInfo()
        return game.position.move_text(result.move), info

    return choose


@cache
def _kernel(backend: str, full: bool, copy: int) -> Kernel:
    kernel = (NativeKernel if backend == "native" else PythonKernel)(HASH_MEGABYTES if full else TABLE_MEGABYTES)
    if full:  # levels use the hand-written evaluation, as in the engine
        kernel.use_nets(Nets(AUTO))
    return kernel


def _after_random_plies(count: int, then: Choose, source: random.Random) -> Choose:
    return lambda game: _move(game, source, greedy=False) if len(game.moves) < count else then(game)


def _stop_after(milliseconds: int) -> Callable[[], bool]:
    end = time.monotonic() + milliseconds / 1000
    return lambda: time.monotonic() >= end


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
