"""Openings, the positions from which games start: random or listed, in a reproducible order.

Lists are read from files: lines with a FEN or moves, games in PGN, and the books that the package contains.
"""

import os
import random
import re
import stat
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import count, pairwise
from typing import TypeVar, overload

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Game, LatronesError, Position, builtin_variants, canonical_key, random_game
from latrones_uci.records.pgn_read import PgnError, PgnGame, read_file
from latrones_uci.records.pgn_verify import LeftOut
from latrones_uci.records.settings import AUTO, BookSettings, Order
from latrones_uci.text.files import MAX_BYTES, OnReading, read_text_file, report_nothing
from latrones_uci.text.messages import counted, quoted, reason

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class RandomOpenings:
    plies: int
    """The number of moves."""
    score: tuple[int, int] | None = None
    """The scores of either side, in centi-soldiers, that the opening screen accepts; None for those of its settings."""


@dataclass(frozen=True)
class ListedOpenings:
    """A list of positions to use in turn; not empty, and no game over."""

    positions: Sequence[Position]
    """The positions."""
    lines: Sequence[tuple[str, ...] | None] = ()
    """For each position the texts of the moves from the start position, None if unknown; empty if all are unknown."""
    order: Order = "sequential"
    """See ``BookSettings``."""
    start: int = 1
    """See ``BookSettings``; at most the number of positions."""
    duplicates: int = 0
    """The number of positions with the pieces and the side to move of another one before them."""
    left_out: tuple[str, ...] = ()
    """Lines about bad games of the file, which are left out."""


Openings = RandomOpenings | ListedOpenings


@dataclass(frozen=True)
class Opening:
    position: Position
    """The position."""
    moves: tuple[str, ...] | None = None
    """The texts of the moves from the start position, None if unknown."""


ATTEMPTS = 1000
"""The number of random openings in a row after which no other is expected to be found."""


class NoOpeningError(SettingsError):
    pass


"""The sequence ends after this number of random games in a row without a new opening."""


def opening_sequence(
    start: Position,
    openings: Openings,
    seed: int,
    accepts: Callable[[Position], bool] | None = None,
    known: Sequence[Opening] = (),
) -> Iterator[Opening]:
    """Return an iterator over distinct openings; the same arguments give the same sequence.

    Listed openings come in their ``order``, from their ``start``. Random openings are distinct up to symmetry and
    exchange of colours (see ``canonical_key``); the sequence ends when no new opening is found in 1000 attempts.

    Args:
        start: the start position of the variant.
        openings: the source of the openings.
        seed: random seed.
        accepts: test of random positions; those that it rejects are skipped. It is called once per position, when the
            opening is needed. None accepts all.
        known: the first openings of the same sequence, found earlier; their moves may be unknown. They come first
            again, with their moves, and no position up to the last of them is tested again.

    Raises:
        SettingsError: (while iterating) there is no opening, or ``known`` belongs to another sequence.
    """
    if isinstance(openings, ListedOpenings):
        order = _in_order(range(len(openings.positions)), openings, seed)
        lines = openings.lines
        return (Opening(openings.positions[at], lines[at] if lines else None) for at in order)
    return _random_openings(start, openings, random.Random(seed), accepts, known)


def _in_order(items: Sequence[_Item], openings: ListedOpenings, seed: int) -> list[_Item]:
    ordered = list(items)
    if openings.order == "random":
        random.Random(f"openings:{seed}").shuffle(ordered)
    return ordered[openings.start - 1 :] + ordered[: openings.start - 1]


_MAX_COUNTED = 3000


def count_random_openings(start: Position, plies: int) -> int | None:
    """Return the number of openings that random plies can reach, distinct up to symmetry; None if there are many.

    At most 3000 positions are visited, in a fraction of a second.
    """
    level = {canonical_key(start): start}
    visited = 0
    for _ in range(plies):
        following: dict[str, Position] = {}
        for position in level.values():
            for _, after in position.children():
                visited += 1
                if after.outcome() is None:
                    following.setdefault(canonical_key(after), after)
            if visited > _MAX_COUNTED:
                return None
        if following.keys() == level.keys():  # further plies change nothing
            break
        level = following
    return len(level)


def render_shortage(openings: int, pairs: int) -> str:
    """Render the warning that there are fewer openings than pairs of games: ``only 12 openings for 50 pairs``."""
    return f"only {counted(openings, 'opening')} for {pairs} pairs"


