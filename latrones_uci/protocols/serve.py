"""Serve one controller: its first line selects the dialect."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from latrones_uci.engine.events import Event
from latrones_uci.engine.kernels import Kernel
from latrones_uci.engine.session import Session
from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line
from latrones_uci.protocols.common import AUTHOR, ENGINE_NAME
from latrones_uci.protocols.uci.commands import OWN_COMMANDS
from latrones_uci.protocols.uci.session import UciSession

SWITCH_INTERVAL_S = 0.0005
"""Limit on the time that a search may delay the thread that reads commands."""


@dataclass(frozen=True)
class OtherEngine:
    """An engine to serve instead of that of this project: what it is called, and what chooses its moves."""

    name: str
    author: str
    kernel: Kernel


class Loop:
    """Serves one controller until ``quit``."""

    def __init__(
        self, channel: Channel, backend: str = "auto", xboard: bool = False, other: OtherEngine | None = None,
        tune: bool = False,
    ) -> None:
        """Create the engine; print nothing before the first command.

        Args:
            channel: the controller.
            backend: the option ``Backend``.
            xboard: whether to speak CECP whatever the first line is; the first line ``xboard`` also selects it.
            other: the engine to serve instead, which has neither kernels to choose nor ``OWN_COMMANDS``.
            tune: whether the constants of the native search become options.
        """
        self._channel, self._xboard, self._other = channel, xboard, other
        self._handle_event: Callable[[Event], None]  # set by the first line; the engine reports nothing before it
        kernel = other.kernel if other else None
        self._engine = Session(lambda event: self._handle_event(event), backend, kernel, tune)

    def run(self) -> None:
        """Read and answer until ``quit``, the end of input, or a closed output."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            line = self._channel.receive()
            serve = self._serve_xboard() if self._xboard or line.text.strip() == "xboard" else self._serve_uci()
            while serve(line):
                line = self._channel.receive()
        except ChannelClosedError:
            pass
        finally:
            self._engine.close()

    def _serve_uci(self) -> Callable[[Line], bool]:
        """Switch to UCI and UGI, and return the function that serves a line."""
        other, send = self._other, self._channel.send
        session = (UciSession(self._engine, send, other.name, other.author, OWN_COMMANDS) if other
                   else UciSession(self._engine, send, ENGINE_NAME, AUTHOR))
        self._handle_event = session.handle_event
        return session.serve

    def _serve_xboard(self) -> Callable[[Line], bool]:
        """Switch to CECP, where events of the engine change the game and are therefore queued with the lines."""
        cecp = import_module("latrones_uci.protocols.xboard.session")  # not imported where XBoard is not spoken
        session = cecp.CecpSession(self._engine, self._channel.send, self._other.name if self._other else ENGINE_NAME)
        self._handle_event = lambda event: self._channel.post(lambda: session.handle_event(event))
        return cast(Callable[[Line], bool], session.serve)
