"""What the match runner costs: games of two engines that answer at once, in games a second and CPU a ply.

    python3 scripts/runner_overhead.py [--games N] [--plies N] [--profile]

The engines are ``tests/fakes/instant_engine.py`` with a line of moves that this script draws by lot from a fixed seed.
"""

import argparse
import cProfile
import pstats
import random
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from latrones_uci.game import Game, Position, find_variant
from latrones_uci.match.controller import EngineController
from latrones_uci.match.game_play import Player, play_game
from latrones_uci.match.settings import EngineSettings, GameLimits, Timeouts
from latrones_uci.match.time_control import TimeControl

INSTANT_ENGINE = Path(__file__).resolve().parent.parent / "tests" / "fakes" / "instant_engine.py"
_WARM_UP_GAMES = 3
_PROFILE_LINES = 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--plies", type=int, default=60)
    parser.add_argument("--variant", default="latrones")
    parser.add_argument("--profile", action="store_true", help="print where the runner spends its time")
    arguments = parser.parse_args()
    start = Position.start(find_variant(arguments.variant))
    moves = long_line(start, arguments.plies)
    control = TimeControl(base_ms=60_000, increment_ms=100)
    settings = EngineSettings((sys.executable, "-I", "-S", str(INSTANT_ENGINE), *moves), control)
    engines = [EngineController(settings, {}, Timeouts(), lambda: False) for _ in range(2)]
    try:
        players = (Player(engines[0], control), Player(engines[1], control))
        limits = GameLimits(max_plies=arguments.plies)
        for _ in range(_WARM_UP_GAMES):
            game = play_game(start, players, limits)
            if len(game.plies) != arguments.plies:
                sys.exit(f"a game ended early: {game.termination.value} ({game.details})")
        profile = cProfile.Profile() if arguments.profile else None
        peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        if profile is not None:
            profile.enable()
        for _ in range(arguments.games):
            play_game(start, players, limits)
        if profile is not None:
            profile.disable()
        wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    finally:
        for engine in engines:
            engine.quit()
    plies = arguments.games * arguments.plies
    print(f"{arguments.games} games of {arguments.plies} plies ({arguments.variant}) in {wall_s:.2f} s")
    print(f"{arguments.games / wall_s:.1f} games/s, {wall_s / plies * 1e6:.1f} us a ply")
    print(f"CPU of the runner: {cpu_s / plies * 1e6:.1f} us a ply")
    print(f"growth of its memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_kb} kB")
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(_PROFILE_LINES)


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
        if game.result() is None:
            return texts


if __name__ == "__main__":
    main()
