#!/usr/bin/env python3
"""Play games of this engine in order to calibrate it, and write the tables of the documentation.

    calibrate.py levels       rate the levels by matches, or choose them anew (--fit); --check plays nothing
    calibrate.py chances      fit the chances of win, draw and loss that UCI_ShowWDL prints
    calibrate.py conversion   how often the engine wins won positions; makes such positions, too
    calibrate.py puzzles      verify the puzzles of the package, as after each new net; fill the gaps
    calibrate.py accuracy     accuracy that a review gives to random players and to the engine
    calibrate.py tables       play nothing; rewrite all tables from rulesets and recorded results

Each has ``--help``; calibrate_levels.py describes the first two. The matches of levels and chances
have databases, which ``latrones-uci verify`` and ``report`` read; rerun a command to resume them.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import random
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import calibrate_levels as levels
import calibrate_puzzles as puzzles
from base import ROOT, Command, markdown, run_command
from calibrate_games import write_tables
from latrones_uci import Engine, Game, Limit, Position, Ruleset, find_variant, load_variants
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import builtin_variants, parse_board_size
from latrones_uci.game.encoding import pieces_in_hand
from latrones_uci.game.ruleset import CONDITIONS, documentation
from latrones_uci.records.annotation import accuracy, analyse_game
from latrones_uci.studies.quality import MEASURES, row_of
from latrones_uci.text.files import write_whole

# ---------------------------------------------------------------- the family of games

RESULTS = ROOT / "docs" / "family.json"
"""The output of ``latrones-uci variants measure all --json``."""


def family_tables() -> dict[str, str]:
    """Return the table of what ``latrones-uci variants measure`` says about all games."""
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))["rulesets"]
    return {"measured": markdown(["game", *(each.name for each in MEASURES)],
                                 ([f"`{each['game']}`", *row_of(each)] for each in measured))}


# ---------------------------------------------------------------- conversion of won positions

SUITE = ROOT / "tests" / "data" / "conversion.json"
EXAMPLES = ROOT / "docs" / "examples"
ENGINE = shlex.join(OWN_ENGINE)
DEFENDER_FACTOR = 10
"""Factor by which the side behind has more nodes, unless they are given."""
LEAD = 3
"""Number of extra pieces with which a side is decisively ahead."""
STEADY_PLIES = 4, 30
"""Range of the number of plies for which the lead must last, so that a recapture does not end it."""
RANDOM_START_PLIES = 6
BATCH = 20
"""Number of games that are played before their positions are counted."""
MAX_ATTEMPTS = 100
"""Number of games per position, after which a game is given up as having too few positions."""
CONVERSION_PLIES = 600
GAMES = (
    ("latrones", "8x8", None), ("latrones", "12x8", None), ("latrunculi-classical", "10x8", None),
    ("latrunculi-xxi", "10x8", None), ("petteia-xxi", "8x8", None), ("single-stone-xxi", "10x8", None),
    ("schaedler", "8x8", None), ("bell", "8x7", None), ("kowalski-12x8", "12x8", "kowalski.toml"),
    ("kowalski-11x10", "11x10", "kowalski.toml"), ("museum-quintana", "8x8", "museum-quintana.toml"),
    ("seega-5x5", "5x5", "seega.toml"),
)
"""Variant, board, and the file in docs/examples that defines it."""
LONE_DUX = "kowalski-12x8", "12x8", "kowalski.toml"
LONE_DUX_SOLDIERS = 6, 7, 8


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


def play_on(game: Game, players: dict[int, tuple[Engine, int]], is_over: Callable[[], bool] = lambda: False) -> None:
    """Let engines with nodes per move play until the game is over or has too many plies."""
    for engine, _ in players.values():
        engine.new_game(game)
    while game.outcome() is None and len(game.moves) < CONVERSION_PLIES and not is_over():
        engine, nodes = players[game.position.side]
        move = engine.play(game, Limit(nodes=nodes)).move
        if move is None:
            sys.exit(f"{engine!r} resigned in {game.position.fen()}")
        game.push(move)


def play_case(work: tuple[Case, tuple[str, str], tuple[str, ...], tuple[int, int]]) -> dict[str, Any]:
    """Play a case to its end, with the commands and the nodes per move of the side ahead and of the other.

    The ``score`` of the result is 1, 0.5 or 0 for the side ahead.
    """
    case, commands, options, nodes = work
    sides = case.ahead, 1 - case.ahead
    engines = [engine_of(command, options, role, *case[:3])
               for command, role in zip(commands, ("attacker", "defender"), strict=True)]
    game = Game(Position.from_fen(ruleset(case.variant, case.file), case.fen))
    play_on(game, dict(zip(sides, zip(engines, nodes, strict=True), strict=True)))
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


def make_case(work: tuple[str, str, str | None, int]) -> Case | None:
    """Play a game until one side has been decisively ahead for a random number of plies; None if none ever is."""
    variant, board, file, seed = work
    choose = random.Random(f"{variant} {board} {seed}")
    game = Game(ruleset(variant, file), board)
    strong, weak = choose.sample((0, 1), 2)
    nodes = {strong: choose.choice((1000, 2000, 5000)), weak: choose.choice((100, 300, 1000))}
    steady_plies = choose.randint(*STEADY_PLIES)
    players = {side: (engine_of(ENGINE, (), f"maker {side}", variant, board, file), nodes[side]) for side in (0, 1)}
    while len(game.moves) < RANDOM_START_PLIES and game.outcome() is None:
        game.push(choose.choice(game.legal_moves()))
    leader, since = None, 0

    def is_steady() -> bool:
        nonlocal leader, since
        now = ahead(game.position)
        if now != leader:
            leader, since = now, len(game.moves)
        return leader is not None and len(game.moves) - since == steady_plies

    play_on(game, players, is_steady)
    if leader is None or game.outcome() is not None or len(game.moves) >= CONVERSION_PLIES:
        return None
    fields = game.position.fen().split()
    return Case(variant, board, file, " ".join([*fields[:-2], "0", "1"]), leader)  # with counters as in a new game


def make_suite(path: Path, variants: list[str], per_variant: int) -> None:
    suite: list[dict[str, Any]] = []
    with multiprocessing.Pool() as pool:
        for variant, board, file in GAMES:
            if variants and variant not in variants:
                continue
            cases: dict[str, Case] = {}
            seed = 0
            while len(cases) < per_variant:
                if seed >= MAX_ATTEMPTS * per_variant:
                    sys.exit(f"{variant} {board}: only {len(cases)} positions in {seed} games; expected {per_variant}")
                seeds = range(seed, seed := seed + BATCH)
                for case in pool.map(make_case, [(variant, board, file, number) for number in seeds], 1):
                    if case is not None and len(cases) < per_variant:
                        cases.setdefault(case.fen, case)
            print(f"{variant} {board}: {len(cases)} positions", flush=True)
            suite.append({"variant": variant, "board": board, "file": file,
                          "positions": [[case.fen, "wb"[case.ahead]] for case in cases.values()]})
            write_whole(path, render_suite(suite))


def render_suite(suite: list[dict[str, Any]]) -> str:
    entries = []
    for entry in suite:
        head = ", ".join(f"{json.dumps(key)}: {json.dumps(entry[key])}" for key in ("variant", "board", "file"))
        positions = ",\n".join(json.dumps(position) for position in entry["positions"])
        entries.append(f'{{{head}, "positions": [\n{positions}\n]}}')
    return "[" + ",\n".join(entries) + "]\n"


def read_suite(path: Path) -> Iterator[Case]:
    for entry in json.loads(path.read_text(encoding="utf-8")):
        for fen, leader in entry["positions"]:
            yield Case(entry["variant"], entry["board"], entry["file"], fen, "wb".index(leader))


def make_lone_dux(path: Path, number: int) -> None:
    """Write positions in which a dux and a few soldiers have to shut in a lone dux."""
    variant, board, file = LONE_DUX
    files, ranks = parse_board_size(board)
    choose = random.Random(f"{variant} {board} lone dux")
    positions: list[list[str]] = []
    while len(positions) < number:
        soldiers = LONE_DUX_SOLDIERS[len(positions) % len(LONE_DUX_SOLDIERS)]
        squares = list("dD" + "S" * soldiers + "." * (files * ranks - soldiers - 2))
        choose.shuffle(squares)
        rows = ["".join(squares[first : first + files]) for first in range(0, files * ranks, files)]
        board_text = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows))
        position = Position.from_fen(ruleset(variant, file), f"{board_text} w 0 1")
        if position.outcome() is None:
            positions.append([position.fen(), "w"])
    write_whole(path, render_suite([{"variant": variant, "board": board, "file": file, "positions": positions}]))


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
            f" {mean(won) if won else 0:.0f} | {how or '-'} |")


def add_conversion(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--variant", nargs="*", default=[], choices=sorted({game[0] for game in GAMES}), help="variants (default: all)")
    add("--limit", type=int, help="positions per variant (default: all)")
    add("--nodes", type=int, default=20000, help="nodes per move of the side ahead (default: 20000)")
    add("--defender-nodes", type=int, help="nodes per move of the side behind (default: ten times)")
    add("--attacker", default=ENGINE, help="command of the engine ahead (default: this one)")
    add("--defender", default=ENGINE, help="command of the engine behind (default: this one)")
    add("--option", nargs="*", default=[], metavar="NAME=VALUE", help="options of both engines")
    add("--concurrency", type=int, default=multiprocessing.cpu_count(), help="games at a time")
    add("--json", type=Path, help="write each game's result to this file")
    add("--suite", type=Path, default=SUITE, help="file of positions")
    add("--make", type=Path, help="write new positions to this file instead")
    add("--make-lone-dux", type=Path, help="write new positions with a lone dux to this file instead")
    add("--positions", type=int, default=100, help="positions per variant to make (default: 100)")


def calibrate_conversion(options: argparse.Namespace) -> None:
    """Print the share of won positions that the engine wins, by variant, with its 95% confidence interval.

    In each position of ``tests/data/conversion.json``, one side is decisively ahead: it has at least three more pieces,
    or the other side only has its dux left. The engine plays that side with ``--nodes`` nodes per move against the same
    engine with ten times as many nodes, or ``--defender-nodes``.

    ``--make`` creates new positions from games of the engine against itself with fewer nodes: each game starts from a
    different random opening and contributes one position. ``--make-lone-dux`` places the men at random: a dux and six
    to eight soldiers against a lone dux, which cannot be captured and has to be shut in.
    """
    for option in options.option:
        if "=" not in option:
            options.error(f"--option {option!r}: expected NAME=VALUE")
    if options.make:
        return make_suite(options.make, options.variant, options.positions)
    if options.make_lone_dux:
        return make_lone_dux(options.make_lone_dux, options.positions)
    commands = options.attacker, options.defender
    nodes = options.nodes, options.defender_nodes or options.nodes * DEFENDER_FACTOR
    cases: dict[str, list[Case]] = {}
    for case in read_suite(options.suite):
        if not options.variant or case.variant in options.variant:
            cases.setdefault(case.label, []).append(case)
    print("| variant | won-drawn-lost | share won (95%) | plies to win | drawn by |")
    print("|---|---|---|---|---|", flush=True)
    details = []
    with multiprocessing.Pool(options.concurrency) as pool:
        for label, of_variant in cases.items():
            work = [(case, commands, tuple(options.option), nodes) for case in of_variant[: options.limit]]
            results = list(pool.imap_unordered(play_case, work))
            print(row(label, results), flush=True)
            details += results
            if options.json:
                write_whole(options.json, json.dumps(details, indent=1) + "\n")
    return None


# ---------------------------------------------------------------- accuracy of a review

ACCURACY_START_PLIES = 4
ACCURACY_PLIES = 80
REVIEW_LIMIT = Limit(nodes=200_000)  # about what the board page reaches in its time
MIN_MOVES = 5  # of a player; shorter games say little
KINDS = {"random": (True, True), "random against the engine": (True, False), "engine": (False, False)}


def played(variant: str, randoms: tuple[bool, bool], engine: Engine, limit: Limit, choose: random.Random) -> Game:
    """Return a game of White and Black, who play at random or by the engine."""
    game = Game(variant)
    while len(game.moves) < ACCURACY_START_PLIES and game.outcome() is None:
        game.push(choose.choice(game.legal_moves()))
    game = Game(game.position)
    while game.outcome() is None and len(game.moves) < ACCURACY_PLIES:
        if randoms[game.position.side]:
            game.push(choose.choice(game.legal_moves()))
        else:
            game.push(engine.play(game, limit).move or game.legal_moves()[0])
    return game


def accuracies(variant: str, kind: str, games: int, limit: Limit, seed: int) -> list[int]:
    """Return the accuracy of each player of a kind; of both kinds in one game, those of the random player."""
    choose, found = random.Random(f"{seed} {variant} {kind}"), []
    with Engine.popen(OWN_ENGINE, variant=variant) as engine:
        for number in range(games):
            first, second = KINDS[kind]
            game = played(variant, (second, first) if number % 2 else (first, second), engine, limit, choose)
            moves = analyse_game(game, engine, REVIEW_LIMIT)
            for side in (0, 1):
                own = [move for move in moves if move.side == side]
                if len(own) >= MIN_MOVES and (first == second or (side == number % 2)):
                    found += [share for share in [accuracy(own)] if share is not None]
    return found


def add_accuracy(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("variants", nargs="*", help="games (default: those of the core set, except Rota)")
    add("--games", type=int, default=4, help="games of each kind (default: 4)")
    add("--nodes", type=int, default=1_000_000, help="nodes per move (default: 1,000,000)")
    add("--seed", type=int, default=0, help="random seed (default: 0)")


def calibrate_accuracy(options: argparse.Namespace) -> None:
    """Print the accuracy of random players and of this engine at full strength.

    Plays games of two random players, of a random player against the engine, and of the engine against itself, from
    positions after four random plies, and reviews them. All limits are nodes, so that a seed gives the same table
    everywhere.
    """
    print(f"| game | {' | '.join(KINDS)} |\n|---|{'---|' * len(KINDS)}")
    for variant in options.variants or [name for name in builtin_variants() if name != "rota"]:
        cells = []
        for kind in KINDS:
            shares = accuracies(variant, kind, options.games, Limit(nodes=options.nodes), options.seed)
            cells.append(f"{mean(shares):.0f}% ({min(shares)} to {max(shares)})" if shares else "-")
        print(f"| {variant} | {' | '.join(cells)} |", flush=True)


# ---------------------------------------------------------------- tables and command line


def variant_tables() -> dict[str, str]:
    keys = [[f"`{key}`", values, default if default == "required" else f"`{default}`", meaning]
            for key, values, default, meaning in documentation()]
    conditions = [[", ".join(f"`{key}`" for key in names.split(", ")), words] for names, words, _ in CONDITIONS]
    measures = [[each.name, each.label, each.source, each.meaning] for each in MEASURES]
    return {"keys": markdown(["key", "value", "default", "meaning"], keys),
            "combinations": markdown(["keys", "condition"], conditions),
            "measures": markdown(["column", "row", "source", "meaning"], measures)}


def all_tables() -> list[dict[str, str]]:
    data = levels.read_data()
    return [levels.level_tables(data["levels"]) | levels.chance_tables(data["results"]), family_tables(),
            variant_tables()]


def rewrite_tables(options: argparse.Namespace) -> None:
    for tables in all_tables():
        write_tables(tables)


COMMANDS: dict[str, Command] = {
    "levels": (levels.add_levels, levels.calibrate_levels),
    "chances": (levels.add_chances, levels.calibrate_chances),
    "conversion": (add_conversion, calibrate_conversion),
    "puzzles": (puzzles.add_arguments, puzzles.run),
    "accuracy": (add_accuracy, calibrate_accuracy),
    "tables": (lambda parser: None, rewrite_tables),
}
AT_LEAST_1 = ("games", "fit_games", "nodes", "defender_nodes", "max_plies", "concurrency", "limit", "positions", "grid")


def main(words: list[str] | None = None) -> int:
    return run_command(__doc__, COMMANDS, words, AT_LEAST_1)


if __name__ == "__main__":
    sys.exit(main())
