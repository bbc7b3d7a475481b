"""Serve one controller: its first line selects the dialect."""

import re
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Protocol, cast

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import Event, Refusal
from latrones_uci.engine.kernels import Kernel
from latrones_uci.engine.session import Session
from latrones_uci.protocols.channel import MAX_WAITING_BYTES, Channel, ChannelClosedError, Line
from latrones_uci.protocols.common import AUTHOR, ENGINE_NAME
from latrones_uci.protocols.uci.commands import OWN_COMMANDS
from latrones_uci.protocols.uci.session import UciSession

_FIRST_OF_GTP = re.compile(r"\s*(?:[0-9]{1,9}\s+)?(?:protocol_version|list_commands|name)\s*(?:#.*)?", re.ASCII)
SWITCH_INTERVAL_S = 0.0005
"""Limit on the time that a search may delay the thread that reads commands."""


@dataclass(frozen=True)
class OtherEngine:
    """An engine to serve instead of that of this project: what it is called, and what chooses its moves."""

    name: str
    author: str
    kernel: Kernel


def is_gtp(first: str) -> bool:
    """Return whether a first line is one of a controller that speaks GTP."""
    return _FIRST_OF_GTP.fullmatch(first) is not None


class DialectSession(Protocol):
    """A dialect: serves lines, and handles what the engine reports."""

    has_state: bool
    """Whether events change its state, so that they must be handled in one thread with the lines."""

    def serve(self, line: Line) -> bool:
        """Serve a line; return False for ``quit``."""

    def waits(self, text: str, before: Sequence[Line]) -> bool:
        """Return whether a line has to wait for the end of the search; ``before``: the lines that do already."""

    def refuse(self, refusal: Refusal, line: Line) -> None:
        """Answer a line that is not obeyed."""

    @property
    def owes(self) -> bool:
        """Whether a search is running that ends by itself, with an answer."""

    def handle_event(self, event: Event) -> None:
        """Handle an event of the engine."""


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
        self._waiting: deque[Line] = deque()  # commands that wait for the end of a search
        self._waiting_bytes = 0
        self._lock = threading.Lock()  # so that no search ends between the decision that a line waits, and its wait
        kernel = other.kernel if other else None
        self._engine = Session(self._take_event, backend, kernel, tune)
        for name, value in (settings or {}).items():
            self._engine.set_option(name, value)

    def run(self) -> None:
        """Read and answer until ``quit``, the end of input, or a closed output."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            line = self._channel.receive()
            self._session = self._choose(line.text)
            while self._take(self._session, line):
                line = self._channel.receive()
        except ChannelClosedError:
            self._end()
        finally:
            self._engine.close()

    def _choose(self, first: str) -> "DialectSession":
        """Choose the dialect by the first line. CECP and GTP are only imported where they are spoken."""
        other, send, session = self._other, self._channel.send, "latrones_uci.protocols.{}.session"
        name = other.name if other else ENGINE_NAME
        if self._xboard or (first.strip() == "xboard" and not self._gtp):
            return cast(DialectSession, import_module(session.format("xboard")).CecpSession(self._engine, send, name))
        if self._gtp or is_gtp(first):
            return cast(DialectSession, import_module(session.format("gtp")).GtpSession(self._engine, send, name))
        return UciSession(self._engine, send, name, other.author if other else AUTHOR, OWN_COMMANDS if other else ())

    def _take_event(self, event: Event) -> None:
        """Pass an event of the engine on: at once, or in order with the lines if the dialect has a state."""
        session = self._session
        if session is None:
            return  # before the first line
        if session.has_state:
            self._channel.post(lambda: self._handle(session, event))
            return
        session.handle_event(event)
        with self._lock:
            resumes = bool(self._waiting) and not self._engine.searching
        if resumes:
            self._channel.post(lambda: self._resume(session))

    def _handle(self, session: "DialectSession", event: Event) -> None:
        session.handle_event(event)
        self._resume(session)

    def _take(self, session: "DialectSession", line: Line) -> bool:
        """Serve a line, now or after the search that is running; return False for ``quit``."""
        with self._lock:
            waits = session.waits(line.text, self._waiting)
            fits = self._waiting_bytes + line.size <= MAX_WAITING_BYTES
            if waits and fits:
                self._waiting.append(line)
                self._waiting_bytes += line.size
        if not waits:
            return session.serve(line)
        if not fits:
            session.refuse(Refusal(BusyError.code, "too many commands wait for the end of a search"), line)
        return True

    def _resume(self, session: "DialectSession") -> None:
        """Serve the commands that have waited, until one of them starts another search.

        Raises:
            ChannelClosedError: one of them was ``quit``.
        """
        while self._waiting and not session.waits(self._waiting[0].text, ()):
            line = self._waiting.popleft()
            self._waiting_bytes -= line.size
            if not session.serve(replace(line, read_ns=time.monotonic_ns())):
                self._waiting.clear()
                raise ChannelClosedError

    def _end(self) -> None:
        """After the end of input, obey the commands that wait; stop a search without a limit, or with none waiting."""
        if self._session is None:
            return
        with suppress(ChannelClosedError):
            if not self._waiting:
                self._engine.stop()
            while self._waiting or (self._session.has_state and self._session.owes):
                if not self._session.owes:
                    self._engine.stop()  # nothing else would end it
                self._channel.run_posted()
            if self._session.owes:
                self._engine.wait()
