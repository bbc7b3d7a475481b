"""PGN for programs: read the games of a file with their comments and variations, and write them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from latrones_uci.game import Game, Position, Ruleset, all_variants
from latrones_uci.records.pgn_read import (
    DEEPEST_VARIATION,
    MAX_GAME_CHARACTERS,
    MAX_LINE_CHARACTERS,
    RESULTS,
    TAG_NAME,
    PgnError,
    PgnGame,
    PgnMove,
    find_tag,
    read_file,
)
from latrones_uci.records.pgn_verify import verify_game
from latrones_uci.records.pgn_write import render_pgn
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import is_utf8, quoted, wrong_type

_TAG_NAME = re.compile(TAG_NAME, re.ASCII)
_GLYPH = re.compile(r"\$[0-9]+", re.ASCII)


@dataclass
class AnnotatedGame:
    """A game with what a PGN file adds to it.

    Example:
        >>> from latrones_uci import AnnotatedGame, Game
        >>> game = Game("latrones")
        >>> game.push("d1d5")
        >>> annotated = AnnotatedGame(game, {"White": "Anna"})
        >>> annotated.moves[0].comment = "to the middle"
        >>> annotated.tags
        {'White': 'Anna', 'Variant': 'latrones', 'Result': '*'}
    """

    game: Game
    """Start and moves."""
    tags: dict[str, str] = field(default_factory=dict)
    """The tags. If they are missing, ``Variant`` and ``Result`` are added, and ``SetUp`` and ``FEN`` for another start
    than the usual one."""
    moves: list[PgnMove] = field(default_factory=list)
    """The moves of the game with comments, glyphs and variations; by default without any."""
    comment: str = ""
    """The comment before the first move."""

    def __post_init__(self) -> None:
        """Add what follows from the game."""
        if not isinstance(self.game, Game):
            raise wrong_type("game", self.game, "a Game")
        if not self.moves:
            self.moves = [PgnMove(text) for text in self.game.moves]
        ruleset = self.game.start.ruleset
        needed = {"Variant": ruleset.name, "Result": self.game.result()}
        if self.game.start != Position.start(ruleset):
            needed |= {"SetUp": "1", "FEN": self.game.start.fen()}
        self.tags = self.tags | {name: value for name, value in needed.items() if find_tag(self.tags, name) is None}

    @property
    def result(self) -> str:
        """The tag ``Result``: of an adjudicated or unfinished game, too."""
        return find_tag(self.tags, "Result") or "*"


def read_pgn(
    file: str | Path | TextIO, variants: Mapping[str, Ruleset] | None = None,
    on_error: Callable[[PgnError], None] | None = None,
) -> Iterator[AnnotatedGame]:
    """Read the games of a PGN file one by one and check them against the rules.

    The games need the tag ``Variant``; see ``verify_game``. At most one game is held in memory. A bad game does not end
    the file: after a ``PgnError``, the next ``next`` returns the next game; in a loop, use ``on_error``.

    Args:
        file: the path of a file, or a text file that is open.
        variants: the known variants, by name, such as those of ``load_variants``; None for the built-in ones.
        on_error: is called with the error of each bad game, which is left out; None to raise it.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: an open file is not UTF-8.
        PgnError: a game is not PGN, or contradicts the rules; the error has the number of the game, and the line.

    Example:
        >>> import io
        >>> from latrones_uci import read_pgn
        >>> text = '[Variant "latrones"] 1. d1d4 * [Variant "latrones"] 1. d1d9 * [Variant "rota"] 1. S@b2 *'
        >>> errors = []
        >>> [game.tags["Variant"] for game in read_pgn(io.StringIO(text), on_error=errors.append)]
        ['latrones', 'rota']
        >>> print(errors[0])
        game 2, line 1: move 'd1d9': d9 is not on the 8x8 board
    """
    if not isinstance(file, str | Path) and not hasattr(file, "readline"):
        raise wrong_type("file", file, "a path or an open text file")
    return _Games(read_file(file), all_variants() if variants is None else variants, on_error)


class _Games(Iterator[AnnotatedGame]):
    """The games of ``read_pgn``. Unlike a generator, it goes on after an error."""

    def __init__(
        self, recorded: Iterator[PgnGame | PgnError], variants: Mapping[str, Ruleset],
        on_error: Callable[[PgnError], None] | None,
    ) -> None:
        self._recorded, self._variants, self._on_error = recorded, variants, on_error

    def __next__(self) -> AnnotatedGame:
        for recorded in self._recorded:
            try:
                if isinstance(recorded, PgnError):
                    raise recorded
                recorded.add_result()
                game = verify_game(recorded, self._variants)
                return AnnotatedGame(game, recorded.tags, recorded.moves, recorded.comment)
            except PgnError as error:
                if self._on_error is None:
                    raise
                self._on_error(error)
        raise StopIteration


def write_pgn(file: str | Path | TextIO, games: Iterable[AnnotatedGame | Game]) -> None:
    """Write games as PGN, so that ``read_pgn`` reads them as they were; in comments, any whitespace becomes one space.

    The text of all games is held in memory until the last one has been checked. For many games, open the file, and call
    ``write_pgn`` with each of them.

    Args:
        file: the path of a file, which is replaced when all games are written, or a text file that is open.
        games: the games. If one of them has an error, nothing is written.

    Raises:
        OSError: the file cannot be written.
        PgnError: the moves, tags or variations of a game contradict it or the rules, or cannot be written as PGN.
    """
    if not isinstance(file, str | Path) and not hasattr(file, "write"):
        raise wrong_type("file", file, "a path or an open text file")
    if isinstance(games, AnnotatedGame | Game):
        raise wrong_type("games", games, "a list of games")
    texts = []
    for number, game in enumerate(games, start=1):
        try:
            texts.append(_render(game if isinstance(game, AnnotatedGame) else AnnotatedGame(game)))
        except PgnError as error:
            raise PgnError(str(error), number) from None
    if isinstance(file, str | Path):
        write_whole(Path(file), "".join(texts))
    else:
        file.write("".join(texts))


def _render(annotated: AnnotatedGame) -> str:
    """Return a game as PGN.

    Raises:
        PgnError: it cannot be written as it is.
    """
    _check_text(annotated)
    game, ruleset = annotated.game, annotated.game.start.ruleset
    recorded = PgnGame(0, annotated.tags, annotated.moves, annotated.result)
    replay = verify_game(recorded, {ruleset.name: ruleset})
    if (replay.start.fen(), replay.moves) != (game.start.fen(), game.moves):
        raise PgnError(f"its tags and moves are not those of {game!r}")
    text = render_pgn(annotated.tags, annotated.moves, annotated.result, annotated.comment)
    if len(text) > MAX_GAME_CHARACTERS or max(map(len, text.split("\n"))) >= MAX_LINE_CHARACTERS:
        raise PgnError(f"longer than {MAX_GAME_CHARACTERS} characters, or a line longer than {MAX_LINE_CHARACTERS}")
    if not is_utf8(text):
        raise PgnError("a tag or comment has a character that cannot be written in UTF-8")
    return text


def _check_text(annotated: AnnotatedGame) -> None:
    """Raise PgnError for tags, comments and variations that PGN cannot express."""
    lowered = set[str]()
    for name, value in annotated.tags.items():
        for text in (name, value):
            if not isinstance(text, str):
                raise wrong_type(f"tag {name}:", text, "a string")
        if not _TAG_NAME.fullmatch(name) or name.lower() in lowered:
            raise PgnError(f"tag {quoted(name)}: expected letters, digits and _+#=:.-, in any case only once")
        if not value.isprintable():
            raise PgnError(f"tag {name} is {quoted(value)}; expected printable characters")
        lowered.add(name.lower())
    if annotated.result not in RESULTS:
        raise PgnError(f"tag Result is {quoted(annotated.result)}; expected {', '.join(sorted(RESULTS))}")
    _check_comment(annotated.comment)
    _check_moves(annotated.moves, 0)


def _check_moves(moves: Sequence[PgnMove], depth: int) -> None:
    if depth > DEEPEST_VARIATION:
        raise PgnError(f"variations nested deeper than {DEEPEST_VARIATION}")
    for place, move in enumerate(moves):
        if not isinstance(move, PgnMove):
            raise wrong_type("move", move, "a PgnMove")
        if not isinstance(move.text, str):
            raise wrong_type("move", move.text, "a Move, or its text such as 'd1d5'")
        _check_comment(move.comment)
        _check_comment(move.starting_comment)
        if move.starting_comment and not (depth and place == 0):
            raise PgnError(f"move {quoted(move.text)}: only the first move of a variation has a starting comment")
        for glyph in move.glyphs:
            if not isinstance(glyph, str):
                raise wrong_type("glyph", glyph, "a string such as '$1'")
            if not _GLYPH.fullmatch(glyph):
                raise PgnError(f"glyph {quoted(glyph)}: expected one such as '$1'")
        for variation in move.variations:
            if not isinstance(variation, list | tuple):
                raise wrong_type("variation", variation, "a list of PgnMove")
            if not variation:
                raise PgnError(f"move {quoted(move.text)}: a variation without moves")
            _check_moves(variation, depth + 1)


def _check_comment(comment: str) -> None:
    if not isinstance(comment, str):
        raise wrong_type("comment", comment, "a string")
    if "}" in comment:
        raise PgnError(f"comment {quoted(comment)}: }} would end it")

