"""Match runners that no one here wrote, as far as an engine can tell: their order of commands, and their patience.

``Cutegames`` follows the sources of the UGI runner cutegames (``engine_ugi.cpp``, ``match/play.cpp``, ``ugigame.hpp``):
it reads an answer as exactly two words and waits for ever for one of another form, knows nothing of the game, and asks
the engines for everything. ``play_chess_like`` has what fastchess and cutechess send. For ever ends here after some
seconds, with an error that quotes what was awaited.
"""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

FOR_EVER_S = 30.0


class Peer:
    """A child process that is spoken to in lines."""

    def __init__(self, command: Sequence[str], folder: Path, line_end: str = "\n") -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
        )
        self.said: list[str] = []
        self._line_end = line_end
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8").removesuffix("\n"))

    def send(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write((line + self._line_end).encode("utf-8"))
        self.process.stdin.flush()

    def wait_for(self, accepts: Callable[[str], bool], what: str) -> str:
        while True:
            try:
                line = self._lines.get(timeout=FOR_EVER_S)
            except queue.Empty:
                raise AssertionError(f"waits for ever for {what!r}; the last lines were {self.said[-5:]}") from None
            self.said.append(line)
            if accepts(line):
                return line

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """``quit``, and at once SIGKILL, as cutegames has it."""
        if self.process.poll() is None:
            self.send("quit")
        self.process.kill()
        self.process.wait()
        self._reader.join(FOR_EVER_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()


@dataclass
class Played:
    """A game as cutegames saw it: ``result`` is empty for a game that it voided, for the reason in ``adjudicated``."""

    moves: list[str] = field(default_factory=list)
    result: str = ""
    adjudicated: str = ""


class Cutegames:
    """Two engines, and games between them."""

    def __init__(self, engines: tuple[Peer, Peer], options: Mapping[str, str]) -> None:
        """Loads the engines; no option is looked up among those that they advertise."""
        self._engines = engines
        for engine in engines:
            engine.send("ugi")
            engine.wait_for("ugiok".__eq__, "ugiok")
            for name, value in options.items():
                engine.send(f"setoption name {name} value {value}")
            is_ready(engine)

    def play(self, fen: str = "startpos", *, movetime: int | None = None, clock: tuple[int, int] = (0, 0),
             most_plies: int = 1000) -> Played:  # fmt: skip
        """A game with ``go movetime``, or with a clock and an increment in milliseconds.

        No time is measured here: what is tested is the conversation.
        """
        one, two = self._engines
        game = Played()

        def position(engine: Peer) -> None:
            start = "startpos" if fen == "startpos" else f"fen {fen}"
            engine.send(f"position {start}" + (" moves " + " ".join(game.moves) if game.moves else ""))

        def ask(engine: Peer, what: str) -> str:
            position(engine)
            engine.send(f"query {what}")
            return two_words(engine, "response")

        for engine in (one, two):
            is_ready(engine)
        for engine in (one, two):
            engine.send("uginewgame")
        ask(one, "p1turn")
        while True:
            ask(one, "p1turn")  # protocol.ask_turn
            us, them = (one, two) if ask(one, "p1turn") == "true" else (two, one)
            is_ready(us)
            position(us)
            if ask(us, "gameover") == "true" or ask(them, "gameover") == "true":
                break
            if len(game.moves) >= most_plies:
                return game
            times = f"p1time {clock[0]} p2time {clock[0]} p1inc {clock[1]} p2inc {clock[1]}"
            us.send(f"go {times if movetime is None else f'movetime {movetime}'}")
            game.moves.append(two_words(us, "bestmove"))
        claims = []
        for engine in (one, two):
            is_ready(engine)
            position(engine)
            claims.append((ask(engine, "gameover"), ask(engine, "result")))
        if claims[0][0] != claims[1][0]:
            game.adjudicated = "gameover mismatch"
        elif claims[0][1] != claims[1][1]:
            game.adjudicated = "result mismatch"
        else:
            game.result = claims[0][1]
        return game


def is_ready(engine: Peer) -> None:
    engine.send("isready")
    engine.wait_for("readyok".__eq__, "readyok")


def two_words(engine: Peer, first: str) -> str:
    """The second word of the next line of two words of which this is the first."""

    def accepts(line: str) -> bool:
        words = line.split(" ")
        return len(words) == 2 and words[0] == first

    return engine.wait_for(accepts, f"{first} X").split(" ")[1]


@dataclass(frozen=True)
class Manner:
    """What tells runners of the chess world apart.

    Attributes:
        ready_before_options: whether ``isready`` comes between ``uciok`` and the options.
        ready_before_go: whether ``isready`` comes between ``position`` and ``go``.
        stop_at_end: whether a game ends with ``stop`` although nothing is searched.
        line_end: of every line.
    """

    ready_before_options: bool
    ready_before_go: bool
    stop_at_end: bool
    line_end: str = "\n"


FASTCHESS = Manner(ready_before_options=True, ready_before_go=True, stop_at_end=True)
CUTECHESS = Manner(ready_before_options=False, ready_before_go=False, stop_at_end=False)
CUTECHESS_ON_WINDOWS = Manner(ready_before_options=False, ready_before_go=False, stop_at_end=False, line_end="\r\n")


def greet_chess_like(engine: Peer, manner: Manner, options: Mapping[str, str]) -> None:
    """``uci``, then the options, ``Threads`` first."""
    engine.send("uci")
    engine.wait_for("uciok".__eq__, "uciok")
    if manner.ready_before_options:
        is_ready(engine)
    for name in sorted(options, key=lambda name: name != "Threads"):
        engine.send(f"setoption name {name} value {options[name]}")
    is_ready(engine)


def play_chess_like(
    engine: Peer, manner: Manner, go: str, reply: Callable[[list[str]], str | None], most_plies: int
) -> list[str]:
    """A game of an engine against ``reply``, which says what the opponent plays, None if the game is over.

    Returns:
        All moves. The engine begins.
    """
    engine.send("ucinewgame")
    is_ready(engine)
    moves: list[str] = []
    while len(moves) < most_plies:
        engine.send("position startpos" + (" moves " + " ".join(moves) if moves else ""))
        if manner.ready_before_go:
            is_ready(engine)
        engine.send(f"go {go}")
        best = engine.wait_for(lambda line: line.startswith("bestmove "), "bestmove X").split()[1]
        moves.append(best)
        if (answer := reply(moves)) is None:
            break
        moves.append(answer)
    if manner.stop_at_end:
        engine.send("stop")
        is_ready(engine)
    return moves
