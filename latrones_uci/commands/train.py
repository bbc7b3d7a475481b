"""The command ``latrones-uci train``: train a net for a game, from self-play to a match against what there was."""

import argparse
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from latrones_uci import native
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import processors
from latrones_uci.client.variant_setup import start_position
from latrones_uci.commands.arguments import LongWork, add_game, game_of, on_interrupt, parse_natural, parse_positive
from latrones_uci.game import quoted
from latrones_uci.match.files import write_whole
from latrones_uci.search.net import MAX_BUCKETS, MAX_HIDDEN, SUFFIX, UNIT_BLOCK, read_net
from latrones_uci.search.net_evaluation import men_of
from latrones_uci.tablebases import Tables, TablesError
from latrones_uci.train.recipe import FitSettings, TrainingSettings
from latrones_uci.train.self_play import SelfPlaySettings

if TYPE_CHECKING:
    from latrones_uci.train.trainer import Trainer

_DESCRIPTION = """\
Train a net, which corrects the evaluation of one game on one board. In each generation, the engine plays games against
itself, a net is fitted to the scores of its searches, and a match at equal time decides whether the net replaces the
evaluation before it. Interrupt it at any time: the same command resumes it.

Needs the native kernel and numpy (the extra 'train').

examples:
  latrones-uci train latrones --hours 1
  latrones-uci train docs/examples/seega.toml --hours 1 --out seega
  latrones-uci gui --variant-path docs/examples/seega.toml \\
    --engine cmd=latrones-uci option.EvalFile=seega/seega-5x5-5x5.net
"""
_PAGE = "training.html"
_LOG_EVERY_S = 20.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    settings = SelfPlaySettings()
    add = parser.add_argument
    add_game(parser)
    add("--hours", type=_parse_hours, metavar="H", default=1.0, help="time for all generations (default: 1)")
    add("--generations", type=parse_positive, metavar="N", default=3, help="number of generations (default: 3)")
    add("--positions", type=parse_positive, metavar="N", help="exact number of positions of each generation (default:"
        " as many as fit in the time); the same number makes the same net")  # fmt: skip
    add("--games", type=parse_positive, metavar="N", help="most games of each match (default: as many as fit in the"
        " time)")  # fmt: skip
    add("--movetime", type=parse_positive, metavar="MS", default=50, help="milliseconds per move of the matches"
        " (default: 50)")  # fmt: skip
    add("--nodes", type=parse_positive, metavar="N", default=settings.nodes, help="nodes of the searches that score"
        f" positions (default: {settings.nodes})")  # fmt: skip
    add("--endgames", type=parse_natural, metavar="PERCENT", default=settings.endgames, help="percentage of games"
        f" of self-play that begin with a random position with few men (default: {settings.endgames})")  # fmt: skip
    add("--least-men", type=parse_natural, metavar="N", default=0, help="positions with fewer men are not corrected"
        " (default: 0)")  # fmt: skip
    add("--hidden", type=parse_positive, metavar="N", default=64, help=f"hidden units, a multiple of {UNIT_BLOCK} up to"
        f" {MAX_HIDDEN} (default: 64)")  # fmt: skip
    add("--buckets", type=parse_positive, metavar="N", default=4, help="buckets by the number of men (default: 4)")
    add("--passes", type=parse_positive, metavar="N", default=12, help="passes over the positions when a net is fitted"
        " (default: 12)")  # fmt: skip
    add("--threads", type=parse_positive, metavar="N", help="games at a time (default: all processors)")
    add("--net", metavar="FILE", help="net before the first generation (default: the hand-written evaluation alone)")
    add("--data", metavar="DIR", action="append", default=[], help="fit the nets to the positions of another training"
        " of the same game and board as well (its folder; can be repeated)")  # fmt: skip
    add("--tables", metavar="DIR", help="endgame tables for self-play, see 'latrones-uci tables'")
    add("--executor", choices=("local", "dask"), default="local", help="where games of self-play are played (default:"
        " local); matches are always played here")  # fmt: skip
    add("--scheduler", metavar="ADDRESS", help="Dask scheduler address, such as tcp://host:8786")
    add("--seed", type=parse_natural, metavar="N", default=0, help="random seed (default: 0)")
    add("--out", metavar="DIR", help="folder of the training (default: GAME-BOARD.training)")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    if not native.is_compiled():
        raise SettingsError(f"training needs the native kernel: {native.why_not_compiled()}")
    settings = _settings(options)
    # The matrices are so small that threads of the library of numpy mostly wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from latrones_uci.train.trainer import InterruptedTrainingError, Trainer
    except ImportError as error:
        raise SettingsError("training needs the extra 'train' (in a checkout: pip install '.[train]'):"
                            f" {error}") from error  # fmt: skip
    shown, interrupt = LongWork(sys.stdout, _LOG_EVERY_S), threading.Event()

    def tell(text: str) -> None:
        shown.clear()
        print(text, flush=True)

    training = Trainer(settings, tell, shown, interrupt)
    try:
        with on_interrupt(interrupt.set):  # from before the first line, since its reader may interrupt at once
            board = settings.start.geometry.name
            tell(f"training {settings.start.ruleset.name} {board} in {quoted(str(settings.folder))}")
            training.run()
    except InterruptedTrainingError:
        raise KeyboardInterrupt from None
    finally:
        shown.clear()
    _finish(training, settings)
    return 0


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
    variant, file = game_of(options)
    start = start_position(variant, file)
    if start.ruleset.board != "grid":
        raise SettingsError(f"{start.ruleset.name}: the game is solved and has no net; expected a game on a grid")
    if options.tables is not None:
        try:
            Tables(options.tables, start)
        except TablesError as error:
            raise SettingsError(f"--tables: {error}") from error
    men = men_of(start.board, start.geometry)
    if options.least_men > men:
        raise SettingsError(f"--least-men {options.least_men}: expected at most {men}, the men of the start")
    net = None if options.net is None else Path(options.net)
    if net is not None:
        read_net(net, start.ruleset, start.geometry.files, start.geometry.ranks)
    folder = Path(options.out or f"{start.ruleset.name}-{start.geometry.name}.training")
    return TrainingSettings(
        start, variant, file, folder, options.hours, options.generations, options.positions, options.games,
        options.threads or processors(), options.movetime, options.seed,
        SelfPlaySettings(nodes=options.nodes, endgames=options.endgames, least_men=options.least_men),
        FitSettings(hidden=options.hidden, buckets=options.buckets, passes=options.passes, seed=options.seed),
        str(Path(options.tables).resolve()) if options.tables else "", options.scheduler,
        net, tuple(map(Path, options.data)),
    )  # fmt: skip


def _parse_hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = 0.0
    if not 0 < hours <= 10_000:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number of hours above 0")
    return hours


def _finish(training: "Trainer", settings: TrainingSettings) -> None:
    """Copy the best net, write the page, and tell where they are."""
    from latrones_uci.train.training_page import training_page

    start, best, net = settings.start, training.best, None
    facts = [("Time", f"{training.journal.seconds / 3600:.2f} h"), ("Seed", str(settings.seed))]
    if best is None or best == settings.net:
        before = "the hand-written evaluation alone" if best is None else quoted(str(best))
        print(f"no net was better than {before}")
        facts.append(("Best net", "none"))
    else:
        net = read_net(best, start.ruleset, start.geometry.files, start.geometry.ranks)
        path = settings.folder / f"{start.ruleset.name}-{start.geometry.name}{SUFFIX}"
        net.write(path)
        print(f"best net: {path} ({net})")
        facts.append(("Best net", str(net)))
    report = settings.folder / _PAGE
    write_whole(report, training_page(training.journal, start, net, facts))
    print(f"page: {report}", flush=True)
