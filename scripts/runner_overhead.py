"""Measure the overhead of the match runner: a match of two engines that answer at once, with referee and database.

    python3 scripts/runner_overhead.py [--games N] [--plies N] [--concurrency N] [--think-ms N] [--profile]
                                       [--fastchess PATH]

The engines are ``tests/fakes/instant_engine.py`` with a sequence of random moves from a fixed seed. With
``--think-ms 100`` they wait before they answer, which gives the processor use of the runner in a real match.
``--fastchess`` also measures fastchess, with the same engine playing chess moves.
"""

import argparse
import cProfile
import pstats
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # after an installed package

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.database import begin
from latrones_uci.match.events import Event, GameFinished
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import GameTask, TaskResult, local_workplace

INSTANT_ENGINE = Path(__file__).resolve().parent.parent / "tests" / "fakes" / "instant_engine.py"
_PROFILE_LINES = 30


class Meter:
    """Measure time and memory from the end of the first game on, when the engines run and all modules are loaded."""

    def __init__(self, plies: int) -> None:
        self.plies, self.games = plies, 0
        self.wall_s = self.cpu_s = 0.0
        self.peak_kb: list[int] = []

    def __call__(self, event: Event) -> None:
        if not isinstance(event, GameFinished):
            return
        game = event.record.game
        if len(game.plies) != self.plies:
            sys.exit(f"a game ended early: {game.outcome.termination.value} ({game.outcome.details})")
        if not self.peak_kb:
            self.started = (time.perf_counter(), time.process_time())
        else:
            self.games += 1
            self.wall_s, self.cpu_s = time.perf_counter() - self.started[0], time.process_time() - self.started[1]
        self.peak_kb.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=600, help="number of measured games (default: 600)")
    parser.add_argument("--plies", type=int, default=60, help="length of a game in plies (default: 60)")
    parser.add_argument("--concurrency", type=int, default=1, help="games at a time (default: 1)")
    parser.add_argument("--think-ms", type=int, default=0,
                        help="delay of the engines before each move in milliseconds (default: 0)")  # fmt: skip
    parser.add_argument("--variant", default="latrones", help="variant (default: latrones)")
    parser.add_argument("--profile", action="store_true", help="print a profile of the runner")
    parser.add_argument("--fastchess", metavar="PATH", help="also measure this fastchess binary")
    arguments = parser.parse_args()
    if arguments.fastchess and arguments.plies != len(CHESS_MOVES):
        parser.error(f"--plies {arguments.plies}: expected {len(CHESS_MOVES)} with --fastchess")
    moves = random_moves(Position.start(find_variant(arguments.variant)), arguments.plies)
    command = instant_engine(arguments.think_ms, moves)
    engine = EngineSettings(command, TimeControl(base_ms=60_000, increment_ms=1000))
    settings = TournamentSettings(
        (engine, engine),
        (VariantSettings(arguments.variant),),
        games=arguments.games + 1,
        openings="random:0",
        concurrency=arguments.concurrency,
        limits=GameLimits(max_plies=arguments.plies),
    )
    meter = Meter(arguments.plies)
    profile = cProfile.Profile() if arguments.profile else None
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "match.db"), writing=True) as store:
        run(settings, store, meter, profile)
    plies = meter.games * arguments.plies
    print(f"{meter.games} games of {arguments.plies} plies ({arguments.variant}), {arguments.concurrency} at a time, in"
          f" {meter.wall_s:.2f} s")
    print(f"{meter.games / meter.wall_s:.1f} games/s, {meter.wall_s / plies * 1e6:.1f} us per ply")
    print(f"CPU time of the runner: {meter.cpu_s / plies * 1e6:.1f} us per ply,"
          f" {meter.cpu_s / meter.wall_s:.2%} of the time")
    half = len(meter.peak_kb) // 2
    growth = (meter.peak_kb[-1] - meter.peak_kb[half]) / max(len(meter.peak_kb) - 1 - half, 1)
    print(f"memory growth over the second half: {growth * 1000 / 1024:.2f} MB per 1,000 games")
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(_PROFILE_LINES)
    if arguments.fastchess:
        print_fastchess(arguments.fastchess, arguments.games, arguments.concurrency, arguments.think_ms)


def instant_engine(think_ms: int, moves: Sequence[str]) -> tuple[str, ...]:
    """Return the command of an engine that plays these moves."""
    return (sys.executable, "-I", "-S", str(INSTANT_ENGINE), f"--think-ms={think_ms}", *moves)


def print_fastchess(path: str, games: int, concurrency: int, think_ms: int) -> None:
    """Measure a match of fastchess; a shorter one first, to subtract the time until the engines run."""
    command = instant_engine(think_ms, CHESS_MOVES)
    engine = [f"cmd={command[0]}", f"args={' '.join(command[1:])}"]
    seconds = []
    rounds = (10, 10 + games // 2)
    for count in rounds:
        words = [
            path, "-engine", *engine, "name=A", "-engine", *engine, "name=B", "-each", "tc=60+1", "proto=uci",
            "-rounds", str(count), "-games", "2", "-concurrency", str(concurrency), "-force-concurrency",
            "-maxmoves", str(len(CHESS_MOVES) // 2), "-ratinginterval", "0",
        ]  # fmt: skip
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        seconds.append(time.perf_counter() - begun)
        if done.returncode or re.findall(r"Draws: *(\d+)", done.stdout)[-1:] != [str(2 * count)]:
            sys.exit(f"fastchess: expected {2 * count} draws: {(done.stdout + done.stderr)[-2000:]}")
    played, wall_s = 2 * (rounds[1] - rounds[0]), seconds[1] - seconds[0]
    print(f"fastchess: {played / wall_s:.1f} games/s, {wall_s / (played * len(CHESS_MOVES)) * 1e6:.1f} us per ply")


def run(settings: TournamentSettings, store: Store, meter: Meter, profile: cProfile.Profile | None) -> None:
    """Play the match. The profile covers the playing thread: with one game at a time, everything but the database."""
    interrupt = threading.Event()
    sys.setswitchinterval(0.0005)  # the same as in matches
    with local_workplace(settings.concurrency, interrupt.is_set) as (executor, play):
        named = begin(settings, store, executor, play, "2024-01-01T00:00:00Z")

        def profiled(task: GameTask) -> TaskResult:
            return play(task) if profile is None else profile.runcall(play, task)

        Tournament(named, store, meter, interrupt).run(executor, profiled)


def _chess_moves() -> list[str]:
    """Return 60 plies of chess without a capture, a check or a repetition: pawns advance, then a rook walks around."""
    plies = [f"{file}{2 + step}{file}{3 + step}" for step in (0, 1) for file in "abcdefgh"]
    walk = ["a1", "a2", "a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3", "h2", "g2", "f2", "e2", "d2"]
    plies += [origin + to for origin, to in pairwise(walk)]
    mirrored = str.maketrans("12345678", "87654321")
    return [move for white in plies for move in (white, white.translate(mirrored))]


CHESS_MOVES = _chess_moves()


def random_moves(start: Position, plies: int) -> list[str]:
    """Return random moves after which the game is not over."""
    generator = random.Random(0)
    while True:
        game = Game(start)
        texts: list[str] = []
        while len(texts) < plies and (moves := game.legal_moves()):
            move = generator.choice(moves)
            texts.append(game.position.move_text(move))
            game.play(move)
        if game.outcome() is None:
            return texts


if __name__ == "__main__":
    main()
