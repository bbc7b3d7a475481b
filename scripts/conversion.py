#!/usr/bin/env python3
"""Measure how often the engine wins won games: ``python3 scripts/conversion.py``, from a bare checkout.

In each position of ``tests/data/conversion.json``, one side is decisively ahead: it has at least three more pieces, or
the other side only has its dux left. The engine plays that side with ``--nodes`` nodes per move against the same engine
with ten times as many nodes, or ``--defender-nodes``. The script prints the share of games won, by variant, with its
95% confidence interval.

    python3 scripts/conversion.py [--variant NAME ...] [--limit N] [--nodes N] [--defender-nodes N]
                                  [--json FILE] [--attacker COMMAND] [--defender COMMAND]
    python3 scripts/conversion.py --suite tests/data/lone_dux.json --nodes 10000 --defender-nodes 10000
    python3 scripts/conversion.py --make FILE [--variant NAME ...]
    python3 scripts/conversion.py --make-lone-dux FILE

``--make`` creates new positions from games of the engine against itself with fewer nodes: each game starts from a
different random opening and contributes one position. ``--make-lone-dux`` places the men at random: a dux and six to
eight soldiers against a lone dux, which cannot be captured and has to be shut in.
"""

import argparse
import json
import math
import multiprocessing
import random
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent))  # after an installed package

from latrones_uci import Engine, Game, Limit, Position, Ruleset, find_variant, load_variants
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import parse_board_size
from latrones_uci.game.encoding import pieces_in_hand
from latrones_uci.match.files import write_whole

CHECKOUT = Path(__file__).resolve().parent.parent
SUITE = CHECKOUT / "tests" / "data" / "conversion.json"
EXAMPLES = CHECKOUT / "docs" / "examples"
ENGINE = shlex.join(OWN_ENGINE)
DEFENDER_FACTOR = 10
"""Factor by which the side behind has more nodes, unless they are given."""
LEAD = 3
"""Number of extra pieces with which a side is decisively ahead."""
STEADY_PLIES = 4, 30
"""Range of the number of plies for which the lead must last, so that a recapture does not end it."""
OPENING_PLIES = 6
BATCH = 20
"""Number of games that are played before their positions are counted."""
MOST_ATTEMPTS = 100
"""Number of games per position, after which a game is given up as having too few positions."""
MAX_PLIES = 600
GAMES = (
    ("latrones", "8x8", None), ("latrones", "12x8", None), ("latrunculi-classical", "10x8", None),
    ("latrunculi-xxi", "10x8", None), ("petteia-xxi", "8x8", None), ("single-stone-xxi", "10x8", None),
    ("schaedler", "8x8", None), ("bell", "8x7", None), ("kowalski-12x8", "12x8", "kowalski.toml"),
    ("kowalski-11x10", "11x10", "kowalski.toml"), ("museum-quintana", "8x8", "museum-quintana.toml"),
    ("seega-5x5", "5x5", "seega.toml"),
)  # fmt: skip
"""Variant, board, and the file in docs/examples that defines it."""
LONE_DUX = "kowalski-12x8", "12x8", "kowalski.toml"
LONE_DUX_SOLDIERS = 6, 7, 8


@dataclass(frozen=True)
class Case:
    """A position of the suite."""

    variant: str
    board: str
    file: str | None
    fen: str
    ahead: int

    @property
    def label(self) -> str:
        return f"{self.variant} {self.board}"


@dataclass(frozen=True)
class Played:
    """The result of a case; ``score`` is 1, 0.5 or 0 for the side ahead."""

    case: Case
    score: float
    plies: int
    how: str
    pieces: tuple[int, int]


@cache
def ruleset(variant: str, file: str | None) -> Ruleset:
    return load_variants(EXAMPLES / file)[variant] if file else find_variant(variant)


@cache
def engine(command: str, options: tuple[str, ...], role: str, variant: str, board: str, file: str | None) -> Engine:
    """Return a running engine of this worker process; each role has its own engine and table."""
    path = EXAMPLES / file if file else None
    values = dict(option.split("=", 1) for option in options)
    return Engine.popen(command.split(), variant=variant, board=board, variant_path=path, options=values)


# ---------------------------------------------------------------- play


