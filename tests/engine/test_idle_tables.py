"""Tables made in idle time: when, within which bounds, and which searches use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.listener import Listener
from latrones_uci.engine import idle_tables
from latrones_uci.engine.idle_tables import IdleTableMaker
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.engine.tables import Tables, TablesError, find
from latrones_uci.engine.tables.find import cache_folder
from latrones_uci.game import Position
from latrones_uci.text.clock import now_ns
from latrones_uci.text.files import exclusive_lock
from latrones_uci.text.protocol import BestMove, SearchInfo

pytestmark = pytest.mark.usefixtures("native_core", "cache")
GAME, BOARD = "single-stone-xxi", "5x5"
LIKE = Position.start(GAME, BOARD)
WON = "s1s2/5/S4/3S1/5 w 0 1"
SLOW = Position.start("latrones", "12x8")
"""A position whose tables take a minute."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(find, "user_folder", lambda kind: tmp_path / kind)
    monkeypatch.setattr(idle_tables, "DELAY_S", 0.0)
    return tmp_path / "cache" / "tables"


@pytest.fixture
def playing(session: Session, listener: Listener) -> Session:
    session.set_option("UCI_Variant", GAME)
    session.set_option("BoardSize", BOARD)
    session.set_position(WON, [])
    listener.take()
    return session


def make(position: Position = LIKE) -> IdleTableMaker:
    """Return a maker that has ended its work."""
    maker = IdleTableMaker()
    maker.start(position)
    join(maker)
    return maker


def join(maker: IdleTableMaker) -> None:
    assert maker._thread is not None
    maker._thread.join()


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def wait_for(condition: Callable[[], bool]) -> None:
    while not condition():
        pass


def analyse(session: Session, listener: Listener) -> None:
    """Analyse the position, and wait until the tables are made."""
    session.go(Limits(infinite=True), now_ns())
    listener.wait_for(SearchInfo)
    session.stop()
    listener.wait_for(BestMove)
    session.wait()
    join(session._searcher._table_maker)


def test_analysis_makes_tables_that_the_next_analysis_uses(
    playing: Session, listener: Listener, cache: Path
) -> None:
    analyse(playing, listener)
    assert not any(info.tbhits for info in listener.take_all(SearchInfo))
    assert files(cache) == ["SHA256SUMS", "single-stone-xxi-5x5-SSvSS.ltb"]
    playing.go(Limits(movetime_ms=10), now_ns())
    playing.wait()
    assert not any(info.tbhits for info in listener.take_all(SearchInfo)), "no time to read them"
    playing.go(Limits(movetime_ms=2000), now_ns())
    playing.wait()
    assert [event for event in listener.events if isinstance(event, SearchInfo)][-1].tbhits
    assert listener.notes() == [f"tables: 1 of {GAME} {BOARD}, up to 4 men, 1 MB"]
    playing.set_option("TablePath", "off")
    playing.go(Limits(movetime_ms=1100), now_ns())
    playing.wait()
    assert not any(info.tbhits for info in listener.take_all(SearchInfo))


def test_tables_are_announced_once(playing: Session, listener: Listener) -> None:
    """Not again when the maker finds that all are complete."""
    make()
    for _ in range(3):
        analyse(playing, listener)
    assert listener.notes() == [f"tables: 1 of {GAME} {BOARD}, up to 4 men, 1 MB"]


@pytest.mark.parametrize("limits", [{"nodes": 3000}, {"depth": 4}, {"mate": 2}, {"nodes": 3000, "movetime_ms": 10**6}])
def test_searches_of_a_fixed_effort_do_not_depend_on_the_cache(
    playing: Session, listener: Listener, limits: dict[str, int]
) -> None:
    def search() -> list[SearchInfo]:
        playing.new_game()
        playing.set_position(WON, [])
        return [replace(info, time_ms=0) for info in listener.search(playing, **limits)[1]]

    before = search()
    make()
    assert Tables(cache_folder(LIKE), LIKE).probe(Position.from_fen(GAME, WON)) is not None
    assert search() == before


