"""Searches with endgame tables, with each kernel: they win won endings, keep draws, and report exact scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.listener import Listener
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.session import Session
from latrones_uci.engine.tables import Tables
from latrones_uci.engine.tables.directory import value_after
from latrones_uci.engine.tables.file import MANIFEST
from latrones_uci.engine.types import PROVEN, TABLE_PROVEN, TABLE_WIN
from latrones_uci.game import Game, Position
from latrones_uci.text.protocol import Score, SearchInfo
from tables_help import make

GAME, BOARD = "single-stone-xxi", "5x5"
WON = Position.from_fen(GAME, "s1s2/5/S4/3S1/5 w 0 1")
PLIES = 9  # to the end by the shortest way


@pytest.fixture(scope="module")
def folder(native_core: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "tables"
    make(Position.start(GAME, BOARD), 4, path)
    return path


@pytest.fixture(scope="module")
def tables(folder: Path) -> Tables:
    return Tables(folder, Position.start(GAME, BOARD))


@pytest.fixture
def playing(session: Session, listener: Listener) -> Session:
    session.set_option("UCI_Variant", GAME)
    session.set_option("BoardSize", BOARD)
    listener.take()
    return session


@pytest.fixture
def informed(playing: Session, folder: Path) -> Session:
    playing.set_option("TablePath", str(folder))
    return playing


Search = Callable[..., tuple[str, list[SearchInfo]]]


@pytest.fixture
def search(playing: Session, listener: Listener) -> Search:
    """Return a function that searches a position, with the moves after it, to a depth."""

    def search(start: Position | str, *moves: str, depth: int) -> tuple[str, list[SearchInfo]]:
        playing.set_position(start if isinstance(start, str) else start.fen(), moves)
        move, infos = listener.search(playing, depth=depth)
        assert move is not None
        return move, infos

    return search


def resist(tables: Tables, position: Position) -> str:
    """Return the move of the player to move that loses last, or does not lose."""
    moves = []
    for move in position.legal_moves():
        value = value_after(tables, position.rules, position.board, move.packed)
        assert value is not None
        moves.append((value.outcome, value.plies, move))
    return max(moves)[2]


def played(search: Search, tables: Tables, start: Position) -> Game:
    """Return a game in which the session, as White, searches a ply deep against the best defence."""
    game = Game(start)
    while game.outcome() is None:
        if game.position.side == 0:
            game.push(search(start, *game.moves, depth=1)[0])
        else:
            game.push(resist(tables, game.position))
    return game


@pytest.mark.long
def test_won_endings_are_won(playing: Session, search: Search, folder: Path, tables: Tables) -> None:
    outcome = played(search, tables, WON).outcome()
    assert outcome is not None
    assert outcome.winner != 0, "won without tables, too: the test shows nothing"
    playing.set_option("TablePath", str(folder))
    game = played(search, tables, WON)
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.winner, len(game.moves)) == (0, PLIES - (outcome.termination.value == "nomove"))


@pytest.mark.usefixtures("informed")
def test_a_won_root_is_played_at_once(search: Search) -> None:
    move, infos = search(WON, depth=20)
    assert (len(infos), infos[0].score.mate, infos[0].tbhits) == (1, (PLIES + 1) // 2, len(WON.legal_moves()))
    assert infos[0].pv[0] == move
    game = Game(WON)
    for text in infos[0].pv:
        game.push(text)
    assert game.outcome() is not None, "the line goes to the end"


def test_several_lines_are_ranked(informed: Session, search: Search) -> None:
    informed.set_option("MultiPV", "3")
    _, infos = search(WON, depth=2)
    assert [info.multipv for info in infos] == [1, 2, 3]
    assert [info.score for info in infos] == [Score(mate=(PLIES + 1) // 2), Score(cp=0), Score(cp=0)]


def test_inner_positions_are_probed(informed: Session, search: Search) -> None:
    """With five men there are no tables, but a capture leads to one."""
    fen = "s3s/5/2S2/5/S3S w 0 1"
    assert search(fen, depth=8)[1][-1].tbhits
    informed.set_option("TablePath", "off")
    assert search(fen, depth=4)[1][-1].tbhits is None


def test_scores_of_tables_lie_between_evaluations_and_proven_wins() -> None:
    assert 10_000 < TABLE_PROVEN < TABLE_WIN < PROVEN


@pytest.mark.usefixtures("informed")
def test_the_counter_counts(search: Search) -> None:
    """A win that the limit comes before is a draw, and scored as one."""
    for counter, score in ((100 - PLIES, Score(mate=(PLIES + 1) // 2)), (101 - PLIES, Score(cp=0))):
        assert search(WON.fen().replace(" 0 1", f" {counter} 1"), depth=2)[1][-1].score == score


@pytest.mark.usefixtures("informed")
def test_the_third_occurrence_is_avoided(search: Search) -> None:
    """The quickest move loses if it repeats a position for the third time: single-stone's repeater loses."""
    assert search(WON, depth=1)[0] == "d2d4"
    moves = ["a5b5", "d4d2", "b5a5", "d2d4", "a5b5", "d4d2", "b5a5"]
    assert search(WON.play("d2d4"), *moves, depth=1)[0] != "d2d4"


# ---------------------------------------------------------------- the option


@pytest.mark.long
def test_the_option_tells_what_it_found(informed: Session, listener: Listener) -> None:
    found = f"tables: 1 of {GAME} {BOARD}, up to 4 men, 1 MB"
    assert listener.notes() == [found]
    informed.set_option("BoardSize", "6x6")
    assert "no tables of single-stone-xxi 6x6; it has tables of single-stone-xxi-5x5" in listener.notes()[0]
    informed.set_position("s1s2/5/S4/3S1/5 w 0 1", [])
    assert listener.notes() == [found]
    informed.set_option("UCI_Variant", "rota")
    assert any("solved without tables" in note for note in listener.notes())


def test_damaged_tables_are_not_used(
    playing: Session, listener: Listener, search: Search, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.ltb").write_bytes(b"no table")
    with pytest.raises(OptionError, match="option TablePath: .*not an endgame table"):
        playing.set_option("TablePath", str(tmp_path))
    (tmp_path / "x.ltb").unlink()
    for path in folder.iterdir():
        data = bytearray(path.read_bytes())
        if path.name != MANIFEST:
            data[-40] ^= 1
        (tmp_path / path.name).write_bytes(data)
    listener.take()
    playing.set_option("TablePath", str(tmp_path))
    assert "the checksum does not match" in listener.notes()[0]
    assert search(WON, depth=2)[1][-1].tbhits is None
