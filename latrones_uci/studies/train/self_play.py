"""Self-play: games of the native kernel against itself that provide the training data.

A task is a number of games. Its result depends on the task alone, so any machine can play it, and a lost task can be
played again.
"""

import dataclasses
import hashlib
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from random import Random
from typing import TYPE_CHECKING

from latrones_uci.client.errors import OperationError
from latrones_uci.engine import native
from latrones_uci.engine.kernels import load_tables, make_core, wire
from latrones_uci.engine.nets.card import Source
from latrones_uci.engine.nets.file import parse_net
from latrones_uci.engine.tables import Tables
from latrones_uci.engine.types import MAX_PLY, TABLE_PROVEN
from latrones_uci.game import FenError, PackedMove, Position, Ruleset
from latrones_uci.game.encoding import PASS, WHITE, Board, men_of
from latrones_uci.game.fen import FenFields, render_fen
from latrones_uci.game.history import REPETITION_COUNT
from latrones_uci.studies.train.pool import PoolContext, end_with
from latrones_uci.studies.train.positions import PositionsFile, Scored, pack_records

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import Core, SearchInfo

HASH_MEGABYTES = 4
"""Size of the transposition table, which is emptied before each game."""
_ENDGAME_ATTEMPTS = 100
_OPENING_ATTEMPTS = 2000


@dataclass(frozen=True)
class SelfPlaySettings:
    """How games are played."""

    nodes: int = 2000
    """Nodes of the searches whose scores become data."""
    handicap: int = 10
    """In unequal games, one side searches the number of nodes divided by this."""
    unequal: int = 75
    """Percentage of unequal games among those that begin with an opening."""
    endgames: int = 0
    """Percentage of games that begin with a random position with few men instead of an opening."""
    least_opening: int = 4
    most_opening: int = 12
    """Minimum and maximum number of random plies at the start of a game."""
    most_centi: int = 300
    """Largest score of either side after the opening; other openings are replaced."""
    random_moves: int = 8
    """Percentage of random moves after the opening."""
    most_plies: int = 300
    """Maximum length of a game without its opening."""
    least_men: int = 0
    """A game ends when fewer men are left, since the net does not correct those positions."""


@dataclass(frozen=True)
class SelfPlayTask:
    """Games to play, with all data needed to play them on any machine."""

    ruleset: Ruleset
    files: int
    ranks: int
    seed: str
    games: int
    settings: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    net: bytes = b""
    """The contents of the net file, empty for the hand-written evaluation alone."""
    tables: str = ""
    """Folder of endgame tables, which searches probe and which end games; empty for none."""

    @property
    def recipe(self) -> str:
        """Everything except the rules that determines the positions, as one line of JSON."""
        return json.dumps({
            "game": self.ruleset.name, "seed": self.seed, "games": self.games,
            "settings": dataclasses.asdict(self.settings),
            "net": hashlib.sha256(self.net).hexdigest() if self.net else "none",
            "tables": bool(self.tables),
        })


def sources_of(files: Iterable[PositionsFile]) -> list[Source]:
    """Return the kinds of positions in files of self-play, in the order of the files."""
    counts: Counter[tuple[int, int | None]] = Counter()
    for file in files:
        settings = json.loads(file.recipe)["settings"]
        counts[settings["nodes"], settings.get("endgames")] += file.count  # the first files had no endgames
    return [Source(count, (nodes,), endgames) for (nodes, endgames), count in counts.items()]


class StoppedError(Exception):
    """The task was stopped before it was finished."""


def play_task(task: SelfPlayTask, should_stop: Callable[[], bool] = lambda: False) -> bytes:
    """Play the games of a task; return the records of their positions (see ``positions.pack_records``).

    Raises:
        StoppedError: ``should_stop`` returned True; it is called about every millisecond of a search.
        ImportError: there is no native kernel.
        TablesError: there are no tables for the game and board, or a file is damaged.
    """
    start = Position.start(task.ruleset, (task.files, task.ranks))
    player = _Player(task, start, should_stop)
    records = []
    for number in range(task.games):
        positions = list(player.play(Random(f"{task.seed} {number}")))
        records.append(pack_records(start.geometry, task.ruleset, positions))
    return b"".join(records)


