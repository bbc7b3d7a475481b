"""The command line of a match, read into settings."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.game import LatronesError, Position, parse_board_size
from latrones_uci.match.argument_types import Parser, parse_natural, parse_positive, parse_seconds
from latrones_uci.match.engine_words import parse_engine
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.opening_text import parse_openings
from latrones_uci.match.settings import GameLimits, MatchSettings, Timeouts
from latrones_uci.match.variant_files import find_in

DEMO_PGN = "demo.pgn"
_DEMO_GAMES = 4
_DEFAULT_GAMES = 2

_DESCRIPTION = """\
Plays a match between two engines and referees every move.

Words of an engine (--engine for one, --each for both):
  cmd="PROGRAM ARGUMENTS"  what to run; quotes as in a shell, but no shell is run
  name=NAME                name in tables and records (default: as the engine reports it)
  dir=DIRECTORY            its working directory
  st=SECONDS               time per move
  tc=[MIN:]SEC[+INC]       clock, with increment per move
  depth=N, nodes=N         limits of the search, alone or beside a time
  option.NAME=VALUE        an option of the engine
"""
_EPILOG = """\
example:
  latrones-match --engine cmd="python3 -m latrones_uci" name=A --engine cmd="python3 -m latrones_uci" name=B depth=1 \\
      --each tc=1+0.01 --games 100 --openings random:4 --seed 1 --pgn out.pgn
To read games back with the referee: latrones-match verify [--variant-path FILE.toml] FILE.pgn
"""


@dataclass(frozen=True)
class MatchArguments:
    """What the command line asks for.

    Attributes:
        settings: the match.
        overwrite_pgn: whether the PGN file begins anew.
    """

    settings: MatchSettings
    overwrite_pgn: bool


def parse_arguments(words: Sequence[str], own_engine: Sequence[str]) -> MatchArguments:
    """Reads the command line of a match; ``--help`` prints and leaves by ``SystemExit``.

    Args:
        words: the arguments without the program's name.
        own_engine: the command of this project's engine, for ``--demo``.

    Raises:
        SettingsError: bad arguments; the message is one line that quotes them.
    """
    parsed = _parser().parse_args(words)
    engines, each, games, pgn = parsed.engine or [], parsed.each or [], parsed.games, parsed.pgn
    if parsed.demo:
        if engines or each:
            raise SettingsError("'--demo' brings its own engines; leave out '--engine' and '--each'")
        games, pgn = games or _DEMO_GAMES, pgn or DEMO_PGN
    elif len(engines) != 2:
        raise SettingsError(f"two engines are needed, each as '--engine cmd=...'; {len(engines)} given")
    try:
        ruleset = find_in(parsed.variant_path, parsed.variant)
        size = parse_board_size(parsed.board) if parsed.board else ruleset.default_size
        ruleset.check_size(*size)
    except LatronesError as error:
        raise SettingsError(str(error)) from error
    if parsed.demo:
        first, second = (parse_engine([f"name=depth-{depth}", f"depth={depth}"], [], own_engine) for depth in (2, 1))
    else:
        first, second = (parse_engine(own, each) for own in engines)
    settings = MatchSettings(
        engines=(first, second),
        ruleset=ruleset,
        size=size,
        games=games or _DEFAULT_GAMES,
        openings=parse_openings(parsed.openings, Position.start(ruleset, size)),
        seed=parsed.seed,
        concurrency=parsed.concurrency,
        variant_path=Path(parsed.variant_path) if parsed.variant_path else None,
        pgn_path=Path(pgn) if pgn else None,
        limits=GameLimits(parsed.time_margin, parsed.max_plies),
        timeouts=Timeouts(search_s=parsed.stall_timeout),
    )
    return MatchArguments(settings, overwrite_pgn=parsed.demo and not parsed.pgn)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="latrones-match",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--engine", action="append", nargs="+", metavar="KEY=VALUE", help="an engine; given twice")
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE", help="words for both engines")
    add("--demo", action="store_true", help=f"a short match of this project's engine, written to {DEMO_PGN}")
    add("--variant", default="latrones", help="the game (default: latrones)")
    add("--variant-path", metavar="FILE", help="a TOML file with more games, for the referee and the engines")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the game)")
    add("--games", type=parse_positive, metavar="N", help=f"number of games (default: {_DEFAULT_GAMES})")
    add("--openings", default="random:4", metavar="random:PLIES|file:PATH",
        help="random plies first, or positions from a file: a FEN or moves a line (default: random:4)")  # fmt: skip
    add("--seed", type=int, default=0, metavar="N", help="of the openings (default: 0)")
    add("--pgn", metavar="FILE", help="append finished games to this file")
    add("--concurrency", type=parse_positive, default=1, metavar="N", help="games at a time (default: 1)")
    add("--time-margin", type=parse_natural, default=0, metavar="MS", help="lateness forgiven (default: 0)")
    add("--max-plies", type=parse_positive, metavar="N", help="adjudicate a draw after N plies (default: never)")
    add("--stall-timeout", type=parse_seconds, default=Timeouts.search_s, metavar="SECONDS",
        help=f"patience with a search that has no time limit (default: {Timeouts.search_s:g})")  # fmt: skip
    return parser
