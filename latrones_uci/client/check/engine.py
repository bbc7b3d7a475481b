"""The engine under test: its process and lines, the errors of checks, and sample games."""

import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from latrones_uci.client.connection import Connection
from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_spec import reading_s
from latrones_uci.client.errors import EngineCrashError, EngineStallError, SettingsError
from latrones_uci.client.output import OptionDeclaration, parse_best_move, parse_error_line, parse_id_name, parse_option
from latrones_uci.client.process import OutputLine
from latrones_uci.client.time_control import NS_PER_S
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import setup_options
from latrones_uci.game import Game, Position, random_game
from latrones_uci.text.clock import now_ns
from latrones_uci.text.command import join_command
from latrones_uci.text.messages import counted, nearest_name, printable, quoted
from latrones_uci.text.protocol import BestMove, Dialect

_LINES_KEPT = 1000
_STEPS_KEPT, _ANSWERS_KEPT = 4, 3
_MAX_SHOWN = 150
_LOG_NAME = "engine"
_SEARCH_START_S = 0.01
_HANDSHAKE_TRIES = 2
_MIDDLE_PLIES = 8
_MAX_PLIES = 1200
_GAMES_TRIED = 40


class FaultError(Exception):
    """The engine did something wrong; the message says what was observed, in one line."""


class NotOfferedError(Exception):
    """The engine lacks an optional feature; the message says what was observed, in one line."""


class NoHandshakeError(Exception):
    """The engine does not start or does not complete the handshake, so the check cannot run."""


