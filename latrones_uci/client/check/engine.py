"""The engine under test: its process and lines, the errors of checks, option lines, and sample games."""

import random
import re
import shlex
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_spec import reading_s
from latrones_uci.client.errors import EngineCrashError, EngineStallError, SettingsError
from latrones_uci.client.hints import SILENT_HINT
from latrones_uci.client.output import OptionDeclaration, parse_best_move, parse_error_line, parse_id_name, parse_option
from latrones_uci.client.process import EngineProcess, OutputLine
from latrones_uci.client.time_control import NS_PER_S
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import setup_options
from latrones_uci.game import Game, Position
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
    """An engine to check, and the limits it must keep."""

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


@dataclass(frozen=True)
class Reply:
    """The output of an engine during a wait, at most the last thousand lines."""

    lines: tuple[OutputLine, ...]
    """The lines in the order in which they came."""
    complete: bool
    """Whether the awaited line came; it is then the last one."""
    asked_at_ns: int
    """``time.monotonic_ns()`` at the start of the wait."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the lines."""
        return tuple(line.text for line in self.lines)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds from the start of the wait until the last line was read; 0 if there is none."""
        return max(self.lines[-1].read_at_ns - self.asked_at_ns, 0) / 1e6 if self.lines else 0.0

    def best_moves(self) -> list[BestMove]:
        """Return the parsed ``bestmove`` lines."""
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


class RawClient:
    """Exchanges lines with one process. ``EngineCrashError`` and ``EngineStallError`` propagate to the caller."""

    def __init__(self, command: tuple[str, ...], timeout_s: float, log: TrafficLog | None = None) -> None:
        """Start the program.

        Raises:
            EngineStartError: it cannot be started.
        """
        self._timeout_s, self._log = timeout_s, log
        self._steps = deque([_Step("")], maxlen=_STEPS_KEPT)
        self._start_ns = time.monotonic_ns()
        self._unanswered = 0
        self.answered = False
        """Whether the engine has printed a line."""
        self.process = EngineProcess(command, on_error_line=self._note_error)
        """The process."""

    def transcript(self) -> tuple[str, ...]:
        """Return the last lines of the traffic, ``SECONDS MARK TEXT`` as in a log, without answers in the middle."""
        return tuple(line for step in self._steps for line in step.lines())

    def _line(self, mark: str, text: str, at_ns: int) -> str:
        cut = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}... ({len(text)} characters)"
        return f"{(at_ns - self._start_ns) / NS_PER_S:10.3f} {mark} {printable(cut)}"

    def _note_error(self, text: str) -> None:
        now_ns = time.monotonic_ns()
        self._steps[-1].add(self._line("!!", text, now_ns))
        if self._log is not None:
            self._log.received_error(_LOG_NAME, self.process.process_id, text, now_ns)

    def send(self, *lines: str) -> None:
        """Send lines one after the other, without waiting between them."""
        for line in lines:
            self._steps.append(_Step(self._line(">>", line, time.monotonic_ns())))
            if self._log is not None:
                self._log.sent(_LOG_NAME, self.process.process_id, line)
            self._unanswered += len(line)
            self.process.write_line(line, self._timeout_s + reading_s(self._unanswered))

    def listen(self, until: Callable[[str], bool], timeout_s: float | None = None) -> Reply:
        """Read until a line for which ``until`` is true, or until the timeout (None: the default timeout)."""
        asked_at_ns = time.monotonic_ns()
        deadline_ns = asked_at_ns + int((self._timeout_s if timeout_s is None else timeout_s) * NS_PER_S)
        lines: deque[OutputLine] = deque(maxlen=_LINES_KEPT)
        while (remaining_ns := deadline_ns - time.monotonic_ns()) > 0:
            line = self.process.read_line(remaining_ns / NS_PER_S)
            if line is not None:
                self.answered = True
                lines.append(line)
                self._steps[-1].add(self._line("<<", line.text, line.read_at_ns))
                if self._log is not None:
                    self._log.received(_LOG_NAME, self.process.process_id, line.text, line.read_at_ns)
                if until(line.text):
                    return Reply(tuple(lines), True, asked_at_ns)
        return Reply(tuple(lines), False, asked_at_ns)

    def collect(self, seconds: float) -> Reply:
        """Read all lines of the next ``seconds``."""
        return self.listen(lambda text: False, seconds)

    def expect(self, word: str, timeout_s: float | None = None) -> Reply:
        """Read up to the first line that starts with a word.

        Raises:
            FaultError: there is no such line within the timeout.
        """
        seconds = (self._timeout_s if timeout_s is None else timeout_s) + reading_s(self._unanswered)
        reply = self.listen(lambda text: text.split()[:1] == [word], seconds)
        if not reply.complete:
            raise FaultError(f"no {word} within {seconds:g} s")
        self._unanswered = 0
        return reply

    def ready(self, timeout_s: float | None = None) -> Reply:
        """Send ``isready`` and read up to ``readyok``, after which all earlier output has been read."""
        self.send("isready")
        return self.expect("readyok", timeout_s)

    def late(self, seconds: float) -> Reply:
        """Return the output that has not been read, and that of the next ``seconds``."""
        ready = self.ready()
        return Reply(ready.lines + self.collect(seconds).lines, False, ready.asked_at_ns)

    def answer(self, *lines: str) -> Reply:
        """Send lines and ``isready``, and return the output up to ``readyok``."""
        self.send(*lines)
        return self.ready()

    def set_position(self, position: str) -> None:
        """Set a position.

        Raises:
            FaultError: the engine reports an error.
        """
        if errors := self.answer(position).errors():
            raise FaultError(f"rejects {quoted(position)}: {errors[0]}")

    def search(self, position: str, go: str, timeout_s: float | None = None) -> Reply:
        """Set a position, search it and read up to the first ``bestmove``; the wait starts at ``go``.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout, or the engine reports an error.
        """
        self.set_position(position)
        reply = self.go(go, timeout_s)
        if errors := reply.errors():
            raise FaultError(f"reports an error in the search after {go!r}: {errors[0]}")
        return reply

    def go(self, go: str, timeout_s: float | None = None) -> Reply:
        """Search the current position and read up to the first ``bestmove``, whatever the engine reports.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout.
        """
        self.send(go)
        return self._best_move(go, timeout_s)

    def best(self, position: str, go: str = "go depth 1") -> str:
        """Search a position and return the text of the best move; errors as in ``search``."""
        return self.search(position, go).best_moves()[0].move

    def begin(self, position: str, go: str) -> None:
        """Start a search that runs until ``stop``, and wait until it is running; read nothing."""
        self.set_position(position)
        self.send(go)
        time.sleep(_SEARCH_START_S)

    def stop(self) -> Reply:
        """Stop a search and read up to its ``bestmove``.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout, or the engine reported an error in the search.
        """
        self.send("stop")
        reply = self._best_move("stop")
        if errors := reply.errors():
            raise FaultError(f"reports an error in the search: {errors[0]}")
        return reply

    def _best_move(self, after: str, timeout_s: float | None = None) -> Reply:
        try:
            return self.expect("bestmove", timeout_s)
        except FaultError as fault:
            raise FaultError(f"{fault} after {after!r}") from None


class Workbench:
    """Starts the engine under test when a check needs it, and restarts it after a fault."""

    def __init__(self, target: EngineUnderTest, log: TrafficLog | None = None) -> None:
        """Start nothing yet; ``log`` gets the traffic of all processes."""
        self.target, self._log = target, log
        """The engine under test."""
        self._client: RawClient | None = None
        self._last: RawClient | None = None
        self._failed_handshakes: list[str] = []

    def _start(self) -> RawClient:
        self._last = RawClient(self.target.command, self.target.timeout_s, self._log)
        return self._last

    def transcript(self) -> tuple[str, ...]:
        """Return the last lines of the traffic with the process that was used last."""
        return () if self._last is None else self._last.transcript()

    @contextmanager
    def own_client(self) -> Iterator[RawClient]:
        """Start a separate process for one check, send it nothing, and kill it at the end."""
        client = self._start()
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
            client = self._start()
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
            raise FaultError(f"{fault}{'' if client.answered else SILENT_HINT}") from None

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
                for name, value in self.target.options:
                    if (option := declared.get(name.lower())) is None:
                        hint = nearest_name(name, [each.name for each in declared.values()])
                        raise SettingsError(f"{engine} has no option {quoted(name)}{hint}")
                    if expected := option.expected(value):
                        raise SettingsError(
                            f"{engine}: option {quoted(option.name)}: value {quoted(value)}: expected {expected}")
                self._set_game_options(client, declared)
                client.ready()
                if errors := client.answer(*self._user_options(declared)).errors():
                    raise SettingsError(f"{engine} rejects its options: {errors[0]}")
        except (FaultError, EngineCrashError, EngineStallError):
            pass

    @cached_property
    def game(self) -> Game:
        """An unfinished game of a few plies."""
        return _middle_game(self.target.start)

    @cached_property
    def position(self) -> str:
        """The ``position`` line of ``game``."""
        return render_position(self.game)

    @cached_property
    def finished(self) -> dict[str, Game]:
        """Finished games by termination."""
        return _finished_games(self.target.start)

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


# ---------------------------------------------------------------- option lines


@dataclass(frozen=True)
class StrictOption:
    """A declared option."""

    name: str
    """Its name."""
    kind: str
    """``check``, ``spin``, ``combo``, ``button`` or ``string``."""
    values: dict[str, str]
    """Those of ``default``, ``min`` and ``max`` that are declared, as text."""
    choices: tuple[str, ...]
    """The values of a combo."""


class OptionLineError(ValueError):
    """An option line that is malformed or inconsistent; the message continues a sentence that starts with the line."""


_VALUES = {"check": {"default"}, "spin": {"default", "min", "max"}, "combo": {"default"}, "button": set[str](),
           "string": {"default"}}
_FIELDS = ("type", "default", "min", "max", "var")
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


def parse_strict_option(line: str) -> StrictOption:
    """Read an ``option`` line.

    Raises:
        OptionLineError: the line does not follow the protocol.
    """
    words = line.split()
    if words[:2] != ["option", "name"]:
        raise OptionLineError("does not start with 'option name'")
    if "type" not in words:
        raise OptionLineError("has no type")
    at = words.index("type")
    name, kind = " ".join(words[2:at]), " ".join(words[at + 1:at + 2])
    if not name:
        raise OptionLineError("has no name")
    if kind not in _VALUES:
        raise OptionLineError(f"has the type {kind!r}; expected one of {', '.join(_VALUES)}")
    fields: list[tuple[str, list[str]]] = []
    for word in words[at + 2:]:  # 'default default': a word after a field without a value is its value
        if word in _FIELDS and (not fields or fields[-1][1] or word == "var"):
            fields.append((word, []))
        elif not fields:
            raise OptionLineError(f"has an unexpected {word!r} after its type")
        else:
            fields[-1][1].append(word)
    choices = tuple(" ".join(value) for key, value in fields if key == "var")
    values = {key: " ".join(value) for key, value in fields if key != "var"}
    if len(values) + len(choices) != len(fields):
        raise OptionLineError("has a duplicate field")
    option = StrictOption(name, kind, values, choices)
    _check_values(option)
    return option


def _check_values(option: StrictOption) -> None:
    values, allowed = option.values, _VALUES[option.kind]
    if excess := set(values) - allowed:
        raise OptionLineError(f"is a {option.kind} with {', '.join(sorted(excess))}")
    if missing := allowed - set(values):
        raise OptionLineError(f"is a {option.kind} without {', '.join(sorted(missing))}")
    default = values.get("default", "")
    if option.kind == "check" and default not in ("true", "false"):
        raise OptionLineError(f"is a check with the default {default!r}")
    if option.kind == "combo" and default not in option.choices:
        raise OptionLineError(f"is a combo whose default {default!r} is not one of its vars")
    if option.kind == "spin":
        for key, value in values.items():
            if not _INTEGER.fullmatch(value):
                raise OptionLineError(f"has {key} {value!r}; expected an integer")
        if not int(values["min"]) <= int(default) <= int(values["max"]):
            raise OptionLineError(f"has the default {default}, which is not between min and max")


# ---------------------------------------------------------------- sample games
# Random games with fixed seeds, so that every run uses the same positions.


def _middle_game(start: Position) -> Game:
    """Return an unfinished game of a few plies, with at least two legal moves if one can be found."""
    best = Game(start)
    for seed in range(_GAMES_TRIED):
        game = _random_game(start, seed, _MIDDLE_PLIES)
        if len(game.legal_moves()) > 1 and len(game.moves) > len(best.moves):
            best = game
    return best


def _finished_games(start: Position) -> dict[str, Game]:
    """Return finished games by termination: the shortest for each termination that random play reaches."""
    games: dict[str, Game] = {}
    for seed in range(_GAMES_TRIED // 4):
        game = _random_game(start, seed, _MAX_PLIES)
        if (outcome := game.outcome()) is not None:
            known = games.get(outcome.termination.value)
            if known is None or len(known.moves) > len(game.moves):
                games[outcome.termination.value] = game
    return games


def _random_game(start: Position, seed: int, most_plies: int) -> Game:
    game, chance = Game(start), random.Random(seed)
    while len(game.moves) < most_plies and (moves := game.legal_moves()):
        game.push(chance.choice(moves))
    return game
