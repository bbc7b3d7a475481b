"""Serve a controller that speaks UCI or UGI: each command is a function in one table."""

import threading
from collections.abc import Callable, Collection

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import EngineEvent, Refusal
from latrones_uci.engine.session import Session
from latrones_uci.game import WHITE, LatronesError
from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line, WaitingLines
from latrones_uci.protocols.common import AUTHOR, CommandError, UnknownCommandError, first_word
from latrones_uci.protocols.uci import render
from latrones_uci.protocols.uci.arguments import parse_bench, parse_go, parse_perft, parse_position, parse_set_option
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import BestMove, Dialect

_AT_ONCE = frozenset({"stop", "quit", "isready", "ponderhit"})
"""Commands that do not wait for the end of a search, except for ``quit`` behind a ``wait``."""
_IN_TURN = frozenset({"position", "setoption", "newgame", "ucinewgame", "uginewgame", "go", "bench"})
"""Commands that wait for the end of a search with a limit of its own, and are rejected during any other."""


class UciSession:
    """Serves one controller. Lines are served in one thread; events may come from others."""

    def __init__(
        self, engine: Session, channel: Channel, name: str, author: str = AUTHOR, lacks: Collection[str] = (),
    ) -> None:
        """Serve an engine, which must report its events to ``take_event``.

        ``lacks`` are the ``OWN_COMMANDS`` that the engine does not have.
        """
        self._engine, self._channel, self._send = engine, channel, channel.send
        self._name, self._author, self._lacks = name, author, lacks
        self._dialect = Dialect.UCI
        self._waiting = WaitingLines()
        self._lock = threading.Lock()  # so that no search ends between the decision that a line waits, and its wait
        self._limited = False  # whether the search, count or bench that was started last ends by itself
        self._limited_after_hit = False  # whether it does after `ponderhit`

    # ---------------------------------------------------------------- lines and events

    def serve(self, line: Line) -> bool:
        with self._lock:
            waits = self.waits(line.text)
            fits = waits and self._waiting.put(line)
        if not waits:
            return self._answer(line)
        if not fits:
            self._refuse(Refusal(BusyError.code, "too many commands wait for the end of a search"), line)
        return True

    def waits(self, text: str, behind_others: bool = True) -> bool:
        """Return whether a line has to wait for the end of the search; ``behind_others``: behind lines that do already.

        While a search with a limit of its own is running, commands that it would reject wait, so that commands can be
        piped in a row; so do all commands behind them, except for those that act at once. In a script that ends with
        ``wait`` and ``quit``, the search is not to be cut short.
        """
        before = self._waiting if behind_others else ()
        if not before and not self._engine.searching:
            return False
        word = first_word(text)
        if word == "quit":
            return self._limited and any(first_word(line.text) == "wait" for line in before)
        return word not in _AT_ONCE and (bool(before) or word == "wait" or (word in _IN_TURN and self._limited))

    def take_event(self, event: EngineEvent) -> None:
        """Write an event of the engine, and serve the lines that have waited for it. Thread-safe."""
        self._send(render.render_event(event, self._dialect))
        with self._lock:
            resumes = self._waiting and not self._engine.searching
        if resumes:
            self._channel.post(self._resume)

    def _resume(self) -> None:
        """Serve the lines that have waited, until one of them starts another search.

        Raises:
            ChannelClosedError: one of them was ``quit``.
        """
        while self._waiting and not self.waits(self._waiting[0].text, behind_others=False):
            if not self._answer(self._waiting.take()):
                self._waiting.clear()
                raise ChannelClosedError

    def finish(self) -> None:
        """After the end of input, obey the commands that wait; stop a search without a limit, or with none waiting."""
        if not self._waiting:
            self._engine.stop()
        while self._waiting:
            if not (self._engine.searching and self._limited):
                self._engine.stop()  # nothing else would end it
            self._channel.run_posted()
        if self._engine.searching and self._limited:
            self._engine.wait()

    # ---------------------------------------------------------------- commands

    def _answer(self, line: Line) -> bool:
        """Obey one line and return False for ``quit``; an error is printed, with the answer that is due."""
        try:
            if line.problem:
                raise CommandError(line.problem)
            return self._obey(line)
        except LatronesError as error:
            self._refuse(Refusal(error.code, str(error)), line)
        except Exception as error:  # a bug, or no memory: report it and serve the next command
            self._refuse(Refusal.of_failure(quoted(line.text), error), line)
        return True

    def _refuse(self, refusal: Refusal, line: Line) -> None:
        """Print the error and the answer that the controller may wait for; clear the position if it was rejected."""
        word, *words = line.text.split() or [""]
        # A `go` during a search gets no `bestmove` of its own, even if the search ends at this instant.
        expects_move = word == "go" and refusal.code != BusyError.code and not self._engine.searching
        if expects_move:
            self._engine.wait()  # the best move of a stopped search comes first
        self._send(render.render_event(refusal, self._dialect))
        if word == "position":
            self._engine.clear_position()
        elif expects_move:
            self._send(render.render_event(BestMove(), self._dialect))
        elif word == "query" and words in (["p1turn"], ["gameover"], ["result"]):
            self._send([render.render_response("none" if words == ["result"] else "true")])

    def _obey(self, line: Line) -> bool:
        name, *words = line.text.split() or [""]
        if not name:
            return True
        if name in self._lacks or name not in COMMANDS:
            raise UnknownCommandError(f"{quoted(name)}: unknown command; 'help' lists the commands")
        if name in _WITH_ARGUMENTS:
            _WITH_ARGUMENTS[name](self, line, words)
        elif words:
            raise CommandError(f"{quoted(line.text.strip())}: unexpected argument {quoted(words[0])}")
        else:
            _WORDS[name](self)
        return name != "quit"

    def _greet(self, dialect: Dialect) -> None:
        self._dialect = dialect
        engine = self._engine
        self._send(render.render_greeting(engine.options, engine.kernel_text, dialect, self._name, self._author))

    def _ponderhit(self) -> None:
        self._engine.ponderhit()
        self._limited = self._limited_after_hit

    def _help(self) -> None:
        self._send(render.render_help(self._name, self._lacks) if self._lacks else render.render_help())

    def _show_position(self) -> None:
        engine = self._engine
        self._send(render.render_position(engine.game, engine.kernel_text, engine.net))

    def _evaluate(self) -> None:
        outcome = self._engine.game.outcome()
        self._send(render.render_evaluation(None if outcome else self._engine.evaluate(), outcome))

    def _debug(self, line: Line, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            raise CommandError(f"{quoted(line.text.strip())}: expected 'debug on' or 'debug off'")
        self._engine.debug = words == ["on"]

    def _go(self, line: Line, words: list[str]) -> None:
        if words[:1] == ["perft"] and len(words) == 2:
            self._engine.perft(parse_perft(words[1]))
            self._limited = True
            return
        limits = parse_go(line.text, words)
        self._engine.go(limits, line.read_ns)
        self._limited_after_hit = limits.bounded
        self._limited = limits.bounded and not limits.ponder

    def _bench(self, line: Line, words: list[str]) -> None:
        self._engine.bench(*parse_bench(line.text, words))
        self._limited = True

    def _query(self, line: Line, words: list[str]) -> None:
        if len(words) != 1 or words[0] not in _QUERIES:
            raise CommandError(f"{quoted(line.text.strip())}: expected one of {', '.join(_QUERIES)}")
        self._send([render.render_response(_QUERIES[words[0]](self._engine))])


_QUERIES: dict[str, Callable[[Session], str]] = {
    "p1turn": lambda engine: str(engine.game.position.side == WHITE).lower(),
    "gameover": lambda engine: str(engine.game.outcome() is not None).lower(),
    "result": lambda engine: render.render_result(engine.game.outcome()),
    "ratings": lambda engine: render.render_ratings(engine.ratings),
}
_WORDS: dict[str, Callable[[UciSession], None]] = {
    "uci": lambda session: session._greet(Dialect.UCI),
    "ugi": lambda session: session._greet(Dialect.UGI),
    "isready": lambda session: session._send(["readyok"]),
    **dict.fromkeys(("newgame", "ucinewgame", "uginewgame"), lambda session: session._engine.new_game()),
    "stop": lambda session: session._engine.stop(),
    "wait": lambda session: session._engine.wait(),  # a search that was stopped has still to answer
    "ponderhit": UciSession._ponderhit,
    "quit": lambda session: None,
    "d": UciSession._show_position,
    "eval": UciSession._evaluate,
    "help": UciSession._help,
}
"""The commands without arguments."""
_WITH_ARGUMENTS: dict[str, Callable[[UciSession, Line, list[str]], None]] = {
    "debug": UciSession._debug,
    "setoption": lambda session, line, words: session._engine.set_option(*parse_set_option(line.text, words)),
    "position": lambda session, line, words: session._engine.set_position(*parse_position(line.text, words)),
    "go": UciSession._go,
    "query": UciSession._query,
    "bench": UciSession._bench,
}
COMMANDS = (*_WORDS, *_WITH_ARGUMENTS)
