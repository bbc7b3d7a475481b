"""What the commands with a campaign have in common: the folder, the workplace, messages and interruptions."""

import argparse
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.commands.arguments import LongWork, Parser, on_interrupt
from latrones_uci.commands.early_interrupts import INTERRUPTED
from latrones_uci.commands.match import plain_workplace
from latrones_uci.commands.match_arguments import (
    Outputs,
    add_options,
    add_outputs,
    add_settings,
    check_concurrency,
    check_openings,
)
from latrones_uci.commands.versions import add_versions
from latrones_uci.game import counted
from latrones_uci.match.database import fingerprint
from latrones_uci.match.events import Event, GameFinished, TournamentFinished, Warned
from latrones_uci.match.files import check_writable
from latrones_uci.match.progress import render_event
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import StoreBlockedError
from latrones_uci.revisions.campaign import Campaign

KEY_DIGITS, LABEL_DIGITS = 16, 10
"""The first digits of a commit that name its database, and its version in tables."""
OTHER_OUTPUTS = (
    "database", "pgn", "report", "log", "log_dir", "json_moves", "watch", "accept_changed_engine", "fail_on",
)  # fmt: skip
"""The outputs of a match that a campaign does not have, or has in another form."""


def add_campaign(parser: Parser, screen: str) -> None:
    """Declare the versions, the folder, the settings of the matches and the outputs of a campaign.

    ``screen`` names the version that screens random openings, for the help.
    """
    add = parser.add_argument
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE",
        help="keys that apply to all versions (default: as in revs)")  # fmt: skip
    add_versions(parser)
    add("--folder", metavar="DIR", help="folder for the databases of the matches; rerun the command to resume"
        " (default: latrones-revs-ID, where ID depends on the base and the settings)")  # fmt: skip
    add_settings(parser, without=["sprt"], openings="as in revs", screen=f"{screen}, for random openings")
    add_options(parser, TournamentSettings, ["concurrency"])
    add("--report", metavar="FILE", help="write an HTML page, again after each batch of games")
    add_outputs(parser, without=OTHER_OUTPUTS)
    parser.set_defaults(json_moves=None)


def check_campaign(settings: TournamentSettings, outputs: Outputs) -> None:
    """Check what can be wrong with the matches and the page before a game is played."""
    check_concurrency(settings, outputs)
    check_openings(settings)
    if outputs.report is not None:
        check_writable(outputs.report)


def folder_of(options: argparse.Namespace, settings: TournamentSettings) -> Path:
    """Return the folder of a campaign; the default depends on the base and the settings, not on the versions."""
    if options.folder:
        return Path(options.folder)
    base = settings.engines[1]
    return Path(f"latrones-revs-{fingerprint(replace(settings, engines=(replace(base, name=None), base)))}")


@contextmanager
def open_campaign(
    folder: Path, settings: TournamentSettings, outputs: Outputs, build: Callable[[str], EngineSettings],
    *, common_openings: bool,
) -> Iterator[Campaign]:  # fmt: skip
    """Enter a campaign that shows its running games on stderr; see ``Campaign``."""
    interrupt, warned = threading.Event(), set[str]()
    with LongWork() as shown:

        def observe(event: Event) -> None:
            match event:
                case GameFinished(record, standings) if not outputs.quiet:
                    shown(f"{' - '.join(record.names)}: {counted(standings.games, 'game')}")
                case TournamentFinished():
                    shown.clear()
                case Warned(text) if text not in warned:  # each match, and each batch of its games, warns of the same
                    warned.add(text)
                    shown.clear()
                    print(render_event(event) if outputs.json else text,
                          file=sys.stdout if outputs.json else sys.stderr, flush=True)  # fmt: skip

        place = partial(plain_workplace, settings, outputs, interrupt)
        with Campaign(folder, settings, build, place, interrupt, observe, playing=partial(on_interrupt, interrupt.set),
                      common_openings=common_openings) as campaign:  # fmt: skip
            yield campaign


def until_interrupted(work: Callable[[], int], options: argparse.Namespace, program: str) -> int:
    """Do the work of a command and return its exit status; after Ctrl+C, print the command that resumes it.

    Raises:
        StoreBlockedError: a database is locked, or the disk is full; the message has the command, too.
    """
    again = f"to resume: {shlex.join(['latrones-uci', *options.words])}"
    try:
        return work()
    except StoreBlockedError as error:
        raise StoreBlockedError(f"{error}; {again}") from error
    except (KeyboardInterrupt, WaitInterruptedError):
        print(f"{program}: interrupted; {again}", file=sys.stderr)
        return INTERRUPTED
