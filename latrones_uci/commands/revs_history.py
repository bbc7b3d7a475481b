"""The command ``latrones-uci revs history``: measure the strength of versions over a history."""

import argparse
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork, Parser, parse_natural, parse_positive
from latrones_uci.commands.match_arguments import FAILED, match_settings, until_interrupted
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
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.studies.revisions.build import Repository, screened
from latrones_uci.studies.revisions.history import History, chosen_commits
from latrones_uci.studies.revisions.source import KEY_DIGITS, Commit, RevisionError
from latrones_uci.text.clock import now_s
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import quoted
from latrones_uci.web.match.versions_page import render_history

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
    repository = repository_of(options)
    chosen, commits = _commits(options, repository)
    base = chosen[0] if options.base is None else _commit(options.base, repository)
    set_defaults(options, repository.recipe)
    failures = dict[str, str]()

    def failed(name: str, error: RevisionError) -> None:
        report(str(error))
        failures[name[:KEY_DIGITS]] = str(error).partition("\n")[0]

    built = repository.build_all([commit.commit for commit in (base, *chosen)], failed)
    if base.key in failures:
        raise RevisionError(f"the base cannot be built: {failures[base.key]}")
    history = History(base, chosen, commits, {name[:KEY_DIGITS]: version for name, version in built.items()}, failures,
                      options.each, options.games, options.neighbours)
    return FAILED if _play(history, options) else 0


def _commits(options: argparse.Namespace, repository: Repository) -> tuple[list[Commit], list[Commit]]:
    """Return the commits to play, and all others of the history, which may have played before."""
    names = options.versions
    if len(names) == 1:
        first, dots, last = names[0].partition("..")
        if not (first and dots) or last.startswith("."):
            raise SettingsError(f"{quoted(names[0])}: expected a range A..B, or two or more revisions")
        commits = repository.commits(first, last or "HEAD")
        chosen = chosen_commits(commits, 1 if options.every is None else options.every)
        return chosen, commits
    if options.every is not None:
        raise SettingsError(f"--every {options.every}: expected a range A..B, not several revisions")
    found = [_commit(name, repository) for name in names]
    for number, commit in enumerate(found):
        if commit.commit in {other.commit for other in found[:number]}:
            raise SettingsError(f"{quoted(names[number])}: the same commit as another one; expected different versions")
    return found, found


def _commit(name: str, repository: Repository) -> Commit:
    return repository.commits(name, name)[0]


def _play(history: History, options: argparse.Namespace) -> bool:
    """Play what is missing, and print the results; return whether a game has a failure in ``--fail-on``."""
    def settings_of(base: str) -> TournamentSettings:
        """Return the match of a base against itself, for its campaign."""
        engine = history.engine(base)
        return screened(match_settings(options, [replace(engine, name=None), engine], 2), history.built[base], report)

    settings, outputs = settings_of(history.base.key), outputs_without_test(options)
    check_campaign(settings, outputs)
    folder = folder_of(options, settings)
    with LongWork() as shown:
        history.compare(settings, report, shown)
    written, failed = now_s(), False
    for base, versions in history.opponents():
        own = settings if base == history.base.key else settings_of(base)
        with open_campaign(folder / base if history.neighbours else folder, own, outputs, history.engine) as campaign:
            for _ in history.play(campaign, base, versions, settings.concurrency):
                if now_s() - written > _SHOW_EVERY_S:
                    _write_page(history, settings, outputs.report)
                    written = now_s()
            failed |= note_failed_games(campaign, outputs)
    _write_page(history, settings, outputs.report)
    if outputs.json:
        print(json.dumps(history.event(folder)), flush=True)
    else:
        print("\n".join(history.table()))
        print(f"Folder: {folder.resolve()}")
        if outputs.report is not None:
            print(f"Report: {outputs.report.resolve()}")
    return failed


def _write_page(history: History, settings: TournamentSettings, page: Path | None) -> None:
    if page is None:
        return
    rows = list(history.rows().values())
    facts = [
        ("Base", f"{history.label(history.base)} {history.base.subject}"), ("Versions", str(len(rows))),
        ("Games", f"{history.all_games:,}"), ("Variants", settings.variants_text),
        ("Limit", settings.engines[0].control.to_text()),
    ]
    write_whole(page, render_history(history.title, facts, rows))
