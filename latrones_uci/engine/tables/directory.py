"""A directory of tables: find the tables of a game and board, and probe positions."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from latrones_uci.engine.tables.file import SUFFIX, Header, TableFile, read_manifest
from latrones_uci.engine.tables.material import (
    NoTablesError,
    Split,
    TablesError,
    check_possible,
    code_width,
    limit_outcome,
    rules_digest,
    split_of,
    splits_of,
)
from latrones_uci.engine.tables.numbering import Numbering, least_size
from latrones_uci.game import PackedMove, Position
from latrones_uci.game.encoding import Board
from latrones_uci.game.rules import Rules
from latrones_uci.text.messages import quoted, reason

_NO_LIMIT = 1 << 30


@dataclass(frozen=True)
class TableValue:
    """The value of a position for the player to move, with perfect play under the no-capture limit."""

    outcome: int
    """1 won, 0 drawn, -1 lost."""
    plies: int
    """Plies to the next capture or to the end of the game, with the fastest win and the longest defence; 0 for a draw.
    """
    by_limit: bool = False
    """The game is won or lost by the no-capture limit itself, after ``plies`` plies."""

    @property
    def for_opponent(self) -> "TableValue":
        """The same value for the other player, who made the move that led to it."""
        return TableValue(-self.outcome, self.plies, self.by_limit)


class Tables:
    """The tables of a game on a board in a directory.

    Example:
        >>> from latrones_uci import Position, Tables
        >>> tables = Tables("tables", Position.start("latrones"))  # doctest: +SKIP
        >>> tables.probe(Position.from_fen("latrones", FEN))  # doctest: +SKIP
        TableValue(outcome=1, plies=13, by_limit=False)
    """

    def __init__(self, directory: str | Path, like: Position) -> None:
        """Find the tables for the game and board of a position, and compare their checksums.

        Raises:
            TablesError: the directory cannot be read, has no tables for this game and board, or a file is damaged.
        """
        self.directory = Path(directory)
        """The directory."""
        self._rules = like.rules
        self._base = like.geometry.base
        self._limit = like.ruleset.nocapture_limit
        self.files = _open_matching(self.directory, like)
        """The files."""
        self._halves: dict[Split, tuple[TableFile, int, Numbering, int]] = {}
        for file in self.files:
            for half, split in enumerate(file.header.split.halves):
                size, binds = file.header.sizes[half], like.ruleset.capture_effect == "bind"
                # The first condition bounds the cost of the numbering by the size of the file.
                if size < least_size(like.geometry, split, binds) or (
                    numbering := Numbering(like.geometry, split, binds)
                ).size != size:
                    raise TablesError(f"{quoted(str(file.path))}: {size} codes do not fit {split} on"
                                      f" {like.geometry.name}; delete the file and make it again with"
                                      " 'latrones-uci tables'")
                self._halves[split] = (file, half, numbering, limit_outcome(like.ruleset, split))
        self.most_men = max(split.men for split in self._halves)
        """The largest number of pieces in a table."""
        splits = splits_of(like.ruleset, like.geometry.files, like.geometry.ranks, self.most_men)
        self.final_men = min((split.men for split in splits), default=0)
        """The number of pieces with which every capture ends the game, so that the plies of a value are all that are
        left in the game; it is the least with which the game goes on."""

    @property
    def code_bytes(self) -> int:
        """The size of all codes in memory, uncompressed."""
        return sum(file.header.code_bytes for file in self.files)

    def close(self) -> None:
        """Free what has been read; no file stays open, and a later probe reads again."""
        for file in self.files:
            file.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __str__(self) -> str:
        """Return the number of tables, their game, board and size on one line."""
        name = f"{self._rules.ruleset.name} {self._rules.geometry.name}"
        return f"{len(self.files)} of {name}, up to {self.most_men} men, {-(-self.code_bytes // 2**20)} MB"

    def probe(self, position: Position) -> TableValue | None:
        """Return the value of a position at its no-capture counter; None if it is in no table or the game is over.

        Raises:
            TablesError: a file has been damaged since it was checked.
        """
        if position.rules.ruleset != self._rules.ruleset or position.geometry.name != self._rules.geometry.name:
            return None
        return None if position.outcome() is not None else self.value(position.board)

    def value(self, board: Board) -> TableValue | None:
        """Return the value of an undecided board below the no-capture limit; None if it is in no table.

        Raises:
            TablesError: a file has been damaged since it was checked.
        """
        own, opp, _, _, _, _, nocapture, _, hand = board
        if hand or ((own | opp) & self._base).bit_count() > self.most_men:
            return None
        half = self._halves.get(split_of(board, self._base))
        if half is None:
            return None
        file, number_of_half, numbering, limit_result = half
        number = numbering.number(board)
        rest = self._limit - nocapture if self._limit else _NO_LIMIT

        def attained(plane: int) -> TableValue | None:
            code = file.code(number_of_half, plane, number)
            plies = (code - 1) // 2
            return TableValue(1 if code & 1 else -1, plies) if code and plies <= rest else None

        if (won := attained(1 if limit_result else 0)) is not None:
            return won
        if not limit_result or attained(0) is not None:
            return TableValue(0, 0)
        return TableValue(limit_result, rest, by_limit=True)


def plies_to_end(tables: Tables, rules: Rules, board: Board, value: TableValue) -> int | None:
    """Return the plies to the end of the game for a won or lost board with this value; None if unknown."""
    is_final = ((board[0] | board[1]) & rules.geometry.base).bit_count() == tables.final_men
    return value.plies if is_final and value.outcome and not value.by_limit else None


def value_after(tables: Tables, rules: Rules, board: Board, move: PackedMove) -> TableValue | None:
    """Return the value of a legal move for the player who makes it, ignoring repetition; None if unknown.

    The plies count from the position before the move to the next capture, and are 0 for a draw.
    """
    child = rules.play(board, move)
    if decided := rules.decided(child):
        return TableValue(-decided, 1)
    limit = rules.ruleset.nocapture_limit
    if limit and child[6] >= limit:
        outcome = -rules.ending(rules.ruleset.nocapture_result, child)
        return TableValue(outcome, 1 if outcome else 0, by_limit=True)
    if not rules.can_move(child):
        outcome = -rules.ending(rules.ruleset.no_move, child)
        return TableValue(outcome, 2 if outcome else 0)
    value = tables.value(child)
    if value is None:
        return None
    plies = 0 if not value.outcome else 1 if not child[6] else value.plies + 1
    return TableValue(-value.outcome, plies, value.by_limit)


def table_headers(directory: Path) -> Iterable[tuple[Path, Header]]:
    """Yield the tables in a directory with their headers, sorted by name.

    Raises:
        TablesError: the directory cannot be read, or a file is not a table.
    """
    try:
        paths = sorted(path for path in directory.iterdir() if path.suffix == SUFFIX and not path.name.startswith("."))
    except OSError as error:
        raise TablesError(f"{quoted(str(directory))}: {reason(error)}; expected a directory of tables") from None
    for path in paths:
        yield path, TableFile(path, check=False).header


def matches(header: Header, like: Position) -> bool:
    """Return whether a table is for the rules and the board of a position."""
    size = (like.geometry.files, like.geometry.ranks)
    return (header.files, header.ranks) == size and header.rules == rules_digest(like.ruleset)


def _open_matching(directory: Path, like: Position) -> list[TableFile]:
    check_possible(like.ruleset)
    found = list(table_headers(directory))
    wanted = f"{like.ruleset.name} {like.geometry.name}"
    chosen: dict[Split, Path] = {}  # games with the same rules may both have a table
    for path, header in found:
        if matches(header, like) and (header.split not in chosen or path.name.startswith(f"{like.ruleset.name}-")):
            chosen[header.split] = path
    if not chosen:
        others = sorted({path.stem.rpartition("-")[0] for path, _ in found})
        more = " and others" if len(others) > 5 else ""
        has = f"it has tables of {', '.join(others[:5])}{more}" if others else "it has none"
        same_board = any((header.files, header.ranks) == (like.geometry.files, like.geometry.ranks)
                         and path.name.startswith(f"{like.ruleset.name}-") for path, header in found)
        why = ", made with other rules under this name" if same_board else ""
        raise NoTablesError(f"{quoted(str(directory))}: no tables of {wanted}; {has}{why}")
    sums = read_manifest(directory)
    files = []
    for path in chosen.values():
        file = TableFile(path)
        if sums.get(path.name, file.sha256) != file.sha256:
            raise TablesError(f"{quoted(str(path))}: the checksum differs from the one in SHA256SUMS; delete the file"
                              " and make it again with 'latrones-uci tables'")
        halves = len(file.header.split.halves)
        shape = (code_width(like.ruleset), 2 if limit_outcome(like.ruleset, file.header.split) else 1, halves)
        if (file.header.width, file.header.planes, len(file.header.sizes)) != shape:
            raise TablesError(f"{quoted(str(path))}: the header does not fit the rules of {like.ruleset.name}")
        files.append(file)
    return files
