"""The command ``latrones-uci tables``: make tables of small endings, summarize them, and probe positions."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.processors import processors
from latrones_uci.client.variant_setup import start_position
from latrones_uci.commands.arguments import LongWork, add_game, game_of, parse_positive
from latrones_uci.engine import native
from latrones_uci.engine.kernels import make_core
from latrones_uci.engine.memory import available_bytes
from latrones_uci.engine.root_tables import best_line
from latrones_uci.engine.tables import Tables, TablesError, TableValue
from latrones_uci.engine.tables.directory import value_after
from latrones_uci.engine.tables.find import SHIPPED
from latrones_uci.engine.tables.maker import Step, TablePlan, make_tables, outcome_counts, plan_tables
from latrones_uci.engine.tables.material import MAX_MEN, check_possible
from latrones_uci.game import SIDE_NAMES, Game, Position
from latrones_uci.text.messages import counted, duration, quoted

_DIRECTORY = "tables"
_MB = 2**20
_MAX_THREADS = 256
_MAX_LINE = 200

_DESCRIPTION = """\
Compute the exact value of every position with up to N men (both sides together), by retrograde analysis. A run that was
interrupted continues with the tables that are missing; existing files are checked. docs/endings.md says what a value
means, and describes the files.

examples:
  latrones-uci tables latrones --summary       # which material wins, of the tables in the package
  latrones-uci tables latrones --men 5         # more, in the folder 'tables'
  latrones-uci tables latrones --probe '8/3s4/3d4/8/8/3D4/4S3/8 w 0 1'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add_game(parser)
    add("--men", type=parse_positive, metavar="N", help=f"make the tables of up to N men, at most {MAX_MEN}")
    add("--path", "--out", metavar="DIR",
        help=f"folder of the tables (default: {_DIRECTORY}; if there is none, to read: the tables in the package)")
    add("--threads", type=parse_positive, metavar="N", help="number of threads (default: all processors)")
    add("--summary", action="store_true", help="print how often each material wins, draws and loses")
    add("--probe", metavar="FEN", help="print the value of a position, and of each of its moves")


def run(options: argparse.Namespace, program: str) -> int:
    if options.men is None and not options.summary and options.probe is None:
        raise SettingsError("nothing to do; expected --men N, --summary or --probe FEN")
    like = start_position(*game_of(options))
    probed = None
    if options.probe is not None:
        probed = Position.from_fen(like.ruleset, options.probe)
        if options.board is not None and probed.geometry.name != like.geometry.name:
            raise SettingsError(f"'--board {options.board}' differs from the {probed.geometry.name} board of --probe")
        like = like if options.board is not None else Position.start(like.ruleset, probed.geometry.name)
    directory = Path(options.path or _DIRECTORY)
    if options.men is None and options.path is None and not directory.exists():
        directory = SHIPPED
    if options.men is not None:
        _make(options, like, directory)
    if options.summary:
        _print_summary(like, directory)
    if probed is not None:
        _print_values(Tables(directory, probed), probed)
    return 0


# ---------------------------------------------------------------- making


def _make(options: argparse.Namespace, like: Position, directory: Path) -> None:
    threads = options.threads or processors()
    if threads > _MAX_THREADS:
        raise SettingsError(f"--threads {threads}: expected at most {_MAX_THREADS}")
    if not native.is_compiled():
        raise TablesError(f"tables cannot be made: there is no compiled core ({native.why_not_compiled()});"
                          " see CONTRIBUTING.md")
    check_possible(like.ruleset)
    core = make_core(like.ruleset, like.geometry.files, like.geometry.ranks)
    plan = plan_tables(core, like, options.men, directory)
    directory.mkdir(parents=True, exist_ok=True)
    _announce(plan, like, options.men)
    with LongWork() as shown:
        for table, header, digest, seconds in make_tables(core, like, plan, threads, _report_to(shown)):
            shown.clear()
            positions = sum(planes[0].positions for planes in header.counts)
            longest = max(row[-1] for row in outcome_counts(header, like))
            size = table.path.stat().st_size
            print(f"{table.split!s:<12} {positions:>13,} positions  {seconds:>8.1f} s  {size:>11,} bytes"
                  f"  longest win {longest:>3}  sha256 {digest}", flush=True)


