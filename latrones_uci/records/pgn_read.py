"""Read games from PGN, and cut files into games: by the parser, and here only."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TextIO

from latrones_uci.client.time_control import NS_PER_S
from latrones_uci.game import Move, Position
from latrones_uci.game.algebraic import split_algebraic
from latrones_uci.text.files import is_database
from latrones_uci.text.messages import is_utf8, quoted, wrong_type
from latrones_uci.text.protocol import Score, SearchInfo

RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "*"})
MAX_LINE_CHARACTERS = 2**20
MAX_GAME_CHARACTERS = 16 * 2**20

TAG_NAME = r"[A-Za-z0-9_][A-Za-z0-9_+#=:.-]*"
"""The name of a tag, as a regular expression. The standard has letters, digits and ``_``; other programs write more."""
_TAG = re.compile(rf'\[\s*({TAG_NAME})\s*"((?:[^"\\]|\\.)*)"\s*\]')
_UNESCAPED_TAG = re.compile(rf'\[\s*({TAG_NAME})\s*"(.*)"\s*\]\s*$')
_ESCAPED = re.compile(r'\\(["\\])')
_WORD = re.compile(r"\*|\$[0-9]+|(?:[^\s{}()\[\];$]|\(\+\))+", re.ASCII)  # (+) is a sign of moves, not a variation
_NUMBER = re.compile(r"[0-9]+\.+|[1-9][0-9]*$", re.ASCII)
_GLYPH = re.compile(r"\$[0-9]+", re.ASCII)
SEARCH = (r"(?:(?P<points>[+-][0-9]{1,6}\.[0-9]{2})|(?P<sign>[+-])M(?P<mate>[0-9]{1,4}))?(?:/(?P<depth>[0-9]{1,4}))? ?"
          r"(?P<seconds>[0-9]{1,9}\.[0-9]{3})s(?: n=(?P<nodes>[0-9]{1,18}))?")
"""A search as ``pgn_write.render_search`` writes it, as a regular expression."""
_SEARCH = re.compile(SEARCH + "(?:; *|$)", re.ASCII)
_SQUARE = "[a-p][0-9]{1,2}"
_MARK = re.compile(rf"(?P<colour>[GRYB]?)(?P<origin>{_SQUARE})(?P<target>(?:{_SQUARE})?)", re.ASCII)
_MARKS = re.compile(r"(?P<name>\[%c[as]l )([^\[\]]*)\] ?", re.ASCII)
GLYPHS = {"$1": "!", "$2": "?", "$3": "!!", "$4": "??", "$5": "!?", "$6": "?!"}
"""The signs for the quality of a move, by their numbers in the PGN standard."""
GLYPH_OF = {sign: glyph for glyph, sign in GLYPHS.items()} | {
    "=": "$10", "\u221e": "$13", "+=": "$14", "+/=": "$14", "\u2a72": "$14", "=+": "$15", "=/+": "$15", "\u2a71": "$15",
    "+/-": "$16", "\u00b1": "$16", "-/+": "$17", "\u2213": "$17", "+-": "$18", "-+": "$19"}
"""The numbers of these signs, and of those for the position."""
_SUFFIX = re.compile(r"(?:(?<=[^!?])[!?]{1,2}|\+/?=|=/?\+|\+/?-|-/?\+|[\u221e\u2a72\u2a71\u00b1\u2213])$")
_NULL_MOVES = frozenset({"--", "Z0", "@@@@", "0000", "null"})
DEEPEST_VARIATION = 100


class PgnError(ValueError):
    """A text is not PGN, or a game contradicts the rules; the message is one line and quotes the place.

    Attributes:
        game: the number of the game in its file, from 1; 0 if the error is not in a game of a file.
        line: the number of the line, from 1; 0 if it is not known.
    """

    def __init__(self, what: str, game: int = 0, line: int = 0) -> None:
        """Put the place before what is wrong: ``game 2, line 9: ...``."""
        where = ", ".join(f"{name} {number}" for name, number in (("game", game), ("line", line)) if number)
        super().__init__(f"{where}: {what}" if where else what)
        self.game, self.line = game, line


@dataclass
class PgnMove:
    """A move as written in the text; it is not checked for legality. Each is one move of one game."""

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
    starting_comment: str = ""
    """The comment before it, if it is the first move of a variation."""
    side: int = field(default=0, compare=False, repr=False)
    """The player, 0 White, 1 Black, in a game that was replayed."""
    movenumber: int = field(default=0, compare=False, repr=False)
    """The move number of the position before it, likewise."""

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
    number: int = 0
    """Its number in the text, from 1; 0 for a game that was not read."""

    def tag(self, name: str) -> str | None:
        """Return the value of a tag, None if there is none."""
        return find_tag(self.tags, name)

    def add_result(self) -> None:
        """Add the tag ``Result`` if it is missing: the result after the moves says enough."""
        if self.tag("Result") is None:
            self.tags["Result"] = self.result


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


def read_file(file: str | Path | TextIO) -> Iterator[PgnGame | PgnError]:
    """Read the games of a file, given by its path or open, one by one; at most one game is held in memory.

    Raises:
        OSError: the file cannot be read.
        PgnError: the file is a database.
    """
    if not isinstance(file, str | Path):
        yield from read_games(_bounded_lines(file))
        return
    if is_database(file):
        raise PgnError(f"a database, not PGN; 'latrones-uci pgn {file}' prints the games of a match")
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        yield from read_games(_bounded_lines(opened))


def _bounded_lines(file: TextIO) -> Iterator[str]:
    """Yield the lines; of a line that is too long, only the beginning.

    The file ends in a line of more than ``MAX_GAME_CHARACTERS``: it may be one without an end, such as ``/dev/zero``.
    """
    skipped = 0  # characters of a line that is too long
    while skipped <= MAX_GAME_CHARACTERS and (line := file.readline(MAX_LINE_CHARACTERS + 1)):
        if not isinstance(line, str):
            raise wrong_type("file", file, "one that is open as text")
        if not skipped:
            yield line
        skipped = 0 if line.endswith("\n") else skipped + len(line)


def read_games(lines: Iterable[str], first_line: int = 1) -> Iterator[PgnGame | PgnError]:
    """Read games one by one; ``first_line`` is the number of the first line. See ``PgnReader``."""
    reader = PgnReader(first_line)
    for line in lines:
        yield from reader.read(line)
    yield from reader.end()


@dataclass
class _Line:
    """A line that is being read: the moves of the game, or a variation; and the comments since its last move."""

    moves: list[PgnMove]
    begins: int
    is_prose: bool = False
    """Whether its moves cannot be played, because it has a null move; they become a comment."""
    comment: list[str] = field(default_factory=list)

    def close_comment(self, game: PgnGame) -> str:
        """Store the comments of the last move, or those before the first move of the game; return any others."""
        text, self.comment = " ".join(self.comment), []
        if self.moves:
            self.moves[-1].comment = text
        elif self.moves is game.moves:
            game.comment = text
        else:
            return text
        return ""


class PgnReader:
    """Reads PGN line by line, and cuts it into games.

    A game ends at its result. A ``PgnError`` takes the place of a game that is malformed, has variations nested deeper
    than ``DEEPEST_VARIATION``, more than 2**24 characters or a line of more than 2**20. After such a game, the next one
    begins at the first tag on a line of its own, or after a result at the end of a line.

    Variations in parentheses are alternatives to the move before them. A variation without moves, or from a null move
    (``--``) on, is read as a comment. Comments outside games, ``;`` comments and ``%`` lines are skipped.
    """

    def __init__(self, first_line: int = 1) -> None:
        """Begin a text; ``first_line`` is the number of its first line."""
        self._line = first_line - 1
        self._count = 0
        self._game: PgnGame | None = None
        self._fault: PgnError | None = None  # of the game that is being read
        self._characters = 0  # in the lines since the end of the last game
        self._comment: list[str] | None = None
        self._comment_line = 0
        self._open: list[_Line] = []  # the moves of the game, and the variations that have not ended
        self._last_line = ""
        self._aside: list[str] = []  # the lines of a comment from what looks like the first tag of another game

    def read(self, line: str) -> Iterator[PgnGame | PgnError]:
        """Read the next line, and yield the games that end there."""
        waiting = [line]
        while waiting:
            text = waiting.pop()
            self._line += 1
            if self._leaves_comment(text):
                waiting += reversed(self._aside)
                yield self._end_in_comment()
                continue
            if self._comment is not None or not text.startswith("%"):
                yield from self._read_line(text.removeprefix("\ufeff"))
            self._last_line = text

    def end(self) -> Iterator[PgnGame | PgnError]:
        """End the text, and yield the games that end there."""
        while self._comment is not None and self._aside:
            lines = self._aside
            yield self._end_in_comment()
            for line in lines:
                yield from self.read(line)
        if self._comment is not None:
            yield self._end_in_comment()
        if self._game is not None:
            last = self._game.moves[-1].text if self._game.moves else next(reversed(self._game.tags), "")
            self._fault = self._fault or self._error("missing result at the end of the text, after", last)
            yield self._end_game()

    def _leaves_comment(self, text: str) -> bool:
        """Return whether a line shows that a comment was not closed and that its last lines are those of another game.

        A comment may have lines like tags. But with a blank line before the tag and a brace that opens after it, or if
        it does not end, they are the tags of the next game.
        """
        if self._comment is None or not self._aside and (self._last_line.strip() or not _TAG.match(text)):
            return False
        self._aside.append(text)
        opened, closed = text.find("{"), text.find("}")
        return opened >= 0 and not 0 <= closed < opened or self._characters > MAX_GAME_CHARACTERS

    def _end_in_comment(self) -> PgnGame | PgnError:
        """End a game that has a comment without end; ``read`` goes on with the lines that were set aside."""
        self._line -= len(self._aside)
        text = "{" + " ".join(self._comment or ())
        self._fault = self._fault or self._error("unterminated comment", text, self._comment_line)
        self._comment, self._aside, self._last_line = None, [], ""
        return self._end_game()

    def _end_game(self) -> PgnGame | PgnError:
        game, fault = self._current_game(), self._fault
        self._game = self._fault = None
        self._characters, self._open = 0, []
        return fault or game

    def _read_line(self, text: str) -> Iterator[PgnGame | PgnError]:
        self._characters += len(text)
        if self._fault is None and (what := self._excess(text)):
            self._fault = PgnError(what, self._current_game().number, self._line)
        if len(text) > MAX_LINE_CHARACTERS:
            return
        index = 0
        while index < len(text):
            try:
                index, ended = self._read_token(text, index)
            except PgnError as error:
                self._fault, self._open = error, []  # the text is read from here as that of a game with a fault
            else:
                if ended:
                    yield self._end_game()

    def _excess(self, text: str) -> str:
        """Return why a line cannot be read at all; empty if it can."""
        if len(text) > MAX_LINE_CHARACTERS:
            return f"longer than {MAX_LINE_CHARACTERS} characters: {quoted(text)}"
        if self._characters > MAX_GAME_CHARACTERS:
            return f"the game is longer than {MAX_GAME_CHARACTERS} characters"
        if is_utf8(text):
            return ""
        invalid = next(character for character in text if not is_utf8(character))
        return f"not UTF-8: invalid byte 0x{ord(invalid) & 0xFF:02x}"  # see the error handler "surrogateescape"

    def _read_token(self, text: str, index: int) -> tuple[int, bool]:
        """Read a token, and return the index after it, and whether the game has ended.

        Raises:
            PgnError: it is not PGN.
        """
        character = text[index]
        if self._comment is not None:
            return self._read_comment(text, index), False
        if character.isspace():
            return index + 1, False
        if character == ";":
            return len(text), False
        if character == "{":
            self._comment, self._comment_line = [], self._line
        elif self._fault is not None:
            return self._skip_token(text, index)
        elif character == "[":
            return self._read_tag(text, index), False
        elif word := _WORD.match(text, index):
            return self._read_word(word[0], index)
        elif character == "(":
            self._begin_variation(text[index:].strip())
        elif character == ")" and len(self._open) > 1:
            self._end_variation()
        else:
            raise self._error("unexpected text", text[index:].strip())
        return index + 1, False

    def _skip_token(self, text: str, index: int) -> tuple[int, bool]:
        """Skip a token of a game with a fault; see ``_read_token``."""
        if (tag := _TAG.match(text, index)) and not text[:index].strip():
            last = self._last_line.strip()
            is_next = not (last.startswith("[") and last.endswith("]"))  # otherwise a tag of the same game
            return index if is_next else tag.end(), is_next
        word = _WORD.match(text, index)
        if word is None:
            return index + 1, False
        return word.end(), word[0] in RESULTS and not text[word.end() :].strip()

    def _read_comment(self, text: str, index: int) -> int:
        assert self._comment is not None
        end = text.find("}", index)
        if self._fault is None:
            self._comment.extend(text[index : end if end >= 0 else len(text)].split())
        if end < 0:
            return len(text)
        if self._open:
            self._open[-1].comment += self._comment
        self._comment, self._aside = None, []
        return end + 1

    def _begin_variation(self, text: str) -> None:
        if not self._open or not (self._open[-1].moves or self._open[-1].is_prose):
            raise self._error("variation without a move before it", text)
        if len(self._open) > DEEPEST_VARIATION:
            raise self._error(f"variations nested deeper than {DEEPEST_VARIATION}", text)
        variation, outer = _Line([], self._line, self._open[-1].is_prose), self._open[-1]
        if not outer.is_prose:
            outer.moves[-1].variations.append(variation.moves)
        self._open.append(variation)

    def _end_variation(self) -> None:
        variation = self._open.pop()
        outer, comment = self._open[-1], variation.close_comment(self._current_game())
        if not variation.moves:
            if not outer.is_prose:
                outer.moves[-1].variations.pop()
            outer.comment += [f"({comment})" if variation.is_prose else comment] if comment else []

    def _read_tag(self, text: str, index: int) -> int:
        match = _TAG.match(text, index) or _UNESCAPED_TAG.match(text, index)
        if match is None:
            raise self._error("malformed tag", text[index:].strip())
        game = self._current_game()
        if game.moves:
            raise self._error("missing result before a tag", match[0])
        if game.tag(match[1]) is not None:
            raise self._error("duplicate tag", match[0])
        game.tags[match[1]] = _ESCAPED.sub(r"\1", match[2])
        return match.end()

    def _read_word(self, word: str, index: int) -> tuple[int, bool]:
        if len(word) > 1 and word.endswith("*") and (word[:-1].isalnum() or split_algebraic(word) is None):
            word = word[:-1]  # the result, without a space before it
        index += len(word)
        if word in RESULTS:
            game = self._current_game()
            if len(self._open) > 1:
                raise self._error("unterminated variation before", word, self._open[-1].begins)
            self._open[-1].close_comment(game)
            game.result = word
            return index, True
        inner = self._open[-1] if self._open else None
        text = _NUMBER.sub("", word, count=1) if _NUMBER.match(word) else word
        if inner is not None and (inner.is_prose or len(self._open) > 1 and text in _NULL_MOVES):
            inner.comment.append(word if inner.is_prose else text)
            inner.is_prose = True
        elif glyph := GLYPH_OF.get(text, text if text.startswith("$") else ""):
            if inner is not None and inner.moves:
                inner.moves[-1].glyphs.append(glyph)
        elif text:
            self._add_move(text)
        return index, False

    def _add_move(self, text: str) -> None:
        game, glyphs = self._current_game(), list[str]()
        while (suffix := _SUFFIX.search(text)) and suffix.start():
            glyphs.insert(0, GLYPH_OF[suffix[0]])
            text = text[: suffix.start()]
        line = self._open[-1]
        comment = line.close_comment(game)
        said = None if text.isalnum() else split_algebraic(text)
        move = PgnMove(text, self._line) if said is None else PgnMove(said.move, self._line, written=text)
        move.glyphs, move.starting_comment = glyphs, comment
        line.moves.append(move)

    def _current_game(self) -> PgnGame:
        if self._game is None:
            self._count += 1
            self._game = PgnGame(self._line, number=self._count)
            self._open = [_Line(self._game.moves, self._line)]
        return self._game

    def _error(self, what: str, token: str, line: int = 0) -> PgnError:
        return PgnError(f"{what}: {quoted(token)}", self._current_game().number, line or self._line)


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

    What is not a mark stays in the comment, in square brackets.
    """
    marks = list[Mark]()

    def take(found: re.Match[str]) -> str:
        read = {text.strip(): parse_mark(text.strip()) for text in found[2].split(",")}
        marks.extend(mark for mark in read.values() if mark is not None)
        others = ",".join(text for text, mark in read.items() if mark is None)
        return f"{found['name']}{others}] " if others else ""

    rest = _MARKS.sub(take, comment)
    return tuple(dict.fromkeys(marks)), rest.strip()


