"""Running games as JSON data for the page: positions, moves, clocks and search information."""

from collections.abc import Sequence
from contextlib import suppress

from latrones_uci.client.time_control import NS_PER_MS, TimeControl
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import LatronesError, PackedMove, Position
from latrones_uci.match.record import PlyRecord
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.web.notation import Json, pieces_of, render_whole_move, squares_of
from latrones_uci.web.replay import ground_data
from latrones_uci.web.watch.live_channel import LiveState
from latrones_uci.web.watch.scoreboard import FinishedGame


class _FollowedGame:
    """A running game, replayed move by move as its moves come in.

    The referee of the runner has found that it is not over, so only the legality of its moves is checked here.
    """

    def __init__(self, start: Position, fen: str) -> None:
        self.start, self.fen = start, fen
        self.played: list[str] = []
        self.figure: Json | None = None
        self._before, self._after = start, start
        self._move: PackedMove = 0

    def begins(self, moves: Sequence[str]) -> bool:
        """Return whether these moves continue the game; the last one that has been played tells."""
        played = len(self.played)
        return len(moves) >= played and (not played or moves[played - 1] == self.played[-1])

    def follow(self, moves: Sequence[str]) -> None:
        """Play the moves that are new, up to the first that is not legal."""
        with suppress(LatronesError):
            for text in moves[len(self.played) :]:
                move = self._after.parse_move(text)
                self._before, self._after, self._move = self._after, self._after.play(move), move
                self.played.append(text)
                self.figure = None

    def render(self) -> Json:
        """Return the current position, its last move, and the board that it is played on."""
        if self.figure is None:
            self.figure = self._render()
        return self.figure

    def _render(self) -> Json:
        before, after, plies = self._before, self._after, len(self.played)
        return {
            "men": pieces_of(after), "hand": after.hand, "side": after.side, "plies": plies,
            "path": squares_of(self._move) if plies else None, "captures": before.lifted(after) if plies else [],
            "note": render_whole_move(before, after, self._move) if plies else "", "number": before.movenumber,
            **ground_data(after),
        }  # fmt: skip


class Boards:
    """The boards of the running games."""

    def __init__(self, settings: TournamentSettings) -> None:
        """Show the games of a tournament."""
        self.settings = settings
        """The tournament."""
        self._games: dict[int, _FollowedGame] = {}

    def render(self, states: Sequence[LiveState]) -> list[Json]:
        """Return the running games, in their order; one whose moves are not legal is shown up to the first of them."""
        for number in self._games.keys() - {state.fixture.number for state in states}:
            del self._games[number]
        return [board for state in states if (board := self._board(state)) is not None]

    def start(self, number: int) -> Position | None:
        """Return the position before the first move of a running game, None if it does not run."""
        game = self._games.get(number)
        return None if game is None else game.start

    def _board(self, state: LiveState) -> Json | None:
        settings, fixture = self.settings, state.fixture
        if max(fixture.white, fixture.black) >= len(settings.engines) or fixture.variant >= len(settings.variants):
            return None  # the settings have just been changed
        game = self._followed(state)
        if game is None:
            return None
        controls = (settings.engines[fixture.white].control, settings.engines[fixture.black].control)
        return {
            "game": fixture.number, "round": fixture.round + 1, "white": fixture.white, "black": fixture.black,
            **game.render(), **_last_move(state.last),
            "clocks": [_left_ms(left_ns, control, state) for left_ns, control
                       in zip(state.clocks_ns, controls, strict=True)],
            "ticks": [control.base_ms is not None for control in controls],
            "age": state.age_ns // NS_PER_MS, "begun": state.moves is not None,
        }  # fmt: skip

    def _followed(self, state: LiveState) -> _FollowedGame | None:
        """Return the game with the moves of its latest state; None if its position is malformed."""
        number, moves = state.fixture.number, state.moves or ()
        game = self._games.get(number)
        if game is None or game.fen != state.fen or not game.begins(moves):
            variant = self.settings.variants[state.fixture.variant]
            ruleset = start_position(variant, self.settings.variant_file).ruleset
            try:
                game = self._games[number] = _FollowedGame(Position.from_fen(ruleset, state.fen), state.fen)
            except LatronesError:
                return None
        game.follow(moves)
        return game


def _left_ms(left_ns: int | None, control: TimeControl, state: LiveState) -> int | None:
    """Return the time on a clock; before the first move, that of the time control."""
    if left_ns is None:
        return control.start_ms if state.moves is None else None
    return max(left_ns, 0) // NS_PER_MS


def _last_move(last: PlyRecord | None) -> Json:
    if last is None:
        return {"score": None, "depth": None, "elapsed": None}
    return {"score": last.info.score.for_white(last.side), "depth": last.info.depth,
            "elapsed": last.elapsed_ns // NS_PER_MS}  # fmt: skip


def row_data(game: FinishedGame, board: str) -> Json:
    """Return a finished game as a row of the list."""
    return {
        "game": game.number, "round": game.round, "white": game.white, "black": game.black, "result": game.result,
        "plies": game.plies, "ending": ": ".join(filter(None, (game.termination, game.details))), "board": board,
    }  # fmt: skip
