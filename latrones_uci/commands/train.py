"""The command ``latrones-uci train``: train a net for a game, from self-play to a match against what there was."""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.processors import processors
from latrones_uci.client.variant_setup import start_position
from latrones_uci.commands.arguments import LongWork, add_game, game_of, on_interrupt, parse_natural, parse_positive
from latrones_uci.engine import native
from latrones_uci.engine.nets.card import read_card
from latrones_uci.engine.nets.file import MAX_BUCKETS, MAX_HIDDEN, SUFFIX, UNIT_BLOCK, Net, read_net
from latrones_uci.engine.nets.find import shipped_net
from latrones_uci.engine.tables import NoTablesError, Tables, TablesError
from latrones_uci.game import Position, all_variants
from latrones_uci.game.encoding import men_of
from latrones_uci.studies.train.recipe import PLAYED, FitSettings, TrainingSettings
from latrones_uci.studies.train.self_play import SelfPlaySettings
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import counted, quoted

if TYPE_CHECKING:
    from latrones_uci.studies.train.trainer import Trainer

_DESCRIPTION = """\
Train a net, which corrects the evaluation of one game on one board. In each generation, the engine plays games against
itself, a net is fitted to the scores of its searches, and a match at equal time decides whether the net replaces the
evaluation before it. Interrupt it at any time: the same command resumes it.

With --all, train a net for each built-in game on its usual board, one after the other, and keep those that beat the
evaluation of the package: the folder has them and the table nets.md.

Needs the native kernel and numpy (the extra 'train').

examples:
  latrones-uci train latrones --hours 1
  latrones-uci train --all --hours 12 --out nets
  latrones-uci train docs/examples/seega.toml --hours 1 --out seega
  latrones-uci gui --variant-path docs/examples/seega.toml \\
    --engine cmd=latrones-uci option.EvalFile=seega/seega-5x5-5x5.net
"""
_FOLDER_OF_ALL = "all.training"
_PAGE, _TABLE = "training.html", "nets.md"
_HOURS, _HOURS_OF_ALL = 1.0, 10.0
_LOG_EVERY_S = 20.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    settings = SelfPlaySettings()
    add = parser.add_argument
    add_game(parser, required=False)
    add("--all", action="store_true", help="train a net for each built-in game on its usual board, instead of GAME")
    add("--hours", type=_parse_hours, metavar="H", help=f"time for all generations, with --all for all games together"
        f" (default: {_HOURS:g}, with --all {_HOURS_OF_ALL:g})")
    add("--generations", type=parse_positive, metavar="N", default=3, help="number of generations (default: 3)")
    add("--positions", type=parse_positive, metavar="N", help="exact number of positions of each generation (default:"
        " as many as fit in the time); the same number makes the same net")
    add("--games", type=parse_positive, metavar="N", help="most games of each match (default: as many as fit in the"
        " time)")
    add("--movetime", type=parse_positive, metavar="MS", default=50, help="milliseconds per move of the matches"
        " (default: 50)")
    add("--nodes", type=parse_positive, metavar="N", default=settings.nodes, help="nodes of the searches that score"
        f" positions (default: {settings.nodes})")
    add("--endgames", type=parse_natural, metavar="PERCENT", default=settings.endgames, help="percentage of games"
        f" of self-play that begin with a random position with few men (default: {settings.endgames})")
    add("--least-men", type=parse_natural, metavar="N", default=0, help="positions with fewer men are not corrected"
        " (default: 0)")
    add("--hidden", type=parse_positive, metavar="N", default=64, help=f"hidden units, a multiple of {UNIT_BLOCK} up to"
        f" {MAX_HIDDEN} (default: 64)")
    add("--buckets", type=parse_positive, metavar="N", default=4, help="buckets by the number of men (default: 4)")
    add("--passes", type=parse_positive, metavar="N", default=12, help="passes over the positions when a net is fitted"
        " (default: 12)")
    add("--threads", type=parse_positive, metavar="N", help="games at a time (default: all processors)")
    add("--net", metavar="FILE", help="net before the first generation (default: the hand-written evaluation alone;"
        " --all begins with the nets of the package)")
    add("--data", metavar="DIR", action="append", default=[], help="fit the nets to the positions of another training"
        " of the same game and board as well (its folder; can be repeated)")
    add("--tables", metavar="DIR", help="endgame tables for self-play, see 'latrones-uci tables'; with --all, for"
        " the games that have some there")
    add("--executor", choices=("local", "dask"), default="local", help="where games of self-play are played (default:"
        " local); matches are always played here")
    add("--scheduler", metavar="ADDRESS", help="Dask scheduler address, such as tcp://host:8786")
    add("--seed", type=parse_natural, metavar="N", default=0, help="random seed (default: 0)")
    add("--out", metavar="DIR", help="folder of the training (default: GAME-BOARD.training, with --all"
        f" {_FOLDER_OF_ALL})")


