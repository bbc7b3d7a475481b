"""The protocol loop in this process: lines of text in, and after each what ``protocol.md`` promises is checked.

Searches are real but tiny, with either kernel. What is left out, because no fuzzer can pay for it: tables of more than
a megabyte, hundreds of threads, deep counts, and solving ``rota`` anew each time that it is chosen.
"""

from __future__ import annotations

import functools
import os
import queue
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from latrones_uci.engine import backend, bench, searcher
from latrones_uci.engine.kernels import Kernel, NativeKernel, PythonKernel, SolverKernel
from latrones_uci.engine.memory import check_available
from latrones_uci.engine.native import is_compiled
from latrones_uci.engine.nets.find import Nets
from latrones_uci.engine.nets.python import NetEvaluation
from latrones_uci.engine.python.evaluation import Terms
from latrones_uci.engine.types import IterationProgress, Reporter, SearchResult, Task
from latrones_uci.game import Game, Position
from latrones_uci.protocols.channel import ChannelClosedError, Line
from latrones_uci.protocols.common import first_word
from latrones_uci.protocols.serve import Loop, is_gtp
from latrones_uci.text.clock import now_ns

MAX_NODES = 24
MAX_SEARCHES = 6  # of an input; after them searches end at once
MAX_LINES = 400
MAX_ANSWER = 1000
GAMES = """\
[tiny]
parent = "latrones"
default_size = "4x4"
[hops]
parent = "schaedler"
hand = 2
default_size = "5x5"
[chains]
parent = "bell"
hand = 3
min_squares = 0
default_size = "4x4"
"""


@functools.cache
def folder() -> Path:
    """Where the loop runs, with files that ``VariantPath`` can name."""
    path = Path(tempfile.mkdtemp(prefix="latrones-fuzz-"))
    (path / "g.toml").write_text(GAMES, encoding="utf-8")
    (path / "bad.toml").write_text("[tiny]\nhand = 'x'\n", encoding="utf-8")
    (path / "bytes.toml").write_bytes(b"\xff\xfe")
    os.mkfifo(path / "fifo")
    return path


