#!/usr/bin/env python3
"""Measure the engine, the page and the match runner. Only ``soak`` checks limits.

    measure.py latency   response times of the engine, idle and with a busy process on every core; its start; its memory
    measure.py page      the board page in a browser: first paint, board, a move on 16x16, an engine's answer
    measure.py runner    overhead of the match runner per ply, with engines that answer at once
    measure.py watch     cost of the page of a running match: its process, and the runner's part
    measure.py soak      endless fast games between both kernels: losses, leaks, zombies; status 1 if there are any

Each has ``--help``. The package measured is the installed one, or that of the checkout if none is installed.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from base import (
    ROOT,
    Command,
    busy_processes,
    children,
    command_of,
    percentile,
    processor_time,
    run_command,
    status_of,
)
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, ProtocolName
from latrones_uci.client.processors import processors
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings, setup_options, start_position
from latrones_uci.game import Game, Position, Termination, builtin_variants, find_variant
from latrones_uci.match.events import GameFinished, GameStarted, LiveGames, MatchEvent, Warned
from latrones_uci.match.game import Player, Turn, play_game
from latrones_uci.match.processes import ProcessPlace, core_sets
from latrones_uci.match.run import play
from latrones_uci.match.summary import render_summary
from latrones_uci.match.worker import GameWorker, Place
from latrones_uci.records.plan import Fixture, Format
from latrones_uci.records.record import GameTask, Identity, PlyRecord, TaskResult
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.records.store import Store, StoredEngine
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.match.running import write_running_games

# ---------------------------------------------------------------- latency of the engine

POSITIONS = (
    ("latrones", "startpos"),
    ("latrones", "fen ssss2ss/4s3/8/D4s2/2d3SS/1S1S4/4S3/S1S2S2 w 18 10"),
    ("latrones", "fen ssssssssssss/5d6/12/12/12/12/6D5/SSSSSSSSSSSS w 0 1"),
    ("latrunculi-classical", "fen s5s3/5D1s2/4d3s1/3s1s1S2/2s3S1Ss/1s3S4/3S3S2/1SS6S b 5 20"),
    ("latrones", "fen 4S5ss4/16/16/7s8/3S8s2D/6s1S1s3S1/2S6s6/10S5/4s11/2d4S8/5s10/16/S12s2/6S9/16/5S5s4 w 9 51"),
    ("bell", "fen S1s1S2s/SS3Ss1/DS1SS3/1ss2s1s/ss4SS/s3S2S/1d1sSSss[-] b 4 17"),
)
MIN_S, MAX_S = 0.005, 0.035
"""Range of the random pause before each measured command."""


class Engine:
    """The engine as a child process, which ends with the block."""

    def __init__(self, backend: str) -> None:
        self.process = subprocess.Popen([*OWN_ENGINE, "--backend", backend], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.communicate()

    def send(self, line: str) -> None:
        assert self.process.stdin
        print(line, file=self.process.stdin, flush=True)

    def wait_for(self, start: str) -> str:
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(start):
                return line
        raise SystemExit(f"the engine exited before '{start}'")

    def time_of(self, line: str, start: str) -> float:
        """Send a line; return the milliseconds until the answer that begins with ``start`` has been read."""
        started = time.perf_counter()
        self.send(line)
        self.wait_for(start)
        return (time.perf_counter() - started) * 1000

    def set_position(self, number: int) -> None:
        variant, position = POSITIONS[number % len(POSITIONS)]
        self.send(f"setoption name UCI_Variant value {variant}")
        self.send(f"position {position}")
        self.time_of("isready", "readyok")


def stop_times(backend: str, count: int, command: str = "go infinite", answer: str = "bestmove") -> list[float]:
    pauses = random.Random(1)
    times = []
    with Engine(backend) as engine:
        for number in range(count):
            engine.set_position(number)
            engine.send(command)
            time.sleep(pauses.uniform(MIN_S, MAX_S))
            times.append(engine.time_of("stop", answer))
    return times


def ready_times(backend: str, count: int) -> list[float]:
    pauses = random.Random(2)
    times = []
    with Engine(backend) as engine:
        for number in range(len(POSITIONS)):
            engine.set_position(number)
            engine.send("go infinite")
            for _ in range(number, count, len(POSITIONS)):
                time.sleep(pauses.uniform(MIN_S, MAX_S))
                times.append(engine.time_of("isready", "readyok"))
            engine.send("stop")
            engine.wait_for("bestmove")
    return times


def start_times(backend: str, count: int) -> list[float]:
    times = []
    for _ in range(count):
        started = time.perf_counter()
        with Engine(backend) as engine:
            engine.time_of("uci", "uciok")
            times.append((time.perf_counter() - started) * 1000)
    return times


def print_row(name: str, load: str, times: list[float]) -> None:
    print(f"{name:<32} {load:<7} {len(times):>6} {statistics.median(times):>9.2f} {percentile(times, 99):>9.2f}"
          f" {max(times):>9.2f}", flush=True)


def add_latency(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", type=int, default=1000, help="number of measurements of each time (default: 1000)")
    parser.add_argument("--backend", choices=("python", "native"), action="append",
                        help="kernel to measure; may be repeated (default: the one that plays)")
    parser.add_argument("--starts", type=int, default=15, help="number of program starts (default: 15)")


def measure_latency(options: argparse.Namespace) -> None:
    """Print p50, p99 and maximum of each time, in milliseconds."""
    if options.n < 1 or options.starts < 1:
        options.error("-n and --starts need a number from 1")
    cores, count = os.cpu_count() or 1, options.n
    print(f"{cores} cores, Python {sys.version.split()[0]}; loaded: with {cores} busy processes")
    print(f"{'milliseconds':<32} {'':<7} {'times':>6} {'p50':>9} {'p99':>9} {'max':>9}")
    for backend in options.backend or ["auto"]:
        with Engine(backend) as engine:
            engine.send("uci")
            print(engine.wait_for("info string kernel").removeprefix("info string ").strip())
        for load, busy in (("idle", 0), ("loaded", cores)):
            with busy_processes(busy):
                print_row("stop -> bestmove", load, stop_times(backend, count))
                perft = stop_times(backend, count, "go perft 50", "info string perft")
                print_row("stop -> perft stopped", load, perft)
                print_row("isready -> readyok, searching", load, ready_times(backend, count))
        print_row("start -> uciok", "idle", start_times(backend, options.starts))
        with Engine(backend) as engine:
            engine.time_of("isready", "readyok")
            memory_kb, _ = status_of(engine.process.pid)
        print(f"memory after isready: {memory_kb * 1024 / 1e6:.1f} MB (Hash at its default)")


# ---------------------------------------------------------------- the page in a browser

# The clicks are native browser events. Both times of a move are taken by the clock of the page: the release of the
# pointer, and the first frame after the answer is drawn.
WATCH = """
window.released = 0; window.answers = [];
document.addEventListener("pointerup", () => { window.released = performance.now(); }, true);
let shown = 0;
new MutationObserver(() => {
  const plies = document.querySelectorAll(".moves [data-ply]").length;
  if (plies > shown && plies % EVERY === 0) {
    const released = window.released;
    requestAnimationFrame(() => window.answers.push(performance.now() - released));
  }
  shown = plies;
}).observe(document.querySelector(".moves"), {childList: true});
"""

WATCH_BOARD = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".stage .board-men use")) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.boardShown = performance.now(); });
}).observe(document, {childList: true, subtree: true});
"""
LOADED = """
const paints = performance.getEntriesByName("first-contentful-paint");
if (!window.boardShown || !paints.length) return null;
const found = performance.getEntriesByType("resource").filter(({name}) => !name.includes("/events?"));
const [page] = performance.getEntriesByType("navigation");
return [paints[0].startTime, window.boardShown, found.length + 1,
        found.reduce((sum, {transferSize}) => sum + transferSize, page.transferSize)];
"""
PEOPLE: list[dict[str, object]] = [{"kind": "person"}, {"kind": "person"}]


