"""The values that describe a tournament."""

import atexit
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from latrones_uci.game import (
    LatronesError,
    Position,
    VariantError,
    builtin_variants,
    find_variant,
    parse_board_size,
    parse_variants,
    quoted,
    read_variants,
)
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.openings.screen import ScreenSettings
from latrones_uci.match.records.plan import Format
from latrones_uci.match.settings import EngineSettings, GameLimits, Timeouts
from latrones_uci.stats import Sprt


@dataclass(frozen=True)
class VariantSettings:
    """A game and its board.

    Attributes:
        name: of the game.
        board: such as ``12x8``; empty for the game's own size.
    """

    name: str
    board: str = ""

    def to_text(self) -> str:
        """``latrones`` or ``latrones:12x8``."""
        return f"{self.name}:{self.board}" if self.board else self.name

    @staticmethod
    def from_text(text: str) -> "VariantSettings":
        """Reads what ``to_text`` writes; whether there is such a game is asked by ``start_position``."""
        name, _, board = text.partition(":")
        return VariantSettings(name, board)


@dataclass(frozen=True)
class VariantFile:
    """A file with more games, and what stood in it when the tournament began.

    Attributes:
        path: of the file, absolute.
        text: its contents.
    """

    path: str
    text: str

    def local_path(self) -> str:
        """Where the text stands on this machine: the file itself, or a copy of it where it is not or says otherwise."""
        if self._is_here():
            return self.path
        copy = _folder_of_copies() / f"{sha256(self.text.encode()).hexdigest()[:16]}.toml"
        if not copy.exists():
            copy.write_text(self.text, encoding="utf-8")
        return str(copy)

    def _is_here(self) -> bool:
        try:
            return read_variants(self.path) == self.text
        except VariantError:
            return False


@cache
def _folder_of_copies() -> Path:
    """A folder of this process alone, in which nobody else can have put anything, and which goes with it."""
    folder = tempfile.mkdtemp(prefix="latrones-match-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@dataclass(frozen=True)
class TournamentSettings:
    """A tournament; a match of two engines is the smallest.

    Attributes:
        engines: at least two; of a match and a gauntlet the first is the one in question.
        variants: the games, which take turns.
        variant_file: file with more games, None for none.
        format: who meets whom.
        games: of each pairing; colours are swapped after each, openings change after each two.
        openings: ``random:PLIES`` or ``file:PATH``.
        screen: how random openings are screened, None for not at all.
        seed: of random openings and of the order of the games.
        concurrency: games played at a time.
        limits: what the referee applies beside the rules.
        timeouts: how long engines are waited for.
        sprt: the test that ends a match, None to play all games.
    """

    engines: tuple[EngineSettings, ...]
    variants: tuple[VariantSettings, ...] = (VariantSettings("latrones"),)
    variant_file: VariantFile | None = None
    format: Format = Format.MATCH
    games: int = 2
    openings: str = "random:4"
    screen: ScreenSettings | None = None
    seed: int = 0
    concurrency: int = 1
    limits: GameLimits = field(default_factory=GameLimits)
    timeouts: Timeouts = field(default_factory=Timeouts)
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        """Refuses what cannot be.

        Raises:
            SettingsError: too few engines, or too many; a number below 1; a repeated name or variant.
        """
        if self.format is Format.MATCH and len(self.engines) != 2:
            raise SettingsError(
                f"two engines are needed, each as '--engine cmd=...'; {len(self.engines)} given"
                " (more of them play a round-robin or a gauntlet)"
            )
        if len(self.engines) < 2:
            raise SettingsError(f"at least two engines are needed; {len(self.engines)} given")
        if self.sprt is not None and len(self.engines) != 2:
            raise SettingsError(f"a sequential test is between two engines, not {len(self.engines)}")
        for name, number in (("games", self.games), ("concurrency", self.concurrency)):
            if number < 1:
                raise SettingsError(f"{name}: {number} is not a whole number from 1")
        names = [engine.name for engine in self.engines if engine.name is not None]
        for what, values in (("engine name", names), ("variant", [variant.to_text() for variant in self.variants])):
            for value in values:
                if values.count(value) > 1:
                    raise SettingsError(f"the {what} {quoted(value)} is given twice")
        if not self.variants:
            raise SettingsError("there is no variant to be played")


@lru_cache(maxsize=64)  # every game asks for it, and a file of games would be parsed each time
def start_position(variant: VariantSettings, variant_file: VariantFile | None) -> Position:
    """The start of a game, on its board.

    Raises:
        SettingsError: there is no such game or size, or the file of games has a mistake.
    """
    try:
        known = dict(builtin_variants())
        if variant_file is not None:
            known |= parse_variants(variant_file.text, builtin_variants())
        ruleset = find_variant(variant.name, known)
        size = parse_board_size(variant.board) if variant.board else ruleset.default_size
        ruleset.check_size(*size)
    except LatronesError as error:
        raise SettingsError(str(error)) from error
    return Position.start(ruleset, size)


def processors() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
