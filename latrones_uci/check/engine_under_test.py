"""The engine under test with the limits of the checks, and sample positions."""

import random
from dataclasses import dataclass

from latrones_uci.client.variant_setup import setup_options
from latrones_uci.game import Game, Position
from latrones_uci.protocol import Dialect


@dataclass(frozen=True)
class EngineUnderTest:
    """An engine to check, and the limits it must keep.

    Attributes:
        command: program and arguments.
        start: the start position of the variant and board used for the checks.
        dialect: ``UCI`` or ``UGI``.
        options: names and values that are set after the handshake, in this order.
        variant_path: a file with the variant, for engines that load one; None for none.
        start_s: timeout for the answer to the greeting.
        timeout_s: timeout for any other answer.
        latency_ms: latest answer to ``stop``, to ``isready`` during a search, or after a time limit.
        quiet_s: how long checks listen for output that must not come.
        games: number of games during which memory is watched.
        growth_mb: memory growth allowed during these games, in megabytes (2^20 bytes).
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
        """Return the options that select the variant, in the order in which they must be set."""
        return setup_options(self.start, self.variant_path)


# ---------------------------------------------------------------- sample games
# Random games with fixed seeds, so that every run uses the same positions.

_MIDDLE_PLIES = 8
_MOST_PLIES = 1200
_TRIES = 40


def middle_game(start: Position) -> Game:
    """Return an unfinished game of a few plies, with at least two legal moves if one can be found."""
    best = Game(start)
    for seed in range(_TRIES):
        game = _random_game(start, seed, _MIDDLE_PLIES)
        if len(game.legal_moves()) > 1 and len(game.moves) > len(best.moves):
            best = game
    return best


def finished_games(start: Position) -> dict[str, Game]:
    """Return finished games by termination, one for each termination that random play reaches."""
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
