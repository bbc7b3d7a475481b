"""An engine of your own: a function that chooses moves, served over UCI and UGI."""

import contextlib
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from latrones_uci.client.time_control import MAX_SECONDS, Limit
from latrones_uci.engine import types
from latrones_uci.engine.kernels import PythonRulesKernel
from latrones_uci.engine.python.evaluation import Terms
from latrones_uci.game import Game, LatronesError, Move, Position
from latrones_uci.protocols.channel import Channel
from latrones_uci.protocols.serve import Loop, OtherEngine
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import Score, SearchInfo


def _never() -> bool:
    return False


@dataclass(frozen=True)
class SearchLimits(Limit):
    """What bounds a search of a served engine: a ``Limit``, the moves to choose from, and whether to stop now.

    ``time`` is the time to spend on this move: that of ``go movetime``, or what is planned from the clock, less the
    option ``Move Overhead``; None without a time limit. The clocks are there for functions that plan for themselves.
    """

    moves: tuple[Move, ...] = ()
    """The moves to choose from: the legal ones, or those that the controller allows."""
    stop_requested: Callable[[], bool] = field(default=_never, repr=False, compare=False)
    """What ``stopped`` asks."""

    @property
    def stopped(self) -> bool:
        """Whether to stop now: the controller says so, or ``time`` is over. A long search polls it."""
        return self.stop_requested()


Choice = str | tuple[str, SearchInfo]
"""A move or its text, alone or with what the search found out."""
ChooseMove = Callable[[Game, SearchLimits], str | Iterator[Choice]]


def serve(choose_move: ChooseMove, *, name: str | None = None, author: str = "unknown") -> None:
    """Serve an engine on standard input and output until ``quit``.

    It speaks UCI and UGI, and plays all variants on all boards: the options ``UCI_Variant``, ``BoardSize`` and
    ``VariantPath`` choose them. While it serves, ``print`` and child processes write to standard error, and child
    processes have no standard input.

    Args:
        choose_move: a function of a game and ``SearchLimits`` that returns a move or its text; the game is a copy and
            may be changed. It is only called if there is a legal move. A generator function may yield better and better
            moves instead, alone or as pairs with a ``SearchInfo``; the last one is played. It is closed at the first
            move that it yields after a stop, the planned time, the depth or the nodes: a move without ``SearchInfo``
            counts as another ply of depth and one node. If it ends after a stop without a move, the first legal move is
            played.
        name: what the engine is called; None for the name of the script.
        author: who made it.

    If ``choose_move`` fails or chooses an illegal move, the controller gets an error line, and the last legal move that
    was yielded or else the first legal move is played.

    Raises:
        TypeError: ``choose_move`` is not callable.
        ValueError: ``name`` or ``author`` is blank.
        SystemExit: at a keyboard interrupt.

    Example:
        >>> import random
        >>> def choose_move(game, limits):
        ...     return random.choice(limits.moves)
        >>> serve(choose_move)  # doctest: +SKIP
    """
    if not callable(choose_move):
        raise TypeError(f"choose_move {choose_move!r}: not callable; expected a function of a game and its limits")
    engine_name = _default_name(choose_move) if name is None else name
    for what, text in (("name", engine_name), ("author", author)):
        if not text.strip():
            raise ValueError(f"{what} {text!r}: blank; expected a text")
    engine = OtherEngine(engine_name, author, FunctionKernel(choose_move))
    if sys.stdin is None or sys.stdout is None:
        return  # started without one of them: there is no controller
    try:
        descriptors = sys.stdin.fileno(), sys.stdout.fileno()
    except io.UnsupportedOperation:
        raise RuntimeError("serve: no standard input and output; call it from a program, not from a notebook") from None
    try:
        with _kept_for_the_protocol(*descriptors) as (reading, writing), contextlib.redirect_stdout(sys.stderr):
            Loop(Channel(reading, writing), other=engine).run()
    except KeyboardInterrupt:
        sys.exit(130)


@contextlib.contextmanager
def _kept_for_the_protocol(reading: int, writing: int) -> Iterator[tuple[int, int]]:
    """Replace the descriptors of standard input and output, also for child processes: by no input, and standard error.

    Yields:
        Copies of both, which child processes do not inherit. They stay open, as the thread that reads may go on.
    """
    before, standard_output = (os.dup(reading), os.dup(writing)), sys.stdout
    standard_output.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(nothing, reading)
        os.dup2(nothing if sys.stderr is None else sys.stderr.fileno(), writing)
        yield before
    finally:
        with contextlib.suppress(OSError):  # nobody reads standard error
            standard_output.flush()  # what did not use `print`
        for copy, descriptor in zip(before, (reading, writing), strict=True):
            os.dup2(copy, descriptor)
        os.close(nothing)


def _default_name(choose_move: ChooseMove) -> str:
    script = Path(sys.argv[0] if sys.argv else "")
    name = script.parent.name if script.stem == "__main__" else script.stem
    return name if name and not name.startswith("-") else _name_of(choose_move)


def _name_of(choose_move: ChooseMove) -> str:
    return str(getattr(choose_move, "__name__", type(choose_move).__name__))


def _seconds(milliseconds: float) -> float:
    """Return a time of a command in the range of a ``Limit``."""
    return min(max(milliseconds, 0) / 1000, MAX_SECONDS)


