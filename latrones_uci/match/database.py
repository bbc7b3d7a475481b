"""Start or resume a tournament: identify the engines, compare the settings with the database, and read it back."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Position, quoted
from latrones_uci.match.settings import TournamentSettings, settings_from_data
from latrones_uci.match.worker import GameTask, TaskResult
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord, PlayedGame, game_from_data
from latrones_uci.records.serialize import serialize
from latrones_uci.records.store import Store, StoredEngine, StoreError
from latrones_uci.version import __version__

CHANGEABLE = ("games", "concurrency")
_LARGEST_HASHED_BYTES = 200_000_000


def fingerprint(settings: TournamentSettings) -> str:
    """Return eight hexadecimal digits that identify a tournament. They do not depend on games and concurrency."""
    data = {key: value for key, value in serialize(settings).items() if key not in CHANGEABLE}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:8]


def begin(
    settings: TournamentSettings, store: Store, executor: Executor, play: Callable[[GameTask], TaskResult], now: str
) -> TournamentSettings:
    """Identify every engine, and store the tournament or compare it with the database.

    Args:
        settings: the tournament.
        store: its database, new or existing.
        executor: runs the tasks that identify the engines.
        play: plays a task (see ``GameWorker.play``).
        now: the time in UTC, for a new database.

    Returns:
        The settings, with the name of every engine in tables and records.

    Raises:
        EngineStartError: an engine does not start.
        WaitInterruptedError: the start of an engine was interrupted.
        SettingsError: the database belongs to another tournament, or has more games; the message names the setting.
        StoreError: the database cannot be used.
    """
    _compare_settings(store, serialize(settings))  # before anything is started
    engines = _identify(settings, executor, play)
    before = store.engines()
    if not before:
        store.begin(serialize(settings), engines, now, f"latrones-match {__version__}")
    else:
        with store.reading():
            changed = _changed_engine(before, engines)
        if changed is not None:
            raise SettingsError(f"database {quoted(str(store.path))}: {changed}")
        store.change_settings(serialize(settings))
    named = (replace(own, name=engine.name) for own, engine in zip(settings.engines, engines, strict=True))
    return replace(settings, engines=tuple(named))


def command_hash(command: Sequence[str]) -> str:
    """Return a hash of a command and of the files that it names, including the program."""
    digest = hashlib.sha256()
    for word in command:
        digest.update(word.encode(errors="surrogateescape") + b"\0")
        path = Path(shutil.which(word) or word)
        try:
            if path.is_file() and path.stat().st_size <= _LARGEST_HASHED_BYTES:
                digest.update(path.read_bytes())
        except (OSError, ValueError):  # the word is not a path, or the file cannot be read: hash only the word
            continue
    return digest.hexdigest()


def _identify(
    settings: TournamentSettings, executor: Executor, play: Callable[[GameTask], TaskResult]
) -> list[StoredEngine]:
    tasks = [
        GameTask(0, (engine,), settings.variants[0], settings.variant_file, timeouts=settings.timeouts,
                 numbers=(number,))
        for number, engine in enumerate(settings.engines)
    ]  # fmt: skip
    results = [future.result() for future in [executor.submit(play, task) for task in tasks]]
    identities = [result.identities[0] for result in results]
    names = _distinct([identity.name for identity in identities])
    return [
        StoredEngine(
            name,
            identity.id_name,
            identity.id_author,
            engine.command,
            command_hash(engine.command),
            engine.signature,
        )
        for name, identity, engine in zip(names, identities, settings.engines, strict=True)
    ]


def _distinct(names: list[str]) -> list[str]:
    """Return the names, with a number after each duplicate."""
    return [
        f"{name} ({names[: index + 1].count(name)})" if names.count(name) > 1 else name
        for index, name in enumerate(names)
    ]


def _compare_settings(store: Store, now: dict[str, Any]) -> None:
    before = store.settings()
    if before is None:
        return
    for key in sorted({*before, *now} - set(CHANGEABLE)):
        _compare(key, before.get(key), now.get(key), store.path)
    default = TournamentSettings.__dataclass_fields__["games"].default
    games_before, games_now = before.get("games", default), now.get("games", default)
    if games_now < games_before:
        raise SettingsError(f"games: {games_now} is too few: the match in {quoted(str(store.path))} has {games_before};"
                            f" expected at least {games_before}")  # fmt: skip


def _compare(place: str, before: Any, now: Any, path: Path) -> None:
    """Raise an error that names the first value that differs."""
    if before == now:
        return
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**before, **now}:
            _compare(f"{place}.{key}", before.get(key), now.get(key), path)
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for index, (one, other) in enumerate(zip(before, now, strict=True)):
            _compare(f"{place}[{index}]", one, other, path)
    difference = f"{place} is {_render(before)} there and {_render(now)} here"
    raise SettingsError(f"database {quoted(str(path))} belongs to another match: {difference}")


def _render(value: Any) -> str:
    return "not set" if value is None else json.dumps(value)


def _changed_engine(before: Sequence[StoredEngine], now: Sequence[StoredEngine]) -> str | None:
    """Describe the first difference, None if there is none."""
    for number, (old, new) in enumerate(zip(before, now, strict=True)):
        for what, was, is_now in (
            ("id name", old.id_name, new.id_name),
            ("program", old.command_hash[:12], new.command_hash[:12]),
            ("bench signature", old.signature, new.signature),
        ):
            if was != is_now:
                return (f"engine {number + 1}, {quoted(old.name)}, has changed since the match started:"
                        f" its {what} was {quoted(was)} and is now {quoted(is_now)}")
    return None


def stored_settings(store: Store) -> TournamentSettings:
    """Return the settings of a stored tournament, with the name of every engine.

    Raises:
        StoreError: no tournament has been started.
        SettingsError: the settings are damaged.
    """
    data = store.settings()
    if data is None:
        raise StoreError(f"database {quoted(str(store.path))} is empty: no match has been started")
    settings, engines = settings_from_data(data), store.engines()
    with store.reading():
        named = (replace(own, name=stored.name) for own, stored in zip(settings.engines, engines, strict=True))
        return replace(settings, engines=tuple(named))


def stored_games(
    store: Store, settings: TournamentSettings, *, with_plies: bool = True, numbers: Iterable[int] | None = None
) -> Iterator[GameRecord]:
    """Yield finished games.

    Args:
        store: the database.
        settings: the tournament.
        with_plies: whether to read the plies; otherwise the records have none.
        numbers: the numbers of the games; None for all, in the order of their numbers.

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
        yield GameRecord(fixture, names, controls, stored.started, game)


def _check(fixture: Fixture, game: PlayedGame) -> None:
    """Raise ValueError for numbers out of range, such as negative ones, which are valid as an index."""
    sides = {ply.side for ply in (*game.plies, *filter(None, [game.offence]))}
    if game.outcome.winner not in (None, 0, 1) or not sides <= {0, 1} or min(fixture.white, fixture.black) < 0:
        raise ValueError(f"game {fixture.number}: no such player or winner")
