"""The controller's side of the protocol: one engine, commanded in UCI."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from latrones_uci.game import quoted
from latrones_uci.match.engine_output import (
    BestMove,
    OptionDeclaration,
    SearchInfo,
    parse_best_move,
    parse_error_line,
    parse_id_name,
    parse_option,
    update_info,
)
from latrones_uci.match.errors import (
    EngineCrashError,
    EngineError,
    EngineStallError,
    EngineStartError,
    MatchInterruptedError,
)
from latrones_uci.match.process import EngineProcess, OutputLine
from latrones_uci.match.settings import EngineSettings, Timeouts

_INTERRUPT_POLL_S = 0.1
_NS_PER_S = 1_000_000_000

T = TypeVar("T")


@dataclass(frozen=True)
class SearchAnswer:
    """The answer to a ``go``.

    Attributes:
        best: what the engine chose; its text is not judged here.
        elapsed_ns: from the moment the ``go`` line was written to the moment the ``bestmove`` line was read.
        info: the engine's last words on its search.
    """

    best: BestMove
    elapsed_ns: int
    info: SearchInfo


class EngineController:
    """A started engine. After an ``EngineError`` or ``MatchInterruptedError`` it only can be killed.

    Every wait ends at one absolute time of the monotonic clock, whatever the engine prints meanwhile.

    Attributes:
        name: from the settings, else as the engine reports it, else its program.
        usable: whether it can play another game.
    """

    def __init__(
        self,
        settings: EngineSettings,
        game_options: Mapping[str, str],
        timeouts: Timeouts,
        interrupted: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Starts the engine, shakes hands and sets its options.

        Args:
            settings: the engine.
            game_options: names and values of the options that tell it the game, such as ``UCI_Variant``; those that
                it does not declare are left out.
            timeouts: how long to wait for answers.
            interrupted: asked while waiting; once it says so, waits end with ``MatchInterruptedError``.
            environment: of the engine's process, None for that of this program.

        Raises:
            EngineStartError: it does not start, does not answer, lacks an option that the settings name, or
                reports an error after its options were set.
            MatchInterruptedError: the match was told to stop.
        """
        self.name = settings.name or settings.command[0]
        self.usable = True
        self._settings = settings
        self._timeouts = timeouts
        self._interrupted = interrupted
        self._options: dict[str, OptionDeclaration] = {}
        self._process = EngineProcess(settings.command, directory=settings.directory, environment=environment)
        try:
            self._shake_hands()
            self._set_options(game_options)
        except (EngineCrashError, EngineStallError) as error:
            self.kill()
            raise EngineStartError(f"engine {quoted(self.name)}: {error}") from error
        except BaseException:
            self.kill()
            raise

    def new_game(self) -> None:
        """Tells the engine that a new game begins, and waits until it is ready.

        Raises:
            EngineCrashError: it ended.
            EngineStallError: it does not answer.
            MatchInterruptedError: the match was told to stop.
        """
        with self._marking_faults():
            self._send("ucinewgame")
            self._wait_ready(self._timeouts.ready_s)

    def search(
        self, position: str, go: str, limit_ns: int | None, on_info: Callable[[SearchInfo], None] | None = None
    ) -> SearchAnswer:
        """Lets the engine search and returns its answer, however late.

        The engine confirms with ``readyok`` that it has read the position before ``go`` is sent: reading is not
        charged, and no line of an earlier search can be taken for an answer to this one. When ``limit_ns`` has
        passed, ``stop`` is sent and the answer waited for during a short grace.

        Args:
            position: the ``position`` line.
            go: the ``go`` line.
            limit_ns: nanoseconds until ``stop``, None for the timeout of untimed searches.
            on_info: called with what is known of the search each time that the engine tells more.

        Raises:
            EngineCrashError: it ended.
            EngineStallError: no answer, not even after ``stop``.
            MatchInterruptedError: the match was told to stop.
        """
        with self._marking_faults():
            self._send(position)
            self._wait_ready(self._timeouts.ready_s)
            self._send(go)
            sent_ns = time.monotonic_ns()
            infos = _InfoCollector(on_info)
            if limit_ns is None:
                limit_ns = int(self._timeouts.search_s * _NS_PER_S)
            found = self._wait_for(infos.read, sent_ns + limit_ns)
            if found is None:
                self._send("stop")
                found = self._wait_for(infos.read, time.monotonic_ns() + int(self._timeouts.stop_grace_s * _NS_PER_S))
            if found is None:
                elapsed_ns = time.monotonic_ns() - sent_ns
                raise EngineStallError(f"no bestmove within {elapsed_ns / _NS_PER_S:.3f} s of {quoted(go)}", elapsed_ns)
            best, line = found
            return SearchAnswer(best, max(line.read_at_ns - sent_ns, 0), infos.info)

    def quit(self) -> None:
        """Asks the engine to end, and kills its process group."""
        self.usable = False
        with suppress(EngineError):  # it is about to be killed
            self._process.write_line("quit", self._timeouts.quit_s)
        self._process.close(self._timeouts.quit_s)

    def kill(self) -> None:
        """Kills the engine's process group at once."""
        self.usable = False
        self._process.close(0)

    def _shake_hands(self) -> None:
        def read(text: str) -> bool | None:
            if (id_name := parse_id_name(text)) is not None and self._settings.name is None:
                self.name = id_name
            if (option := parse_option(text)) is not None:
                self._options[option.name.lower()] = option
            return True if text.strip() == "uciok" else None

        self._send("uci")
        self._expect("uciok", read, self._timeouts.start_s)

    def _set_options(self, match_options: Mapping[str, str]) -> None:
        for name, value in match_options.items():
            option = self._options.get(name.lower())
            if option is not None:
                # With a file of games loaded, the declared choices are no longer all.
                self._set_option(option, value, checked="VariantPath" not in match_options)
        for name, value in self._settings.options:
            option = self._options.get(name.lower())
            if option is None:
                raise EngineStartError(f"engine {quoted(self.name)} has no option {quoted(name)}")
            self._set_option(option, value)
        errors: list[str] = []

        def read(text: str) -> bool | None:
            if (message := parse_error_line(text)) is not None:
                errors.append(message)
            return True if text.strip() == "readyok" else None

        self._send("isready")
        self._expect("readyok", read, self._timeouts.start_s)
        if errors:
            raise EngineStartError(f"engine {quoted(self.name)} rejects its options: {errors[0]}")

    def _set_option(self, option: OptionDeclaration, value: str, checked: bool = True) -> None:
        if checked and option.kind == "combo" and value.lower() not in map(str.lower, option.choices):
            raise EngineStartError(f"engine {quoted(self.name)}: option {option.name} cannot be {quoted(value)}")
        suffix = "" if option.kind == "button" else f" value {value}"
        self._send(f"setoption name {option.name}{suffix}")

    def _wait_ready(self, timeout_s: float) -> None:
        self._send("isready")
        self._expect("readyok", lambda text: True if text.strip() == "readyok" else None, timeout_s)

    def _send(self, text: str) -> None:
        self._process.write_line(text, self._timeouts.ready_s)

    def _expect(self, word: str, read: Callable[[str], T | None], timeout_s: float) -> None:
        deadline_ns = time.monotonic_ns() + int(timeout_s * _NS_PER_S)
        if self._wait_for(read, deadline_ns) is None:
            raise EngineStallError(f"no {word} within {timeout_s:g} s", int(timeout_s * _NS_PER_S))

    def _wait_for(self, read: Callable[[str], T | None], deadline_ns: int) -> tuple[T, OutputLine] | None:
        """The first line of which ``read`` makes something; None once all that came by the deadline has been read."""
        while True:
            if self._interrupted():
                raise MatchInterruptedError
            left_s = (deadline_ns - time.monotonic_ns()) / _NS_PER_S
            line = self._process.read_line(min(left_s, _INTERRUPT_POLL_S))
            if line is None:
                if left_s <= 0:
                    return None
            elif (value := read(line.text)) is not None:
                return value, line
            elif line.read_at_ns > deadline_ns:
                return None

    @contextmanager
    def _marking_faults(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.usable = False
            raise


class _InfoCollector:
    """Reads the lines of a search: gathers its info, and gives out the ``bestmove``."""

    def __init__(self, on_info: Callable[[SearchInfo], None] | None) -> None:
        self.info = SearchInfo()
        self._on_info = on_info

    def read(self, text: str) -> BestMove | None:
        before, self.info = self.info, update_info(self.info, text)
        if self._on_info is not None and self.info != before:
            self._on_info(self.info)
        return parse_best_move(text)
