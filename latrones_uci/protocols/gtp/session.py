"""Serve a controller that speaks GTP: each command gets one response, in the order of the commands."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import EngineEvent, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.nets.python import NetEvaluation
from latrones_uci.engine.session import Session
from latrones_uci.game import SIDE_NAMES, LatronesError, Move, Position, all_variants, find_variant, ludii_variants
from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line, WaitingLines
from latrones_uci.protocols.common import CommandError, UnknownCommandError
from latrones_uci.protocols.gtp import render
from latrones_uci.protocols.gtp.game import Point, PointGame, parse_colour, parse_point, point_name, points_of
from latrones_uci.protocols.uci.render import render_evaluation
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import NO_MOVE, BestMove, SearchInfo
from latrones_uci.version import __version__
from latrones_uci.words.reasons import reason_against

DEFAULT_MOVE_MS = 1000
"""Time for a move if the controller sets no clock."""
ANALYSIS_MS = 1000
VALUES_MS = 2000
BEST_LINES, ALL_LINES = 3, 256
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NUMBERED = re.compile(r"([0-9]{1,9})(?:[ \t]+|$)(.*)", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?", re.ASCII)


def command_of(text: str) -> tuple[str, list[str]]:
    """Return the id of a line (empty if it has none) and its words, without comments and control characters."""
    text = _CONTROL.sub("", text).partition("#")[0].strip()
    number, text = match.groups() if (match := _NUMBERED.fullmatch(text)) else ("", text)
    return number, text.split()


@dataclass
class _Clock:
    """The values of ``time_settings`` and ``time_left``."""

    main_ms: int | None = None
    """Time for the game; None before ``time_settings``."""
    period_ms: int = 0
    period_moves: int = 0
    """Time for a number of moves after it; with a time and no moves there is no limit."""
    left: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Milliseconds left, and moves to make in them (0: the rest of the game), by side."""

    def limits(self, side: int) -> Limits:
        if self.main_ms is None or (self.period_ms and not self.period_moves):
            return Limits(movetime_ms=DEFAULT_MOVE_MS)
        first = (self.main_ms, 0) if self.main_ms else (self.period_ms, self.period_moves)
        left, moves = self.left.get(side, first)
        return Limits(time_ms=(left, left), moves_to_go=moves or None)


@dataclass
class _Search:
    """A search, and what answers the command when it ends."""

    number: str
    answer: Callable[[BestMove], str]
    lines: dict[int, SearchInfo] = field(default_factory=dict)
    """The latest line of each rank."""
    failure: str = ""
    plays: bool = False
    """Whether its move is played, also after a failure; else the failure is the response."""


