"""Play one refereed game between two engines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from latrones_uci.client.controller import EngineController, SearchAnswer
from latrones_uci.client.errors import (
    EngineCrashError,
    EngineError,
    EngineProtocolError,
    EngineStallError,
    WaitInterruptedError,
)
from latrones_uci.client.time_control import NS_PER_MS, Clock, TimeControl, render_go
from latrones_uci.game import SIDE_NAMES, Game, Move, Outcome, Position, Termination
from latrones_uci.game.history import push_parsed
from latrones_uci.match.adjudication import (
    adjudicate,
    adjudicate_by_tables,
    contradiction,
    judge_move,
    limits_of_game,
    tables_for,
)
from latrones_uci.records.record import PlayedGame, PlyRecord
from latrones_uci.records.settings import GameLimits
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import NO_MOVE_TEXTS, Dialect, SearchInfo

_FAILED_PONDERING = {EngineCrashError: "crash", EngineProtocolError: "early-bestmove"}


@dataclass(frozen=True)
class Player:
    """An engine and its time control."""

    controller: EngineController
    control: TimeControl


Clocks = tuple[int | None, int | None]
"""The nanoseconds left to White and Black, None without a clock."""


class Turn(NamedTuple):
    """The state of a running game when a player begins to think, or when the last move has been played."""

    plies: Sequence[PlyRecord]
    """The plies of the game. The list grows with the game; the first ``played`` belong to this state."""
    played: int
    """The number of plies played."""
    clocks_ns: Clocks
    """The clocks, with the increment for the last ply."""
    since_ns: int
    """When the turn began, on the monotonic clock of this process."""


OnTurn = Callable[[Turn], None]
"""Called with the state of a game, in the thread that plays it; it must return at once."""


def play_game(
    start: Position, players: tuple[Player, Player], limits: GameLimits, on_turn: OnTurn | None = None
) -> PlayedGame:
    """Play a game to its end.

    A fault of an engine ends the game and raises no error. An engine that crashed, stalled or was interrupted is no
    longer ``usable`` afterwards. ``start`` must not be over; ``on_turn`` is called when the game begins and after each
    ply.
    """
    return _Play(start, players, limits, on_turn).play()


class _Play:
    def __init__(
        self, start: Position, players: tuple[Player, Player], limits: GameLimits, on_turn: OnTurn | None
    ) -> None:
        self._game = Game(start)
        self._players = players
        self._limits = limits_of_game(limits, start.ruleset)
        self._tables = tables_for(limits, start)
        self._on_turn = on_turn
        self._clocks = (Clock(players[0].control), Clock(players[1].control))
        self._plies: list[PlyRecord] = []
        # What is known of the last ply until it is recorded: the position before it, the move, the answer, the time
        # allowed and the time left.
        self._unrecorded: tuple[Position, str, SearchAnswer, int | None, int | None] | None = None
        self._played = 0
        self._position_line = f"position fen {start.fen()}"
        self._ponders = any(player.controller.settings.ponder for player in players)
        # For each player that ponders: the reply that it named with its last move, and the one on which it ponders.
        self._hints: list[str | None] = [None, None]
        self._expected: list[Move | None] = [None, None]

    def play(self) -> PlayedGame:
        try:
            return self._open() or self._continue()
        except WaitInterruptedError:
            return self._finished(Outcome(Termination.INTERRUPTED, None, "the match was interrupted"))

    def _open(self) -> PlayedGame | None:
        for side, player in enumerate(self._players):
            try:
                player.controller.new_game()
            except EngineError as error:
                return self._lost_by_fault(side, error)
        return None

    def _continue(self) -> PlayedGame:
        self._report_turn()
        while True:
            outcome = self._game.outcome()
            if self._limits.check_claims and (ended := self._check_claims(outcome)) is not None:
                return ended
            if outcome is None and self._tables is not None:
                outcome = adjudicate_by_tables(self._game, self._tables)
            if (outcome := outcome or self._adjudicate()) is not None:
                return self._finished(outcome)
            if (ended := self._play_ply()) is not None:
                return ended

    def _adjudicate(self) -> Outcome | None:
        limits = self._limits
        if limits.resign is None and limits.draw is None and self._played < (limits.max_plies or inf):
            return None
        self._record_ply()
        return adjudicate(self._plies, limits)

    def _check_claims(self, outcome: Outcome | None) -> PlayedGame | None:
        """Compare the engines' claims with the referee's result. An engine that fails loses if the game is not over."""
        for side, player in enumerate(self._players):
            try:
                claims = player.controller.claims(self._position_line)
            except EngineError as error:
                if outcome is None:
                    return self._lost_by_fault(side, error)
                player.controller.add_violation("no-response", str(error))
                continue
            if claims is not None and (contradicted := contradiction(outcome, claims)) is not None:
                player.controller.add_violation("wrong-claim", contradicted)
        return None

    def _play_ply(self) -> PlayedGame | None:
        side = self._game.position.side
        if self._ponders and (ended := self._end_missed_pondering() or self._start_pondering(1 - side)) is not None:
            return ended
        clock, settings = self._clocks[side], self._players[side].controller.settings
        allowed_ns = clock.allowed_ns()
        margin_ms = self._limits.margin_ms if settings.margin_ms is None else settings.margin_ms
        limit_ns = None if allowed_ns is None else max(allowed_ns + margin_ms * NS_PER_MS, 0)
        try:
            answer = self._search(side, limit_ns)
        except EngineError as error:
            offence = None
            if isinstance(error, EngineStallError):
                clock.spend(error.elapsed_ns)
                offence = self._ply("", error.elapsed_ns, allowed_ns, SearchInfo())
            return self._lost_by_fault(side, error, offence)
        clock.spend(answer.elapsed_ns)
        return self._judge(answer, allowed_ns)

    def _search(self, side: int, limit_ns: int | None) -> SearchAnswer:
        """Let a player choose its move; if it ponders, on the move that was played."""
        controller, other = self._players[side].controller, self._players[1 - side].controller
        watch = _reading(other) if other.pondering else None
        if controller.pondering:
            self._record_ply()
            return controller.ponderhit(limit_ns, stopped=watch)
        go = render_go(side, self._clocks, controller.dialect)
        return controller.search(self._position_line, go, limit_ns, stopped=watch, meanwhile=self._record_ply)

    def _start_pondering(self, side: int) -> PlayedGame | None:
        """Let a player ponder on the reply that it expects to the move that it has just made."""
        controller = self._players[side].controller
        hint, self._hints[side] = self._hints[side], None
        if hint is None or not controller.settings.ponder:
            return None
        judged = judge_move(self._game.position, hint)
        if isinstance(judged, Outcome):
            return None
        expected = self._game.copy()
        expected.push(judged)
        if expected.outcome() is not None or expected.position.side != side:
            return None
        try:
            controller.ponder(
                self._position_after(str(judged)), render_go(side, self._clocks, controller.dialect, ponder=True)
            )
        except EngineError as error:
            return self._lost_by_fault(side, error)
        self._expected[side] = judged
        return None

    def _end_missed_pondering(self) -> PlayedGame | None:
        """Stop the players that ponder on another move than the one played."""
        for side, player in enumerate(self._players):
            if player.controller.pondering and self._game.moves[-1] != self._expected[side]:
                try:
                    player.controller.stop_pondering()
                except EngineError as error:
                    return self._lost_by_fault(side, error)
        return None

    def _stop_pondering(self) -> None:
        """Stop the players that ponder at the end of the game; a fault does not change the result."""
        for player in self._players:
            if player.controller.pondering:
                try:
                    player.controller.stop_pondering()
                except EngineError as error:
                    rule = _FAILED_PONDERING.get(type(error), "no-answer")
                    player.controller.add_violation(rule, f"{error}, after the end of the game")
                except WaitInterruptedError:  # the engine is no longer usable
                    continue

    def _position_after(self, text: str) -> str:
        """Return the ``position`` line after another move."""
        return f"{self._position_line} {text}" if self._played else f"{self._position_line} moves {text}"

    def _judge(self, answer: SearchAnswer, allowed_ns: int | None) -> PlayedGame | None:
        position = self._game.position
        side, text = position.side, answer.best.move
        controller = self._players[side].controller
        controller.judge(self._game, answer)
        if answer.overdue:
            ply = self._ply(text, answer.elapsed_ns, allowed_ns, answer.info)
            written = f"; it wrote {controller.error_output}" if controller.error_output else ""
            if allowed_ns is None:
                what = f"answered after {answer.elapsed_ns / 1e9:.3f} s, only after stop"
            else:
                what = f"{(answer.elapsed_ns - allowed_ns) / NS_PER_MS:.3f} ms late"
            return self._lost(side, Termination.TIME_LOSS, what + written, ply)
        judged = judge_move(position, text)
        if isinstance(judged, Outcome):
            ply = self._ply(text, answer.elapsed_ns, allowed_ns, answer.info)
            return self._lost(side, judged.termination, judged.details, ply)
        clock, text = self._clocks[side], str(judged)
        self._unrecorded = position, text, answer, allowed_ns, clock.left_ns
        self._position_line = self._position_after(text)
        self._played += 1
        push_parsed(self._game, judged)
        if controller.settings.ponder:
            self._hints[side] = _expected_reply(answer, controller.dialect)
        clock.add_increment()
        return None

    def _record_ply(self) -> None:
        """Record and report the last ply, if that has not been done: usually while the next engine reads its position.

        Neither an engine nor a clock waits for this work then.
        """
        if self._unrecorded is None:
            return
        position, text, answer, allowed_ns, left_ns = self._unrecorded
        self._unrecorded = None
        self._plies.append(PlyRecord(
            position.side, position.movenumber, text, answer.elapsed_ns, allowed_ns, left_ns, answer.info
        ))
        self._report_turn()

    def _report_turn(self) -> None:
        if self._on_turn is not None:
            white, black = self._clocks
            left_ns = white.left_ns, black.left_ns
            self._on_turn(Turn(self._plies, len(self._plies), left_ns, now_ns()))

    def _ply(self, text: str, elapsed_ns: int, allowed_ns: int | None, info: SearchInfo) -> PlyRecord:
        position = self._game.position
        left_ns = self._clocks[position.side].left_ns
        return PlyRecord(position.side, position.movenumber, text, elapsed_ns, allowed_ns, left_ns, info)

    def _lost_by_fault(self, loser: int, error: EngineError, offence: PlyRecord | None = None) -> PlayedGame:
        termination = Termination.STALL
        if isinstance(error, EngineCrashError):
            termination = Termination.CRASH
        elif isinstance(error, EngineProtocolError):
            termination = Termination.PROTOCOL_ERROR
        return self._lost(loser, termination, str(error), offence)

    def _lost(self, loser: int, termination: Termination, what: str, offence: PlyRecord | None = None) -> PlayedGame:
        details = f"{SIDE_NAMES[loser]}: {what}"
        return self._finished(Outcome(termination, 1 - loser, details), offence, loser)

    def _finished(
        self, outcome: Outcome, offence: PlyRecord | None = None, loser: int | None = None
    ) -> PlayedGame:
        self._record_ply()
        self._stop_pondering()
        violations = tuple(
            f"{SIDE_NAMES[side]}: {violation}"
            for side, player in enumerate(self._players)
            for violation in player.controller.take_violations()
        )
        fault = None if loser is None else self._players[loser].controller.fault
        return PlayedGame(self._game.start, tuple(self._plies), outcome, offence, fault, violations)


def _reading(pondering: EngineController) -> Callable[[], bool]:
    """Return a function to poll during a search of the opponent: it reads what the pondering engine prints."""

    def read() -> bool:
        pondering.read_pondering()
        return False

    return read


def _expected_reply(answer: SearchAnswer, dialect: Dialect) -> str | None:
    """Return the reply that an engine expects.

    In UGI ``bestmove`` has no ``ponder`` word, so it is the second move of the line that the engine reported last.
    """
    if answer.best.ponder is not None or dialect is Dialect.UCI:
        return None if answer.best.ponder in NO_MOVE_TEXTS else answer.best.ponder
    line = answer.info.pv
    return line[1] if len(line) > 1 and line[0] == answer.best.move else None