def _announce(plan: TablePlan, like: Position, men: int) -> None:
    """Print what will be made, and what it needs. Raises TablesError: not enough memory."""
    for problem in plan.invalid:
        print(f"making again: {problem}", file=sys.stderr)
    needed, available = plan.memory_bytes, available_bytes()
    codes = sum(table.code_bytes for table in plan.missing)
    room = "" if available is None else f" of {available // _MB:,} MB available"
    print(f"{like.ruleset.name} {like.geometry.name}, up to {men} men: {len(plan.tables)} tables,"
          f" {len(plan.missing)} to make, {codes / _MB:,.1f} MB before compression;"
          f" memory {needed / _MB:,.1f} MB{room}", file=sys.stderr, flush=True)
    if available is not None and needed > available:
        raise TablesError(f"--men {men}: needs {needed // _MB + 1:,} MB of memory, only {available // _MB:,} MB"
                          " available; expected fewer men or a smaller board")


def _report_to(shown: LongWork) -> Callable[[Step], bool]:
    def report(step: Step) -> bool:
        left = "" if step.left_s is None else f", about {duration(1000 * round(step.left_s))} left in all"
        doing = f"ply {step.level}, {step.share:4.0%}" if step.level else "writing"
        shown(f"{step.table.split}: {doing}{left}")
        return True

    return report


# ---------------------------------------------------------------- reading


def _print_summary(like: Position, directory: Path) -> None:
    """Print a table of all material of a game on a board. Raises TablesError: there is none, or a file is damaged."""
    files = sorted(Tables(directory, like).files, key=lambda file: (file.header.split.men, str(file.header.split)))
    print(f"{like.ruleset.name} {like.geometry.name}: the player to move has the first pieces; the counter is 0;"
          " positions up to symmetry")
    print(f"{'material':<14}{'positions':>14}{'won':>8}{'drawn':>8}{'lost':>8}{'longest win':>13}")
    for file in files:
        for split, won, drawn, lost, longest in outcome_counts(file.header, like):
            total = won + drawn + lost
            shares = "".join(f"{_share(count, total):>8}" for count in (won, drawn, lost))
            print(f"{split!s:<14}{total:>14,}{shares}{longest or '-':>13}")
    print()
    for file in files:
        print(f"{file.path.name}: {file.path.stat().st_size:,} bytes, {file.header.code_bytes:,} bytes of codes,"
              f" sha256 {file.sha256}")


def _share(count: int, total: int) -> str:
    """Return a share in per cent; only a share that is exactly 0 or 1 reads like that."""
    text = f"{count / max(total, 1):.1%}"
    if text == "0.0%" and count:
        return "<0.1%"
    return ">99.9%" if text == "100.0%" and count < total else text


def _print_values(tables: Tables, position: Position) -> None:
    """Print the value of a position and of its moves.

    Raises:
        TablesError: the position is in no table, or a file is damaged.
    """
    print(position)
    outcome = position.outcome()
    if outcome is not None:
        print(f"Value: the game is over: {outcome}")
        return
    value = tables.probe(position)
    if value is None:
        men = sum(bool(position.piece_at(square)) for square in range(position.geometry.squares))
        what = "pieces in hand" if position.hand else f"{men} men"
        raise TablesError(f"{quoted(position.fen())}: in no table ({what}); {tables.directory} has {tables}")
    print(f"Value: {_words(value, position.side)}")
    moves = []
    for move in position.legal_moves():
        after = value_after(tables, position.rules, position.board, move.packed)
        moves.append((move, after))
    for text, after in sorted(moves, key=lambda pair: (_rank(pair[1]), pair[0])):
        print(f"{text:<12} {'unknown' if after is None else _words(after, position.side)}")
    texts = []
    for best in best_line(Game(position), tables, _MAX_LINE):
        texts.append(position.named_move(best))
        position = position.after(best)
    if texts:
        print(f"Line: {' '.join(texts)}")


def _rank(value: TableValue | None) -> tuple[int, int]:
    """Return a key that sorts the best value first."""
    if value is None:
        return (2, 0)
    return (-value.outcome, value.plies * value.outcome)


def _words(value: TableValue, side: int) -> str:
    if not value.outcome:
        return "draw"
    winner = SIDE_NAMES[side if value.outcome > 0 else 1 - side]
    how = "at the no-capture limit" if value.by_limit else "capture or end"
    return f"{winner} wins, {how} in {counted(value.plies, 'ply', 'plies')}"
