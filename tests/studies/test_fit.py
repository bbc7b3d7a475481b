"""Fitting: gradients, learning, and rounding; files of positions, and the arrays made of them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cases
from effort import at_most
from latrones_uci.engine.kernels import wire
from latrones_uci.engine.nets.file import Orientation, places_and_turns
from latrones_uci.engine.nets.python import net_corrector
from latrones_uci.game import Position, find_variant
from latrones_uci.studies.train.positions import PositionsError, Scored, open_positions, pack_records, write_positions
from latrones_uci.studies.train.recipe import FitSettings
from net_help import random_net
from search_help.positions import random_positions

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import BoardTuple

numpy = pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")

from latrones_uci.studies.train import features, fit  # noqa: E402

Fitted = tuple[fit.FloatNet, tuple[int, ...], list[fit.FitReport]]
GAME = find_variant("petteia-xxi")
START = Position.start(GAME)
SETTINGS = FitSettings(hidden=32, buckets=3, passes=10, batch=256, rate=0.01)


def games_with_material_as_score(folder: Path, count: int = 60, known: int = 0) -> fit.DataSet:
    """Random games whose positions have a score of 100 for each soldier more, ``known`` of it evaluated by hand."""
    rng, scored = random.Random(1), []
    for _ in range(count):
        position, first = START, True
        for _ in range(60):
            moves = position.rules.moves(position.board) if not position.decided() else []
            if not moves:
                break
            captures = [move for move in moves if not position.rules.play(position.board, move)[6]]
            position = position.after(rng.choice(captures or moves))
            own, opp = position.board[:2]
            scored.append(Scored(position.board, 25 * (own.bit_count() - opp.bit_count()), 0, first))
            first = False
    path = folder / "a.positions"
    write_positions(path, GAME, 8, 8, "{}", pack_records(START.geometry, GAME, scored))
    reader = features.FeatureReader(GAME, 8, 8, Orientation.SIDE)

    def by_hand(board: BoardTuple) -> int:
        own, opp = (int.from_bytes(pieces, "little").bit_count() for pieces in board[:2])
        return known * (own - opp)

    return fit.load_data([open_positions(path, GAME, 8, 8)], reader, by_hand)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> fit.DataSet:
    return games_with_material_as_score(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def fitted(data: fit.DataSet) -> Fitted:
    reports: list[fit.FitReport] = []
    return *fit.fit(data, SETTINGS, reports.append), reports


@pytest.mark.long
def test_whole_games_are_held_out(data: fit.DataSet) -> None:
    first = data.reader.columns(data.records).first
    game = numpy.cumsum(first)
    assert not set(game[data.training]) & set(game[data.held_out])
    assert len(set(game[data.held_out])) == 60 // fit.HELD_OUT
    assert len(data.training) + len(data.held_out) == len(data.records)


@pytest.mark.slow
def test_a_net_learns_and_the_same_seed_makes_the_same_net(data: fit.DataSet, fitted: Fitted) -> None:
    net, limits, reports = fitted
    assert len(limits) == 2
    assert [report.number for report in reports] == list(range(1, 11))
    assert reports[-1].held_out < reports[0].held_out / 2
    again, _ = fit.fit(data, SETTINGS, lambda report: None)
    assert all((one == other).all() for one, other in zip(again.parts, net.parts, strict=True))


@pytest.mark.slow
def test_a_net_learns_what_the_hand_written_evaluation_misses(
    tmp_path: Path, data: fit.DataSet, fitted: Fitted
) -> None:
    known = games_with_material_as_score(tmp_path, known=100)
    assert (known.records == data.records).all()
    nothing = fit.FloatNet(*(0 * part for part in fitted[0].parts))
    buckets = numpy.zeros(len(data.records), numpy.int64)
    assert fit.mean_loss(nothing, known, buckets, known.held_out) < 1e-9
    assert fit.mean_loss(nothing, data, buckets, data.held_out) > 1e-3
    net, _ = fit.fit(known, SETTINGS, lambda report: None)
    corrections = net.logits(known.reader.views(known.records), buckets)
    assert fit.SCALE * float(numpy.abs(corrections).mean()) < 15  # of scores up to some hundred


def test_positions_can_be_moved_by_a_symmetry(data: fit.DataSet) -> None:
    records, size = data.records[:50], 8
    places, _ = places_and_turns(8, 8, Orientation.SIDE)
    assert data.reader.symmetries == len(places) == 8
    for number, place in enumerate(places):
        moved = records.copy()
        for at in (0, size):
            squares = numpy.unpackbits(records[:, at : at + size], axis=1, bitorder="little")
            images = numpy.zeros_like(squares)
            images[:, list(place)] = squares
            moved[:, at : at + size] = numpy.packbits(images, axis=1, bitorder="little")
        for view, expected in zip(data.reader.views(records, number), data.reader.views(moved), strict=True):
            assert (view == expected).all()
    assert features.FeatureReader(find_variant("latrones"), 8, 8, Orientation.DUX).symmetries == 1


@pytest.mark.long
def test_gradients_are_differences_of_the_loss(data: fit.DataSet) -> None:
    rng = numpy.random.default_rng(3)
    records = data.records[:200]
    views, targets = data.reader.views(records), data.targets[:200].astype(numpy.float64)
    buckets, by_hand = numpy.arange(200) % 3, rng.normal(0, 0.5, 200)
    inputs = data.reader.layout.inputs
    net = fit.FloatNet(*(rng.normal(0.1, 0.2, shape) for shape in ((inputs, 32), (32,), (3, 2, 32), (3,))))
    _, gradients = fit._gradients(net, views, buckets, by_hand, targets)
    for part, gradient in zip(net.parts, gradients, strict=True):
        flat, expected = part.reshape(-1), numpy.asarray(gradient).reshape(-1)
        for at in rng.choice(len(flat), min(len(flat), 12), replace=False):
            kept, step, losses = flat[at], 1e-4, []
            for change in (step, -step):
                flat[at] = kept + change
                losses.append(fit._gradients(net, views, buckets, by_hand, targets)[0])
            flat[at] = kept
            assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(expected[at], rel=0.02, abs=2e-6)


@pytest.mark.long
def test_rounding_changes_little(data: fit.DataSet, fitted: Fitted) -> None:
    net, limits, _ = fitted
    integers, rounding = fit.quantise(net, GAME, data, Orientation.SIDE, limits, "test")
    assert rounding.mean < 3
    assert rounding.greatest < 30
    held = data.records[data.held_out]
    scores = data.reader.columns(held).scores
    errors = numpy.abs(fit.values_of(integers, data.reader, held) - scores)
    assert errors.mean() < 60
    # Large weights get coarser units.
    large = fit.FloatNet(net.weights * 40, net.biases * 40, net.outputs * 1000, net.output_biases)
    integers, _ = fit.quantise(large, GAME, data, Orientation.SIDE, limits, "test")
    assert integers.clip < 255
    with pytest.raises(fit.NetError, match="too large for 16 bits"):
        fit.quantise(fit.FloatNet(net.weights * 1e5, *net.parts[1:]), GAME, data, Orientation.SIDE, limits, "test")


def test_buckets_have_about_the_same_size() -> None:
    men = numpy.array([8] * 10 + [12] * 10 + [16] * 10 + [20] * 10)
    buckets = numpy.searchsorted(fit.bucket_limits(men, 4), men, side="right")
    assert numpy.bincount(buckets).tolist() == [10, 10, 10, 10]
    assert fit.bucket_limits(men, 1) == ()
    assert fit.bucket_limits(numpy.array([5] * 9), 4) == ()


# ---------------------------------------------------------------- positions

GAMES = [variant for variant in cases.VARIANTS if variant != "rota"]
LATRONES = find_variant("latrones")


def of_one_size(variant: str, count: int) -> list[Position]:
    """Return positions of random games on one board."""
    found = random_positions(variant, 3 * count, seed=3)
    size = found[0].geometry.name
    return [position for position in found if position.geometry.name == size][:count]


@pytest.mark.long
@pytest.mark.parametrize("variant", GAMES)
def test_records_contain_all_inputs(variant: str) -> None:
    """A net corrects the records like the positions themselves, and they convert back to boards."""
    positions = of_one_size(variant, at_most(40))
    geometry, ruleset = positions[0].geometry, positions[0].ruleset
    rng = random.Random(5)
    scored = [Scored(each.board, rng.randint(-300, 300), rng.randint(-1, 1), number % 7 == 0)
              for number, each in enumerate(positions)]
    data = pack_records(geometry, ruleset, scored)
    for orientation in Orientation:
        reader = features.FeatureReader(ruleset, geometry.files, geometry.ranks, orientation)
        records = reader.split(data)
        net = random_net(ruleset, (geometry.files, geometry.ranks), orientation=orientation)
        correct = net_corrector(positions[0].rules, net)
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
