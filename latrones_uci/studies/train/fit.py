"""Fit a net to positions by gradient descent, and convert it to integers. Needs numpy only.

The net learns what the hand-written evaluation misses: value = hand-written evaluation + output of the net.

The nets are small: with dense matrix products, one processor takes a minute for a pass over five million positions. A
graphics card would mostly wait for its inputs.

The loss is the squared difference of the chances (``_chances``) of value / ``SCALE`` and score / ``SCALE``, so that
differences between large scores count for less, and values stay in centi-soldiers.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from latrones_uci.engine.nets.file import MAX_CLIP, Net, NetError, Orientation, evaluation_digest
from latrones_uci.game import Ruleset
from latrones_uci.studies.train.features import FeatureReader, Floats, Integers, Records
from latrones_uci.studies.train.positions import MAX_SCORE, PositionsFile
from latrones_uci.studies.train.recipe import FitSettings

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import BoardTuple

SCALE = 300
"""Centi-soldiers that change the logit of the expected score by 1."""
TAIL = 0.2
"""Slope of the loss for large scores, where the sigmoid is flat: a net that is free there hides the terms of the
hand-written evaluation that win won games."""
HELD_OUT = 20
"""One game in ``HELD_OUT`` is kept out of training, to measure the loss."""
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8
_SUM_LIMIT = 0.98 * 2**31
_PART = 1 << 16
"""Number of positions whose inputs are in memory at a time when the loss is measured."""


@dataclass(frozen=True)
class FitReport:
    """The state of a training after a pass."""

    number: int
    """Number of the pass, from 1."""
    passes: int
    loss: float
    """Mean loss on the positions of the pass, while the net changed."""
    held_out: float
    """Mean loss on the games held out."""


@dataclass
class FloatNet:
    """A net in floating-point numbers: activations from 0 to 1, outputs as logits."""

    weights: Floats
    """``inputs`` x ``hidden``."""
    biases: Floats
    """``hidden``."""
    outputs: Floats
    """``buckets`` x 2 x ``hidden``."""
    output_biases: Floats
    """``buckets``."""

    @property
    def parts(self) -> tuple[Floats, ...]:
        return (self.weights, self.biases, self.outputs, self.output_biases)

    def logits(self, views: Sequence[Floats], buckets: Integers) -> Floats:
        """Return the corrections of positions, as logits."""
        total: Floats = self.output_biases[buckets]
        for view, inputs in enumerate(views):
            units = np.clip(inputs @ self.weights + self.biases, 0, 1)
            total = total + np.einsum("ij,ij->i", units * units, self.outputs[buckets, view])
        return total


@dataclass(frozen=True)
class DataSet:
    """Positions in memory."""

    reader: FeatureReader
    records: Records
    hand_written: Floats
    """The hand-written evaluation, as logits."""
    targets: Floats
    """The chances of the scores, see ``_chances``."""
    men: Integers
    training: Integers
    held_out: Integers
    """The indices of the positions for each purpose; whole games are held out."""


def load_data(
    files: Sequence[PositionsFile], reader: FeatureReader, hand_written: Callable[["BoardTuple"], int]
) -> DataSet:
    """Read files of positions into memory.

    ``hand_written`` evaluates boards, in centi-soldiers for the player to move.

    Raises:
        PositionsError: a file cannot be read.
    """
    records = np.concatenate([reader.split(file.records()) for file in files])
    columns = reader.columns(records)
    held = np.cumsum(columns.first) % HELD_OUT == 0
    targets, _ = _chances(columns.scores.astype(np.float32) / SCALE)
    by_hand = np.fromiter(map(hand_written, reader.boards(records)), np.float32, len(records)) / SCALE
    return DataSet(reader, records, by_hand, targets, columns.men, np.nonzero(~held)[0], np.nonzero(held)[0])


def fit(
    data: DataSet, settings: FitSettings, report: Callable[[FitReport], None]
) -> tuple[FloatNet, tuple[int, ...]]:
    """Train a net.

    ``report`` is called after each pass.

    Returns:
        The net, and the limits of its buckets.
    """
    random = np.random.default_rng(settings.seed)
    limits = bucket_limits(data.men, settings.buckets)
    buckets = np.searchsorted(np.array(limits, np.int64), data.men, side="right")
    net = _first_net(data.reader.layout.inputs, settings.hidden, len(limits) + 1, random)
    moments = [(np.zeros_like(part), np.zeros_like(part)) for part in net.parts]
    batch = settings.batch_of(len(data.training))
    steps_of_pass = -(-len(data.training) // batch)
    steps = settings.passes * steps_of_pass
    step = 0
    for number in range(1, settings.passes + 1):
        order, losses = random.permutation(data.training), 0.0
        for at in range(0, len(order), batch):
            chosen = np.sort(order[at : at + batch])
            views = data.reader.views(data.records[chosen], int(random.integers(data.reader.symmetries)))
            loss, gradients = _gradients(net, views, buckets[chosen], data.hand_written[chosen], data.targets[chosen])
            losses += loss * len(chosen)
            step += 1
            rate = settings.rate * (1 + np.cos(np.pi * (step - 1) / steps)) / 2
            _adam(net, gradients, moments, rate, step)
        held_out = mean_loss(net, data, buckets, data.held_out)
        report(FitReport(number, settings.passes, losses / len(order), held_out))
    return net, limits


def bucket_limits(men: Integers, buckets: int) -> tuple[int, ...]:
    """Return limits that divide the positions into buckets of similar size; fewer if few numbers of men occur."""
    quantiles = np.quantile(men, np.arange(1, buckets) / buckets) if buckets > 1 else np.array([])
    return tuple(sorted({int(np.ceil(each)) for each in quantiles} - {int(men.min())}))


def mean_loss(net: FloatNet, data: DataSet, buckets: Integers, chosen: Integers) -> float:
    """Return the mean loss on some positions, 0 if there are none."""
    total = 0.0
    for part in _parts(chosen):
        logits = data.hand_written[part] + net.logits(data.reader.views(data.records[part]), buckets[part])
        chances, _ = _chances(logits)
        total += float(((chances - data.targets[part]) ** 2).sum())
    return total / max(1, len(chosen))


def _parts(chosen: Integers) -> Iterator[Integers]:
    for at in range(0, len(chosen), _PART):
        yield chosen[at : at + _PART]


def _chances(logits: Floats) -> tuple[Floats, Floats]:
    """Return the expected scores of logits, continued with the slope ``TAIL``, and their slopes."""
    sigmoids: Floats = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return sigmoids + TAIL * logits, sigmoids * (1 - sigmoids) + TAIL


def _first_net(inputs: int, hidden: int, buckets: int, random: np.random.Generator) -> FloatNet:
    def normal(*shape: int, deviation: float) -> Floats:
        return (random.standard_normal(shape) * deviation).astype(np.float32)

    return FloatNet(
        normal(inputs, hidden, deviation=0.05), np.full(hidden, 0.3, np.float32),
        np.repeat(normal(1, 2, hidden, deviation=(2 * hidden) ** -0.5), buckets, axis=0),
        np.zeros(buckets, np.float32),
    )


def _gradients(
    net: FloatNet, views: Sequence[Floats], buckets: Integers, hand_written: Floats, targets: Floats
) -> tuple[float, tuple[Floats, ...]]:
    """Return the mean loss and its gradients."""
    units = [inputs @ net.weights + net.biases for inputs in views]
    active = [np.clip(unit, 0, 1) for unit in units]
    squares = [each * each for each in active]
    outputs = net.outputs[buckets]
    logits = hand_written + net.output_biases[buckets]
    for view in (0, 1):
        logits = logits + np.einsum("ij,ij->i", squares[view], outputs[:, view])
    chances, chance_slopes = _chances(logits)
    errors = chances - targets
    slopes = (2 * errors * chance_slopes / len(targets)).astype(np.float32)
    to_outputs, to_output_biases = np.zeros_like(net.outputs), np.zeros_like(net.output_biases)
    for bucket in np.unique(buckets):
        rows = np.nonzero(buckets == bucket)[0]
        to_output_biases[bucket] = slopes[rows].sum()
        for view in (0, 1):
            to_outputs[bucket, view] = slopes[rows] @ squares[view][rows]
    to_weights, to_biases = np.zeros_like(net.weights), np.zeros_like(net.biases)
    for view, inputs in enumerate(views):
        inside = (units[view] > 0) & (units[view] < 1)
        to_units = slopes[:, None] * outputs[:, view] * 2 * active[view] * inside
        to_weights += inputs.T @ to_units
        to_biases += to_units.sum(axis=0)
    return float((errors * errors).mean()), (to_weights, to_biases, to_outputs, to_output_biases)


def _adam(
    net: FloatNet, gradients: Sequence[Floats], moments: Sequence[tuple[Floats, Floats]], rate: float, step: int
) -> None:
    """Do a step of Adam (D. P. Kingma and J. Ba, ICLR 2015)."""
    correction = rate * np.sqrt(1 - _BETA2**step) / (1 - _BETA1**step)
    for part, gradient, (first, second) in zip(net.parts, gradients, moments, strict=True):
        first += (1 - _BETA1) * (gradient - first)
        second += (1 - _BETA2) * (gradient * gradient - second)
        part -= (correction * first / (np.sqrt(second) + _EPSILON)).astype(np.float32)


# ---------------------------------------------------------------- integers


@dataclass(frozen=True)
class Rounding:
    """The difference between a net in floating-point numbers and in integers, in centi-soldiers."""

    mean: float
    greatest: float
    """Mean and maximum of the absolute differences on the games held out."""


def quantise(
    net: FloatNet, ruleset: Ruleset, data: DataSet, orientation: Orientation, limits: tuple[int, ...], title: str,
    least_men: int = 0,
) -> tuple[Net, Rounding]:
    """Return the net in integers, with the finest units that cannot overflow, and the effect of rounding.

    Raises:
        NetError: no units are coarse enough.
    """
    most = float((np.abs(net.outputs).sum(axis=(1, 2)) + np.abs(net.output_biases)).max())
    coarse = float(np.abs(net.outputs).max())
    clip, found = MAX_CLIP, None
    while found is None:
        activation = clip * clip / 2
        unit = min(_SUM_LIMIT / (activation * max(most, 1e-6)), 32_767 / max(coarse, 1e-6))
        try:
            found = Net(
                data.reader.layout, evaluation_digest(ruleset), orientation, title, net.weights.shape[1], clip,
                max(1, round(2**32 * SCALE / (activation * unit))), limits,
                _int16(net.weights * clip), _int16(net.biases * clip), _int16(net.outputs * unit),
                tuple(int(each) for each in np.rint(net.output_biases * unit * activation)), least_men,
            )
        except (NetError, OverflowError):
            clip = clip * 7 // 8
            if clip < 16:
                raise NetError(f"weights up to {np.abs(net.weights).max():.3g} are too large for 16 bits") from None
    return found, _rounding(net, found, data)


def _int16(numbers: Floats) -> "array[int]":
    """Return numbers rounded to integers; raise OverflowError if one does not fit."""
    return array("h", (int(number) for number in np.rint(numbers).reshape(-1)))


def values_of(net: Net, reader: FeatureReader, records: Records) -> Integers:
    """Return what a net in integers adds to the evaluation of positions."""
    hidden = net.hidden
    weights = np.array(net.weights, np.float64).reshape(-1, hidden)  # exact: all sums are below 2**53
    outputs = np.array(net.outputs, np.int64).reshape(-1, 2, hidden)
    buckets = np.searchsorted(np.array(net.limits, np.int64), reader.columns(records).men, side="right")
    total: Integers = np.array(net.output_biases, np.int64)[buckets]
    for view, inputs in enumerate(reader.views(records)):
        units = (inputs.astype(np.float64) @ weights).astype(np.int64) + np.array(net.biases, np.int64)
        activations = np.clip(units, 0, net.clip) ** 2 >> 1
        total = total + (activations * outputs[buckets, view]).sum(axis=1)
    values: Integers = np.clip(total * net.multiplier >> 32, -MAX_SCORE, MAX_SCORE)
    return values


def _rounding(net: FloatNet, integers: Net, data: DataSet) -> Rounding:
    chosen = data.held_out if len(data.held_out) else data.training
    buckets = np.searchsorted(np.array(integers.limits, np.int64), data.men, side="right")
    differences = []
    for part in _parts(chosen[: 4 * _PART]):
        exact = SCALE * net.logits(data.reader.views(data.records[part]), buckets[part])
        differences.append(np.abs(exact - values_of(integers, data.reader, data.records[part])))
    together = np.concatenate(differences)
    return Rounding(float(together.mean()), float(together.max()))
