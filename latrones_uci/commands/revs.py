"""The command ``latrones-uci revs``: test whether one version of an engine is stronger than another."""

import argparse
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

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
from latrones_uci.match.openings import AUTO
from latrones_uci.match.progress import render_event
from latrones_uci.match.screen import parse_screen
from latrones_uci.match.settings import CONTROL, GAINER, MAX_TEST_GAMES, NON_REGRESSION, PRESETS, TournamentSettings
from latrones_uci.revisions.build import BuiltRevision, build_revisions, clean, default_cache, find_recipe
from latrones_uci.revisions.comparison import chance_matters, compare_play
from latrones_uci.revisions.recipe import RECIPE_NAME, Recipe, read_recipe

_DEFAULT_LIMIT = ["tc=1+0.01"]
_SCREENED_OPENINGS = "random:6"

_DESCRIPTION = """\
Build two versions of an engine, and play them against each other until a sequential test decides whether TEST is
stronger than BASE. A version is a git revision (a tag, branch or commit) or a directory; '.' is the current working
tree. The file revs.toml at the top of the engine's repository says how a version is built and started. Builds are
cached. Scores are from the point of view of TEST.

'revs bisect' finds the commit that lost strength, and 'revs history' measures the strength of many versions.
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
    add("test", nargs="*", metavar="TEST", help="version under test; several are tested side by side")
    add("--first", action="store_true", help="with several versions: stop when one of them passes")
    add("--folder", metavar="DIR", help="with several versions: folder for the databases of their matches"
        " (default: latrones-revs-ID, where ID depends on the base and the settings)")  # fmt: skip
    chosen = parser.add_alternatives()
    chosen("--preset", choices=list(PRESETS), metavar="PRESET",
           help=f"sequential test: {', '.join(PRESETS)} (default: {GAINER.name})")  # fmt: skip
    for preset in (NON_REGRESSION, CONTROL):
        chosen(f"--{preset.name}", dest="preset", action="store_const", const=preset.name,
               help=f"preset for {preset.purpose}")  # fmt: skip
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE",
        help=f"keys that apply to both engines (default: {' '.join(_DEFAULT_LIMIT)})")  # fmt: skip
    add_versions(parser)
    add("--clean", action="store_true", help="empty the cache without playing")
    add_settings(parser, openings=f"{AUTO}, or {_SCREENED_OPENINGS} with --screen-engine",
                 screen="BASE, for random openings", sprt="that of --preset")  # fmt: skip
    add_options(parser, TournamentSettings, AMOUNTS, games=f"{MAX_TEST_GAMES}, or until the test ends")
    add_outputs(parser)


def add_versions(parser: Parser) -> None:
    """Declare where versions come from and how they are built, see ``recipe_of``."""
    add = parser.add_argument
    add("--repository", metavar="DIR", default=".", help="checkout of the engine (default: the current directory)")
    add("--recipe", metavar="FILE",
        help=f"how a version is built and started (default: {RECIPE_NAME} at the top of the checkout)")  # fmt: skip
    add("--cache", metavar="DIR", help=f"directory for builds (default: {default_cache()})")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``latrones-uci match``, or of ``test_candidates``."""
    if len(options.test) > 1 and not options.clean:
        from latrones_uci.commands.revs_candidates import test_candidates  # which uses this module

        return test_candidates(options, program)
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
    cache = cache_of(parsed)
    if parsed.clean:
        for removed in clean(cache):
            report(f"removed {removed.entry}")
        return None
    preset = PRESETS[parsed.preset or GAINER.name]
    under_test = next(iter(parsed.test), None)
    names = [parsed.base, parsed.base if preset.against_itself else under_test]
    if None in names:
        raise SettingsError("a version is missing; expected revs BASE TEST")
    for flag, given in (("--first", parsed.first), ("--folder", parsed.folder)):
        if given:
            raise SettingsError(f"'{flag}' needs several versions under test; expected revs BASE TEST TEST ...")
    if preset.against_itself and under_test is not None:
        raise SettingsError(f"preset '{preset.name}' plays one version against itself; expected revs BASE")
    recipe, repository = recipe_of(parsed), Path(parsed.repository)
    built = build_revisions(list(dict.fromkeys(names)), repository, cache, report, recipe)
    base, test = (built[name] for name in names)
    if parsed.sprt is None:
        parsed.sprt = [preset.name]
    set_defaults(parsed, recipe)
    engines = [test.engine(f"test {test.label}", parsed.each), base.engine(f"base {base.label}", parsed.each)]
    settings, outputs = screened(match_settings(parsed, engines, MAX_TEST_GAMES), base), parse_outputs(parsed)
    check_concurrency(settings, outputs)
    return RevisionMatch(settings, outputs, same_play(base, test, settings))


def cache_of(parsed: argparse.Namespace) -> Path:
    """Return the directory for builds that the arguments of ``add_versions`` choose."""
    return Path(parsed.cache) if parsed.cache else default_cache()


def recipe_of(parsed: argparse.Namespace) -> Recipe:
    """Read the recipe that the arguments of ``add_versions`` choose.

    Raises:
        SettingsError: there is none, or it is invalid.
    """
    return read_recipe(Path(parsed.recipe)) if parsed.recipe else find_recipe(Path(parsed.repository))


def set_defaults(parsed: argparse.Namespace, recipe: Recipe) -> None:
    """Set the variants, the keys of both engines and the openings where the command line gives none."""
    if parsed.variant is None and recipe.variants:
        parsed.variant = list(recipe.variants)
    if parsed.each is None:
        parsed.each = list(recipe.each) or _DEFAULT_LIMIT
    if parsed.openings is None:
        parsed.openings = [AUTO if parsed.screen_engine is None else _SCREENED_OPENINGS]


def screened(settings: TournamentSettings, base: BuiltRevision) -> TournamentSettings:
    """Return the settings with a version as the engine that screens random openings, unless they have a screen."""
    if settings.screen is not None or not settings.openings.startswith("random:"):
        return settings
    screen, own = parse_screen([shlex.join(base.command)]), base.engine("screen", ("tc=inf",))
    engine = replace(screen.engine, options=own.options, environment=own.environment, protocol=own.protocol)
    return replace(settings, screen=replace(screen, engine=engine))


def same_play(base: BuiltRevision, test: BuiltRevision, settings: TournamentSettings) -> str:
    """Return why two versions play alike, empty if they may not.

    The bench alone cannot say that: it does not search every variant, board and option. But where it differs, nothing
    else needs to be compared.
    """
    if base.bench != test.bench or any(map(chance_matters, settings.engines)):
        return ""
    if base.contents == test.contents:
        both = base.label if base.label == test.label else f"{base.label} and {test.label}, which have the same files"
        return f"Both versions are {both}, with one thread and no clock"
    signature = f"the bench signature {base.bench}" if base.bench else "no bench"
    report(f"{signature} for both versions: comparing their searches on the first openings")
    found = compare_play(settings)
    if found.difference:
        report(f"their searches differ: {found.difference}")
        return ""
    positions, games = counted(found.positions, "position"), counted(found.openings, "game")
    return (
        f"Both versions have {signature}, and searched alike the {positions} of {games} from the"
        f" first openings of {settings.variants_text} ({settings.engines[0].control.to_text()}): same moves, scores,"
        " lines and node counts"
    )


def report(text: str) -> None:
    """Print a message on the way to the games."""
    print(text, file=sys.stderr, flush=True)
