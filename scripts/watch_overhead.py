"""Measure what the page of a running match costs: processor time of the page's process and of the runner's part.

    python3 scripts/watch_overhead.py [--boards N] [--rate MOVES_PER_SECOND] [--seconds S]

The games are simulated: recorded moves are reported at a fixed rate, as the threads of a runner report them. One page
is open, which reads the events and draws nothing.
"""

import argparse
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # after an installed package

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.match.events import GameStarted
from latrones_uci.match.game import Turn
from latrones_uci.match.live import LiveGames
from latrones_uci.match.plan import Fixture
from latrones_uci.match.record import PlyRecord
from latrones_uci.match.serialize import serialize
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store, StoredEngine
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.web.watch.live_channel import live_channel

_CLOCK_NS = 10_000_000_000
_LEAST_PLIES = 60
_WARM_UP_S = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=16, help="running games (default: 16)")
    parser.add_argument("--rate", type=float, default=2.0, help="moves per second in each game (default: 2)")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long to measure (default: 30)")
    arguments = parser.parse_args()
    games = {number: recorded_plies(number) for number in range(1, arguments.boards + 1)}
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "match.db")
        start_match(database)
        live = LiveGames()
        for number in games:
            live(GameStarted(Fixture(number, number, 0, 0, 0, 0, 1), ("A", "B"), start().fen()))
        with live_channel(database, live):
            measure(database, live, games, arguments)


def measure(database: Path, live: LiveGames, games: dict[int, list[PlyRecord]], arguments: argparse.Namespace) -> None:
    command = [*OWN_ENGINE, "watch", str(database), "--no-browser", "--until-eof"]
    stop = threading.Event()
    reporting = threading.Thread(target=report, args=(live, games, arguments.rate, stop))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as page:
        assert page.stdin is not None
        assert page.stdout is not None
        _, _, host, token, _ = page.stdout.readline().split()[-1].split("/")
        reporting.start()
        time.sleep(_WARM_UP_S)
        alone_s = measured(time.process_time, arguments.seconds)
        name, port = host.split(":")
        with socket.create_connection((name, int(port))) as connection:
            words = f"GET /{token}/events?stream=a&tables=match HTTP/1.1\r\nHost: {host}\r\n\r\n"
            connection.sendall(words.encode())
            threading.Thread(target=drain, args=(connection,), daemon=True).start()
            time.sleep(_WARM_UP_S)
            before_s = time.process_time()
            page_s = measured(lambda: processor_time(page.pid), arguments.seconds)
            runner_s = (time.process_time() - before_s) / arguments.seconds
        stop.set()
        reporting.join()
        page.stdin.close()
    moves = arguments.boards * arguments.rate
    print(f"{arguments.boards} boards, {moves:g} moves/s, one page open, in percent of a core:")
    print(f"  process of the page: {page_s:.2%}")
    print(f"  runner, in addition: {max(runner_s - alone_s, 0):.2%}")


def measured(read: Callable[[], float], seconds: float) -> float:
    """Return the growth of a value per second."""
    before = read()
    time.sleep(seconds)
    return (read() - before) / seconds


def processor_time(process_id: int) -> float:
    """Return the processor time of another process in seconds."""
    fields = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(live: LiveGames, games: dict[int, list[PlyRecord]], rate: float, stop: threading.Event) -> None:
    played = 0
    while not stop.wait(1 / rate):
        played += 1
        for number, plies in games.items():
            live.report(number, Turn(plies, played % len(plies), (_CLOCK_NS, _CLOCK_NS), time.monotonic_ns()))


def drain(connection: socket.socket) -> None:
    try:
        while connection.recv(65536):
            pass
    except OSError:
        return  # the measurement is over


def start() -> Position:
    return Position.start(find_variant("latrones"))


def recorded_plies(seed: int) -> list[PlyRecord]:
    """Return a game of random moves."""
    choice = random.Random(seed)
    while True:
        game, plies = Game(start()), []
        while len(plies) < 300 and game.outcome() is None:
            position = game.position
            text = position.move_text(choice.choice(game.legal_moves()))
            info = SearchInfo(8, score=Score(20), nodes=5000)
            plies.append(PlyRecord(position.side, position.movenumber, text, 5_000_000, None, _CLOCK_NS, info))
            game.play(text)
        if len(plies) >= _LEAST_PLIES:
            return plies


def start_match(database: Path) -> None:
    control = TimeControl(base_ms=60_000, increment_ms=100)
    settings = TournamentSettings(tuple(EngineSettings((name,), control, name) for name in "AB"), games=1000)
    engines = [StoredEngine(name, name, "", (name,), "") for name in "AB"]
    with Store(database, writing=True) as store:
        store.begin(serialize(settings), engines, "2024-01-01T00:00:00Z", "scripts/watch_overhead.py")


if __name__ == "__main__":
    main()