def _random_openings(
    start: Position,
    openings: RandomOpenings,
    chooser: random.Random,
    accepts: Callable[[Position], bool] | None,
    known: Sequence[Opening],
) -> Iterator[Opening]:
    seen: set[str] = set()
    found = attempts = 0
    while attempts < (ATTEMPTS if openings.plies else 1):
        attempts += 1
        game = random_game(start, openings.plies, chooser)
        if game.outcome() is not None or (key := canonical_key(game.position)) in seen:
            continue
        seen.add(key)
        position = game.position
        if found < len(known):  # one that was stored has lost its game, which a position may remember
            accepted = position.fen() == known[found].position.fen()
        else:
            accepted = accepts is None or accepts(position)
        if accepted:
            yield Opening(position, game.moves)
            found += 1
            attempts = 0
    if found < len(known):
        fen = known[found].position.fen()
        raise SettingsError(f"stored opening {found + 1}, '{fen}', does not belong to these settings")
    if not found:
        what = "leaves the game unfinished" if accepts is None else "leaves the game unfinished and passes the screen"
        raise NoOpeningError(f"no opening of {openings.plies} random plies found that {what}")


# ---------------------------------------------------------------- lists of openings in files

_AUTO = {"latrones": RandomOpenings(8, (200, 300)), "bell": RandomOpenings(28, (0, 80))}
"""For variants on their default boards, those that decided more matches than the others (docs/lab/openings.md)."""
_AUTO_ELSEWHERE = RandomOpenings(6, (0, 150))

BOOK = "book"
"""The name of the openings that the package contains for the variant."""

_FILE = "file:"
_RANDOM = "random:"
_MAX_PLIES = 1000
_COUNT = re.compile(r"[0-9]{1,4}", re.ASCII)
_EXPECTED = f"expected 'random:PLIES' with 0 to {_MAX_PLIES} plies, '{AUTO}', '{BOOK}', or a file"
_DEFAULT = BookSettings()
_LINES_PER_REPORT = 100


def parse_openings(
    text: str, start: Position, book: BookSettings = _DEFAULT, report: OnReading = report_nothing
) -> Openings:
    """Parse ``random:PLIES`` or ``auto``, or read a list of openings: ``book``, ``file:PATH`` or ``PATH``.

    ``auto`` are the random openings, with their range of scores, that tell engines of the variant apart. ``book`` is
    the list that the package contains for a built-in variant on its default board. A file is recognised by its contents
    as PGN (see ``_pgn_openings``) or as lines (see ``_line_openings``). ``start`` is the start position of the variant;
    ``report`` is called while a file is read.

    Raises:
        SettingsError: the text is malformed, has more than 1000 plies, names a file that cannot be read or has an
            error, or is not a list although ``book`` has settings.
    """
    if text.startswith(_RANDOM) or not text:
        return _parse_random(text, book)
    if text == AUTO:
        _check_no_list(text, book)
        return _AUTO.get(start.ruleset.name, _AUTO_ELSEWHERE) if has_book(start) else _AUTO_ELSEWHERE
    if text == BOOK:
        with _builtin_book(start).open("rb") as file:
            lines = file.read(MAX_BYTES).decode("utf-8")
        found = _line_openings(lines, f"the book of {start.ruleset.name}", start, book.plies, report)
    else:
        found = _read_once(_path_of(text), start, book.plies, report)
    if book.start > len(found.positions):
        raise SettingsError(f"openings {quoted(text)}: start={book.start} is after the last opening;"
                            f" expected 1 to {len(found.positions)}")
    return replace(found, order=book.order, start=book.start)


def is_random(text: str) -> bool:
    return text == AUTO or text.startswith(_RANDOM)


def _parse_random(text: str, book: BookSettings) -> RandomOpenings:
    count = text.removeprefix(_RANDOM)
    if not _COUNT.fullmatch(count) or int(count) > _MAX_PLIES:
        raise SettingsError(f"openings {quoted(text)}: {_EXPECTED}")
    _check_no_list(text, book)
    return RandomOpenings(int(count))


def _check_no_list(text: str, book: BookSettings) -> None:
    if book != _DEFAULT:
        raise SettingsError(f"openings {quoted(text)}: plies=, order= and start= need a file or '{BOOK}'")


def _path_of(text: str) -> str:
    if text.startswith(_FILE):
        return text.removeprefix(_FILE)
    try:
        os.stat(text)
    except (OSError, ValueError) as error:
        raise SettingsError(f"openings {quoted(text)}: {reason(error)}; {_EXPECTED}") from error
    return text


