"""Verify the puzzles of the package with the engine of today, as after each new net of their game.

Prints which puzzles hold: at every move of the solver, the move of the line is the best by the margin of the game. With
--write, the others are removed, puzzles of --candidates fill the gaps, and the themes are those of the new searches.
Puzzles that stay keep their names, by which browsers remember what was solved. Without --write, the exit status is 1 if
a puzzle does not hold.

    calibrate.py puzzles                                                       # all games, report only
    latrones-uci puzzles --self-play --variant bell --margin 80 --output new.suite
    calibrate.py puzzles bell --candidates new.suite --write
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from base import ROOT
from latrones_uci import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import Position, builtin_variants, canonical_key
from latrones_uci.records.suite import SuitePosition, parse_suite, render_suite_position
from latrones_uci.studies.puzzles import verified
from latrones_uci.text.files import write_whole

FOLDER = ROOT / "latrones_uci" / "puzzles"
NODES = 400_000
COUNT = 60
MARGINS = {"bell": 80, "petteia-xxi": 100, "single-stone-xxi": 100}
"""Least difference between the first move of a puzzle and the next best, in centi-soldiers; half of it later."""
USUAL_MARGIN = 150


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("names", nargs="*", metavar="GAME", help="game (default: all with puzzles)")
    add("--nodes", type=int, default=NODES, help="nodes of each search (default: %(default)s)")
    add("--candidates", type=Path, action="append", default=[], metavar="FILE.suite",
        help="rated puzzles to fill gaps with, from 'latrones-uci puzzles'; may be repeated")
    add("--write", action="store_true", help="rewrite the files of the package")


def run(options: argparse.Namespace) -> int:
    games = options.names or sorted(path.stem for path in FOLDER.glob("*.suite"))
    if unknown := [name for name in games if not (FOLDER / f"{name}.suite").is_file()]:
        options.error(f"{unknown[0]}: no puzzles; expected one of {', '.join(sorted(builtin_variants()))}")
    candidates = [puzzle for path in options.candidates for puzzle in read(path)]
    all_hold = True
    with Engine.popen(OWN_ENGINE, options={"Hash": "64"}) as engine:
        for name in games:
            path, margin = FOLDER / f"{name}.suite", MARGINS.get(name, USUAL_MARGIN)
            before = read(path)
            kept, problems = still_puzzles(before, engine, options.nodes, margin)
            print(f"{name}: {len(kept)} of {len(before)} hold", *problems, sep="\n  ", flush=True)
            all_hold &= not problems
            if options.write:
                of_game = [each for each in candidates if each.game.start.ruleset.name == name]
                new, _ = still_puzzles(others(of_game, kept), engine, options.nodes, margin)
                kept = joined(kept, new[: COUNT - len(kept)], before)
                write_whole(path, rendered(kept, options.nodes, margin))
                print(f"  {len(kept)} written", flush=True)
    return int(not all_hold and not options.write)


def read(path: Path) -> list[SuitePosition]:
    return parse_suite(path.read_text(encoding="utf-8").splitlines(), str(path), builtin_variants())


def still_puzzles(
    puzzles: Iterable[SuitePosition], engine: Engine, nodes: int, margin: int
) -> tuple[list[SuitePosition], list[str]]:
    """Return the puzzles that hold, and lines about the others."""
    kept, problems = [], []
    for puzzle in puzzles:
        found = verified(puzzle, engine, nodes, margin)
        if isinstance(found, str):
            problems.append(f"{puzzle.name}: {found}")
        else:
            kept.append(found)
    return kept, problems


def others(candidates: Iterable[SuitePosition], kept: Iterable[SuitePosition]) -> list[SuitePosition]:
    """Return the candidates that differ from the puzzles that are kept, and from each other."""
    known = {canonical_key(puzzle.game.position) for puzzle in kept}
    found = {canonical_key(puzzle.game.position): puzzle for puzzle in candidates}
    return [puzzle for key, puzzle in found.items() if key not in known]


def joined(
    kept: Sequence[SuitePosition], new: Sequence[SuitePosition], before: Sequence[SuitePosition]
) -> list[SuitePosition]:
    """Return the puzzles, easy ones first; the new ones have names that no puzzle had."""
    last = max((int(puzzle.name.rpartition(" ")[2]) for puzzle in before), default=0)
    named = [replace(puzzle, name=f"{title(puzzle.game.position)} {last + number}")
             for number, puzzle in enumerate(new, start=1)]
    return sorted([*kept, *named], key=lambda puzzle: puzzle.rating or 0)


def title(position: Position) -> str:
    return f"{position.ruleset.name} {position.geometry.name}"


def rendered(puzzles: Sequence[SuitePosition], nodes: int, margin: int) -> str:
    lines = [
        f"# Puzzles of {title(puzzles[0].game.position)}, easy ones first; see docs/checking.md.",
        f"# Verified with {nodes} nodes and a margin of {margin}: python3 scripts/calibrate.py puzzles --write",
        *map(render_suite_position, puzzles),
    ]
    return "".join(f"{line}\n" for line in lines)
