"""Make tables: plan them, compute the missing ones with the compiled core, and write each file when complete."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from latrones_uci.engine.tables.directory import matches
from latrones_uci.engine.tables.file import (
    BLOCK_CODES,
    Counts,
    Header,
    TableFile,
    read_manifest,
    table_path,
    write_manifest,
    write_table,
)
from latrones_uci.engine.tables.material import MAX_MEN, Split, TablesError, limit_outcome, rules_digest, splits_of
from latrones_uci.game import Position
from latrones_uci.text.clock import now_s
from latrones_uci.text.messages import quoted

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import Core

_CANDIDATE_BITS = 2


@dataclass(frozen=True)
class PlannedTable:
    """A file to make."""

    split: Split
    """Its pieces."""
    path: Path
    sizes: tuple[int, ...]
    """The number of codes in a plane of each half."""
    width: int
    """Bytes per code."""
    planes: int
    """Number of planes of each half."""

    @property
    def code_bytes(self) -> int:
        """The memory for the codes."""
        return sum(self.sizes) * self.width * self.planes

    @property
    def work_bytes(self) -> int:
        """The additional memory while the table is computed."""
        return sum(self.sizes) * _CANDIDATE_BITS // 8


@dataclass(frozen=True)
class TablePlan:
    """The files of a run."""

    tables: tuple[PlannedTable, ...]
    """All tables, smaller ones first."""
    missing: tuple[PlannedTable, ...]
    """The tables that do not exist yet or are not valid."""
    invalid: tuple[str, ...]
    """Why existing files are made again."""

    @property
    def needed(self) -> tuple[PlannedTable, ...]:
        """The tables to make or to load, in order: all up to the last missing one."""
        return self.tables[: self.tables.index(self.missing[-1]) + 1] if self.missing else ()

    @property
    def memory_bytes(self) -> int:
        """The memory that the run needs; 0 if no table is missing."""
        peak = total = 0
        for table in self.needed:
            total += table.code_bytes
            peak = max(peak, total + (table.work_bytes if table in self.missing else 0))
        return peak


@dataclass(frozen=True)
class Step:
    """The progress of a run."""

    table: PlannedTable
    """The table being computed."""
    level: int
    """The distance being decided, in plies; 0 while the file is compressed."""
    share: float
    """The share of positions already examined at this level."""
    left_s: float | None
    """Estimated seconds left in the run, None if unknown."""


def plan_tables(core: "Core", like: Position, men: int, directory: Path) -> TablePlan:
    """Return the files of a run; every existing file is checked.

    Raises:
        TablesError: the game has no tables, or the largest ones have too many positions.
    """
    ruleset, geometry = like.ruleset, like.geometry
    if not 1 <= men <= MAX_MEN:
        raise TablesError(f"--men {men}: expected 1 to {MAX_MEN}")
    tables, missing, invalid = [], [], []
    for split in splits_of(ruleset, geometry.files, geometry.ranks, men):
        try:
            shapes = [core.ending_shape(half.numbers) for half in split.halves]
        except ValueError as error:
            raise TablesError(f"{split} on {geometry.name}: {error}; expected fewer men or a smaller board") from None
        _, width, planes = shapes[0]
        path = table_path(directory, ruleset.name, geometry.name, split)
        table = PlannedTable(split, path, tuple(shape[0] for shape in shapes), width, planes)
        tables.append(table)
        if (problem := _problem(table, like)) is not None:
            missing.append(table)
            if problem:
                invalid.append(problem)
    if not tables:
        raise TablesError(f"--men {men}: no position of {ruleset.name} with so few men goes on; expected more")
    return TablePlan(tuple(tables), tuple(missing), tuple(invalid))


def _problem(table: PlannedTable, like: Position) -> str | None:
    """Return None if a file exists and is valid, "" if it does not exist, else what is wrong with it."""
    if not table.path.exists():
        return ""
    try:
        file = TableFile(table.path)
    except TablesError as error:
        return str(error).partition(";")[0]
    header = file.header
    fits = (header.split, header.sizes, header.width, header.planes) == (
        table.split, table.sizes, table.width, table.planes)
    if fits and matches(header, like):
        return None
    return f"{quoted(str(table.path))}: made with other rules"


def make_tables(
    core: "Core", like: Position, plan: TablePlan, threads: int, report: Callable[[Step], bool]
) -> Iterator[tuple[PlannedTable, Header, str, float]]:
    """Make the missing tables, and write each as soon as it is complete.

    Args:
        core: the compiled rules of the game on the board, with no tables loaded.
        like: a position of the game on the board.
        plan: what to make.
        threads: number of threads.
        report: called several times a second; returns whether to go on.

    Yields:
        for each table made: its plan, its header, its SHA-256, and the seconds it took.

    Raises:
        TablesError: an existing file has been damaged since it was planned.
        OSError: a file cannot be written.
        KeyboardInterrupt: ``report`` returned False; the tables yielded so far are complete.
        MemoryError: out of memory.
    """
    begun, done = now_s(), 0
    work = sum(sum(table.sizes) * table.planes for table in plan.missing)
    for table in plan.needed:
        if table not in plan.missing:
            for ending in TableFile(table.path).endings():
                core.load_ending(*ending)
            continue
        started = now_s()
        # Use the speed of the finished tables: within a table, the speed changes from level to level.
        expected = (started - begun) * (work - done) / done if done else None

        def progress(level: int, looked_at: int, total: int, table: PlannedTable = table) -> bool:
            left = 0.0 if expected is None else expected - (now_s() - started)  # noqa: B023
            left_s = left if left > 0 else None
            return report(Step(table, level, looked_at / max(total, 1), left_s))

        if not core.solve_ending(table.split.numbers, threads, progress):
            raise KeyboardInterrupt
        header = header_of(core, like, table)
        digest = write_table(table.path, header, _blocks(core, table, report))
        write_manifest(table.path.parent, read_manifest(table.path.parent) | {table.path.name: digest})
        done += sum(table.sizes) * table.planes
        yield table, header, digest, now_s() - started


def header_of(core: "Core", like: Position, table: PlannedTable) -> Header:
    """Return the header of a table that is in memory."""
    counts = tuple(
        tuple(Counts(*core.ending_counts(half.numbers, plane)) for plane in range(table.planes))
        for half in table.split.halves
    )
    geometry = like.geometry
    return Header(geometry.files, geometry.ranks, table.split, table.width, table.planes, table.sizes,
                  rules_digest(like.ruleset), counts)


def _blocks(core: "Core", table: PlannedTable, report: Callable[[Step], bool]) -> Iterator[bytes]:
    for half, size in zip(table.split.halves, table.sizes, strict=True):
        for plane in range(table.planes):
            for begin in range(0, size, BLOCK_CODES):
                if not report(Step(table, 0, 1.0, None)):
                    raise KeyboardInterrupt
                yield core.ending_codes(half.numbers, plane, begin, min(begin + BLOCK_CODES, size))


def outcome_counts(header: Header, like: Position) -> Sequence[tuple[Split, int, int, int, int]]:
    """Return for each half its split, the numbers of wins, draws and losses of the player to move, and the longest win.

    Positions are counted up to symmetry, with the no-capture counter at 0. The longest win of the player to move is in
    plies to the next capture; 0 if there is no win.
    """
    rows = []
    for split, planes in zip(header.split.halves, header.counts, strict=True):
        result = limit_outcome(like.ruleset, split)
        best = planes[-1]
        if result == 0:
            won, lost = best.mover, best.opponent
        elif result > 0:  # the opponent is the weaker side, and the planes are about its goals
            won, lost = best.positions - planes[0].opponent, best.opponent
        else:
            won, lost = best.mover, best.positions - planes[0].mover
        rows.append((split, won, best.positions - won - lost, lost, best.longest_mover))
    return rows