@contextmanager
def local_processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor of local processes for ``play_in_process``; on exit, running tasks are stopped.

    It uses processes, not threads, because the game runs in Python between two searches.
    """
    context = PoolContext()
    stopping = context.Event()
    with ProcessPoolExecutor(number, context, _prepare_process, (stopping, os.getpid())) as executor:
        try:
            yield executor
        finally:
            stopping.set()
            executor.shutdown(cancel_futures=True)


_stopping: Event | None = None  # set in a process of local_processes


def _prepare_process(stopping: Event, parent: int) -> None:
    """Prepare a process of ``local_processes`` to ignore interrupts and to exit when its parent exits."""
    global _stopping
    _stopping = stopping
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


def play_in_process(task: SelfPlayTask) -> bytes:
    """Play the games of a task in a process of ``local_processes``; see ``play_task``."""
    assert _stopping is not None
    return play_task(task, _stopping.is_set)


class _Line:
    """A game as positions, without the texts and checks of ``game.Game``, which would take as long as a search."""

    def __init__(self, start: Position) -> None:
        self.position, self.keys = start, [start.key]  # keys: since the last capture
        self.moves = start.packed_moves
        self._last_side, self._passes = start.side, 0

    @property
    def board(self) -> Board:
        return self.position.board

    def play(self, move: PackedMove) -> None:
        """Play a legal move."""
        self._last_side = self.position.side
        self._passes = self._passes + 1 if move == PASS else 0
        self.position = self.position.after(move)
        if not self.position.nocapture:
            self.keys = []
        self.keys.append(self.position.key)
        self.moves = self.position.packed_moves

    def result(self) -> int | None:
        """Return the result for the player to move, None while the game is in progress; see ``Game.outcome``."""
        position, rules = self.position, self.position.rules
        if decided := rules.decided(self.board):
            return decided
        if self.keys.count(position.key) >= REPETITION_COUNT and not rules.forbids_repetition:
            if position.ruleset.repetition == "draw":
                return 0
            return -1 if self._last_side == position.side else 1
        if position.nocapture_reached:
            return rules.ending(position.ruleset.nocapture_result, self.board)
        if not self.moves:
            return rules.ending(position.ruleset.no_move, self.board)
        return 0 if self._passes == 2 else None


_prepared = threading.local()  # the last core of this thread: to load tables may take longer than to play a task


def _prepared_core(task: SelfPlayTask, start: Position) -> "Core":
    """Return a core with the net and the tables of a task, that of the task before if they are the same.

    Raises:
        MemoryError: not enough memory for the tables.
    """
    needs = (task.ruleset, task.files, task.ranks, task.net, task.tables)
    if getattr(_prepared, "needs", None) != needs:
        _prepared.needs = _prepared.core = None
        core = make_core(task.ruleset, task.files, task.ranks)
        if task.net:
            core.use_net(parse_net(task.net, task.ruleset, task.files, task.ranks).wire)
        if task.tables:
            load_tables(core, Tables(task.tables, start))
        _prepared.needs, _prepared.core = needs, core
    core_of_thread: Core = _prepared.core
    return core_of_thread


class _Player:
    """Plays the games of a task, one after the other."""

    def __init__(self, task: SelfPlayTask, start: Position, should_stop: Callable[[], bool]) -> None:
        self._settings, self._start = task.settings, start
        self._core = _prepared_core(task, start)
        self._has_tables = bool(task.tables)
        self._table = native.core().Table(HASH_MEGABYTES)
        self._should_stop, self._stopped = should_stop, False

    def play(self, chance: Random) -> Iterator[Scored]:
        """Play a game; yield its quiet positions that were searched with the full number of nodes.

        A position is quiet if the best move captures nothing and no win or loss is proven.
        """
        settings = self._settings
        self._table.clear()
        self._core.clear()
        endgame = self._endgame(chance) if settings.endgames and chance.randrange(100) < settings.endgames else None
        line = endgame or self._opening(chance)
        nodes = [settings.nodes, settings.nodes]
        if endgame is None and chance.randrange(100) < settings.unequal:
            nodes[chance.randrange(2)] = max(1, settings.nodes // settings.handicap)
        found: list[tuple[Board, int, int]] = []
        white = 0  # the result for White
        for _ in range(settings.most_plies):
            board, side = line.board, line.position.side
            if (result := self._result(line)) is not None:
                white = -result if side else result
                break
            at_random, random_move = chance.randrange(100) < settings.random_moves, chance.choice(line.moves)
            if at_random and nodes[side] < settings.nodes:
                line.play(random_move)
                continue
            best, score = self._search(line, nodes[side])
            if score is not None and abs(score) >= TABLE_PROVEN:
                white = 1 if (score > 0) == (side == WHITE) else -1
                break
            quiet = bool(line.position.hand or line.position.after(best).nocapture)
            if score is not None and quiet and nodes[side] == settings.nodes:
                found.append((board, side, score))
            line.play(random_move if at_random else best)
        for number, (board, side, score) in enumerate(found):
            yield Scored(board, score, -white if side else white, number == 0)

    def _result(self, line: _Line) -> int | None:
        """Return the result for the player to move, by the rules or by tables; None while the game is in progress.

        A game with few men ends as a draw.
        """
        result = line.result()
        if result is None and men_of(line.board, self._start.geometry) < self._settings.least_men:
            return 0
        if result is None and self._has_tables:
            value = self._core.ending_value(wire(self._start.geometry, line.board))
            result = None if value is None else value[0]
        return result

    def _opening(self, chance: Random) -> _Line:
        """Return a game after a random opening with a balanced score.

        Raises:
            OperationError: there is hardly any such opening.
        """
        settings = self._settings
        for _ in range(_OPENING_ATTEMPTS):
            line = _Line(self._start)
            for _ in range(chance.randint(settings.least_opening, settings.most_opening)):
                if self._result(line) is not None:
                    break
                line.play(chance.choice(line.moves))
            if self._result(line) is None:
                _, score = self._search(line, settings.nodes)
                if score is not None and abs(score) <= settings.most_centi:
                    return line
        raise OperationError(
            f"{self._start.ruleset.name}: none of {_OPENING_ATTEMPTS} openings of {settings.least_opening} to"
            f" {settings.most_opening} random plies leaves the game open, with a score within {settings.most_centi}"
            " centi-soldiers; expected a larger board, more men, or no tables that solve the game"
        )

    def _endgame(self, chance: Random) -> _Line | None:
        """Return a game that begins with a random position with few men.

        One side has at most half of its men, the other as many, or up to half of its men more. Return None if no such
        position is found: the rules may end the game in all of them.
        """
        geometry, ruleset = self._start.geometry, self._start.ruleset
        most, squares = men_of(self._start.board, geometry) // 2, range(geometry.files * geometry.ranks)
        white, black = "Ss" if ruleset.dux == "none" else "Dd"
        hand: dict[str, int] | None = {} if ruleset.hand else None
        for _ in range(_ENDGAME_ATTEMPTS):
            fewer = chance.randint(1, max(1, most // 2))
            more = min(most, fewer + chance.randint(0, most // 2))
            men = white + "S" * (more - 1) + black + "s" * (fewer - 1)
            placed = dict(zip(chance.sample(squares, len(men)), men, strict=True))
            pieces = tuple(placed.get(square, "") for square in squares)
            fields = FenFields(geometry.files, geometry.ranks, pieces, hand, chance.randrange(2), 0, 1)
            try:
                line = _Line(Position.from_fen(ruleset, render_fen(fields)))
            except FenError:  # the game does not allow every arrangement of men
                continue
            if self._result(line) is None:
                return line
        return None

    def _search(self, line: _Line, nodes: int) -> tuple[PackedMove, int | None]:
        """Return the best move and the score of the last finished iteration, None if there is none."""
        scores: list[int] = []

        def info(found: "SearchInfo") -> None:
            if not found.bound:
                scores.append(found.score)

        def stop() -> bool:
            self._stopped = self._stopped or self._should_stop()
            return self._stopped

        core = native.core()
        task = core.Task(
            root_moves=line.moves, game_keys=line.keys,
            past=[arrangement[0] for arrangement in line.position.past_arrangements()],
            depth=MAX_PLY, nodes=nodes, endings=self._has_tables)
        listener = core.Listener(info=info, current_move=lambda *move: None, should_stop=stop,
                                 wants_depth=lambda *depth: True)
        result = self._core.search(wire(self._start.geometry, line.board), task, self._table, listener)
        if stop():
            raise StoppedError
        return result.move, scores[-1] if scores else None
