"""The engine under test, and how it is spoken to."""

import random
from dataclasses import dataclass

from latrones_uci.client.variant_setup import setup_options
from latrones_uci.game import Game, Position
from latrones_uci.protocol import Dialect


@dataclass(frozen=True)
class EngineUnderTest:
    """An engine to be checked, and by which measure.

    Attributes:
        command: program and arguments.
        start: the start of the game in which it is checked, on its board.
        dialect: ``UCI`` or ``UGI``.
        options: names and values that are set after the handshake, in this order.
        variant_path: a file with the game, for engines that load one; None for none.
        start_s: how long the answer to the greeting is waited for.
        timeout_s: how long any other answer is waited for.
        latency_ms: how late an answer to ``stop``, to ``isready`` in a search, or to a time limit may come.
        quiet_s: how long is listened for what must not be said.
        games: how many games are played while the memory is watched.
        growth_mb: by how many megabytes (of 2^20 bytes) the memory may grow meanwhile.
    """

    command: tuple[str, ...]
    start: Position
    dialect: Dialect = Dialect.UCI
    options: tuple[tuple[str, str], ...] = ()
    variant_path: str | None = None
    start_s: float = 20.0
    timeout_s: float = 10.0
    latency_ms: int = 500
    quiet_s: float = 0.2
    games: int = 100
    growth_mb: int = 16

    def game_options(self) -> dict[str, str]:
        """Return the options that tell an engine the variant, in the order in which they must be set."""
        return setup_options(self.start, self.variant_path)


# ---------------------------------------------------------------- samples
# Positions to check an engine with: random games of the referee, the same ones every time.

_MIDDLE_PLIES = 8
_MOST_PLIES = 1200
_TRIES = 40


def middle_game(start: Position) -> Game:
    """A game some plies old that goes on, with two moves to choose from at least where such a game is found."""
    best = Game(start)
    for seed in range(_TRIES):
        game = _random_game(start, seed, _MIDDLE_PLIES)
        if len(game.legal_moves()) > 1 and len(game.moves) > len(best.moves):
            best = game
    return best


def finished_games(start: Position) -> dict[str, Game]:
    """Games that have ended, one for each reason that random play comes to."""
    games: dict[str, Game] = {}
    for seed in range(_TRIES // 4):
        game = _random_game(start, seed, _MOST_PLIES)
        if (outcome := game.outcome()) is not None:
            known = games.get(outcome.termination.value)
            if known is None or len(known.moves) > len(game.moves):
                games[outcome.termination.value] = game
    return games


def _random_game(start: Position, seed: int, most_plies: int) -> Game:
    game, chance = Game(start), random.Random(seed)
    while len(game.moves) < most_plies and (moves := game.legal_moves()):
        game.play(chance.choice(moves))
    return game