def add_page(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--moves", type=int, default=30, help="number of measured moves (default: 30)")
    parser.add_argument("--movetime-ms", type=int, default=100,
                        help="thinking time of the engine in milliseconds (default: 100)")


def measure_page(options: argparse.Namespace) -> None:
    """Print milliseconds, requests and bytes; needs chromium, chromedriver and selenium."""
    from selenium import webdriver

    from latrones_uci.commands.gui import gui_config
    from latrones_uci.web.board.registry import GameRegistry
    from latrones_uci.web.board.server import Server

    server = Server(GameRegistry(gui_config([])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000"):
        settings.add_argument(argument)
    driver = webdriver.Chrome(options=settings, service=webdriver.ChromeService(shutil.which("chromedriver") or ""))
    try:
        loads = measure_loads(driver, server)
        paints, boards = ([load[at] for load in loads] for at in (0, 1))
        print(f"{len(loads)} loads, {loads[0][2]:.0f} requests, {loads[0][3] / 1000:.0f} kB;"
              f" first paint in ms: {summary(paints)}; board: {summary(boards)}")
        times = move_times(driver, server, options.moves, "16x16", PEOPLE)
        print(f"{len(times)} moves on 16x16; click to confirmed move in ms: {summary(times)}")
        engine: dict[str, object] = {"kind": "engine", "limit": "time", "movetime_ms": options.movetime_ms}
        times = move_times(driver, server, options.moves, "8x8", [PEOPLE[0], engine])
        print(f"{len(times)} moves at {options.movetime_ms} ms; click to answer in ms: {summary(times)}")
    finally:
        driver.quit()
        server.close()


def summary(times: list[float]) -> str:
    return (f"p50 {statistics.median(times):.0f}, min {min(times):.0f}, p90 {percentile(times, 90):.0f},"
            f" max {max(times):.0f}")


def measure_loads(driver: Any, server: Any, loads: int = 12) -> list[list[float]]:
    """Load the page as a new tab would; return first paint, board, requests and bytes of each load but the first."""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_BOARD})
    found = []
    for _ in range(loads):
        driver.get(server.url)
        found.append(wait(lambda: driver.execute_script(LOADED)))
        driver.execute_script("sessionStorage.clear()")
    return found[1:]


def move_times(driver: Any, server: Any, moves: int, size: str, players: list[dict[str, object]]) -> list[float]:
    """Make and take back first moves of latrones; return the milliseconds until the answer, or the move, is shown."""
    from selenium.webdriver import ActionChains

    driver.get(server.url)
    name = wait(lambda: driver.execute_script("return sessionStorage.getItem('latrones-table')"))
    table = server.registry.find(name)
    game = {"variant": "latrones", "size": size, "fen": "", "players": players}
    server.do({"do": "restart", "table": name, "game": game})
    files = int(size.split("x")[0])
    wait(lambda: len(driver.find_elements("css selector", ".stage .square")) == files * files)
    wait(lambda: driver.find_elements("css selector", ".square.movable"))
    driver.execute_script(WATCH.replace("EVERY", "1" if players == PEOPLE else "2"))
    legal = table.game.legal_moves()

    def answers() -> list[float]:
        return [float(ms) for ms in driver.execute_script("return window.answers")]

    while (number := len(answers())) <= moves:
        actions = ActionChains(driver, duration=0)
        for square in legal[number % len(legal)].squares:
            actions.click(driver.find_element("css selector", f'.stage [data-square="{square}"]'))
        actions.perform()
        wait(partial(lambda known: len(answers()) > known, number))
        server.do({"do": "undo", "table": name})
        wait(lambda: not driver.find_elements("css selector", ".moves [data-ply]"))
    return answers()[1:]  # the first one includes the start of the engine


def wait(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 20
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise SystemExit("timeout: the page does not respond")
        time.sleep(0.01)
    return value


# ---------------------------------------------------------------- overhead of the match runner

INSTANT_ENGINE = ROOT / "tests" / "fakes" / "instant_engine.py"


class Meter:
    """Measure time and memory from the end of the first games on, when the engines run and all modules are loaded."""

    def __init__(self, plies: int, skipped: int, games: int) -> None:
        self.plies, self.games, self.played = plies, games, -skipped
        self.wall_s = self.cpu_s = 0.0
        self.peak_kb: list[int] = []

    def __call__(self, event: MatchEvent) -> None:
        if not isinstance(event, GameFinished):
            return
        game = event.record.game
        if len(game.plies) != self.plies:
            sys.exit(f"a game ended early: {game.outcome.termination.value} ({game.outcome.details})")
        self.played += 1
        if self.played == 0:
            self.started = (time.perf_counter(), runner_cpu_s())
        elif self.played == self.games:
            self.wall_s, self.cpu_s = time.perf_counter() - self.started[0], runner_cpu_s() - self.started[1]
        self.peak_kb.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def runner_cpu_s() -> float:
    workers = [child for child in children() if "match.processes" in command_of(child)]
    return time.process_time() + sum(map(processor_time, workers))


def add_runner(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--games", type=int, default=600, help="number of measured games (default: 600)")
    add("--plies", type=int, default=60, help="length of a game in plies (default: 60)")
    add("--concurrency", type=int, nargs="+", default=[1], help="games at a time; several for a row each (default: 1)")
    add("--place", choices=("threads", "processes"),
        help="play the games in threads of this process, or in processes (default: as in a match, which plays several"
        " games at a time in processes)")
    add("--affinity", action="store_true", help="pin the engines of each game to processors, and so for fastchess")
    add("--think-ms", type=int, default=0,
        help="delay of the engines before each move in milliseconds (default: 0)")
    add("--variant", default="latrones", help="variant (default: latrones)")
    add("--profile", action="store_true", help="print a profile of the runner, of games in threads")
    add("--fastchess", metavar="PATH", help="also measure this fastchess binary, with the same engine and chess moves")


def measure_runner(options: argparse.Namespace) -> None:
    """Print the time per ply, games per second, the runner's processor time per ply, and the growth of memory.

    The engines play random moves from a fixed seed. With ``--think-ms 100`` they wait before they answer, which gives
    the processor use of the runner in a real match. A time per ply is that of all games together: half as long with two
    games at a time if nothing is shared.
    """
    if options.fastchess and options.plies != len(CHESS_MOVES):
        options.error(f"--plies {options.plies}: expected {len(CHESS_MOVES)} with --fastchess")
    print(f"{options.games} games of {options.plies} plies ({options.variant}), {processors()} processors; us per ply")
    heads = ["games at a time", "wall", "games/s", "CPU of the runner", "MB per 1,000 games"]
    if options.fastchess:
        heads += ["fastchess", "ratio"]
    print(" ".join(f"{head:>18}" for head in heads))
    for concurrency in options.concurrency:
        meter = play_instant_games(options, concurrency)
        count = meter.games * options.plies
        half = len(meter.peak_kb) // 2
        growth = (meter.peak_kb[-1] - meter.peak_kb[half]) / max(len(meter.peak_kb) - 1 - half, 1)
        ply_us = meter.wall_s / count * 1e6
        cpu = f"{meter.cpu_s / count * 1e6:.1f} ({meter.cpu_s / meter.wall_s:.0%})"
        row = [f"{concurrency}", f"{ply_us:.1f}", f"{meter.games / meter.wall_s:.1f}", cpu,
               f"{growth * 1000 / 1024:.2f}"]
        if options.fastchess:
            other_us = fastchess_ply_us(options, concurrency)
            row += [f"{other_us:.1f}", f"{ply_us / other_us:.2f}"]
        print(" ".join(f"{value:>18}" for value in row), flush=True)


def play_instant_games(options: argparse.Namespace, concurrency: int) -> Meter:
    plies = random_plies(options.variant, 0, options.plies, options.plies)
    command = instant_engine(options.think_ms, [str(ply.text) for ply in plies])
    engine = EngineSettings(command, TimeControl(base_ms=60_000, increment_ms=1000))
    settings = TournamentSettings(
        (engine, engine), (VariantSettings(options.variant),), games=options.games + 2 * concurrency,
        openings="random:0", concurrency=concurrency, limits=GameLimits(max_plies=options.plies),
    )
    meter = Meter(options.plies, 2 * concurrency, options.games)
    # The profile covers the playing thread: with one game at a time, everything but the database.
    profile = cProfile.Profile() if options.profile else None
    interrupt = threading.Event()
    sys.setswitchinterval(0.0005)  # the same as in matches
    cores = core_sets(concurrency, 1) if options.affinity else ()
    place = options.place or ("processes" if cores or concurrency > 1 and not profile else "threads")
    if place == "processes":
        where: Place = ProcessPlace(concurrency, interrupt.is_set, cores=cores)
    else:
        worker = GameWorker(interrupt.is_set, 2 * concurrency)
        playing: Callable[..., Any] = (
            worker.play if profile is None else partial(profile.runcall, worker.play))  # type: ignore[call-arg]
        where = Place(ThreadPoolExecutor(concurrency), playing)
    with tempfile.TemporaryDirectory() as folder, where:
        play(settings, Path(folder, "match.db"), where, meter, interrupt)
    if place != "processes":
        worker.close()
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    return meter


def instant_engine(think_ms: int, moves: Sequence[str]) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", str(INSTANT_ENGINE), f"--think-ms={think_ms}", *moves)


def fastchess_ply_us(options: argparse.Namespace, concurrency: int) -> float:
    """Measure a match of fastchess from the end of its first games on; it may notice its own end a second late."""
    command = instant_engine(options.think_ms, CHESS_MOVES)
    engine = [f"cmd={command[0]}", f"args={' '.join(command[1:])}"]
    skipped = 2 * concurrency
    games = 2 * (-(-(options.games + skipped) // 2))
    words = [
        options.fastchess, "-engine", *engine, "name=A", "-engine", *engine, "name=B", "-each", "tc=60+1",
        "proto=uci", "-rounds", str(games // 2), "-games", "2", "-concurrency", str(concurrency), "-force-concurrency",
        "-maxmoves", str(len(CHESS_MOVES) // 2), "-ratinginterval", "0",
        *(["-use-affinity"] if options.affinity else []),
    ]
    ended, lines = list[float](), list[str]()
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as match,
    ):
        assert match.stdout is not None
        for line in match.stdout:
            lines.append(line)
            if line.startswith("Finished game"):
                ended.append(time.perf_counter())
    output = "".join(lines)
    if match.returncode or re.findall(r"Draws: *(\d+)", output)[-1:] != [str(games)] or len(ended) != games:
        sys.exit(f"fastchess: expected {games} draws: {output[-2000:]}")
    return float((ended[-1] - ended[skipped - 1]) / ((games - skipped) * len(CHESS_MOVES)) * 1e6)


def _chess_moves() -> list[str]:
    """Return 60 plies of chess without a capture, a check or a repetition: pawns advance, then a rook walks around."""
    plies = [f"{file}{2 + step}{file}{3 + step}" for step in (0, 1) for file in "abcdefgh"]
    walk = ["a1", "a2", "a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3", "h2", "g2", "f2", "e2", "d2"]
    plies += [origin + to for origin, to in pairwise(walk)]
    mirrored = str.maketrans("12345678", "87654321")
    return [move for white in plies for move in (white, white.translate(mirrored))]


CHESS_MOVES = _chess_moves()


# ---------------------------------------------------------------- the page of a running match

_CLOCK_NS = 10_000_000_000
_WARM_UP_S = 3.0


def random_plies(variant: str, seed: int, least: int, most: int) -> list[PlyRecord]:
    """Return a game of random moves, of at least and at most these numbers of plies, which it need not end."""
    choice = random.Random(seed)
    while True:
        game, plies = Game(Position.start(find_variant(variant))), list[PlyRecord]()
        while len(plies) < most and game.outcome() is None:
            position = game.position
            text = choice.choice(game.legal_moves())
            info = SearchInfo(8, score=Score(20), nodes=5000)
            plies.append(PlyRecord(position.side, position.movenumber, text, 5_000_000, None, _CLOCK_NS, info))
            game.push(text)
        if len(plies) >= least and (len(plies) < most or game.outcome() is None):
            return plies


def add_watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--boards", type=int, default=16, help="running games (default: 16)")
    parser.add_argument("--rate", type=float, default=2.0, help="moves per second in each game (default: 2)")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long to measure (default: 30)")


def measure_watch(options: argparse.Namespace) -> None:
    """Print the processor time of the page's process, and what writing the moves to it adds to that of the runner.

    The games are simulated: recorded moves are reported at a fixed rate, as the threads of a runner report them. One
    page is open, which reads the events and draws nothing.
    """
    games = {number: random_plies("latrones", number, 60, 300) for number in range(1, options.boards + 1)}
    control = TimeControl(base_ms=60_000, increment_ms=100)
    settings = TournamentSettings(tuple(EngineSettings((name,), control, name) for name in "AB"), games=1000)
    engines = [StoredEngine(name, name, "", (name,), "") for name in "AB"]
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "match.db")
        with Store(database, writing=True) as store:
            store.begin(serialize(settings), engines, "2024-01-01T00:00:00Z", "scripts/measure.py")
        live, start = LiveGames(), Position.start(find_variant("latrones")).fen()
        for number in games:
            live(GameStarted(Fixture(number, number, 0, 0, 0, 0, 1), ("A", "B"), start))
        watch_match(database, live, games, options)


def watch_match(
    database: Path, live: LiveGames, games: dict[int, list[PlyRecord]], options: argparse.Namespace
) -> None:
    command = [*OWN_ENGINE, "watch", str(database), "--no-browser", "--until-eof"]
    stop = threading.Event()
    reporting = threading.Thread(target=report_moves, args=(live, games, options.rate, stop))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as page:
        assert page.stdin is not None
        assert page.stdout is not None
        _, _, host, token, _ = page.stdout.readline().split()[-1].split("/")
        reporting.start()
        time.sleep(_WARM_UP_S)
        alone_s = measured(time.process_time, options.seconds)
        writing = threading.Thread(target=write_running_games, args=(live, page.stdin, stop))
        writing.start()
        name, port = host.split(":")
        with socket.create_connection((name, int(port))) as connection:
            words = f"GET /{token}/events?stream=a&tables=match HTTP/1.1\r\nHost: {host}\r\n\r\n"
            connection.sendall(words.encode())
            threading.Thread(target=drain, args=(connection,), daemon=True).start()
            time.sleep(_WARM_UP_S)
            before_s = time.process_time()
            page_s = measured(lambda: processor_time(page.pid), options.seconds)
            runner_s = (time.process_time() - before_s) / options.seconds
        stop.set()
        reporting.join()
        writing.join()
    moves = options.boards * options.rate
    print(f"{options.boards} boards, {moves:g} moves/s, one page open, in percent of a core:")
    print(f"  process of the page: {page_s:.2%}")
    print(f"  runner, in addition: {max(runner_s - alone_s, 0):.2%}")


def measured(read: Callable[[], float], seconds: float) -> float:
    before = read()
    time.sleep(seconds)
    return (read() - before) / seconds


def report_moves(live: LiveGames, games: dict[int, list[PlyRecord]], rate: float, stop: threading.Event) -> None:
    played = 0
    while not stop.wait(1 / rate):
        played += 1
        for number, plies in games.items():
            live.report(number, Turn(plies, played % len(plies), (_CLOCK_NS, _CLOCK_NS), now_ns()))


def drain(connection: socket.socket) -> None:
    try:
        while connection.recv(65536):
            pass
    except OSError:
        return  # the measurement is over


# ---------------------------------------------------------------- soak test

SOAK_CONTROLS = {"10ms": TimeControl(movetime_ms=10), "clock": TimeControl(base_ms=1000, increment_ms=10)}
SOAK_BOARDS = (*builtin_variants(), "latrones:12x8", "latrones:6x6", "petteia-xxi:10x10", "schaedler:10x8")
CHANGES: tuple[dict[str, str], ...] = (
    {}, {"Hash": "1"}, {"Hash": "4"}, {"MultiPV": "3"}, {"MultiPV": "1"}, {"Clear Hash": ""}, {"Ponder": "true"},
    {"UCI_AnalyseMode": "true"},
)
SAMPLE_INTERVAL_S = 2.0
WARMUP_SHARE = 0.25
"""Share of the samples at the beginning in which caches fill."""
MAX_GROWTH: dict[str, tuple[int, Callable[[list[int]], int]]] = {
    "kB of memory": (24 * 1024, max), "open files": (0, statistics.median_low), "threads": (0, statistics.median_low),
}
"""What the second half of the samples may have more than the first: peaks of memory, medians of the others."""
Sample = tuple[int, int, int]


def growths(samples: Sequence[Sample]) -> list[str]:
    """Return what grew, from samples of memory, open files and threads; too few samples show nothing."""
    rest = samples[int(len(samples) * WARMUP_SHARE) :]
    middle, found = len(rest) // 2, []
    for column, (name, (limit, measure)) in enumerate(MAX_GROWTH.items()):
        values = [sample[column] for sample in rest]
        if len(samples) >= 12 and (growth := measure(values[middle:]) - measure(values[:middle])) > limit:
            found.append(f"{growth} {name} more")
    return found


class Soak:
    """Plays the games; each thread keeps its engines, which change variant, board and options between games."""

    def __init__(self, minutes: float, seed: int) -> None:
        self.stop = threading.Event()
        self.findings: list[str] = []
        self.games = self.plies = 0
        self.engines: list[SoakEngine] = []
        self.samples: dict[int, list[Sample]] = {}
        self._end_s, self._sampled_s, self._seed = time.monotonic() + 60 * minutes, 0.0, seed
        self._own = threading.local()

    def play(self, task: GameTask) -> TaskResult:
        """Play one game; half of the games begin without ``ucinewgame``."""
        variant_start = start_position(task.variant, None)
        options = setup_options(variant_start, None)
        own: dict[EngineSettings, SoakEngine] = self._own.__dict__.setdefault("engines", {})
        choice, players = random.Random(f"{self._seed}:{task.game_number}"), []
        for settings in task.engines:
            if settings not in own or not own[settings].usable:
                own[settings] = SoakEngine(settings, options, task.timeouts, lambda: False)
                self.engines.append(own[settings])
            own[settings].send_new_game = choice.random() < 0.5
            own[settings].change_options(options | choice.choice(CHANGES))
            players.append(Player(own[settings], settings.control))
        if not task.fen:
            engines = [player.controller for player in players]
            return TaskResult(tuple(Identity(each.name, each.id_name, each.id_author) for each in engines))
        game = play_game(Position.from_fen(variant_start.ruleset, task.fen), (players[0], players[1]), task.limits)
        return TaskResult((), "2024-01-01T00:00:00Z", game)

    def observe(self, event: MatchEvent) -> None:
        if isinstance(event, Warned):
            self.findings.append(f"warning: {event.text}")
        if not isinstance(event, GameFinished):
            return
        game, self.games, self.plies = event.record.game, self.games + 1, self.plies + len(event.record.game.plies)
        name = f"game {event.record.fixture.number}, {game.start.ruleset.name}, {' - '.join(event.record.names)}"
        regular = game.outcome.termination.by_rules or game.outcome.termination is Termination.ADJUDICATION
        if not regular or game.violations:
            self.findings.append(f"{name}: {game.outcome} {game.violations or ''}")
        elif any(ply.clock_left_ns is not None and ply.clock_left_ns < 0 for ply in game.plies):
            self.findings.append(f"{name}: clock below zero, within the time margin")
        self.sample()
        if time.monotonic() > self._end_s:
            self.stop.set()

    def sample(self) -> None:
        """Take samples of this process and of the engines, unless the last ones are recent."""
        if time.monotonic() - self._sampled_s < SAMPLE_INTERVAL_S:
            return
        self._sampled_s = time.monotonic()
        for process_id in (os.getpid(), *(engine.process_id for engine in self.engines if engine.usable)):
            with suppress(OSError, KeyError):  # an engine that has just exited, which its game reports
                memory_kb, threads = status_of(process_id)
                files = len(os.listdir(f"/proc/{process_id}/fd"))
                self.samples.setdefault(process_id, []).append((memory_kb, files, threads))
        self.findings += [f"zombie: process {process_id}" for process_id, state in children().items() if state == "Z"]

    def close(self) -> None:
        """Stop the engines; find what has grown, and child processes that are left. The guard exits with this one."""
        for engine in self.engines:
            engine.quit()
        for process_id, samples in self.samples.items():
            name = "the runner" if process_id == os.getpid() else f"engine {process_id}"
            self.findings += [f"{name}: {growth}" for growth in growths(samples)]
        self.findings += [f"orphaned process {process_id}, state {state}" for process_id, state in children().items()
                          if "guard.py" not in command_of(process_id)]


class SoakEngine(EngineController):
    """An engine that gets ``ucinewgame`` only if ``send_new_game`` is set."""

    send_new_game = True

    def new_game(self) -> None:
        if self.send_new_game:
            super().new_game()


def add_soak(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--minutes", type=float, default=10, help="duration in minutes (default: 10)")
    add("--concurrency", type=int, default=2, help="games at a time (default: 2)")
    add("--load", type=int, default=0, help="number of additional busy processes (default: 0)")
    add("--margin-ms", type=int, default=100,
        help="time margin before a loss on time in milliseconds (default: 100)")
    add("--seed", type=int, default=1, help="random seed for openings and options (default: 1)")


def soak(options: argparse.Namespace) -> int:
    """Play endless fast games between both kernels, in all variants, and watch for losses and leaks.

    Each game is between two of four engines: the native and the Python kernel, with 10 ms per move (UGI) and with a
    clock of 1 s + 0.01 s (UCI). Findings are time losses, illegal moves, crashes, stalls, protocol violations,
    warnings, zombies, orphaned processes, and growth of memory, threads or open files. At 10 ms per move, the operating
    system alone can delay a move, so that those within ``--margin-ms`` do not lose.
    """
    # UGI has no ponder move, which strict would report.
    dialects: dict[str, ProtocolName] = {"10ms": "ugi", "clock": "uci"}
    engines = tuple(
        EngineSettings(OWN_ENGINE, control, f"{kernel}-{name}", (("Backend", kernel), ("Move Overhead", "20")),
                       protocol=dialects[name], strict=name == "10ms")
        for name, control in SOAK_CONTROLS.items() for kernel in ("native", "python")
    )
    settings = TournamentSettings(
        engines, tuple(map(VariantSettings.from_text, SOAK_BOARDS)), format=Format.ROUND_ROBIN, games=10**9,
        seed=options.seed, concurrency=options.concurrency,
        limits=GameLimits(margin_ms=options.margin_ms, max_plies=200),
    )
    run = Soak(options.minutes, options.seed)
    sys.setswitchinterval(0.0005)  # the same as in matches
    with tempfile.TemporaryDirectory() as folder, busy_processes(options.load):
        database = Path(folder, "soak.db")
        try:
            with Place(ThreadPoolExecutor(options.concurrency), run.play) as place:
                finished = play(settings, database, place, run.observe, run.stop)
        finally:
            run.close()
        print(f"{render_summary(finished.standings, settings, '')}\n")
        with Store(database, writing=False) as store:
            stored = len(store.game_numbers())
        if stored != run.games:
            run.findings.append(f"{run.games} games played, but {stored} in the database")
    print(f"{run.games} games, {run.plies} plies, {len(run.findings)} findings")
    for process_id, samples in run.samples.items():
        memory_kb, files, threads = map(max, zip(*samples, strict=True))
        print(f"process {process_id}: {memory_kb // 1024} MB, {files} files and {threads} threads at most")
    for finding in run.findings:
        print(f"FINDING {finding}")
    return 1 if run.findings else 0


# ---------------------------------------------------------------- command line

MEASURES: dict[str, Command] = {
    "latency": (add_latency, measure_latency),
    "page": (add_page, measure_page),
    "runner": (add_runner, measure_runner),
    "watch": (add_watch, measure_watch),
    "soak": (add_soak, soak),
}

if __name__ == "__main__":
    sys.exit(run_command(__doc__, MEASURES))