def test_play_makes_no_tables(playing: Session, listener: Listener) -> None:
    """An opponent may be thinking: after a search with limits only in the mode for analysis."""
    listener.search(playing, depth=1)
    assert playing._searcher._table_maker._thread is None
    playing.set_option("UCI_AnalyseMode", "true")
    playing.set_option("TablePath", "off")
    listener.search(playing, depth=1)
    assert playing._searcher._table_maker._thread is None
    playing.set_option("TablePath", "")
    listener.search(playing, depth=1)
    join(playing._searcher._table_maker)
    assert files(cache_folder(LIKE))


@pytest.mark.parametrize("end", ["go", "perft", "bench", "close"])
def test_commands_end_the_work(session: Session, end: str) -> None:
    maker, folder = session._searcher._table_maker, cache_folder(SLOW)
    session.set_position(SLOW.fen(), [])
    session._searcher.start_idle_work(SLOW)
    wait_for(lambda: (folder / "lock").exists())
    {"go": lambda: session.go(Limits(nodes=1), now_ns()), "perft": lambda: session.perft(1),
     "bench": lambda: session.bench(1), "close": session.close}[end]()
    join(maker)
    assert files(folder) == []
    assert not maker.has_made.is_set()
    session.stop()


def test_interrupted_work_begins_again() -> None:
    maker, folder = IdleTableMaker(), cache_folder(SLOW)
    for _ in range(2):
        maker.start(SLOW)
        wait_for(lambda: (folder / "lock").exists())
        maker.interrupt()
        join(maker)
    assert files(folder) == []


def test_a_damaged_file_is_made_again() -> None:
    make()
    (path,) = cache_folder(LIKE).glob("*.ltb")
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    (path.parent / f".{path.name}.1234.part").write_bytes(b"left by a killed process")
    with pytest.raises(TablesError):
        Tables(path.parent, LIKE)
    assert make().has_made.is_set()
    assert path.read_bytes() == whole
    assert files(path.parent) == ["SHA256SUMS", path.name]


@pytest.mark.parametrize(("bound", "value"), [
    ("MOST_MEMORY_BYTES", 1000), ("MOST_CACHED_BYTES", -1), ("MOST_SECONDS", 0.0),
])
def test_bounds(monkeypatch: pytest.MonkeyPatch, cache: Path, bound: str, value: float) -> None:
    monkeypatch.setattr(idle_tables, bound, value)
    maker = IdleTableMaker()
    maker.start(LIKE)
    maker.close()
    assert not maker.has_made.is_set()
    assert not cache.exists()


def test_the_time_is_that_of_all_the_work_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes a second further whenever it is read."""
    seconds = iter(range(10**6))
    monkeypatch.setattr(idle_tables, "now_s", lambda: float(next(seconds)))
    monkeypatch.setattr(idle_tables, "MOST_SECONDS", 3.0)
    maker = make()
    assert files(cache_folder(LIKE)) == []
    thread = maker._thread
    maker.start(LIKE)
    assert maker._thread is thread, "not again"


@pytest.mark.parametrize("position", [Position.start("latrones"), Position.start("rota"), Position.start("ludii-piso")])
def test_games_with_tables_in_the_package_or_without_any(position: Position, cache: Path) -> None:
    assert not make(position).has_made.is_set()
    assert not cache.exists()


def test_another_process_may_make_the_same_tables() -> None:
    folder = cache_folder(LIKE)
    folder.mkdir(parents=True)
    maker = IdleTableMaker()
    with exclusive_lock(folder / "lock", lambda: None):
        maker.start(LIKE)
        join(maker)
        assert not maker.has_made.is_set()
    maker.start(LIKE)
    join(maker)
    assert maker.has_made.is_set()


def test_a_user_without_a_home(playing: Session, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(kind: str) -> Path:
        raise RuntimeError("Could not determine home directory.")  # of Path.home

    monkeypatch.setattr(find, "user_folder", fail)
    analyse(playing, listener)
    assert listener.notes() == []
    assert not playing._searcher._table_maker.has_made.is_set()


def test_a_folder_that_cannot_be_written_is_left_alone(cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("a file in place of the folder", encoding="utf-8")
    assert not make().has_made.is_set()