def play(work: tuple[Case, str, str, tuple[str, ...], int, int]) -> Played:
    """Play a case to its end; the last two numbers are the nodes per move of the side ahead and of the other."""
    case, attacker, defender, options, nodes, defender_nodes = work
    game_key = (case.variant, case.board, case.file)
    engines = {
        case.ahead: (engine(attacker, options, "attacker", *game_key), Limit(nodes=nodes)),
        1 - case.ahead: (engine(defender, options, "defender", *game_key), Limit(nodes=defender_nodes)),
    }
    game = Game(Position.from_fen(ruleset(case.variant, case.file), case.fen))
    for player, _ in engines.values():
        player.new_game(game)
    while game.outcome() is None and len(game.moves) < MAX_PLIES:
        player, limit = engines[game.position.side]
        move = player.play(game, limit).move
        if move is None:
            sys.exit(f"{player!r} resigned in {game.position.fen()}")
        game.play(move)
    outcome = game.outcome()
    pieces = (count(game.position, case.ahead), count(game.position, 1 - case.ahead))
    if outcome is None:
        return Played(case, 0.5, len(game.moves), f"{MAX_PLIES} plies", pieces)
    score = 0.5 if outcome.winner is None else float(outcome.winner == case.ahead)
    return Played(case, score, len(game.moves), outcome.termination.value, pieces)


def count(position: Position, side: int) -> int:
    """Return the pieces of a side, on the board and in hand."""
    own, opp, _, _, to_move, *_, hand = position.board
    pieces = own if to_move == side else opp
    return (pieces & position.geometry.base).bit_count() + pieces_in_hand(hand, side)


# ---------------------------------------------------------------- the suite


def ahead(position: Position) -> int | None:
    """Return the side that is decisively ahead, if any."""
    pieces = count(position, 0), count(position, 1)
    soldiers = [sum(position.piece_at(square) in letters for square in range(position.geometry.squares))
                for letters in (("S", "B"), ("s", "b"))]  # fmt: skip
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
    players = {side: engine(ENGINE, (), f"maker {side}", variant, board, file) for side in (0, 1)}
    while len(game.moves) < OPENING_PLIES and game.outcome() is None:
        game.play(choose.choice(game.legal_moves()))
    for player in players.values():
        player.new_game(game)
    leader, since = None, 0
    while game.outcome() is None and len(game.moves) < MAX_PLIES:
        now = ahead(game.position)
        if now != leader:
            leader, since = now, len(game.moves)
        if leader is not None and len(game.moves) - since == steady_plies:
            return Case(variant, board, file, render_fresh(game.position), leader)
        side = game.position.side
        move = players[side].play(game, Limit(nodes=nodes[side])).move
        assert move is not None
        game.play(move)
    return None


def render_fresh(position: Position) -> str:
    """Return the position text with counters reset as in a new game."""
    fields = position.fen().split()
    return " ".join([*fields[:-2], "0", "1"])


def make(path: Path, variants: list[str], per_variant: int) -> None:
    suite: list[dict[str, Any]] = []
    with multiprocessing.Pool() as pool:
        for variant, board, file in GAMES:
            if variants and variant not in variants:
                continue
            cases: dict[str, Case] = {}
            seed = 0
            while len(cases) < per_variant:
                if seed >= MOST_ATTEMPTS * per_variant:
                    sys.exit(f"{variant} {board}: only {len(cases)} positions in {seed} games; expected {per_variant}")
                seeds = range(seed, seed := seed + BATCH)
                for case in pool.map(make_case, [(variant, board, file, number) for number in seeds], 1):
                    if case is not None and len(cases) < per_variant:
                        cases.setdefault(case.fen, case)
            print(f"{variant} {board}: {len(cases)} positions", flush=True)
            suite.append({"variant": variant, "board": board, "file": file,
                          "positions": [[case.fen, "wb"[case.ahead]] for case in cases.values()]})  # fmt: skip
            write_whole(path, render_suite(suite))


def render_suite(suite: list[dict[str, Any]]) -> str:
    """Return the suite as JSON, one position per line."""
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


# ---------------------------------------------------------------- report