def run(options: argparse.Namespace, program: str) -> int:
    if not native.is_compiled():
        raise SettingsError(f"training needs the native kernel: {native.why_not_compiled()}")
    games = _games(options) if options.all else [_settings(options)]
    # The matrices are so small that threads of the library of numpy mostly wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from latrones_uci.studies.train.trainer import InterruptedTrainingError, Trainer
    except ImportError as error:
        raise SettingsError("training needs the extra 'train' (in a checkout: pip install '.[train]'):"
                            f" {error}") from error
    shown, interrupt = LongWork(sys.stdout, _LOG_EVERY_S), threading.Event()

    def tell(text: str) -> None:
        shown.clear()
        print(text, flush=True)

    def begin(settings: TrainingSettings) -> Trainer:
        return Trainer(settings, tell, shown, interrupt)

    def train(training: Trainer) -> None:
        start = training.settings.start
        tell(f"training {start.ruleset.name} {start.geometry.name} in {quoted(str(training.settings.folder))}")
        try:
            training.run()
        finally:
            shown.clear()

    try:
        if options.all:
            with on_interrupt(interrupt.set):
                return _train_all(games, options.hours or _HOURS_OF_ALL, _folder_of_all(options), begin, train, program)
        training = begin(games[0])
        with on_interrupt(interrupt.set):  # from before the first line, since its reader may interrupt at once
            train(training)
    except InterruptedTrainingError:
        raise KeyboardInterrupt from None
    _finish(training)
    return 0


def _folder_of_all(options: argparse.Namespace) -> Path:
    return Path(options.out or _FOLDER_OF_ALL)


def _games(options: argparse.Namespace) -> list[TrainingSettings]:
    """Convert the arguments of ``configure`` with ``--all``: for each built-in game on a grid, on its usual board.

    Raises:
        SettingsError: an argument is invalid.
    """
    for what, given in (
        ("the game", options.game), ("--variant", options.variant), ("--variant-path", options.variant_path),
        ("--board", options.board), ("--net", options.net), *(("--data", folder) for folder in options.data),
    ):
        if given is not None:
            raise SettingsError(f"--all cannot be combined with {what} {quoted(given)}")
    found = []
    for ruleset in all_variants().values():
        if ruleset.board == "grid":
            files, ranks = ruleset.default_size
            own = argparse.Namespace(**vars(options))
            own.game, own.net = ruleset.name, shipped_net(ruleset, files, ranks)
            own.out = _folder_of_all(options) / f"{ruleset.name}-{files}x{ranks}.training"
            found.append(_settings(own))
    if options.tables is not None and not any(settings.tables for settings in found):
        raise SettingsError(f"--tables {quoted(options.tables)}: no tables of any of these games")
    return found


