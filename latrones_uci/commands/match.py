"""The command ``latrones-uci match``: play a match or a tournament."""

import argparse
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.commands.arguments import LongWork, forget_output, on_interrupt
from latrones_uci.commands.early_interrupts import INTERRUPTED
from latrones_uci.commands.match_arguments import (
    AT_END,
    DEFAULT_FAIL_ON,
    FAIL_ON,
    FAILED,
    PASSED,
    REJECTED,
    UNDECIDED,
    Outputs,
    configure_match,
    read_match,
)
from latrones_uci.commands.watch import check_port, watch_page
from latrones_uci.match.events import (
    GameFinished,
    LiveGames,
    MatchEvent,
    MovePlayed,
    Observer,
    TournamentFinished,
    TournamentStarted,
)
from latrones_uci.match.progress import ProgressLines, render_event
from latrones_uci.match.run import open_place, play
from latrones_uci.match.tournament import ReadingInterruptedError
from latrones_uci.records.database import fingerprint, stored_games
from latrones_uci.records.pgn_write import PgnFile
from latrones_uci.records.record import GameRecord
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings, write_configuration
from latrones_uci.records.store import Store, StoreBlockedError
from latrones_uci.stats import Verdict, is_below_h0
from latrones_uci.text.command import PYTHON, join_command
from latrones_uci.text.files import check_writable, remove_file
from latrones_uci.text.messages import counted, quoted, reason
from latrones_uci.text.streams import is_reader_gone
from latrones_uci.web.match.report import write_report

_AFTER_DEMO = (f"Next: '{PYTHON} -m latrones_uci report {{}}' makes a page of these games,"
               f" '{PYTHON} -m latrones_uci gui' plays in the browser")


