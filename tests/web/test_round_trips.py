"""PGN with the habits of five other programs comes out of the API and of the page as it came in.

All games are ours. A habit that is not written again as it was is stated beside its game, as a pattern and what takes
its place; nothing else differs, except where lines are broken.
"""

from __future__ import annotations

import io
import re

import pytest

from latrones_uci import read_pgn, write_pgn
from latrones_uci.web.board.registry import GameRegistry

NUMBER_AFTER_COMMENT = (r"(?<=\}) \d+\.\.\. ", " ")
SPACES_IN_BRACES = (r"(?<=\{) | (?=\})", "")
SPACES_IN_PARENTHESES = (r"(?<=\() | (?=\))", "")
NO_SPACE_AFTER_NUMBER = (r"(?<=\d\.)(?=[a-z])", " ")

HABITS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "lichess": ('''\
[Event "Rated blitz game"]
[Site "https://lichess.org/AbCdEfGh"]
[Date "2024.05.31"]
[White "anna"]
[Black "otto"]
[Result "1-0"]
[GameId "AbCdEfGh"]
[UTCDate "2024.05.31"]
[UTCTime "20:09:12"]
[WhiteElo "1801"]
[BlackElo "1799"]
[WhiteRatingDiff "+6"]
[Variant "latrones"]
[TimeControl "300+3"]
[ECO "?"]
[Opening "?"]
[Termination "Normal"]
[Annotator "lichess.org"]

1. d1d5 { [%eval 0.17] [%clk 0:05:00] } 1... e8e4?! { (0.17 → 0.82) Inaccuracy. h8h6 was best. } { [%eval 0.82] \
[%clk 0:05:00] } (1... h8h6 2. a1a3) 2. a1a3 { [%clk 0:04:57] } 1-0

''', [SPACES_IN_BRACES, NUMBER_AFTER_COMMENT, (r"\?!", " $6"), (r"\} \{", " ")]),
    "ChessBase": ('''\
[Event "Köln op"]
[Site "Köln"]
[Date "2024.??.??"]
[Round "3.1"]
[White "Müller, Anna"]
[Black "Otto"]
[Result "0-1"]
[WhiteElo "2400"]
[Annotator "Müller,A"]
[PlyCount "4"]
[EventDate "2024.05.??"]
[EventType "open"]
[SourceVersionDate "2024.06.01"]
[Variant "latrones"]

{A long comment before the first move, which says what the game is about.} 1.
d1d5 $1 {[%cal Gd1d5,Re8e4][%csl Gd5] (with tempo)} (1. d1d4 $6 e8e5 $14) ({
Also possible is} 1. a1a3 {, see} (1. a1a2) 1... h8h6) 1... e8e4 $146 2. a1a3
{a} h8h6 $19 0-1

''', [(r"\{ Also", "{Also")]),
    "chess.com": ('''\
[Event "Live Chess"]
[Site "Chess.com"]
[Date "2024.05.31"]
[Round "-"]
[White "anna"]
[Black "otto"]
[Result "1-0"]
[CurrentPosition "ssss1s2/3d4/6ss/3S4/4s3/SS6/4D3/2S1SSSS w 6 4"]
[Timezone "UTC"]
[ECOUrl "https://www.chess.com/openings/None"]
[UTCDate "2024.05.31"]
[UTCTime "20:09:12"]
[WhiteElo "812"]
[BlackElo "790"]
[TimeControl "300"]
[Termination "anna won by resignation"]
[StartTime "20:09:12"]
[EndTime "20:15:01"]
[Link "https://www.chess.com/game/live/1"]
[Variant "latrones"]

1. d1d5 {[%clk 0:04:59.9]} 1... e8e4 {[%clk 0:04:58]} 2. a1a3 {[%clk 0:04:51.2]} 1-0

''', [NUMBER_AFTER_COMMENT]),
    "cutechess": ('''\
[Event "My match"]
[Site "?"]
[Date "2024.05.31"]
[Round "1"]
[White "A 1.0"]
[Black "B"]
[Result "1/2-1/2"]
[Variant "latrones"]
[GameDuration "00:00:41"]
[GameEndTime "2024-05-31T20:15:01.123 CEST"]
[PlyCount "4"]
[Termination "adjudication"]
[TimeControl "40/60+0.1"]
[White-Time:spent "20 s"]

1. d1d5 {book} e8e4 {book} 2. a1a3 {+0.35/6 0.10s} h8h6
{-M3/9 0.12s, Draw by adjudication} 1/2-1/2

''', []),
    "ChessTempo": ('''\
[Event "study"]
[CTGameId "12345"]
[Result "*"]
[Variant "latrones"]

{[%evp 0,3,17,-5,30]} 1.d1d5 $5 ({The main line} 1.d1d4 {solid} ({or} 1.d1d3)
1... e8e5) 1... e8e4 ({[%cal Rh8h6] first} 1... h8h6) ({and} 1... a8a6 2.a1a3)
2.a1a3 *

''', [NO_SPACE_AFTER_NUMBER]),
}


def words(text: str) -> str:
    """Return a game with its tags as they are, and its moves in one line."""
    tags, _, moves = text.partition("\n\n")
    return f"{tags}\n\n{' '.join(moves.split())}"


@pytest.fixture(params=HABITS)
def habit(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Return a game, and how it is written again."""
    text, differences = HABITS[request.param]
    tags, _, moves = text.partition("\n\n")
    moves = " ".join(moves.split())
    for pattern, replacement in differences:
        moves = re.sub(pattern, replacement, moves)
    return text, f"{tags}\n\n{moves}"


def test_through_the_api(habit: tuple[str, str]) -> None:
    text, expected = habit
    read, written = list(read_pgn(io.StringIO(text))), io.StringIO()
    write_pgn(written, read)
    assert words(written.getvalue()) == expected
    assert list(read_pgn(io.StringIO(written.getvalue()))) == read


def test_through_the_page(habit: tuple[str, str], games: GameRegistry) -> None:
    text, expected = habit
    # On the page, an alternative to the first move of a variation is another variation.
    expected = re.sub(r" (\((?:\{[^}]*\} )?1\. \w+\)) 1\.\.\. (\w+)\)", r" \2) \1", expected)
    record = games.import_games(text).games[0].record
    assert words("".join(games.export_games([record]))) == expected
    assert games.import_games(text.replace("\n", "\r\n")).again == 1


def test_what_this_program_has_written_is_kept_to_the_byte(games: GameRegistry) -> None:
    for name in ("cutechess", "chess.com"):
        once, again = io.StringIO(), io.StringIO()
        write_pgn(once, read_pgn(io.StringIO(HABITS[name][0])))
        write_pgn(again, read_pgn(io.StringIO(once.getvalue())))
        assert again.getvalue() == once.getvalue()
        record = games.import_games(once.getvalue()).games[0].record
        assert "".join(games.export_games([record])) == once.getvalue()