def _settings(options: argparse.Namespace) -> TrainingSettings:
    """Convert the arguments of ``configure``.

    Raises:
        SettingsError: an argument is invalid.
        NetError: ``--net`` is not a net for the game and board.
    """
    if options.hidden % UNIT_BLOCK or options.hidden > MAX_HIDDEN:
        raise SettingsError(f"--hidden {options.hidden}: expected a multiple of {UNIT_BLOCK} up to {MAX_HIDDEN}")
    if (options.executor == "dask") != (options.scheduler is not None):
        raise SettingsError("'--executor dask' and '--scheduler ADDRESS' must be given together")
    if options.endgames > 100:
        raise SettingsError(f"--endgames {options.endgames}: expected 0 to 100")
    if options.buckets > MAX_BUCKETS:
        raise SettingsError(f"--buckets {options.buckets}: expected 1 to {MAX_BUCKETS}")
    if options.game is None:
        raise SettingsError("the following arguments are required: GAME|FILE.toml, or --all")
    variant, file = game_of(options)
    start = start_position(variant, file)
    if start.ruleset.board != "grid":
        raise SettingsError(f"{start.ruleset.name}: the game is solved and has no net; expected a game on a grid")
    tables = _tables(options, start)
    men = men_of(start.board, start.geometry)
    if options.least_men > men:
        raise SettingsError(f"--least-men {options.least_men}: expected at most {men}, the men of the start")
    net = None if options.net is None else Path(options.net)
    if net is not None:
        read_net(net, start.ruleset, start.geometry.files, start.geometry.ranks)
    folder = Path(options.out or f"{start.ruleset.name}-{start.geometry.name}.training")
    return TrainingSettings(
        start, variant, file, folder, options.hours or _HOURS, options.generations, options.positions, options.games,
        options.threads or processors(), options.movetime, options.seed,
        SelfPlaySettings(nodes=options.nodes, endgames=options.endgames, least_men=options.least_men),
        FitSettings(hidden=options.hidden, buckets=options.buckets, passes=options.passes, seed=options.seed),
        tables, options.scheduler, net, tuple(map(Path, options.data)),
    )


def _tables(options: argparse.Namespace, start: Position) -> str:
    """Return the folder of the tables for a game and board, empty for none.

    Raises:
        SettingsError: the tables cannot be used.
    """
    if options.tables is None:
        return ""
    try:
        Tables(options.tables, start)
    except TablesError as error:
        if options.all and isinstance(error, NoTablesError):
            return ""
        raise SettingsError(f"--tables: {error}") from error
    return str(Path(options.tables).resolve())


def _parse_hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = 0.0
    if not 0 < hours <= 10_000:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number of hours above 0")
    return hours


def _train_all(
    games: Sequence[TrainingSettings], hours: float, folder: Path, begin: Callable[[TrainingSettings], "Trainer"],
    train: Callable[["Trainer"], None], program: str,
) -> int:
    """Train all games, write the nets that are kept, and print the table; return the exit status."""
    from latrones_uci.studies.train.series import Result, render_table, train_in_turn

    def train_and_finish(training: "Trainer") -> None:
        if not training.is_finished or not (training.settings.folder / _PAGE).exists():
            train(training)
            _finish(training)

    results: list[Result] = []
    paths: list[Path] = []
    text = ""
    for result in train_in_turn(games, hours, begin, train_and_finish):
        results.append(result)
        if result.error:
            print(f"{program}: {result.error}", file=sys.stderr)
        if result.is_kept:
            paths.append(_write_net(result.training, folder)[1])
        size = sum(path.stat().st_size for path in paths)
        text = (f"Nets that are kept: {len(paths)} of {counted(len(games), 'game')}, {size:,} bytes.\n\n"
                f"{render_table(results)}")
        write_whole(folder / _TABLE, f"# Nets\n\n{text}")
    print(f"\n{text}\ntable: {folder / _TABLE}", flush=True)
    return 0 if any(result.training.journal.find(PLAYED, 1) for result in results) else 1


def _write_net(training: "Trainer", folder: Path) -> tuple[Net, Path]:
    """Write the best net with its card, and return it with its file."""
    start, best = training.settings.start, training.best
    assert best is not None  # a net won
    net = read_net(best, start.ruleset, start.geometry.files, start.geometry.ranks)
    path = folder / f"{start.ruleset.name}-{start.geometry.name}{SUFFIX}"
    net.write(path)
    if (card := read_card(best, net)) is not None:  # an earlier version wrote none
        card.write(path)
    return net, path


def _finish(training: "Trainer") -> None:
    """Copy the best net, write the page, and tell where they are."""
    from latrones_uci.commands.training_page import training_page

    settings, net = training.settings, None
    facts = [("Time", f"{training.journal.seconds / 3600:.2f} h"), ("Seed", str(settings.seed))]
    if not training.last_winner():
        before = "the hand-written evaluation alone" if settings.net is None else quoted(str(settings.net))
        print(f"no net was better than {before}")
        facts.append(("Best net", "none"))
    else:
        net, path = _write_net(training, settings.folder)
        print(f"best net: {path} ({net})")
        facts.append(("Best net", str(net)))
    report = settings.folder / _PAGE
    write_whole(report, training_page(training.journal, settings.start, net, facts))
    print(f"page: {report}", flush=True)
