"""Serve one controller: its first line selects the dialect."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from latrones_uci.engine.events import Event
from latrones_uci.engine.kernels import Kernel
from latrones_uci.engine.session import Session
from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line
from latrones_uci.protocols.common import AUTHOR, ENGINE_NAME
from latrones_uci.protocols.uci.commands import OWN_COMMANDS
from latrones_uci.protocols.uci.session import UciSession

if TYPE_CHECKING:
    from latrones_uci.protocols.gtp.session import GtpSession

_GTP_WORDS = ("protocol_version", "list_commands", "name")
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
        tune: bool = False, gtp: bool = False, settings: Mapping[str, str] | None = None,
    ) -> None:
        """Create the engine; print nothing before the first command.

        Args:
            channel: the controller.
            backend: the option ``Backend``.
            xboard: whether to speak CECP whatever the first line is; the first line ``xboard`` also selects it.
            other: the engine to serve instead, which has neither kernels to choose nor ``OWN_COMMANDS``.
            tune: whether the constants of the native search become options.
            gtp: whether to speak GTP whatever the first line is; its first commands also select it.
            settings: options to set first, by their names.

        Raises:
            LatronesError: there is no such kernel, or an option cannot be set.
        """
        self._channel, self._xboard, self._gtp, self._other = channel, xboard, gtp, other
        self._handle_event: Callable[[Event], None] = lambda event: None  # the first line sets it
        self._end: Callable[[], None] = lambda: None  # called at the end of input
        kernel = other.kernel if other else None
        self._engine = Session(lambda event: self._handle_event(event), backend, kernel, tune)
        for name, value in (settings or {}).items():
            self._engine.set_option(name, value)

    def run(self) -> None:
        """Read and answer until ``quit``, the end of input, or a closed output."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            line = self._channel.receive()
            serve = self._choose(line.text)
            while serve(line):
                line = self._channel.receive()
        except ChannelClosedError:
            self._end()
        finally:
            self._engine.close()

    def _choose(self, first: str) -> Callable[[Line], bool]:
        """Choose the dialect by the first line, and return the function that serves a line."""
        if self._xboard or (first.strip() == "xboard" and not self._gtp):
            return self._serve_xboard()
        if self._gtp or any(word in first for word in _GTP_WORDS):
            gtp = import_module("latrones_uci.protocols.gtp.session")  # not imported where GTP is not spoken
            if self._gtp or gtp.is_first(first):
                return self._serve_gtp(gtp.GtpSession)
        return self._serve_uci()

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

    def _serve_gtp(self, kind: Callable[..., "GtpSession"]) -> Callable[[Line], bool]:
        """Switch to GTP, whose commands wait for the answer of the one before; events are queued with the lines."""
        channel = self._channel
        session = kind(self._engine, channel.send, self._other.name if self._other else ENGINE_NAME)
        self._handle_event = lambda event: channel.post(lambda: session.handle_event(event))

        def end() -> None:
            """Answer all commands that were sent; a last search that nothing waits for is stopped."""
            try:
                if not session.waiting:
                    session.stop()
                while session.searching:
                    channel.run_posted()
            except ChannelClosedError:
                pass

        self._end = end
        return session.serve
