"""The main loop: read a line, run its command, write the answer."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import Event, Refusal
from latrones_uci.engine.kernels import Kernel
from latrones_uci.engine.session import Session
from latrones_uci.game import LatronesError, quoted
from latrones_uci.protocol import BestMove, Dialect
from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line
from latrones_uci.protocols.uci import render
from latrones_uci.protocols.uci.commands import (
    Bench,
    Command,
    Debug,
    Go,
    GoPerft,
    Greet,
    Plain,
    Query,
    SetOption,
    SetPosition,
)
from latrones_uci.protocols.uci.parse import (
    OWN_COMMANDS,
    CommandError,
    first_word,
    parse_command,
    render_help,
    unknown_command,
)
from latrones_uci.protocols.xboard.session import CecpSession

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
        self, channel: Channel, backend: str = "auto", without: Sequence[str] = (), xboard: bool = False,
        other: OtherEngine | None = None, tune: bool = False,
    ) -> None:
        """Create the engine; print nothing before the first command.

        Args:
            channel: the controller.
            backend: the option ``Backend``.
            without: techniques of the native search to switch off.
            xboard: whether to speak CECP whatever the first line is; the first line ``xboard`` also selects it.
            other: the engine to serve instead, which has neither kernels to choose nor ``OWN_COMMANDS``.
            tune: whether the constants of the native search become options.
        """
        self._channel = channel
        self._dialect = Dialect.UCI
        self._xboard = xboard
        self._tell: Callable[[Event], None] = lambda event: channel.send(render.render_event(event, self._dialect))
        self._engine = Session(self._emit, backend, without, other.kernel if other else None, tune)
        self._name, self._author = (other.name, other.author) if other else (render.ENGINE_NAME, render.AUTHOR)
        self._unknown = OWN_COMMANDS if other else ()
        self._help = render_help(other.name, OWN_COMMANDS) if other else render_help()

    def run(self) -> None:
        """Read and answer until ``quit``, the end of input, or a closed output."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            serve, line = self._serve, self._channel.receive()
            if self._xboard or line.text.strip() == "xboard":
                serve = self._cecp_session().serve
            while serve(line):
                line = self._channel.receive()
        except ChannelClosedError:
            pass
        finally:
            self._engine.close()

    def _emit(self, event: Event) -> None:
        self._tell(event)

    def _cecp_session(self) -> CecpSession:
        """Switch to CECP, where events of the engine change the game and are therefore queued with the lines."""
        session = CecpSession(self._engine, self._channel.send, self._name)
        self._tell = lambda event: self._channel.post(lambda: session.hear(event))
        return session

    def _serve(self, line: Line) -> bool:
        """Answer one line; return False for ``quit``."""
        try:
            if line.problem:
                raise CommandError(line.problem)
            if first_word(line.text) in self._unknown:
                raise unknown_command(first_word(line.text))
            command = parse_command(line.text)
            if command == Plain("quit"):
                return False
            if command is not None:
                self._obey(command, line)
        except LatronesError as error:
            self._refuse(Refusal(error.code, str(error)), line)
        except Exception as error:  # a bug, or no memory: report it and serve the next command
            self._refuse(Refusal.of_failure(quoted(line.text), error), line)
        return True

    def _refuse(self, refusal: Refusal, line: Line) -> None:
        """Print the error and the answer that the controller may wait for; clear the position if it was rejected."""
        word = first_word(line.text)
        # A `go` during a search gets no `bestmove` of its own, even if the search ends at this instant.
        owes_move = word == "go" and refusal.code != BusyError.code and not self._engine.searching
        if owes_move:
            self._engine.wait()  # the best move of a stopped search comes first
        self._emit(refusal)
        match word:
            case "position":
                self._engine.clear_position()
            case "go" if owes_move:
                self._emit(BestMove())
            case "query":
                words = line.text.split()
                if words[1:] in (["p1turn"], ["gameover"]):
                    self._channel.send([render.render_response("true")])
                elif words[1:] == ["result"]:
                    self._channel.send([render.render_response("none")])

    def _obey(self, command: Command, line: Line) -> None:
        engine, send = self._engine, self._channel.send
        match command:
            case Greet(dialect):
                self._dialect = dialect
                send(render.render_greeting(engine.options, engine.kernel_text, dialect, self._name, self._author))
            case Debug(on):
                engine.debug = on
            case SetOption(name, value):
                engine.set_option(name, value)
            case SetPosition(fen, moves):
                engine.set_position(fen, moves)
            case Go(limits):
                engine.go(limits, line.read_ns)
            case GoPerft(depth):
                engine.perft(depth)
            case Bench(depth, positions):
                engine.bench(depth, positions)
            case Query(what):
                send([render.render_response(self._response(what))])
            case Plain(word):
                self._obey_word(word)

    def _obey_word(self, word: str) -> None:
        engine, send = self._engine, self._channel.send
        match word:
            case "isready":
                send(["readyok"])
            case "newgame":
                engine.new_game()
            case "stop":
                engine.stop()
            case "ponderhit":
                engine.ponderhit()
            case "d":
                send(render.render_position(engine.game, engine.kernel_text))
            case "eval":
                outcome = engine.game.outcome()
                send(render.render_evaluation(None if outcome else engine.evaluate(), outcome))
            case "help":
                send(self._help)

    def _response(self, what: str) -> str:
        if what == "ratings":
            return render.render_ratings(self._engine.ratings)
        game = self._engine.game
        match what:
            case "p1turn":
                return "true" if game.position.side == 0 else "false"
            case "gameover":
                return "true" if game.outcome() else "false"
        return render.render_result(game.outcome())
