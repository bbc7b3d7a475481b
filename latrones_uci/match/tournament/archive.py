"""A tournament read back from its database."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from latrones_uci.game import Position, quoted
from latrones_uci.match.errors import StoreError
from latrones_uci.match.records.plan import Fixture
from latrones_uci.match.records.record import GameRecord, PlayedGame
from latrones_uci.match.records.record_data import game_from_data
from latrones_uci.match.storage.store import Store
from latrones_uci.match.tournament.configuration import settings_from_data
from latrones_uci.match.tournament.settings import TournamentSettings, start_position


def stored_settings(store: Store) -> TournamentSettings:
    """The settings of a tournament that has begun, every engine with its name.

    Raises:
        StoreError: none has begun.
        SettingsError: they are damaged.
    """
    data = store.settings()
    if data is None:
        raise StoreError(f"no match has begun in {quoted(str(store.path))}")
    settings, engines = settings_from_data(data), store.engines()
    with store.reading():
        named = (replace(own, name=stored.name) for own, stored in zip(settings.engines, engines, strict=True))
        return replace(settings, engines=tuple(named))


def stored_games(store: Store, settings: TournamentSettings) -> Iterator[GameRecord]:
    """The finished games by number.

    Raises:
        StoreError: the database cannot be read.
        SettingsError: its games are none that this program knows.
    """
    rulesets = [start_position(variant, settings.variant_file).ruleset for variant in settings.variants]
    fens = {(opening.variant, opening.number): opening.fen for opening in store.openings()}
    counts = [sum(variant == index for variant, _ in fens) for index in range(len(rulesets))]

    @cache
    def position(variant: int, number: int) -> Position:
        # Where there were too few openings they were played again from the first on.
        return Position.from_fen(rulesets[variant], fens[variant, number % counts[variant]])

    for stored in store.games():
        with store.reading():
            fixture = stored.fixture
            white, black = settings.engines[fixture.white], settings.engines[fixture.black]
            game = game_from_data(stored.game, position(fixture.variant, fixture.opening))
            _check(fixture, game)
        names, controls = (white.name or "", black.name or ""), (white.control, black.control)
        yield GameRecord(fixture, names, controls, stored.started, game)


def _check(fixture: Fixture, game: PlayedGame) -> None:
    """Looks for numbers that stand for nothing, where an index would take them for something."""
    sides = {ply.side for ply in (*game.plies, *filter(None, [game.offence]))}
    if game.winner not in (None, 0, 1) or not sides <= {0, 1} or min(fixture.white, fixture.black) < 0:
        raise ValueError(f"game {fixture.number}: no such player or winner")
