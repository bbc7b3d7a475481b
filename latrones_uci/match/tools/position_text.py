"""A game as the words of a ``position`` line."""

from latrones_uci.game import Game


def render_position(game: Game) -> str:
    """The ``position`` line of a whole game."""
    line = f"position fen {game.start.fen()}"
    return f"{line} moves {' '.join(move_texts(game))}" if game.moves else line


def move_texts(game: Game) -> list[str]:
    """The moves of a game as text."""
    return [position.move_text(move) for position, move in zip(game.positions, game.moves, strict=False)]
