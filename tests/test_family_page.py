"""The tables of the documentation match rulesets and recorded games, and calibrate.py plays and counts them."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import calibrate
import calibrate_games
import ludii
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Game, Outcome, Position, Termination, ludii_variants
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.store import Store

ROOT = Path(__file__).resolve().parent.parent


def test_tables_match_what_they_are_made_from() -> None:
    """If this fails, run python3 scripts/calibrate.py tables."""
    for tables in calibrate.all_tables():
        page = calibrate_games.page_of(next(iter(tables))).read_text(encoding="utf-8")
        assert calibrate_games.with_tables(page, tables) == page


def test_missing_markers_are_an_error() -> None:
    with pytest.raises(SystemExit, match="table 'levels': missing markers"):
        calibrate_games.with_tables("a page", {"levels": ""})


def test_recorded_games_are_complete() -> None:
    for name, record in calibrate.recorded()["self-play"].items():
        assert name in ludii_variants()
        ended = record["white"] + record["black"] + record["draws"]
        assert ended + record["unfinished"] == record["games"] > 0
        assert sum(record["reasons"].values()) == ended
        assert record["limit"] == "nodes=2000"  # as the page says
    for name, record in calibrate.recorded()["weaker"].items():
        assert name in ludii_variants()
        results = ("won", "drawn by passes", "drawn otherwise", "unfinished", "lost")
        assert sum(record[key] for key in results) == record["games"] > 0


@pytest.fixture
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the script write to a copy of the page and to new records; return the folder."""
    (tmp_path / "docs").mkdir()
    page = calibrate_games.page_of("measured")
    (tmp_path / "docs" / "family.md").write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(calibrate_games, "ROOT", tmp_path)
    monkeypatch.setattr(calibrate, "RESULTS", tmp_path / "family.json")
    monkeypatch.setattr(calibrate, "engine_hash", lambda: "hash")
    return tmp_path


def run(folder: Path, *words: str) -> dict[str, Any]:
    name = "ludii-seega-6x6"
    assert calibrate.main(["family", "--only", name, "--folder", str(folder / "databases"), "--max-plies", "60",
                           *words]) == 0  # fmt: skip
    record = json.loads((folder / "family.json").read_text(encoding="utf-8"))
    page = (folder / "docs" / "family.md").read_text(encoding="utf-8")
    found: dict[str, Any] = record["weaker" if "--weaker" in words else "self-play"][name]
    assert f"| `{name}` | " + ("nodes=300 | " if "--weaker" in words else "") + f"{found['games']} | " in page
    return found


@pytest.mark.long
@pytest.mark.usefixtures("native_core")
def test_matches_are_resumed_and_counted(own_files: Path) -> None:
    first = run(own_files, "--games", "2", "--nodes", "30")
    assert (first["games"], first["limit"]) == (2, "nodes=30")
    (path,) = own_files.glob("databases/*/30nodes-60plies/self-play/ludii-seega-6x6.db")
    with Store(path, writing=False) as store:
        before = [(each.started, each.game) for each in store.games(with_plies=True)]
    more = run(own_files, "--games", "3", "--nodes", "30")
    with Store(path, writing=False) as store:
        after = list(stored_games(store, stored_settings(store)))
        assert [(each.started, each.game) for each in store.games(with_plies=True)][:2] == before
    games = [record.game for record in after]
    assert len({tuple(ply.text for ply in game.plies) for game in games}) == more["games"] == 3  # no game twice
    assert {game.start for game in games} == {Position.start(ludii_variants()["ludii-seega-6x6"])}
    assert more["plies"] == sum(len(game.plies) for game in games)
    choices = 0
    for game in games:  # counted here by a game that knows its past
        replayed = Game(game.start)
        for ply in game.plies:
            choices += len(replayed.legal_moves())
            replayed.push(ply.text)
    assert more["choices"] == choices
    assert more["unfinished"] == sum(len(game.plies) == 60 and not game.outcome.termination.by_rules for game in games)


@pytest.mark.long
@pytest.mark.usefixtures("native_core")
def test_matches_against_depth_1(own_files: Path) -> None:
    record = run(own_files, "--games", "2", "--nodes", "300", "--weaker")
    (path,) = own_files.glob("databases/*/300nodes-60plies/weaker/ludii-seega-6x6.db")
    with Store(path, writing=False) as store:
        games = list(stored_games(store, stored_settings(store)))
    assert [each.names for each in games] == [("full", "depth 1"), ("depth 1", "full")]
    assert games[0].game.start == games[1].game.start
    for each in games:
        depths = {name: {ply.info.depth for ply in each.game.plies if each.names[ply.side] == name}
                  for name in each.names}  # fmt: skip
        assert depths["depth 1"] == {1}
        assert max(depths["full"] - {None}) > 1
    assert record["won"] + record["lost"] + record["unfinished"] == 2


def test_weaker_record_counts_from_the_first_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four games: a win with either colour, a loss, and a draw by two passes."""
    outcomes = [Outcome(Termination.DECIDED, 0), Outcome(Termination.DECIDED, 1), Outcome(Termination.DECIDED, 1),
                Outcome(Termination.NO_MOVE, None)]  # fmt: skip
    texts = [["a1a2"], ["a1a2", "pass"], ["a1a2"], ["a1a2", "pass", "pass"]]
    played = [SimpleNamespace(outcome=outcome, plies=[SimpleNamespace(text=text) for text in plies])
              for outcome, plies in zip(outcomes, texts, strict=True)]  # fmt: skip
    games = [SimpleNamespace(fixture=SimpleNamespace(black=number % 2), game=game)
             for number, game in enumerate(played, start=1)]  # fmt: skip
    settings = SimpleNamespace(engines=[SimpleNamespace(control=TimeControl(movetime_ms=100))])
    monkeypatch.setattr(calibrate, "Store", lambda path, writing: nullcontext())
    monkeypatch.setattr(calibrate, "stored_settings", lambda store: settings)
    monkeypatch.setattr(calibrate, "stored_games", lambda store, settings: games)
    assert calibrate.weaker_record(Path("any.db")) == {
        "limit": "st=0.1", "games": 4, "won": 2, "drawn by passes": 1, "drawn otherwise": 0, "unfinished": 0,
        "lost": 1, "plies": 7, "passes": 3,
    }  # fmt: skip


@pytest.mark.parametrize(("words", "what"), [
    (["levels", "--game", "rota", "--check"], "--game rota: it has no levels yet; expected --fit, or one of latrones,"),
    (["levels", "--game", "rota"], "--game rota: it has no levels yet"),
    (["family", "--games", "-1"], "--games -1: too small"),
    (["family", "--games", "3", "--weaker"], "--games 3: odd"),
    (["family", "--games", "2", "--nodes", "5", "--movetime", "5"], "not allowed with"),
    (["family", "--games", "2", "--only", "seega"], "invalid choice: 'seega'"),
])  # fmt: skip
def test_wrong_options(words: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        calibrate.main(words)
    assert caught.value.code == 2
    assert what in capsys.readouterr().err


def test_numbers_of_the_page() -> None:
    page = (ROOT / "docs" / "family.md").read_text(encoding="utf-8")
    entries = ludii.entries().values()
    assert f"{sum(len(entry['positions']) for entry in entries)} positions" in page
    assert f"{sum(len(entry['games']) for entry in entries)} games" in page
    assert len(ludii.data()["endgames"]) == 6
    assert "six endings" in page
