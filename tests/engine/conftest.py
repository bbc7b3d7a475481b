from collections.abc import Iterator

import pytest

from engine.listener import Listener
from latrones_uci.engine.session import Engine


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def engine(listener: Listener, backend: str) -> Iterator[Engine]:
    """An engine with either kernel."""
    made = Engine(listener, backend)
    yield made
    made.close()
