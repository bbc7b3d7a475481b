"""Random games and counts of move sequences, by the compiled kernel where there is one."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from latrones_uci.engine.backend import choose
from latrones_uci.engine.kernels import make_core, wire
from latrones_uci.engine.types import MAX_PLY
from latrones_uci.game import Game, Position, Ruleset
from latrones_uci.game.encoding import splitmix64
from latrones_uci.game.history import push_parsed
from latrones_uci.text.messages import wrong_type

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import Core

_MOST = 2**64 - 1
MAX_PLIES = 10_000
"""The usual limit of the plies of a random game."""


@dataclass(frozen=True)
class Playouts:
    """The results of random games."""

    white: int
    """Games that White won."""
    draws: int
    """Drawn games."""
    black: int
    """Games that Black won."""
    unfinished: int
    """Games that ``max_plies`` cut off."""
    plies: int
    """Plies of all games together."""


def playouts(position: Position, games: int, seed: int = 0, *, max_plies: int = MAX_PLIES) -> Playouts:
    """Play random games from a position to their end by the rules, and count the results.

    Each legal move is equally likely. The same arguments give the same result on every machine, with and without the
    compiled kernel: the outputs of splitmix64 from ``seed`` are the seeds of the games, and those from the seed of a
    game choose its moves. Of ``count`` legal moves, sorted by the integers that they are, the output ``number`` chooses
    the one with the index ``(number >> 32) * count >> 32``.

    With the compiled kernel, other Python threads run meanwhile. Ctrl+C ends it at once.

    Args:
        position: the start of each game; positions before it do not count as repetitions, except where ``Position``
            knows them.
        games: number of games, from 0.
        seed: an integer from 0 to 2**64 - 1.
        max_plies: limit of the plies of a game, from 0.

    Raises:
        TypeError: ``position`` is not a position.
        ValueError: a number is out of range.
    """
    core = _core_of(position)
    for name, number in (("games", games), ("seed", seed), ("max_plies", max_plies)):
        if not isinstance(number, int) or not 0 <= number <= _MOST:
            raise ValueError(f"{name} {number!r}: expected an integer from 0 to 2**64 - 1")
    if core is None:
        return _played_by_the_rules(position, games, seed, max_plies)
    past = [arrangement[0] for arrangement in position.past_arrangements()]
    counts = core.playouts(wire(position.geometry, position.board), past, games, seed, max_plies, _go_on)
    assert counts is not None
    return Playouts(*counts)


def perft(position: Position, depth: int) -> int:
    """Return ``Position.perft(depth)``, by the compiled kernel if there is one, which is about 100 times faster.

    Raises:
        TypeError: ``position`` is not a position.
        ValueError: ``depth`` is not from 0 to 100.
    """
    core = _core_of(position)
    if not isinstance(depth, int) or not 0 <= depth <= MAX_PLY:
        raise ValueError(f"perft depth {depth!r}: expected an integer from 0 to {MAX_PLY}")
    if core is None:
        return position.perft(depth)
    count = core.perft(wire(position.geometry, position.board), depth, True, _go_on)
    assert count is not None
    return count


def _go_on() -> bool:
    """Return False: nothing stops the kernel, but while it asks, Python handles signals such as Ctrl+C."""
    return False


def _core_of(position: Position) -> "Core | None":
    """Return the compiled rules of a position; None if there is no compiled kernel, or if it lacks the board."""
    if not isinstance(position, Position):
        raise wrong_type("position", position, "a Position")
    if position.ruleset.board == "wheel" or choose("auto").kernel != "native":
        return None
    return _core(position.ruleset, position.geometry.files, position.geometry.ranks)


@lru_cache(maxsize=8)
def _core(ruleset: Ruleset, files: int, ranks: int) -> "Core":
    return make_core(ruleset, files, ranks)


def _played_by_the_rules(position: Position, games: int, seed: int, max_plies: int) -> Playouts:
    won = {0: 0, None: 0, 1: 0}
    unfinished = plies = 0
    seeds = splitmix64(seed)
    for _ in range(games):
        game, numbers = Game(position), splitmix64(next(seeds))
        while (outcome := game.outcome()) is None and len(game.moves) < max_plies:
            last = game.position
            moves = sorted(last.packed_moves)
            push_parsed(game, last.named_move(moves[(next(numbers) >> 32) * len(moves) >> 32]))
        plies += len(game.moves)
        if outcome is None:
            unfinished += 1
        else:
            won[outcome.winner] += 1
    return Playouts(won[0], won[None], won[1], unfinished, plies)