def wilson(score: float, games: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a share (E. B. Wilson, 1927)."""
    z = 1.96
    centre = (score + z * z / (2 * games)) / (1 + z * z / games)
    radius = z / (1 + z * z / games) * math.sqrt(score * (1 - score) / games + z * z / (4 * games * games))
    return max(0.0, centre - radius), min(1.0, centre + radius)


def row(label: str, results: list[Played]) -> str:
    """Return a line of the table."""
    won = [result for result in results if result.score == 1]
    share, (low, high) = len(won) / len(results), wilson(len(won) / len(results), len(results))
    drawn = Counter(result.how for result in results if result.score == 0.5)
    how = ", ".join(f"{how} {number}" for how, number in drawn.most_common())
    plies = sum(result.plies for result in won) / len(won) if won else 0
    lost = sum(result.score == 0 for result in results)
    return (f"| {label} | {len(won)}-{sum(drawn.values())}-{lost} | {share:.0%} ({low:.0%} to {high:.0%}) |"
            f" {plies:.0f} | {how or '-'} |")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how often the engine wins won games.")
    parser.add_argument("--variant", nargs="*", default=[], help="variants (default: all)")
    parser.add_argument("--limit", type=int, help="positions per variant (default: all)")
    parser.add_argument("--nodes", type=int, default=20000, help="nodes per move of the side ahead (default: 20000)")
    parser.add_argument("--defender-nodes", type=int, help="nodes per move of the side behind (default: ten times)")
    parser.add_argument("--attacker", default=ENGINE, help="command of the engine ahead (default: this one)")
    parser.add_argument("--defender", default=ENGINE, help="command of the engine behind (default: this one)")
    parser.add_argument("--option", nargs="*", default=[], metavar="NAME=VALUE", help="options of both engines")
    parser.add_argument("--concurrency", type=int, default=multiprocessing.cpu_count(), help="games at a time")
    parser.add_argument("--json", type=Path, help="write each game's result to this file")
    parser.add_argument("--suite", type=Path, default=SUITE, help="file of positions")
    parser.add_argument("--make", type=Path, help="write new positions to this file instead")
    parser.add_argument("--make-lone-dux", type=Path, help="write new positions with a lone dux to this file instead")
    parser.add_argument("--positions", type=int, default=100, help="positions per variant to make (default: 100)")
    arguments = parser.parse_args()
    known = [variant for variant, _, _ in GAMES]
    for name in arguments.variant:
        if name not in known:
            parser.error(f"--variant {name!r}: unknown; expected {', '.join(dict.fromkeys(known))}")
    for option in arguments.option:
        if "=" not in option:
            parser.error(f"--option {option!r}: expected NAME=VALUE")
    for name in ("limit", "nodes", "defender_nodes", "concurrency", "positions"):
        if (number := getattr(arguments, name)) is not None and number < 1:
            parser.error(f"--{name.replace('_', '-')} {number}: expected a number above 0")
    if arguments.make:
        make(arguments.make, arguments.variant, arguments.positions)
        return
    if arguments.make_lone_dux:
        make_lone_dux(arguments.make_lone_dux, arguments.positions)
        return
    nodes = arguments.nodes, arguments.defender_nodes or arguments.nodes * DEFENDER_FACTOR
    cases: dict[str, list[Case]] = {}
    for case in read_suite(arguments.suite):
        if not arguments.variant or case.variant in arguments.variant:
            cases.setdefault(case.label, []).append(case)
    print("| variant | won-drawn-lost | share won (95%) | plies to win | drawn by |")
    print("|---|---|---|---|---|", flush=True)
    details = []
    with multiprocessing.Pool(arguments.concurrency) as pool:
        for label, of_variant in cases.items():
            work = [(case, arguments.attacker, arguments.defender, tuple(arguments.option), *nodes)
                    for case in of_variant[:arguments.limit]]  # fmt: skip
            results = list(pool.imap_unordered(play, work))
            print(row(label, results), flush=True)
            details += [{"variant": label, "fen": result.case.fen, "score": result.score, "plies": result.plies,
                         "how": result.how, "pieces": result.pieces} for result in results]  # fmt: skip
            if arguments.json:
                write_whole(arguments.json, json.dumps(details, indent=1) + "\n")


if __name__ == "__main__":
    main()
