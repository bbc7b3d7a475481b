"""Serve a controller that speaks UCI or UGI: each line is one command for the engine session."""

from collections.abc import Callable, Collection, Iterable, Sequence

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import Event, Refusal
from latrones_uci.engine.session import Session
from latrones_uci.game import LatronesError
from latrones_uci.protocols.channel import Line
from latrones_uci.protocols.common import CommandError, first_word
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
    parse_command,
    render_help,
    unknown_command,
)
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import BestMove, Dialect

_AT_ONCE = frozenset({"stop", "quit", "isready", "ponderhit"})
"""Commands that do not wait for the end of a search, except for ``quit`` behind a ``wait``."""
_IN_TURN = frozenset({"position", "setoption", "newgame", "ucinewgame", "uginewgame", "go", "bench"})
"""Commands that wait for the end of a search with a limit of its own, and are rejected during any other."""


class UciSession:
    """Serves one controller. Lines are served in one thread; events may come from others."""

    def __init__(
        self, engine: Session, send: Callable[[Iterable[str]], None], name: str, author: str,
        lacks: Collection[str] = (),
    ) -> None:
        """Serve an engine, which must report its events to ``handle_event``; ``send`` writes the lines.

        ``lacks`` are the ``OWN_COMMANDS`` that the engine does not have.
        """
        self._engine, self._send, self._name, self._author = engine, send, name, author
        self._lacks = lacks
        self._dialect = Dialect.UCI
        self._limited = False  # whether the search, count or bench that was started last ends by itself
        self._limited_after_hit = False  # whether it does after `ponderhit`

    has_state = False

    @property
    def owes(self) -> bool:
        """Whether a search with a limit of its own is running, a count or a bench."""
        return self._engine.searching and self._limited

    def waits(self, text: str, before: Sequence[Line]) -> bool:
        """Return whether a line has to wait for the end of the search.

        While a search with a limit of its own is running, commands that it would reject wait, so that commands can be
        piped in a row; so do all commands behind them, except for those that act at once. In a script that ends with
        ``wait`` and ``quit``, the search is not to be cut short.
        """
        if not before and not self._engine.searching:
            return False
        word = first_word(text)
        if word == "quit":
            return self._limited and any(first_word(line.text) == "wait" for line in before)
        return word not in _AT_ONCE and (bool(before) or word == "wait" or (word in _IN_TURN and self._limited))

    def handle_event(self, event: Event) -> None:
        """Write an event of the engine. Thread-safe."""
        self._send(render.render_event(event, self._dialect))

    def serve(self, line: Line) -> bool:
        """Answer one line; return False for ``quit``."""
        try:
            if line.problem:
                raise CommandError(line.problem)
            if first_word(line.text) in self._lacks:
                raise unknown_command(first_word(line.text))
            command = parse_command(line.text)
            if command == Plain("quit"):
                return False
            if command is not None:
                self._obey(command, line)
        except LatronesError as error:
            self.refuse(Refusal(error.code, str(error)), line)
        except Exception as error:  # a bug, or no memory: report it and serve the next command
            self.refuse(Refusal.of_failure(quoted(line.text), error), line)
        return True

    def refuse(self, refusal: Refusal, line: Line) -> None:
        """Print the error and the answer that the controller may wait for; clear the position if it was rejected."""
        word = first_word(line.text)
        # A `go` during a search gets no `bestmove` of its own, even if the search ends at this instant.
        expects_move = word == "go" and refusal.code != BusyError.code and not self._engine.searching
        if expects_move:
            self._engine.wait()  # the best move of a stopped search comes first
        self.handle_event(refusal)
        match word:
            case "position":
                self._engine.clear_position()
            case "go" if expects_move:
                self.handle_event(BestMove())
            case "query":
                words = line.text.split()
                if words[1:] in (["p1turn"], ["gameover"]):
                    self._send([render.render_response("true")])
                elif words[1:] == ["result"]:
                    self._send([render.render_response("none")])

    def _obey(self, command: Command, line: Line) -> None:
        engine, send = self._engine, self._send
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
                self._limited_after_hit = limits.bounded
                self._limited = limits.bounded and not limits.ponder
            case GoPerft(depth):
                engine.perft(depth)
                self._limited = True
            case Bench(depth, positions):
                engine.bench(depth, positions)
                self._limited = True
            case Query(what):
                send([render.render_response(self._response(what))])
            case Plain(word):
                self._obey_word(word)

    def _obey_word(self, word: str) -> None:
        engine, send = self._engine, self._send
        match word:
            case "isready":
                send(["readyok"])
            case "newgame":
                engine.new_game()
            case "stop":
                engine.stop()
            case "wait":
                engine.wait()  # a search that was stopped has still to answer
            case "ponderhit":
                engine.ponderhit()
                self._limited = self._limited_after_hit
            case "d":
                send(render.render_position(engine.game, engine.kernel_text))
            case "eval":
                outcome = engine.game.outcome()
                send(render.render_evaluation(None if outcome else engine.evaluate(), outcome))
            case "help":
                send(render_help(self._name, self._lacks) if self._lacks else render_help())

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
