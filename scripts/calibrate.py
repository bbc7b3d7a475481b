#!/usr/bin/env python3
"""Play games of this engine in order to calibrate it, and write the tables of the documentation.

    calibrate.py levels       rate the levels by matches, or choose them anew (--fit); --check plays nothing
    calibrate.py chances      fit the chances of win, draw and loss that UCI_ShowWDL prints
    calibrate.py conversion   how often the engine wins won positions
    calibrate.py puzzles      verify the puzzles of the package, as after each new net; fill the gaps
    calibrate.py tables       play nothing; rewrite all tables from rulesets and recorded results

Each has ``--help``; calibrate_levels.py describes the first two. The matches of levels and chances
have databases, which ``latrones-uci verify`` and ``report`` read; rerun a command to resume them.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import calibrate_levels as levels
import calibrate_puzzles as puzzles
from base import ROOT, Command, markdown, run_command
from calibrate_games import write_tables
from latrones_uci import Engine, Game, Limit, Position, Ruleset, find_variant, load_variants
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.engine.nets.card import card_path, parse_card
from latrones_uci.engine.nets.file import SUFFIX
from latrones_uci.game.encoding import pieces_in_hand
from latrones_uci.game.ruleset import CONDITIONS, documentation
from latrones_uci.studies.quality import MEASURES, row_of
from latrones_uci.text.command import join_command
from latrones_uci.text.files import write_whole

# ---------------------------------------------------------------- the family of games

NETS = ROOT / "latrones_uci" / "engine" / "nets"
RESULTS = ROOT / "docs" / "family.json"
"""The output of ``latrones-uci variants measure all --json``."""


def family_tables() -> dict[str, str]:
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))["rulesets"]
    return {"measured": markdown(["game", *(each.name for each in MEASURES)],
                                 ([f"`{each['game']}`", *row_of(each)] for each in measured))}


# ---------------------------------------------------------------- conversion of won positions

SUITE = ROOT / "tests" / "data" / "conversion.json"
EXAMPLES = ROOT / "docs" / "examples"
ENGINE = join_command(OWN_ENGINE)
DEFENDER_FACTOR = 10
"""Factor by which the side behind has more nodes, unless they are given."""
LEAD = 3
"""Number of extra pieces with which a side is decisively ahead."""
CONVERSION_PLIES = 600


class Case(NamedTuple):
    """A position of the suite, in which a side is ahead."""

    variant: str
    board: str
    file: str | None
    fen: str
    ahead: int

    @property
    def label(self) -> str:
        return f"{self.variant} {self.board}"


@cache
def ruleset(variant: str, file: str | None) -> Ruleset:
    return load_variants(EXAMPLES / file)[variant] if file else find_variant(variant)


@cache
def engine_of(command: str, options: tuple[str, ...], role: str, variant: str, board: str, file: str | None) -> Engine:
    """Return a running engine of this worker process; each role has its own engine and table."""
    path = EXAMPLES / file if file else None
    values = dict(option.split("=", 1) for option in options)
    return Engine.popen(command.split(), variant=variant, board=board, variant_path=path, options=values)


def play_on(game: Game, players: dict[int, tuple[Engine, int]]) -> None:
    """Let engines with nodes per move play until the game is over or has too many plies."""
    for engine, _ in players.values():
        engine.new_game(game)
    while game.outcome() is None and len(game.moves) < CONVERSION_PLIES:
        engine, nodes = players[game.position.side]
        move = engine.play(game, Limit(nodes=nodes)).move
        if move is None:
            sys.exit(f"{engine!r} resigned in {game.position.fen()}")
        game.push(move)


class Side(NamedTuple):
    """How the side ahead, or the other, plays."""

    command: str
    options: tuple[str, ...]
    """Each as ``NAME=VALUE``."""
    nodes: int
    """Nodes for a move."""


def play_case(work: tuple[Case, Side, Side]) -> dict[str, Any]:
    """Play a case to its end; the first side is ahead.

    The ``score`` of the result is 1, 0.5 or 0 for the side ahead.
    """
    case, attacker, defender = work
    sides = case.ahead, 1 - case.ahead
    players = [(engine_of(side.command, side.options, role, *case[:3]), side.nodes)
               for side, role in ((attacker, "attacker"), (defender, "defender"))]
    game = Game(Position.from_fen(ruleset(case.variant, case.file), case.fen))
    play_on(game, dict(zip(sides, players, strict=True)))
    outcome = game.outcome()
    winner = None if outcome is None else outcome.winner
    return {
        "variant": case.label, "fen": case.fen, "score": 0.5 if winner is None else float(winner == case.ahead),
        "plies": len(game.moves), "how": f"{CONVERSION_PLIES} plies" if outcome is None else outcome.termination.value,
        "pieces": tuple(count(game.position, side) for side in sides),
    }


def count(position: Position, side: int) -> int:
    own, opp, _, _, to_move, *_, hand = position.board
    pieces = own if to_move == side else opp
    return (pieces & position.geometry.base).bit_count() + pieces_in_hand(hand, side)


def ahead(position: Position) -> int | None:
    pieces = count(position, 0), count(position, 1)
    soldiers = [sum(position.piece_at(square) in letters for square in range(position.geometry.squares))
                for letters in (("S", "B"), ("s", "b"))]
    for side in (0, 1):
        if pieces[side] - pieces[1 - side] >= LEAD or soldiers[1 - side] == 0 < soldiers[side]:
            return side
    return None


def read_suite(path: Path) -> Iterator[Case]:
    for entry in json.loads(path.read_text(encoding="utf-8")):
        for fen, leader in entry["positions"]:
            yield Case(entry["variant"], entry["board"], entry["file"], fen, "wb".index(leader))


def wilson(score: float, games: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a share (E. B. Wilson, 1927)."""
    z = 1.96
    centre = (score + z * z / (2 * games)) / (1 + z * z / games)
    radius = z / (1 + z * z / games) * math.sqrt(score * (1 - score) / games + z * z / (4 * games * games))
    return max(0.0, centre - radius), min(1.0, centre + radius)


