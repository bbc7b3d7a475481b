from collections.abc import Callable, Iterator

import pytest

from engine.listener import Listener
from latrones_uci.engine import session
from latrones_uci.engine.python_kernel import PythonKernel
from latrones_uci.engine.session import Engine


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def engine(listener: Listener) -> Iterator[Engine]:
    made = Engine(listener)
    yield made
    made.close()


@pytest.fixture
def use_kernel(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[PythonKernel]], None]:
    """Lets engines made afterwards have a kernel of that class."""
    return lambda kernel: monkeypatch.setattr(session, "PythonKernel", kernel)
