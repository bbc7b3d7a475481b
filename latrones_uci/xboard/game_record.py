"""The game as XBoard knows it: moves, what is owed on XBoard's board, and how it stands."""

from latrones_uci.engine.session import Session
from latrones_uci.game import Game, IllegalMoveError, Move, Position
from latrones_uci.xboard.ghosts import Ghost


class GameRecord:
    """Keeps the game and, for each ply of it, the ghosts that XBoard shows.

    The engine is told of the game when it is to search, which may be a ply further on.
    """

    def __init__(self, engine: Session) -> None:
        """Begins with the start of the game that the engine is set to."""
        self._engine = engine
        self._fen: str | None = None
        self._game = engine.game.copy()
        self._owed: list[tuple[Ghost, ...]] = [()]

    @property
    def game(self) -> Game:
        """The game so far, not to be changed."""
        return self._game

    @property
    def position(self) -> Position:
        """The position now."""
        return self._game.position

    @property
    def owed(self) -> tuple[Ghost, ...]:
        """The ghosts that XBoard shows now."""
        return self._owed[-1]

    @property
    def plies(self) -> int:
        """How many moves can be taken back."""
        return len(self._game.moves)

    def moves_made(self, side: int) -> int:
        """How many of the moves were those of a player."""
        return sum(position.side == side for position in self._game.positions[:-1])

    def check_fen(self, fen: str) -> None:
        """Raises FenError where the text is no position of this game."""
        Position.from_fen(self.position.ruleset, fen)

    def begin(self, fen: str | None) -> None:
        """Begins anew, at the usual start or at a position; nothing may be searched meanwhile.

        Raises:
            FenError: no position of this game; nothing has changed then.
        """
        if fen is None:
            self._engine.new_game()
        else:
            self.check_fen(fen)
        self._engine.set_position(fen, ())
        self._fen, self._game, self._owed = fen, self._engine.game.copy(), [()]

    def legal_move(self, text: str) -> Move:
        """Reads the text of a move.

        Raises:
            MalformedMoveError, IllegalMoveError: it is none, or not legal now.
        """
        if (result := self._game.outcome()) is not None:
            raise IllegalMoveError(f"the game is over: {result.name}")
        return self.position.parse_move(text)

    def play(self, move: Move, owed: tuple[Ghost, ...]) -> None:
        """Makes a legal move, after which so many ghosts are owed."""
        self._game.play(move)
        self._owed.append(owed)

    def take_back(self, plies: int) -> None:
        """Takes back so many moves, of which there must be as many."""
        keep = self.plies - plies
        self._game, self._owed = self._game.up_to(keep), self._owed[:keep + 1]

    def show_engine(self, *expected: str) -> None:
        """Sets the engine, which does not search, to the game, and moves that are expected to follow."""
        moves = [before.move_text(move) for before, move in zip(self._game.positions, self._game.moves, strict=False)]
        self._engine.set_position(self._fen, [*moves, *expected])
