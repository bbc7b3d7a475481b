"""The variants of docs/examples: they load, and their counts are those of other programs.

`data/examples.json` names the source of each count.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import naive
from agreement import compare
from effort import at_most, examples
from grouped import grouped
from latrones_uci.game import Position, Ruleset, builtin_variants, parse_variants
from latrones_uci.game.ruleset import problems
from strategies import boards

FOLDER = Path(__file__).parents[2] / "docs" / "examples"
ENTRIES: list[dict[str, Any]] = json.loads((cases.DATA / "examples.json").read_text(encoding="utf-8"))["perft"]
NAIVE_LIMIT = at_most(2_000)


def example_games() -> dict[str, Ruleset]:
    found: dict[str, Ruleset] = {}
    for file in sorted(FOLDER.glob("*.toml")):
        found |= parse_variants(file.read_text(encoding="utf-8"), builtin_variants())
    return found


def count_params() -> list[Any]:
    return [
        pytest.param(
            entry["variant"], entry["fen"], depth, count, id=f"{entry['variant']}-{index}-{depth}",
            marks=[pytest.mark.slow] if count > cases.PERFT_SLOW / 5 else [],
        )
        for index, entry in enumerate(ENTRIES)
        for depth, count in enumerate(entry["perft"], start=1)
        if count < cases.PERFT_LIMIT
    ]  # fmt: skip


def test_every_example_has_counts() -> None:
    assert sorted(example_games()) == sorted(naive.EXAMPLES) == sorted({entry["variant"] for entry in ENTRIES})
    for ruleset in example_games().values():
        assert problems(ruleset) == []
        assert Position.start(ruleset).legal_moves()


@pytest.mark.parametrize("entry", [pytest.param(e, id=e["variant"]) for e in ENTRIES if e.get("start")])
def test_start(entry: dict[str, Any]) -> None:
    assert Position.start(example_games()[entry["variant"]]).fen() == entry["fen"]


@grouped("name, fen, depth, count", count_params())
def test_count(name: str, fen: str, depth: int, count: int) -> None:
    assert Position.from_fen(example_games()[name], fen).perft(depth) == count


@grouped("name, fen, depth, count", [param for param in count_params() if param.values[3] <= NAIVE_LIMIT])
def test_count_of_the_naive_board(name: str, fen: str, depth: int, count: int) -> None:
    assert naive.Described(name, naive.EXAMPLES[name]).perft(naive.parse(fen), depth) == count


@pytest.mark.parametrize("name", naive.EXAMPLES)
@examples(20)
@given(data=st.data())
def test_any_board(name: str, data: st.DataObject) -> None:
    rules = naive.Described(name, naive.EXAMPLES[name])
    compare(rules, example_games()[name], data.draw(boards(rules, longest=5 if name == "seega-5x5" else 12)))
