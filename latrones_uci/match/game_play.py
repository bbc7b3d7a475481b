"""One refereed game between two engines."""

from dataclasses import dataclass

from latrones_uci.game import Game, Position, quoted
from latrones_uci.match.clock import Clock, render_go
from latrones_uci.match.controller import EngineController, SearchAnswer
from latrones_uci.match.engine_output import SearchInfo
from latrones_uci.match.errors import EngineCrashError, EngineStallError, MatchInterruptedError
from latrones_uci.match.record import PlayedGame, PlyRecord
from latrones_uci.match.referee import judge_move
from latrones_uci.match.settings import GameLimits
from latrones_uci.match.termination import Termination
from latrones_uci.match.time_control import TimeControl

_NS_PER_MS = 1_000_000
_SIDE_NAMES = ("White", "Black")


@dataclass(frozen=True)
class Player:
    """An engine at the board, with its limits."""

    controller: EngineController
    control: TimeControl


def play_game(start: Position, players: tuple[Player, Player], limits: GameLimits) -> PlayedGame:
    """Plays a game to its end, whatever the engines do.

    No engine fault is raised from here: it ends the game. An engine that crashed, stalled or was interrupted is
    no longer ``usable`` afterwards.

    Args:
        start: the position to play from; it must not be finished.
        players: White and Black.
        limits: what the referee applies beside the rules.
    """
    return _Play(start, players, limits).play()


class _Play:
    def __init__(self, start: Position, players: tuple[Player, Player], limits: GameLimits) -> None:
        self._game = Game(start)
        self._players = players
        self._limits = limits
        self._clocks = (Clock(players[0].control), Clock(players[1].control))
        self._plies: list[PlyRecord] = []

    def play(self) -> PlayedGame:
        try:
            return self._open() or self._continue()
        except MatchInterruptedError:
            return self._finished(None, Termination.UNTERMINATED, "the match was interrupted")

    def _open(self) -> PlayedGame | None:
        for side, player in enumerate(self._players):
            try:
                player.controller.new_game()
            except EngineCrashError as crash:
                return self._lost(side, Termination.CRASH, str(crash))
            except EngineStallError as stall:
                return self._lost(side, Termination.STALL, str(stall))
        return None

    def _continue(self) -> PlayedGame:
        while True:
            if (result := self._game.result()) is not None:
                return self._finished(result.winner, Termination.NORMAL, result.reason)
            if self._limits.max_plies is not None and len(self._plies) >= self._limits.max_plies:
                return self._finished(None, Termination.ADJUDICATION, f"no end after {len(self._plies)} plies")
            if (ended := self._play_ply()) is not None:
                return ended

    def _play_ply(self) -> PlayedGame | None:
        side = self._game.position.side
        clock = self._clocks[side]
        allowed_ns = clock.allowed_ns()
        limit_ns = None if allowed_ns is None else max(allowed_ns + self._limits.margin_ms * _NS_PER_MS, 0)
        try:
            answer = self._players[side].controller.search(
                self._render_position(), render_go(side, self._clocks), limit_ns
            )
        except EngineCrashError as crash:
            return self._lost(side, Termination.CRASH, str(crash))
        except EngineStallError as stall:
            clock.spend(stall.elapsed_ns)
            offence = self._ply("", stall.elapsed_ns, allowed_ns, SearchInfo())
            return self._lost(side, Termination.STALL, str(stall), offence)
        clock.spend(answer.elapsed_ns)
        return self._judge(answer, allowed_ns, limit_ns)

    def _judge(self, answer: SearchAnswer, allowed_ns: int | None, limit_ns: int | None) -> PlayedGame | None:
        side = self._game.position.side
        text = answer.best.move
        ply = self._ply(text, answer.elapsed_ns, allowed_ns, answer.info)
        if limit_ns is not None and allowed_ns is not None and answer.elapsed_ns > limit_ns:
            late_ms = (answer.elapsed_ns - allowed_ns) / _NS_PER_MS
            return self._lost(side, Termination.TIME_FORFEIT, f"{late_ms:.3f} ms late", ply)
        move, offence = judge_move(self._game.position, text)
        if offence is not None:
            return self._lost(side, offence, f"bestmove {quoted(text)}", ply)
        assert move is not None
        self._game.play(move)
        self._plies.append(ply)
        self._clocks[side].add_increment()
        return None

    def _render_position(self) -> str:
        line = f"position fen {self._game.start.fen()}"
        return f"{line} moves {' '.join(ply.text for ply in self._plies)}" if self._plies else line

    def _ply(self, text: str, elapsed_ns: int, allowed_ns: int | None, info: SearchInfo) -> PlyRecord:
        position = self._game.position
        left_ns = self._clocks[position.side].left_ns
        return PlyRecord(position.side, position.movenumber, text, elapsed_ns, allowed_ns, left_ns, info)

    def _lost(self, loser: int, termination: Termination, what: str, offence: PlyRecord | None = None) -> PlayedGame:
        details = f"{_SIDE_NAMES[loser]}: {what}"
        return self._finished(1 - loser, termination, details, offence)

    def _finished(
        self, winner: int | None, termination: Termination, details: str, offence: PlyRecord | None = None
    ) -> PlayedGame:
        return PlayedGame(self._game.start, tuple(self._plies), winner, termination, details, offence)
