"""The engine on standard input and output."""

import contextlib
import sys
from collections.abc import Mapping
from io import FileIO

from latrones_uci.protocols.channel import Channel
from latrones_uci.protocols.serve import Loop
from latrones_uci.text.files import check_name


def serve_engine(
    backend: str = "auto", xboard: bool = False, tune: bool = False, log: str | None = None, gtp: bool = False,
    settings: Mapping[str, str] | None = None,
) -> None:
    """Serve a controller until ``quit``; ``log`` is a file to append the traffic to, the others are as for ``Loop``.

    Raises:
        LatronesError: there is no such kernel, or an option cannot be set.
        OSError: the log cannot be opened.
        MemoryError: not enough memory.
    """
    if sys.stdin is None or sys.stdout is None:
        return  # started without standard input or output
    with contextlib.ExitStack() as stack:
        if log:
            check_name(log)
        file = stack.enter_context(FileIO(log, "a")) if log else None
        Loop(Channel(sys.stdin.fileno(), sys.stdout.fileno(), file), backend, xboard, tune=tune, gtp=gtp,
             settings=settings).run()