def name_of_file(text: str) -> str:
    bare = text not in (AUTO, BOOK) and not text.startswith((_FILE, _RANDOM)) and os.path.exists(text)
    return f"{_FILE}{text}" if bare else text


def has_book(start: Position) -> bool:
    ruleset, size = start.ruleset, (start.geometry.files, start.geometry.ranks)
    return size == ruleset.default_size and builtin_variants().get(ruleset.name) == ruleset


def _builtin_book(start: Position) -> Traversable:
    ruleset = start.ruleset
    if not has_book(start):
        where = f"{ruleset.name} {start.geometry.name}"
        own = " ".join(("latrones-uci book --variant", f"{ruleset.name}:{start.geometry.name}"))
        raise SettingsError(f"openings '{BOOK}': none for {where}, only for the built-in games on their default boards;"
                            f" expected 'random:PLIES', or a file that '{own}' has made")
    return resources.files("latrones_uci").joinpath("openings", f"{ruleset.name}.fen")


_SNIFFED_BYTES = 64 * 1024
_PGN_BEGINNING = re.compile(r"\ufeff?(?:\s|[;%].*\n)*+(?:[\[{]|[0-9]+\s*\.)")


def is_pgn(text: str) -> bool:
    """Return whether the beginning of a file is PGN: a tag, a comment in braces, or a move number.

    Lines that begin with ``;`` or ``%`` are comments in PGN, and in a list of positions, too. A line with a FEN or
    moves, or with ``#`` before a comment, is no PGN.
    """
    return _PGN_BEGINNING.match(text) is not None


_MAX_KEPT = 4
_kept: dict[tuple[object, ...], ListedOpenings] = {}
"""The files read last: a match reads its openings before it starts, to report errors, and again when it plays."""


def _read_once(path: str, start: Position, plies: int | None, report: OnReading) -> ListedOpenings:
    try:
        found = os.stat(path)
        key = (os.path.abspath(path), found.st_mtime_ns, found.st_size, found.st_ino, start.ruleset, start.fen(), plies)
    except (OSError, ValueError):
        return _read_file(path, start, plies, report)  # which names the error
    if key not in _kept:
        _kept[key] = _read_file(path, start, plies, report)
        for oldest in list(_kept)[:-_MAX_KEPT]:
            del _kept[oldest]
    return _kept[key]


def _read_file(path: str, start: Position, plies: int | None, report: OnReading) -> ListedOpenings:
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("not a regular file")
            beginning = file.read(_SNIFFED_BYTES).decode("utf-8", errors="replace")
        if is_pgn(beginning):
            return _pgn_openings(path, start, plies, report)
        return _line_openings(read_text_file(path), path, start, plies, report)
    except PgnError as error:
        raise SettingsError(f"{path}: {error}") from error
    except SettingsError:
        raise
    except (OSError, ValueError) as error:  # ValueError: the path is invalid, or the file too long or not UTF-8
        raise SettingsError(f"cannot read the openings {quoted(path)}: {reason(error)}") from error


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class _Each(Sequence[_Item]):
    """Items that are made when they are needed."""

    def __init__(self, count: int, make: Callable[[int], _Item]) -> None:
        self._count, self._make = count, make

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_Item, ...]: ...
    def __getitem__(self, index: int | slice) -> _Item | tuple[_Item, ...]:
        places = range(self._count)[index]
        return self._make(places) if isinstance(places, int) else tuple(map(self._make, places))

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def _line_openings(text: str, path: str, start: Position, plies: int | None, report: OnReading) -> ListedOpenings:
    """Parse lines: a FEN, or moves from the start, or both with the word ``moves`` between.

    ``#`` starts a comment, and so does ``;`` or ``%`` at the beginning of a line. Every line is checked, but its
    opening is made again when it is needed: openings take ten times the memory of their text.
    """
    places, keys, end = array("Q"), array("Q"), int(text.startswith("\ufeff"))
    for number in count(1):
        if end >= len(text):
            break
        place, end = end, text.find("\n", end) + 1 or len(text)
        if words := _words(text[place:end]):
            try:
                keys.append(_line_opening(words, start, plies).position.key)
            except LatronesError as error:
                raise SettingsError(f"{path}, line {number}: {error}") from error
            places.append(place)
        if number % _LINES_PER_REPORT == 0:
            report(f"{path}: line {number}, {end / len(text):.0%}")
    if not places:
        raise SettingsError(f"the openings {quoted(path)} are empty; expected at least one line")

    @lru_cache(maxsize=1)  # first its position is asked for, then its moves
    def opening(index: int) -> Opening:
        place = places[index]
        return _line_opening(_words(text[place : text.find("\n", place) + 1 or len(text)]), start, plies)

    duplicates = sum(one == other for one, other in pairwise(sorted(keys)))
    return ListedOpenings(
        _Each(len(places), lambda index: opening(index).position),
        _Each(len(places), lambda index: opening(index).moves),
        duplicates=duplicates,
    )


