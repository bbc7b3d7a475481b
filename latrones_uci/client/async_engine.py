"""An engine for programs that use asyncio: each call of ``Engine`` in a thread of its own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import Future
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, overload

from latrones_uci.client.analysis import Analysis
from latrones_uci.client.arguments import Options, RootMoves
from latrones_uci.client.engine import Engine
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, Move, Position
from latrones_uci.text.protocol import SearchInfo

P = ParamSpec("P")
T = TypeVar("T")

_STOP_AGAIN_S = 0.02
"""How often ``stop`` is repeated for a call that is cancelled, whose search might only be beginning."""


def _begun(call: Callable[[], T]) -> "Future[T]":
    """Make a call in a thread of its own, which does not keep the program from ending."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # raised where the call is awaited
            future.set_exception(error)

    threading.Thread(target=run, name="engine call", daemon=True).start()
    return future


def _in_thread(call: Callable[[], T]) -> "asyncio.Future[T]":
    return asyncio.wrap_future(_begun(call))


def _awaited(
    method: Callable[Concatenate[Engine, P], T],
) -> Callable[Concatenate["AsyncEngine", P], Coroutine[Any, Any, T]]:
    """Return a method of ``Engine`` as a coroutine function."""

    @wraps(method)
    async def call(self: "AsyncEngine", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._call(partial(method, self._engine, *args, **kwargs))

    return call


def _started(
    popen: Callable[P, Engine],
) -> Callable[Concatenate[type["AsyncEngine"], P], Coroutine[Any, Any, "AsyncEngine"]]:
    """Return ``Engine.popen`` as a coroutine function. If it is cancelled, the engine is closed when it has started."""

    @wraps(popen)
    async def start(cls: "type[AsyncEngine]", /, *args: P.args, **kwargs: P.kwargs) -> "AsyncEngine":
        starting = _begun(partial(popen, *args, **kwargs))
        try:
            return cls(await asyncio.shield(asyncio.wrap_future(starting)))
        except asyncio.CancelledError:
            starting.add_done_callback(lambda done: None if done.exception() else done.result().close())
            raise

    start.__wrapped__ = vars(Engine)["popen"].__func__  # not bound, for the signature that help shows
    return start


class AsyncEngine:
    """An ``Engine`` for asyncio; use it as an asynchronous context manager, or await ``close``.

    The methods that wait are coroutines, with the arguments, results and errors of those of ``Engine``. Each runs in a
    thread of its own, so that callbacks such as ``on_info`` are called in that thread. One call at a time: a second one
    raises ``EngineBusyError``, but ``close`` stops a search first. To cancel a call stops its search, and waits for the
    answer; the engine can be used again.

    Example:
        >>> async def best_move():
        ...     async with await AsyncEngine.popen() as engine:
        ...         result = await engine.play(Game("latrones"), Limit(depth=3))
        ...         return result.move
    """

    popen = classmethod(_started(Engine.popen))
    play = _awaited(Engine.play)
    configure = _awaited(Engine.configure)
    ping = _awaited(Engine.ping)
    new_game = _awaited(Engine.new_game)
    close = _awaited(Engine.close)

    def __init__(self, engine: Engine) -> None:
        """Wrap an engine, which must not be used otherwise."""
        self._engine = engine

    @overload
    async def analyse(
        self, game: Game | Position, limit: Limit, *, multipv: None = None, root_moves: RootMoves = None,
        options: Options | None = None,
    ) -> SearchInfo: ...

    @overload
    async def analyse(
        self, game: Game | Position, limit: Limit, *, multipv: int, root_moves: RootMoves = None,
        options: Options | None = None,
    ) -> list[SearchInfo]: ...

    async def analyse(
        self, game: Game | Position, limit: Limit, *, multipv: int | None = None, root_moves: RootMoves = None,
        options: Options | None = None,
    ) -> SearchInfo | list[SearchInfo]:
        """Search a position and return the engine's last report; see ``Engine.analyse``."""
        search = partial(self._engine.analyse, game, limit, root_moves=root_moves, options=options)
        return await self._call(search if multipv is None else partial(search, multipv=multipv))

    async def analysis(
        self, game: Game | Position, limit: Limit | None = None, *, multipv: int | None = None,
        root_moves: RootMoves = None
    ) -> "AsyncAnalysis":
        """Search in the background and stream the engine's reports; see ``Engine.analysis``."""
        begin = partial(self._engine.analysis, game, limit, multipv=multipv, root_moves=root_moves)
        return AsyncAnalysis(await self._call(begin))

    def stop(self) -> None:
        """Stop the search of the running call, which returns what the engine has found."""
        self._engine.stop()

    def take_violations(self) -> tuple[str, ...]:
        """Return what the engine did against the protocol since the last call; see ``Engine.take_violations``."""
        return self._engine.take_violations()

    @property
    def name(self) -> str:
        """The name that the engine reports."""
        return self._engine.name

    @property
    def running(self) -> bool:
        """Whether the process runs and accepts another command."""
        return self._engine.running

    @property
    def process_id(self) -> int | None:
        """The id of the process, None before it is started."""
        return self._engine.process_id

    @property
    def options(self) -> Mapping[str, OptionDeclaration]:
        """The options that the engine has declared, by name."""
        return self._engine.options

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        """Return the name and the state."""
        return repr(self._engine).replace(type(self._engine).__name__, type(self).__name__, 1)

    async def _call(self, call: Callable[[], T]) -> T:
        """Make a call in a thread; if it is cancelled, stop its search and wait for its end."""
        future = _in_thread(call)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            while not future.done():
                self._engine.stop()
                await asyncio.wait([future], timeout=_STOP_AGAIN_S)
            self._engine.stop()  # an analysis that it has begun
            raise


class AsyncAnalysis:
    """An ``Analysis`` for asyncio. Iterate over it for reports; ``stop`` or the end of the block stops it."""

    def __init__(self, analysis: Analysis) -> None:
        """Wrap an analysis; call ``AsyncEngine.analysis`` instead."""
        self._analysis = analysis
        self._reports = iter(analysis)
        self._next: asyncio.Future[SearchInfo | None] | None = None

    @property
    def lines(self) -> Mapping[int, SearchInfo]:
        """The latest report of each line, by rank from 1."""
        return self._analysis.lines

    def stop(self) -> None:
        """Stop the search; the iterator ends when the engine has answered."""
        self._analysis.stop()

    async def wait(self) -> Move | None:
        """Wait until the search ends, and return its best move; see ``Analysis.wait``."""
        return await asyncio.shield(_in_thread(self._analysis.wait))

    def __aiter__(self) -> AsyncIterator[SearchInfo]:
        return self

    async def __anext__(self) -> SearchInfo:
        """Return the next report when it arrives.

        Raises:
            EngineError: the engine failed.
        """
        if self._next is None:
            self._next = _in_thread(partial(next, self._reports, None))
        info = await asyncio.shield(self._next)  # after a cancellation, the next call returns this report
        self._next = None
        if info is None:
            raise StopAsyncIteration
        return info

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        await asyncio.shield(_in_thread(self._analysis.finish))
