"""Read games from PGN."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from latrones_uci.game import quoted

RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "*"})
MOST_LINE_CHARACTERS = 2**20
MOST_GAME_CHARACTERS = 16 * 2**20

_TAG = re.compile(r'\[\s*([A-Za-z0-9_]+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_ESCAPED = re.compile(r"\\(.)")
_WORD = re.compile(r"[^\s{}()\[\];]+")
_NUMBER = re.compile(r"[0-9]+\.+|[1-9][0-9]*$", re.ASCII)
_GLYPH = re.compile(r"\$[0-9]+", re.ASCII)


class PgnError(ValueError):
    """The text is not PGN; the message is one line with the line number, and quotes the error."""


@dataclass
class PgnMove:
    """A move as written in the text; it is not checked for legality.

    Attributes:
        text: the move.
        line: line number, from 1.
        comment: its comments, joined by single spaces.
    """

    text: str
    line: int
    comment: str = ""


@dataclass
class PgnGame:
    """A game as written in the text.

    Attributes:
        line: number of its first line, from 1.
        tags: tags in the order of the text; ``tag`` finds one in any case.
        moves: moves in the order of the text; move numbers are ignored.
        result: the token that ends the moves.
    """

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[PgnMove] = field(default_factory=list)
    result: str = ""

    def tag(self, name: str) -> str | None:
        """Return the value of a tag, None if there is none. Some programs write the names in lower case."""
        lowered = name.lower()
        return next((value for own, value in self.tags.items() if own.lower() == lowered), None)


def read_file(path: str | Path) -> Iterator[PgnGame]:
    """Read the games of a file one by one; at most one game is held in memory.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: the file is not UTF-8.
        PgnError: see ``read_games``; or a line has more than 2**20 characters.
    """
    with open(path, encoding="utf-8") as file:
        yield from read_games(_bounded_lines(file))


def _bounded_lines(file: TextIO) -> Iterator[str]:
    number = 0
    while line := file.readline(MOST_LINE_CHARACTERS + 1):
        number += 1
        if len(line) > MOST_LINE_CHARACTERS:
            raise PgnError(f"line {number}: longer than {MOST_LINE_CHARACTERS} characters: {quoted(line)}")
        yield line


def read_games(lines: Iterable[str]) -> Iterator[PgnGame]:
    """Read games one by one.

    Comments before the first move, ``;`` comments, ``%`` lines and glyphs such as ``$1`` are skipped.

    Raises:
        PgnError: (while iterating) the text is not PGN, has a variation in parentheses (not supported), or has a game
            of more than 2**24 characters.
    """
    return _Reader().read(lines)


class _Reader:
    def __init__(self) -> None:
        self._game: PgnGame | None = None
        self._line = 0
        self._characters = 0  # in the lines since the end of the last game
        self._comment: list[str] | None = None
        self._comment_line = 0
        self._pending_comment: list[str] = []  # of the last move, not stored yet

    def read(self, lines: Iterable[str]) -> Iterator[PgnGame]:
        for text in lines:
            self._line += 1
            self._characters += len(text)
            if self._characters > MOST_GAME_CHARACTERS:
                raise PgnError(f"line {self._line}: the game is longer than {MOST_GAME_CHARACTERS} characters")
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
                raise self._error("variations are not supported", text[index:].strip())
            else:
                raise self._error("unexpected text", text[index:].strip())

    def _read_comment(self, text: str, index: int) -> int:
        assert self._comment is not None
        end = text.find("}", index)
        self._comment.extend(text[index : end if end >= 0 else len(text)].split())
        if end < 0:
            return len(text)
        if self._game is not None and self._game.moves:
            self._pending_comment += self._comment
        self._comment = None
        return end + 1

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
            game.result = word
            self._game, self._characters = None, 0
            return game
        text = _NUMBER.sub("", word, count=1) if _NUMBER.match(word) else word
        if text and not _GLYPH.fullmatch(text):
            self._current_game().moves.append(PgnMove(text, self._line))
        return None

    def _current_game(self) -> PgnGame:
        if self._game is None:
            self._game = PgnGame(self._line)
        if self._pending_comment:
            self._game.moves[-1].comment = " ".join(self._pending_comment)
            self._pending_comment = []
        return self._game

    def _error(self, what: str, token: str) -> PgnError:
        return PgnError(f"line {self._line}: {what}: {quoted(token)}")

    @staticmethod
    def _last_token(game: PgnGame) -> str:
        return game.moves[-1].text if game.moves else next(reversed(game.tags), "")
