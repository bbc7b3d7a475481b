"""Ends of matches, on all systems: a runner that is killed, and an engine that leaves a process behind."""

import select
import socket
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.text.command import join_command

pytestmark = pytest.mark.process

LIMIT_S = 120.0
ENGINE = """
import os, socket, subprocess, sys, time
connection = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name Bad\\noption name UCI_Variant type combo default latrones var latrones\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "quit":
        break
    elif word == "go":
        connection.sendall(b"x")
        if sys.argv[1] == "crash":
            subprocess.Popen([sys.executable, "-I", "-S", sys.argv[0], "stay", sys.argv[2]])
            os._exit(3)
        time.sleep(600)
"""


def match_of(behaviour: str, port: int, *words: str) -> list[str]:
    """Return the command of a match of two engines, which connect to a port and write a byte at their first search."""
    Path("engine.py").write_text(ENGINE, encoding="utf-8")
    command = join_command([sys.executable, "-I", "-S", str(Path("engine.py").absolute()), behaviour, str(port)])
    engines = [word for name in "ab" for word in ("--engine", f"cmd={command}", f"name={name}", "st=300")]
    return [*OWN_ENGINE, "match", *engines, "--force", *words]


def ended(connection: socket.socket) -> bool:
    connection.settimeout(20)
    with closing(connection), suppress(ConnectionResetError):
        return connection.recv(1) == b""
    return True


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_killed_runner_takes_its_engines_with_it(
    concurrency: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if worker processes have started them."""
    monkeypatch.chdir(tmp_path)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(LIMIT_S)
        words = match_of("stay", server.getsockname()[1], "--games", "2", "--concurrency", str(concurrency))
        with subprocess.Popen(words) as runner:
            connections: list[socket.socket] = []
            searching = 0
            while searching < concurrency:
                readable, _, _ = select.select([server, *connections], [], [], LIMIT_S)
                assert readable
                for each in readable:
                    if each is server:
                        connections.append(server.accept()[0])
                    else:
                        searching += len(each.recv(1))
            runner.kill()
        assert len(connections) == 2 * concurrency
        assert all(map(ended, connections))


def test_an_engine_that_ends_leaves_no_process_and_the_match_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        words = match_of("crash", server.getsockname()[1], "--games", "2")
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.stdout.count("crash (White: ended with status 3)") == 2, done
        server.settimeout(0.5)
        connections: list[socket.socket] = []
        with suppress(TimeoutError):
            while True:
                connections.append(server.accept()[0])
    assert len(connections) >= 3  # engines, the first twice, and what they left unless it was killed before
    for connection in connections:
        with suppress(ConnectionResetError):
            while connection.recv(1):
                pass
        connection.close()
