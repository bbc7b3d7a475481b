"""What the tests of the rules run over: the games covered, the two data files, and names for their entries."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.game import Position, find_variant

DATA = Path(__file__).parent / "data"

# The games whose rules are written. A game added here is tested by every test of the rules.
VARIANTS = ["latrones", "latrunculi-classical"]

START_8X8 = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"

# Counts above this wait for the native core, but for those listed.
PERFT_LIMIT = 5_000_000
PERFT_ALSO = {7_645_455}  # perft(4) of latrones on 8x8
PERFT_SLOW = 100_000


def position(variant: str, fen: str) -> Position:
    return Position.from_fen(find_variant(variant), fen)


@functools.cache
def _load(name: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))[name]
    return [entry for entry in entries if entry["variant"] in VARIANTS]


def perft_entries() -> list[dict[str, Any]]:
    """The entries of perft.json for the games covered."""
    return _load("perft")


def games() -> list[dict[str, Any]]:
    """The entries of games.json for the games covered."""
    return _load("games")


def entry_params(key: str | None = None) -> list[Any]:
    """The entries of perft.json, only those with `key` if given, as parameters with an id that says which."""
    return [
        pytest.param(entry, id=entry_id(entry, index))
        for index, entry in enumerate(perft_entries())
        if key is None or key in entry
    ]


def entry_id(entry: dict[str, Any], index: int) -> str:
    rows = entry["fen"].split()[0].split("/")
    what = "start" if entry.get("start") else entry.get("tests", "random").replace(" ", "-")
    return f"{entry['variant']}-{index}-{len(rows)}ranks-{what}"


def perft_params() -> list[Any]:
    """Entry, depth and count, for every count of perft.json that is to be run; slow ones marked."""
    found = []
    for index, entry in enumerate(perft_entries()):
        for depth, count in enumerate(entry["perft"], start=1):
            if count < PERFT_LIMIT or count in PERFT_ALSO:
                marks = [pytest.mark.slow] if count > PERFT_SLOW else []
                found.append(pytest.param(entry, depth, count, id=f"{entry_id(entry, index)}-{depth}", marks=marks))
    return found


def game_params() -> list[Any]:
    return [
        pytest.param(game, id=f"{game['variant']}-{index}-{len(game['moves'])}plies")
        for index, game in enumerate(games())
    ]
