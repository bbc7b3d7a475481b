"""Start or resume a tournament: identify the engines, compare the settings with the database, and read it back."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import cache
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Position
from latrones_uci.records.engine_files import PROGRAM, files_from_text, files_to_text, first_hash
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import (
    GameRecord,
    GameTask,
    Identity,
    PlayedGame,
    TaskResult,
    game_from_data,
    round_tag,
)
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings, settings_from_data
from latrones_uci.records.store import EngineChange, Store, StoredEngine
from latrones_uci.text.messages import printable, quoted
from latrones_uci.version import __version__

CHANGEABLE = ("games", "concurrency", "rounds")


def fingerprint(settings: TournamentSettings) -> str:
    """Return eight hexadecimal digits that identify the settings of a tournament.

    They do not depend on games, concurrency and rounds. Two runs of one command have the same; see ``Store.match_id``.
    """
    data = {key: value for key, value in serialize(settings).items() if key not in CHANGEABLE}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:8]


def begin(
    settings: TournamentSettings, store: Store, executor: Executor, play: Callable[[GameTask], TaskResult], now: str,
    accept: Callable[[str], None] | None = None, identified: Callable[[Identity], None] = lambda _: None,
) -> TournamentSettings:
    """Identify every engine, and store the tournament or compare it with the database.

    Args:
        settings: the tournament.
        store: its database, new or existing.
        executor: runs the tasks that identify the engines.
        play: plays a task (see ``GameWorker.play``).
        now: the time in UTC, for a new database.
        accept: called with a message for each change of an engine since the tournament was started, which is then
            recorded in the database; None to reject changed engines.
        identified: called with the identity of each engine, in their order.

    Returns:
        The settings, with the name of every engine in tables and records.

    Raises:
        EngineStartError: an engine does not start.
        WaitInterruptedError: the start of an engine was interrupted.
        SettingsError: the database belongs to another tournament, or has more games; the message names the setting.
        StoreError: the database cannot be used.
    """
    _compare_settings(store, settings)  # before anything is started
    engines = _identify(settings, executor, play, identified)
    before = store.engines()
    if not before:
        names = distinct([engine.name for engine in engines])
        engines = [replace(engine, name=name) for engine, name in zip(engines, names, strict=True)]
        store.begin(serialize(settings), engines, now, f"latrones-match {__version__}")
    else:
        with store.reading():
            changes = list(_changes(before, engines, settings))
        if changes and accept is None:
            raise SettingsError(f"{store.label}: {_render_change(changes[0], before)};"
                                " to resume with it, use --accept-changed-engine")
        for change in changes:
            assert accept is not None
            accept(_render_change(change, before))
        # Tables and records keep the names with which the tournament was started.
        engines = [replace(engine, name=old.name) for engine, old in zip(engines, before, strict=True)]
        store.change_engines(engines, changes, now)
        store.change_settings(serialize(settings))
    named = (replace(own, name=engine.name) for own, engine in zip(settings.engines, engines, strict=True))
    return replace(settings, engines=tuple(named))


def _identify(
    settings: TournamentSettings, executor: Executor, play: Callable[[GameTask], TaskResult],
    identified: Callable[[Identity], None],
) -> list[StoredEngine]:
    tasks = [
        GameTask(0, (engine,), settings.variants[0], settings.variant_file, timeouts=settings.timeouts,
                 numbers=(number,))
        for number, engine in enumerate(settings.engines)
    ]
    results = [future.result() for future in [executor.submit(play, task) for task in tasks]]
    identities = [result.identities[0] for result in results]
    for identity in identities:
        identified(identity)
    return [
        StoredEngine(
            printable(identity.name, " "),
            identity.id_name,
            identity.id_author,
            engine.command,
            files_to_text(dict(identity.files)),
            engine.signature,
        )
        for identity, engine in zip(identities, settings.engines, strict=True)
    ]


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with a number after each duplicate."""
    return [
        f"{name} ({names[: index + 1].count(name)})" if names.count(name) > 1 else name
        for index, name in enumerate(names)
    ]


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


def settings_difference(before: TournamentSettings, now: TournamentSettings) -> str | None:
    """Name the first setting that makes two tournaments different ones, with both values; None if there is none."""
    for field in dataclasses.fields(TournamentSettings):
        if field.name not in CHANGEABLE:
            difference = _difference(field.name, getattr(before, field.name), getattr(now, field.name))
            if difference is not None:
                return difference
    return None


