"""Join the games of several databases, as if they were one tournament."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Ruleset
from latrones_uci.match.tuner import refuse_tuning
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.pgn_read import DistinctGames
from latrones_uci.records.pgn_write import recorded_game
from latrones_uci.records.record import GameRecord
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoredEngine
from latrones_uci.text.files import OnReading, report_nothing
from latrones_uci.text.messages import counted, quoted


@dataclass(frozen=True)
class JoinedMatch:
    name: str
    """The path of its database, as given."""
    settings: TournamentSettings
    created: str
    """When it started, in UTC."""
    verdict: str
    """The verdict of its sequential test, empty if there is none."""
    first: int
    """The number of its first game among all games."""
    last: int
    """The number of its last game; below ``first`` without games."""
    duplicates: int = 0
    """The number of its games that are in the databases before it and not counted again."""


class JoinedMatches:
    """The games of several databases. Engines with one name are one engine; a game in several databases is one game."""

    def __init__(self, stores: Sequence[Store], report: OnReading = report_nothing) -> None:
        """Read the databases; call ``report`` with each game, with a text that says how far they are read.

        Raises:
            StoreError: a database cannot be read, or contains no match.
            SettingsError: engines or variants with one name differ.
        """
        self.matches: list[JoinedMatch] = []
        """The matches, in the order of the databases."""
        self.engines: list[StoredEngine] = []
        """The engines, in the order in which they first occur."""
        self.settings: list[EngineSettings] = []
        """The settings of each engine."""
        self.records: list[GameRecord] = []
        """All games. The numbers of games and pairs, and the indices of engines, variants and openings in their
        fixtures are those among all games."""
        self.variants: list[str] = []
        """The variants with their boards."""
        self.rulesets: dict[str, Ruleset] = {}
        self._pairs = 0
        self._distinct = DistinctGames()
        self._openings: dict[int, dict[str, int]] = {}
        for store in stores:
            self._add(store, report)

    def _add(self, store: Store, report: OnReading) -> None:
        name, settings, created = str(store.path), stored_settings(store), store.created()
        refuse_tuning(name, settings)
        engines = [self._engine(name, *each) for each in zip(store.engines(), settings.engines, strict=True)]
        variants = [self._variant(name, index, settings) for index in range(len(settings.variants))]
        games, pairs, before = self.matches[-1].last if self.matches else 0, self._pairs, self._distinct.duplicates
        numbers, own_id = [games], store.match_id()
        self._distinct.begin_file()
        for number, record in enumerate(stored_games(store, settings), start=1):
            report(f"{name}: {counted(number, 'game')}")
            if not self._distinct.add(*recorded_game(record, own_id)):
                continue
            joined = self._renumbered(record, games, pairs, engines, variants)
            numbers.append(joined.fixture.number)
            self._pairs = max(self._pairs, joined.fixture.pair + 1)
            self.records.append(joined)
        first, duplicates = min(numbers[1:], default=games + 1), self._distinct.duplicates - before
        self.matches.append(JoinedMatch(name, settings, created, store.verdict(), first, max(numbers), duplicates))

    def _engine(self, match: str, engine: StoredEngine, settings: EngineSettings) -> int:
        """Return the index of an engine, which is added if it is new."""
        for index, known in enumerate(self.engines):
            if known.name == engine.name:
                difference = next(_differences(engine, known, settings, self.settings[index]), None)
                if difference is not None:
                    what, own, other = difference
                    raise SettingsError(f"database {quoted(match)}: {quoted(engine.name)} is another engine than in the"
                                        f" databases before it: its {what} is {quoted(own)}, not {quoted(other)};"
                                        " expected different names")
                return index
        self.engines.append(engine)
        self.settings.append(settings)
        return len(self.engines) - 1

    def _variant(self, match: str, index: int, settings: TournamentSettings) -> int:
        variant = settings.variants[index]
        start = start_position(variant, settings.variant_file)
        if self.rulesets.setdefault(variant.name, start.ruleset) != start.ruleset:
            raise SettingsError(f"database {quoted(match)}: the variant {quoted(variant.name)} has other rules than in"
                                " the databases before it; expected different names")
        where = f"{variant.name}:{start.geometry.name}"
        if where not in self.variants:
            self.variants.append(where)
        return self.variants.index(where)

    def _renumbered(
        self, record: GameRecord, games: int, pairs: int, engines: Sequence[int], variants: Sequence[int]
    ) -> GameRecord:
        own = record.fixture
        variant = variants[own.variant]
        known = self._openings.setdefault(variant, {})
        opening = known.setdefault(record.game.start.fen(), len(known))
        fixture = replace(
            own, number=own.number + games, pair=own.pair + pairs, variant=variant, opening=opening,
            white=engines[own.white], black=engines[own.black],
        )
        return replace(record, fixture=fixture)


def _differences(
    engine: StoredEngine, known: StoredEngine, settings: EngineSettings, other: EngineSettings
) -> Iterator[tuple[str, str, str]]:
    """Yield what two engines with one name do not have in common. Their programs and commands may differ."""
    for what, own, before in (
        ("id name", engine.id_name, known.id_name),
        ("limit", settings.control.to_text(), other.control.to_text()),
        ("pondering", _SWITCH[settings.ponder], _SWITCH[other.ponder]),
        ("list of options", _listed(settings.options), _listed(other.options)),
        ("environment", _listed(settings.environment), _listed(other.environment)),
    ):
        if own != before:
            yield what, own, before
    if engine.signature and known.signature and engine.signature != known.signature:
        yield "bench signature", engine.signature, known.signature


_SWITCH = {True: "on", False: "off"}


def _listed(named: Sequence[tuple[str, str]]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(named)) or "none"
