from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from protocol.cecp_table import Table
from protocol.client import Client


@pytest.fixture
def start_engine(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Return a function that starts the program with arguments, in an empty folder."""
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(Client(tmp_path, *arguments))


@pytest.fixture(scope="module")
def shared_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Return one program for all tests of a file that do not depend on its state; it must exit without an error."""
    with Client(tmp_path_factory.mktemp("shared")) as client:
        yield client
        assert client.finish() == []


@pytest.fixture
def engine(start_engine: Callable[..., Client]) -> Client:
    """Return the program, over pipes."""
    return start_engine()


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    """Return an in-process CECP engine."""
    table = Table(monkeypatch)
    yield table
    table.engine.close()
