"""What the commands that play versions have in common: their arguments, recipes, defaults and messages."""

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from latrones_uci.client.variant_setup import start_position
from latrones_uci.commands.arguments import LongWork, Parser
from latrones_uci.match.screen import prints_scores
from latrones_uci.records.settings import AUTO, TournamentSettings, parse_screen
from latrones_uci.studies.revisions.build import BuiltRevision, default_cache, find_recipe
from latrones_uci.studies.revisions.comparison import chance_matters, compare_play
from latrones_uci.studies.revisions.recipe import RECIPE_NAME, Recipe, read_recipe
from latrones_uci.studies.revisions.source import Source
from latrones_uci.text.messages import counted

DEFAULT_LIMIT = ["tc=1+0.01"]
SCREENED_OPENINGS = "random:6"


def add_versions(parser: Parser) -> None:
    """Declare where versions come from and how they are built, see ``recipe_of``."""
    add = parser.add_argument
    add("--repository", metavar="DIR", default=".", help="checkout of the engine (default: the current directory)")
    add("--recipe", metavar="FILE",
        help=f"how a version is built and started (default: {RECIPE_NAME} at the top of the checkout)")
    add("--cache", metavar="DIR", help=f"directory for builds (default: {default_cache()})")


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
        parsed.each = list(recipe.each) or DEFAULT_LIMIT
    if parsed.openings is None:
        parsed.openings = [AUTO if parsed.screen_engine is None else SCREENED_OPENINGS]


def screened(settings: TournamentSettings, base: BuiltRevision) -> TournamentSettings:
    """Return the settings with a version as the engine that screens random openings, unless they have a screen.

    If it prints no scores, openings are not screened, as in a match.

    Raises:
        ScreenError: the version cannot be started, or does not play the first variant.
    """
    if settings.screen is not None or not settings.openings.startswith("random:"):
        return settings
    screen, own = parse_screen([shlex.join(base.command)]), base.engine("screen", ("tc=inf",))
    engine = replace(screen.engine, options=own.options, environment=own.environment, protocol=own.protocol)
    screen = replace(screen, engine=engine)
    path = None if settings.variant_file is None else settings.variant_file.local_path()
    if not prints_scores(screen, start_position(settings.variants[0], settings.variant_file), path, settings.timeouts):
        report(f"{base.label} prints no scores, so random openings are not screened")
        return settings
    return replace(settings, screen=screen)


def same_files(one: Source | BuiltRevision, other: Source | BuiltRevision) -> str:
    """Return the labels of two versions with the same contents."""
    return one.label if one.label == other.label else f"{one.label} and {other.label}, which have the same files"


def render_same(files: str) -> str:
    """Return why two versions with the same contents, and without chance, play alike."""
    return f"Both versions are {files}, with one thread and no clock"


def same_play(base: BuiltRevision, test: BuiltRevision, settings: TournamentSettings) -> str:
    """Return why two versions play alike, empty if they may not.

    The bench alone cannot say that: it does not search every variant, board and option. But where it differs, nothing
    else needs to be compared.
    """
    if base.bench != test.bench or any(map(chance_matters, settings.engines)):
        return ""
    if base.contents == test.contents:
        return render_same(same_files(base, test))
    signature = f"the bench signature {base.bench}" if base.bench else "no bench"
    report(f"{signature} for both versions: comparing their searches on the first openings")
    with LongWork() as shown:
        found = compare_play(settings, shown)
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
