"""The training loop: self-play by the best evaluation so far, fitting, and a match of the new net against it.

One folder has everything needed to resume a training after an interruption: finished files of positions and nets,
databases of matches, and the journal of finished steps. The output of a step depends only on the journal and the files,
so a resumed training makes the same positions and nets as an uninterrupted one.
"""

import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import OperationError, SettingsError, WaitInterruptedError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.engine.kernels import make_core
from latrones_uci.engine.nets.card import Card, CardMatch, Source
from latrones_uci.engine.nets.file import SUFFIX as NET_SUFFIX
from latrones_uci.engine.nets.file import Orientation, net_bytes, read_net
from latrones_uci.match.cluster import cluster_executor
from latrones_uci.match.events import GameFinished, MatchEvent, TournamentFinished, Warned
from latrones_uci.match.run import play
from latrones_uci.match.standings import Meeting
from latrones_uci.match.summary import render_elo
from latrones_uci.match.worker import LocalPlace
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.records.store import Store
from latrones_uci.stats import Sprt, estimate_from_pairs
from latrones_uci.studies.train import features, fit
from latrones_uci.studies.train.positions import (
    DATA,
    SUFFIX,
    PositionsError,
    PositionsFile,
    UnreadablePositionsError,
    open_folder,
    open_positions,
    write_positions,
)
from latrones_uci.studies.train.recipe import FITTED, MADE, MAX_ELO, PLANNED, PLAYED, Journal, TrainingSettings
from latrones_uci.studies.train.self_play import (
    SelfPlayTask,
    local_processes,
    play_in_process,
    play_task,
    sources_of,
)
from latrones_uci.text.clock import now_s
from latrones_uci.text.files import exclusive_lock, remove_file
from latrones_uci.text.messages import duration, quoted
from latrones_uci.version import __version__

JOURNAL = "journal.jsonl"
DATA_SHARE, MATCH_SHARE = 0.6, 0.25
"""Shares of a generation's time for self-play and for the match; the rest is for fitting."""
MIN_MATCH_S = 60.0
_MATCH_PLIES = 1000
"""After so many plies, a game of the match is a draw: without a no-capture limit, two men can hunt one for ever."""
GAMES_OF_TASK = 50
MIN_TASKS = 4
_ONE_OF_WINNER = Sprt(0, 10)
_POLL_S = 0.5
_MAX_SUBMITTED = 256
"""Maximum number of tasks submitted to an executor at a time; each has a copy of the net."""


class InterruptedTrainingError(OperationError):
    """The training was interrupted; the same command resumes it."""


Tell = Callable[[str], None]
"""Receives a line about a finished step."""
Show = Callable[[str], None]
"""Receives the state of a running step; the next state may overwrite it."""


