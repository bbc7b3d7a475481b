"""Where checks get the engine under test from: started, greeted, ready."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from latrones_uci.client.errors import EngineCrashError, EngineStallError
from latrones_uci.client.output import OptionDeclaration, parse_option
from latrones_uci.client.process import EngineProcess
from latrones_uci.compliance.engine_under_test import EngineUnderTest, finished_games, middle_game
from latrones_uci.compliance.raw_client import FaultError, NoHandshakeError, RawClient, Reply
from latrones_uci.game import Game

_HANDSHAKE_TRIES = 2


class Workbench:
    """Starts the engine under test when a check asks for it, and anew after a fault.

    Attributes:
        target: the engine.
    """

    def __init__(self, target: EngineUnderTest) -> None:
        self.target = target
        self._client: RawClient | None = None
        self._failed_handshakes: list[str] = []

    def start(self) -> RawClient:
        """A new process to which nothing has been said; the caller ends it.

        Raises:
            EngineStartError: it cannot be started.
        """
        return RawClient(EngineProcess(self.target.command), self.target.timeout_s)

    @contextmanager
    def own_client(self) -> Iterator[RawClient]:
        """A process of the check's own, to which nothing has been said; it is killed in the end."""
        client = self.start()
        try:
            yield client
        finally:
            client.process.close(0)

    @contextmanager
    def own_ready_client(self) -> Iterator[RawClient]:
        """A process of the check's own, ready to search the start position; it is killed in the end."""
        with self.own_client() as client:
            self._prepare(client)
            yield client

    def client(self) -> RawClient:
        """The process that checks share, ready for a new game.

        Raises:
            NoHandshakeError: it does not come so far. After a few times it is not even tried.
            FaultError: it does not get ready for another game.
        """
        if self._client is None:
            client = self.start()
            try:
                self._prepare(client)
            except BaseException:
                client.process.close(0)
                raise
            self._client = client
        else:
            self._client.answer(self.target.dialect.new_game)
        return self._client

    def discard(self) -> None:
        """Kills the shared process, if there is one; the next check gets a new one."""
        if self._client is not None:
            self._client.process.close(0)
            self._client = None

    def greet(self, client: RawClient) -> Reply:
        """Shakes hands."""
        client.send(self.target.dialect.value)
        return client.expect(self.target.dialect.greeted, self.target.start_s)

    def options(self) -> dict[str, OptionDeclaration]:
        """The options that the shared process declares, by their names in small letters."""
        self.client()
        return self._options

    @cached_property
    def game(self) -> Game:
        """A game that goes on, some plies old."""
        return middle_game(self.target.start)

    @cached_property
    def finished(self) -> dict[str, Game]:
        """Games that have ended, by the reason."""
        return finished_games(self.target.start)

    def _prepare(self, client: RawClient) -> None:
        if len(self._failed_handshakes) >= _HANDSHAKE_TRIES:
            raise NoHandshakeError(self._failed_handshakes[-1])
        try:
            declared = (parse_option(text) for text in self.greet(client).texts)
            self._options = {option.name.lower(): option for option in declared if option is not None}
            for name, value in self.target.game_options().items():
                if name.lower() in self._options:
                    client.send(f"setoption name {name} value {value}")
            for name, value in self.target.options:
                client.send(f"setoption name {name} value {value}")
            client.answer(self.target.dialect.new_game)
        except (FaultError, EngineCrashError, EngineStallError) as fault:
            self._failed_handshakes.append(str(fault))
            raise NoHandshakeError(f"{shlex.join(self.target.command)}: {fault}") from fault


# ---------------------------------------------------------------- verdicts
# What a check can say of an engine.


class Verdict(Enum):
    """The result of a check; the value is what the table says."""

    PASSED = "ok"
    FAILED = "FAILED"
    NOT_OFFERED = "not offered"
    """The engine lacks something that it need not have."""
    NOT_RUN = "not run"
    """The engine could not be brought so far: it does not start, or does not shake hands."""


@dataclass(frozen=True)
class Check:
    """One thing asked of an engine.

    Attributes:
        name: a word for tables and ``--only``.
        expected: what a good engine does, one line.
        run: does the check; returns what was seen. It raises ``FaultError`` when that is wrong, ``NotOfferedError``
            when the engine lacks what it need not have, and an ``EngineError`` when the engine ends or stalls.
    """

    name: str
    expected: str
    run: Callable[[Workbench], str]


@dataclass(frozen=True)
class CheckResult:
    """What came of a check.

    Attributes:
        check: the check.
        verdict: its verdict.
        detail: what was seen, one line.
    """

    check: Check
    verdict: Verdict
    detail: str
