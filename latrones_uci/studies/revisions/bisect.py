"""Find the commit that lost strength: play the most informative version, step over those that cannot be played."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import Pentanomial
from latrones_uci.stats.bisection import Posterior, inseparable, next_version, posterior
from latrones_uci.studies.revisions.campaign import Campaign, batch_pairs
from latrones_uci.studies.revisions.comparison import plays_alike
from latrones_uci.studies.revisions.source import RevisionError
from latrones_uci.text.messages import counted

_BASE = -1


class Ending(Enum):
    """How a bisection ended."""

    FOUND = "found"
    """A commit, or a run of commits that games cannot tell apart, is certain enough."""
    NO_LOSS = "no-loss"
    """The last version is not weaker than the base."""
    SAME_PLAY = "same-play"
    """All versions play like the base."""
    UNDECIDED = "undecided"
    """The games are used up."""


@dataclass(frozen=True)
class Version:
    """The version of a commit."""

    key: str
    """Its key in the campaign."""
    contents: str
    """Hash of its source: versions with the same contents are one engine. Empty if there is no source."""


@dataclass(frozen=True)
class Progress:
    """What is known so far. Commits are given by their index after the base, from 0."""

    posterior: Posterior
    """What the games say."""
    pairs: tuple[Pentanomial, ...]
    """The pairs of each version against the base, from the point of view of the version."""
    suspects: tuple[int, ...]
    """The commits that can have lost strength; the others play like the version before them."""
    outcome: Ending | None = None
    """How the bisection ended, None if it goes on."""
    culprits: tuple[int, ...] = ()
    """The commits found: one, or several between which no version can be played."""
    probability: float = 0.0
    """The probability that it is one of them; that of no loss if that is the outcome."""

    @property
    def games(self) -> int:
        """The number of games of all versions."""
        return 2 * sum(map(sum, self.pairs))


class Bisection:
    """The search in a campaign whose base is the first version. ``step`` plays until ``progress`` has an outcome."""

    def __init__(
        self,
        campaign: Campaign,
        settings: TournamentSettings,
        base: Version,
        versions: Sequence[Version],
        confidence: float = 0.95,
        most_games: int = 200_000,
        report: Callable[[str], None] = lambda text: None,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Prepare the search.

        Args:
            campaign: the matches; it has been entered.
            settings: those of the campaign.
            base: the version of the base.
            versions: the versions of the commits after it, oldest first.
            confidence: the probability that ends the search, above 1/2.
            most_games: the number of games after which it ends without a result.
            report: called with messages about versions that are stepped over or play alike.
            progress: called often with how far a comparison of two versions is.

        Raises:
            RevisionError: the last version cannot be played.
        """
        self._campaign, self._settings, self._versions = campaign, settings, versions
        self._confidence, self._most_games, self._report = confidence, most_games, report
        self._progress = progress
        self._suspects = set(range(len(versions)))
        self._compared: set[tuple[int, int]] = set()
        self._noted: set[int] = set()
        first = {base.contents: _BASE}
        for commit, version in enumerate(versions):
            if version.contents:
                self._remove(first.setdefault(version.contents, commit), commit)
        self._playable = set(self._suspects)
        if self._suspects:
            last = versions[max(self._suspects)].key
            if campaign.engine(last) is None:
                raise RevisionError(campaign.failures[last])
        for commit, version in enumerate(versions):
            if any(campaign.result(version.key).pairs) and commit in self._suspects:
                self._use(commit)

    def _remove(self, first: int, last: int) -> None:
        """Note that the versions of two commits are one player: no commit in between has lost strength."""
        self._suspects -= set(range(first + 1, last + 1))

    @property
    def progress(self) -> Progress:
        """What is known so far."""
        pairs = tuple(self._campaign.result(version.key).pairs for version in self._versions)
        found = posterior(pairs, self._suspects)
        known = Progress(found, pairs, tuple(sorted(self._suspects)))
        if not self._suspects:
            return replace(known, outcome=Ending.SAME_PLAY, probability=1.0)
        if found.no_loss >= self._confidence:
            return replace(known, outcome=Ending.NO_LOSS, probability=found.no_loss)
        for run in inseparable(len(pairs), self._playable):
            probability = sum(found.chances[commit] for commit in run)
            if probability >= self._confidence:
                culprits = tuple(commit for commit in run if commit in self._suspects)
                return replace(known, outcome=Ending.FOUND, culprits=culprits, probability=probability)
        return replace(known, outcome=Ending.UNDECIDED) if known.games >= self._most_games else known

    def step(self) -> int:
        """Play games of one version, or find that it cannot be played or plays like another one.

        Returns:
            The commit.

        Raises:
            WaitInterruptedError: the campaign was interrupted.
            RevisionError: the last version can no longer be played.
        """
        known = self.progress
        played = {commit for commit, pairs in enumerate(known.pairs) if any(pairs)}
        commit = next_version(known.posterior, self._playable, played, self._confidence)
        if self._use(commit):
            batch = batch_pairs(self._settings.concurrency, known.games // 2)
            pairs = min(batch, max((self._most_games - known.games) // 2, 1))
            if self._campaign.play(self._versions[commit].key, pairs) is None:
                self._fail(commit)
        return commit

    def _use(self, commit: int) -> bool:
        """Build a version, and compare its play with its neighbours; return whether it should be played."""
        if self._campaign.engine(self._versions[commit].key) is None:
            self._fail(commit)
            return False
        self._noted.add(commit)
        for one, other in self._neighbours(commit):
            if (one, other) not in self._compared:
                self._compared.add((one, other))
                self._compare(one, other)
        return commit in self._suspects

    def _fail(self, commit: int) -> None:
        failure = self._campaign.failures[self._versions[commit].key]
        if commit == max(self._suspects):
            raise RevisionError(failure)
        self._playable.discard(commit)
        self._report(f"stepped over {self._versions[commit].key}: {failure}")

    def _neighbours(self, commit: int) -> Iterator[tuple[int, int]]:
        built = {*self._noted, _BASE}
        yield max(other for other in built if other < commit), commit
        if later := [other for other in built if other > commit]:
            yield commit, min(later)

    def _compare(self, one: int, other: int) -> None:
        engines = self._engine(one), self._engine(other)
        if not engines[0].signature:
            return
        settings = replace(self._settings, engines=engines, games=self._most_games)
        if (found := plays_alike(settings, self._report, self._progress)) is None:
            return
        self._remove(one, other)
        self._playable &= self._suspects
        positions = counted(found.positions, "position")
        self._report(f"they searched {positions} alike: no commit between them lost strength")

    def _engine(self, commit: int) -> EngineSettings:
        engine = self._settings.engines[1] if commit == _BASE else self._campaign.engine(self._versions[commit].key)
        assert engine is not None
        return engine
