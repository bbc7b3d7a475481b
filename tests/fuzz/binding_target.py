"""The compiled core's arguments: nothing that is passed may end the process. Only an exception, or an answer, will do.

The bytes decide between values that are right, values that are nearly so, and nonsense; what the core then does is not
guided by coverage, for it is not Python.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from latrones_uci.engine import native
from latrones_uci.engine.kernels import NOT_IN_CORE, wire
from latrones_uci.engine.python.evaluation import weights_of
from latrones_uci.game import Position, Ruleset, builtin_variants
from latrones_uci.game.encoding import path_move

T = TypeVar("T")
REFUSALS = (ValueError, TypeError, RuntimeError, MemoryError, OverflowError)
SMALL = (-1, 0, 1, 2, 3, 99, 100, 101, 255, 256, 257, 65535)
NUMBERS = (*SMALL, -(2**63), -(2**31), 2**31 - 1, 2**31, 2**63, 2**64, 2**70)
NONSENSE = (None, "", "x", b"", b"\xff" * 64, 1.5, (), [], {}, object(), *NUMBERS)
# None that could be had and would take long.
TABLES = tuple(size for size in NONSENSE if type(size) is not int or not 3 < size < 2**40)
MAX_POLLS = 20
MAX_POSITIONS = 10**8  # of an endgame table that is made; its maker checks the memory first, the core does not
# Duces and soldiers of the player to move, and of the opponent.
SPLITS = (
    (0, 1, 0, 1), (1, 0, 1, 0), (1, 1, 1, 0), (0, 0, 0, 1), (0, 2, 0, 1), (1, 1, 1, 1), (1, 9, 1, 9), (2, 0, 0, 0),
    (0, -1, 0, 1), (0, 2**31 - 1, 0, 1),
)


class Choices:
    """Decisions taken from bytes; when they are used up, the first of everything."""

    def __init__(self, data: bytes) -> None:
        self._bytes = iter(data)

    def number(self, below: int) -> int:
        value = 0
        for _ in range(1 + (below > 256)):
            value = value << 8 | next(self._bytes, 0)
        return value % below

    def one_in(self, odds: int) -> bool:
        return self.number(odds) == odds - 1

    def of(self, values: Sequence[T]) -> T:
        return values[self.number(len(values))]

    def spoilt(self, value: Any, odds: int = 24) -> Any:
        """A value, or once in a while nonsense."""
        return self.of(NONSENSE) if self.one_in(odds) else value

    def bytes(self, count: int) -> bytes:
        return bytes(next(self._bytes, 0) for _ in range(count))


GAMES = tuple(each for each in builtin_variants().values() if each.board == "grid")


@functools.cache
def _fields() -> dict[str, tuple[Any, ...]]:
    """The values of each field, of all games and a few more."""
    names = [each.name for each in dataclasses.fields(Ruleset) if each.name not in NOT_IN_CORE]
    more: dict[str, tuple[Any, ...]] = {"soldier_jump": ("single", "line"), "dux_jump": ("chain",)}
    return {name: (*dict.fromkeys(getattr(game, name) for game in GAMES), *more.get(name, ())) for name in names}


def ruleset_of(choices: Choices, game: Ruleset) -> Any:
    """A game's fields, some of them another game's, whether that combines or not."""
    values = {name: getattr(game, name) for name in _fields()}
    for _ in range(choices.number(4)):
        name = choices.of(tuple(values))
        values[name] = choices.spoilt(choices.of(_fields()[name]), 8)
    if choices.one_in(40):
        del values[choices.of(tuple(values))]
    return choices.spoilt(values, 60)


def board_of(choices: Choices, game: Ruleset, files: int, ranks: int) -> Any:
    """A start position, or any squares, with duces anywhere."""
    if choices.one_in(3):
        try:
            position = Position.start(game, (files, ranks))
        except ValueError:
            pass
        else:
            return wire(position.geometry, position.board)
    size = (ranks * (files + 1) + 7) // 8
    own, opp, bound = (int.from_bytes(choices.bytes(size), "little") for _ in range(3))
    empty, base = int.from_bytes(choices.bytes(size), "little"), sum(
        1 << rank * (files + 1) + file for rank in range(ranks) for file in range(files)
    )
    own, opp = own & base & ~empty, opp & base & ~own & ~empty
    bound = bound & (own | opp) if choices.one_in(2) else 0
    values: list[Any] = [own, opp, bound]
    for men in (own, opp):
        squares = [-1, *(rank * files + file for rank in range(ranks) for file in range(files)
                         if (men & ~bound) >> rank * (files + 1) + file & 1)]
        values.append(choices.of(squares))
    hand = choices.of((0, 0, 0, 0x0101, 0x0808, 0x30000, 0x31010, choices.number(1 << 16) << 2))
    board = [*(each.to_bytes(size, "little") for each in values[:3]), *values[3:], choices.number(2),
             choices.of((0, 1, 30, 99, 100, 9999)), hand]
    if choices.one_in(8):
        at = choices.number(len(board))
        board[at] = choices.of(NONSENSE)
    return choices.spoilt(tuple(board[: choices.of((8, 8, 8, 8, 8, 8, 8, 7))]), 40)


def move_of(choices: Choices) -> Any:
    """A number that may be a move."""
    kind = choices.number(4)
    if kind == 0:
        return choices.of(NONSENSE)
    if kind == 1:
        return int.from_bytes(choices.bytes(choices.of((1, 2, 3, 4, 9, 300))), "little")
    return path_move([choices.number(256) for _ in range(2 + choices.number(12))])


def run(data: bytes) -> int:
    """One core, and a few calls of all that it has."""
    choices, game = Choices(data), builtin_variants()["latrones"]
    game = choices.of(GAMES)
    files, ranks = (choices.spoilt(choices.of((8, 4, 5, 3, 1, 2, 9, 12, 16)), 40) for _ in range(2))
    weights = {name: choices.spoilt(value, 30) for name, value in dataclasses.asdict(weights_of(game)).items()}
    try:
        core = native.core().Core(ruleset_of(choices, game), choices.spoilt(weights, 60), files, ranks)
    except REFUSALS:
        return 1
    calls = 1 + choices.number(6)
    for _ in range(calls):
        with suppress(REFUSALS):
            _call(choices, core, game, files, ranks)
    return 1 + calls


@functools.cache
def _table() -> Any:
    return native.core().Table(1)


def _call(choices: Choices, core: Any, game: Ruleset, files: int, ranks: int) -> None:
    board = board_of(choices, game, files, ranks)
    moves = choices.spoilt(core.moves(board)) or [move_of(choices)]
    polls = 0

    def should_stop(*arguments: object) -> Any:
        nonlocal polls
        polls += 1
        if choices.one_in(200):
            raise ValueError("a fault of the caller")
        return polls > MAX_POLLS

    def told(*arguments: object) -> None:
        if choices.one_in(100):
            core.clear()  # not while it searches: a refusal

    split, plane = choices.spoilt(choices.of(SPLITS), 20), choices.spoilt(choices.of((0, 0, 0, 1)), 20)
    endings: tuple[Callable[[], object], ...] = (
        lambda: core.ending_shape(split),
        lambda: core.ending_shape(split)[0] <= MAX_POSITIONS and core.solve_ending(
            split, choices.spoilt(1, 20), lambda *counts: not should_stop()),
        lambda: core.ending_codes(split, plane, choices.spoilt(0, 10), choices.spoilt(9, 10)),
        lambda: core.ending_counts(split, plane),
        lambda: core.load_ending(split, choices.spoilt([choices.bytes(choices.of((0, 1, 300)))])),
        lambda: core.ending_value(board),
        core.drop_endings,
    )
    calls: tuple[Callable[[], object], ...] = (
        *endings,
        lambda: core.tactical_moves(board),
        lambda: core.play(board, choices.of(moves)),
        lambda: core.play(board, move_of(choices)),
        lambda: core.decided(board),
        lambda: core.evaluate(board),
        lambda: core.perft(board, choices.spoilt(choices.number(3), 10), choices.one_in(2), should_stop),
        core.clear,
        lambda: native.core().Table(choices.of(TABLES)).clear(choices.spoilt(choices.of((1, 2, 300)))),
        *[lambda: core.search(
            board,
            native.core().Task(
                root_moves=[move_of(choices)] if choices.one_in(10) else moves, game_keys=choices.spoilt([]),
                past=choices.spoilt([]), depth=choices.spoilt(choices.of((1, 2, 3, 100))),
                nodes=choices.spoilt(choices.of((None, 1, 500))), mate=choices.spoilt(choices.of((None, 1, 3))),
                multipv=choices.spoilt(choices.of((1, 2, 300))), threads=choices.spoilt(choices.of((1, 1, 1, 2, 3))),
                endings=choices.spoilt(choices.one_in(2), 60), plain=choices.spoilt(choices.one_in(2), 60),
            ),
            choices.spoilt(_table(), 60),
            native.core().Listener(
                info=told, current_move=told, should_stop=should_stop, wants_depth=lambda *arguments: not should_stop(),
            ),
        )] * 6,
    )
    choices.of(calls)()
