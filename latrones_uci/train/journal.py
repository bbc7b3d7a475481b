"""The journal of a training: one line of JSON for each finished step, used to resume the training."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import quoted, reason

MAX_JOURNAL_BYTES = 1 << 24
STARTED, PLANNED, MADE, FITTED, PLAYED = "started", "planned", "made", "fitted", "played"
"""Kinds of entries: the settings; then, for each generation, its amount of data, the time spent on making data (an
entry for each run that made some), its net, and its match."""
MAX_ELO = 9999.0
"""An infinite Elo difference in the journal, because JSON has none."""


class Journal:
    """A journal file. An entry is on the disk once ``add`` has returned; a truncated line is ignored."""

    def __init__(self, path: Path) -> None:
        """Read the entries, if there is a file.

        Raises:
            SettingsError: the file cannot be read, or is no journal.
        """
        self.path = path
        """The file."""
        self.entries: list[dict[str, Any]] = []
        """The entries, oldest first."""
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
