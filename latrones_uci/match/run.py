"""Play a match: where its games are played, who plays, and the only assembly of store, engines and tournament."""

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from threading import Event as Flag

from latrones_uci.client.connection import Connection
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import EngineProcess
from latrones_uci.client.traffic_log import TrafficLog, open_engine_logs
from latrones_uci.match.cluster import ClusterPlace
from latrones_uci.match.events import LiveGames, Observer, TournamentFinished, Warned
from latrones_uci.match.processes import ProcessPlace, core_sets
from latrones_uci.match.tournament import SILENT, Tournament
from latrones_uci.match.worker import LocalPlace, Place, utc_now
from latrones_uci.records.database import distinct, settings_difference, settings_to_resume
from latrones_uci.records.engine_files import PROGRAM, files_from_text, files_to_text, first_hash
from latrones_uci.records.record import GameTask, Identity
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import EngineChange, Store, StoredEngine
from latrones_uci.text.files import OnReading
from latrones_uci.text.messages import printable, quoted
from latrones_uci.text.signals import result_of
from latrones_uci.version import __version__

_BUSY_SWITCH_INTERVAL_S = 0.0005


def play(
    settings: TournamentSettings,
    database: Path,
    place: Place,
    observe: Observer,
    interrupt: Flag,
    *,
    accept_changed: bool = False,
    fresh: bool = False,
    ends_at: Collection[str] = (),
    reading: AbstractContextManager[OnReading] = SILENT,
) -> TournamentFinished:
    """Play the games of a tournament that are not in its database yet.

    Args:
        settings: the tournament.
        database: its database, which is created if there is none. Without a game it is removed again.
        place: where the games are played.
        observe: called with each event, in this thread.
        interrupt: when set, running games end, and no more are started.
        accept_changed: whether to resume with engines that have changed since the tournament was started, and to record
            the changes in the database; each is a warning.
        fresh: whether to delete an existing database first.
        ends_at: see ``Tournament``.
        reading: see ``Tournament.run``.

    Raises:
        WaitInterruptedError: ``interrupt`` was set while the engines started; ``ReadingInterruptedError``, while the
            database was read.
        EngineError: an engine does not start or never makes a move, or that of the opening screen failed.
        SettingsError: the database belongs to another tournament, an engine has changed, or there is no opening.
        StoreError: the database cannot be used.
        Exception: the place failed.
    """
    def warn(text: str) -> None:
        observe(Warned(text))

    with ExitStack() as stack:
        store = stack.enter_context(Store(database, writing=True, fresh=fresh, warn=warn))
        stack.callback(store.remove_unused)
        named, kernels = begin(settings, store, place, warn if accept_changed else None)
        finished = Tournament(named, store, place, observe, interrupt, kernels, ends_at).run(reading)
        store.check_file()
        return finished


# ---------------------------------------------------------------- where games are played


@contextmanager
def open_place(
    settings: TournamentSettings,
    interrupted: Callable[[], bool],
    *,
    scheduler: str | None = None,
    affinity: bool = False,
    log: Path | None = None,
    log_dir: Path | None = None,
    live: LiveGames | None = None,
    warn: Callable[[str], None] = lambda text: None,
) -> Iterator[Place]:
    """Enter the place for the games of a tournament: a Dask cluster, processes of this machine, or this process.

    Args:
        settings: the tournament.
        interrupted: polled; once it returns True, running games end at once as interrupted.
        scheduler: address of a Dask scheduler, None for this machine.
        affinity: whether to pin the engines of each game to processors of their own.
        log: file for the traffic of all engines, None for none.
        log_dir: folder for a log of each engine, None for none.
        live: receives the states of the running games, None for no reports.
        warn: called with a message, in another thread, when a log can no longer be written.

    Raises:
        SettingsError: the scheduler does not answer, or engines cannot be pinned.
        OSError: a log cannot be opened.
    """
    # A thread that computes must not delay the threads that measure the times of the games.
    sys.setswitchinterval(_BUSY_SWITCH_INTERVAL_S)
    with ExitStack() as stack:
        if scheduler is not None:
            yield stack.enter_context(ClusterPlace(scheduler, live))
            return
        one_log, engine_logs = None, list[TrafficLog]()
        if log is not None:
            one_log = TrafficLog(log, warn)
            stack.callback(one_log.close)
        if log_dir is not None:
            engine_logs = open_engine_logs(log_dir, len(settings.engines), warn, one_log)
            for each in engine_logs:
                stack.callback(each.close)
        cores = core_sets(settings.concurrency, threads_of_a_game(settings)) if affinity else []
        common = settings.concurrency, interrupted, one_log, engine_logs, live
        in_memory = Connection.connect is not EngineProcess
        if (settings.concurrency > 1 or cores) and not in_memory:
            yield stack.enter_context(ProcessPlace(*common, warn, cores))
        else:
            yield stack.enter_context(LocalPlace(*common))