def _limits(game: Game, task: types.Task, stop_requested: Callable[[], bool]) -> SearchLimits:
    """Return the limits that are passed to a function."""
    position, time = game.position, task.time
    white, black = (None if left is None else _seconds(left) for left in time.left_ms)
    white_inc, black_inc = map(_seconds, time.increment_ms)
    return SearchLimits(
        time=None if time.planned_ms is None else _seconds(time.planned_ms),
        depth=None if task.depth == types.MAX_PLY else task.depth,
        nodes=task.nodes,
        mate=task.mate,
        white_clock=white,
        black_clock=black,
        white_inc=None if white is None else white_inc,
        black_inc=None if black is None else black_inc,
        moves=tuple(map(position.named_move, task.root_moves)),
        moves_to_go=time.moves_to_go,
        stop_requested=stop_requested,
    )


class FunctionKernel(PythonRulesKernel):
    """A kernel that asks a function for the move; see ``serve``."""

    name = "function"

    def __init__(self, choose_move: ChooseMove) -> None:
        """Search with a function."""
        self._choose_move = choose_move

    def search(
        self,
        game: Game,
        task: types.Task,
        report: types.Reporter,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[types.IterationProgress], bool],
    ) -> types.SearchResult:
        """See ``Kernel``."""
        now = types.IterationProgress(steady=0, settled=False, interruptible=True)
        limits = _limits(game, task, lambda: not wants_depth(now))
        search = _Search(game, limits, report)
        try:
            search.run(self._choose_move)
        except BaseException as error:  # sys.exit() too: the controller waits for a move
            return search.result(self._failure(error))
        return search.result()

    def evaluate(self, position: Position) -> Terms:
        """Not possible; the loop has no ``eval`` for a function."""
        raise NotImplementedError

    def _failure(self, error: BaseException) -> str:
        name = _name_of(self._choose_move)
        if isinstance(error, _BadChoiceError):
            return f"{name}: {error}"
        frames = traceback.extract_tb(error.__traceback__)[2:]  # without those of this file
        file = getattr(getattr(self._choose_move, "__code__", None), "co_filename", "")
        frames = [frame for frame in frames if frame.filename == file] or frames
        where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        return f"{name}: {type(error).__name__}: {error}{where}"


class _BadChoiceError(Exception):
    """What a function returned or yielded cannot be played; the message quotes it."""


class _Search:
    """One call of a function, and the best it has chosen so far."""

    def __init__(self, game: Game, limits: SearchLimits, report: types.Reporter) -> None:
        self._game, self._limits, self._report = game, limits, report
        self._best: Move | None = None
        self._reply: Move | None = None
        self._nodes = 0

    def result(self, failure: str = "") -> types.SearchResult:
        """Return the last choice, or else the first move."""
        best = self._limits.moves[0] if self._best is None else self._best
        reply = None if self._reply is None else self._reply.packed
        return types.SearchResult(best.packed, reply, self._nodes, failure)

    def run(self, choose_move: ChooseMove) -> None:
        """Call the function, and take what it returns or yields.

        Raises:
            _BadChoiceError: it is not a move to choose from.
        """
        answer = choose_move(self._game.copy(), self._limits)
        if not isinstance(answer, Iterator):
            self._take(answer, 1)
            return
        try:
            for number, choice in enumerate(answer, start=1):
                if self._take(choice, number):
                    break
        finally:
            getattr(answer, "close", bool)()  # other iterators than generators may have none
        if self._best is None and not self._limits.stopped:
            raise _BadChoiceError("yielded no move")

    def _take(self, choice: object, number: int) -> bool:
        """Note and report a choice; return whether to stop there."""
        answer, info = choice if isinstance(choice, tuple) and len(choice) == 2 else (choice, SearchInfo())
        if not isinstance(info, SearchInfo):
            raise _BadChoiceError(f"{quoted(repr(choice))}: not a move; expected a Move, its text, or one of them with"
                                  " a SearchInfo")
        move = self._move(answer)
        line = self._line(move, info.pv)
        depth = number if info.depth is None else info.depth
        self._best, self._reply = move, line[1] if len(line) > 1 else None
        self._nodes = number if info.nodes is None else info.nodes
        if info.score != Score():
            self._report(replace(
                info, depth=depth, seldepth=info.seldepth or depth, multipv=1, nodes=self._nodes,
                hashfull=info.hashfull or 0, pv=tuple(line),
            ))
        limits = self._limits
        return (
            limits.stopped
            or limits.depth is not None and depth >= limits.depth
            or limits.nodes is not None and self._nodes >= limits.nodes
            or limits.mate is not None and info.score.mate is not None and 0 < info.score.mate <= limits.mate
        )

    def _move(self, answer: object) -> Move:
        """Return the move to choose from that an answer names."""
        position = self._game.position
        if not isinstance(answer, str):
            raise _BadChoiceError(f"{quoted(repr(answer))}: not a move; expected a Move or its text")
        try:
            move = position.parse_move(answer)
        except LatronesError as error:
            raise _BadChoiceError(str(error)) from None
        if move not in self._limits.moves:
            raise _BadChoiceError(f"move {quoted(move)}: not one of limits.moves")
        return move

    def _line(self, move: Move, texts: tuple[str, ...]) -> list[Move]:
        """Return the line of play that begins with a move."""
        if texts and texts[0] != move:
            raise _BadChoiceError(f"pv {quoted(' '.join(texts))}: does not begin with the move {quoted(move)}")
        line, position = [move], self._game.position.play(move)
        try:
            for text in texts[1:]:
                line.append(position.parse_move(text))
                position = position.play(line[-1])
        except LatronesError as error:
            raise _BadChoiceError(f"pv {quoted(' '.join(texts))}: {error}") from None
        return line
