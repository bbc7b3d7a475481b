"""The command ``latrones-uci revs history``: measure the strength of versions over a history."""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from math import isfinite
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork, Parser, parse_natural, parse_positive
from latrones_uci.commands.campaigns import (
    KEY_DIGITS,
    LABEL_DIGITS,
    add_campaign,
    check_campaign,
    folder_of,
    note_failed_games,
    open_campaign,
    outputs_without_test,
    until_interrupted,
)
from latrones_uci.commands.match_arguments import FAILED, match_settings
from latrones_uci.commands.versions import cache_of, recipe_of, report, screened, set_defaults
from latrones_uci.match.summary import render_margin
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import Pentanomial
from latrones_uci.studies.revisions.build import BuiltRevision, build_revisions
from latrones_uci.studies.revisions.campaign import Campaign, batch_pairs
from latrones_uci.studies.revisions.comparison import plays_alike
from latrones_uci.studies.revisions.history import Strength, chosen_commits, strengths
from latrones_uci.studies.revisions.recipe import Recipe
from latrones_uci.studies.revisions.source import Commit, RevisionError, commits_between
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import counted, quoted
from latrones_uci.web.match.versions_page import VersionRow, render_history

_DEFAULT_GAMES = 1000
_SHOW_EVERY_S = 60.0
_DESCRIPTION = """\
Measure the strength of the versions of a history. Each version plays pairs of games against the base, or against the
version before it, until it has --games; all are rated together, with error bars. Rerun the command when there are new
commits, or with more games: only what is missing is played. Of merges, only the first parents are followed.

  latrones-uci revs history v1.0..main --every 10 --report history.html
  latrones-uci revs history v1.0..main --every 0         # add a point for the newest version
  latrones-uci revs history v0.8 v0.9 v1.0 main
"""


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("versions", nargs="+", metavar="A..B|REVISION",
        help="the commits from A to B, or two or more revisions, the oldest first")
    add("--every", metavar="N", type=parse_natural,
        help="play A, B and each Nth commit between them that changes the version; 0 for A and B alone. Versions that"
        " have played before are shown as well (default: 1)")
    chosen = parser.add_mutually_exclusive_group().add_argument
    chosen("--base", metavar="REVISION", help="opponent of all versions, whose rating is 0 (default: the first)")
    chosen("--neighbours", action="store_true", help="each version plays the one before it")
    add("--games", metavar="N", type=parse_positive, default=_DEFAULT_GAMES,
        help="games of each version; may be raised (default: %(default)s)")
    add_campaign(parser, screen="the base")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command.

    Returns:
        The exit status: 0 if all versions that can be built have their games, 1 for failures in ``--fail-on``.
    """
    return until_interrupted(partial(_measure, options), options, program)


def _measure(options: argparse.Namespace) -> int:
    recipe = recipe_of(options)
    commits, rest = _commits(options, recipe)
    base = commits[0] if options.base is None else _commit(options.base, options, recipe)
    set_defaults(options, recipe)
    history = _History(options, base, commits, rest)
    history.build(recipe)
    return FAILED if history.play() else 0


def _commits(options: argparse.Namespace, recipe: Recipe) -> tuple[list[Commit], list[Commit]]:
    """Return the commits to play, and all others of the history, which may have played before."""
    names = options.versions
    if len(names) == 1:
        first, dots, last = names[0].partition("..")
        if not (first and dots) or last.startswith("."):
            raise SettingsError(f"{quoted(names[0])}: expected a range A..B, or two or more revisions")
        commits = commits_between(first, last or "HEAD", Path(options.repository), recipe.paths)
        chosen = chosen_commits(commits, 1 if options.every is None else options.every)
        return chosen, commits
    if options.every is not None:
        raise SettingsError(f"--every {options.every}: expected a range A..B, not several revisions")
    found = [_commit(name, options, recipe) for name in names]
    for number, commit in enumerate(found):
        if commit.commit in {other.commit for other in found[:number]}:
            raise SettingsError(f"{quoted(names[number])}: the same commit as another one; expected different versions")
    return found, found


def _commit(name: str, options: argparse.Namespace, recipe: Recipe) -> Commit:
    return commits_between(name, name, Path(options.repository), recipe.paths)[0]


def _key(commit: Commit) -> str:
    return commit.commit[:KEY_DIGITS]


@dataclass
class _History:
    """The versions, their games, and what is shown of them."""

    options: argparse.Namespace
    base: Commit
    chosen: Sequence[Commit]
    """The commits whose versions play."""
    commits: Sequence[Commit]
    """All commits, oldest first."""
    built: dict[str, BuiltRevision] = field(default_factory=dict)
    """The built versions, by their keys."""
    failures: dict[str, str] = field(default_factory=dict)
    """Why a version cannot play, by its key."""
    results: dict[tuple[str, str], Pentanomial] = field(default_factory=dict)
    """The pairs of each version and its opponent, by their keys."""
    alike: dict[str, str] = field(default_factory=dict)
    """The earlier version that a version plays like, by their keys."""
    troubles: dict[str, str] = field(default_factory=dict)
    """The numbers of faults and violations in the games of a version, by its key."""

    def build(self, recipe: Recipe) -> None:
        """Build the base and all versions, side by side."""
        options = self.options
        cache = cache_of(options)
        places = Path(options.repository), cache, report, recipe

        def failed(name: str, error: RevisionError) -> None:
            report(str(error))
            self.failures[name[:KEY_DIGITS]] = str(error).partition("\n")[0]

        names = [commit.commit for commit in (self.base, *self.chosen)]
        built = build_revisions(list(dict.fromkeys(names)), *places, on_failure=failed)
        self.built = {name[:KEY_DIGITS]: version for name, version in built.items()}
        if _key(self.base) in self.failures:
            raise RevisionError(f"the base cannot be built: {self.failures[_key(self.base)]}")

    def engine(self, key: str) -> EngineSettings:
        """Return the engine of a version that has been built."""
        if (built := self.built.get(key)) is None:
            raise RevisionError(self.failures.get(key, "not built"))
        return built.engine(built.commit[:LABEL_DIGITS], self.options.each)

    def settings(self, base: str) -> TournamentSettings:
        """Return the match of a base against itself, for its campaign."""
        engine = self.engine(base)
        return screened(match_settings(self.options, [replace(engine, name=None), engine], 2), self.built[base])

    def play(self) -> bool:
        """Play what is missing, and print the results; return whether a game has a failure in ``--fail-on``."""
        settings, outputs = self.settings(_key(self.base)), outputs_without_test(self.options)
        check_campaign(settings, outputs)
        folder = folder_of(self.options, settings)
        self.compare(settings)
        shown, failed = time.monotonic(), False
        for base, versions in self.opponents():
            own = settings if base == _key(self.base) else self.settings(base)
            place = folder / base if self.options.neighbours else folder
            with open_campaign(place, own, outputs, self.engine) as campaign:
                self.read(campaign, base)
                for key in self.play_versions(campaign, base, versions, settings.concurrency):
                    self.take(campaign, key, base)
                    if time.monotonic() - shown > _SHOW_EVERY_S:
                        self.show(outputs.report)
                        shown = time.monotonic()
                failed |= note_failed_games(campaign, outputs)
                self.failures |= {key: text.partition("\n")[0] for key, text in campaign.failures.items()}
        self.show(outputs.report)
        if outputs.json:
            print(json.dumps(self.event(folder)), flush=True)
        else:
            print("\n".join(self.table()))
            print(f"Folder: {folder.resolve()}")
            if outputs.report is not None:
                print(f"Report: {outputs.report.resolve()}")
        return failed

    def compare(self, settings: TournamentSettings) -> None:
        """Find versions that play like the one before them, so that no game can tell them apart."""
        first: dict[str, str] = {}
        for commit in self.chosen:
            if (key := _key(commit)) in self.built and (equal := first.setdefault(commit.contents, key)) != key:
                report(f"{self.label(commit)} has the files of {self.built[equal].label}: they count as one version")
                self.alike[key] = equal
        for before, key in pairwise(key for key in self.playable() if key not in self.alike):
            engines = self.engine(before), self.engine(key)
            with LongWork() as shown:
                found = plays_alike(replace(settings, engines=engines, games=self.options.games), report, shown)
            if found is not None:
                report(f"they searched {counted(found.positions, 'position')} alike, and count as one version")
                self.alike[key] = self.alike.get(before, before)

    def playable(self) -> list[str]:
        """Return the chosen versions that have been built."""
        return [_key(commit) for commit in self.chosen if _key(commit) in self.built]

    def opponents(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each base and the versions that play against it."""
        base = _key(self.base)
        keys = [key for key in self.playable() if key not in self.alike]
        if not self.options.neighbours:
            yield base, [key for key in keys if key != base]
            return
        before = base
        for key in keys:
            if key != before:
                yield before, [key]
            if key not in self.failures:
                before = key

    def read(self, campaign: Campaign, base: str) -> None:
        """Take the games that were played before, also those of versions that are not chosen now."""
        for commit in self.commits:
            if any(campaign.result(_key(commit)).pairs) and _key(commit) != base:
                self.take(campaign, _key(commit), base)

    def take(self, campaign: Campaign, key: str, base: str) -> None:
        """Take the games of a version against a base."""
        result = campaign.result(key)
        self.results[key, base], self.troubles[key] = result.pairs, result.troubles

    def play_versions(self, campaign: Campaign, base: str, keys: Sequence[str], concurrency: int) -> Iterator[str]:
        """Play batches, always of the version with the fewest games; yield its key after each."""
        target = (self.options.games + 1) // 2
        while True:
            played = {key: sum(campaign.result(key).pairs) for key in keys if key not in campaign.failures}
            missing = {key: count for key, count in played.items() if count < target}
            if not missing:
                return
            key = min(missing, key=missing.__getitem__)
            campaign.play(key, min(batch_pairs(concurrency, missing[key]), target - missing[key]))
            if key not in campaign.failures:
                yield key

    # ---------------------------------------------------------------- what is shown

    def rows(self) -> dict[str, VersionRow]:
        """Return the versions that are chosen or have games by their commits, oldest first."""
        keys = list(dict.fromkeys([*map(_key, self.commits), _key(self.base)]))
        found = {_key(self.base): Strength(0.0, 0.0, 0, None)} | strengths(keys, _key(self.base), self.results)
        for key, other in self.alike.items():
            if key not in found and other in found:
                found[key] = replace(found[other], games=0, over_previous=None)
        chosen = set(map(_key, self.chosen))
        return {
            commit.commit: self.row(commit, found.get(key))
            for commit in self.commits
            if (key := _key(commit)) in chosen or key in found
        }

    def row(self, commit: Commit, strength: Strength | None) -> VersionRow:
        """Return the row of a version."""
        note = self.failures.get(_key(commit), "base" if commit == self.base else "")
        if (other := self.alike.get(_key(commit))) is not None:
            note = f"plays like {self.built[other].label}"
        note = ", ".join(filter(None, (note, self.troubles.get(_key(commit)))))
        row = VersionRow(self.label(commit), commit.date, commit.subject, note=note)
        if strength is None:
            return row
        return replace(row, elo=strength.elo, margin=strength.margin, games=strength.games,
                       over_previous=strength.over_previous)

    def label(self, commit: Commit) -> str:
        """Return a tag of a version that has been built, or else the abbreviated hash."""
        built = self.built.get(_key(commit))
        return commit.commit[:LABEL_DIGITS] if built is None else built.label

    @property
    def title(self) -> str:
        """The heading."""
        return f"Strength from {self.label(self.commits[0])} to {self.label(self.commits[-1])}"

    @property
    def games(self) -> int:
        """The number of all games."""
        return sum(2 * sum(pairs) for pairs in self.results.values())

    def show(self, page: Path | None) -> None:
        """Write the page."""
        if page is None:
            return
        rows, settings = list(self.rows().values()), self.settings(_key(self.base))
        facts = [
            ("Base", f"{self.label(self.base)} {self.base.subject}"), ("Versions", str(len(rows))),
            ("Games", f"{self.games:,}"), ("Variants", settings.variants_text),
            ("Limit", settings.engines[0].control.to_text()),
        ]
        write_whole(page, render_history(self.title, facts, rows))

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
        yield counted(self.games, "game")

    def event(self, folder: Path) -> Mapping[str, object]:
        """Return the result as a JSON object."""
        versions = [
            {"commit": commit, "label": row.label, "date": row.date, "subject": row.subject, "elo": row.elo,
             "margin": row.margin if isfinite(row.margin) else None, "games": row.games,
             "superiority_over_previous": row.over_previous, "note": row.note}
            for commit, row in self.rows().items()
        ]
        return {"event": "history_finished", "base": self.base.commit, "folder": str(folder), "versions": versions}
