"""The strength of an engine over its history: which versions play, and their joint ratings."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.match.summary import render_margin
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import Pentanomial
from latrones_uci.stats.bradley_terry import Encounter, rate
from latrones_uci.stats.results import reversed_pairs
from latrones_uci.studies.revisions.build import BuiltRevision
from latrones_uci.studies.revisions.campaign import Campaign, batch_pairs
from latrones_uci.studies.revisions.comparison import plays_alike, with_same_files
from latrones_uci.studies.revisions.source import LABEL_DIGITS, Commit, RevisionError
from latrones_uci.text.messages import counted


def chosen_commits(commits: Sequence[Commit], every: int) -> list[Commit]:
    """Return the commits of a history whose versions play.

    They are the first one, each ``every``-th after it that changes the version, and the last that does. With 0 for
    ``every``, only the first and the last.
    """
    changed = [after for before, after in pairwise(commits) if after.contents not in ("", before.contents)]
    chosen = changed[every - 1 :: every] if every else []
    return [*commits[:1], *chosen, *(commit for commit in changed[-1:] if commit not in chosen)]


@dataclass(frozen=True)
class Strength:
    """The strength of a version."""

    elo: float
    """Its joint rating; that of the base is 0."""
    margin: float
    """Half the width of its 95% interval, 0 for the base, infinite if there are too few games."""
    games: int
    """The number of its games, as many as its opponents'."""
    over_previous: float | None
    """The likelihood, 0 to 1, that it is stronger than the version before it; None for the first."""


def strengths(keys: Sequence[str], base: str, results: Mapping[tuple[str, str], Pentanomial]) -> dict[str, Strength]:
    """Return the strength of each version with games, rated together.

    Args:
        keys: the versions, oldest first.
        base: the version whose rating is 0.
        results: pairs of games with 0 to 2 points for the first of two versions.
    """
    places = {key: place for place, key in enumerate(keys)}
    encounters = {}
    for (one, other), pairs in results.items():
        if any(pairs):
            turned = places[one] > places[other]
            ends = (places[other], places[one]) if turned else (places[one], places[other])
            encounters[ends] = Encounter(reversed_pairs(pairs) if turned else pairs)
    # If all play the base alone, their ratings do not depend on each other, and a matrix of all of them is not needed.
    whole = None
    if not all(places[base] in ends for ends in encounters):
        whole = rate(keys, encounters, anchors={base: 0.0})
    games = Counter[str]()
    for ends, encounter in encounters.items():
        games.update({keys[end]: encounter.count for end in ends})
    found: dict[str, Strength] = {}
    previous: str | None = None
    for key in filter(games.__contains__, keys):
        if key == base and previous is None:
            found[key] = Strength(0.0, 0.0, games[key], None)
        else:
            shown = {places[each] for each in (base, key, previous or key)}
            own = {ends: encounter for ends, encounter in encounters.items() if shown.issuperset(ends)}
            rated = whole or rate(keys, own, anchors={base: 0.0})
            rating = next(rating for rating in rated.ratings if rating.name == key)
            over = None if previous is None else rated.superiority[key, previous]
            found[key] = Strength(rating.elo, rating.margin, games[key], over)
        previous = key
    return found


# ---------------------------------------------------------------- all versions of a history


@dataclass(frozen=True)
class VersionRow:
    """A version and its commit."""

    label: str
    date: str
    subject: str
    """The first line of its message."""
    elo: float | None = None
    """Its rating, None without games."""
    margin: float = 0.0
    """Half the width of the 95% interval; may be infinite."""
    games: int = 0
    over_previous: float | None = None
    """The likelihood, 0 to 1, that it is stronger than the version before it; None if that is unknown."""
    note: str = ""
    """What else there is to say, such as why it cannot be built."""


