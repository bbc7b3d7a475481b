"""A campaign: matches of several versions against one base, each with an ordinary database in one folder.

The folder has no other record: ``report``, ``ratings``, ``watch`` and ``pgn`` read the databases, and a campaign is
resumed from them. A version is known by a key, such as the first digits of its commit, and ``KEY.db`` has its match.
"""

import hashlib
import re
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event as Flag
from typing import Self

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineStartError, OperationError, SettingsError, WaitInterruptedError
from latrones_uci.match.events import Observer
from latrones_uci.match.openings import is_random
from latrones_uci.match.run import identify, play
from latrones_uci.match.standings import Standings
from latrones_uci.match.tournament import FirstMoveError
from latrones_uci.match.worker import Place
from latrones_uci.records.database import settings_difference, settings_to_resume, stored_games
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store
from latrones_uci.stats import Pentanomial
from latrones_uci.studies.revisions.source import RevisionError
from latrones_uci.text.files import exclusive_lock, replace_file
from latrones_uci.text.messages import quoted

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*", re.ASCII)
_LOCK = "campaign.lock"
_LEAST_PAIRS, _PAIRS_PER_GAME, _GROWTH = 32, 2, 32


class FailedGameError(OperationError):
    """A game has a failure that ends the campaign; the message names the version, the game and the failure."""


class CampaignError(OperationError):
    """The folder of a campaign cannot be used; the message quotes it."""


@dataclass(frozen=True)
class VersionResult:
    """The games of a version so far."""

    pairs: Pentanomial = (0, 0, 0, 0, 0)
    """Numbers of pairs with 0 to 2 points for the version."""
    troubles: str = ""
    """The numbers of faults and violations in its games (see ``Standings.troubles``)."""


