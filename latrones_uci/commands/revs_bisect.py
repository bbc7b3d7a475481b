"""The command ``latrones-uci revs bisect``: find the commit that lost strength."""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork, Parser, parse_positive, parse_rate
from latrones_uci.commands.match_arguments import FAILED, REJECTED, UNDECIDED, match_settings, until_interrupted
from latrones_uci.commands.revs_arguments import (
    add_campaign,
    check_campaign,
    folder_of,
    note_failed_games,
    open_campaign,
    outputs_without_test,
    report,
    repository_of,
    set_defaults,
)
from latrones_uci.records.settings import MAX_TEST_GAMES
from latrones_uci.studies.revisions.bisect import Bisection, BisectionReport, Ending, Version
from latrones_uci.studies.revisions.build import screened
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import quoted
from latrones_uci.web.match.versions_page import render_bisection

_DESCRIPTION = """\
Find the commit that lost strength between GOOD and BAD. Versions are built when they are needed, and play pairs of
games against GOOD: first BAD, until it is certain enough that strength was lost, then always the version with which a
pair tells most. The search ends when one commit, or a run of commits between which no version can be built, is certain
enough. BAD descends from GOOD; of merges, only the first parents are followed, and a merge counts as one commit.
"""
_STATUS = {Ending.FOUND: 0, Ending.NO_LOSS: REJECTED, Ending.SAME_PLAY: REJECTED,
           Ending.UNDECIDED: UNDECIDED}


def configure(parser: Parser) -> None:
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
    repository = repository_of(options)
    base, *commits = repository.commits(options.good, options.bad)
    if not commits:
        raise SettingsError(f"{quoted(options.good)} and {quoted(options.bad)} are the same commit; expected two")
    set_defaults(options, repository.recipe)
    by_key = {commit.key: commit for commit in commits}

    def build_engine(key: str) -> EngineSettings:
        return repository.build(by_key[key].commit).engine(by_key[key].label, options.each)

    good = repository.build(base.commit)
    engine = good.engine(base.label, options.each)
    settings = screened(match_settings(options, [replace(engine, name=None), engine], 2), good, report)
    outputs = outputs_without_test(options)
    check_campaign(settings, outputs)
    folder = folder_of(options, settings)
    with open_campaign(folder, settings, outputs, build_engine) as campaign, LongWork() as progress:

        def note(text: str) -> None:
            progress.clear()
            report(text)

        versions = [Version(key, commit.contents) for key, commit in by_key.items()]
        search = Bisection(campaign, settings, Version(base.commit, base.contents), versions, options.confidence,
                           options.max_games, note, progress)

        def known() -> BisectionReport:
            troubles = {key: campaign.result(key).troubles for key in by_key}
            return BisectionReport(base, commits, search.state, campaign.failures, troubles, options.confidence,
                                   options.max_games)

        def show(lines: Iterable[str], event: Mapping[str, Any]) -> None:
            if outputs.json:
                print(json.dumps(event), flush=True)
            elif text := "\n".join(lines):
                print(text, flush=True)
            if outputs.report is not None:
                write_whole(outputs.report, render_bisection(found.title, found.facts(), found.rows))

        found = known()
        show([] if outputs.quiet else found.heading(), found.started())
        while found.state.outcome is None:
            played, found = search.step(), known()
            if not outputs.quiet:
                show([found.line(played)], found.progressed(played))
    show(["", *found.summary()], found.finished())
    if not outputs.json:
        print(f"Folder: {folder.resolve()}")
        if outputs.report is not None:
            print(f"Report: {outputs.report.resolve()}")
    return FAILED if note_failed_games(campaign, outputs) else _STATUS[found.state.outcome]
