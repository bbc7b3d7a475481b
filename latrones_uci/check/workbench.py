"""Starts the engine under test for the checks, and defines checks and their verdicts."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from latrones_uci.check.engine_under_test import EngineUnderTest, finished_games, middle_game
from latrones_uci.check.raw_client import FaultError, NoHandshakeError, RawClient, Reply
from latrones_uci.client.errors import EngineCrashError, EngineStallError, SettingsError
from latrones_uci.client.hints import SILENT_HINT
from latrones_uci.client.output import OptionDeclaration, parse_id_name, parse_option
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.game import Game, nearest_name, quoted

_HANDSHAKE_TRIES = 2


class Workbench:
    """Starts the engine under test when a check needs it, and restarts it after a fault.

    Attributes:
        target: the engine under test.
    """

    def __init__(self, target: EngineUnderTest, log: TrafficLog | None = None) -> None:
        """Start nothing yet; ``log`` gets the traffic of all processes."""
        self.target, self._log = target, log
        self._client: RawClient | None = None
        self._last: RawClient | None = None
        self._failed_handshakes: list[str] = []

    def start(self) -> RawClient:
        """Start a new process and send it nothing; the caller must close it.

        Raises:
            EngineStartError: the program cannot be started.
        """
        self._last = RawClient(self.target.command, self.target.timeout_s, self._log)
        return self._last

    def transcript(self) -> tuple[str, ...]:
        """Return the last lines of the traffic with the process that was used last."""
        return () if self._last is None else self._last.transcript()

    @contextmanager
    def own_client(self) -> Iterator[RawClient]:
        """Start a separate process for one check, send it nothing, and kill it at the end."""
        client = self.start()
        try:
            yield client
        finally:
            client.process.close(0)

    @contextmanager
    def own_ready_client(self) -> Iterator[RawClient]:
        """Start a separate process for one check, ready to search the start position, and kill it at the end."""
        with self.own_client() as client:
            self._prepare(client)
            yield client

    def client(self) -> RawClient:
        """Return the process that checks share, ready for a new game.

        Raises:
            NoHandshakeError: the handshake fails. After a few failures it is not tried again.
            FaultError: the engine does not get ready for a new game.
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
            self._last = self._client
            self._client.answer(self.target.dialect.new_game)
        return self._client

    def discard(self) -> None:
        """Kill the shared process, if there is one; the next check starts a new one."""
        if self._client is not None:
            self._client.process.close(0)
            self._client = None

    def greet(self, client: RawClient) -> Reply:
        """Send the greeting and read the answer."""
        client.send(self.target.dialect.value)
        try:
            return client.expect(self.target.dialect.greeted, self.target.start_s)
        except FaultError as fault:
            raise FaultError(f"{fault}{'' if client.heard else SILENT_HINT}") from None

    def options(self) -> dict[str, OptionDeclaration]:
        """Return the options that the shared process declares, by lower-case name."""
        self.client()
        return self._options

    def check_options(self) -> None:
        """Check that the engine accepts the options of the user; without a handshake, leave the report to the checks.

        Raises:
            EngineStartError: the program cannot be started.
            SettingsError: the engine does not declare an option, or rejects a value.
        """
        if not self.target.options:
            return
        try:
            with self.own_client() as client:
                reply = self.greet(client)
                names = [name for text in reply.texts if (name := parse_id_name(text)) is not None]
                engine = f"engine {quoted(names[0] if names else shlex.join(self.target.command))}"
                declared = _declared_options(reply)
                _check_declared(engine, declared, self.target.options)
                self._set_game_options(client, declared)
                client.ready()
                if errors := client.answer(*self._user_options(declared)).errors():
                    raise SettingsError(f"{engine} rejects its options: {errors[0]}")
        except (FaultError, EngineCrashError, EngineStallError):
            pass

    @cached_property
    def game(self) -> Game:
        """An unfinished game of a few plies."""
        return middle_game(self.target.start)

    @cached_property
    def finished(self) -> dict[str, Game]:
        """Finished games by termination."""
        return finished_games(self.target.start)

    def _prepare(self, client: RawClient) -> None:
        if len(self._failed_handshakes) >= _HANDSHAKE_TRIES:
            raise NoHandshakeError(self._failed_handshakes[-1])
        try:
            self._options = _declared_options(self.greet(client))
            self._set_game_options(client, self._options)
            client.answer(*self._user_options(self._options), self.target.dialect.new_game)
        except (FaultError, EngineCrashError, EngineStallError) as fault:
            self._failed_handshakes.append(str(fault))
            raise NoHandshakeError(f"{shlex.join(self.target.command)}: {fault}") from fault

    def _set_game_options(self, client: RawClient, declared: Mapping[str, OptionDeclaration]) -> None:
        for name, value in self.target.game_options().items():
            if name.lower() in declared:
                client.send(f"setoption name {name} value {value}")

    def _user_options(self, declared: Mapping[str, OptionDeclaration]) -> list[str]:
        """Return the ``setoption`` lines of the user's options."""
        return [
            f"setoption name {name}"
            + ("" if name.lower() in declared and declared[name.lower()].kind == "button" else f" value {value}")
            for name, value in self.target.options
        ]


def _declared_options(greeting: Reply) -> dict[str, OptionDeclaration]:
    """Return the options in the answer to the greeting, by lower-case name."""
    declared = (parse_option(text) for text in greeting.texts)
    return {option.name.lower(): option for option in declared if option is not None}


def _check_declared(
    engine: str, declared: Mapping[str, OptionDeclaration], options: Iterable[tuple[str, str]]
) -> None:
    for name, value in options:
        if (option := declared.get(name.lower())) is None:
            hint = nearest_name(name, [each.name for each in declared.values()])
            raise SettingsError(f"{engine} has no option {quoted(name)}{hint}")
        if expected := option.expected(value):
            raise SettingsError(f"{engine}: option {quoted(option.name)}: value {quoted(value)}: expected {expected}")


# ---------------------------------------------------------------- checks and verdicts


class Verdict(Enum):
    """The verdict of a check; the value is the text in the table."""

    PASSED = "ok"
    FAILED = "FAILED"
    NOT_OFFERED = "not offered"
    """The engine lacks an optional feature."""
    NOT_RUN = "not run"
    """The engine does not start or does not complete the handshake."""


@dataclass(frozen=True)
class Check:
    """One requirement on an engine.

    Attributes:
        name: the name in tables and for ``--only``.
        expected: what a correct engine does, one line.
        run: runs the check and returns what was observed. Raises ``FaultError`` if that is wrong, ``NotOfferedError``
            if the engine lacks an optional feature, and an ``EngineError`` if the engine exits or stalls.
    """

    name: str
    expected: str
    run: Callable[[Workbench], str]


@dataclass(frozen=True)
class CheckResult:
    """The result of a check.

    Attributes:
        check: the check.
        verdict: its verdict.
        detail: what was observed, one line.
        transcript: the last lines of the traffic, if the check failed.
    """

    check: Check
    verdict: Verdict
    detail: str
    transcript: tuple[str, ...] = ()
