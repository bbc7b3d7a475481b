"""The game as XBoard shows it: moves, positions, and ghosts."""

from latrones_uci.engine.session import Session
from latrones_uci.game import Game, IllegalMoveError, Move, Position
from latrones_uci.protocols.xboard.ghosts import Ghost


class GameRecord:
    """Keeps the game and the ghosts that XBoard shows after each ply.

    The engine gets the game only when it is to search, which may be a ply further on.
    """

    def __init__(self, engine: Session) -> None:
        """Start from the engine's current start position."""
        self._engine = engine
        self._fen: str | None = None
        self._game = engine.game.copy()
        self._owed: list[tuple[Ghost, ...]] = [()]

    @property
    def game(self) -> Game:
        """The game so far; do not modify it."""
        return self._game

    @property
    def position(self) -> Position:
        """The current position."""
        return self._game.position

    @property
    def owed(self) -> tuple[Ghost, ...]:
        """The ghosts that XBoard shows now."""
        return self._owed[-1]

    @property
    def plies(self) -> int:
        """The number of moves that can be taken back."""
        return len(self._game.moves)

    def moves_made(self, side: int) -> int:
        """Return the number of moves that a player has made."""
        return sum(position.side == side for position in self._game.positions[:-1])

    def check_fen(self, fen: str) -> None:
        """Raise FenError if the text is not a position of this game."""
        Position.from_fen(self.position.ruleset, fen)

    def begin(self, fen: str | None) -> None:
        """Start a new game, from the start position or from a FEN. No search may be running.

        Raises:
            FenError: not a position of this game; nothing has changed.
        """
        if fen is None:
            self._engine.new_game()
        else:
            self.check_fen(fen)
        self._engine.set_position(fen, ())
        self._fen, self._game, self._owed = fen, self._engine.game.copy(), [()]

    def legal_move(self, text: str) -> Move:
        """Parse the text of a legal move.

        Raises:
            MalformedMoveError: not a move.
            IllegalMoveError: not legal in this position.
        """
        if (result := self._game.outcome()) is not None:
            raise IllegalMoveError(f"the game is over: {result.name}")
        return self.position.parse_move(text)

    def play(self, move: Move, owed: tuple[Ghost, ...]) -> None:
        """Play a legal move; ``owed`` are the ghosts after it."""
        self._game.play(move)
        self._owed.append(owed)

    def take_back(self, plies: int) -> None:
        """Take back a number of moves, at most ``plies`` of the game."""
        keep = self.plies - plies
        self._game, self._owed = self._game.up_to(keep), self._owed[:keep + 1]

    def show_engine(self, *expected: str) -> None:
        """Set the engine to the game and the moves expected next. No search may be running."""
        moves = [before.move_text(move) for before, move in zip(self._game.positions, self._game.moves, strict=False)]
        self._engine.set_position(self._fen, [*moves, *expected])
