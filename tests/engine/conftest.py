from collections.abc import Iterator

import pytest

from engine.listener import Listener
from latrones_uci.engine.session import Session


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def session(listener: Listener, backend: str) -> Iterator[Session]:
    made = Session(listener, backend)
    yield made
    made.close()
