"""The cases for the tests of the rules: the variants, the two data files, and ids for their entries."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.game import Position, find_variant

DATA = Path(__file__).parent / "data"

# All tests of the rules run for each of these variants.
VARIANTS = [
    "latrones",
    "latrunculi-classical",
    "latrunculi-xxi",
    "petteia-xxi",
    "single-stone-xxi",
    "schaedler",
    "bell",
    "rota",
]

# The variants that start on ranks with a dux that slides and decides the game.
DUX_GAMES = ["latrones", "latrunculi-classical", "latrunculi-xxi"]
# The kernels with the variants that they search; the solver of rota exists only in Python.
SEARCHED = [(kernel, variant) for kernel in ("python", "native") for variant in VARIANTS
            if kernel == "python" or variant != "rota"]  # fmt: skip
PLACEMENT_GAMES = ["schaedler", "bell", "rota"]

START_8X8 = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"

# A position of each variant with empty hands and enough moves for both sides, 9 plies after the last capture.
MIDGAMES = {
    "latrones": "dS3/5/5/S1D2/4s w 9 30",
    "latrunculi-classical": "dS3/5/5/S1D2/4s w 9 30",
    "latrunculi-xxi": "dS3/5/5/S1D2/4s w 9 30",
    "petteia-xxi": "1ss2/5/5/5/2SS1 w 9 30",
    "single-stone-xxi": "1ss2/5/5/5/2SS1 w 9 30",
    "schaedler": "1ss2/5/1Bs2/2S2/3S1[-] w 9 30",
    "bell": "1sd3/6/6/6/6/2DS2[-] w 9 30",
    "rota": "s1s/1sS/SS1[-] w 9 30",
}

# A position of each variant in which White has won.
DECIDED = {
    "latrones": "ssss/4/1D2/SSSS w 0 1",
    "latrunculi-classical": "ssss/4/1D2/SSSS w 0 1",
    "latrunculi-xxi": "ssss/4/1D2/SSSS w 0 1",
    "petteia-xxi": "s3/4/4/4/SSSS w 0 1",
    "single-stone-xxi": "s3/4/4/SSSS w 0 1",
    "schaedler": "s3/4/4/SSSS[-] w 0 1",
    "bell": "6/6/6/6/6/SSSD2[-] w 0 1",
    "rota": "s1S/sS1/S1s[-] w 0 1",
}

# A position of each variant without a possible capture, and moves back and forth of both sides.
SHUTTLE_8X8 = ["a1a2", "a8a7", "a2a1", "a7a8"]
SHUTTLES: dict[str, tuple[str, list[str]]] = {
    "latrones": (START_8X8, SHUTTLE_8X8),
    "latrunculi-classical": (START_8X8, SHUTTLE_8X8),
    "latrunculi-xxi": (START_8X8, SHUTTLE_8X8),
    "petteia-xxi": ("ssssssss/8/8/8/8/8/8/SSSSSSSS w 0 1", SHUTTLE_8X8),
    "single-stone-xxi": ("ssssssss/8/8/8/8/8/8/SSSSSSSS w 0 1", SHUTTLE_8X8),
    "schaedler": ("ssssssss/8/8/8/8/8/8/SSSSSSSS[-] w 0 1", SHUTTLE_8X8),
    "bell": ("ssssdsss/8/8/8/8/8/8/SSSDSSSS[-] w 0 1", SHUTTLE_8X8),
    "rota": ("sss/3/SSS[-] w 0 1", ["a1a2", "c3c2", "a2a1", "c2c3"]),
}

# A position of each variant in which White is to move, has enough pieces, and has no legal move.
STUCK = {
    "petteia-xxi": "4/4/s3/Ss2/SSs1 w 0 1",
    "single-stone-xxi": "4/s3/Ss2/SSs1 w 0 1",
    "schaedler": "4/s3/BsB1/sss1[-] w 0 1",
    "bell": "6/6/6/6/6/6[1d] w 0 1",
    "rota": "SSs/SsS/SsS[-] w 0 1",
}

# Only the native core checks larger counts, except those in PERFT_ALSO.
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
    """Return the entries of perft.json for these variants."""
    return _load("perft")


def games() -> list[dict[str, Any]]:
    """Return the entries of games.json for these variants."""
    return _load("games")


def entry_params(key: str | None = None) -> list[Any]:
    """Return the entries of perft.json (only those with `key`, if given) as parameters with ids."""
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
    """Return entry, depth and count for every count of perft.json to check; slow ones are marked."""
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
