"""Fixtures for tests that drive engines or write files: fake engines, and a separate working directory.

``conftest.py`` loads them as a plugin for all folders.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import memory_engine
import processes
from latrones_uci.client.connection import Connection
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.process import EngineProcess
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.game import Position, find_variant

TESTS = Path(__file__).resolve().parent
FAKE_ENGINE = TESTS / "fakes" / "fake_engine.py"
WITH_A_FOLDER = {"client", "commands", "match", "records", "studies", "web"}
DEPTH = TimeControl(depth=1)
QUICK = Timeouts(start_s=20.0, ready_s=10.0, search_s=10.0, stop_grace_s=0.3, quit_s=1.0)

FakeSettings = Callable[..., EngineSettings]
FakeController = Callable[..., EngineController]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a test have its engines in memory, unless it is marked to start processes or windows."""
    in_memory = not any(item.get_closest_marker(mark) for mark in ("process", "gui"))
    Connection.connect = staticmethod(memory_engine.connect if in_memory else EngineProcess)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(request: pytest.FixtureRequest) -> None:
    """Run the test in a temporary directory, because matches write their database to the current one by default."""
    if request.path.parent.parent == TESTS and request.path.parent.name in WITH_A_FOLDER:
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))


@pytest.fixture(scope="module")
def tiny_engines() -> Iterator[None]:
    """Make the searches of engines in this process tiny, for tests with random lines; see ``fuzz.loop_target``."""
    from fuzz.loop_target import folder, make_engines_tiny

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder())
        make_engines_tiny(patch.setattr)
        yield


@pytest.fixture
def fake_command() -> Callable[..., tuple[str, ...]]:
    def command(behaviour: str, after: int = 0) -> tuple[str, ...]:
        return (sys.executable, str(FAKE_ENGINE), behaviour, str(after))

    return command


@pytest.fixture
def fake_settings(fake_command: Callable[..., tuple[str, ...]]) -> FakeSettings:
    def settings(
        behaviour: str, after: int = 0, control: TimeControl = DEPTH, name: str | None = None,
        options: tuple[tuple[str, str], ...] = (), **changes: object
    ) -> EngineSettings:
        return EngineSettings(fake_command(behaviour, after), control, name, options, **changes)  # type: ignore[arg-type]

    return settings


@pytest.fixture
def start() -> Position:
    return Position.start(find_variant("latrones"), (6, 6))


@pytest.fixture
def await_end() -> Callable[[int], None]:
    """A function that waits for the end of a process that is not a child of this one."""

    return processes.await_end


@pytest.fixture
def fake_controller(fake_settings: FakeSettings) -> Iterator[FakeController]:
    """A function that starts fakes, which are killed after the test."""
    started: list[EngineController] = []

    def controller(
        behaviour: str, after: int = 0, options: tuple[tuple[str, str], ...] = (), timeouts: Timeouts = QUICK,
        interrupt: threading.Event | None = None, log: TrafficLog | None = None, **changes: object
    ) -> EngineController:
        settings = fake_settings(behaviour, after, options=options, **changes)
        game_options = {"UCI_Variant": "latrones", "BoardSize": "6x6"}
        engine = EngineController(
            settings, game_options, timeouts, (interrupt or threading.Event()).is_set, log=log
        )
        started.append(engine)
        return engine

    yield controller
    for engine in started:
        engine.kill()
