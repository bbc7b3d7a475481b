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
    """Settings for fitting a net."""

    hidden: int = 64
    """Number of hidden units."""
    buckets: int = 4
    """Number of buckets; each gets about the same number of positions."""
    passes: int = 12
    """Passes over all positions."""
    batch: int = 8192
    """Maximum number of positions of a step. It is reduced, but not below ``MIN_BATCH``, to give a pass at least
    ``STEPS_OF_PASS`` steps, so that small data sets get enough steps."""
    rate: float = 0.002
    """Initial learning rate; it falls to zero along a cosine."""
    seed: int = 0
    """Random seed for the initial weights and the order of positions."""

    def batch_of(self, positions: int) -> int:
        """Return the batch size for a data set of ``positions`` positions."""
        return min(self.batch, max(MIN_BATCH, positions // STEPS_OF_PASS))


@dataclass(frozen=True)
class TrainingSettings:
    """What to train, and how."""

    start: Position
    """The start position of the game on the board."""
    variant: VariantSettings
    """The game and its board."""
    variant_file: VariantFile | None
    """The file that defines the game, None for a built-in one."""
    folder: Path
    """The folder for all files of the training."""
    hours: float = 1.0
    """Time for all generations."""
    generations: int = 3
    """Number of generations."""
    positions: int | None = None
    """Positions per generation, None for as many as fit in the time."""
    games: int | None = None
    """Maximum games per match, None for as many as fit in the time."""
    threads: int = 1
    """Number of concurrent games."""
    movetime_ms: int = 50
    """Time per move in matches."""
    seed: int = 0
    """Random seed of the whole training."""
    self_play: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    """How the games for the data are played."""
    fit: FitSettings = field(default_factory=FitSettings)
    """How the nets are fitted."""
    tables: str = ""
    """Folder of endgame tables for self-play, empty for none."""
    scheduler: str | None = None
    """Address of the Dask scheduler that runs self-play, None for this machine."""
    net: Path | None = None
    """The file of the net before the first generation, None for the hand-written evaluation alone."""
    data: tuple[Path, ...] = ()
    """Folders of other trainings of the same game and board, whose positions are used for fitting as well."""

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
