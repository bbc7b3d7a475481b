from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from protocols.client import Client, LocalClient


@pytest.fixture
def start_engine(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Client]]:
    """Return a function that starts the engine with arguments, in an empty folder: as a process only if marked so."""
    monkeypatch.chdir(tmp_path)
    start = partial(Client, tmp_path) if request.node.get_closest_marker("process") else LocalClient
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(start(*arguments))


@pytest.fixture(scope="module")
def shared_engine() -> Iterator[Client]:
    with LocalClient() as client:
        yield client
        assert client.finish() == []


@pytest.fixture
def engine(start_engine: Callable[..., Client]) -> Client:
    return start_engine()
