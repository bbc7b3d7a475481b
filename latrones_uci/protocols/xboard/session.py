"""Serve a controller that speaks CECP: its commands change the state here, and the state decides what to search."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import EngineEvent, Note, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.engine.types import CurrentMove
from latrones_uci.game import BLACK, IllegalMoveError, LatronesError, MalformedMoveError, Move, Position
from latrones_uci.protocols.channel import Channel, Line
from latrones_uci.protocols.common import ENGINE_NAME, CommandError, UnknownCommandError
from latrones_uci.protocols.xboard import render
from latrones_uci.protocols.xboard.arguments import parse_level, parse_number, parse_option, parse_xboard_move
from latrones_uci.protocols.xboard.game import (
    CENTISECOND_MS,
    Removal,
    XBoardClock,
    XBoardGame,
    ends_of,
    fen_of_xboard,
    find_offered,
    offered,
    plan_removal,
    render_setup,
    requested_removal,
)
from latrones_uci.text.clock import now_ns
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import BestMove, SearchInfo

HINT_MS = 500
_HOLDING_FILES = 3
"""Files beside the board, on each side, that XBoard names for the pieces in hand."""


class NotNowError(LatronesError):
    """A command that makes no sense in this state of the game, such as ``undo`` at its start."""

    code = "not-now"


class Purpose(Enum):
    """Why the engine searches."""

    PLAY = auto()
    PONDER = auto()  # on the opponent's time, in the position after the expected reply
    ANALYSE = auto()
    HINT = auto()
    NOTHING = auto()  # it was stopped, and its results are ignored


class CecpSession:
    """Serves one controller. Everything runs in one thread: lines and events arrive one at a time."""

    def __init__(self, engine: Session, channel: Channel, name: str = ENGINE_NAME) -> None:
        self._engine, self._channel, self._send, self._name = engine, channel, channel.send, name
        self._record = XBoardGame(engine)
        self._clock = XBoardClock()
        self._plays: int | None = BLACK  # the engine's side, None in force mode
        self._analysing = False
        self._pondering = False  # whether it may think on the opponent's time
        self._posting = False
        self._commenting = True
        self._against_engine = False
        self._searches: deque[Purpose] = deque()  # those whose best move is still to come
        self._pongs: list[str] = []  # answers to ping, held back until the move is made
        self._refused: tuple[int, str] | None = None  # ply and move that XBoard was asked to enter by clicks
        self._expected: tuple[Position, str] | None = None  # position, and the reply that the last search expects there
        self._lifted: int | None = None
        self._info: SearchInfo | None = None
        self._searching_move: CurrentMove | None = None

    # ---------------------------------------------------------------- lines and events

    def serve(self, line: Line) -> bool:
        if line.text.split() == ["quit"]:
            return False
        for step in (self._obey, lambda line: self._think(line.read_ns)):
            try:
                step(line)
            except (MalformedMoveError, IllegalMoveError) as error:
                self._send([render.render_illegal_move(line.text)])
                self._comment(str(error))
            except LatronesError as error:
                self._refuse(Refusal(error.code, str(error)), line)
            except Exception as error:  # a bug, or no memory: report it and serve the next command
                self._refuse(Refusal.of_failure(quoted(line.text), error), line)
        return True

    def finish(self) -> None:
        """Stop the search: no line waits for its end, as what changes the game stops it."""
        self._engine.stop()

    def take_event(self, event: EngineEvent) -> None:
        self._channel.post(lambda: self._handle(event))

    def _refuse(self, refusal: Refusal, line: Line) -> None:
        self._send([render.render_error(refusal.code, line.text)])
        self._comment(refusal.message)

    def _comment(self, text: str) -> None:
        if self._commenting:
            self._send([render.render_comment(text)])

    # ---------------------------------------------------------------- commands

    def _obey(self, line: Line) -> None:
        if line.problem:
            raise CommandError(line.problem)
        name, *words = line.text.split() or [IGNORED[0]]
        if name not in COMMANDS:
            raise UnknownCommandError(f"{quoted(name)}: unknown command")
        count, obey = COMMANDS[name]
        if count is None:
            obey(self, line.text)
            return
        if words and not count:
            raise CommandError(f"{quoted(line.text.strip())}: unexpected argument {quoted(words[0])}")
        if len(words) != count:
            raise CommandError(f"{quoted(line.text.strip())}: {name} needs {counted(count, 'argument')}, not"
                               f" {len(words)}")
        obey(self, *words)

    def _show_features(self, version: str) -> None:
        parse_number("protover", version)
        self._send(render.render_features(self._engine.options, offered(self._engine.rulesets), self._name))

    def _reject(self, feature: str) -> None:
        self._commenting &= feature != "debug"

    def _new(self) -> None:
        self._halt()
        self._record.begin(None)
        self._clock = self._clock.for_new_game()
        self._plays, self._against_engine = None if self._analysing else BLACK, False

    def _set_board(self, text: str) -> None:
        fen = fen_of_xboard(" ".join(text.split()[1:]))
        self._record.check_fen(fen)
        self._halt()
        self._record.begin(fen)

    def _force(self) -> None:
        self._halt()
        self._plays = None

    def _go(self, word: str) -> None:
        """Obey ``go``, or ``playother``."""
        if self._analysing:
            raise NotNowError(f"{word}: analysis is running; send 'exit' first")
        self._halt()
        side = self._record.position.side
        self._plays = side if word == "go" else 1 - side
        self._send_result()

    def _analyse(self, on: bool) -> None:
        self._force()
        self._analysing = on

    def _move_now(self) -> None:
        if self._purpose in (Purpose.PLAY, Purpose.HINT):
            self._engine.stop()

    def _show_status(self) -> None:
        if self._analysing:
            choices = len(self._record.game.legal_moves())
            self._send([render.render_status(self._info, self._searching_move, choices)])

    def _ponder(self, on: bool) -> None:
        if self._purpose is Purpose.PONDER:
            self._halt()
        self._pondering = on

    def _post(self, on: bool) -> None:
        self._posting = on

    def _meet_engine(self) -> None:
        self._against_engine = True

    def _ping(self, number: str) -> None:
        parse_number("ping", number)
        self._pongs.append(number)
        self._answer_pings()

    def _set_level(self, *words: str) -> None:
        self._clock = XBoardClock(*parse_level(*words), depth=self._clock.depth)

    def _set_clock(self, **values: int) -> None:
        self._clock = replace(self._clock, **values)

    def _set_number(self, name: str, value: int) -> None:
        option = self._engine.find_option(name)
        self._halt()
        self._engine.set_option(name, str(min(max(value, option.minimum), option.maximum)))

    def _set_option(self, line: str) -> None:
        name, value = parse_option(line)
        if name.lower() in ("uci_variant", "boardsize"):
            raise NotNowError(f"{name}: use 'variant' to choose game and board")
        option = self._engine.find_option(name)
        text = render.option_value(option, value)
        option.parse(text)
        self._halt()
        self._engine.set_option(name, text)
        if option.name in ("VariantSet", "VariantPath"):
            self._send([render.render_variants(offered(self._engine.rulesets))])
            ruleset = self._record.position.ruleset
            if self._engine.rulesets.get(ruleset.name) != ruleset:
                self._record.begin(None)

    def _choose_variant(self, name: str) -> None:
        ruleset, (files, ranks) = find_offered(self._engine.rulesets, name)
        self._halt()
        self._engine.set_option("BoardSize", "auto")
        self._engine.set_option("UCI_Variant", ruleset.name)
        self._engine.set_option("BoardSize", f"{files}x{ranks}")
        self._record.begin(None)
        self._send(render_setup(self._record.position))

    def _take_back(self, word: str, plies: int) -> None:
        if self._record.plies < plies:
            raise NotNowError(f"{word}: cannot take back {plies} of {self._record.plies} moves")
        self._halt()
        self._record.take_back(plies)

    # ---------------------------------------------------------------- moves of the opponent

    def _take_move(self, received: str) -> None:
        """Play a move that XBoard sends; if it omits the pieces to remove, ask XBoard to enter it again.

        A person enters a move by its two squares. XBoard takes it back when the engine calls it illegal, and enters it
        again, with the pieces to remove, by the clicks that the engine sends. An engine as opponent cannot do that, and
        an XBoard that ignores clicks sends the same move again: in both cases the captured pieces become leftovers.
        """
        record, (text, kills) = self._record, parse_xboard_move(received)
        if self._plays == record.position.side:
            raise IllegalMoveError("it is the engine's turn")
        move = record.legal_move(text)
        geometry = record.position.geometry
        planned, attempt = plan_removal(record.position, move, record.leftovers), (record.plies, text)
        if not kills and planned.kills and not self._against_engine and self._refused != attempt:
            self._refused = attempt
            self._send(render.render_clicks(geometry, received, move, planned.kills))
            return
        squares = [geometry.parse_square(square) for square in kills]
        self._make(move, requested_removal(record.position, move, record.leftovers, squares))

    def _make(self, move: Move, removal: Removal) -> None:
        if not self._hit(move):
            self._halt()
        self._record.play(move, removal.leftovers)
        if removal.leftovers:
            geometry = self._record.position.geometry
            names = " ".join(geometry.square_name(leftover.square) for leftover in removal.leftovers)
            self._comment(f"captured pieces still shown: {names}")
        self._send_result()

    def _send_result(self) -> None:
        if self._plays is not None and (result := self._record.game.outcome()) is not None:
            self._send([render.render_result(result, self._record.position.ruleset.nocapture_limit)])

    def _touch(self, word: str, name: str) -> None:
        """Show where a piece may go, and what it would capture on the square over which it is held."""
        game, geometry = self._record.game, self._record.position.geometry
        names = {geometry.square_name(square): square for square in range(geometry.squares)}
        square = names.get(name)  # None: beside the board, where the pieces in hand are
        beside = range(ord("a") - _HOLDING_FILES, ord("a") + geometry.files + _HOLDING_FILES)
        if square is None and name != "@" and not (ord(name[0]) in beside and name[1:].isdigit()):
            raise CommandError(f"{quoted(f'{word} {name}')}: {name} is not on the board; expected a square")
        if word == "lift":
            self._lifted = square
        moves = {target: move for move in game.legal_moves() for origin, target in [ends_of(move)]
                 if origin == self._lifted}
        colours: dict[int, str] = {}
        if word == "hover" and square in moves:
            colours = dict.fromkeys(game.position.captures(moves[square]), render.VICTIM)
        for target, move in moves.items():
            colours[target] = render.CAPTURE if game.position.captures(move) else render.QUIET
        if word != "put":
            self._send([render.render_highlight(geometry, colours)])

    # ---------------------------------------------------------------- searching

    @property
    def _purpose(self) -> Purpose:
        return self._searches[-1] if self._searches else Purpose.NOTHING

    def _halt(self) -> None:
        """Stop the search before the state changes, and discard its results."""
        self._refused = None
        self._engine.stop()
        self._engine.wait()
        self._searches = deque(Purpose.NOTHING for _ in self._searches)
        self._answer_pings()

    def _think(self, started_ns: int) -> None:
        """Start the search that the state requires, unless one is running; the clock started at ``started_ns``."""
        if self._purpose is not Purpose.NOTHING or self._record.game.outcome() is not None:
            return
        if self._analysing:
            self._search(Purpose.ANALYSE, Limits(infinite=True), started_ns)
        elif self._plays == self._record.position.side:
            self._search(Purpose.PLAY, self._own_limits(self._plays), started_ns)
        elif self._plays is not None and self._pondering and (reply := self._expected_reply()) is not None:
            self._search(Purpose.PONDER, replace(self._own_limits(self._plays), ponder=True), started_ns, reply)

    def _own_limits(self, side: int) -> Limits:
        return self._clock.limits(side, self._record.moves_made(side))

    def _search(self, purpose: Purpose, limits: Limits, started_ns: int, *expected: str) -> None:
        self._info = self._searching_move = None
        self._record.show_engine(*expected)
        self._engine.go(limits, started_ns)
        self._searches.append(purpose)

    def _expected_reply(self) -> str | None:
        return self._expected[1] if self._expected and self._expected[0] == self._record.position else None

    def _hit(self, move: Move) -> bool:
        """If ``move`` is the move pondered on, turn the ponder search into a search for the engine's next move."""
        if self._purpose is not Purpose.PONDER or move != self._expected_reply():
            return False
        assert self._plays is not None  # whatever changes it stops the search
        try:
            self._engine.ponderhit(self._own_limits(self._plays))
        except BusyError:  # an error has ended the search
            return False
        self._refused = None
        self._searches[-1] = Purpose.PLAY
        return True

    def _hint(self) -> None:
        if self._purpose in (Purpose.PLAY, Purpose.ANALYSE):
            if self._info is not None:
                self._send([f"Hint: {self._info.pv[0]}"])
        elif (reply := self._expected_reply()) is not None:
            self._send([f"Hint: {reply}"])
        elif self._purpose is Purpose.NOTHING and self._record.game.outcome() is None:
            self._search(Purpose.HINT, Limits(movetime_ms=HINT_MS), now_ns())

    def _answer_pings(self) -> None:
        """Answer the pings, unless the engine is to move."""
        if self._purpose is not Purpose.PLAY:
            self._send([f"pong {number}" for number in self._pongs])
            self._pongs.clear()

    # ---------------------------------------------------------------- events of the engine

    def _handle(self, event: EngineEvent) -> None:
        try:
            self._take_event(event)
        except Exception as error:  # a bug: report it and serve the next line
            self._comment(f"error internal: {type(error).__name__}: {error}")

    def _take_event(self, event: EngineEvent) -> None:
        purpose = self._searches[0] if self._searches else Purpose.NOTHING
        match event:
            case BestMove(move, ponder):
                self._searches.popleft()
                if purpose is Purpose.PLAY and move is not None:
                    self._play(move, ponder)
                    self._think(now_ns())
                elif purpose is Purpose.PONDER:  # after an error, or the expected move ends the game: do not repeat it
                    self._expected = None
                elif purpose is Purpose.HINT and move is not None:
                    self._send([f"Hint: {move}"])
                self._answer_pings()
            case SearchInfo() if purpose is not Purpose.NOTHING and event.pv:
                if event.multipv == 1:
                    self._info = event
                if self._posting and purpose is not Purpose.HINT:
                    reply = self._expected_reply() if purpose is Purpose.PONDER else None
                    self._send([render.render_thinking(event, *([reply] if reply else []))])
            case CurrentMove() if purpose is not Purpose.NOTHING:
                self._searching_move = event
            case Note(text):
                self._comment(text)
            case Refusal(code, message):
                self._comment(f"error {code}: {message}")

    def _play(self, text: str, ponder: str | None) -> None:
        """Play the engine's own move, and send it with the pieces that it removes."""
        record = self._record
        move = record.legal_move(text)
        removal = plan_removal(record.position, move, record.leftovers)
        kills = [record.position.geometry.square_name(square) for square in removal.kills]
        self._send([f"move {render.render_xboard_move(text, kills)}"])
        self._make(move, removal)
        self._expected = (record.position, ponder) if ponder else None


