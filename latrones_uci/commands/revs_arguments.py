"""What the commands that play versions of an engine have in common: arguments, campaigns and messages."""

import argparse
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork, Parser, on_interrupt
from latrones_uci.commands.match_arguments import (
    AT_END,
    Outputs,
    add_options,
    add_outputs,
    add_settings,
    check_concurrency,
    check_openings,
    parse_outputs,
)
from latrones_uci.match.events import GameFinished, MatchEvent, TournamentFinished, TournamentStarted, Warned
from latrones_uci.match.progress import new_violations, render_event
from latrones_uci.match.run import open_place
from latrones_uci.match.standings import FAILURES
from latrones_uci.match.summary import render_game_line
from latrones_uci.records.database import fingerprint
from latrones_uci.records.settings import AUTO, TournamentSettings
from latrones_uci.studies.revisions.build import Repository, default_cache, find_recipe
from latrones_uci.studies.revisions.campaign import Campaign
from latrones_uci.studies.revisions.recipe import RECIPE_NAME, Recipe, read_recipe
from latrones_uci.text.files import check_writable
from latrones_uci.text.messages import counted

DEFAULT_LIMIT = ["tc=1+0.01"]
SCREENED_OPENINGS = "random:6"


_OTHER_OUTPUTS = (
    "database", "pgn", "report", "log", "log_dir", "json_moves", "watch", "accept_changed_engine",
)
"""The outputs of a match that a campaign does not have, or has in another form."""


def add_versions(parser: Parser) -> None:
    """Declare where versions come from and how they are built, see ``repository_of``."""
    add = parser.add_argument
    add("--repository", metavar="DIR", default=".", help="checkout of the engine (default: the current directory)")
    add("--recipe", metavar="FILE",
        help=f"how a version is built and started (default: {RECIPE_NAME} at the top of the checkout)")
    add("--cache", metavar="DIR", help=f"directory for builds (default: {default_cache()})")


def repository_of(parsed: argparse.Namespace) -> Repository:
    """Return the checkout that the arguments of ``add_versions`` choose.

    Raises:
        SettingsError: there is no recipe, or it is invalid.
    """
    directory = Path(parsed.repository)
    recipe = read_recipe(Path(parsed.recipe)) if parsed.recipe else find_recipe(directory)
    return Repository(directory, cache_of(parsed), recipe, report)


def cache_of(parsed: argparse.Namespace) -> Path:
    """Return the directory for builds that the arguments of ``add_versions`` choose."""
    return Path(parsed.cache) if parsed.cache else default_cache()


def set_defaults(parsed: argparse.Namespace, recipe: Recipe) -> None:
    """Set the variants, the keys of both engines and the openings where the command line gives none."""
    if parsed.variant is None and recipe.variants:
        parsed.variant = list(recipe.variants)
    if parsed.each is None:
        parsed.each = list(recipe.each) or DEFAULT_LIMIT
    if parsed.openings is None:
        parsed.openings = [AUTO if parsed.screen_engine is None else SCREENED_OPENINGS]


def add_campaign(parser: Parser, screen: str) -> None:
    """Declare the versions, the folder, the settings of the matches and the outputs of a campaign.

    ``screen`` names the version that screens random openings, for the help.
    """
    add = parser.add_argument
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE",
        help="keys that apply to all versions (default: as in revs)")
    add_versions(parser)
    add("--folder", metavar="DIR", help="folder for the databases of the matches; rerun the command to resume"
        " (default: latrones-revs-ID, where ID depends on the base and the settings)")
    add_settings(parser, without=["sprt"], openings="as in revs", screen=f"{screen}, for random openings")
    add_options(parser, TournamentSettings, ["concurrency"])
    add("--report", metavar="FILE", help="write an HTML page, again after each batch of games")
    add_outputs(parser, without=_OTHER_OUTPUTS, fail_on="none")
    parser.set_defaults(json_moves=None)


def outputs_without_test(options: argparse.Namespace) -> Outputs:
    """Convert the outputs of a campaign whose matches have no sequential test.

    Raises:
        SettingsError: options that cannot be combined, or an outcome of a sequential test.
    """
    for outcome in options.fail_on or ():
        if outcome not in (*FAILURES, AT_END):
            raise SettingsError(f"--fail-on {outcome}: there is no sequential test here; expected"
                                f" {', '.join(FAILURES)} or {AT_END}")
    return parse_outputs(options)


def check_campaign(settings: TournamentSettings, outputs: Outputs) -> None:
    """Check what can be wrong with the matches and the page before a game is played."""
    check_concurrency(settings, outputs)
    check_openings(settings)
    if outputs.report is not None:
        check_writable(outputs.report)


def folder_of(options: argparse.Namespace, settings: TournamentSettings) -> Path:
    """Return the folder of a campaign; the default depends on the base and the settings, not on the versions."""
    return Path(options.folder or f"latrones-revs-{fingerprint(settings)}")


@contextmanager
def open_campaign(
    folder: Path, settings: TournamentSettings, outputs: Outputs, build: Callable[[str], EngineSettings]
) -> Iterator[Campaign]:
    """Enter a campaign that shows its running games on stderr; see ``Campaign``."""
    interrupt, warned, violations = threading.Event(), set[str](), set[str]()
    with LongWork() as shown:

        def warn(text: str) -> None:
            shown.clear()
            print(render_event(Warned(text)) if outputs.json else text,
                  file=sys.stdout if outputs.json else sys.stderr, flush=True)

        def observe(event: MatchEvent) -> None:
            match event:
                case TournamentStarted(standings=standings):
                    violations.clear()
                    violations.update(standings.violations)
                case GameFinished(record, standings) if not outputs.quiet:
                    if record.game.outcome.termination.is_fault:
                        warn(render_game_line(record, standings, standings.games, None))
                    for line in new_violations(record, standings, violations):
                        warn(line)
                    found = ", ".join([counted(standings.games, "game"), *standings.troubles])
                    shown(f"{' - '.join(record.names)}: {found}")
                case TournamentFinished():
                    shown.clear()
                case Warned(text) if text not in warned:  # each match, and each batch of its games, warns of the same
                    warned.add(text)
                    warn(text)

        with open_place(settings, interrupt.is_set, scheduler=outputs.scheduler, affinity=outputs.affinity) as place, (
            Campaign(folder, settings, build, place, interrupt, observe, playing=partial(on_interrupt, interrupt.set),
                     ends_at=outputs.ends_at)) as campaign:
            yield campaign


def note_failed_games(campaign: Campaign, outputs: Outputs) -> bool:
    """Print the first game of each version with one of the outcomes of ``--fail-on``; return whether there is one."""
    failures = [next((f"{kind}: {text}" for kind, text in failed.items() if kind in outputs.fail_on), "")
                for failed in campaign.failed_games.values()]
    for failure in filter(None, failures):
        print(f"--fail-on {failure}", file=sys.stderr)
    return any(failures)


def report(text: str) -> None:
    """Print a message on the way to the games."""
    print(text, file=sys.stderr, flush=True)
