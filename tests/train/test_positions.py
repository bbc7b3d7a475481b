"""Files of positions, and the arrays made of them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import cases
from effort import at_most
from latrones_uci.engine.kernels import wire
from latrones_uci.game import Position, find_variant
from latrones_uci.search.net import Orientation
from latrones_uci.search.net_evaluation import net_corrector
from latrones_uci.train.positions import (
    PositionsError,
    Scored,
    open_positions,
    pack_records,
    write_positions,
)
from net_help import random_net
from search_help.positions import random_positions

pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")

from latrones_uci.train import features, fit

GAMES = [variant for variant in cases.VARIANTS if variant != "rota"]
LATRONES = find_variant("latrones")


def of_one_size(variant: str, count: int) -> list[Position]:
    """Return positions of random games on one board."""
    found = random_positions(variant, 3 * count, seed=3)
    size = found[0].geometry.name
    return [position for position in found if position.geometry.name == size][:count]


@pytest.mark.parametrize("variant", GAMES)
def test_records_contain_all_inputs(variant: str) -> None:
    """A net corrects the records like the positions themselves, and they convert back to boards."""
    positions = of_one_size(variant, at_most(40))
    geometry, ruleset = positions[0].geometry, positions[0].ruleset
    rng = random.Random(5)
    scored = [Scored(each.board, rng.randint(-300, 300), rng.randint(-1, 1), number % 7 == 0)
              for number, each in enumerate(positions)]  # fmt: skip
    data = pack_records(geometry, ruleset, scored)
    for orientation in Orientation:
        reader = features.FeatureReader(ruleset, geometry.files, geometry.ranks, orientation)
        records = reader.split(data)
        net = random_net(ruleset, (geometry.files, geometry.ranks), orientation=orientation)
        correct = net_corrector(geometry, net)
        assert fit.values_of(net, reader, records).tolist() == [correct(each.board) for each in positions]
        assert list(reader.boards(records)) == [wire(geometry, each.board) for each in positions]
        columns = reader.columns(records)
        assert columns.scores.tolist() == [each.score for each in scored]
        assert columns.first.tolist() == [each.first for each in scored]
        flags = records[:, reader.records.tail + 2].tolist()  # as documented: side to move, first, result
        assert flags == [each.board[4] + 2 * each.first + 4 * (each.result + 1) for each in scored]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    start = Position.start(LATRONES)
    records = pack_records(start.geometry, LATRONES, [Scored(start.board, 12, 1, True)] * 3)
    write_positions(tmp_path / "a.positions", LATRONES, 8, 8, '{"seed": 1}', records)
    return tmp_path / "a.positions"


def test_a_file_is_read(path: Path) -> None:
    found = open_positions(path, LATRONES, 8, 8)
    assert (found.count, found.recipe) == (3, '{"seed": 1}')
    assert len(found.records()) == 3 * 22
    assert [each.name for each in path.parent.iterdir()] == ["a.positions"]


def test_damaged_and_other_files_are_refused(path: Path) -> None:
    data = path.read_bytes()
    for at in range(0, len(data), 3):
        damaged = bytearray(data)
        damaged[at] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(PositionsError, match="a.positions"):
            open_positions(path, LATRONES, 8, 8)
    for length in (0, 8, 40, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(PositionsError, match="not a file of positions|cut off"):
            open_positions(path, LATRONES, 8, 8)
    path.write_bytes(data)
    with pytest.raises(PositionsError, match="on the 8x8 board; expected 10x8"):
        open_positions(path, LATRONES, 10, 8)
    with pytest.raises(PositionsError, match="of other rules"):
        open_positions(path, replace(LATRONES, nocapture_limit=50), 8, 8)
    with pytest.raises(PositionsError, match="No such file"):
        open_positions(path.with_name("none"), LATRONES, 8, 8)
