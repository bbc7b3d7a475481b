"""The command ``latrones-uci revs bisect``: find the commit that lost strength."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork, Parser, parse_positive, parse_rate
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
from latrones_uci.commands.match_arguments import FAILED, REJECTED, UNDECIDED, match_settings
from latrones_uci.commands.versions import cache_of, recipe_of, report, screened, set_defaults
from latrones_uci.match.summary import render_elo
from latrones_uci.records.settings import MAX_TEST_GAMES
from latrones_uci.stats import Interval
from latrones_uci.stats.bisection import credible_set
from latrones_uci.studies.revisions.bisect import Bisection, Ending, Progress, Version
from latrones_uci.studies.revisions.build import build_revision
from latrones_uci.studies.revisions.campaign import Campaign
from latrones_uci.studies.revisions.source import Commit, commits_between
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import counted, quoted
from latrones_uci.web.match.versions_page import CommitRow, render_bisection

_DESCRIPTION = """\
Find the commit that lost strength between GOOD and BAD. Versions are built when they are needed, and play pairs of
games against GOOD: first BAD, until it is certain enough that strength was lost, then always the version with which a
pair tells most. The search ends when one commit, or a run of commits between which no version can be built, is certain
enough. BAD descends from GOOD; of merges, only the first parents are followed, and a merge counts as one commit.
"""
_HEADINGS = "  games  version     normalised Elo      loss     no loss  suspects, likeliest"
_STATUS = {Ending.FOUND: 0, Ending.NO_LOSS: REJECTED, Ending.SAME_PLAY: REJECTED, Ending.UNDECIDED: UNDECIDED}


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("good", metavar="GOOD", help="the last revision known to be strong")
    add("bad", metavar="BAD", help="a later revision that is weaker")
    add("--confidence", metavar="P", type=parse_rate, default=0.95,
        help="probability at which to stop (default: %(default)s)")
    add("--max-games", metavar="N", type=parse_positive, default=MAX_TEST_GAMES,
        help="games of all versions after which to stop without a result (default: %(default)s)")
    add_campaign(parser, screen="GOOD")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command.

    Returns:
        The exit status: 0 if a commit was found, 3 if BAD is not weaker, 4 if the games were used up, 1 for failures in
        ``--fail-on``, 130 if interrupted.
    """
    if not 0.5 < options.confidence < 1:
        raise SettingsError(f"--confidence {options.confidence:g}: expected a value above 0.5 and below 1")
    return until_interrupted(partial(_bisect, options), options, program)


def _bisect(options: argparse.Namespace) -> int:
    recipe, repository = recipe_of(options), Path(options.repository)
    cache = cache_of(options)
    base, *commits = commits_between(options.good, options.bad, repository, recipe.paths)
    if not commits:
        raise SettingsError(f"{quoted(options.good)} and {quoted(options.bad)} are the same commit; expected two")
    set_defaults(options, recipe)
    build = partial(build_revision, repository=repository, cache=cache, on_message=report, recipe=recipe)
    hashes = {commit.commit[:KEY_DIGITS]: commit.commit for commit in commits}

    def build_engine(key: str) -> EngineSettings:
        return build(hashes[key]).engine(hashes[key][:LABEL_DIGITS], options.each)

    good = build(base.commit)
    engine = good.engine(base.commit[:LABEL_DIGITS], options.each)
    settings = screened(match_settings(options, [replace(engine, name=None), engine], 2), good)
    outputs = outputs_without_test(options)
    check_campaign(settings, outputs)
    folder = folder_of(options, settings)
    opened = open_campaign(folder, settings, outputs, build_engine)
    with opened as campaign, LongWork() as progress:

        def note(text: str) -> None:
            progress.clear()
            report(text)

        versions = [Version(key, commit.contents) for key, commit in zip(hashes, commits, strict=True)]
        search = Bisection(campaign, settings, Version(base.commit, base.contents), versions, options.confidence,
                           options.max_games, note, progress)
        shown = _Shown(options, campaign, base, commits, outputs.report, outputs.json)
        shown.started(search.progress)
        while (known := search.progress).outcome is None:
            played = search.step()
            if not outputs.quiet:
                shown.step(played, search.progress)
    shown.finished(known, folder)
    return FAILED if note_failed_games(campaign, outputs) else _STATUS[known.outcome]