class TinyKernel:
    """A real kernel whose searches are over in no time."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel, self._searches = kernel, 0
        self.name = kernel.name

    def resize_hash(self, megabytes: int) -> None:
        check_available(megabytes)
        self._kernel.resize_hash(1)

    def clear_hash(self) -> None:
        self._kernel.clear_hash()

    def use_threads(self, threads: int) -> int:
        used = self._kernel.use_threads(min(threads, 2))
        return threads if used == min(threads, 2) else used

    def search(
        self, game: Game, task: Task, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> SearchResult:
        self._searches += 1
        if self._searches > MAX_SEARCHES:
            return SearchResult(task.root_moves[0], None, 1)
        nodes = MAX_NODES if task.nodes is None else min(task.nodes, MAX_NODES)
        return self._kernel.search(game, replace(task, nodes=nodes), report, should_stop, wants_depth)

    def use_nets(self, nets: Nets) -> None:
        self._kernel.use_nets(nets)

    def evaluate(self, position: Position) -> Terms | NetEvaluation:
        return self._kernel.evaluate(position)

    def value(self, position: Position) -> int:
        return self._kernel.value(position)

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        return self._kernel.perft(position, min(depth, 1), should_stop)


@functools.cache
def _kernel(name: str) -> Kernel:
    return NativeKernel(1) if name == "native" else PythonKernel(1)


def _make_tiny(choice: backend.KernelChoice, megabytes: int, tuned: Mapping[str, int] | None = None) -> Kernel:
    kernel = _kernel(choice.kernel)
    kernel.clear_hash()
    kernel.use_threads(1)
    return TinyKernel(kernel)


@functools.cache
def _solver_of(ruleset: str, board: Any, start: Position) -> SolverKernel:
    return SolverKernel(start)


def install() -> None:
    """Makes engines of this process tiny; called once, by what does nothing else."""
    os.chdir(folder())
    make_engines_tiny(setattr)


def make_engines_tiny(put: Callable[[object, str, object], None]) -> None:
    """Does so by setting attributes of modules, in a way that may be undone."""

    def solver(start: Position) -> SolverKernel:
        return _solver_of(start.ruleset.name, start.board, start)

    put(backend, "make_kernel", _make_tiny)
    put(searcher, "SolverKernel", solver)
    positions = {name: bench.bench_positions(name)[:2] for name in bench.BENCH_SETS}
    put(bench, "bench_positions", positions.__getitem__)
    put(bench, "SolverKernel", solver)


class Script:
    """A channel whose lines are known beforehand."""

    loop: Loop

    def __init__(self, lines: list[str]) -> None:
        self._lines = iter(lines)
        self._thread = threading.get_ident()
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._line: str | None = None
        self._said: list[str] = []
        self.executed = 0

    def post(self, action: Callable[[], None]) -> None:
        self._posted.put(action)

    def _take(self) -> list[str]:
        said, self._said = self._said, []
        return said

    def _next(self, text: str | None) -> Line:
        self._line = text
        if text is None:
            raise ChannelClosedError
        self.executed += 1
        return Line(text, now_ns())


class UciScript(Script):
    """After each line it checks what was said.

    What a search says, in its own thread, is only looked through and its moves counted; what is wrong with it is told
    at the next line.
    """

    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines)
        self._answer: list[str] = []
        self._faults: list[str] = []
        self._was_searching = False
        self._before: object = None
        self.moves = self.moves_owed = 0

    def receive(self) -> Line:
        self.check()
        self._line = next(self._lines, None)
        session = self.loop._session
        if self._line is not None and session is not None and session.waits(self._line):
            self.loop._engine.stop()  # commands that wait are a test of their own
            self.loop._engine.wait()
        self._was_searching, self._before = self.loop._engine.searching, self._state()
        return self._next(self._line)

    def send(self, lines: Iterable[str]) -> None:
        lines = [line for text in lines for line in text.split("\n")]
        if threading.get_ident() == self._thread:
            self._said += lines
        for line in lines:
            words = line.split(" ")
            self.moves += words[0] == "bestmove"
            if (
                not line.isprintable()
                or line.startswith("info string error internal")
                or (words[0] == "bestmove" and len(words) not in (2, 4))
            ):
                self._faults.append(line)

    def _state(self) -> tuple[object, ...]:
        """What commands change: the game and the options."""
        engine = self.loop._engine
        game = engine._game
        return (
            game,
            game and len(game.moves),
            engine.rulesets,
            [(option, engine.option_value(option.name)) for option in engine.options],
        )

    def check(self) -> None:
        """What is owed for the line just obeyed, but for the moves of searches, which are counted in the end."""
        line, said = self._line, self._take()
        self._answer = said
        expect(not self._faults, "should never be said", self._faults)
        if line is None:
            expect(not said, "was said before the first command", said)
            return
        errors = [text for text in said if text.startswith("info string error ")]
        expect(len(errors) <= 1, "has more than one error", (line, said))
        expect(all(len(text) < MAX_ANSWER for text in errors), "has a long error", (line, errors))
        words = line.split()
        word = first_word(line)
        expect(word == (words or [""])[0], "has another first word", line)
        if errors and word == "position":
            expect(self.loop._engine._game is None, "is rejected, and there is a position", line)
        elif errors or word not in ("position", "setoption", "ucinewgame", "uginewgame", "newgame"):
            expect(self._state() == self._before, "changes something", (line, said))
        expect(said.count("readyok") == (words == ["isready"]), "has the wrong readyok", (line, said))
        responses = sum(text.startswith("response ") for text in said)
        asked = words[:1] == ["query"] and words[1:] in (["p1turn"], ["gameover"], ["result"], ["ratings"])
        expect(responses == asked, "has the wrong response", (line, said))
        if word == "go":
            self.moves_owed += self._owes_move(errors, words[1:2] == ["perft"])

    def _owes_move(self, errors: list[str], perft: bool) -> bool:
        """Whether the ``go`` just obeyed is owed a move."""
        if not errors:
            return not perft
        if errors[0].startswith("info string error busy:"):
            return False
        # One that cannot be read is owed none during a search; a search may have ended while it was being read.
        if self._was_searching and not self.loop._engine.searching:
            return "bestmove 0000" in self._answer
        return not self._was_searching


def expect(holds: bool, what: str, about: object) -> None:
    if not holds:
        raise AssertionError(f"{about!r} {what}")


def run_lines(text: str, kernel: str) -> int:
    """Serves lines with a kernel; returns how many.

    Raises:
        AssertionError: something is not as promised.
    """
    script = UciScript(text.split("\n")[:MAX_LINES])
    script.loop = Loop(script, kernel)  # type: ignore[arg-type]
    script.loop.run()
    script.check()
    expect(script.moves == script.moves_owed, "is not the number of moves owed", (script.moves, script.moves_owed))
    return script.executed


KERNELS = ("python", "native") if is_compiled() else ("python",)


def with_each_kernel(run_lines: Callable[[str, str], int], text: str) -> int:
    """Runs the same lines with each kernel; returns how many."""
    return sum(run_lines(text, kernel) for kernel in KERNELS)


def run(data: bytes) -> int:
    """The same lines with each kernel; those in XBoard's language and in GTP are other targets'."""
    text = data.decode("utf-8", "backslashreplace")
    first = text.partition("\n")[0]
    if first.strip() == "xboard" or is_gtp(first):
        return 0
    return with_each_kernel(run_lines, text)
