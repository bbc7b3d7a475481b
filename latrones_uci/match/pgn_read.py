"""Read games from PGN."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TextIO

from latrones_uci.client.time_control import NS_PER_S
from latrones_uci.game import Move, Position, quoted
from latrones_uci.game.algebraic import split_algebraic
from latrones_uci.game.errors import wrong_type
from latrones_uci.match.files import is_database
from latrones_uci.protocol import Score, SearchInfo

RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "*"})
MAX_LINE_CHARACTERS = 2**20
MAX_GAME_CHARACTERS = 16 * 2**20

_TAG = re.compile(r'\[\s*([A-Za-z0-9_]+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_ESCAPED = re.compile(r"\\(.)")
_WORD = re.compile(r"(?:[^\s{}()\[\];]|\(\+\))+")  # (+) is a sign of moves, not a variation
_NUMBER = re.compile(r"[0-9]+\.+|[1-9][0-9]*$", re.ASCII)
_GLYPH = re.compile(r"\$[0-9]+", re.ASCII)
_SUFFIX = re.compile(r"(?<=[^!?])[!?]{1,2}$")
SEARCH = (r"(?:(?P<points>[+-][0-9]{1,6}\.[0-9]{2})|(?P<sign>[+-])M(?P<mate>[0-9]{1,4}))?(?:/(?P<depth>[0-9]{1,4}))? ?"
          r"(?P<seconds>[0-9]{1,9}\.[0-9]{3})s(?: n=(?P<nodes>[0-9]{1,18}))?")  # fmt: skip
"""A search as ``pgn_write.render_search`` writes it, as a regular expression."""
_SEARCH = re.compile(SEARCH + "(?:; *|$)", re.ASCII)
_SQUARE = "[a-p][0-9]{1,2}"
_MARK = re.compile(rf"(?P<colour>[GRYB]?)(?P<origin>{_SQUARE})(?P<target>(?:{_SQUARE})?)", re.ASCII)
_MARKS = re.compile(r"\[%c[as]l ([^\[\]]*)\] ?", re.ASCII)
GLYPHS = {"$1": "!", "$2": "?", "$3": "!!", "$4": "??", "$5": "!?", "$6": "?!"}
"""The signs for the quality of a move, by their numbers in the PGN standard."""
_GLYPH_OF = {sign: glyph for glyph, sign in GLYPHS.items()}
DEEPEST_VARIATION = 100


class PgnError(ValueError):
    """The text is not PGN; the message is one line with the line number, and quotes the error."""


@dataclass
class PgnMove:
    """A move as written in the text; it is not checked for legality."""

    text: str
    """The move as the protocols write it (``d2d5``), also if the text has it in the notation for people."""
    line: int = field(default=0, compare=False)
    """Line number, from 1; 0 for a move that was not read."""
    comment: str = ""
    """Its comments, joined by single spaces."""
    glyphs: list[str] = field(default_factory=list)
    """Numeric annotation glyphs such as ``$4``; ``?`` and the like after a move are read as glyphs."""
    variations: list[list["PgnMove"]] = field(default_factory=list)
    """The lines that were written as alternatives to this move."""
    written: str = field(default="", compare=False)
    """The move in the notation for people, such as ``Dd2-d5xd6``, if the text has it; its captures are checked, too."""

    @property
    def sign(self) -> str:
        """The sign for the quality of the move, such as ``?``; empty for none."""
        return next((GLYPHS[glyph] for glyph in self.glyphs if glyph in GLYPHS), "")

    def move_in(self, position: Position) -> Move:
        """Return the move in the position before it.

        Raises:
            LatronesError: it is malformed or not legal, or does not capture what ``written`` names.
        """
        said = split_algebraic(self.written)
        is_said = said is not None and said.move == self.text
        return position.parse_algebraic(self.written) if is_said else position.parse_move(self.text)


@dataclass
class PgnGame:
    """A game as written in the text."""

    line: int
    """Number of its first line, from 1."""
    tags: dict[str, str] = field(default_factory=dict)
    """Tags in the order of the text; ``tag`` finds one in any case."""
    moves: list[PgnMove] = field(default_factory=list)
    """Moves in the order of the text; move numbers are ignored."""
    result: str = ""
    """The token that ends the moves."""
    comment: str = ""
    """The comments before the first move, joined by single spaces."""

    def tag(self, name: str) -> str | None:
        """Return the value of a tag, None if there is none."""
        return find_tag(self.tags, name)


def find_tag(tags: Mapping[str, str], name: str) -> str | None:
    """Return the value of a tag, None if there is none. Some programs write the names in lower case."""
    lowered = name.lower()
    return next((value for own, value in tags.items() if own.lower() == lowered), None)


class DistinctGames:
    """Recognises games that occur again: in a copy of a file, or in a match's database and its PGN file.

    Two games are one if tags and moves agree. If both have the tag ``MatchId``, it must agree, too. Without it, equal
    games in one file are different games: deterministic engines repeat themselves.
    """

    def __init__(self) -> None:
        """Start without games."""
        self.duplicates = 0
        """The number of games that occurred before."""
        self._known: set[tuple[bytes, str]] = set()
        self._unnamed: Counter[bytes] = Counter()  # games without the tag, which have not been recognised yet
        self._counts: Counter[bytes] = Counter()
        self._counts_of_file: Counter[bytes] = Counter()

    def begin_file(self) -> None:
        """Begin another file."""
        self._counts_of_file.clear()

    def add(self, tags: Mapping[str, str], moves: Iterable[str], result: str) -> bool:
        """Add a game, and return whether it is a new one."""
        values = {name.lower(): value for name, value in tags.items()}
        key, match_id = self._key(values, moves, result), values.get("matchid", "")
        if not match_id:
            self._counts_of_file[key] += 1
            new = self._counts_of_file[key] > self._counts[key]
            self._unnamed[key] += new
        elif new := (key, match_id) not in self._known:
            self._known.add((key, match_id))
            self._counts_of_file[key] += 1
            if self._unnamed[key]:
                self._unnamed[key] -= 1
                new = False
        self._counts[key] += new
        self.duplicates += not new
        return new

    @staticmethod
    def _key(values: Mapping[str, str], moves: Iterable[str], result: str) -> bytes:
        number = values.get("round", "").rpartition(".")[2]
        of_tags = (values.get(name, "") for name in ("date", "white", "black", "variant", "fen"))
        text = "\0".join([*of_tags, number, result, *moves])
        return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=16).digest()


def read_file(path: str | Path) -> Iterator[PgnGame]:
    """Read the games of a file one by one; at most one game is held in memory.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: the file is not UTF-8.
        PgnError: see ``read_games``; or a line has more than 2**20 characters, or the file is a database.
    """
    if is_database(path):
        raise PgnError(f"a database, not PGN; 'latrones-uci pgn {path}' prints the games of a match")
    with open(path, encoding="utf-8") as file:
        yield from read_open_file(file)


def read_open_file(file: TextIO) -> Iterator[PgnGame]:
    """Read the games of a text file that is open; see ``read_file``."""
    return read_games(_bounded_lines(file))


def _bounded_lines(file: TextIO) -> Iterator[str]:
    number = 0
    while line := file.readline(MAX_LINE_CHARACTERS + 1):
        number += 1
        if not isinstance(line, str):
            raise wrong_type("file", file, "one that is open as text")
        if len(line) > MAX_LINE_CHARACTERS:
            raise PgnError(f"line {number}: longer than {MAX_LINE_CHARACTERS} characters: {quoted(line)}")
        yield line


def read_games(lines: Iterable[str], first_line: int = 1) -> Iterator[PgnGame]:
    """Read games one by one; ``first_line`` is the number of the first line.

    Variations in parentheses are alternatives to the move before them. Comments before the tags or the first move of a
    variation, ``;`` comments and ``%`` lines are skipped.

    Raises:
        PgnError: (while iterating) the text is not PGN, has variations nested deeper than ``DEEPEST_VARIATION``, or has
            a game of more than 2**24 characters.
    """
    return _Reader(first_line).read(lines)


@dataclass
class _Line:
    """A line that is being read: the moves of the game, or a variation; and the comments since its last move."""

    moves: list[PgnMove]
    begins: int
    comment: list[str] = field(default_factory=list)

    def close_comment(self, game: PgnGame) -> None:
        """Store the comments of the last move, or those before the first move of the game."""
        if self.moves and self.comment:
            self.moves[-1].comment = " ".join(self.comment)
        elif self.moves is game.moves and self.comment:
            game.comment = " ".join(self.comment)
        self.comment = []


def parse_search(comment: str) -> tuple[SearchInfo, int, str]:
    """Read the search at the beginning of a comment, in the format of ``pgn_write.render_search``.

    Returns:
        The search and its time in nanoseconds, without values if the comment does not begin with one; and the rest.
    """
    found = _SEARCH.match(comment)
    if found is None:
        return SearchInfo(), 0, comment
    points, mate, depth, nodes = (found[name] for name in ("points", "mate", "depth", "nodes"))
    score = Score(cp=None if points is None else round(100 * float(points)),
                  mate=None if mate is None else int(found["sign"] + mate))
    info = SearchInfo(score=score, depth=None if depth is None else int(depth),
                      nodes=None if nodes is None else int(nodes))
    return info, round(float(found["seconds"]) * NS_PER_S), comment[found.end() :]


class Mark(NamedTuple):
    """An arrow or a marked square in a comment on a move."""

    colour: str
    """``G`` green, ``R`` red, ``Y`` yellow or ``B`` blue."""
    squares: str
    """A square such as ``b3``, or the two of an arrow, such as ``a1a2``."""

    @property
    def is_arrow(self) -> bool:
        """Whether it is an arrow."""
        return sum(character.isalpha() for character in self.squares) == 2

    def __str__(self) -> str:
        """Return the mark as it is written in PGN, such as ``Ga1a2``."""
        return self.colour + self.squares


def parse_mark(text: str) -> Mark | None:
    """Return the mark that a text such as ``Ga1a2`` or ``b3`` stands for, by default a yellow one; None for others."""
    found = _MARK.fullmatch(text)
    if found is None or found["origin"] == found["target"]:
        return None
    return Mark(found["colour"] or "Y", found["origin"] + found["target"])


def parse_marks(comment: str) -> tuple[tuple[Mark, ...], str]:
    """Return the marks in a comment, ``[%cal Ga1a2,Rb1b2]`` and ``[%csl Yb3]``, and the rest of it.

    Square brackets with anything that is not a mark stay in the comment.
    """
    marks = list[Mark]()

    def take(found: re.Match[str]) -> str:
        read = [parse_mark(text.strip()) for text in found[1].split(",")]
        marks.extend(mark for mark in read if mark is not None)
        return found[0] if None in read else ""

    rest = _MARKS.sub(take, comment)
    return tuple(dict.fromkeys(marks)), rest.strip()


class _Reader:
    def __init__(self, first_line: int) -> None:
        self._game: PgnGame | None = None
        self._line = first_line - 1
        self._characters = 0  # in the lines since the end of the last game
        self._comment: list[str] | None = None
        self._comment_line = 0
        self._open: list[_Line] = []  # the moves of the game, and the variations that have not ended

    def read(self, lines: Iterable[str]) -> Iterator[PgnGame]:
        for text in lines:
            self._line += 1
            self._characters += len(text)
            if self._characters > MAX_GAME_CHARACTERS:
                raise PgnError(f"line {self._line}: the game is longer than {MAX_GAME_CHARACTERS} characters")
            if self._comment is not None or not text.startswith("%"):
                yield from self._read_line(text.removeprefix("\ufeff"))
        if self._comment is not None:
            self._line = self._comment_line
            raise self._error("unterminated comment", "{" + " ".join(self._comment))
        if self._game is not None:
            raise self._error("missing result at the end of the text, after", self._last_token(self._game))

    def _read_line(self, text: str) -> Iterator[PgnGame]:
        index = 0
        while index < len(text):
            character = text[index]
            if self._comment is not None:
                index = self._read_comment(text, index)
            elif character.isspace():
                index += 1
            elif character == ";":
                return
            elif character == "{":
                self._comment, self._comment_line = [], self._line
                index += 1
            elif character == "[":
                index = self._read_tag(text, index)
            elif word := _WORD.match(text, index):
                index = word.end()
                if (ended := self._read_word(word[0])) is not None:
                    yield ended
            elif character == "(":
                self._begin_variation(text[index:].strip())
                index += 1
            elif character == ")" and len(self._open) > 1 and self._open[-1].moves:
                self._open.pop().close_comment(self._current_game())
                index += 1
            else:
                raise self._error("unexpected text", text[index:].strip())

    def _read_comment(self, text: str, index: int) -> int:
        assert self._comment is not None
        end = text.find("}", index)
        self._comment.extend(text[index : end if end >= 0 else len(text)].split())
        if end < 0:
            return len(text)
        if self._open:
            self._open[-1].comment += self._comment
        self._comment = None
        return end + 1

    def _begin_variation(self, text: str) -> None:
        if not self._open or not self._open[-1].moves:
            raise self._error("variation without a move before it", text)
        if len(self._open) > DEEPEST_VARIATION:
            raise self._error(f"variations nested deeper than {DEEPEST_VARIATION}", text)
        variation: list[PgnMove] = []
        self._open[-1].moves[-1].variations.append(variation)
        self._open.append(_Line(variation, self._line))

    def _read_tag(self, text: str, index: int) -> int:
        match = _TAG.match(text, index)
        if match is None:
            raise self._error("malformed tag", text[index:].strip())
        game = self._current_game()
        if game.moves:
            raise self._error("missing result before a tag", match[0])
        if game.tag(match[1]) is not None:
            raise self._error("duplicate tag", match[0])
        game.tags[match[1]] = _ESCAPED.sub(r"\1", match[2])
        return match.end()

    def _read_word(self, word: str) -> PgnGame | None:
        if word in RESULTS:
            game = self._current_game()
            if len(self._open) > 1:
                self._line = self._open[-1].begins
                raise self._error("unterminated variation before", word)
            self._open.pop().close_comment(game)
            game.result = word
            self._game, self._characters = None, 0
            return game
        text = _NUMBER.sub("", word, count=1) if _NUMBER.match(word) else word
        if _GLYPH.fullmatch(text):
            if self._open and self._open[-1].moves:
                self._open[-1].moves[-1].glyphs.append(text)
        elif text:
            self._add_move(text)
        return None

    def _add_move(self, text: str) -> None:
        game = self._current_game()
        line, suffix = self._open[-1], _SUFFIX.search(text)
        line.close_comment(game)
        written = text if suffix is None else text[: suffix.start()]
        said = None if written.isalnum() else split_algebraic(written)
        move = PgnMove(written, self._line) if said is None else PgnMove(said.move, self._line, written=written)
        if suffix is not None:
            move.glyphs.append(_GLYPH_OF[suffix[0]])
        line.moves.append(move)

    def _current_game(self) -> PgnGame:
        if self._game is None:
            self._game = PgnGame(self._line)
            self._open = [_Line(self._game.moves, self._line)]
        return self._game

    def _error(self, what: str, token: str) -> PgnError:
        return PgnError(f"line {self._line}: {what}: {quoted(token)}")

    @staticmethod
    def _last_token(game: PgnGame) -> str:
        return game.moves[-1].text if game.moves else next(reversed(game.tags), "")
