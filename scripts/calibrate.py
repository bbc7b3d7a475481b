#!/usr/bin/env python3
"""Play games of this engine in order to calibrate it, and write the tables of the documentation.

    calibrate.py levels       rate the levels by matches, or choose them anew (--fit); --check plays nothing
    calibrate.py chances      fit the chances of win, draw and loss that UCI_ShowWDL prints
    calibrate.py family       statistics of games in Ludii's rulesets: self-play, or --weaker against depth 1
    calibrate.py conversion   how often the engine wins won positions; makes such positions, too
    calibrate.py accuracy     accuracy that a review gives to random players and to the engine
    calibrate.py tables       play nothing; rewrite all tables from rulesets and recorded results

Each has ``--help``; calibrate_levels.py describes the first two. The matches of levels, chances and family have
databases, which ``latrones-uci verify`` and ``report`` read; rerun a command to resume them.
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
from base import ROOT, Command, markdown, run_command
from calibrate_games import FULL, Match, Player, engine_hash, play_matches, write_tables
from latrones_uci import Engine, Game, Limit, Position, Ruleset, find_variant, load_variants
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import Termination, builtin_variants, ludii_variants, parse_board_size
from latrones_uci.game.encoding import pieces_in_hand
from latrones_uci.game.ruleset import CONDITIONS, documentation
from latrones_uci.match.annotation import accuracy, analyse_game
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.files import write_whole
from latrones_uci.match.quality import MEASURES
from latrones_uci.match.record import PlayedGame
from latrones_uci.match.store import Store

# ---------------------------------------------------------------- the family of games

RESULTS = ROOT / "docs" / "family.json"
SELF_PLAY, WEAKER = "self-play", "weaker"
RANDOM_PLIES = 6
MAX_PLIES = 2500  # as in Ludii: 1,250 turns per side


def match_of(name: str, options: argparse.Namespace) -> Match:
    limits = {"movetime_ms": options.movetime} if options.movetime else {"nodes": options.nodes}
    words = [f"{options.movetime}ms" if options.movetime else f"{options.nodes}nodes"]
    words += [f"{options.max_plies}plies"] * (options.max_plies != MAX_PLIES)
    folder = options.folder / engine_hash() / "-".join(words)
    if options.weaker:
        # Both players have the limit: where nearly every move captures, even depth 1 can take millions of nodes.
        players = Player("full", FULL, **limits), Player("depth 1", FULL, depth=1, **limits)
        return Match(folder / WEAKER / f"{name}.db", name, players, options.games, f"random:{RANDOM_PLIES}",
                     options.max_plies)  # fmt: skip
    one, other = (Player(letter, FULL, **limits, random_plies=RANDOM_PLIES) for letter in "AB")
    return Match(folder / SELF_PLAY / f"{name}.db", name, (one, other), options.games, "random:0", options.max_plies)


def self_play_record(path: Path) -> dict[str, Any]:
    """Return the totals of the games in a self-play database."""
    totals = dict.fromkeys(("games", "white", "black", "draws", "unfinished", "plies", "choices"), 0)
    reasons: Counter[str] = Counter()
    with Store(path, writing=False) as store:
        settings = stored_settings(store)
        for game in (record.game for record in stored_games(store, settings)):
            outcome = game.outcome
            if outcome.termination is Termination.ADJUDICATION:
                result = "unfinished"
            else:
                result = "draws" if outcome.winner is None else ("white", "black")[outcome.winner]
                reasons[outcome.reason] += 1
            for key, count in {"games": 1, result: 1, "plies": len(game.plies), "choices": choices_of(game)}.items():
                totals[key] += count
    return {"limit": settings.engines[0].control.to_text()} | totals | {"reasons": dict(sorted(reasons.items()))}


def choices_of(game: PlayedGame) -> int:
    """Return the total number of legal moves over all positions of a game in which a move was made."""
    position, choices = game.start, 0
    for ply in game.plies:
        choices += len(position.packed_moves)
        position = position.after(position.parse_move(ply.text))
    return choices


def weaker_record(path: Path) -> dict[str, Any]:
    """Return the totals of the games in the database of a match against depth 1."""
    keys = ("games", "won", "drawn by passes", "drawn otherwise", "unfinished", "lost", "plies", "passes")
    totals = dict.fromkeys(keys, 0)
    with Store(path, writing=False) as store:
        settings = stored_settings(store)
        for record in stored_games(store, settings):
            outcome, full = record.game.outcome, record.fixture.black == 0
            passes = [ply.text == "pass" for ply in record.game.plies]
            if outcome.winner is not None:
                result = "won" if outcome.winner == full else "lost"
            elif outcome.termination is Termination.ADJUDICATION:
                result = "unfinished"
            else:
                result = "drawn by passes" if passes[-2:] == [True, True] else "drawn otherwise"
            for key, count in {"games": 1, result: 1, "plies": len(passes), "passes": sum(passes)}.items():
                totals[key] += count
    return {"limit": settings.engines[0].control.to_text()} | totals


def recorded() -> dict[str, dict[str, Any]]:
    """Return the records of self-play and of the matches against depth 1, each by ruleset."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return {SELF_PLAY: {}, WEAKER: {}} | found


