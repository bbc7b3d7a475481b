"""The cases for the tests of the rules: the variants, and the entries of the data files."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from folders import DATA, EXAMPLES
from latrones_uci.game import Position, Ruleset, builtin_variants, find_variant, parse_variants

# The variants that start on ranks with a dux that slides and decides the game.
DUX_GAMES = ["latrones", "latrunculi-classical", "latrunculi-xxi"]
VARIANTS = [*DUX_GAMES, "petteia-xxi", "single-stone-xxi", "schaedler", "bell", "rota"]
# The kernels with the variants that they search; the solver of rota exists only in Python.
SEARCHED = [(kernel, variant) for kernel in ("python", "native") for variant in VARIANTS
            if kernel == "python" or variant != "rota"]

START_8X8 = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"

# A position of each variant with empty hands and enough moves for both sides, 9 plies after the last capture.
MIDGAMES = dict.fromkeys(DUX_GAMES, "dS3/5/5/S1D2/4s w 9 30") | {
    "petteia-xxi": "1ss2/5/5/5/2SS1 w 9 30",
    "single-stone-xxi": "1ss2/5/5/5/2SS1 w 9 30",
    "schaedler": "1ss2/5/1Bs2/2S2/3S1[-] w 9 30",
    "bell": "1sd3/6/6/6/6/2DS2[-] w 9 30",
    "rota": "s1s/1sS/SS1[-] w 9 30",
}

# A position of each variant in which White has won.
DECIDED = dict.fromkeys(DUX_GAMES, "ssss/4/1D2/SSSS w 0 1") | {
    "petteia-xxi": "s3/4/4/4/SSSS w 0 1",
    "single-stone-xxi": "s3/4/4/SSSS w 0 1",
    "schaedler": "s3/4/4/SSSS[-] w 0 1",
    "bell": "6/6/6/6/6/SSSD2[-] w 0 1",
    "rota": "s1S/sS1/S1s[-] w 0 1",
}

# A position of each variant without a possible capture, and moves back and forth of both sides.
SHUTTLE_8X8 = ["a1a2", "a8a7", "a2a1", "a7a8"]
SHUTTLES: dict[str, tuple[str, list[str]]] = dict.fromkeys(DUX_GAMES, (START_8X8, SHUTTLE_8X8)) | {
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

# Python checks counts below the first limit, and with --all below the second; the native core checks those below MANY,
# and with --all the others, too.
PERFT_FAST, PERFT_SLOW, MANY = 100_000, 8_000_000, 1_000_000_000


@functools.cache
def ruleset(name: str) -> Ruleset:
    """Return a built-in variant, or one of docs/examples."""
    return example_games()[name] if name in example_games() else find_variant(name)


@functools.cache
def example_games() -> dict[str, Ruleset]:
    found: dict[str, Ruleset] = {}
    for file in sorted(EXAMPLES.glob("*.toml")):
        found |= parse_variants(file.read_text(encoding="utf-8"), builtin_variants())
    return found


def position(variant: str, fen: str) -> Position:
    return Position.from_fen(ruleset(variant), fen)


def _load(name: str, key: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))[key]
    return entries


def perft_entries() -> list[dict[str, Any]]:
    """Return the entries of perft.json."""
    return _load("perft", "perft")


def example_entries() -> list[dict[str, Any]]:
    """Return the entries of examples.json, which name the sources of their counts."""
    return _load("examples", "perft")


def games() -> list[dict[str, Any]]:
    """Return the entries of games.json."""
    return _load("games", "games")


def for_kernels(entries: list[dict[str, Any]]) -> list[Any]:
    """Return each kernel with each entry that it can play, as parameters with ids."""
    return [
        pytest.param(kernel, entry, id=f"{kernel}-{entry_id(entry, index)}")
        for kernel in ("python", "native")
        for index, entry in enumerate(entries)
        if (kernel, entry["variant"]) != ("native", "rota")
    ]


def entry_id(entry: dict[str, Any], index: int) -> str:
    what = "start" if entry.get("start") else entry.get("tests", "").replace(" ", "-")
    return "-".join(filter(None, [entry["variant"], str(index), what]))
