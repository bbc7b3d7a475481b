"""An engine to which positions of any games are given, one after the other."""

from collections.abc import Callable
from types import TracebackType

from latrones_uci.client.controller import EngineController, SearchAnswer
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import EngineError
from latrones_uci.client.output import SearchInfo
from latrones_uci.client.time_control import Clock, render_go
from latrones_uci.game import Game, LatronesError, quoted

_NS_PER_S = 1_000_000_000
_LATENESS_NS = _NS_PER_S
"""How much longer than ``movetime`` an answer is waited for, before ``stop`` is sent."""


class BadAnswerError(EngineError):
    """The engine's move cannot be played; the message quotes it."""


class Searcher:
    """Keeps an engine running while the game and the board stay the same, and starts it anew for others.

    Use it as a context manager: the engine ends with it. Any ``EngineError`` goes through to the caller.

    Attributes:
        name: of the engine, as it tells it or as the settings say; its program before it has been started.
    """

    def __init__(self, settings: EngineSettings, variant_path: str | None) -> None:
        self.name = settings.name or settings.command[0]
        self._settings = settings
        self._variant_path = variant_path
        self._engine: EngineController | None = None
        self._game_options: dict[str, str] = {}

    def __enter__(self) -> "Searcher":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def new_game(self, game: Game) -> None:
        """Begins a game, or any position that has nothing to do with the last one.

        Raises:
            EngineStartError: the engine cannot be started, or does not play this game.
        """
        path = {} if self._variant_path is None else {"VariantPath": self._variant_path}
        options = path | {"UCI_Variant": game.start.ruleset.name, "BoardSize": game.start.geometry.name}
        if self._engine is None or options != self._game_options:
            self._end()
            self._engine = EngineController(self._settings, options, Timeouts(), lambda: False)
            self._game_options, self.name = options, self._engine.name
        self._engine.new_game()

    def search(self, game: Game, on_info: Callable[[SearchInfo], None] | None = None) -> SearchAnswer:
        """Searches the position of a game that goes on; ``new_game`` must have been called for it.

        Args:
            game: the game.
            on_info: called each time that the engine tells more.

        Raises:
            BadAnswerError: its move is not legal.
        """
        assert self._engine is not None
        clock = Clock(self._settings.control)
        allowed_ns = clock.allowed_ns()
        answer = self._engine.search(
            render_position(game),
            render_go(game.position.side, (clock, clock)),
            None if allowed_ns is None else allowed_ns + _LATENESS_NS,
            on_info,
        )
        try:
            game.position.parse_move(answer.best.move)
        except LatronesError as error:
            raise BadAnswerError(f"engine {quoted(self.name)}: bestmove {quoted(answer.best.move)}: {error}") from error
        return answer

    def _end(self) -> None:
        if self._engine is not None:
            if self._engine.usable:
                self._engine.quit()
            else:
                self._engine.kill()
            self._engine = None


# ---------------------------------------------------------------- position text
# A game as the words of a ``position`` line.


def render_position(game: Game) -> str:
    """The ``position`` line of a whole game."""
    line = f"position fen {game.start.fen()}"
    return f"{line} moves {' '.join(move_texts(game))}" if game.moves else line


def move_texts(game: Game) -> list[str]:
    """The moves of a game as text."""
    return [position.move_text(move) for position, move in zip(game.positions, game.moves, strict=False)]
