"""The settings of a training."""

import dataclasses
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from latrones_uci.client.variant_setup import VariantFile, VariantSettings
from latrones_uci.game import Position
from latrones_uci.search.net import evaluation_digest, net_bytes
from latrones_uci.train.self_play import SelfPlaySettings

MIN_BATCH, STEPS_OF_PASS = 256, 500
"""See ``FitSettings.batch``."""


@dataclass(frozen=True)
class FitSettings:
    """Settings for fitting a net.

    Attributes:
        hidden: number of hidden units.
        buckets: number of buckets; each gets about the same number of positions.
        passes: passes over all positions.
        batch: maximum number of positions of a step. It is reduced, but not below ``MIN_BATCH``, to give a pass at
            least ``STEPS_OF_PASS`` steps, so that small data sets get enough steps.
        rate: initial learning rate; it falls to zero along a cosine.
        seed: random seed for the initial weights and the order of positions.
    """

    hidden: int = 64
    buckets: int = 4
    passes: int = 12
    batch: int = 8192
    rate: float = 0.002
    seed: int = 0

    def batch_of(self, positions: int) -> int:
        """Return the batch size for a data set of ``positions`` positions."""
        return min(self.batch, max(MIN_BATCH, positions // STEPS_OF_PASS))


@dataclass(frozen=True)
class TrainingSettings:
    """What to train, and how.

    Attributes:
        start: the start position of the game on the board.
        variant: the game and its board.
        variant_file: the file that defines the game, None for a built-in one.
        folder: the folder for all files of the training.
        hours: time for all generations.
        generations: number of generations.
        positions: positions per generation, None for as many as fit in the time.
        games: maximum games per match, None for as many as fit in the time.
        threads: number of concurrent games.
        movetime_ms: time per move in matches.
        seed: random seed of the whole training.
        self_play: how the games for the data are played.
        fit: how the nets are fitted.
        tables: folder of endgame tables for self-play, empty for none.
        scheduler: address of the Dask scheduler that runs self-play, None for this machine.
        net: the file of the net before the first generation, None for the hand-written evaluation alone.
        data: folders of other trainings of the same game and board, whose positions are used for fitting as well.
    """

    start: Position
    variant: VariantSettings
    variant_file: VariantFile | None
    folder: Path
    hours: float = 1.0
    generations: int = 3
    positions: int | None = None
    games: int | None = None
    threads: int = 1
    movetime_ms: int = 50
    seed: int = 0
    self_play: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    fit: FitSettings = field(default_factory=FitSettings)
    tables: str = ""
    scheduler: str | None = None
    net: Path | None = None
    data: tuple[Path, ...] = ()

    @property
    def fixed(self) -> dict[str, object]:
        """The settings that must be the same when a training is resumed."""
        ruleset, board = self.start.ruleset, self.start.geometry.name
        return {
            "variant": ruleset.name, "rules": evaluation_digest(ruleset).hex(), "board": board,
            "seed": self.seed, "positions": self.positions, "games": self.games, "movetime_ms": self.movetime_ms,
            "self_play": dataclasses.asdict(self.self_play), "fit": dataclasses.asdict(self.fit), "tables": self.tables,
            "net": None if self.net is None else hashlib.sha256(net_bytes(self.net)).hexdigest(),
            "data": [str(folder.resolve()) for folder in self.data] or None,
        }  # fmt: skip