class GtpSession:
    """Serves one controller. Everything runs in one thread: lines and events arrive one at a time."""

    def __init__(self, engine: Session, channel: Channel, name: str) -> None:
        self._engine, self._channel, self._name = engine, channel, name.partition(" ")[0]
        self._game = PointGame(engine.game.start)
        self._planned: tuple[int, Move] | None = None  # the ply and the move that the engine has chosen there
        self._number, self._read_ns = "", 0  # of the command that is obeyed
        self._clock = _Clock()
        self._search: _Search | None = None
        self._waiting = WaitingLines()

    # ---------------------------------------------------------------- lines and responses

    def serve(self, line: Line) -> bool:
        if self._search is None:
            return self._answer(line)
        if line.text.split() == ["#", "interrupt"]:
            self._engine.stop()
        elif not self._waiting.put(line):
            self._refuse(Refusal(BusyError.code, "too many commands wait for the end of a search"), line)
        return True

    def finish(self) -> None:
        """After the end of input, obey the commands that wait; the last search is stopped."""
        if not self._waiting:
            self._engine.stop()
        while self._search is not None:
            self._channel.run_posted()

    def _answer(self, line: Line) -> bool:
        """Answer one line, at once or when its search ends; return False for ``quit``."""
        number, words = command_of(line.text)
        if not words:
            return True
        try:
            if line.problem:
                raise CommandError(line.problem)
            text = self._obey(number, words[0], words[1:], line.read_ns)
            if text is not None:
                self._respond(number, text)
        except LatronesError as error:
            self._respond(number, str(error), failed=True)
        except Exception as error:  # a bug, or no memory: report it and serve the next command
            self._refuse(Refusal.of_failure(quoted(line.text), error), line)
        return words != ["quit"]

    def _refuse(self, refusal: Refusal, line: Line) -> None:
        self._respond(command_of(line.text)[0], f"{refusal.code}: {refusal.message}", failed=True)

    def _respond(self, number: str, text: str, failed: bool = False) -> None:
        self._channel.send(render.render_response(number, text, failed))

    # ---------------------------------------------------------------- commands

    def _obey(self, number: str, name: str, arguments: Sequence[str], read_ns: int) -> str | None:
        """Obey a command and return its response, None if a search will answer it."""
        if name not in COMMANDS:
            raise UnknownCommandError(f"unknown command {quoted(name)}")
        counts, obey = COMMANDS[name]
        if len(arguments) not in counts:
            wanted = counted(counts[0], "argument") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} arguments"
            raise CommandError(f"syntax error: {name} needs {wanted}, not {len(arguments)}")
        self._number, self._read_ns = number, read_ns
        return obey(self, *arguments)

    def _known_command(self, name: str) -> str:
        return "true" if name in COMMANDS else "false"

    def _boardsize(self, files: str, ranks: str = "") -> str:
        """Set the board: ``boardsize 12 8``. One number is a square board, or that on which the board is shown."""
        wanted = [_integer("boardsize", text) for text in (files, ranks or files)]
        if ranks or wanted[0] != render.shown_size(self._game.position.geometry):
            try:
                self._game.position.ruleset.check_size(*wanted)
            except LatronesError as error:
                raise CommandError(f"unacceptable size: {error}") from None
            self._engine.set_option("BoardSize", f"{wanted[0]}x{wanted[1]}")
        return self._clear_board()

    def _clear_board(self) -> str:
        self._engine.new_game()
        self._begin()
        return ""

    def _begin(self) -> None:
        self._game, self._planned = PointGame(self._engine.game.start), None
        self._clock.left.clear()

    def _variant(self, name: str = "") -> str:
        """Return the name of the game, or change the game."""
        if not name:
            return self._game.position.ruleset.name
        find_variant(name, {**all_variants(), **self._engine.rulesets})
        if name in ludii_variants():
            self._engine.set_option("VariantSet", "all")
        self._engine.set_option("UCI_Variant", name)
        return self._clear_board()

    def _fen(self, *fields: str) -> str:
        """Return the position as FEN, or begin a game from a position."""
        if not fields:
            return self._game.position.fen()
        start = Position.from_fen(self._game.position.ruleset, " ".join(fields))
        self._engine.new_game()
        self._engine.set_position(start.fen(), ())
        self._begin()
        return ""

    def _play(self, colour: str, text: str) -> str:
        self._game.play(parse_colour(colour), parse_point(self._game.position.geometry, text))
        return ""

    def _undo(self, count: str = "1") -> str:
        self._game.undo(_integer("gg-undo", count))
        self._planned = None
        return ""

    def _genmove(self, colour: str, keep: bool = True) -> str | None:
        """Answer with the next point of the engine's move, and play it if ``keep``.

        The side that is not to move, and both after the end of the game, pass.
        """
        side, game = parse_colour(colour), self._game
        if side != game.position.side or game.game.outcome() is not None:
            return self._take(side, None, keep)
        if self._planned is not None and (rest := self._rest(self._planned)):
            return self._take(side, rest[0], keep)
        choices = game.sequences()

        def answer(best: BestMove) -> str:
            if best.move == NO_MOVE:
                raise CommandError("the search found no move")
            move = game.position.parse_move(best.move)
            if keep:
                self._planned = len(game.game.moves), move
            return self._take(side, game.rest_of(move)[0], keep)

        some = tuple(choices.values()) if game.chosen else ()
        self._start(answer, replace(self._clock.limits(side), search_moves=some), plays=True)
        return None

    def _rest(self, planned: tuple[int, Move]) -> list[Point]:
        """Return what is left of a move that was chosen at a ply; nothing if another point was played since."""
        plies, move = planned
        chosen = self._game.chosen
        if plies != len(self._game.game.moves) or points_of(move)[:len(chosen)] != chosen:
            return []
        return self._game.rest_of(move)

    def _take(self, side: int, point: Point, keep: bool) -> str:
        if keep:
            self._game.play(side, point)
        return point_name(self._game.position.geometry, point)

    def _time_settings(self, main: str, period: str, moves: str) -> str:
        main_ms, period_ms = (_milliseconds("time_settings", text) for text in (main, period))
        self._clock = _Clock(main_ms, period_ms, _integer("time_settings", moves))
        return ""

    def _time_left(self, colour: str, seconds: str, moves: str) -> str:
        left = _milliseconds("time_left", seconds.removeprefix("-")), _integer("time_left", moves)
        self._clock.left[parse_colour(colour)] = (0, left[1]) if seconds.startswith("-") else left
        return ""

    def _final_score(self) -> str:
        outcome = self._game.game.outcome()
        if outcome is None:
            raise CommandError("cannot score: the game is not over")
        return render.render_score(outcome)

    def _final_result(self) -> str:
        outcome = self._game.game.outcome()
        return "" if outcome is None else render.render_outcome(outcome, self._game.position)

    def _rules_legal_moves(self) -> str:
        geometry = self._game.position.geometry
        return " ".join(point_name(geometry, point) for point in self._game.legal_points())

    # ---------------------------------------------------------------- searches

    def _start(self, answer: Callable[[BestMove], str], limits: Limits, plays: bool = False) -> None:
        """Search the position; ``answer`` returns the response from the result, ``plays`` says that it plays it."""
        self._show_engine()
        self._search = _Search(self._number, answer, plays=plays)
        try:
            self._engine.go(limits, self._read_ns)
        except LatronesError:
            self._search = None
            raise

    def _analyse(
        self, render_found: Callable[[dict[int, SearchInfo]], str], lines: int = 1, movetime_ms: int = ANALYSIS_MS
    ) -> None:
        """Search the position at full strength, and respond with what ``render_found`` makes of the lines."""
        self._check_not_over()
        engine = self._engine
        wanted = {"MultiPV": str(lines), "UCI_LimitStrength": "false", "Skill Level": "20", "UCI_ShowWDL": "true"}
        before = {name: engine.option_value(name) for name in wanted if engine.option_value(name)}

        def answer(best: BestMove) -> str:
            for name, value in before.items():
                engine.set_option(name, value)
            found = self._search.lines if self._search else {}
            if not found:
                raise CommandError("the engine reports no lines")
            return render_found(found)

        for name in before:
            engine.set_option(name, wanted[name])
        self._start(answer, Limits(movetime_ms=movetime_ms))

    def _check_not_over(self) -> None:
        if self._game.game.outcome() is not None:
            raise CommandError(f"the game is over: {self._final_result()}")

    def _score(self) -> None:
        self._analyse(lambda found: render.render_verdict(self._game.position, found[1]))

    def _best_lines(self) -> None:
        self._analyse(lambda found: render.render_lines(self._game.position, found), BEST_LINES)

    def _values(self) -> None:
        self._analyse(lambda found: render.render_values(self._game, found.values()), ALL_LINES, VALUES_MS)

    def _why(self, text: str) -> str:
        """Return why a point may not be played, as one sentence."""
        game = self._game
        position, point = game.position, parse_point(game.position.geometry, text)
        self._check_not_over()
        if point in game.legal_points():
            return f"{point_name(position.geometry, point)} may be played."
        if point is None:
            return "A pass ends a chain, or is the move of a player without another one."
        origin = game.chosen[0] if game.chosen else None
        return render.with_points(position.geometry, reason_against(position, origin, point))

    def _evaluation(self) -> str:
        self._show_engine()
        outcome = self._game.game.outcome()
        return "\n".join(render_evaluation(None if outcome else self._engine.evaluate(), outcome))

    def _worth(self) -> str:
        self._check_not_over()
        self._show_engine()
        found = self._engine.evaluate()
        if not isinstance(found, NetEvaluation):
            raise CommandError("no net for this game and board; its evaluation has no value for each piece")
        return render.render_shares(self._game.position.geometry, found.shares)

    def _show_engine(self) -> None:
        """Set the engine to the game, without the points of the move that is not complete."""
        game = self._game.game
        self._engine.set_position(game.start.fen(), game.moves)

    def _param(self, name: str = "", *value: str) -> str:
        """List the options that change the search, or set one of them; names have ``_`` for a space."""
        options = [each for each in self._engine.options if each.kind != "button" and each.name not in _NOT_PARAMS]
        if not name:
            return "\n".join(render.render_param(option, self._engine.option_value(option.name)) for option in options)
        found = next((option for option in options if render.param_name(option) == name), None)
        if found is None:
            raise CommandError(f"unknown parameter {quoted(name)}")
        self._engine.set_option(found.name, render.value_of_param(found, " ".join(value)))
        self._planned = None
        return ""

    # ---------------------------------------------------------------- events of the engine

    def take_event(self, event: EngineEvent) -> None:
        self._channel.post(lambda: self._handle(event))

    def _handle(self, event: EngineEvent) -> None:
        search = self._search
        match event:
            case SearchInfo() if search is not None:
                search.lines[event.multipv] = event
            case Refusal(code, message) if search is not None:
                search.failure = f"{code}: {message}"
            case BestMove() if search is not None:
                self._finish(search, event)

    def _finish(self, search: "_Search", best: BestMove) -> None:
        try:
            if search.failure and not search.plays:
                raise CommandError(search.failure)
            if search.failure and sys.stderr is not None:  # a response has either a move or an error
                print(f"{self._name}: {search.failure}", file=sys.stderr, flush=True)
            text, failed = search.answer(best), False
        except LatronesError as error:
            text, failed = str(error), True
        except Exception as error:  # a bug: report it and serve the next command
            text, failed = f"internal: {type(error).__name__}: {error}", True
        self._search = None
        self._respond(search.number, text, failed)
        while self._waiting and self._search is None:
            if not self._answer(self._waiting.take()):
                self._waiting.clear()
                raise ChannelClosedError


