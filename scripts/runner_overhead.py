"""What the match runner costs: a match of two engines that answer at once, with referee and database.

    python3 scripts/runner_overhead.py [--games N] [--plies N] [--concurrency N] [--think-ms N] [--profile]

The engines are ``tests/fakes/instant_engine.py`` with a line of moves that this script draws by lot from a fixed seed.
``--think-ms 100`` lets them wait before they answer: what the runner then uses of a processor is its share of a match.
"""

import argparse
import cProfile
import pstats
import random
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.database import begin
from latrones_uci.match.events import Event, GameFinished
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import GameTask, TaskResult, local_workplace
from latrones_uci.records.store import Store

INSTANT_ENGINE = Path(__file__).resolve().parent.parent / "tests" / "fakes" / "instant_engine.py"
_PROFILE_LINES = 30


class Meter:
    """Takes the time and the memory from the first finished game on, when the engines run and all is loaded."""

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
            self.begun = (time.perf_counter(), time.process_time())
        else:
            self.games += 1
            self.wall_s, self.cpu_s = time.perf_counter() - self.begun[0], time.process_time() - self.begun[1]
        self.peak_kb.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--plies", type=int, default=60)
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--think-ms", type=int, default=0)
    parser.add_argument("--variant", default="latrones")
    parser.add_argument("--profile", action="store_true", help="print where the runner spends its time")
    arguments = parser.parse_args()
    moves = long_line(Position.start(find_variant(arguments.variant)), arguments.plies)
    command = (sys.executable, "-I", "-S", str(INSTANT_ENGINE), f"--think-ms={arguments.think_ms}", *moves)
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
    print(f"{meter.games / meter.wall_s:.1f} games/s, {meter.wall_s / plies * 1e6:.1f} us a ply")
    print(f"CPU of the runner: {meter.cpu_s / plies * 1e6:.1f} us a ply, {meter.cpu_s / meter.wall_s:.2%} of the time")
    half = len(meter.peak_kb) // 2
    growth = (meter.peak_kb[-1] - meter.peak_kb[half]) / max(len(meter.peak_kb) - 1 - half, 1)
    print(f"growth of its memory over the second half: {growth * 1000 / 1024:.2f} MB for 1,000 games")
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(_PROFILE_LINES)


def run(settings: TournamentSettings, store: Store, meter: Meter, profile: cProfile.Profile | None) -> None:
    """Plays the match; profiled is the thread that plays, which with one game at a time is all but the database."""
    interrupt = threading.Event()
    with local_workplace(settings.concurrency, interrupt.is_set) as (executor, play):
        named = begin(settings, store, executor, play, "2024-01-01T00:00:00Z")

        def profiled(task: GameTask) -> TaskResult:
            return play(task) if profile is None else profile.runcall(play, task)

        Tournament(named, store, meter, interrupt).run(executor, profiled)


def long_line(start: Position, plies: int) -> list[str]:
    """Moves by lot, so many of them, after which the game has not ended."""
    chance = random.Random(0)
    while True:
        game = Game(start)
        texts: list[str] = []
        while len(texts) < plies and (moves := game.legal_moves()):
            move = chance.choice(moves)
            texts.append(game.position.move_text(move))
            game.play(move)
        if game.outcome() is None:
            return texts


if __name__ == "__main__":
    main()