def store_record(kind: str, name: str, entry: dict[str, Any]) -> None:
    records = recorded()
    records[kind][name] = entry
    records[kind] = {each: records[kind][each] for each in ludii_variants() if each in records[kind]}
    RESULTS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    write_tables(family_tables())


def family_tables() -> dict[str, str]:
    """Return the tables of the rules, of self-play and of the matches against depth 1; without incomplete runs."""
    rules = []
    for name, ruleset in ludii_variants().items():
        few = {0: "-", 1: "none left"}.get(ruleset.fewest_men, f"fewer than {ruleset.fewest_men}")
        files, ranks = ruleset.default_size
        rules.append([f"`{name}`", f"{files}x{ranks}", men_of(ruleset), moves_of(ruleset), captures_of(ruleset), few,
                      no_move_of(ruleset)])  # fmt: skip
    self_play, weaker = [], []
    for name, one in recorded()[SELF_PLAY].items():
        shares = [f"{100 * one[key] / one['games']:.0f}%" for key in ("white", "black", "draws", "unfinished")]
        self_play.append([f"`{name}`", one["games"], f"{one['plies'] / one['games']:.0f}",
                          f"{one['choices'] / one['plies']:.1f}", *shares])  # fmt: skip
    for name, one in recorded()[WEAKER].items():
        drawn = one["drawn by passes"] + one["drawn otherwise"]
        score = (one["won"] + (drawn + one["unfinished"]) / 2) / one["games"]
        weaker.append([f"`{name}`", one["limit"], one["games"], one["won"], drawn, one["unfinished"], one["lost"],
                       f"{score:.0%}", f"{one['plies'] / one['games']:.0f}", f"{one['passes'] / one['plies']:.1%}"])
    return {
        "comparison": markdown(["game", "board", "pieces a side", "moves", "captures", "too few", "no legal move"],
                               rules),
        "measured": markdown(["game", "games", "plies", "legal moves", "White wins", "Black wins", "draws",
                              "unfinished"], self_play),
        "weaker": markdown(["game", "limit", "games", "won", "drawn", "unfinished", "lost", "score", "plies",
                            "passes"], weaker),
    }  # fmt: skip


def men_of(ruleset: Ruleset) -> str:
    start = Position.start(ruleset)
    count = ruleset.hand or sum(start.piece_at(square) == "S" for square in range(start.geometry.squares))
    return f"{count}{' and dux' if ruleset.dux != 'none' else ''}{', placed' if ruleset.hand else ''}"


def moves_of(ruleset: Ruleset) -> str:
    parts = [{"slide": "slide", "step": "step"}[ruleset.soldier_move]]
    if ruleset.directions == "all":
        parts[0] += " in eight directions"
    if ruleset.soldier_jump != "none":
        over = "any piece" if ruleset.jump_over == "all" else "an enemy"
        parts.append(f"{'chains of hops' if ruleset.soldier_jump == 'chain' else 'hop'} over {over}")
    if ruleset.dux_jump != "none":
        parts.append("dux hops over an enemy")
    return "; ".join(parts)


def captures_of(ruleset: Ruleset) -> str:
    parts = ["between two" if ruleset.capture_effect == "remove" else "bound between two, then captured"]
    parts += ["corner"] * ruleset.corner + ["corners are hostile"] * ruleset.hostile_corners
    parts += ["must go on"] * (ruleset.capture_chain == "forced")
    return "; ".join(parts)


def no_move_of(ruleset: Ruleset) -> str:
    ties = ", Black if equal" * (ruleset.equal_men == "black")
    return {"loss": "loses", "pass": "passes", "most_men": f"more pieces win{ties}"}[ruleset.no_move]


