"""The command ``latrones-uci suite``: count the test positions that an engine solves."""

import argparse
import os
from collections.abc import Mapping

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import parse_command
from latrones_uci.client.time_control import Clock, Limit, clock_limit, parse_time_control
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.arguments import parse_option_word
from latrones_uci.game import Ruleset
from latrones_uci.records.pgn_write import render_search
from latrones_uci.records.suite import SuitePosition, SuiteResult, parse_suite, solve
from latrones_uci.text.files import read_text_file
from latrones_uci.text.messages import quoted, reason

_LIMITS = ("st", "depth", "nodes")

_DESCRIPTION = """\
Let an engine search the positions in a file, and count the solved ones. A line of the file is

  FEN; bm MOVE [MOVE ...]; dm N; id "NAME"; variant NAME

  bm       best moves: the engine must play one of them
  dm       direct mate: the engine must announce a win in at most N turns
  id       name in the table (default: the line number)
  variant  variant (default: latrones)

in any order, with bm or dm or both; '#' starts a comment. Files of 'latrones-uci puzzles' have more operations,
which are checked but not tested. The final answer decides whether a position is solved. The
depth, time and nodes in the table are those at which the engine found the solution and kept it until the end. The
exit status is 0 if all positions are solved, 1 if not, 2 for bad arguments or a bad file.
"""


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    variants = load_variants(options.variant_path)
    positions = read_suite(options.file, variants)
    engine, limit = make_engine(options)
    results: list[SuiteResult] = []
    try:
        with engine:
            for number, position in enumerate(positions, start=1):
                results.append(solve(position, engine, limit))
                print(f"{number}/{len(positions)} {render_result(results[-1])}", flush=True)
    finally:  # also after an interruption
        if results:
            nodes = sum(result.answer.info.nodes or 0 for result in results)
            seconds = sum(result.answer.elapsed_ns for result in results) / 1e9
            solved = sum(result.solved for result in results)
            print(f"\n{engine.name}: {solved} of {len(results)} solved, {seconds:.3f} s, {nodes} nodes")
    return int(solved < len(positions))


def read_suite(path: str, variants: Mapping[str, Ruleset]) -> list[SuitePosition]:
    """Read a file of test positions.

    Raises:
        SettingsError: the file cannot be read, or a line is invalid (see ``parse_suite``).
    """
    try:
        lines = read_text_file(path).splitlines()
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {quoted(path)}: {reason(error)}") from error
    return parse_suite(lines, path, variants)


def render_result(result: SuiteResult) -> str:
    """Render a position's line in the table."""
    position, move = result.position, result.answer.best.move
    if not result.solved:
        search = render_search(result.answer.info, result.answer.elapsed_ns)
        return f"NOT SOLVED {position.name}: {move} {search}, expected {_expected(position)}"
    if (found := result.found) is None:
        return f"solved {position.name}: {move}"
    known = (("depth {}", found.depth), ("{} ms", found.time_ms), ("{} nodes", found.nodes))
    when = ", ".join(text.format(value) for text, value in known if value is not None)
    return f"solved {position.name}: {move}, from {when} on"


def _expected(position: SuitePosition) -> str:
    moves = " or ".join(position.best_moves)
    win = "" if position.mate_turns is None else f"a win in {position.mate_turns}"
    return " with ".join(filter(None, [moves, win]))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    parser.add_argument("file", metavar="FILE", help="file with the positions")
    add_engine_arguments(parser, default_st="1")


def add_engine_arguments(parser: argparse.ArgumentParser, default_st: str) -> None:
    """Add the arguments; without a limit, a search gets ``default_st`` seconds."""
    add = parser.add_argument
    add("--engine", metavar="COMMAND", help="engine command, as one argument (default: latrones-uci)")
    add("--st", metavar="SECONDS", help=f"time per position (default: {default_st} if no limit is given)")
    add("--depth", metavar="N", help="depth limit per position, in plies")
    add("--nodes", metavar="N", help="node limit per position")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="engine option to set; may be repeated")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    parser.set_defaults(default_st=default_st)


def engine_command(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the command of ``--engine``, that of this project's engine without it.

    Raises:
        SettingsError: the command is malformed.
    """
    try:
        return OWN_ENGINE if options.engine is None else parse_command(options.engine)
    except ValueError as error:
        raise SettingsError(f"--engine {quoted(options.engine)}: {error}") from error


def make_engine(options: argparse.Namespace) -> tuple[Engine, Limit]:
    """Return the engine of the command line, not started yet, and the limits of each of its searches.

    Raises:
        SettingsError: a command, option or limit is malformed.
    """
    command = engine_command(options)
    limits = {key: value for key in _LIMITS if (value := getattr(options, key)) is not None}
    control = parse_time_control(limits or {"st": options.default_st})
    settings = EngineSettings(command, control, options=tuple(map(parse_option_word, options.option)))
    path = os.path.abspath(options.variant_path) if options.variant_path else None
    clock = Clock(control)
    return Engine(settings, variant_path=path), clock_limit(0, (clock, clock))
