"""The command ``latrones-uci revs``: is one version of this project stronger than another?"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import run_match_tool
from latrones_uci.commands.match import play, with_database
from latrones_uci.commands.match_arguments import (
    Outputs,
    add_changeable,
    add_outputs,
    add_settings,
    check_concurrency,
    match_settings,
    parse_outputs,
)
from latrones_uci.match.presets import CONTROL, GAINER, NON_REGRESSION, PRESETS
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.revisions.cache import clean, default_cache
from latrones_uci.revisions.revision import BuiltRevision, build_revision

_DEFAULT_LIMIT = ["tc=1+0.01"]
_DEFAULT_OPENINGS = "random:6"
_MOST_GAMES = 200_000

_DESCRIPTION = """\
Builds two versions of this project, each in an environment of its own, and lets them play until it is clear whether
TEST is stronger than BASE. A version is a git revision (a tag, a branch, a commit), or a directory; '.' is the working
tree as it is now. What is built stays in a cache. Scores are told from the side of TEST.
"""


@dataclass(frozen=True)
class RevisionMatch:
    """The match of two versions, built.

    Attributes:
        settings: the match; the version under test is the first engine.
        outputs: what it leaves behind.
    """

    settings: TournamentSettings
    outputs: Outputs


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("base", nargs="?", metavar="BASE", help="the version that is known")
    add("test", nargs="?", metavar="TEST", help="the version that may be stronger")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--preset", choices=list(PRESETS), help=f"the sequential test (default: {GAINER.name})")
    chosen.add_argument("--non-regression", dest="preset", action="store_const",
                        const=NON_REGRESSION.name, help=NON_REGRESSION.purpose)  # fmt: skip
    chosen.add_argument("--control", dest="preset", action="store_const", const=CONTROL.name,
                        help=CONTROL.purpose)  # fmt: skip
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE",
        help=f"limits and options of both (default: {' '.join(_DEFAULT_LIMIT)})")  # fmt: skip
    add("--repository", metavar="DIR", default=".", help="a checkout of this project (default: the current directory)")
    add("--cache", metavar="DIR", help=f"where versions are built and kept (default: {default_cache()})")
    add("--clean", action="store_true", help="remove what the cache holds, and do not play")
    add_settings(parser)
    add_changeable(parser)
    add_outputs(parser)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``latrones-uci match``."""
    return run_match_tool(program, lambda: _play(prepare_revisions(options), program))


def _play(prepared: RevisionMatch | None, program: str) -> int:
    if prepared is None:
        return 0
    return play(prepared.settings, with_database(prepared.settings, prepared.outputs), program)


def prepare_revisions(parsed: argparse.Namespace) -> RevisionMatch | None:
    """Read what ``configure`` declared, and build the versions.

    Returns:
        The match, None if the cache was to be cleaned.

    Raises:
        SettingsError: bad arguments.
        RevisionError: a version cannot be found or built, or its bench does not run.
    """
    cache = Path(parsed.cache) if parsed.cache else default_cache()
    if parsed.clean:
        for removed in clean(cache):
            _tell(f"removed {removed.entry}")
        return None
    preset = PRESETS[parsed.preset or GAINER.name]
    names = [parsed.base, parsed.base if preset.against_itself else parsed.test]
    if None in names:
        raise SettingsError("two versions are needed: revs BASE TEST")
    if preset.against_itself and parsed.test is not None:
        raise SettingsError(f"'{preset.name}' is played by one version against itself: revs BASE")
    base, test = (build_revision(name, Path(parsed.repository), cache, _tell) for name in names)
    if parsed.sprt is None:
        parsed.sprt = [preset.name]
    if parsed.openings is None:
        parsed.openings = _DEFAULT_OPENINGS
    if parsed.screen_engine is None and parsed.openings.startswith("random:"):
        parsed.screen_engine = [shlex.join(base.command)]
    engines = [_engine(test, "test", parsed.each), _engine(base, "base", parsed.each)]
    changes = {"games": parsed.games or _MOST_GAMES}
    if parsed.concurrency is not None:
        changes["concurrency"] = parsed.concurrency
    settings, outputs = match_settings(parsed, engines, **changes), parse_outputs(parsed)
    check_concurrency(settings, outputs)
    return RevisionMatch(settings, outputs)


def _engine(built: BuiltRevision, role: str, each: Sequence[str] | None) -> EngineSettings:
    engine = parse_engine([f"name={role} {built.label}"], each or _DEFAULT_LIMIT, built.command)
    return replace(engine, signature=built.bench)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