def _words(line: str) -> list[str]:
    words = line.partition("#")[0].split()
    return [] if words and words[0][0] in ";%" else words


def _line_opening(words: list[str], start: Position, plies: int | None) -> Opening:
    if "moves" in words:
        at = words.index("moves")
        head, moves = words[:at], words[at + 1 :]
    elif "/" in "".join(words) or words == ["startpos"]:
        head, moves = words, []
    else:
        head, moves = [], words
    game = Game(start if head in ([], ["startpos"]) else Position.from_fen(start.ruleset, " ".join(head)))
    for move in moves[:plies]:
        game.push(game.position.parse_move(move))
    if (ending := _ending(game)) is not None:
        raise LatronesError(f"opening {quoted(' '.join(words))}: {ending}")
    if game.position.geometry.name != start.geometry.name:
        board, expected = game.position.geometry.name, start.geometry.name
        raise LatronesError(f"opening {quoted(' '.join(words))}: the board is {board}; expected {expected}")
    return Opening(game.position, tuple(moves[:plies]) if game.start == start else None)


def _ending(game: Game) -> str | None:
    outcome = game.outcome()
    return None if outcome is None else f"the game is over ({outcome.name}, {outcome.reason})"


def _pgn_openings(path: str, start: Position, plies: int | None, report: OnReading) -> ListedOpenings:
    """Read the openings of PGN games: their first plies, from the tag ``FEN`` or else from the start position.

    Games of another variant (by the tag ``Variant``) or on another board are skipped, and so are positions that an
    earlier game has reached, also rotated, mirrored or with colours exchanged, and games that end within ``plies``.
    Games that are malformed or not legal are left out.
    """
    found: dict[str, Opening] = {}
    others: Counter[str] = Counter()
    bad = list[str]()
    ended = 0
    with LeftOut(bad.append) as left_out:
        leave_out = left_out.of(path)
        for number, recorded in enumerate(read_file(path), start=1):
            report(f"{path}: {counted(number, 'game')}")
            if isinstance(recorded, PgnError):
                leave_out(recorded)
                continue
            variant = recorded.tag("Variant") or start.ruleset.name
            if variant != start.ruleset.name:
                others[variant] += 1
                continue
            try:
                game = _replayed(recorded, start, plies)
            except PgnError as error:
                leave_out(error)
                continue
            ending = _ending(game)
            if game.start.geometry.name != start.geometry.name:
                others[f"{variant} {game.start.geometry.name}"] += 1
            elif ending is None:
                moves = tuple(move.text for move in recorded.moves[:plies]) if game.start == start else None
                found.setdefault(canonical_key(game.position), Opening(game.position, moves))
            elif plies is None:
                what = f"{ending}; expected plies=N to cut it before its end"
                raise PgnError(what, number, recorded.line)
            else:
                ended += 1
    if not found:
        counts = [f"{count} of {quoted(name)}" for name, count in others.most_common(5)]
        counts += [f"{ended} that end within {plies} plies"] * (ended > 0)
        if bad and not counts:
            raise SettingsError(bad[0].removesuffix("; left out"))
        where = f"{start.ruleset.name} {start.geometry.name}"
        raise SettingsError(f"the openings {quoted(path)} have no game of {where}; found {', '.join(counts) or 'none'}")
    return ListedOpenings(
        tuple(each.position for each in found.values()), tuple(each.moves for each in found.values()),
        left_out=tuple(bad),
    )


def _replayed(recorded: PgnGame, start: Position, plies: int | None) -> Game:
    line, fen = recorded.line, recorded.tag("FEN")
    try:
        game = Game(start if fen is None else Position.from_fen(start.ruleset, fen))
        for move in recorded.moves[:plies]:
            line = move.line
            game.push(move.move_in(game.position))
    except LatronesError as error:
        raise PgnError(str(error), recorded.number, line) from error
    return game
