"""Serve one controller: its first line selects the dialect."""

import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple, Protocol

from latrones_uci.engine.events import EngineEvent
from latrones_uci.engine.kernels import Kernel
from latrones_uci.engine.session import Session
from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line
from latrones_uci.protocols.common import ENGINE_NAME
from latrones_uci.protocols.uci.render import OWN_COMMANDS
from latrones_uci.protocols.uci.session import UciSession

_FIRST_OF_GTP = re.compile(r"\s*(?:[0-9]{1,9}\s+)?(?:protocol_version|list_commands|name)\s*(?:#.*)?", re.ASCII)
SWITCH_INTERVAL_S = 0.0005
"""Limit on the time that a search may delay the thread that reads commands."""


class OtherEngine(NamedTuple):
    """An engine to serve instead of that of this project: what it is called, and what chooses its moves."""

    name: str
    author: str
    kernel: Kernel


def is_gtp(first: str) -> bool:
    return _FIRST_OF_GTP.fullmatch(first) is not None


class DialectSession(Protocol):
    """A dialect: serves the lines of a controller, and handles what the engine reports."""

    def serve(self, line: Line) -> bool:
        """Serve a line, now or later; return False for ``quit``."""

    def take_event(self, event: EngineEvent) -> None:
        """Take an event of the engine. Thread-safe."""

    def finish(self) -> None:
        """After the end of input, obey the lines that wait, and stop the search that nothing else ends.

        Raises:
            ChannelClosedError: one of the lines was ``quit``, or the output was closed.
        """


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
        self._session: DialectSession | None = None  # chosen by the first line
        kernel = other.kernel if other else None
        self._engine = Session(self._take_event, backend, kernel, tune)
        for name, value in (settings or {}).items():
            self._engine.set_option(name, value)

    def run(self) -> None:
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            line = self._channel.receive()
            session = self._session = self._choose(line.text)
            while session.serve(line):
                line = self._channel.receive()
        except ChannelClosedError:
            if self._session is not None:
                with suppress(ChannelClosedError):
                    self._session.finish()
        finally:
            self._engine.close()

    def _choose(self, first: str) -> DialectSession:
        """Choose the dialect by the first line. CECP and GTP are only imported where they are spoken."""
        name = self._other.name if self._other else ENGINE_NAME
        if self._xboard or (first.strip() == "xboard" and not self._gtp):
            from latrones_uci.protocols.xboard.session import CecpSession

            return CecpSession(self._engine, self._channel, name)
        if self._gtp or is_gtp(first):
            from latrones_uci.protocols.gtp.session import GtpSession

            return GtpSession(self._engine, self._channel, name)
        if self._other is not None:
            return UciSession(self._engine, self._channel, name, self._other.author, OWN_COMMANDS)
        return UciSession(self._engine, self._channel, name)

    def _take_event(self, event: EngineEvent) -> None:
        if self._session is not None:  # else before the first line
            self._session.take_event(event)