_NOT_PARAMS = frozenset({"UCI_Variant", "BoardSize", "VariantSet", "VariantPath", "MultiPV", "Ponder", "UCI_ShowWDL",
                         "UCI_AnalyseMode"})
"""Options that the other commands set, or that have no effect in this dialect."""
_ANALYSES = {
    "latrones-score": "string/Score",
    "latrones-lines": "gfx/Best Lines",
    "latrones-values": "cboard/Values of Moves",
    "latrones-threats": "plist/Threatened Pieces",
    "latrones-why": "string/Why Not Legal/latrones-why %p",
    "latrones-worth": "sboard/Worth of Pieces",
    "latrones-eval": "hstring/Evaluation",
    "latrones-param": "param/Engine Options",
}


def _analyze_commands() -> str:
    return "\n".join(text if "%" in text else f"{text}/{name}" for name, text in _ANALYSES.items())


def _refuse_sgf(session: GtpSession, *words: str) -> str:
    raise CommandError("SGF has no form for these games; send their points with 'play'")


_Obey = Callable[..., str | None]
COMMANDS: dict[str, tuple[range, _Obey]] = {
    "protocol_version": (range(1), lambda session: "2"),
    "name": (range(1), lambda session: session._name),
    "version": (range(1), lambda session: __version__),
    "known_command": (range(1, 2), GtpSession._known_command),
    "list_commands": (range(1), lambda session: "\n".join(COMMANDS)),
    "quit": (range(1), lambda session: ""),
    "boardsize": (range(1, 3), GtpSession._boardsize),
    "clear_board": (range(1), GtpSession._clear_board),
    "komi": (range(1, 2), lambda session, komi: ""),
    "play": (range(2, 3), GtpSession._play),
    "genmove": (range(1, 2), GtpSession._genmove),
    "reg_genmove": (range(1, 2), lambda session, colour: session._genmove(colour, keep=False)),
    "undo": (range(1), GtpSession._undo),
    "gg-undo": (range(2), GtpSession._undo),
    "time_settings": (range(3, 4), GtpSession._time_settings),
    "time_left": (range(3, 4), GtpSession._time_left),
    "final_score": (range(1), GtpSession._final_score),
    "showboard": (range(1), lambda session: str(session._game.position)),
    "loadsgf": (range(3), _refuse_sgf),
    "gogui-version": (range(2), lambda session, *version: ""),
    "gogui-interrupt": (range(1), lambda session: ""),
    "gogui-title": (range(1), lambda session: session._game.position.ruleset.title),
    "gogui-analyze_commands": (range(1), lambda session: _analyze_commands()),
    "gogui-rules_game_id": (range(1), lambda session: render.render_game_id(session._game.position.ruleset.name)),
    "gogui-rules_board_size": (range(1), lambda session: str(render.shown_size(session._game.position.geometry))),
    "gogui-rules_board": (range(1), lambda session: render.render_rules_board(session._game.position)),
    "gogui-rules_board_gfx": (range(1), lambda session: render.render_gfx(session._game)),
    "gogui-rules_legal_moves": (range(1), GtpSession._rules_legal_moves),
    "gogui-rules_side_to_move": (range(1), lambda session: SIDE_NAMES[session._game.position.side].lower()),
    "gogui-rules_final_result": (range(1), GtpSession._final_result),
    "gogui-rules_captured_count": (range(1), lambda session: "{1} {0}".format(*session._game.captured)),
    "latrones-variant": (range(2), GtpSession._variant),
    "latrones-fen": (range(5), GtpSession._fen),
    "latrones-score": (range(1), GtpSession._score),
    "latrones-lines": (range(1), GtpSession._best_lines),
    "latrones-values": (range(1), GtpSession._values),
    "latrones-why": (range(1, 2), GtpSession._why),
    "latrones-threats": (range(1), lambda session: render.render_threats(session._game.position)),
    "latrones-worth": (range(1), GtpSession._worth),
    "latrones-eval": (range(1), GtpSession._evaluation),
    "latrones-param": (range(100), GtpSession._param),
}
"""By name, the numbers of arguments that a command takes, and the function that obeys it."""


def _integer(command: str, text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise CommandError(f"syntax error: {command} needs an integer, not {quoted(text)}")
    return int(text)


def _milliseconds(command: str, text: str) -> int:
    if not _SECONDS.fullmatch(text):
        raise CommandError(f"syntax error: {command} needs seconds, not {quoted(text)}")
    return round(float(text) * 1000)
