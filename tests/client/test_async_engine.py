"""``AsyncEngine``: the calls of ``Engine`` as coroutines."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from latrones_uci import (
    AsyncEngine,
    Engine,
    EngineCrashError,
    EngineOptionError,
    EngineStartError,
    Game,
    IllegalMoveError,
    Limit,
    SearchInfo,
)
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.time_control import TimeControl
from match_play import Listening

FakeSettings = Callable[..., EngineSettings]
Command = Callable[..., tuple[str, ...]]
SHALLOW = Limit(depth=2)


def new_game() -> Game:
    return Game("latrones", "6x6")


def running(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Make a test of a coroutine function; no thread is left behind."""

    def run() -> None:
        asyncio.run(asyncio.wait_for(test(), 60))
        for thread in threading.enumerate():
            if thread.name in ("engine call", "analysis", "ponder"):
                thread.join(20)
                assert not thread.is_alive()

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def own() -> AsyncEngine:
    return await AsyncEngine.popen(OWN_ENGINE, board="6x6", options={"Hash": 1})


async def searching(engine: AsyncEngine, call: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    """Return the task of a call whose search has begun."""
    task = asyncio.create_task(call)
    while not engine._engine._searching.locked():
        await asyncio.sleep(0.001)
    return task


@running
async def test_a_game_with_the_methods_of_an_engine() -> None:
    async with await own() as engine:
        assert engine.running
        assert engine.name.startswith("latrones-uci ")
        assert repr(engine) == f"<AsyncEngine {engine.name!r} running>"
        assert await engine.ping() < 10
        assert engine.options["Hash"].kind == "spin"
        await engine.configure({"Hash": 2})
        game, reports = new_game(), list[SearchInfo]()
        await engine.new_game(game)
        result = await engine.play(game, SHALLOW, root_moves=["a1a2", "b1b2"], on_info=reports.append)
        assert str(result.move) in ("a1a2", "b1b2")
        assert reports[-1] == result.info
        assert (await engine.analyse(game, SHALLOW)).depth == 2
        assert [info.multipv for info in await engine.analyse(game, SHALLOW, multipv=2)] == [1, 2]
        assert engine.take_violations() == ()
        assert engine.process_id is not None
    assert not engine.running


@running
async def test_an_analysis_streams_until_its_block_ends() -> None:
    async with await own() as engine:
        async with await engine.analysis(new_game()) as analysis:
            async for info in analysis:
                if info.depth is not None and info.depth >= 3:
                    break
        assert await analysis.wait() in new_game().legal_moves()
        assert analysis.lines[1].depth is not None
        analysis = await engine.analysis(new_game(), SHALLOW, multipv=2)
        assert {info.multipv async for info in analysis} == {1, 2}
        analysis = await engine.analysis(new_game())
        assert (await engine.play(new_game(), SHALLOW)).move is not None  # any other call stops it
        assert [info async for info in analysis]
        assert [info async for info in analysis] == []
        analysis = await engine.analysis(new_game())
        analysis.stop()
        assert await analysis.wait() is not None


@running
async def test_a_report_is_not_lost_by_a_timeout() -> None:
    async with await own() as engine, await engine.analysis(new_game(), Limit(depth=3)) as analysis:
        depths = []
        while True:
            try:
                depths.append((await asyncio.wait_for(anext(analysis), 0.0005)).depth)
            except TimeoutError:
                continue
            except StopAsyncIteration:
                break
        assert depths == sorted(depths, key=lambda depth: depth or 0)
        assert {1, 2, 3} <= set(depths)


@running
async def test_cancelling_a_search_stops_it() -> None:
    async with await own() as engine:
        for search in (engine.play(new_game(), Limit()), engine.analyse(new_game(), Limit())):
            task = await searching(engine, search)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not engine._engine._searching.locked()
            assert (await engine.play(new_game(), SHALLOW)).info.depth == 2
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(engine.play(new_game(), Limit()), 0.01)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(engine.analysis(new_game()), 0)
        assert await engine.ping() < 10


@running
async def test_closing_during_a_search() -> None:
    engine = await own()
    task = await searching(engine, engine.play(new_game(), Limit()))
    await engine.close()
    assert not engine.running
    assert (await task).move in new_game().legal_moves()
    assert (await engine.play(new_game(), SHALLOW)).move is not None  # starts it again
    analysis = await engine.analysis(new_game())
    await engine.close()
    assert await analysis.wait() in new_game().legal_moves()


def test_errors_are_those_of_the_engine(fake_command: Command, fake_settings: FakeSettings) -> None:
    async def run() -> None:
        with pytest.raises(EngineStartError, match="no-such-engine"):
            await AsyncEngine.popen("no-such-engine")
        async with await AsyncEngine.popen(fake_command("crash", 1), board="6x6") as engine:
            assert (await engine.play(new_game(), SHALLOW)).move is not None
            with pytest.raises(IllegalMoveError):
                await engine.play(new_game(), SHALLOW, root_moves=["a1f6"])
            with pytest.raises(EngineOptionError, match="has no option 'Hash'"):
                await engine.configure({"Hash": 1})
            with pytest.raises(EngineCrashError, match="status 3") as raised:
                await engine.play(new_game(), SHALLOW)
            assert "the fake falls over" in raised.value.last_lines
            assert not engine.running
            await engine.play(new_game(), SHALLOW)
            analysis = await engine.analysis(new_game(), SHALLOW)
            with pytest.raises(EngineCrashError):
                assert [info.depth async for info in analysis] == []
            with pytest.raises(EngineCrashError):
                await analysis.wait()

    running(run)()


def test_a_start_that_is_cancelled_leaves_no_engine(monkeypatch: pytest.MonkeyPatch, fake_command: Command) -> None:
    closed = threading.Event()
    close = Engine.close

    def closing(engine: Engine) -> None:
        close(engine)
        closed.set()

    monkeypatch.setattr(Engine, "close", closing)

    async def run() -> None:
        task = asyncio.create_task(AsyncEngine.popen(fake_command("good"), board="6x6"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    running(run)()
    assert closed.wait(20)


@running
async def test_options_of_one_search_and_those_that_are_refused() -> None:
    """A cancelled search puts them back, too."""
    sent: list[str] = []
    settings = EngineSettings(OWN_ENGINE, TimeControl(), options=(("Hash", "1"),))
    async with AsyncEngine(Engine(settings, log=Listening(sent.append))) as engine:
        await engine.play(new_game(), SHALLOW, options={"Hash": 2})
        assert (await engine.analyse(new_game(), SHALLOW, options={"Hash": 3})).depth == 2
        task = await searching(engine, engine.play(new_game(), Limit(), options={"Hash": 4}))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        values = [line.split()[-1] for line in sent if line.startswith("setoption name Hash")]
        assert values == ["1", "2", "1", "3", "1", "4", "1"]
        for name in ("UCI_Variant", "MultiPV"):
            with pytest.raises(EngineOptionError, match=f"'{name}': Engine sets it"):
                await engine.configure({name: "1"})
            with pytest.raises(EngineOptionError, match=f"'{name}': Engine sets it"):
                await AsyncEngine.popen(OWN_ENGINE, options={name: "1"})
