"""The command ``latrones-uci revs``: test whether one version of an engine is stronger than another."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import LongWork, Parser
from latrones_uci.commands.match import play_and_print, with_database
from latrones_uci.commands.match_arguments import (
    AMOUNTS,
    PASSED,
    REJECTED,
    Outputs,
    add_options,
    add_outputs,
    add_settings,
    check_concurrency,
    check_openings,
    match_settings,
    parse_outputs,
)
from latrones_uci.commands.revs_arguments import (
    DEFAULT_LIMIT,
    SCREENED_OPENINGS,
    add_versions,
    cache_of,
    report,
    repository_of,
    set_defaults,
)
from latrones_uci.match.events import Warned
from latrones_uci.match.progress import render_event
from latrones_uci.records.settings import (
    AUTO,
    CONTROL,
    GAINER,
    MAX_TEST_GAMES,
    NON_REGRESSION,
    PRESETS,
    TournamentSettings,
)
from latrones_uci.studies.revisions.build import clean, screened
from latrones_uci.studies.revisions.comparison import (
    chance_matters,
    render_same,
    same_files,
    same_play,
    with_same_files,
)
from latrones_uci.studies.revisions.source import Source
from latrones_uci.text.messages import quoted

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
    same_play: str = ""
    """Why both versions play alike, so that no game can tell them apart; empty if they may not."""


class _NothingToBuildError(Exception):
    """Both versions are the same."""


def configure(parser: Parser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("base", nargs="?", metavar="BASE", help="base version")
    add("test", nargs="?", metavar="TEST", help="version under test")
    add("more", nargs="*", help=argparse.SUPPRESS)
    chosen = parser.add_mutually_exclusive_group().add_argument
    chosen("--preset", choices=list(PRESETS), metavar="PRESET",
           help=f"sequential test: {', '.join(PRESETS)} (default: {GAINER.name})")
    for preset in (NON_REGRESSION, CONTROL):
        chosen(f"--{preset.name}", dest="preset", action="store_const", const=preset.name,
               help=f"preset for {preset.purpose}")
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE",
        help=f"keys that apply to both engines (default: {' '.join(DEFAULT_LIMIT)})")
    add_versions(parser)
    add("--clean", action="store_true", help="empty the cache without playing")
    add_settings(parser, openings=f"{AUTO}, or {SCREENED_OPENINGS} with --screen-engine",
                 screen="BASE, for random openings", sprt="that of --preset")
    add_options(parser, TournamentSettings, AMOUNTS, games=f"{MAX_TEST_GAMES}, or until the test ends")
    add_outputs(parser)


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is that of ``latrones-uci match``."""
    prepared = prepare_revisions(options)
    if prepared is None:
        return 0
    if not prepared.same_play:
        check_openings(prepared.settings)
        return play_and_print(prepared.settings, with_database(prepared.settings, prepared.outputs), program)
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
    if parsed.clean:
        for removed in clean(cache_of(parsed)):
            report(f"removed {removed.entry}")
        return None
    preset = PRESETS[parsed.preset or GAINER.name]
    names = [parsed.base, parsed.base if preset.against_itself else parsed.test]
    if None in names:
        raise SettingsError("a version is missing; expected revs BASE TEST")
    if parsed.more:
        raise SettingsError(f"{quoted(parsed.more[0])}: a third version; expected revs BASE TEST, once for each version"
                            " under test")
    if preset.against_itself and parsed.test is not None:
        raise SettingsError(f"preset '{preset.name}' plays one version against itself; expected revs BASE")
    repository = repository_of(parsed)
    if parsed.sprt is None:
        parsed.sprt = [preset.name]
    set_defaults(parsed, repository.recipe)
    same = ""

    def check(sources: Mapping[str, Source]) -> None:
        nonlocal same
        versions = [sources[name] for name in (parsed.base, parsed.test) if name is not None]
        if not with_same_files((number, version.contents) for number, version in enumerate(versions)):
            return
        files = same_files(*versions)
        if chance_matters(repository.recipe.engine("version", ("engine",), {}, parsed.each, "")):
            raise SettingsError(f"versions {quoted(parsed.base)} and {quoted(parsed.test)} are the same: {files};"
                                " expected versions that differ, or --control to play a version against itself")
        same = render_same(files)
        raise _NothingToBuildError

    try:
        built = repository.build_all(names, check=check)
    except _NothingToBuildError:
        engines = [repository.recipe.engine(name, ("engine",), {}, parsed.each, "") for name in ("test", "base")]
        return RevisionMatch(match_settings(parsed, engines, MAX_TEST_GAMES), parse_outputs(parsed), same)
    base, test = (built[name] for name in names)
    engines = [test.engine(f"test {test.label}", parsed.each), base.engine(f"base {base.label}", parsed.each)]
    settings = screened(match_settings(parsed, engines, MAX_TEST_GAMES), base, report)
    outputs = parse_outputs(parsed)
    check_concurrency(settings, outputs)
    with LongWork() as shown:
        return RevisionMatch(settings, outputs, same_play(base, test, settings, report, shown))
