"""Imitations of other match runners: their order of commands, and how they wait for answers.

``Cutegames`` follows the sources of the UGI runner cutegames (``engine_ugi.cpp``, ``match/play.cpp``, ``ugigame.hpp``):
it reads an answer as exactly two words, waits forever if an answer has another form, knows no rules, and asks the
engines for everything. ``Fastchess`` and ``Cutechess`` follow the sources of those programs. Here, endless waits end
after some seconds with an error that quotes what was expected.
"""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

TIMEOUT_S = 30.0


class Peer:
    """A child process with which the runner exchanges lines."""

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
                line = self._lines.get(timeout=TIMEOUT_S)
            except queue.Empty:
                raise AssertionError(f"waits forever for {what!r}; the last lines were {self.said[-5:]}") from None
            self.said.append(line)
            if accepts(line):
                return line

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Send ``quit`` twice, then SIGKILL at once, like cutegames."""
        if self.process.poll() is None:
            with suppress(BrokenPipeError):  # it may have exited after the first one
                self.send("quit")
                self.send("quit")
        self.process.kill()
        self.process.wait()
        self._reader.join(TIMEOUT_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()


@dataclass
class Played:
    """A game as recorded by cutegames; a void game has an empty ``result`` and the reason in ``adjudicated``."""

    moves: list[str] = field(default_factory=list)
    result: str = ""
    adjudicated: str = ""


class Cutegames:
    """Two engines, and games between them."""

    def __init__(self, engines: tuple[Peer, Peer], options: Mapping[str, str]) -> None:
        """Start the engines and set options, without checking whether the engines have them."""
        self._engines = engines
        for engine in engines:
            engine.send("ugi")
            engine.wait_for("ugiok".__eq__, "ugiok")
            for name, value in options.items():
                engine.send(f"setoption name {name} value {value}")
            is_ready(engine)

    def play(self, fen: str = "startpos", *, limit: str = "", clock: tuple[int, int] = (0, 0), most_plies: int = 1000
             ) -> Played:  # fmt: skip
        """Play a game with a limit per move, such as ``movetime 5``, or with a clock and an increment in milliseconds.

        No time is measured, because only the order of commands is tested.
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
            us.send(f"go {limit or times}")
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
    """Return the second word of the next line that has two words and starts with ``first``."""

    def accepts(line: str) -> bool:
        words = line.split(" ")
        return len(words) == 2 and words[0] == first

    return engine.wait_for(accepts, f"{first} X").split(" ")[1]


# Returns the legal moves after some moves; an empty list if the game is over.
Judge = Callable[[list[str]], list[str]]


class ChessRunner:
    """The common part of fastchess and cutechess, which know the rules and send only moves."""

    def __init__(self, engine: Peer, options: Mapping[str, str]) -> None:
        """Complete the handshake."""
        self.engine, self.options = engine, options
        engine.send("uci")
        engine.wait_for("uciok".__eq__, "uciok")

    def set_option(self, name: str, value: str) -> None:
        self.engine.send(f"setoption name {name} value {value}")

    def position(self, start: str, moves: list[str]) -> None:
        self.engine.send(f"position {start}" + (" moves " + " ".join(moves) if moves else ""))

    def best(self) -> list[str]:
        """Return the best move, and the ponder move if there is one."""
        return self.engine.wait_for(lambda line: line.startswith("bestmove "), "bestmove X").split()[1::2]

    def play(self, judge: Judge, go: str, start: str = "startpos", *, most_plies: int, engine_starts: bool = True
             ) -> list[str]:  # fmt: skip
        """Play a game in which the engine makes every second move, and its opponent plays the first legal move."""
        self.begin_game(start)
        moves: list[str] = []
        engine_moves = engine_starts
        while len(moves) < most_plies and (legal := judge(moves)):
            moves.append(self.answer(start, moves, go, judge) if engine_moves else legal[0])
            engine_moves = not engine_moves
        self.end_game()
        return moves

    def begin_game(self, start: str) -> None:
        raise NotImplementedError

    def answer(self, start: str, moves: list[str], go: str, judge: Judge) -> str:
        """Return the engine's move after these moves."""
        raise NotImplementedError

    def end_game(self) -> None:
        raise NotImplementedError

    def quit(self) -> None:
        self.engine.send("quit")


class Fastchess(ChessRunner):
    """Sends the options before each game, ``Threads`` first, and ``isready`` at every turn.

    See ``uci_engine.cpp`` and ``match.cpp``. Older versions also start a new game before the options.
    """

    def __init__(self, engine: Peer, options: Mapping[str, str], *, older: bool = False) -> None:
        super().__init__(engine, options)
        self._older = older

    def _new_game(self) -> None:
        self.engine.send("ucinewgame")
        is_ready(self.engine)

    def begin_game(self, start: str) -> None:
        if self._older:
            self._new_game()
        for name in sorted(self.options, key=lambda name: name != "Threads"):
            self.set_option(name, self.options[name])
        self._new_game()

    def answer(self, start: str, moves: list[str], go: str, judge: Judge) -> str:
        is_ready(self.engine)
        self.position(start, moves)
        is_ready(self.engine)
        self.engine.send(f"go {go}")
        best = self.best()[0]
        is_ready(self.engine)
        return best

    def end_game(self) -> None:
        pass

    def quit(self) -> None:
        self.engine.send("stop")
        super().quit()


class Cutechess(ChessRunner):
    """Sends the options once, in alphabetical order; before each game the variant, and later whether to ponder.

    It sends a position as soon as it knows it, and ``isready`` only before ``go``. A pondering engine is stopped if the
    opponent plays another move (``uciengine.cpp``, ``chessengine.cpp``).
    """

    def __init__(self, engine: Peer, options: Mapping[str, str], *, ponders: bool = False) -> None:
        super().__init__(engine, options)
        self._ponders = ponders
        self._expected = ""  # the move on which the engine ponders
        self.hits = self.misses = 0
        for name in sorted(options):
            if name != "UCI_Variant":
                self.set_option(name, options[name])
        is_ready(engine)

    def begin_game(self, start: str) -> None:
        self.set_option("UCI_Variant", self.options["UCI_Variant"])
        self.engine.send("ucinewgame")
        self.set_option("Ponder", str(self._ponders).lower())
        self.position(start, [])

    def answer(self, start: str, moves: list[str], go: str, judge: Judge) -> str:
        if self._expected and self._expected == moves[-1]:
            self.hits += 1
            self.engine.send("ponderhit")
        else:
            self._stop_pondering()
            if moves:
                self.position(start, moves)
            is_ready(self.engine)
            self.engine.send(f"go {go}")
        best, *expected = self.best()
        self._expected = ""
        if self._ponders and expected and judge([*moves, best, expected[0]]):
            self._expected = expected[0]
            self.position(start, [*moves, best, *expected])
            is_ready(self.engine)
            self.engine.send(f"go ponder {go}")
        return best

    def _stop_pondering(self) -> None:
        if self._expected:
            self.misses += 1
            self.engine.send("stop")
            self.best()
        self._expected = ""

    def end_game(self) -> None:
        self._stop_pondering()
        is_ready(self.engine)
