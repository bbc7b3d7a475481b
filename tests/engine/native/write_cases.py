#!/usr/bin/env python3
"""Write the positions of perft.json with their rulesets and expected values for the C++ tests, which know no games."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[3]))  # after an installed package

from latrones_uci.engine.kernels import wire
from latrones_uci.engine.python.evaluation import terms, weights_of
from latrones_uci.game import Position, Ruleset, find_variant
from latrones_uci.game.ruleset import keys_of

PERFT = Path(__file__).resolve().parents[2] / "data" / "perft.json"


def value_text(value: object) -> str:
    """Return a value of a ruleset or of weights as text: a string, a number, or numbers separated by commas."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(int(value) if isinstance(value, bool) else value)


def pairs(values: dict[str, Any]) -> str:
    return " ".join(f"{key}={value_text(value)}" for key, value in values.items())


def case(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of one entry of perft.json."""
    ruleset = find_variant(entry["variant"])
    position = Position.from_fen(ruleset, entry["fen"])
    own, opp, bound, own_dux, opp_dux, side, nocapture, hand = wire(position.geometry, position.board)
    found = terms(position.rules, position.board)
    yield f"case {entry['variant']} {entry['fen']}"
    yield f"size {position.geometry.files} {position.geometry.ranks}"
    yield f"ruleset {pairs(rules_to_write(ruleset))}"
    yield f"weights {pairs(dataclasses.asdict(weights_of(ruleset)))}"
    yield "board " + pairs({
        "own": own, "opp": opp, "bound": bound, "own_dux": own_dux, "opp_dux": opp_dux, "side": side,
        "nocapture": nocapture, "hand": hand, "key": position.key,
    })
    yield f"decided {position.rules.decided(position.board)}"
    yield f"terms {' '.join(map(str, found))}"
    yield f"perft {' '.join(map(str, entry['perft']))}"


def rules_to_write(ruleset: Ruleset) -> dict[str, Any]:
    """Return the fields of a ruleset, except for descriptions, which may contain spaces."""
    return {key: value for key, value in dataclasses.asdict(ruleset).items() if key not in keys_of("words")}


def main(path: Path) -> None:
    """Write the entries for games on a grid, the only ones that the library supports."""
    entries = json.loads(PERFT.read_text(encoding="utf-8"))["perft"]
    grid = (entry for entry in entries if find_variant(entry["variant"]).board == "grid")
    path.write_text("".join(f"{line}\n" for entry in grid for line in case(entry)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