def configure(parser: argparse.ArgumentParser) -> None:
    configure_match(parser)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``play_and_print``."""
    arguments = read_match(options)
    settings, outputs = arguments.settings, arguments.outputs
    if arguments.save_to is not None:
        write_configuration(settings, arguments.save_to, serialize(outputs))
        print(f"settings: {arguments.save_to.resolve()}")
        return 0
    status = play_and_print(settings, with_database(settings, outputs), program)
    if options.demo and status == PASSED and not outputs.json:
        print(_AFTER_DEMO.format(outputs.database))
    return status


def with_database(settings: TournamentSettings, outputs: Outputs, what: str = "match") -> Outputs:
    """Return the outputs with a database; the default name depends on the settings."""
    return replace(outputs, database=outputs.database or Path(f"latrones-{what}-{fingerprint(settings)}.db"))


def play_and_print(settings: TournamentSettings, outputs: Outputs, program: str) -> int:
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
    database = outputs.database
    assert database is not None
    interrupt, signalled = threading.Event(), threading.Event()
    output, warnings = _Output(interrupt.set), _Warnings(program)
    live = LiveGames() if outputs.json_moves or outputs.watch is not None else None

    def stop() -> None:
        signalled.set()
        interrupt.set()

    def observe(event: MatchEvent) -> None:
        for observer in observers:
            observer(event)

    def interrupted() -> int:
        stopped = "interrupted" if signalled.is_set() else "standard output is closed"
        warnings.note(f"{stopped}; to resume: {_resume_command(database, outputs)}")
        return INTERRUPTED if signalled.is_set() else FAILED

    try:
        with ExitStack() as stack:
            observers = list(_observers(outputs, database, live, warnings, output, interrupt, stack))
            stack.enter_context(on_interrupt(stop))
            place = stack.enter_context(open_place(
                settings, interrupt.is_set, scheduler=outputs.scheduler, affinity=outputs.affinity, log=outputs.log,
                log_dir=outputs.log_dir, live=live, warn=warnings))
            finished = play(
                settings, database, place, observe, interrupt, accept_changed=outputs.accept_changed_engine,
                fresh=outputs.fresh, ends_at=outputs.ends_at, reading=LongWork())
            if outputs.report is not None:
                with Store(database, writing=False) as store:
                    write_report(store, outputs.report)
    except ReadingInterruptedError:
        return interrupted()
    except WaitInterruptedError:
        warnings.note("interrupted before the first game")
        return INTERRUPTED
    except StoreBlockedError as error:
        if not database.exists():
            raise
        raise StoreBlockedError(f"{error}; to resume: {_resume_command(database, outputs)}") from error
    if not outputs.json:
        for what, path in (("Database", database), ("PGN", outputs.pgn), ("Report", outputs.report)):
            if path is not None:
                print(f"{what}: {path.resolve()}", file=output)
    output.flush()
    if finished.interrupted:
        return interrupted()
    if failure := finished.standings.failure(outputs.fail_on):
        warnings.note(f"--fail-on {failure}{_how_to_play_on(finished, database, outputs)}")
    return FAILED if warnings.any else _status(finished, settings, outputs.fail_on)


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
    return join_command(words)


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


class _Warnings:
    """Prints warnings that do not end the games, such as an output file that cannot be written; each of them once."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._seen: set[str] = set()

    @property
    def any(self) -> bool:
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

    def __init__(self, on_close: Callable[[], None]) -> None:
        """Write to standard output; ``on_close`` is called when its reader has left."""
        self._out, self._on_close = sys.stdout, on_close

    def write(self, text: str) -> None:
        self._attempt(lambda: self._out.write(text))

    def flush(self) -> None:
        self._attempt(lambda: self._out.flush())

    def _attempt(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            if self._out is not sys.stdout or not is_reader_gone(error):
                raise
            forget_output()
            self._out = sys.stderr
            self._on_close()
            action()


def _observers(
    outputs: Outputs, database: Path, live: LiveGames | None, warn: _Warnings, output: _Output,
    interrupt: threading.Event, stack: ExitStack,
) -> Iterator[Observer]:
    """Yield the observers of the match; check first that their files can be written, and the port be used."""
    if live is not None:
        yield live
        if outputs.watch is not None:
            check_port(outputs.watch)
            yield _watched(database, outputs.watch, live, sys.stderr if outputs.json else output, stack)
    if outputs.report is not None:
        check_writable(outputs.report)
    if outputs.pgn is not None:
        yield _PgnOutput(outputs.pgn, database, outputs.fresh, warn, interrupt)
    if outputs.json:
        def show(event: MatchEvent) -> None:
            if outputs.json_moves or not isinstance(event, MovePlayed):
                print(render_event(event), file=output, flush=True)

        yield show
    else:
        yield ProgressLines(output, live=sys.stdout.isatty(), quiet=outputs.quiet)


def _watched(database: Path, port: int, live: LiveGames, output: Any, stack: ExitStack) -> Observer:
    """Return an observer that serves the page of a match from its start, until the stack is closed."""
    def observe(event: MatchEvent) -> None:
        if isinstance(event, TournamentStarted):
            print(f"Watch at {stack.enter_context(watch_page(database, port, live))}", file=output, flush=True)

    return observe


class _PgnOutput:
    """Appends the games of a match to a PGN file: when it starts those of its database, then each one that ends.

    After one that cannot be written, it appends no more: they would leave a gap. So it is if ``interrupt`` is set while
    it appends those of the database. When the match is resumed, they follow.
    """

    def __init__(
        self, path: Path, database: Path, fresh: bool, warn: _Warnings, interrupt: threading.Event
    ) -> None:
        """Check that the file can be appended to, without creating it."""
        if path.is_file():
            path.open("ab").close()
        else:
            check_writable(path)
        self._path, self._database, self._fresh = path, database, fresh
        self._warn, self._interrupt = warn, interrupt
        self._file: PgnFile | None = None

    def __call__(self, event: MatchEvent) -> None:
        match event:
            case TournamentStarted(settings, standings=standings):
                self._begin(settings, standings.games)
            case GameFinished(record):
                self._append(record)

    def _begin(self, settings: TournamentSettings, games: int) -> None:
        if self._fresh:
            remove_file(self._path)
        with Store(self._database, writing=False) as store, LongWork() as shown:
            self._file = PgnFile(self._path, store.match_id())
            if self._file.others and not games:
                self._warn.note(f"{quoted(str(self._path))} has {counted(self._file.others, 'game')} of other matches;"
                                " the games of this match are appended")
            for number, record in enumerate(stored_games(store, settings), start=1):
                if self._interrupt.is_set():
                    self._file = None
                    return
                self._append(record)
                shown(f"{self._path}: {counted(number, 'game')}")

    def _append(self, record: GameRecord) -> None:
        if self._file is None:
            return
        try:
            self._file.append(record)
        except OSError as error:
            self._file = None
            self._warn(f"cannot write the PGN file {quoted(str(self._path))}: {reason(error)}; the games continue,"
                       f" and 'latrones-uci pgn {self._database}' prints them all")
