from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from protocol.cecp_table import Table
from protocol.client import Client


@pytest.fixture
def start_engine(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Starts the program with arguments, in an empty folder, as often as called."""
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(Client(tmp_path, *arguments))


@pytest.fixture(scope="module")
def shared_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The program, one for all tests of a file that do not mind what was before; it has to end well."""
    with Client(tmp_path_factory.mktemp("shared")) as client:
        yield client
        assert client.finish() == []


@pytest.fixture
def engine(start_engine: Callable[..., Client]) -> Client:
    """The program, over pipes."""
    return start_engine()


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    """An engine to talk to."""
    table = Table(monkeypatch)
    yield table
    table.engine.close()
