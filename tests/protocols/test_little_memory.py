"""A hash table larger than the memory: one error line, and the old table stays in use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocols.client import Client

pytestmark = [pytest.mark.process, pytest.mark.linux]  # other systems ignore RLIMIT_AS

ROOM_MB = 160
"""More than an engine needs besides its table, and less than the tables requested."""


@pytest.fixture
def engine(backend: str, tmp_path: Path) -> Iterator[Client]:
    """Return an engine whose address space may grow by ``ROOM_MB``."""
    with Client(tmp_path, "--backend", backend) as client:
        client.answer("setoption name Hash value 2")
        limit_memory(client)
        yield client


def limit_memory(client: Client) -> None:
    import resource

    status = Path(f"/proc/{client.process.pid}/status").read_text(encoding="ascii").splitlines()
    used = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmSize:"))
    limit = used + ROOM_MB * 2**20
    resource.prlimit(client.process.pid, resource.RLIMIT_AS, (limit, limit))


def test_hash_larger_than_the_address_space(engine: Client) -> None:
    for megabytes in (ROOM_MB + 50, 4 * ROOM_MB, ROOM_MB + 50):
        [line] = engine.answer(f"setoption name Hash value {megabytes}")
        assert line.startswith("info string error option: option Hash: keeping the old table: ")
        assert f" cannot allocate {megabytes} MB of hash: " in line
        assert line.endswith((" memory", " memory available"))
    assert engine.ask("position startpos moves d1d5", "go depth 3", until="bestmove")[-1] != "bestmove 0000"
    assert engine.answer("setoption name Hash value 4") == []
    found = engine.ask("go depth 4", until="bestmove")
    assert not [line for line in found if "error" in line]
    assert engine.finish() == []


def test_rejected_hash_keeps_the_entries_of_the_old_table(engine: Client) -> None:
    """A second search of the same position uses the table; how much it saves depends on the evaluation."""
    engine.answer("setoption name EvalFile value none")

    def nodes() -> int:
        last = engine.ask("position startpos moves d1d5", "go depth 4", until="bestmove")[-2].split()
        return int(last[last.index("nodes") + 1])

    first = nodes()
    assert "keeping the old table" in engine.answer(f"setoption name Hash value {4 * ROOM_MB}")[0]
    assert nodes() < first / 2


@pytest.mark.usefixtures("native_core")
def test_too_many_threads_for_the_memory(tmp_path: Path) -> None:
    """The search uses the threads that could be started, and says so once."""
    with Client(tmp_path, "--backend", "native") as client:
        client.answer("setoption name Threads value 200")
        client.ask("position startpos", "go depth 2", until="bestmove")  # allocates everything but the threads
        limit_memory(client)
        found = client.ask("go depth 5", until="bestmove")
        errors = [line for line in found if "error" in line]
        assert len(errors) == 1
        assert re.fullmatch(r"info string error internal: only \d+ of 200 threads could be started; later searches use"
                            r" \d+", errors[0])
        assert found[-1].startswith("bestmove ")
        found = client.ask("go depth 5", until="bestmove")
        assert not [line for line in found if "error" in line]
        assert client.finish() == []