def batch_pairs(concurrency: int, played: int) -> int:
    """Return how many pairs to play at once after so many.

    There are enough for ``concurrency`` games at a time to outweigh the start of engines and the wait for the last
    game, and more as the campaign grows, but so few that hardly any are played after they have decided something.
    """
    return max(_LEAST_PAIRS, _PAIRS_PER_GAME * concurrency, played // _GROWTH)


class Campaign:
    """The matches of a campaign. A context manager that locks the folder."""

    def __init__(
        self,
        folder: Path,
        settings: TournamentSettings,
        build: Callable[[str], EngineSettings],
        place: Place,
        interrupt: Flag,
        observe: Observer = lambda event: None,
        *,
        playing: Callable[[], AbstractContextManager[object]] = nullcontext,
        ends_at: Collection[str] = (),
    ) -> None:
        """Prepare a campaign.

        Args:
            folder: the folder; it is created if needed.
            settings: a match of the base against itself. Each version takes the place of the first engine.
            build: returns the engine of a version by its key, with a name, when it is needed for the first time.
                A ``RevisionError`` says that there is none.
            place: where all games are played.
            interrupt: when set, running games end, and ``play`` raises ``WaitInterruptedError``.
            observe: called with each event of each match; each batch of games begins with ``TournamentStarted``.
            playing: entered while games are played.
            ends_at: the kinds of ``standings.FAILURES`` that end the campaign, also if a game in the folder has one.
        """
        self._folder, self._settings, self._interrupt, self._observe = folder, settings, interrupt, observe
        self._build, self._place, self._playing = build, place, playing
        self._ends_at = ends_at
        self.failed_games: dict[str, dict[str, str]] = {}
        """For each version with such games the first game of each of ``standings.FAILURES`` (see there)."""
        self._engines: dict[str, EngineSettings] = {}
        self._results: dict[str, VersionResult] = {}
        self._matches: dict[str, TournamentSettings] = {}
        """The match of each version that has begun."""
        self._base_started = False
        self.failures: dict[str, str] = {}
        """Why a version cannot play, by its key: it cannot be built, does not start, or never makes a move."""

    def __enter__(self) -> Self:
        """Lock the folder, and read the databases.

        Raises:
            CampaignError: another program plays in the folder.
            SettingsError: the folder belongs to a campaign with another base or other settings.
            FailedGameError: a game in the folder has a failure of ``ends_at``.
            StoreError: a database cannot be read.
            OSError: the folder cannot be created.
        """
        with ExitStack() as stack:
            self._folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(exclusive_lock(self._folder / _LOCK, self._refuse, temporary=True))
            for path in sorted(self._folder.glob("*.db")):
                self._read(path)
            self._closing = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.close()

    def _refuse(self) -> None:
        raise CampaignError(f"folder {quoted(str(self._folder))} is in use by another run of this command")

    def _read(self, path: Path) -> None:
        with Store(path, writing=False) as store:
            before = settings_to_resume(store)
            if before is None:
                return
            version = before.engines[0]
            now = self._match(path.stem, version, before)
            if (difference := settings_difference(before, now)) is not None:
                raise SettingsError(f"folder {quoted(str(self._folder))} belongs to another campaign: {difference};"
                                    f" expected an empty folder, or the settings of {quoted(path.name)}")
            self._matches[path.stem] = before
            standings = Standings(tuple(engine.name or "" for engine in before.engines))
            for record in stored_games(store, before, with_plies=False):
                standings.add(record)
            self._take(path.stem, standings)

    def _take(self, key: str, standings: Standings) -> None:
        """Take the games of a version.

        Raises:
            FailedGameError: one has a failure of ``ends_at``.
        """
        self._results[key] = VersionResult(standings.meeting(0, 1).pairs, ", ".join(standings.troubles))
        if standings.failures:
            self.failed_games[key] = standings.failures
        if failure := standings.failure(self._ends_at):
            raise FailedGameError(f"--fail-on {failure}; to play on, add 'end' to --fail-on")

    def _match(self, key: str, version: EngineSettings, before: TournamentSettings | None) -> TournamentSettings:
        """Return the match of a version, without the number of its games.

        Each version plays openings of its own: with common ones, the results of versions would depend on each other.
        Names come from a match that has begun: a label changes when a commit gets a tag.
        """
        base, book = self._settings.engines[1], self._settings.book
        seed = int.from_bytes(hashlib.sha256(f"{self._settings.seed}:{key}".encode()).digest()[:4])
        if not is_random(self._settings.openings):
            book = replace(book, order="random")
        if before is not None:
            version, base = (replace(engine, name=old.name)
                             for engine, old in zip((version, base), before.engines, strict=True))
        return replace(self._settings, engines=(version, base), seed=seed, book=book)

    # ---------------------------------------------------------------- versions

    def result(self, key: str) -> VersionResult:
        """Return the games of a version; none if it has failed."""
        return VersionResult() if key in self.failures else self._results.get(key, VersionResult())

    def engine(self, key: str) -> EngineSettings | None:
        """Return the engine of a version, and build it if needed; None if it has failed (see ``failures``)."""
        if not _KEY.fullmatch(key):
            raise ValueError(f"key {key!r}: expected letters, digits and '._+-'")
        if key not in self._engines and key not in self.failures:
            try:
                self._engines[key] = self._build(key)
            except RevisionError as error:
                self.failures[key] = str(error)
        return None if key in self.failures else self._engines[key]

    # ---------------------------------------------------------------- games

    def play(self, key: str, pairs: int) -> VersionResult | None:
        """Play more pairs of a version, and return all of its games.

        Returns:
            The games, None if the version has failed.

        Raises:
            WaitInterruptedError: ``interrupt`` was set. Finished games are kept.
            EngineError: the base does not start or never makes a move, a version that has played no longer starts, or
                the engine of the opening screen failed.
            SettingsError: an engine has changed since the match started, or there is no opening.
            StoreError: the database cannot be used.
            FailedGameError: a game has a failure of ``ends_at``. Finished games are kept.
        """
        if (version := self.engine(key)) is None:
            return None
        path, before = self._folder / f"{key}.db", self._matches.get(key)
        games = max(2 * (sum(self.result(key).pairs) + pairs), 0 if before is None else before.games)
        settings = replace(self._match(key, version, before), games=games)
        try:
            with self._playing():
                self._start_base()
                finished = play(settings, path, self._place, self._observe, self._interrupt, ends_at=self._ends_at)
        except (EngineStartError, FirstMoveError) as error:
            by_base = isinstance(error, FirstMoveError) and error.engine
            if not self._base_started or by_base or any(self.result(key).pairs):
                raise
            self.failures[key] = str(error)
            if path.exists():
                replace_file(path, path.with_suffix(".failed"))  # its games say nothing of its strength
            return None
        self._matches[key] = settings
        self._take(key, finished.standings)
        if finished.interrupted:
            raise WaitInterruptedError
        return self._results[key]

    def _start_base(self) -> None:
        """Start the base once, so that a later failure is that of a version."""
        if not self._base_started:
            identify(self._settings, self._place, [1])
            self._base_started = True