@dataclass(frozen=True)
class EngineUnderTest:
    """An engine to check, the limits it must keep, and the games with which it is checked."""

    command: tuple[str, ...]
    """Program and arguments."""
    start: Position
    """The start position of the variant and board used for the checks."""
    dialect: Dialect = Dialect.UCI
    """``UCI`` or ``UGI``."""
    options: tuple[tuple[str, str], ...] = ()
    """Names and values that are set after the handshake, in this order."""
    variant_path: str | None = None
    """A file with the variant, for engines that load one; None for none."""
    start_s: float = 20.0
    """Timeout for the answer to the greeting."""
    timeout_s: float = 10.0
    """Timeout for any other answer."""
    latency_ms: int = 500
    """Latest answer to ``stop``, to ``isready`` during a search, or after a time limit."""
    quiet_s: float = 0.2
    """How long checks listen for output that must not come."""
    games: int = 100
    """Number of games during which memory is watched."""
    growth_mb: int = 16
    """Memory growth allowed during these games, in megabytes (2^20 bytes)."""

    def game_options(self) -> dict[str, str]:
        """Return the options that select the variant, in the order in which they must be set."""
        return setup_options(self.start, self.variant_path)

    @cached_property
    def game(self) -> Game:
        """An unfinished game of a few plies, with at least two legal moves if one can be found."""
        best = Game(self.start)
        for seed in range(_GAMES_TRIED):
            game = random_game(self.start, _MIDDLE_PLIES, random.Random(seed))
            if len(game.legal_moves()) > 1 and len(game.moves) > len(best.moves):
                best = game
        return best

    @cached_property
    def position(self) -> str:
        return render_position(self.game)

    @cached_property
    def finished(self) -> dict[str, Game]:
        """Finished games by termination: the shortest for each termination that random play reaches."""
        games: dict[str, Game] = {}
        for seed in range(_GAMES_TRIED // 4):
            game = random_game(self.start, _MAX_PLIES, random.Random(seed))
            if (outcome := game.outcome()) is not None:
                known = games.get(outcome.termination.value)
                if known is None or len(known.moves) > len(game.moves):
                    games[outcome.termination.value] = game
        return games


@dataclass(frozen=True)
class Reply:
    """The output of an engine during a wait, at most the last thousand lines."""

    lines: tuple[OutputLine, ...]
    """The lines in the order in which they came."""
    complete: bool
    """Whether the awaited line came; it is then the last one."""
    asked_at_ns: int
    """The time at the start of the wait, on the clock of the process."""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds from the start of the wait until the last line was read; 0 if there is none."""
        return max(self.lines[-1].read_at_ns - self.asked_at_ns, 0) / 1e6 if self.lines else 0.0

    def best_moves(self) -> list[BestMove]:
        return [best for text in self.texts if (best := parse_best_move(text)) is not None]

    def errors(self) -> list[str]:
        """Return the ``info string error`` lines as ``CODE: MESSAGE``."""
        return [error for text in self.texts if (error := parse_error_line(text)) is not None]


@dataclass
class _Step:
    """A line that was sent, and the first and last answers to it; the first step has the output before any command."""

    sent: str
    answers: list[str] = field(default_factory=list)
    left_out: int = 0

    def add(self, answer: str) -> None:
        if len(self.answers) == _ANSWERS_KEPT:
            del self.answers[1]
            self.left_out += 1
        self.answers.append(answer)

    def lines(self) -> Iterator[str]:
        yield from [self.sent] * bool(self.sent)
        yield from self.answers[:1]
        if self.left_out:
            yield f"           ... {counted(self.left_out, 'line')} left out"
        yield from self.answers[1:]


class Probe:
    """One process of an engine under test.

    Methods that wait for an answer raise ``FaultError`` if it does not come in time or reports an error that it must
    not report; ``EngineCrashError`` and ``EngineStallError`` propagate to the caller.

    Attributes:
        target: the engine.
        options: the options that it declares, by lower-case name, after ``greet``.
        process: its process.
    """

    def __init__(self, target: EngineUnderTest, log: TrafficLog | None) -> None:
        """Start the program."""
        self.target = target
        self.options: dict[str, OptionDeclaration] = {}
        self._heard: deque[OutputLine] = deque(maxlen=_LINES_KEPT)
        self._start_ns = now_ns()
        self._steps = deque([_Step("")], maxlen=_STEPS_KEPT)
        self._connection = Connection(
            _LOG_NAME, target.command, log=log, on_line=self._note, on_error_line=self._note_error)
        self.process = self._connection.process

    def transcript(self) -> tuple[str, ...]:
        """Return the last lines of the traffic, ``SECONDS MARK TEXT`` as in a log, without answers in the middle."""
        return tuple(line for step in self._steps for line in step.lines())

    def _shown(self, mark: str, text: str, at_ns: int) -> str:
        cut = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}... ({len(text)} characters)"
        return f"{(at_ns - self._start_ns) / NS_PER_S:10.3f} {mark} {printable(cut)}"

    def _note(self, line: OutputLine) -> None:
        self._heard.append(line)
        self._steps[-1].add(self._shown("<<", line.text, line.read_at_ns))

    def _note_error(self, text: str) -> None:
        self._steps[-1].add(self._shown("!!", text, now_ns()))

    def send(self, *lines: str) -> None:
        """Send lines one after the other, without waiting between them."""
        for line in lines:
            self._steps.append(_Step(self._shown(">>", line, now_ns())))
            self._connection.send(self.target.timeout_s, line)

    def listen(self, until: Callable[[str], bool], timeout_s: float | None = None) -> Reply:
        """Read until a line for which ``until`` is true, or until the timeout (None: the default timeout)."""
        asked_at_ns = self.process.now_ns()
        deadline_ns = asked_at_ns + int((self.target.timeout_s if timeout_s is None else timeout_s) * NS_PER_S)
        self._heard.clear()
        found = self._connection.wait_for(lambda text: until(text) or None, deadline_ns)
        return Reply(tuple(self._heard), found is not None, asked_at_ns)

    def collect(self, seconds: float) -> Reply:
        return self.listen(lambda text: False, seconds)

    def expect(self, word: str, timeout_s: float | None = None) -> Reply:
        """Read up to the first line that starts with a word."""
        seconds = (self.target.timeout_s if timeout_s is None else timeout_s) + reading_s(self._connection.unanswered)
        reply = self.listen(lambda text: text.split()[:1] == [word], seconds)
        if not reply.complete:
            raise FaultError(f"no {word} within {seconds:g} s")
        self._connection.unanswered = 0
        return reply

    def ready(self) -> Reply:
        """Send ``isready`` and read up to ``readyok``, after which all earlier output has been read."""
        self.send("isready")
        return self.expect("readyok")

    def late(self, seconds: float) -> Reply:
        """Return the output that has not been read, and that of the next ``seconds``."""
        ready = self.ready()
        return Reply(ready.lines + self.collect(seconds).lines, False, ready.asked_at_ns)

    def answer(self, *lines: str) -> Reply:
        """Send lines and ``isready``, and return the output up to ``readyok``."""
        self.send(*lines)
        return self.ready()

    def greet(self) -> Reply:
        self.send(self.target.dialect.value)
        try:
            reply = self.expect(self.target.dialect.greeted, self.target.start_s)
        except FaultError as fault:
            raise FaultError(f"{fault}{self._connection.silent_hint}") from None
        declared = (parse_option(text) for text in reply.texts)
        self.options = {option.name.lower(): option for option in declared if option is not None}
        return reply

    def set_options(self) -> list[str]:
        """Select the variant, set the options of the user, and return the errors that the latter cause."""
        for name, value in self.target.game_options().items():
            if name.lower() in self.options:
                self.send(f"setoption name {name} value {value}")
        if not self.target.options:
            return []
        self.ready()
        button = {name for name, option in self.options.items() if option.kind == "button"}
        return self.answer(*(f"setoption name {name}{'' if name.lower() in button else f' value {value}'}"
                             for name, value in self.target.options)).errors()

    def new_game(self) -> Reply:
        return self.answer(self.target.dialect.new_game)

    def set_position(self, position: str) -> None:
        """Set a position."""
        if errors := self.answer(position).errors():
            raise FaultError(f"rejects {quoted(position)}: {errors[0]}")

    def search(self, go: str, position: str | None = None) -> Reply:
        """Search a position, None for the sample, and read up to the first ``bestmove``; the wait starts at ``go``."""
        self.set_position(position or self.target.position)
        reply = self.go(go)
        if errors := reply.errors():
            raise FaultError(f"reports an error in the search after {go!r}: {errors[0]}")
        return reply

    def go(self, go: str) -> Reply:
        """Search the current position and read up to the first ``bestmove``, whatever the engine reports."""
        self.send(go)
        try:
            return self.expect("bestmove")
        except FaultError as fault:
            raise FaultError(f"{fault} after {go!r}") from None

    def best(self, game: Game | None = None, go: str = "go depth 1") -> str:
        """Search a game, None for the sample, and return the text of the best move; errors as in ``search``."""
        return self.search(go, None if game is None else render_position(game)).best_moves()[0].move

    def begin(self, go: str) -> None:
        """Start a search of the sample that runs until ``stop``, and wait until it is running; read nothing."""
        self.set_position(self.target.position)
        self.send(go)
        time.sleep(_SEARCH_START_S)

    def stop(self) -> Reply:
        """Stop a search and read up to its ``bestmove``."""
        reply = self.go("stop")
        if errors := reply.errors():
            raise FaultError(f"reports an error in the search: {errors[0]}")
        return reply


class Workbench:
    """Starts the engine under test when a check needs it, and restarts it after a fault."""

    def __init__(self, target: EngineUnderTest, log: TrafficLog | None = None) -> None:
        """Start nothing yet; ``log`` gets the traffic of all processes."""
        self.target, self._log = target, log
        self._shared: Probe | None = None
        self._last: Probe | None = None
        self._failed_handshakes: list[str] = []

    def transcript(self) -> tuple[str, ...]:
        return () if self._last is None else self._last.transcript()

    @contextmanager
    def own(self, *, ready: bool) -> Iterator[Probe]:
        """Start a separate process for one check, ready to search or untouched, and kill it at the end."""
        engine = self._last = Probe(self.target, self._log)
        try:
            if ready:
                self._prepare(engine)
            yield engine
        finally:
            engine.process.close(0)

    def shared(self) -> Probe:
        """Return the process that checks share, ready for a new game.

        Raises:
            NoHandshakeError: the handshake fails. After a few failures it is not tried again.
            FaultError: the engine does not get ready for a new game.
        """
        if self._shared is not None:
            self._last = self._shared
            self._shared.new_game()
            return self._shared
        engine = self._last = Probe(self.target, self._log)
        try:
            self._prepare(engine)
        except BaseException:
            engine.process.close(0)
            raise
        self._shared = engine
        return engine

    def discard(self) -> None:
        """Kill the shared process, if there is one; the next check starts a new one."""
        if self._shared is not None:
            self._shared.process.close(0)
            self._shared = None

    def check_options(self) -> None:
        """Raise ``SettingsError`` for an option of the user that the engine lacks or rejects.

        Without a handshake, leave the report to the checks.
        """
        if not self.target.options:
            return
        try:
            with self.own(ready=False) as engine:
                names = [name for text in engine.greet().texts if (name := parse_id_name(text)) is not None]
                title = f"engine {quoted(names[0] if names else join_command(self.target.command))}"
                for name, value in self.target.options:
                    if (option := engine.options.get(name.lower())) is None:
                        hint = nearest_name(name, [each.name for each in engine.options.values()])
                        raise SettingsError(f"{title} has no option {quoted(name)}{hint}")
                    if expected := option.expected(value):
                        raise SettingsError(
                            f"{title}: option {quoted(option.name)}: value {quoted(value)}: expected {expected}")
                if errors := engine.set_options():
                    raise SettingsError(f"{title} rejects its options: {errors[0]}")
        except (FaultError, EngineCrashError, EngineStallError):
            pass

    def _prepare(self, engine: Probe) -> None:
        if len(self._failed_handshakes) >= _HANDSHAKE_TRIES:
            raise NoHandshakeError(self._failed_handshakes[-1])
        try:
            engine.greet()
            engine.set_options()
            engine.new_game()
        except (FaultError, EngineCrashError, EngineStallError) as fault:
            self._failed_handshakes.append(str(fault))
            raise NoHandshakeError(f"{join_command(self.target.command)}: {fault}") from fault


@dataclass(frozen=True)
class Check:
    """One requirement on an engine."""

    name: str
    """The name in tables and for ``--only``."""
    expected: str
    """What a correct engine does, one line."""
    run: Callable[[Workbench], str]
    """Runs the check and returns what was observed.

    It raises ``FaultError`` if that is wrong, ``NotOfferedError`` if the engine lacks an optional feature, and an
    ``EngineError`` if the engine exits or stalls."""


class Checks(list[Check]):
    """A table of checks, filled by its decorators."""

    def shared(self, name: str, expected: str) -> Callable[[Callable[[Probe], str]], Callable[[Probe], str]]:
        """Declare a check of the process that such checks share, ready for a new game."""

        def declare(run: Callable[[Probe], str]) -> Callable[[Probe], str]:
            self.append(Check(name, expected, lambda bench: run(bench.shared())))
            return run

        return declare

    def alone(self, name: str, expected: str) -> Callable[[Callable[[Workbench], str]], Callable[[Workbench], str]]:
        """Declare a check that starts processes of its own."""

        def declare(run: Callable[[Workbench], str]) -> Callable[[Workbench], str]:
            self.append(Check(name, expected, run))
            return run

        return declare
