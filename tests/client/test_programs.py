"""Programs other than engines, on all systems: groups that are killed, connections, replacements."""

import subprocess
import sys
from multiprocessing.connection import Pipe

import pytest

from latrones_uci.client.programs import kill_group, start_connected, start_group

pytestmark = pytest.mark.process

PYTHON = [sys.executable, "-P", "-c"]


def test_a_group_is_killed_with_what_it_has_started() -> None:
    """The second program would hold the pipe."""
    second = "import time; print('begun', flush=True); time.sleep(600)"
    first = f"import subprocess, sys; subprocess.Popen([*{PYTHON}, {second!r}])"
    with start_group([*PYTHON, first], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().split() == [b"begun"]
        assert process.wait(60) == 0
        kill_group(process)
        assert process.stdout.read() == b""


def test_a_program_answers_on_the_connection_that_it_was_given() -> None:
    ours, theirs = Pipe()
    code = (
        "import sys; from latrones_uci.client.programs import Connection\n"
        "with Connection(int(sys.argv[1])) as connection: connection.send(connection.recv() * 2)"
    )
    process = start_connected([*PYTHON, code, str(theirs.fileno())], [theirs.fileno()])
    theirs.close()
    ours.send([1, 2])
    assert ours.recv() == [1, 2, 1, 2]
    with pytest.raises(EOFError):  # nobody else has the other end
        ours.recv()
    assert process.wait(60) == 0


def test_a_program_in_place_of_another_has_its_streams_and_its_status() -> None:
    inner = "import sys; print(input().upper()); print('error', file=sys.stderr); sys.exit(7)"
    outer = ("import sys; from latrones_uci.client.programs import run_in_place\n"
             f"sys.exit(run_in_place({[*PYTHON, inner]!r}))")
    done = subprocess.run([*PYTHON, outer], input="uci\n", capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (7, "UCI\n", "error\n")