def threads_of_a_game(settings: TournamentSettings) -> int:
    """Return the greatest number of threads that compute at the same time in a game."""
    threads = {engine: max((int(value) for name, value in engine.options
                            if name.lower() == "threads" and value.isdecimal()), default=1)
               for engine in settings.engines}
    return max(
        threads[white] + threads[black] if white.ponder or black.ponder else max(threads[white], threads[black])
        for white, black in combinations(settings.engines, 2)
    )


# ---------------------------------------------------------------- who plays


def identify(settings: TournamentSettings, place: Place, engines: Sequence[int] | None = None) -> list[Identity]:
    """Start engines where the games are played, by default all, and return names, options and files.

    Raises:
        EngineStartError: an engine does not start.
        WaitInterruptedError: the start of an engine was interrupted.
    """
    started = [
        place.submit(GameTask(0, (settings.engines[number],), settings.variants[0], settings.variant_file,
                              timeouts=settings.timeouts, numbers=(number,)))
        for number in (range(len(settings.engines)) if engines is None else engines)
    ]
    return [result_of(future).identities[0] for future in started]


def begin(
    settings: TournamentSettings, store: Store, place: Place, accept: Callable[[str], None] | None = None
) -> tuple[TournamentSettings, list[str]]:
    """Identify every engine, and store the tournament or compare it with the database.

    Args:
        settings: the tournament.
        store: its database, new or existing.
        place: where the engines are identified.
        accept: called with a message for each change of an engine since the tournament was started, which is then
            recorded in the database; None to reject changed engines.

    Returns:
        The settings, with the name of every engine in tables and records, and what each engine says it searches with.

    Raises:
        EngineStartError: an engine does not start.
        WaitInterruptedError: the start of an engine was interrupted.
        SettingsError: the database belongs to another tournament, or has more games; the message names the setting.
        StoreError: the database cannot be used.
    """
    _compare_settings(store, settings)  # before anything is started
    identities = identify(settings, place)
    engines = [
        StoredEngine(printable(identity.name, " "), identity.id_name, identity.id_author, engine.command,
                     files_to_text(dict(identity.files)), engine.signature)
        for identity, engine in zip(identities, settings.engines, strict=True)
    ]
    before = store.engines()
    if not before:
        names = distinct([engine.name for engine in engines])
        engines = [replace(engine, name=name) for engine, name in zip(engines, names, strict=True)]
        store.begin(serialize(settings), engines, utc_now(), f"latrones-match {__version__}")
    else:
        with store.reading():
            changes = list(_changes(before, engines, settings))
        for change in changes:
            text = (f"engine {change.engine + 1}, {quoted(before[change.engine].name)}, has changed since the match"
                    f" started: its {change.what} was {quoted(change.was)} and is now {quoted(change.is_now)}")
            if accept is None:
                raise SettingsError(f"{store.label}: {text}; to resume with it, use --accept-changed-engine")
            accept(text)
        # Tables and records keep the names with which the tournament was started.
        engines = [replace(engine, name=old.name) for engine, old in zip(engines, before, strict=True)]
        store.change_engines(engines, changes, utc_now())
        store.change_settings(serialize(settings))
    named = (replace(own, name=engine.name) for own, engine in zip(settings.engines, engines, strict=True))
    return replace(settings, engines=tuple(named)), [identity.kernel for identity in identities]


def _compare_settings(store: Store, settings: TournamentSettings) -> None:
    before = settings_to_resume(store)
    if before is None:
        return
    if (difference := settings_difference(before, settings)) is not None:
        raise SettingsError(f"{store.label} belongs to another match: {difference}")
    if settings.format.in_rounds and settings.games != before.games:
        raise SettingsError(f"games: {settings.games} differs from {before.games} in {quoted(str(store.path))}: the"
                            f" pairings of a {settings.format.value} depend on all games of the rounds before; expected"
                            f" {before.games}")
    if settings.format.in_rounds and settings.plan.rounds < before.plan.rounds:
        raise SettingsError(f"rounds: {settings.plan.rounds} is too few: the swiss in {quoted(str(store.path))} has"
                            f" {before.plan.rounds}; expected at least {before.plan.rounds}")
    if settings.games < before.games:
        raise SettingsError(f"games: {settings.games} is too few: the match in {quoted(str(store.path))} has"
                            f" {before.games}; expected at least {before.games}")


def _changes(
    before: Sequence[StoredEngine], now: Sequence[StoredEngine], settings: TournamentSettings
) -> Iterator[EngineChange]:
    """Yield what has changed in the engines since the tournament was started."""
    for number, (old, new, engine) in enumerate(zip(before, now, settings.engines, strict=True)):
        for what, was, is_now in (
            ("id name", old.id_name, new.id_name),
            *_changed_files(old.files, new.files, engine),
            ("bench signature", old.signature, new.signature),
        ):
            if was != is_now:
                yield EngineChange(number, what, was, is_now)


def _changed_files(before: str, now: str, engine: EngineSettings) -> Iterator[tuple[str, str, str]]:
    """Yield names and hashes of the files of an engine; one that it has made since then is left out."""
    old, new = files_from_text(before), files_from_text(now)
    if old is None or new is None:
        yield PROGRAM, before[:12], first_hash(engine)[:12]
        return
    for name, found in old.items():
        yield name, found, new.get(name, "missing")
