"""The settings of a training, and its journal.

The journal has one line of JSON for each finished step, which is used to resume the training.
"""

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import copysign, inf
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import VariantFile, VariantSettings
from latrones_uci.engine.nets.file import evaluation_digest, net_bytes
from latrones_uci.game import Position
from latrones_uci.stats import Interval
from latrones_uci.studies.train.self_play import SelfPlaySettings
from latrones_uci.text.messages import quoted, reason

MIN_BATCH, STEPS_OF_PASS = 256, 500
"""See ``FitSettings.batch``."""


@dataclass(frozen=True)
class FitSettings:
    """Settings for fitting a net."""

    hidden: int = 64
    buckets: int = 4
    """Number of buckets; each gets about the same number of positions."""
    passes: int = 12
    batch: int = 8192
    """Maximum number of positions of a step. It is reduced, but not below ``MIN_BATCH``, to give a pass at least
    ``STEPS_OF_PASS`` steps, so that small data sets get enough steps."""
    rate: float = 0.003
    """Initial learning rate; it falls to zero along a cosine."""
    seed: int = 0
    """Random seed for the initial weights and the order of positions."""

    def batch_of(self, positions: int) -> int:
        """Return the batch size for a data set of ``positions`` positions."""
        return min(self.batch, max(MIN_BATCH, positions // STEPS_OF_PASS))


@dataclass(frozen=True)
class TrainingSettings:
    start: Position
    """The start position of the game on the board."""
    variant: VariantSettings
    """The game and its board."""
    variant_file: VariantFile | None
    folder: Path
    """The folder for all files of the training."""
    hours: float = 1.0
    """Time for all generations."""
    generations: int = 3
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
        }


# ---------------------------------------------------------------- the journal

MAX_JOURNAL_BYTES = 1 << 24
STARTED, PLANNED, MADE, FITTED, PLAYED = "started", "planned", "made", "fitted", "played"
"""Kinds of entries: the settings; then, for each generation, its amount of data, the time spent on making data (an
entry for each run that made some), its net, and its match."""
MAX_ELO = 9999.0
"""An infinite Elo difference in the journal, because JSON has none."""


def elo_of(played: Mapping[str, Any]) -> Interval:
    """Return the Elo difference of a match with its interval, from its entry in a journal."""
    low, elo, high = (each if abs(each) < MAX_ELO else copysign(inf, each) for each in played["elo"])
    return Interval(elo, low, high)


class Journal:
    """A journal file. An entry is on the disk once ``add`` has returned; a truncated line is ignored."""

    def __init__(self, path: Path) -> None:
        """Read the entries, if there is a file.

        Raises:
            SettingsError: the file cannot be read, or is no journal.
        """
        self.path = path
        self.entries: list[dict[str, Any]] = []
        try:
            with path.open("rb") as file:
                data = file.read(MAX_JOURNAL_BYTES + 1)
        except FileNotFoundError:
            return
        except OSError as error:
            raise SettingsError(f"{quoted(str(path))}: {reason(error)}") from error
        complete, _, rest = data.rpartition(b"\n")
        try:
            self.entries = [json.loads(line) for line in complete.splitlines()]
        except (ValueError, RecursionError):
            raise SettingsError(f"{quoted(str(path))}: not a journal of a training") from None
        if len(data) > MAX_JOURNAL_BYTES or any(not isinstance(each, dict) for each in self.entries):
            raise SettingsError(f"{quoted(str(path))}: not a journal of a training")
        if rest:
            with path.open("r+b") as file:
                file.truncate(len(complete) + 1 if complete else 0)

    def add(self, kind: str, **values: object) -> dict[str, Any]:
        """Append an entry and wait until it is on the disk.

        Raises:
            OSError: the file cannot be written; the message names it.
        """
        entry: dict[str, Any] = {"kind": kind, **values}
        with self.path.open("ab") as file:
            file.write(json.dumps(entry).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.entries.append(entry)
        return entry

    def find(self, kind: str, generation: int) -> dict[str, Any] | None:
        """Return the entry of a step of a generation, None if it was not finished."""
        return next((each for each in self.of_kind(kind) if each.get("generation") == generation), None)

    def of_kind(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yield the entries of a kind."""
        return (each for each in self.entries if each.get("kind") == kind)

    @property
    def seconds(self) -> float:
        """The time that all finished steps took."""
        return float(sum(each.get("seconds", 0.0) for each in self.entries))

    def begin(self, settings: Mapping[str, object]) -> None:
        """Store the settings of a new training, or compare those of a resumed one.

        Raises:
            SettingsError: the training was started with other settings; the message names one.
        """
        started = next(self.of_kind(STARTED), None)
        if started is None:
            self.add(STARTED, settings=dict(settings))
            return
        before = started.get("settings", {})
        for name, value in json.loads(json.dumps(dict(settings))).items():
            if before.get(name) != value:
                raise SettingsError(
                    f"{quoted(str(self.path.parent))}: a training with {name} {before.get(name)!r}, not {value!r};"
                    " expected the same settings, or another folder"
                )