@dataclass
class History:
    """The versions of a history, and their games."""

    base: Commit
    """The opponent of all, or of the first."""
    chosen: Sequence[Commit]
    """The commits whose versions play."""
    commits: Sequence[Commit]
    """All commits, oldest first; of these, all versions with games are shown."""
    built: Mapping[str, BuiltRevision]
    """The built versions, by their keys."""
    failures: dict[str, str]
    """Why a version cannot play, on one line, by its key."""
    each: Sequence[str]
    """The keys of all engines."""
    games: int
    """The number of games of each version."""
    neighbours: bool
    """Whether each version plays the one before it."""
    results: dict[tuple[str, str], Pentanomial] = field(default_factory=dict)
    """The pairs of each version and its opponent, by their keys."""
    alike: dict[str, str] = field(default_factory=dict)
    """The earlier version that a version plays like, by their keys."""
    troubles: dict[str, str] = field(default_factory=dict)
    """The numbers of faults and violations in the games of a version, by its key."""

    def engine(self, key: str) -> EngineSettings:
        """Return the engine of a version.

        Raises:
            RevisionError: it has not been built.
        """
        if (built := self.built.get(key)) is None:
            raise RevisionError(self.failures.get(key, "not built"))
        return built.engine(built.commit[:LABEL_DIGITS], self.each)

    def compare(
        self, settings: TournamentSettings, report: Callable[[str], None], progress: Callable[[str], None]
    ) -> None:
        """Find versions that play like the one before them or the base, so that no game can tell them apart."""
        base = self.base.key
        contents = {commit.key: commit.contents for commit in (self.base, *self.chosen) if commit.key in self.built}
        for key, equal in with_same_files(contents.items()).items():
            report(f"{self.built[key].label} has the files of {self.built[equal].label}: they count as one version")
            self.alike[key] = equal
        keys = self._playable()
        for before, key in pairwise(key for key in ([] if base in keys else [base]) + keys if key not in self.alike):
            engines = self.engine(before), self.engine(key)
            found = plays_alike(replace(settings, engines=engines, games=self.games), report, progress)
            if found is not None:
                report(f"they searched {counted(found.positions, 'position')} alike, and count as one version")
                first = self.alike.get(before, before)
                if key == base:  # of versions that play alike, the base is the one that plays
                    first, key = base, first
                    self.alike |= {each: base for each, other in self.alike.items() if other == key}
                self.alike[key] = first

    def _playable(self) -> list[str]:
        """Return the chosen versions that have been built."""
        return [commit.key for commit in self.chosen if commit.key in self.built]

    def opponents(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each base and the versions that play against it; versions may fail meanwhile."""
        base = self.base.key
        keys = [key for key in self._playable() if key not in self.alike]
        if not self.neighbours:
            yield base, [key for key in keys if key != base]
            return
        before = base
        for key in keys:
            if key != before:
                yield before, [key]
            if key not in self.failures:
                before = key

    def play(self, campaign: Campaign, base: str, keys: Sequence[str], concurrency: int) -> Iterator[None]:
        """Play batches of games against a base, always of the version with the fewest; yield after each.

        Games that were played before are taken first, also those of versions that are not chosen now.
        """
        for commit in self.commits:
            if commit.key != base and any(campaign.result(commit.key).pairs):
                self._take(campaign, commit.key, base)
        target = (self.games + 1) // 2
        while True:
            played = {key: sum(campaign.result(key).pairs) for key in keys if key not in campaign.failures}
            missing = {key: count for key, count in played.items() if count < target}
            if not missing:
                break
            key = min(missing, key=missing.__getitem__)
            campaign.play(key, min(batch_pairs(concurrency, missing[key]), target - missing[key]))
            if key not in campaign.failures:
                self._take(campaign, key, base)
                yield
        self.failures |= {key: text.partition("\n")[0] for key, text in campaign.failures.items()}

    def _take(self, campaign: Campaign, key: str, base: str) -> None:
        result = campaign.result(key)
        self.results[key, base], self.troubles[key] = result.pairs, result.troubles

    # what is shown

    def rows(self) -> dict[str, VersionRow]:
        """Return the versions that are chosen or have games by their commits, oldest first."""
        base = self.base.key
        keys = list(dict.fromkeys([*(commit.key for commit in self.commits), base]))
        found = {base: Strength(0.0, 0.0, 0, None)} | strengths(keys, base, self.results)
        for key, other in self.alike.items():
            if key not in found and other in found:
                found[key] = replace(found[other], games=0, over_previous=None)
        chosen = {commit.key for commit in self.chosen}
        return {commit.commit: self._row(commit, found.get(commit.key))
                for commit in self.commits if commit.key in chosen or commit.key in found}

    def _row(self, commit: Commit, strength: Strength | None) -> VersionRow:
        note = self.failures.get(commit.key, "base" if commit == self.base else "")
        if (other := self.alike.get(commit.key)) is not None:
            note = f"plays like {self.built[other].label}"
        note = ", ".join(filter(None, (note, self.troubles.get(commit.key))))
        row = VersionRow(self.label(commit), commit.date, commit.subject, note=note)
        if strength is None:
            return row
        return replace(row, elo=strength.elo, margin=strength.margin, games=strength.games,
                       over_previous=strength.over_previous)

    def label(self, commit: Commit) -> str:
        """Return a tag of a version that has been built, or else the abbreviated hash."""
        built = self.built.get(commit.key)
        return commit.label if built is None else built.label

    @property
    def title(self) -> str:
        return f"Strength from {self.label(self.commits[0])} to {self.label(self.commits[-1])}"

    @property
    def all_games(self) -> int:
        return sum(2 * sum(pairs) for pairs in self.results.values())

    def table(self) -> Iterator[str]:
        """Yield the lines of the table for a terminal."""
        rows = list(self.rows().values())
        width = max(len(row.label) for row in rows)
        yield f"{self.title}: Elo relative to {self.label(self.base)}; +/- is half the 95% interval"
        yield f"{'version':<{width}}  {'date':<10} {'Elo':>8} {'+/-':>7} {'games':>7}  {'> previous':>10}  subject"
        for row in rows:
            elo = "-" if row.elo is None else f"{row.elo:+z.1f}"
            margin = "" if row.elo is None or not row.margin else render_margin(row.margin)
            over = "" if row.over_previous is None else f"{row.over_previous:.1%}"
            note = f" ({row.note})" if row.note else ""
            yield (f"{row.label:<{width}}  {row.date:<10} {elo:>8} {margin:>7} {row.games or '':>7}  {over:>10}"
                   f"  {row.subject}{note}")
        yield counted(self.all_games, "game")

    def event(self, folder: Path) -> Mapping[str, object]:
        """Return the result as a JSON object."""
        versions = [
            {"commit": commit, "label": row.label, "date": row.date, "subject": row.subject, "elo": row.elo,
             "margin": row.margin if isfinite(row.margin) else None, "games": row.games,
             "superiority_over_previous": row.over_previous, "note": row.note}
            for commit, row in self.rows().items()
        ]
        return {"event": "history_finished", "base": self.base.commit, "folder": str(folder), "versions": versions}
