"""Make tables in a test."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latrones_uci.engine.kernels import make_core
from latrones_uci.engine.tables.maker import TablePlan, make_tables, plan_tables
from latrones_uci.game import Position, Ruleset, find_variant

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import Core

Made = list[tuple[str, str]]


def small(name: str, **changes: Any) -> Ruleset:
    """Return a built-in game that also allows tiny boards: its start has few pieces, but its rules are the same."""
    return shrunk(find_variant(name), **changes)


def shrunk(ruleset: Ruleset, **changes: Any) -> Ruleset:
    """Return a game with the same rules that also allows tiny boards."""
    start: dict[str, Any] = {"hand": 3}
    if ruleset.setup != "placement":
        start = {"setup": "ranks", "start": "", "soldier_ranks": 1}
    if ruleset.dux in ("front", "start"):
        start["dux"] = "first_rank"
    return dataclasses.replace(ruleset, min_size=(3, 3), min_squares=0, **(start | changes))


def position_on(ruleset: Ruleset, files: int, ranks: int) -> Position:
    """Return a position of a game on a board that may be too small for its start."""
    rows = "/".join([str(files)] * ranks)
    hand = "[-]" if ruleset.setup == "placement" else ""
    return Position.from_fen(ruleset, f"{rows}{hand} w 0 1")


def core_of(position: Position) -> Core:
    return make_core(position.ruleset, position.geometry.files, position.geometry.ranks)


def make(position: Position, men: int, folder: Path, threads: int = 1) -> tuple[Core, TablePlan]:
    """Make the tables for the game and board of a position; return the core that holds them."""
    core = core_of(position)
    plan = plan_tables(core, position, men, folder)
    folder.mkdir(exist_ok=True)
    for _ in make_tables(core, position, plan, threads, lambda step: True):
        pass
    return core, plan
