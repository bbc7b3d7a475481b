"""Compare two versions: do they have the same files, or search alike on the first openings of their match?"""

import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TypeVar

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineError
from latrones_uci.client.output import parse_ranked_line
from latrones_uci.client.time_control import Clock, clock_limit
from latrones_uci.game import Game, LatronesError
from latrones_uci.match.opening_book import OpeningBook
from latrones_uci.records.plan import Fixture, fixtures
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store
from latrones_uci.studies.revisions.build import BuiltRevision
from latrones_uci.studies.revisions.source import Source
from latrones_uci.text.messages import counted, quoted

OPENINGS_OF_VARIANT = 8
"""The number of openings of each variant on which both engines play a game against themselves.

That takes as long as 16 games of the match, which has hundreds to thousands, and compares positions of every phase:
more than a thousand where games have 200 plies.
"""
MAX_PLIES = 400
"""The games end by then, unless they are unusually long."""
_Version = TypeVar("_Version", bound=Hashable)


@dataclass(frozen=True)
class Comparison:
    """The searches of two engines that were compared."""

    positions: int
    """The number of positions that both have searched."""
    openings: int
    """The number of openings from which they were reached."""
    difference: str = ""
    """The first difference, on one line; empty if there is none."""


def chance_matters(engine: EngineSettings) -> bool:
    """Return whether an engine may search a position differently the next time: by time, or with several threads."""
    control = engine.control
    return (
        control.timed
        or (control.depth is None and control.nodes is None)
        or engine.ponder
        or any(name.lower() == "threads" and value != "1" for name, value in engine.options)
    )


def plays_alike(
    settings: TournamentSettings, report: Callable[[str], None], progress: Callable[[str], None] = lambda text: None
) -> Comparison | None:
    """Compare two engines whose bench signatures are equal; return the comparison if they play alike, else None.

    ``report`` is called with messages, ``progress`` as by ``compare_play``. Engines with different signatures, or to
    which chance matters, are not compared.
    """
    one, other = settings.engines
    if one.signature != other.signature or any(map(chance_matters, settings.engines)):
        return None
    signature = f"bench signature {one.signature}" if one.signature else "no bench"
    report(f"{signature} for {one.name} and {other.name}: comparing their searches")
    found = compare_play(settings, progress)
    if not found.difference:
        return found
    report(f"their searches differ: {found.difference}")
    return None


def with_same_files(versions: Iterable[tuple[_Version, str]]) -> dict[_Version, _Version]:
    """Return the versions that have the files of an earlier one, and the first that has them.

    Whatever the limit, they are one player, which is not played against itself.

    Args:
        versions: versions and hashes of their contents; that of a version without a source is empty.
    """
    first: dict[str, _Version] = {}
    return {version: first[contents] for version, contents in versions
            if contents and first.setdefault(contents, version) != version}


def same_files(one: Source | BuiltRevision, other: Source | BuiltRevision) -> str:
    """Return the labels of two versions with the same contents."""
    return one.label if one.label == other.label else f"{one.label} and {other.label}, which have the same files"


def render_same(files: str) -> str:
    """Return why two versions with the same contents, and without chance, play alike."""
    return f"Both versions are {files}, with one thread and no clock"


def same_play(
    base: BuiltRevision, test: BuiltRevision, settings: TournamentSettings, report: Callable[[str], None],
    progress: Callable[[str], None],
) -> str:
    """Return why two versions play alike, empty if they may not; see ``plays_alike`` for the last two arguments.

    The bench alone cannot say that: it does not search every variant, board and option. But where it differs, nothing
    else needs to be compared.
    """
    if base.bench != test.bench or any(map(chance_matters, settings.engines)):
        return ""
    if base.contents == test.contents:
        return render_same(same_files(base, test))
    signature = f"the bench signature {base.bench}" if base.bench else "no bench"
    report(f"{signature} for both versions: comparing their searches on the first openings")
    found = compare_play(settings, progress)
    if found.difference:
        report(f"their searches differ: {found.difference}")
        return ""
    positions, games = counted(found.positions, "position"), counted(found.openings, "game")
    return (
        f"Both versions have {signature}, and searched alike the {positions} of {games} from the"
        f" first openings of {settings.variants_text} ({settings.engines[0].control.to_text()}): same moves, scores,"
        " lines and node counts"
    )


