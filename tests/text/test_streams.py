"""What commands write to pipes: UTF-8 on every system, and no word about a reader that has left."""

from __future__ import annotations

import subprocess

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.text.streams import is_reader_gone, without_waiting

pytestmark = pytest.mark.process


def test_pipes_get_utf8() -> None:
    """Python chooses the code page of Windows by itself, which has few of the letters."""
    command = [*OWN_ENGINE, "go", "--variant", "żółw½✓"]
    ended = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "unknown variant 'żółw½✓'" in ended.stderr.decode("utf-8")


def test_a_reader_that_left_is_no_error() -> None:
    command = [*OWN_ENGINE, "variants", "explain", "latrones"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 1)


def test_a_pipe_without_a_reader() -> None:
    """Windows has another error for it."""
    with subprocess.Popen(OWN_ENGINE, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        process.kill()
        process.wait()
        with without_waiting(process.stdin.fileno()), pytest.raises(OSError) as raised:  # noqa: PT011
            process.stdin.write(b"x")
        assert is_reader_gone(raised.value)
    assert not is_reader_gone(FileNotFoundError(2, "No such file", "name"))
