"""Play matches between players in this process, and write the tables of the documentation.

This saves the time for pipes. The results do not depend on the speed of the machine.
Everything else is as in the match runner: openings, pairs with both colours, referee, and a database for each match,
which ``latrones-uci verify``, ``report`` and ``ratings`` read. A repeated match is resumed.
"""

import hashlib
import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from base import ROOT
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings, start_position
from latrones_uci.engine.kernels import Kernel, NativeKernel, PythonKernel, SolverKernel
from latrones_uci.engine.levels import TABLE_MEGABYTES, LevelKernel
from latrones_uci.engine.nets.find import AUTO, Nets
from latrones_uci.engine.types import MAX_PLY, CurrentMove, Task
from latrones_uci.game import Game, Move, Position
from latrones_uci.match import run
from latrones_uci.match.adjudication import adjudicate
from latrones_uci.match.worker import Place
from latrones_uci.records.database import match_in
from latrones_uci.records.record import GameTask, Identity, PlayedGame, PlyRecord, TaskResult
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.text.files import write_whole
from latrones_uci.text.protocol import SearchInfo

RANDOM, GREEDY, FULL = "random", "greedy", "full"
HASH_MEGABYTES = 16
_STARTED = "2000-01-01T00:00:00Z"
Choose = Callable[[Game], tuple[str, SearchInfo]]


@dataclass(frozen=True)
class Player:
    name: str
    kind: str
    """``random`` and ``greedy``, as in docs/examples; ``full``, the engine without a level; or ``level``."""
    strength: float = 0.0
    nodes: int = 0
    """Nodes per move at full strength, 0 for no limit."""
    backend: str = "native"
    random_plies: int = 0
    """Number of plies at the start of each game in which the player moves at random. If both players have the same
    number, all games begin at the start position but still differ."""

    def settings(self) -> EngineSettings:
        control = TimeControl(nodes=self.nodes or None, unlimited=not self.nodes)
        command = (self.kind, str(self.strength), self.backend, *[str(self.random_plies)] * bool(self.random_plies))
        return EngineSettings(command, control, self.name)


class Match(NamedTuple):
    path: Path
    game: str
    players: tuple[Player, Player]
    games: int
    """The number of games; colours are swapped after each game."""
    openings: str
    """As for the match runner; each pair of games has a new opening."""
    max_plies: int | None = None
    """Plies after which an unfinished game is a draw, None for no limit."""


def play_match(match: Match) -> Path:
    """Play the missing games of a match, and return its database."""
    match.path.parent.mkdir(parents=True, exist_ok=True)
    known = match_in(match.path)
    settings = TournamentSettings(
        tuple(player.settings() for player in match.players), (VariantSettings(match.game),),
        games=max(match.games, 0 if known is None else known.games), openings=match.openings, seed=1,
        limits=GameLimits(max_plies=match.max_plies),
    )
    run.play(settings, match.path, Place(_Here(), play), lambda event: None, threading.Event())
    return match.path


def play_matches(matches: Sequence[Match], processes: int) -> Iterator[Path]:
    """Play matches, up to ``processes`` at the same time, and yield their databases in order."""
    if processes == 1:
        yield from map(play_match, matches)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(play_match, matches)


def engine_hash() -> str:
    """Return a hash of the code that affects the players' moves."""
    package = ROOT / "latrones_uci"
    digest = hashlib.sha256()
    files = [path for folder in ("game", "engine") for path in sorted((package / folder).rglob("*"))]
    for path in [*files, Path(__file__).resolve()]:
        if path.suffix in (".py", ".so", ".toml", ".net"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


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
        game.push(text)
    return TaskResult((), _STARTED, PlayedGame(position, tuple(plies), outcome))


def _chooser(settings: EngineSettings, start: Position, seed: int) -> Choose:
    kind, strength, backend, *at_random = settings.command
    if at_random:
        then = _chooser(replace(settings, command=settings.command[:3]), start, seed)
        source = random.Random(seed)
        return lambda game: _random(game, source) if len(game.moves) < int(at_random[0]) else then(game)
    if kind in (RANDOM, GREEDY):
        source = random.Random(seed)
        return lambda game: _random(game, source) if kind == RANDOM else _greedy(game, source)
    full, control = kind == FULL, settings.control
    # Two players must not share a kernel whose table is kept between moves.
    kernel = SolverKernel(start) if start.ruleset.board == "wheel" else _kernel(backend, full, seed % 2 if full else 0)
    kernel.clear_hash()
    player = kernel if full else LevelKernel(kernel, float(strength), seed)

    def choose(game: Game) -> tuple[str, SearchInfo]:
        infos: list[SearchInfo] = []

        def report(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo) and item.multipv == 1:
                infos.append(item)

        task = Task(game.position.packed_moves, MAX_PLY, control.nodes)
        result = player.search(game, task, report, lambda: False, lambda progress: True)
        info = replace(infos[-1], pv=infos[-1].pv[:1]) if infos else SearchInfo()
        return game.position.named_move(result.move), info

    return choose


@cache
def _kernel(backend: str, full: bool, copy: int) -> Kernel:
    kernel = (NativeKernel if backend == "native" else PythonKernel)(HASH_MEGABYTES if full else TABLE_MEGABYTES)
    if full:  # levels use the hand-written evaluation, as in the engine
        kernel.use_nets(Nets(AUTO))
    return kernel


def _random(game: Game, source: random.Random) -> tuple[str, SearchInfo]:
    return source.choice(game.legal_moves()), SearchInfo()


def _greedy(game: Game, source: random.Random) -> tuple[str, SearchInfo]:
    position = game.position

    def value(move: Move) -> tuple[int, int, float]:
        game.push(move)
        outcome = game.outcome()
        game.pop()
        won = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == position.side else -1
        return won, len(position.captures(move)), source.random()

    return max(game.legal_moves(), key=value), SearchInfo()


# ---------------------------------------------------------------- tables of the documentation


def page_of(table: str) -> Path:
    """Return the page below docs/ with the markers of a table: ``<!-- NAME -->`` or ``<!-- NAME: REMARK -->``."""
    found = [page for page in sorted((ROOT / "docs").rglob("*.md"))
             if re.search(rf"<!-- {table}(:.*)? -->\n", page.read_text(encoding="utf-8"))]
    if len(found) != 1:
        raise SystemExit(f"docs: {len(found)} pages with the markers of table '{table}'; expected one")
    return found[0]


def with_tables(page: str, tables: Mapping[str, str]) -> str:
    """Return a page with the text between the markers of each table replaced."""
    for name, text in tables.items():
        pattern = rf"(<!-- {name}(?::.*)? -->\n)[\s\S]*?(<!-- (?:/|end of ){name} -->)"
        if len(parts := re.split(pattern, page)) != 4:
            raise SystemExit(f"table '{name}': missing markers")
        before, begin, end, after = parts
        page = f"{before}{begin}{text}\n{end}{after}"
    return page


def write_tables(tables: Mapping[str, str]) -> None:
    page = page_of(next(iter(tables)))
    write_whole(page, with_tables(page.read_text(encoding="utf-8"), tables))