def compare_play(settings: TournamentSettings, progress: Callable[[str], None] = lambda text: None) -> Comparison:
    """Let each of two engines play games against itself from the first openings of their match, and compare them.

    The moves are compared, and every report of a line with its depth, score and nodes. Engines whose answers depend on
    nothing but their input then play the same games in the match as well, whichever has White. Chance must not matter
    to the engines (see ``chance_matters``). ``progress`` is called often with how far the comparison is.

    Raises:
        ScreenError: the engine of the opening screen failed.
        SettingsError: there is no opening.
    """
    positions = openings = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latrones-openings-")))
        store = stack.enter_context(Store(folder / "openings.db", writing=True))
        book = stack.enter_context(OpeningBook(settings, store, lambda: False, progress))
        path = None if settings.variant_file is None else settings.variant_file.local_path()
        # As in a match, White and Black are two processes: a search depends on the searches before it.
        players = [
            tuple(stack.enter_context(Engine(engine, variant_path=path, timeouts=settings.timeouts)) for _ in range(2))
            for engine in settings.engines
        ]
        most_plies = min(MAX_PLIES, settings.limits.max_plies or MAX_PLIES)
        games = list(_first_games(settings))
        for number, fixture in enumerate(games, start=1):
            game = Game(book.position(fixture.variant, fixture.opening))
            shown = partial(progress, f"comparing searches: game {number} of {len(games)}")
            difference = _play_and_compare(players, game, most_plies, shown)
            positions, openings = positions + len(game.moves), openings + 1
            if difference:
                variant = settings.variants[fixture.variant].to_text()
                where = f"opening {fixture.opening + 1} of {variant}, ply {len(game.moves) + 1}"
                return Comparison(positions, openings, f"{where}: {difference}")
    return Comparison(positions, openings)


def _first_games(settings: TournamentSettings) -> Iterator[Fixture]:
    """Yield the first game of each of the first pairs, which has an opening of its own."""
    plan = settings.plan
    games = fixtures(plan.format, plan.engines, plan.variants, plan.games, plan.seed)
    return islice(games, 0, 2 * OPENINGS_OF_VARIANT * plan.variants, 2)


def _play_and_compare(
    players: Sequence[tuple[Engine, ...]], game: Game, most_plies: int, progress: Callable[[], None]
) -> str:
    """Play a game, and return the first difference between the searches; empty if there is none."""
    try:
        for engine in chain(*players):
            engine.new_game(game.start)
        while game.outcome() is None and len(game.moves) < most_plies:
            progress()
            one, other = (_search(pair[game.position.side], game) for pair in players)
            if one != other:
                return _first_difference(players, one, other)
            game.push(one[-1])
    except EngineError as error:
        return str(error)
    except LatronesError:  # both have answered with the same illegal move
        pass
    return ""


def _search(engine: Engine, game: Game) -> list[str]:
    """Search a position by the limits of the match, and return the reported lines and the move."""
    reports: list[str] = []

    def read(text: str) -> None:
        if (info := parse_ranked_line(text)) is not None:
            reports.append(f"depth {info.depth} multipv {info.multipv} score {info.score} nodes {info.nodes}"
                           f" pv {' '.join(info.pv)}")

    clock = Clock(engine.settings.control)
    answer = engine.search(game, clock_limit(game.position.side, (clock, clock)), on_line=read)
    return [*reports, answer.best.move]


def _first_difference(players: Sequence[tuple[Engine, ...]], one: Sequence[str], other: Sequence[str]) -> str:
    pair = next((a, b) for a, b in zip_longest(one, other, fillvalue="nothing more") if a != b)
    return ", ".join(f"{engines[0].name}: {quoted(text)}" for engines, text in zip(players, pair, strict=True))
