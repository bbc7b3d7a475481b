"""Read a tournament from its database: settings, and what makes them different ones, and games."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Position
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import (
    GameRecord,
    PlayedGame,
    game_from_data,
    round_tag,
)
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings, settings_from_data
from latrones_uci.records.store import Store
from latrones_uci.text.messages import quoted

CHANGEABLE = ("games", "concurrency", "rounds")


def fingerprint(settings: TournamentSettings) -> str:
    """Return eight hexadecimal digits that identify the settings of a tournament.

    They do not depend on games, concurrency and rounds. Two runs of one command have the same; see ``Store.match_id``.
    """
    data = {key: value for key, value in serialize(settings).items() if key not in CHANGEABLE}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:8]


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with a number after each duplicate."""
    return [
        f"{name} ({names[: index + 1].count(name)})" if names.count(name) > 1 else name
        for index, name in enumerate(names)
    ]


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


def settings_to_resume(store: Store) -> TournamentSettings | None:
    """Return the settings with which a stored tournament was started, None if none has been.

    Raises:
        SettingsError: the settings are damaged.
    """
    data = store.settings()
    return None if data is None else settings_from_data(data)


def match_in(path: Path) -> TournamentSettings | None:
    """Return the settings of the tournament to resume in a file; None if there is none.

    Raises:
        StoreError: the file cannot be read, or is not the database of a match.
        SettingsError: the settings are damaged.
    """
    if not path.exists() or not path.stat().st_size:
        return None
    with Store(path, writing=False) as store:
        return settings_to_resume(store)


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