IGNORED = ("xboard", "accepted", "random", "name", "rating", "ics", "draw", "bk")
"""Commands without effect, whatever follows them."""
COMMANDS: dict[str, tuple[int | None, Callable[..., None]]] = {
    "protover": (1, CecpSession._show_features),
    "rejected": (1, CecpSession._reject),
    "variant": (1, CecpSession._choose_variant),
    "usermove": (1, CecpSession._take_move),
    "ping": (1, CecpSession._ping),
    "level": (3, CecpSession._set_level),
    "st": (1, lambda session, text: session._set_clock(move_ms=parse_number("st", text, 1) * 1000)),
    "sd": (1, lambda session, text: session._set_clock(depth=parse_number("sd", text, 1))),
    "time": (1, lambda session, text: session._set_clock(own_ms=parse_number("time", text) * CENTISECOND_MS)),
    "otim": (1, lambda session, text: session._set_clock(other_ms=parse_number("otim", text) * CENTISECOND_MS)),
    "memory": (1, lambda session, text: session._set_number("Hash", parse_number("memory", text, 1))),
    "cores": (1, lambda session, text: session._set_number("Threads", parse_number("cores", text, 1))),
    "lift": (1, lambda session, square: session._touch("lift", square)),
    "hover": (1, lambda session, square: session._touch("hover", square)),
    "put": (1, lambda session, square: session._touch("put", square)),
    "option": (None, CecpSession._set_option),
    "setboard": (None, CecpSession._set_board),
    "new": (0, CecpSession._new),
    "force": (0, CecpSession._force),
    "go": (0, lambda session: session._go("go")),
    "playother": (0, lambda session: session._go("playother")),
    "?": (0, CecpSession._move_now),
    ".": (0, CecpSession._show_status),
    "hint": (0, CecpSession._hint),
    "undo": (0, lambda session: session._take_back("undo", 1)),
    "remove": (0, lambda session: session._take_back("remove", 2)),
    "analyze": (0, lambda session: session._analyse(True)),
    "exit": (0, lambda session: session._analyse(False)),
    "post": (0, lambda session: session._post(True)),
    "nopost": (0, lambda session: session._post(False)),
    "hard": (0, lambda session: session._ponder(True)),
    "easy": (0, lambda session: session._ponder(False)),
    "computer": (0, CecpSession._meet_engine),
    "quit": (0, lambda session: None),
    "result": (None, lambda session, text: session._force()),  # the arguments are for people
    **dict.fromkeys(IGNORED, (None, lambda session, text: None)),
}
"""By name, the number of arguments of a command (None: it takes the line), and the function that obeys it."""
