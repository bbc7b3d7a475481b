"""The command ``latrones-uci match``: play a match or a tournament."""

import argparse
import shlex
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from latrones_uci.client.connection import Connection
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.client.process import EngineProcess
from latrones_uci.client.traffic_log import TrafficLog, open_engine_logs
from latrones_uci.commands.arguments import LongWork, forget_output, on_interrupt
from latrones_uci.commands.early_interrupts import INTERRUPTED
from latrones_uci.commands.match_arguments import (
    AT_END,
    DEFAULT_FAIL_ON,
    FAIL_ON,
    Outputs,
    configure_match,
    read_match,
    threads_of_a_game,
)
from latrones_uci.commands.watch import check_port, watch_page
from latrones_uci.match.cluster import cluster_workplace
from latrones_uci.match.events import (
    GameFinished,
    LiveGames,
    MatchEvent,
    Observer,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.processes import core_sets, process_workplace
from latrones_uci.match.progress import ProgressLines, render_event
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import Workplace, local_workplace, utc_now
from latrones_uci.records.database import begin, fingerprint, stored_games
from latrones_uci.records.pgn_write import PgnFile
from latrones_uci.records.record import GameRecord, GameTask, Identity, TaskResult
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings, write_configuration
from latrones_uci.records.store import Store, StoreBlockedError
from latrones_uci.stats import Verdict, is_below_h0
from latrones_uci.text.files import check_writable
from latrones_uci.text.messages import counted, quoted, reason
from latrones_uci.web.match.report import write_report

# Exit statuses, for scripts: see docs/match.md.
PASSED, FAILED, REJECTED, UNDECIDED = 0, 1, 3, 4
_BUSY_SWITCH_INTERVAL_S = 0.0005
_AFTER_DEMO = ("Next: 'python3 -m latrones_uci report {}' makes a page of these games,"
               " 'python3 -m latrones_uci gui' plays in the browser")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    configure_match(parser)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``play``."""
    arguments = read_match(options)
    settings, outputs = arguments.settings, arguments.outputs
    if arguments.save_to is not None:
        write_configuration(settings, arguments.save_to, serialize(outputs))
        print(f"settings: {arguments.save_to.resolve()}")
        return 0
    status = play(settings, with_database(settings, outputs), program)
    if options.demo and status == PASSED and not outputs.json:
        print(_AFTER_DEMO.format(outputs.database))
    return status


def with_database(settings: TournamentSettings, outputs: Outputs, what: str = "match") -> Outputs:
    """Return the outputs with a database; the default name depends on the settings."""
    return replace(outputs, database=outputs.database or Path(f"latrones-{what}-{fingerprint(settings)}.db"))


def identify(engine: EngineSettings, settings: TournamentSettings, outputs: Outputs) -> Identity | None:
    """Start an engine where the games will be played, and return its name and options; None if interrupted.

    Raises:
        EngineStartError: the engine does not start.
        SettingsError: there is no answer from the scheduler.
    """
    interrupt = threading.Event()
    task = GameTask(0, (engine,), settings.variants[0], settings.variant_file, timeouts=settings.timeouts)
    alone, pinless = replace(settings, concurrency=1), replace(outputs, affinity=False)
    workplace = _workplace(alone, pinless, interrupt, None, [], LiveGames(), lambda text: None)
    with on_interrupt(interrupt.set), workplace as (executor, play_task):
        try:
            result: TaskResult = executor.submit(play_task, task).result()
            return result.identities[0]
        except WaitInterruptedError:
            return None


def play(settings: TournamentSettings, outputs: Outputs, program: str) -> int:
    """Play the rest of a tournament, and print progress and results.

    The openings have been checked (see ``check_openings``). ``outputs`` must have a database; ``program`` is the prefix
    of error messages.

    Returns:
        The exit status: 0 if all games were played, or if a sequential test accepted H1; 1 if the PGN file or the log
        is incomplete, or for failures in ``fail_on``, the first of which ends the match; 3 if a sequential test
        accepted H0, or ended below it (see ``is_below_h0``); 4 if it reached no verdict; 130 if the match was
        interrupted. Without ``h0`` or ``no-verdict`` in ``fail_on``, 3 or 4 become 0.

    Raises:
        EngineError: an engine does not start, or the engine of the opening screen failed.
        SettingsError: the database belongs to another tournament, or there is no opening.
        StoreError: the database cannot be used.
        OSError: a file cannot be written.
    """
    interrupt, output = threading.Event(), _Output()
    output.on_close = interrupt.set
    warnings = _Warnings(program)
    database = outputs.database
    assert database is not None
    signalled = False

    def stop() -> None:
        nonlocal signalled
        signalled = True
        interrupt.set()

    with ExitStack() as stack:
        if outputs.watch is not None:
            check_port(outputs.watch)
        store = stack.enter_context(Store(database, writing=True, fresh=outputs.fresh, warn=warnings.note))
        stack.callback(store.remove_unused)
        live = LiveGames()
        observe = _all([live, *_observers(outputs, store, warnings, output, interrupt)])
        # A thread that computes must not delay the threads that measure the times of the games.
        sys.setswitchinterval(_BUSY_SWITCH_INTERVAL_S)
        stack.enter_context(on_interrupt(stop))
        logs = _open_logs(settings, outputs, warnings, stack)
        losses = SimpleQueue[str]()
        workplace = _workplace(settings, outputs, interrupt, *logs, live, warnings, losses.put)
        executor, play_task = stack.enter_context(workplace)
        try:
            accept = (lambda text: observe(Warned(text))) if outputs.accept_changed_engine else None
            identities: list[Identity] = []
            named = begin(settings, store, executor, play_task, utc_now(), accept, identities.append)
        except WaitInterruptedError:
            warnings.note("interrupted before the first game")
            return INTERRUPTED
        if outputs.watch is not None:
            url = stack.enter_context(watch_page(database, outputs.watch, live))
            print(f"Watch at {url}", file=sys.stderr if outputs.json else output, flush=True)
        tournament = Tournament(named, store, observe, interrupt, live.turn if outputs.json_moves else None,
                                [identity.kernel for identity in identities], outputs.ends_at, losses)
        try:
            finished = tournament.run(executor, play_task, LongWork())
        except WaitInterruptedError:
            return _note_interruption(warnings, signalled, database, outputs)
        except StoreBlockedError as error:
            raise StoreBlockedError(f"{error}; to resume: {_resume_command(database, outputs)}") from error
        store.check_file()
        if outputs.report is not None:
            write_report(store, outputs.report)
    if not outputs.json:
        for what, path in (("Database", database), ("PGN", outputs.pgn), ("Report", outputs.report)):
            if path is not None:
                print(f"{what}: {path.resolve()}", file=output)
    output.flush()
    if finished.interrupted:
        return _note_interruption(warnings, signalled, database, outputs)
    if failure := finished.standings.failure(outputs.fail_on):
        warnings.note(f"--fail-on {failure}{_how_to_play_on(finished, database, outputs)}")
    return FAILED if warnings.any else _status(finished, settings, outputs.fail_on)


def _note_interruption(warnings: "_Warnings", signalled: bool, database: Path, outputs: Outputs) -> int:
    """Print how to resume a match that was stopped by a signal or a closed output, and return the exit status."""
    stopped = "interrupted" if signalled else "standard output is closed"
    warnings.note(f"{stopped}; to resume: {_resume_command(database, outputs)}")
    return INTERRUPTED if signalled else FAILED


def _how_to_play_on(finished: TournamentFinished, database: Path, outputs: Outputs) -> str:
    """Return how to play the games that are left after a failure, as the end of a message; empty if none are."""
    schedule = finished.standings.schedule
    if not finished.failure or finished.verdict or schedule is None or finished.standings.games >= schedule.total:
        return ""
    return f"; to play on: {_resume_command(database, replace(outputs, fail_on=outputs.fail_on | {AT_END}))}"


def _resume_command(database: Path, outputs: Outputs) -> str:
    words = ["latrones-uci", "resume", str(database)]
    for flag, path in (("--pgn", outputs.pgn), ("--report", outputs.report), ("--log", outputs.log),
                       ("--log-dir", outputs.log_dir)):
        if path is not None:
            words += [flag, str(path)]
    if outputs.fail_on != DEFAULT_FAIL_ON:
        words += ["--fail-on", *(outcome for outcome in FAIL_ON if outcome in outputs.fail_on)]
    return shlex.join(words)


def _status(finished: TournamentFinished, settings: TournamentSettings, fail_on: frozenset[str]) -> int:
    """Return the exit status of a match that was played to its end."""
    standings = finished.standings
    if standings.failure(fail_on):
        return FAILED
    if settings.sprt is None:
        return PASSED
    pairs = finished.standings.meeting(0, 1).pairs
    rejected = finished.verdict == Verdict.ACCEPT_H0.value or not finished.verdict and is_below_h0(settings.sprt, pairs)
    if rejected and "h0" in fail_on:
        return REJECTED
    return UNDECIDED if not finished.verdict and "no-verdict" in fail_on else PASSED


def plain_workplace(
    settings: TournamentSettings, outputs: Outputs, interrupt: threading.Event, on_loss: Callable[[str], None]
) -> AbstractContextManager[Workplace]:
    """Return where the games of settings are played, without logs and reports of running games.

    ``on_loss`` is called with a message for each lost worker, in another thread.
    """
    sys.setswitchinterval(_BUSY_SWITCH_INTERVAL_S)  # as in play
    return _workplace(settings, outputs, interrupt, None, [], LiveGames(), lambda text: None, on_loss)


def _open_logs(
    settings: TournamentSettings, outputs: Outputs, warn: Callable[[str], None], stack: ExitStack
) -> tuple[TrafficLog | None, list[TrafficLog]]:
    """Return the log of all engines and those of each, closed with the stack."""
    log, engine_logs = None, []
    if outputs.log is not None:
        log = TrafficLog(outputs.log, warn)
        stack.callback(log.close)
    if outputs.log_dir is not None:
        engine_logs = open_engine_logs(outputs.log_dir, len(settings.engines), warn, log)
        for each in engine_logs:
            stack.callback(each.close)
    return log, engine_logs


def _workplace(
    settings: TournamentSettings,
    outputs: Outputs,
    interrupt: threading.Event,
    log: TrafficLog | None,
    engine_logs: list[TrafficLog],
    live: LiveGames,
    warn: Callable[[str], None],
    on_loss: Callable[[str], None] = lambda text: None,
) -> AbstractContextManager[Workplace]:
    # Reports from other processes are sent only if asked for.
    wanted = live if outputs.json_moves or outputs.watch is not None else None
    if outputs.scheduler is not None:
        return cluster_workplace(outputs.scheduler, wanted, on_loss)
    cores = core_sets(settings.concurrency, threads_of_a_game(settings)) if outputs.affinity else []
    if (settings.concurrency > 1 or cores) and Connection.connect is EngineProcess:  # else they are in this one
        return process_workplace(settings.concurrency, interrupt.is_set, log, engine_logs, wanted, warn, cores,
                                 on_loss)
    return local_workplace(settings.concurrency, interrupt.is_set, log, engine_logs, live.report)


class _Warnings:
    """Prints warnings that do not end the games, such as an output file that cannot be written; each of them once."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._seen: set[str] = set()

    @property
    def any(self) -> bool:
        """Whether there was a warning."""
        return bool(self._seen)

    def __call__(self, text: str) -> None:
        if text not in self._seen:
            self._seen.add(text)
            self.note(text)

    def note(self, text: str) -> None:
        """Print what is no fault."""
        print(f"{self._program}: {text}", file=sys.stderr)


class _Output:
    """Standard output. If its reader leaves, as all of a pipeline do on Ctrl+C, standard error takes its place."""

    on_close: Callable[[], None]
    """Called when the reader has left."""

    def __init__(self) -> None:
        self._out = sys.stdout

    def write(self, text: str) -> None:
        self._attempt(lambda: self._out.write(text))

    def flush(self) -> None:
        self._attempt(lambda: self._out.flush())

    def _attempt(self, action: Callable[[], object]) -> None:
        try:
            action()
        except BrokenPipeError:
            if self._out is not sys.stdout:
                raise
            forget_output()
            self._out = sys.stderr
            self.on_close()
            action()


def _observers(
    outputs: Outputs, store: Store, warn: _Warnings, output: _Output, interrupt: threading.Event
) -> Iterator[Observer]:
    """Return the observers of the tournament; check first that their files can be written."""
    if outputs.report is not None:
        check_writable(outputs.report)
    if outputs.pgn is not None:
        _check_appendable(outputs.pgn)
        yield _pgn_observer(outputs.pgn, store, warn, outputs.fresh, interrupt)
    if outputs.json:
        yield lambda event: print(render_event(event), file=output, flush=True)
    else:
        yield ProgressLines(output, live=sys.stdout.isatty(), quiet=outputs.quiet)


def _all(each: Iterable[Observer]) -> Observer:
    observers = tuple(each)

    def observe(event: MatchEvent) -> None:
        for observer in observers:
            observer(event)

    return observe


def _check_appendable(path: Path) -> None:
    """Check that a file can be appended to, without creating it.

    Raises:
        OSError: it cannot; the message names it.
    """
    if path.is_file():
        path.open("ab").close()
    else:
        check_writable(path)


def _pgn_observer(
    path: Path, store: Store, warn: _Warnings, fresh: bool, interrupt: threading.Event
) -> Observer:
    """Return an observer that appends games to a PGN file when the match has started.

    After one that cannot be written, it appends no more: they would leave a gap. So it is if ``interrupt`` is set while
    it appends those of the database; when the match is resumed, they follow.
    """
    file: PgnFile | None = None
    failed = False

    def begin_file(settings: TournamentSettings, games: int) -> PgnFile:
        if fresh:
            path.unlink(missing_ok=True)
        begun = PgnFile(path, store.match_id())
        if begun.others and not games:
            warn.note(f"{quoted(str(path))} has {counted(begun.others, 'game')} of other matches; the games of this"
                      " match are appended")
        return begun

    def append(records: Iterable[GameRecord]) -> None:
        nonlocal failed
        try:
            for record in records:
                if not failed and file is not None:
                    file.append(record)
        except OSError as error:
            failed = True
            warn(f"cannot write the PGN file {quoted(str(path))}: {reason(error)}; the games continue,"
                 f" and 'latrones-uci pgn {store.path}' prints them all")

    def until_interrupted(records: Iterable[GameRecord], report: Callable[[str], None]) -> Iterator[GameRecord]:
        nonlocal failed
        for number, record in enumerate(records, start=1):
            if interrupt.is_set():
                failed = True
                return
            yield record
            report(f"{path}: {counted(number, 'game')}")

    def observe(event: MatchEvent) -> None:
        nonlocal file
        match event:
            case TournamentStarted(settings, standings=standings):
                file = begin_file(settings, standings.games)
                with LongWork() as shown:
                    append(until_interrupted(stored_games(store, settings), shown))
            case GameFinished(record):
                append([record])

    return observe
