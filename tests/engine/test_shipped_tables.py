"""The tables in the package: which there are, when they are used, and how exact results are reported."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import release
from engine.listener import Listener
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.engine.tables import Tables, find
from latrones_uci.engine.tables.find import NEAR_MEN, SHIPPED, TableChoice
from latrones_uci.game import Position, builtin_variants
from latrones_uci.game.encoding import men_of
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import Score, SearchInfo

WON = "8/8/8/2S5/8/D7/d7/s7 w 0 1"  # by force, in three moves; a search of depth 1 does not see it
DRAWN = "8/3s4/3d4/8/8/3D4/4S3/8 w 0 1"


def search(session: Session, listener: Listener, fen: str, depth: int = 1) -> SearchInfo:
    session.set_position(fen, [])
    return listener.search(session, depth=depth)[1][-1]


def test_all_core_games_have_tables_of_four_men_on_their_board() -> None:
    assert {*release.TABLE_GAMES} == {*builtin_variants()} - {"rota"}
    for game in release.TABLE_GAMES:
        with Tables(SHIPPED, Position.start(game)) as tables:
            assert tables.most_men == int(release.TABLE_MEN)
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 3 * 2**20
    release.check_tables(SHIPPED, SHIPPED)


def test_the_release_compares_checksums(tmp_path: Path) -> None:
    made = tmp_path / "made"
    shutil.copytree(SHIPPED, made)
    (made / "bell-8x7-SvS.ltb").write_bytes(b"")
    with pytest.raises(release.ReleaseError, match="its files differ from its SHA256SUMS"):
        release.check_tables(SHIPPED, made)
    sums = made / "SHA256SUMS"
    sums.write_text(sums.read_text(encoding="utf-8").replace("a", "b", 1), encoding="utf-8")
    with pytest.raises(release.ReleaseError, match=r"bell-8x7-DSSvD\.ltb differ"):
        release.check_tables(made, SHIPPED)


def test_the_number_of_men_that_decides() -> None:
    """It is that of the games in which a capture always ends the game."""
    finals = {game: Tables(SHIPPED, Position.start(game)).final_men for game in release.TABLE_GAMES}
    assert finals.pop("bell") == 2
    assert {*finals.values()} == {4}


def test_results_are_exact_without_an_option(session: Session, listener: Listener) -> None:
    session.set_option("UCI_ShowWDL", "true")
    won, drawn = (search(session, listener, fen) for fen in (WON, DRAWN))
    assert (won.score, won.wdl) == (Score(mate=3), (1000, 0, 0))
    assert (drawn.score, drawn.wdl) == (Score(cp=0), (0, 1000, 0))
    assert won.tbhits
    assert listener.notes() == [], "as for a net that nobody named"
    session.set_option("UCI_ShowWDL", "false")
    assert search(session, listener, WON).wdl is None
    session.set_option("TablePath", "OFF")
    assert session.option_value("TablePath") == "off"
    assert search(session, listener, WON) != won
    assert search(session, listener, WON).tbhits is None
    session.set_option("TablePath", "")
    assert search(session, listener, WON).score == won.score


def test_wins_below_the_root_are_proven(session: Session, listener: Listener) -> None:
    """With five men, one capture before the tables."""
    session.set_option("UCI_Variant", "petteia-xxi")
    found = search(session, listener, "8/8/8/5S2/S2s4/6S1/6s1/8 w 0 1", depth=2)
    assert found.tbhits
    assert found.score == Score(mate=5), "longer than the search is deep"
    shortest = search(session, listener, "8/8/8/5S2/S2s4/6S1/6s1/8 w 0 1", depth=6).score
    session.set_option("TablePath", "off")
    assert search(session, listener, "8/8/8/5S2/S2s4/6S1/6s1/8 w 0 1", depth=6).score == shortest == Score(mate=3)


def test_a_folder_replaces_the_tables_of_the_package(session: Session, listener: Listener, tmp_path: Path) -> None:
    for path in SHIPPED.glob("bell-*"):
        shutil.copy(path, tmp_path)
    session.set_option("TablePath", str(tmp_path))
    assert "no tables of latrones 8x8; it has tables of bell-8x7" in listener.notes()[0]
    assert search(session, listener, WON).tbhits is None


def test_off_is_no_folder(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SHIPPED, tmp_path / "off")
    session.set_option("TablePath", "off")
    assert session.option_value("TablePath") == "off"
    session.set_option("TablePath", "./off")
    assert session.option_value("TablePath") == "./off"
    with pytest.raises(OptionError, match="option TablePath: 'of': no folder with tables; expected .*, or 'off'"):
        session.set_option("TablePath", "of")


def test_positions_with_many_men_do_without() -> None:
    choice = TableChoice("")
    start = Position.start("latrones", "8x8")
    assert men_of(start.board, start.geometry) == 18
    assert not choice.is_used(start)
    placing = Position.start("bell")
    assert men_of(placing.board, placing.geometry) == 34, "those in hand count"
    near = Position.from_fen("latrones", f"ssssss2/3d4/8/8/8/8/4D3/{'S' * (NEAR_MEN - 8)}4 w 0 1")
    assert choice.is_used(near)
    assert not TableChoice("off").is_used(near)
    assert TableChoice(str(SHIPPED)).is_used(start)


def test_a_damaged_installation_plays_without(
    session: Session, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "SHIPPED", tmp_path)
    (tmp_path / "latrones-8x8-DSvDS.ltb").write_bytes(b"damaged")
    session.set_position(WON, [])
    assert [note.partition(":")[0] for note in listener.notes()] == ["no tables used"]
    assert search(session, listener, DRAWN).tbhits is None


def test_the_tables_of_one_game_are_not_used_in_another(session: Session, listener: Listener) -> None:
    """The start of the second game has too many men to look for its tables."""
    assert search(session, listener, WON).tbhits
    session.set_option("UCI_Variant", "latrunculi-xxi")
    session.go(Limits(nodes=2000), now_ns())
    session.wait()
    assert all(info.tbhits is None for info in listener.take_all(SearchInfo)[-1:])
