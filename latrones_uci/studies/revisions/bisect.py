"""Find the commit that lost strength: play the most informative version, step over those that cannot be played."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from math import isfinite
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.match.summary import render_elo
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import Interval, Pentanomial, estimate_from_pairs
from latrones_uci.stats.bisection import Posterior, credible_set, inseparable, next_version, posterior
from latrones_uci.studies.revisions.campaign import Campaign, batch_pairs
from latrones_uci.studies.revisions.comparison import plays_alike, with_same_files
from latrones_uci.studies.revisions.source import LABEL_DIGITS, Commit, RevisionError
from latrones_uci.text.messages import counted

_BASE = -1


class Ending(Enum):
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
class BisectionState:
    """What is known so far. Commits are given by their index after the base, from 0."""

    posterior: Posterior
    pairs: tuple[Pentanomial, ...]
    """The pairs of each version against the base, from the point of view of the version."""
    suspects: tuple[int, ...]
    """The commits that can have lost strength; the others play like the version before them."""
    outcome: Ending | None = None
    culprits: tuple[int, ...] = ()
    """The commits found: one, or several between which no version can be played."""
    probability: float = 0.0
    """The probability that it is one of them; that of no loss if that is the outcome."""

    @property
    def games(self) -> int:
        """The number of games of all versions."""
        return 2 * sum(map(sum, self.pairs))


class Bisection:
    """The search in a campaign whose base is the first version. ``step`` plays until ``state`` has an outcome."""

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
        contents = [(commit, version.contents) for commit, version in enumerate((base, *versions), start=_BASE)]
        for commit, equal in with_same_files(contents).items():
            self._remove(equal, commit)
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
    def state(self) -> BisectionState:
        """What is known so far."""
        pairs = tuple(self._campaign.result(version.key).pairs for version in self._versions)
        found = posterior(pairs, self._suspects)
        known = BisectionState(found, pairs, tuple(sorted(self._suspects)))
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
        known = self.state
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


# ---------------------------------------------------------------- what is shown


@dataclass(frozen=True)
class CommitRow:
    """A commit and its version."""

    label: str
    date: str
    subject: str
    """The first line of its message."""
    chance: float
    """The probability that it lost strength."""
    pairs: Pentanomial
    """The pairs of its version against the base."""
    found: bool = False
    """Whether it is the one, or one of those, that the bisection found."""
    note: str = ""
    """What else there is to say, such as why it cannot be built."""

    @property
    def normalized_elo(self) -> Interval | None:
        """The difference from the base in normalised Elo; None without games."""
        return estimate_from_pairs(self.pairs).normalized_elo if any(self.pairs) else None

    def score(self, digits: int = 1) -> str:
        """Return that difference with its interval; a hyphen without games."""
        return "-" if self.normalized_elo is None else render_elo(self.normalized_elo, digits)


@dataclass(frozen=True)
class BisectionReport:
    """What is known of a bisection, for people and programs."""

    base: Commit
    """The commit known to be strong."""
    commits: Sequence[Commit]
    """Those after it, oldest first."""
    state: BisectionState
    failures: Mapping[str, str]
    """Why a version cannot play, by its key."""
    troubles: Mapping[str, str]
    """The numbers of faults and violations in the games of a version, by its key."""
    confidence: float
    """The probability that ends the search."""
    most_games: int
    """The number of games after which it ends without a result."""

    @property
    def rows(self) -> list[CommitRow]:
        found, rows = self.state.posterior, []
        for number, commit in enumerate(self.commits):
            failure = self.failures.get(commit.key, "").partition("\n")[0]
            alike = "" if number in self.state.suspects else "same play as before"
            note = ", ".join(filter(None, (failure or alike, self.troubles.get(commit.key))))
            rows.append(CommitRow(commit.label, commit.date, commit.subject, found.chances[number],
                                  self.state.pairs[number], number in self.state.culprits, note))
        return rows

    @property
    def title(self) -> str:
        return f"Strength lost between {self.base.label} and {self.commits[-1].label}"

    def facts(self) -> list[tuple[str, str]]:
        """Return labels and values for the top of a page."""
        result = "in progress" if self.state.outcome is None else self._sentence()
        culprits = ", ".join(self.commits[culprit].label for culprit in self.state.culprits)
        return [("Result", result.replace("+/-", "\u00b1")), ("Commit", culprits or "none yet"),
                ("Games", f"{self.state.games:,}"), ("Probability of no loss", f"{self.state.posterior.no_loss:.1%}")]

    # as text

    def heading(self) -> Iterator[str]:
        """Yield the lines before the first games."""
        left_out = len(self.commits) - len(self.state.suspects)
        also = f", {left_out} without a change of what is built" if left_out else ""
        yield f"{counted(len(self.commits), 'commit')} after {self.base.label}{also}"
        if self.state.games:
            yield f"resumed: {self.state.games} games already played"
        yield "  games  version     normalised Elo      loss     no loss  suspects, likeliest"

    def line(self, played: int) -> str:
        """Return a line after games of a version."""
        found, row = self.state.posterior, self.rows[played]
        likeliest = max(range(len(self.commits)), key=found.chances.__getitem__)
        loss = f"{found.loss:.0f} \u00b1{2 * found.loss_error:.0f}"
        return (f"{self.state.games:>7}  {row.label}  {row.score(0):<18}  {loss:<8} {found.no_loss:>6.1%}"
                f"  {len(self._suspects()):>3}  {self.commits[likeliest].label} {found.chances[likeliest]:>4.0%}")

    def summary(self) -> Iterator[str]:
        """Yield the lines of the result."""
        state, rows = self.state, self.rows
        probability = f" ({state.probability:.1%})." if state.probability else ""
        yield f"{self._sentence()}{probability}"
        for number in self._suspects() if state.outcome is Ending.UNDECIDED else state.culprits:
            row = rows[number]
            yield f"  {row.chance:6.1%}  {row.label} {row.date} {row.subject}"
        yield f"{state.games} games, and normalised Elo against {self.base.label}:"
        for commit, row in zip(self.commits, rows, strict=True):
            if any(row.pairs):
                troubles = self.troubles.get(commit.key)
                yield (f"  {row.label} {2 * sum(row.pairs):>6} games  {row.score()}"
                       f"{f'; {troubles}' if troubles else ''}")
        for key, failure in self.failures.items():
            yield f"  {key[:LABEL_DIGITS]} cannot be played: {failure.splitlines()[0]}"

    def _suspects(self) -> Sequence[int]:
        """Return the likeliest commits, one of which has lost strength with the confidence if any has."""
        found = self.state.posterior
        return credible_set(found.chances, self.confidence * (1 - found.no_loss))

    def _sentence(self) -> str:
        good, bad = self.base.label, self.commits[-1].label
        match self.state.outcome:
            case Ending.FOUND if len(self.state.culprits) == 1:
                loss = self.state.posterior
                return f"This commit lost {loss.loss:.0f} +/- {2 * loss.loss_error:.0f} normalised Elo"
            case Ending.FOUND:
                return "One of these commits lost strength; no version between them can be played"
            case Ending.NO_LOSS:
                return f"{bad} is not weaker than {good}"
            case Ending.SAME_PLAY:
                return f"{bad} plays like {good}, as do all versions between them"
        return f"No result within {counted(self.most_games, 'game')}; the likeliest commits are"

    # for JSON

    def started(self) -> dict[str, Any]:
        """Return the event before the first games."""
        commits = [{"commit": each.commit, "date": each.date, "subject": each.subject} for each in self.commits]
        return {"event": "bisection_started", "base": self.base.commit, "commits": commits, "games": self.state.games,
                "suspects": list(self.state.suspects)}

    def progressed(self, played: int) -> dict[str, Any]:
        """Return the event after games of a version."""
        return {"event": "bisection_progress", "commit": self.commits[played].commit, "pairs": self.state.pairs[played],
                **self._figures(), "chances": [round(chance, 6) for chance in self.state.posterior.chances]}

    def finished(self) -> dict[str, Any]:
        """Return the event of the result."""
        assert self.state.outcome is not None
        versions = [
            {"commit": commit.commit, "probability": row.chance, "pairs": row.pairs,
             "normalized_elo": _plain(row.normalized_elo), "note": row.note}
            for commit, row in zip(self.commits, self.rows, strict=True)
        ]
        return {"event": "bisection_finished", "outcome": self.state.outcome.value,
                "commits": [self.commits[culprit].commit for culprit in self.state.culprits],
                "probability": self.state.probability, **self._figures(), "versions": versions}

    def _figures(self) -> dict[str, Any]:
        found = self.state.posterior
        return {"games": self.state.games, "no_loss": found.no_loss, "loss": found.loss,
                "loss_error": found.loss_error}


def _plain(interval: Interval | None) -> dict[str, float | None] | None:
    if interval is None:
        return None
    return {name: value if isfinite(value) else None for name, value in asdict(interval).items()}
