"""docs/family.md: its tables match the rulesets and the recorded games, and its numbers match the data."""

from __future__ import annotations

import json
import runpy
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ludii
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Game, Outcome, Position, Termination, ludii_variants
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.store import Store

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "family.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    before = list(sys.path)
    try:
        return runpy.run_path(str(ROOT / "scripts" / "family.py"))
    finally:
        sys.path[:] = before


def test_tables_match_rulesets_and_games(script: dict[str, Any]) -> None:
    """If this fails, run python3 scripts/family.py."""
    assert script["with_tables"](PAGE) == PAGE
    assert script["comparison_table"]() in PAGE
    assert script["measured_table"]() in PAGE


def test_every_ruleset_is_in_the_comparison(script: dict[str, Any]) -> None:
    table = script["comparison_table"]()
    assert all(f"| `{name}` |" in table for name in ludii_variants())


def test_recorded_games_are_complete(script: dict[str, Any]) -> None:
    for name, record in script["recorded"]()["self-play"].items():
        assert name in ludii_variants()
        ended = record["white"] + record["black"] + record["draws"]
        assert ended + record["unfinished"] == record["games"] > 0
        assert sum(record["reasons"].values()) == ended
        assert record["limit"] == "nodes=2000"  # as the page says
    for name, record in script["recorded"]()["weaker"].items():
        assert name in ludii_variants()
        results = ("won", "drawn by passes", "drawn otherwise", "unfinished", "lost")
        assert sum(record[key] for key in results) == record["games"] > 0


@pytest.fixture
def own_files(script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the script write to a copy of the page and to new records; return the folder."""
    (tmp_path / "family.md").write_text(PAGE, encoding="utf-8")
    monkeypatch.setitem(script["main"].__globals__, "PAGE", tmp_path / "family.md")
    monkeypatch.setitem(script["main"].__globals__, "RESULTS", tmp_path / "family.json")
    return tmp_path


def run(script: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> dict[str, Any]:
    """Run the script for one ruleset, and return what it recorded."""
    name = "ludii-seega-6x6"
    words = ("family.py", "--only", name, "--folder", str(folder / "databases"), "--max-plies", "60", *words)
    monkeypatch.setattr(sys, "argv", list(words))
    assert script["main"]() == 0
    record = json.loads((folder / "family.json").read_text(encoding="utf-8"))
    page = (folder / "family.md").read_text(encoding="utf-8")
    assert script["with_tables"](page) == page
    found: dict[str, Any] = record["weaker" if "--weaker" in words else "self-play"][name]
    assert f"| `{name}` | " + ("nodes=300 | " if "--weaker" in words else "") + f"{found['games']} | " in page
    return found


@pytest.mark.long
@pytest.mark.usefixtures("native_core")
def test_matches_are_resumed_and_counted(
    script: dict[str, Any], own_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(script, own_files, monkeypatch, "--games", "2", "--nodes", "30")
    assert (first["games"], first["limit"]) == (2, "nodes=30")
    (path,) = own_files.glob("databases/*/30nodes-60plies/self-play/ludii-seega-6x6.db")
    with Store(path, writing=False) as store:
        before = [(each.started, each.game) for each in store.games(with_plies=True)]
    more = run(script, own_files, monkeypatch, "--games", "3", "--nodes", "30")
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
            replayed.play(ply.text)
    assert more["choices"] == choices
    assert more["unfinished"] == sum(len(game.plies) == 60 and not game.outcome.termination.by_rules for game in games)


@pytest.mark.long
@pytest.mark.usefixtures("native_core")
def test_matches_against_depth_1(
    script: dict[str, Any], own_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = run(script, own_files, monkeypatch, "--games", "2", "--nodes", "300", "--weaker")
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


def test_weaker_record_counts_from_the_first_player(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Four games: a win with either colour, a loss, and a draw by two passes."""
    outcomes = [Outcome(Termination.DECIDED, 0), Outcome(Termination.DECIDED, 1), Outcome(Termination.DECIDED, 1),
                Outcome(Termination.NO_MOVE, None)]  # fmt: skip
    texts = [["a1a2"], ["a1a2", "pass"], ["a1a2"], ["a1a2", "pass", "pass"]]
    played = [SimpleNamespace(outcome=outcome, plies=[SimpleNamespace(text=text) for text in plies])
              for outcome, plies in zip(outcomes, texts, strict=True)]  # fmt: skip
    games = [SimpleNamespace(fixture=SimpleNamespace(black=number % 2), game=game)
             for number, game in enumerate(played, start=1)]  # fmt: skip
    settings = SimpleNamespace(engines=[SimpleNamespace(control=TimeControl(movetime_ms=100))])
    own = script["weaker_record"].__globals__
    monkeypatch.setitem(own, "Store", lambda path, writing: nullcontext())
    monkeypatch.setitem(own, "stored_settings", lambda store: settings)
    monkeypatch.setitem(own, "stored_games", lambda store, settings: games)
    assert script["weaker_record"](Path("any.db")) == {
        "limit": "st=0.1", "games": 4, "won": 2, "drawn by passes": 1, "drawn otherwise": 0, "unfinished": 0,
        "lost": 1, "plies": 7, "passes": 3,
    }  # fmt: skip


@pytest.mark.parametrize(("words", "what"), [
    (["--games", "-1"], "--games -1: too small"),
    (["--games", "3", "--weaker"], "--games 3: odd"),
    (["--weaker"], "--weaker: nothing to play"),
    (["--nodes", "0"], "--nodes 0: too small"),
    (["--nodes", "5", "--movetime", "5"], "not allowed with"),
    (["--only", "seega"], "invalid choice: 'seega'"),
])  # fmt: skip
def test_wrong_options(
    script: dict[str, Any], words: list[str], what: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["family.py", *words])
    with pytest.raises(SystemExit):
        script["main"]()
    assert what in capsys.readouterr().err


def test_numbers_of_the_page() -> None:
    entries = ludii.entries().values()
    assert f"{sum(len(entry['positions']) for entry in entries)} positions" in PAGE
    assert f"{sum(len(entry['games']) for entry in entries)} games" in PAGE
    assert len(ludii.data()["endgames"]) == 6
    assert "six endings" in PAGE
