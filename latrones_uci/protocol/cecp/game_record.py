"""The game as XBoard and the engine both know it: moves, what is owed on XBoard's board, and how it stands."""

from latrones_uci.engine.session import Engine
from latrones_uci.game import Game, IllegalMoveError, Move, Position
from latrones_uci.protocol.cecp.ghosts import Ghost


class GameRecord:
    """Keeps the engine's game and, for each ply of it, the ghosts that XBoard shows."""

    def __init__(self, engine: Engine) -> None:
        """Begins with the start of the game that the engine is set to."""
        self._engine = engine
        self._fen: str | None = None
        self._texts: list[str] = []
        self._owed: list[tuple[Ghost, ...]] = [()]

    @property
    def game(self) -> Game:
        """The game so far."""
        return self._engine.game

    @property
    def position(self) -> Position:
        """The position now."""
        return self.game.position

    @property
    def owed(self) -> tuple[Ghost, ...]:
        """The ghosts that XBoard shows now."""
        return self._owed[-1]

    @property
    def plies(self) -> int:
        """How many moves can be taken back."""
        return len(self._texts)

    def moves_made(self, side: int) -> int:
        """How many of the moves were those of a player."""
        return sum(position.side == side for position in self.game.positions[:-1])

    def begin(self, fen: str | None) -> None:
        """Begins anew, at the usual start or at a position.

        Raises:
            FenError: no position of this game; nothing has changed then.
        """
        if fen is None:
            self._engine.new_game()
        else:
            Position.from_fen(self.position.ruleset, fen)
        self._engine.set_position(fen, ())
        self._fen, self._texts, self._owed = fen, [], [()]

    def legal_move(self, text: str) -> Move:
        """Reads the text of a move.

        Raises:
            MalformedMoveError, IllegalMoveError: it is none, or not legal now.
        """
        if (result := self.game.result()) is not None:
            raise IllegalMoveError(f"the game is over: {result.name}")
        return self.position.parse_move(text)

    def play(self, move: Move, owed: tuple[Ghost, ...]) -> None:
        """Makes a legal move, after which so many ghosts are owed."""
        self._texts.append(self.position.move_text(move))
        self._owed.append(owed)
        self._engine.set_position(self._fen, self._texts)

    def take_back(self, plies: int) -> None:
        """Takes back so many moves, of which there must be as many."""
        keep = self.plies - plies
        self._texts, self._owed = self._texts[:keep], self._owed[:keep + 1]
        self._engine.set_position(self._fen, self._texts)