class _Shown:
    """What is printed, and the page."""

    def __init__(
        self, options: argparse.Namespace, campaign: Campaign, base: Commit, commits: Sequence[Commit],
        page: Path | None, as_json: bool,
    ) -> None:
        self._options, self._campaign, self._base, self._commits = options, campaign, base, commits
        self._page, self._json = page, as_json

    def started(self, known: Progress) -> None:
        """Print what is to be searched."""
        if self._json:
            commits = [{"commit": each.commit, "date": each.date, "subject": each.subject} for each in self._commits]
            self._event("bisection_started", base=self._base.commit, commits=commits, games=known.games,
                        suspects=list(known.suspects))
        elif not self._options.quiet:
            left_out = len(self._commits) - len(known.suspects)
            also = f", {left_out} without a change of what is built" if left_out else ""
            print(f"{counted(len(self._commits), 'commit')} after {self._label(self._base)}{also}", flush=True)
            if known.games:
                print(f"resumed: {known.games} games already played", flush=True)
            print(_HEADINGS, flush=True)
        self._write_page(known)

    def step(self, played: int, known: Progress) -> None:
        """Print what is known after games of a version."""
        found = known.posterior
        if self._json:
            self._event("bisection_progress", commit=self._commits[played].commit, pairs=known.pairs[played],
                        **self._state(known), chances=[round(chance, 6) for chance in found.chances])
        else:
            likeliest = max(range(len(self._commits)), key=found.chances.__getitem__)
            few = len(credible_set(found.chances, self._options.confidence * (1 - found.no_loss)))
            loss = f"{found.loss:.0f} \u00b1{2 * found.loss_error:.0f}"
            print(f"{known.games:>7}  {self._label(self._commits[played])}  {_score(known, played, 0):<18}  {loss:<8}"
                  f" {found.no_loss:>6.1%}  {few:>3}  {self._label(self._commits[likeliest])}"
                  f" {found.chances[likeliest]:>4.0%}", flush=True)
        self._write_page(known)

    def finished(self, known: Progress, folder: Path) -> None:
        """Print the result."""
        assert known.outcome is not None
        self._write_page(known)
        if self._json:
            rows = self._rows(known)
            self._event("bisection_finished", outcome=known.outcome.value,
                        commits=[self._commits[culprit].commit for culprit in known.culprits],
                        probability=known.probability, **self._state(known), versions=[
                            {"commit": commit.commit, "probability": row.chance, "pairs": row.pairs,
                             "normalized_elo": _plain(row.normalized_elo), "note": row.note}
                            for commit, row in zip(self._commits, rows, strict=True)])
            return
        print("\n".join(["", *self._summary(known)]))
        print(f"Folder: {folder.resolve()}")
        if self._page is not None:
            print(f"Report: {self._page.resolve()}")

    def _summary(self, known: Progress) -> Iterator[str]:
        commits = self._commits
        yield f"{self._sentence(known)} ({known.probability:.1%})." if known.probability else self._sentence(known)
        shown: Sequence[int] = known.culprits
        if known.outcome is Ending.UNDECIDED:
            found = known.posterior
            shown = credible_set(found.chances, self._options.confidence * (1 - found.no_loss))
        for commit in shown:
            chance = f"{known.posterior.chances[commit]:6.1%}  "
            yield f"  {chance}{self._label(commits[commit])} {commits[commit].date} {commits[commit].subject}"
        yield f"{known.games} games, and normalised Elo against {self._label(self._base)}:"
        for commit, pairs in enumerate(known.pairs):
            if any(pairs):
                troubles = self._campaign.result(commits[commit].commit[:KEY_DIGITS]).troubles
                yield (f"  {self._label(commits[commit])} {2 * sum(pairs):>6} games  {_score(known, commit)}"
                       f"{f'; {troubles}' if troubles else ''}")
        for key, failure in self._campaign.failures.items():
            yield f"  {key[:LABEL_DIGITS]} cannot be played: {failure.splitlines()[0]}"

    def _sentence(self, known: Progress) -> str:
        good, bad = self._label(self._base), self._label(self._commits[-1])
        match known.outcome:
            case Ending.FOUND if len(known.culprits) == 1:
                loss = known.posterior
                return f"This commit lost {loss.loss:.0f} +/- {2 * loss.loss_error:.0f} normalised Elo"
            case Ending.FOUND:
                return "One of these commits lost strength; no version between them can be played"
            case Ending.NO_LOSS:
                return f"{bad} is not weaker than {good}"
            case Ending.SAME_PLAY:
                return f"{bad} plays like {good}, as do all versions between them"
        return f"No result within {counted(self._options.max_games, 'game')}; the likeliest commits are"

    def _rows(self, known: Progress) -> list[CommitRow]:
        rows = []
        for number, commit in enumerate(self._commits):
            failure = self._campaign.failures.get(commit.commit[:KEY_DIGITS], "")
            alike = "" if number in known.suspects else "same play as before"
            troubles = self._campaign.result(commit.commit[:KEY_DIGITS]).troubles
            rows.append(CommitRow(
                self._label(commit), commit.date, commit.subject, known.posterior.chances[number], known.pairs[number],
                number in known.culprits, ", ".join(filter(None, (failure.partition("\n")[0] or alike, troubles))),
            ))
        return rows

    def _write_page(self, known: Progress) -> None:
        if self._page is not None:
            found = known.posterior
            result = "in progress" if known.outcome is None else self._sentence(known)
            culprits = ", ".join(self._label(self._commits[culprit]) for culprit in known.culprits)
            facts = [("Result", result.replace("+/-", "\u00b1")), ("Commit", culprits or "none yet"),
                     ("Games", f"{known.games:,}"), ("Probability of no loss", f"{found.no_loss:.1%}")]
            title = f"Strength lost between {self._label(self._base)} and {self._label(self._commits[-1])}"
            write_whole(self._page, render_bisection(title, facts, self._rows(known)))

    @staticmethod
    def _state(known: Progress) -> dict[str, Any]:
        found = known.posterior
        return {"games": known.games, "no_loss": found.no_loss, "loss": found.loss, "loss_error": found.loss_error}

    @staticmethod
    def _event(name: str, **values: Any) -> None:
        print(json.dumps({"event": name, **values}), flush=True)

    @staticmethod
    def _label(commit: Commit) -> str:
        return commit.commit[:LABEL_DIGITS]


def _score(known: Progress, commit: int, digits: int = 1) -> str:
    """Return the difference of a version from the base with its interval; a hyphen without games."""
    row = CommitRow("", "", "", 0.0, known.pairs[commit])
    return "-" if row.normalized_elo is None else render_elo(row.normalized_elo, digits)


def _plain(interval: Interval | None) -> dict[str, float | None] | None:
    if interval is None:
        return None
    return {name: value if isfinite(value) else None for name, value in asdict(interval).items()}