class Trainer:
    """A training.

    Attributes:
        best: the file of the net that plays best so far, None for the hand-written evaluation alone.
    """

    def __init__(self, settings: TrainingSettings, tell: Tell, show: Show, interrupt: threading.Event) -> None:
        """Open the folder.

        Raises:
            SettingsError: the folder has a training with other settings.
            PositionsError: a folder of ``settings.data`` has no positions for the game and board, or damaged ones.
            OSError: the folder cannot be written.
        """
        self.settings, self._tell, self._show, self._interrupt = settings, tell, show, interrupt
        start, geometry = settings.start, settings.start.geometry
        self._game = (start.ruleset, geometry.files, geometry.ranks)
        self._given = [file for folder in settings.data for file in open_folder(folder, *self._game)]
        for name in (DATA, "nets", "matches"):
            (settings.folder / name).mkdir(parents=True, exist_ok=True)
        self.journal = Journal(settings.folder / JOURNAL)
        self.journal.begin(settings.fixed)
        self.orientation = Orientation.DUX if start.ruleset.dux != "none" else Orientation.SIDE

    # ---------------------------------------------------------------- the loop

    def run(self) -> None:
        """Train the remaining generations while there is time.

        Raises:
            InterruptedTrainingError: ``interrupt`` was set.
            SettingsError: another training is running in the folder.
        """
        with exclusive_lock(self.settings.folder / "lock", self._refuse):
            for generation in range(1, self.settings.generations + 1):
                if self.journal.find(PLAYED, generation) is not None:
                    continue
                if self.is_finished:
                    self._tell(f"the time is over after {generation - 1} of {self.settings.generations} generations")
                    break
                if self.journal.find(FITTED, generation) is None:
                    made = (file for each in range(1, generation + 1) for file in self._made(each))
                    self._fit(generation, [*self._given, *made])
                self._play(generation)

    @property
    def is_finished(self) -> bool:
        """Whether all generations have been trained, or at least one and the time is over."""
        played = len(list(self.journal.of_kind(PLAYED)))
        return played >= self.settings.generations or played > 0 and self.seconds_left <= 0

    def _refuse(self) -> None:
        raise SettingsError(f"{quoted(str(self.settings.folder))}: another training is running in this folder")

    @property
    def seconds_left(self) -> float:
        """The time for generations that have not begun."""
        return 3600 * self.settings.hours - self.journal.seconds

    @property
    def best(self) -> Path | None:
        """The net of the last generation that won its match, or else the one before the first generation."""
        return self._best_before(math.inf)

    def _best_before(self, generation: float) -> Path | None:
        won = self.last_winner(generation)
        return self.net_path(won) if won else self.settings.net

    def last_winner(self, before: float = math.inf) -> int:
        """Return the last generation, of those before a number, that won its match; 0 if none did."""
        return max((entry["generation"] for entry in self.journal.of_kind(PLAYED)
                    if entry["accepted"] and entry["generation"] < before), default=0)

    def net_path(self, generation: int) -> Path:
        return self.settings.folder / "nets" / f"{generation:03d}{NET_SUFFIX}"

    def match_path(self, generation: int) -> Path:
        return self.settings.folder / "matches" / f"{generation:03d}.db"

    # ---------------------------------------------------------------- self-play

    def _made(self, generation: int) -> list[PositionsFile]:
        """Return the files of a generation, after making the missing ones."""
        planned = self.journal.find(PLANNED, generation)
        if planned is None:
            planned = self._plan(generation)
        counts, made = {number: file.count for number, file in self._opened(generation)}, False
        while missing := [number for number in self._needed(planned["tasks"], counts) if number not in counts]:
            begun, made = now_s(), True
            try:
                self._make(generation, missing, counts)
            finally:
                self.journal.add(MADE, generation=generation, seconds=now_s() - begun)
        files = self._cut(generation, self._needed(planned["tasks"], counts))
        if made:
            self._tell(f"generation {generation}: {sum(file.count for file in files):,} positions")
        return files

    def _needed(self, tasks: int, counts: dict[int, int]) -> range:
        """Return the numbers of the files of a generation: with ``settings.positions``, as many as have them.

        Args:
            tasks: the planned number of files.
            counts: the numbers of positions of the files that there are.
        """
        wanted, total, number = self.settings.positions, 0, 0
        if wanted is None:
            return range(tasks)
        while total < wanted and number in counts:
            total += counts[number]
            number += 1
        if total >= wanted or number < tasks:
            return range(number if total >= wanted else tasks)
        more = math.ceil((wanted - total) / max(1, total // number))
        return range(min(number + more, max(MIN_TASKS, wanted)))  # a limit in case no game has any

    def _cut(self, generation: int, numbers: range) -> list[PositionsFile]:
        """Return these files of a generation; delete all others, and the positions above ``settings.positions``."""
        files, left = [], self.settings.positions
        for number, file in self._opened(generation):
            if number not in numbers:
                if left is not None:
                    remove_file(file.path)
                continue
            if left is not None:
                if file.count > left:
                    write_positions(file.path, *self._game, file.recipe, file.records()[: left * file.layout.size])
                left -= min(left, file.count)
            files.append(open_positions(file.path, *self._game))
        return files

    def _make(self, generation: int, missing: list[int], counts: dict[int, int]) -> None:
        """Make the missing files of a generation, and add their numbers of positions to those of the others."""
        begun, before, found = now_s(), sum(counts.values()), len(counts)
        tasks = found + len(missing)
        for number, count in self._played(generation, missing):
            counts[number] = count
            done, seconds = sum(counts.values()), now_s() - begun
            rate = (done - before) / max(seconds, 1e-9)
            left = (tasks - len(counts)) * seconds / max(1, len(counts) - found)
            shown = done if self.settings.positions is None else min(done, self.settings.positions)
            self._show(f"generation {generation}: {shown:,} positions, {rate:,.0f}/s; {len(counts)} of {tasks}"
                       f" files, {duration(1000 * round(left))} left")

    def _plan(self, generation: int) -> dict[str, Any]:
        """Decide how many files of positions fit in the time of a generation."""
        settings = self.settings
        budget = max(self.seconds_left, 0.0) / (settings.generations - generation + 1)
        self._show(f"generation {generation}: measuring the speed")
        path, begun = self._data_path(generation, 0), now_s()
        remove_file(path)  # restart an interrupted measurement
        ((_, count),) = self._played(generation, [0])
        seconds = now_s() - begun
        if settings.positions is not None:
            tasks = math.ceil(settings.positions / max(1, count))
        else:
            tasks = max(MIN_TASKS, int(DATA_SHARE * budget * settings.threads / seconds))
        return self.journal.add(PLANNED, generation=generation, tasks=tasks, seconds=seconds,
                                budget=budget, by="" if self.best is None else self.best.name)

    def _played(self, generation: int, numbers: list[int]) -> Iterator[tuple[int, int]]:
        """Play tasks and write their files; yield each task's number and its number of positions."""
        settings, (ruleset, files, ranks) = self.settings, self._game
        player = self._best_before(generation)
        net = b"" if player is None else net_bytes(player)
        with self._workplace() as (executor, play):
            waiting = iter(numbers)
            running: dict[Future[bytes], tuple[int, SelfPlayTask]] = {}
            try:
                while True:
                    for number in islice(waiting, _MAX_SUBMITTED - len(running)):
                        seed = f"{settings.seed} {generation} {number}"
                        task = SelfPlayTask(ruleset, files, ranks, seed, GAMES_OF_TASK, settings.self_play, net,
                                            settings.tables)
                        running[executor.submit(play, task)] = number, task
                    if not running:
                        return
                    for future in wait(running, _POLL_S, FIRST_COMPLETED).done:
                        number, task = running.pop(future)
                        path = self._data_path(generation, number)
                        write_positions(path, ruleset, files, ranks, task.recipe, future.result())
                        yield number, open_positions(path, *self._game).count
                    if self._interrupt.is_set():
                        raise _interrupted()
            except BrokenProcessPool:
                if self._interrupt.is_set():  # a terminal sends its signals to all processes
                    raise _interrupted() from None
                raise OperationError("a process of self-play was killed; rerun the command to resume") from None
            finally:
                for future in running:
                    future.cancel()

    @contextmanager
    def _workplace(self) -> Iterator[tuple[Executor, Callable[[SelfPlayTask], bytes]]]:
        """Yield an executor, and the function that plays a task there; on exit, running tasks are stopped."""
        if self.settings.scheduler is None:
            with local_processes(self.settings.threads) as executor:
                yield executor, play_in_process
        else:
            with cluster_executor(self.settings.scheduler) as executor:
                yield executor, play_task

    def _data_path(self, generation: int, number: int) -> Path:
        return self.settings.folder / DATA / f"{generation:03d}-{number:05d}{SUFFIX}"

    def _opened(self, generation: int) -> Iterator[tuple[int, PositionsFile]]:
        """Yield the valid files with their numbers, in order; delete damaged files, so that they are made again."""
        found = (self.settings.folder / DATA).glob(f"{generation:03d}-*{SUFFIX}")
        names = [path.stem.partition("-")[2] for path in found]
        for number in sorted(int(name) for name in names if name.isdecimal()):
            path = self._data_path(generation, number)
            if path.exists():
                try:
                    yield number, open_positions(path, *self._game)
                except UnreadablePositionsError:
                    raise
                except PositionsError as error:
                    self._tell(f"{error}; making it again")
                    remove_file(path)

    # ---------------------------------------------------------------- fitting

    def _fit(self, generation: int, files: list[PositionsFile]) -> None:
        begun, reports = now_s(), []
        reader = features.FeatureReader(*self._game, self.orientation)
        data = fit.load_data(files, reader, make_core(*self._game).value)
        if not len(data.records):
            raise OperationError(
                f"{self.settings.start.ruleset.name}: no game of self-play has a quiet position without a proven"
                " result; expected a larger board, more men, or no tables that solve the game"
            )

        def hear(report: fit.FitReport) -> None:
            reports.append(report)
            left = (now_s() - fitting) / report.number * (report.passes - report.number)
            self._show(f"generation {generation}: pass {report.number} of {report.passes}, loss {report.loss:.5f},"
                       f" held-out games {report.held_out:.5f}, {duration(1000 * round(left))} left")
            if self._interrupt.is_set():
                raise _interrupted()

        fitting = now_s()
        net, limits = fit.fit(data, self.settings.fit, hear)
        title = f"{self.settings.start.ruleset.name} {self.settings.start.geometry.name}, generation {generation}"
        integers, rounding = fit.quantise(
            net, self._game[0], data, self.orientation, limits, title, self.settings.self_play.least_men
        )
        integers.write(self.net_path(generation))
        # Games of another net, from a training whose journal was removed.
        Store(self.match_path(generation), writing=True, fresh=True).remove_unused()
        self.journal.add(
            FITTED, generation=generation, seconds=now_s() - begun, positions=len(data.records),
            held_out=len(data.held_out), losses=[report.loss for report in reports],
            held_out_losses=[report.held_out for report in reports], rounding_mean=rounding.mean,
            rounding_greatest=rounding.greatest,
            sources=[asdict(each) | {"nodes": list(each.nodes)} for each in sources_of(files)],
        )
        last = f"{reports[-1].held_out:.5f}" if reports else "unknown"
        self._tell(f"generation {generation}: loss {last} on held-out games; integers differ by {rounding.mean:.2f}"
                   f" centi-soldiers on average, {rounding.greatest:.1f} at most")

    # ---------------------------------------------------------------- matches

    def match_settings(self, generation: int) -> TournamentSettings:
        """Return the settings of the match between a generation's net and the best one before it, at equal time."""
        settings = self.settings
        control = TimeControl(movetime_ms=settings.movetime_ms)
        files = (self.net_path(generation), self._best_before(generation))
        engines = tuple(
            EngineSettings(OWN_ENGINE, control, name, (("EvalFile", "none" if file is None else str(file.resolve())),),
                           margin_ms=4 * settings.movetime_ms)
            for name, file in zip(("new", "before"), files, strict=True)
        )
        return TournamentSettings(
            engines, (settings.variant,), settings.variant_file, games=settings.games or 20_000, openings="random:6",
            seed=1000 * settings.seed + generation, concurrency=settings.threads, sprt=_ONE_OF_WINNER,
            limits=GameLimits(max_plies=_MATCH_PLIES),
        )

    def _play(self, generation: int) -> None:
        """Play the match of a generation until the test or the time ends; the new net is accepted if it is stronger.

        Games in progress when the time ends are dropped: in some games they could go on for hours.
        """
        begun, stop = now_s(), threading.Event()
        limit = math.inf
        if self.settings.games is None:
            planned = self.journal.find(PLANNED, generation)
            assert planned is not None  # the net was fitted to this generation's data
            limit = max(MIN_MATCH_S, MATCH_SHARE * planned["budget"])

        def seconds_left() -> float:
            return begun + limit - now_s()

        def is_over() -> bool:
            if self._interrupt.is_set() or seconds_left() <= 0:
                stop.set()
            return stop.is_set()

        def observe(event: MatchEvent) -> None:
            match event:
                case GameFinished(standings=standings):
                    meeting, left = standings.meeting(0, 1), ""
                    if limit < math.inf:
                        left = f", at most {duration(1000 * max(0, round(seconds_left())))} left"
                    self._show(f"generation {generation}: match {meeting.record}{_elo_text(meeting.pairs)}{left}")
                case Warned(text):
                    self._tell(text)

        try:
            with LocalPlace(self.settings.threads, is_over) as place:
                finished = play(self.match_settings(generation), self.match_path(generation), place, observe, stop)
        except WaitInterruptedError:  # while the engines start
            raise _interrupted() from None
        if self._interrupt.is_set():
            raise _interrupted()
        self._decide(generation, finished, now_s() - begun)

    def _decide(self, generation: int, finished: TournamentFinished, seconds: float) -> None:
        meeting = finished.standings.meeting(0, 1)
        low, elo, high = 0.0, 0.0, 0.0
        if sum(meeting.pairs):
            interval = estimate_from_pairs(meeting.pairs).elo
            low, elo, high = interval.low, interval.value, interval.high
        accepted = finished.verdict == "H1" or not finished.verdict and low > 0
        self._write_card(generation, meeting)
        self.journal.add(
            PLAYED, generation=generation, seconds=seconds, accepted=accepted, verdict=finished.verdict,
            counts=list(meeting.counts), elo=[_finite(low), _finite(elo), _finite(high)],
        )
        what = "accepted" if accepted else "rejected"
        self._tell(f"generation {generation}: match {meeting.record}"
                   f"{_elo_text(meeting.pairs)}: {what}")


    def _write_card(self, generation: int, meeting: Meeting) -> None:
        """Write the card of a generation's net, whether its match decides for it or not."""
        path, before = self.net_path(generation), self._best_before(generation)
        fitted = self.journal.find(FITTED, generation)
        assert fitted is not None  # the net has played
        sources = fitted.get("sources", [])  # a training that an earlier version began has none
        match = None
        if sum(meeting.pairs):
            opponent = "the hand-written evaluation" if before is None else read_net(before, *self._game).label
            match = CardMatch(opponent, f"{self.settings.movetime_ms} ms per move", meeting.counts,
                              render_elo(estimate_from_pairs(meeting.pairs).elo))
        data = tuple(Source(each["positions"], tuple(each["nodes"]), each["endgames"]) for each in sources)
        Card(read_net(path, *self._game).digest, date.today().isoformat(), __version__, data, match).write(path)


def _elo_text(pairs: tuple[int, ...]) -> str:
    if not sum(pairs):
        return ""
    return f", Elo {render_elo(estimate_from_pairs(pairs).elo)}"  # type: ignore[arg-type]


def _finite(elo: float) -> float:
    """Return an Elo difference that JSON can express."""
    return max(-MAX_ELO, min(MAX_ELO, elo))


def _interrupted() -> InterruptedTrainingError:
    return InterruptedTrainingError("interrupted; rerun the command to resume")