def add_family(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--games", type=int, required=True, metavar="N", help="games for each ruleset")
    add("--weaker", action="store_true", help="play against depth 1, not self-play")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=int, default=2000, metavar="N", help="nodes per move (default: 2000)")
    limit.add_argument("--movetime", type=int, default=0, metavar="MS", help="milliseconds per move instead")
    add("--max-plies", type=int, default=MAX_PLIES, metavar="N",
        help=f"plies after which a game is unfinished (default: {MAX_PLIES})")  # fmt: skip
    add("--only", action="append", choices=list(ludii_variants()), metavar="NAME",
        help="only this ruleset; may be repeated (default: all)")  # fmt: skip
    add("--concurrency", type=int, default=1, metavar="N", help="processes (default: 1)")
    add("--folder", type=Path, default=ROOT / "build" / "family",
        help="where the databases are (default: build/family)")  # fmt: skip


def calibrate_family(options: argparse.Namespace) -> None:
    """Play the missing games, record the statistics of each ruleset when its games are over, and write the tables.

    In self-play, each game starts with a few random plies, which differ from game to game. The matches with
    ``--weaker`` are played in pairs with both colours, from random openings.
    """
    if options.weaker and options.games % 2:
        options.error(f"--games {options.games}: odd; expected an even number, as --weaker plays with both colours")
    names = options.only or list(ludii_variants())
    kind, record_of = (WEAKER, weaker_record) if options.weaker else (SELF_PLAY, self_play_record)
    paths = play_matches([match_of(name, options) for name in names], options.concurrency)
    for name, path in zip(names, paths, strict=True):
        entry = record_of(path)
        store_record(kind, name, entry)
        print(f"{name}: {json.dumps(entry)}", flush=True)


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
)  # fmt: skip
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
               for command, role in zip(commands, ("attacker", "defender"), strict=True)]  # fmt: skip
    game = Game(Position.from_fen(ruleset(case.variant, case.file), case.fen))
    play_on(game, dict(zip(sides, zip(engines, nodes, strict=True), strict=True)))
    outcome = game.outcome()
    winner = None if outcome is None else outcome.winner
    return {
        "variant": case.label, "fen": case.fen, "score": 0.5 if winner is None else float(winner == case.ahead),
        "plies": len(game.moves), "how": f"{CONVERSION_PLIES} plies" if outcome is None else outcome.termination.value,
        "pieces": tuple(count(game.position, side) for side in sides),
    }  # fmt: skip


def count(position: Position, side: int) -> int:
    own, opp, _, _, to_move, *_, hand = position.board
    pieces = own if to_move == side else opp
    return (pieces & position.geometry.base).bit_count() + pieces_in_hand(hand, side)


def ahead(position: Position) -> int | None:
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
                          "positions": [[case.fen, "wb"[case.ahead]] for case in cases.values()]})  # fmt: skip
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
            f" {mean(won) if won else 0:.0f} | {how or '-'} |")  # fmt: skip


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
            for key, values, default, meaning in documentation()]  # fmt: skip
    conditions = [[", ".join(f"`{key}`" for key in names.split(", ")), words] for names, words, _ in CONDITIONS]
    measures = [[each.name, each.label, each.meaning] for each in MEASURES]
    return {"keys": markdown(["key", "value", "default", "meaning"], keys),
            "combinations": markdown(["keys", "condition"], conditions),
            "measures": markdown(["column", "row", "meaning"], measures)}  # fmt: skip


def all_tables() -> list[dict[str, str]]:
    data = levels.read_data()
    return [levels.level_tables(data["levels"]) | levels.chance_tables(data["results"]), family_tables(),
            variant_tables()]  # fmt: skip


def rewrite_tables(options: argparse.Namespace) -> None:
    for tables in all_tables():
        write_tables(tables)


COMMANDS: dict[str, Command] = {
    "levels": (levels.add_levels, levels.calibrate_levels),
    "chances": (levels.add_chances, levels.calibrate_chances),
    "family": (add_family, calibrate_family),
    "conversion": (add_conversion, calibrate_conversion),
    "accuracy": (add_accuracy, calibrate_accuracy),
    "tables": (lambda parser: None, rewrite_tables),
}
AT_LEAST_1 = ("games", "fit_games", "nodes", "defender_nodes", "max_plies", "concurrency", "limit", "positions", "grid")


def main(words: list[str] | None = None) -> int:
    return run_command(__doc__, COMMANDS, words, AT_LEAST_1)


if __name__ == "__main__":
    sys.exit(main())
