"""The command ``latrones-uci revs``: test whether one version of this project is stronger than another."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import Parser
from latrones_uci.commands.match import PASSED, REJECTED, play, with_database
from latrones_uci.commands.match_arguments import (
    AMOUNTS,
    Outputs,
    add_options,
    add_outputs,
    add_settings,
    check_concurrency,
    match_settings,
    parse_outputs,
)
from latrones_uci.game import counted
from latrones_uci.match.events import Warned
from latrones_uci.match.progress import render_event
from latrones_uci.match.settings import CONTROL, GAINER, MAX_TEST_GAMES, NON_REGRESSION, PRESETS, TournamentSettings
from latrones_uci.revisions.build import BuiltRevision, build_revision, clean, default_cache
from latrones_uci.revisions.comparison import chance_matters, compare_play

_DEFAULT_LIMIT = ["tc=1+0.01"]
_DEFAULT_OPENINGS = "random:6"

_DESCRIPTION = """\
Build two versions of this project, each in its own environment, and play them against each other until a sequential
test decides whether TEST is stronger than BASE. A version is a git revision (a tag, branch or commit) or a directory;
'.' is the current working tree. Builds are cached. Scores are from the point of view of TEST.
"""


@dataclass(frozen=True)
class RevisionMatch:
    """A match between two versions that have been built."""

    settings: TournamentSettings
    """The match; the first engine is the version under test."""
    outputs: Outputs
    """Its outputs."""
    same_play: str = ""
    """Why both versions play alike, so that no game can tell them apart; empty if they may not."""


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("base", nargs="?", metavar="BASE", help="base version")
    add("test", nargs="?", metavar="TEST", help="version under test")
    chosen = parser.add_alternatives()
    chosen("--preset", choices=list(PRESETS), metavar="PRESET",
           help=f"sequential test: {', '.join(PRESETS)} (default: {GAINER.name})")  # fmt: skip
    for preset in (NON_REGRESSION, CONTROL):
        chosen(f"--{preset.name}", dest="preset", action="store_const", const=preset.name,
               help=f"preset for {preset.purpose}")  # fmt: skip
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE",
        help=f"keys that apply to both engines (default: {' '.join(_DEFAULT_LIMIT)})")  # fmt: skip
    add("--repository", metavar="DIR", default=".", help="checkout of this project (default: the current directory)")
    add("--cache", metavar="DIR", help=f"directory for builds (default: {default_cache()})")
    add("--clean", action="store_true", help="empty the cache without playing")
    add_settings(parser, openings=_DEFAULT_OPENINGS, screen="BASE, for random openings", sprt="that of --preset")
    add_options(parser, TournamentSettings, AMOUNTS, games=f"{MAX_TEST_GAMES}, or until the test ends")
    add_outputs(parser)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``latrones-uci match``."""
    prepared = prepare_revisions(options)
    if prepared is None:
        return 0
    if not prepared.same_play:
        return play(prepared.settings, with_database(prepared.settings, prepared.outputs), program)
    sprt = prepared.settings.sprt
    assert sprt is not None
    passed = sprt.elo1 <= 0
    result = "passes without a game: it loses nothing" if passed else "fails without a game: it gains nothing"
    text = f"{prepared.same_play}. The test {result}."
    print(render_event(Warned(text)) if prepared.outputs.json else text)
    return PASSED if passed or "h0" not in prepared.outputs.fail_on else REJECTED


def prepare_revisions(parsed: argparse.Namespace) -> RevisionMatch | None:
    """Convert the arguments of ``configure``, and build the versions.

    Returns:
        The match, None for ``--clean``.

    Raises:
        SettingsError: an argument is invalid.
        RevisionError: a version cannot be found or built, or its bench fails.
    """
    cache = Path(parsed.cache) if parsed.cache else default_cache()
    if parsed.clean:
        for removed in clean(cache):
            _report(f"removed {removed.entry}")
        return None
    preset = PRESETS[parsed.preset or GAINER.name]
    names = [parsed.base, parsed.base if preset.against_itself else parsed.test]
    if None in names:
        raise SettingsError("a version is missing; expected revs BASE TEST")
    if preset.against_itself and parsed.test is not None:
        raise SettingsError(f"preset '{preset.name}' plays one version against itself; expected revs BASE")
    base, test = (build_revision(name, Path(parsed.repository), cache, _report) for name in names)
    if parsed.sprt is None:
        parsed.sprt = [preset.name]
    if parsed.openings is None:
        parsed.openings = [_DEFAULT_OPENINGS]
    if parsed.screen_engine is None and parsed.openings[0].startswith("random:"):
        parsed.screen_engine = [shlex.join(base.command)]
    engines = [_engine(test, "test", parsed.each), _engine(base, "base", parsed.each)]
    settings, outputs = match_settings(parsed, engines, MAX_TEST_GAMES), parse_outputs(parsed)
    check_concurrency(settings, outputs)
    return RevisionMatch(settings, outputs, _same_play(base, test, settings))


def _same_play(base: BuiltRevision, test: BuiltRevision, settings: TournamentSettings) -> str:
    """Return why two versions play alike, empty if they may not.

    The bench alone cannot say that: it does not search every variant, board and option. But where it differs, nothing
    else needs to be compared.
    """
    if (base.bench, base.kernel) != (test.bench, test.kernel) or any(map(chance_matters, settings.engines)):
        return ""
    if base.commit == test.commit:
        return f"Both versions are {base.label}, with one thread and no clock"
    _report(f"bench signature {base.bench} for both versions: comparing their searches on the first openings")
    found = compare_play(settings)
    if found.difference:
        _report(f"their searches differ: {found.difference}")
        return ""
    positions, games = counted(found.positions, "position"), counted(found.openings, "game")
    return (
        f"Both versions have the bench signature {base.bench}, and searched alike the {positions} of {games} from the"
        f" first openings of {settings.variants_text} ({settings.engines[0].control.to_text()}): same moves, scores,"
        " lines and node counts"
    )


def _engine(built: BuiltRevision, role: str, each: Sequence[str] | None) -> EngineSettings:
    engine = parse_engine([f"name={role} {built.label}"], each or _DEFAULT_LIMIT, built.command)
    return replace(engine, signature=built.bench)


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