def _difference(place: str, before: Any, now: Any) -> str | None:
    """Name the first setting that differs, with both values; return None if there is none."""
    if before == now:
        return None
    inner: list[tuple[str, Any, Any]] = []
    if _has_fields(before) and type(before) is type(now):
        inner = [(f"{place}.{field.name}", getattr(before, field.name), getattr(now, field.name))
                 for field in dataclasses.fields(before)]
    elif isinstance(before, tuple) and isinstance(now, tuple):
        if all(isinstance(item, tuple) for item in before + now):  # names and values
            old, new = dict(before), dict(now)
            inner = [(f"{place}.{key}", old.get(key), new.get(key)) for key in old | new]
        elif len(before) == len(now) and any(map(_has_fields, before)):
            inner = [(f"{place}[{index}]", *both) for index, both in enumerate(zip(before, now, strict=True))]
    for each in inner:
        if (found := _difference(*each)) is not None:
            return found
    if place == "variant_file.text":
        return "the contents of the variant file have changed"
    return f"setting {place!r} was {_render(before)} and is now {_render(now)}"


def _has_fields(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not hasattr(value, "to_text")


def _render(value: Any) -> str:
    """Return a value as on the command line, as far as it can be written there."""
    if value is None or value == ():
        return "not set"
    if isinstance(value, EngineSettings):
        return quoted(value.name or " ".join(value.command))
    if isinstance(value, tuple) and len(value) == 1:
        return _render(value[0])
    if isinstance(value, tuple):
        return f"{len(value)} ({', '.join(map(_render, value))})"
    plain = serialize(value)
    if isinstance(plain, dict):
        return quoted(" ".join(f"{key}={item}" for key, item in plain.items()))
    return quoted(plain) if isinstance(plain, str) else json.dumps(plain)


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


def _render_change(change: EngineChange, engines: Sequence[StoredEngine]) -> str:
    return (f"engine {change.engine + 1}, {quoted(engines[change.engine].name)}, has changed since the match started:"
            f" its {change.what} was {quoted(change.was)} and is now {quoted(change.is_now)}")


def settings_to_resume(store: Store) -> TournamentSettings | None:
    """Return the settings with which a stored tournament was started, None if none has been.

    Raises:
        SettingsError: the settings are damaged.
    """
    data = store.settings()
    return None if data is None else settings_from_data(data)


def stored_settings(store: Store) -> TournamentSettings:
    """Return the settings of a stored tournament, with the name of every engine.

    Raises:
        StoreError: no tournament has been started.
        SettingsError: the settings are damaged.
    """
    data = store.settings()
    if data is None:
        raise store.empty()
    settings, engines = settings_from_data(data), store.engines()
    with store.reading():
        named = (replace(own, name=stored.name) for own, stored in zip(settings.engines, engines, strict=True))
        return replace(settings, engines=tuple(named))


def stored_games(
    store: Store, settings: TournamentSettings, *, with_plies: bool = True, numbers: Iterable[int] | None = None
) -> Iterator[GameRecord]:
    """Yield finished games.

    They come without their plies unless ``with_plies``, and only those with these ``numbers``, if given.

    Raises:
        StoreError: the database cannot be read.
        SettingsError: the variants are unknown.
    """
    rulesets = [start_position(variant, settings.variant_file).ruleset for variant in settings.variants]
    fens = {(opening.variant, opening.number): opening.fen for opening in store.openings()}
    counts = [sum(variant == index for variant, _ in fens) for index in range(len(rulesets))]

    @cache
    def position(variant: int, number: int) -> Position:
        # If there were too few openings, they were repeated from the first one.
        return Position.from_fen(rulesets[variant], fens[variant, number % counts[variant]])

    for stored in store.games(with_plies=with_plies, numbers=numbers):
        with store.reading():
            fixture = stored.fixture
            white, black = settings.engines[fixture.white], settings.engines[fixture.black]
            game = game_from_data(stored.game, position(fixture.variant, fixture.opening))
            _check(fixture, game)
        names, controls = (white.name or "", black.name or ""), (white.control, black.control)
        yield GameRecord(fixture, names, controls, stored.started, game, round_tag(fixture, settings.format))


def _check(fixture: Fixture, game: PlayedGame) -> None:
    """Raise ValueError for numbers out of range, such as negative ones, which are valid as an index."""
    sides = {ply.side for ply in (*game.plies, *filter(None, [game.offence]))}
    if game.outcome.winner not in (None, 0, 1) or not sides <= {0, 1} or min(fixture.white, fixture.black) < 0:
        raise ValueError(f"game {fixture.number}: no such player or winner")