def row(label: str, results: list[dict[str, Any]]) -> str:
    won = [result["plies"] for result in results if result["score"] == 1]
    share, (low, high) = len(won) / len(results), wilson(len(won) / len(results), len(results))
    drawn = Counter(result["how"] for result in results if result["score"] == 0.5)
    how = ", ".join(f"{how} {number}" for how, number in drawn.most_common())
    lost = len(results) - len(won) - drawn.total()
    return (f"| {label} | {len(won)}-{drawn.total()}-{lost} | {share:.0%} ({low:.0%} to {high:.0%}) |"
            f" {median(won) if won else 0:.0f} | {how or '-'} |")


def add_conversion(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--variant", nargs="*", default=[], help="variants (default: all)")
    add("--limit", type=int, help="positions per variant (default: all)")
    add("--nodes", type=int, default=20000, help="nodes per move of the side ahead (default: 20000)")
    add("--defender-nodes", type=int, help="nodes per move of the side behind (default: ten times)")
    add("--attacker", default=ENGINE, help="command of the engine ahead (default: this one)")
    add("--defender", default=ENGINE, help="command of the engine behind (default: this one)")
    add("--option", nargs="*", default=[], metavar="NAME=VALUE", help="options of both engines")
    add("--attacker-option", nargs="*", default=[], metavar="NAME=VALUE", help="options of the engine ahead")
    add("--defender-option", nargs="*", default=[], metavar="NAME=VALUE", help="options of the engine behind")
    add("--concurrency", type=int, default=multiprocessing.cpu_count(), help="games at a time")
    add("--json", type=Path, help="write each game's result to this file")
    add("--suite", type=Path, default=SUITE, help="file of positions")


def calibrate_conversion(options: argparse.Namespace) -> None:
    """Print the share of won positions that the engine wins, by variant, with its 95% confidence interval.

    In each position of ``tests/data/conversion.json``, one side is decisively ahead: it has at least three more pieces,
    or the other side only has its dux left. The engine plays that side with ``--nodes`` nodes per move against the same
    engine with ten times as many nodes, or ``--defender-nodes``. The plies are the median of the games won.
    """
    for name in ("option", "attacker_option", "defender_option"):
        for option in getattr(options, name):
            if "=" not in option:
                options.error(f"--{name.replace('_', '-')} {option!r}: expected NAME=VALUE")
    attacker = Side(options.attacker, (*options.option, *options.attacker_option), options.nodes)
    defender = Side(options.defender, (*options.option, *options.defender_option),
                    options.defender_nodes or options.nodes * DEFENDER_FACTOR)
    cases: dict[str, list[Case]] = {}
    for case in read_suite(options.suite):
        if not options.variant or case.variant in options.variant:
            cases.setdefault(case.label, []).append(case)
    print("| variant | won-drawn-lost | share won (95%) | plies to win | drawn by |")
    print("|---|---|---|---|---|", flush=True)
    details = []
    with multiprocessing.Pool(options.concurrency) as pool:
        for label, of_variant in cases.items():
            work = [(case, attacker, defender) for case in of_variant[: options.limit]]
            results = list(pool.imap_unordered(play_case, work))
            print(row(label, results), flush=True)
            details += results
            if options.json:
                write_whole(options.json, json.dumps(details, indent=1) + "\n")


# ---------------------------------------------------------------- tables and command line


def variant_tables() -> dict[str, str]:
    keys = [[f"`{key}`", values, default if default == "required" else f"`{default}`", meaning]
            for key, values, default, meaning in documentation()]
    conditions = [[", ".join(f"`{key}`" for key in names.split(", ")), words] for names, words, _ in CONDITIONS]
    measures = [[each.name, each.label, each.source, each.meaning] for each in MEASURES]
    return {"keys": markdown(["key", "value", "default", "meaning"], keys),
            "combinations": markdown(["keys", "condition"], conditions),
            "measures": markdown(["column", "row", "source", "meaning"], measures)}


# ---------------------------------------------------------------- nets


def net_tables() -> dict[str, str]:
    """Return the table of the nets of the package, from their cards."""
    rows = []
    for path in sorted(NETS.glob(f"*{SUFFIX}")):
        card = parse_card(card_path(path).read_text(encoding="utf-8"))
        game, _, board = path.stem.rpartition("-")
        made = re.sub(" (positions|nodes|endgames)", "", "; ".join(map(str, card.data)))
        match = card.match
        cells = ("", "", "", "") if match is None else (
            match.opponent.removeprefix("the "), match.limit.replace(" nodes per move", ""), match.score, match.elo)
        rows.append([f"`{game}` {board}", f"`{card.net[:8]}`", card.date, made, *cells])
    heads = ("game and board", "net", "added", "positions, nodes, endgames", "opponent", "nodes per move",
             "won-drawn-lost", "Elo (95%)")
    return {"nets": markdown(heads, rows)}


def all_tables() -> list[dict[str, str]]:
    data = levels.read_data()
    return [levels.level_tables(data["levels"]) | levels.chance_tables(data["results"]), family_tables(),
            variant_tables(), net_tables()]


def rewrite_tables(options: argparse.Namespace) -> None:
    for tables in all_tables():
        write_tables(tables)


COMMANDS: dict[str, Command] = {
    "levels": (levels.add_levels, levels.calibrate_levels),
    "chances": (levels.add_chances, levels.calibrate_chances),
    "conversion": (add_conversion, calibrate_conversion),
    "puzzles": (puzzles.add_arguments, puzzles.run),
    "tables": (lambda parser: None, rewrite_tables),
}
AT_LEAST_1 = ("games", "fit_games", "nodes", "defender_nodes", "max_plies", "concurrency", "limit", "positions", "grid")


def main(words: list[str] | None = None) -> int:
    return run_command(__doc__, COMMANDS, words, AT_LEAST_1)


if __name__ == "__main__":
    sys.exit(main())
