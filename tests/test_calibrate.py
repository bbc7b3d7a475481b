"""The scripts that calibrate: their data, the tables that they write, and what they play and count."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import calibrate
import calibrate_games
import calibrate_levels as script
import cases
import ludii
from latrones_uci.client.time_control import TimeControl
from latrones_uci.engine.calibration import LEVELS, ResultModel
from latrones_uci.game import Game, Outcome, Position, Termination, ludii_variants
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.store import Store

ROOT = Path(__file__).resolve().parent.parent
PER_VARIANT = 100


def test_checksums() -> None:
    lines = (cases.DATA / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = dict(reversed(line.split()) for line in lines)
    names = ("conversion", "games", "hunted", "lone_dux", "ludii", "perft")
    assert sorted(listed) == [f"{name}.json" for name in names]
    for name, checksum in listed.items():
        assert hashlib.sha256((cases.DATA / name).read_bytes()).hexdigest() == checksum, name


def test_every_variant_has_data() -> None:
    assert {entry["variant"] for entry in cases.perft_entries()} == set(cases.VARIANTS)
    assert {game["variant"] for game in cases.games()} == set(cases.VARIANTS)


@pytest.mark.parametrize("name", ["conversion", "lone_dux", "hunted"])
def test_one_side_is_decisively_ahead_in_every_position(name: str) -> None:
    for case in calibrate.read_suite(cases.DATA / f"{name}.json"):
        position = Position.from_fen(calibrate.ruleset(case.variant, case.file), case.fen)
        assert position.fen() == case.fen
        assert position.outcome() is None
        assert calibrate.ahead(position) == case.ahead
        more, fewer = (calibrate.count(position, side) for side in (case.ahead, 1 - case.ahead))
        if name == "conversion":
            assert position.nocapture == 0
        elif name == "lone_dux":
            assert (case.ahead, more - 1, fewer) in {(0, 6, 1), (0, 7, 1), (0, 8, 1)}
        else:
            assert more >= 30
            assert 2 <= fewer <= 8


def test_the_suite_has_as_many_different_positions_of_each_game() -> None:
    suite = json.loads(calibrate.SUITE.read_text(encoding="utf-8"))
    assert [(entry["variant"], entry["board"], entry["file"]) for entry in suite] == list(calibrate.GAMES)
    for entry in suite:
        assert len({fen for fen, _ in entry["positions"]}) == len(entry["positions"]) == PER_VARIANT


@pytest.mark.parametrize(("variant", "fen", "side"), [
    ("latrones", "8/3d4/s7/8/SSSS4/8/3D4/8 w 0 1", 0),
    ("latrones", "8/3d4/ss6/8/SSSS4/8/3D4/8 w 0 1", None),
    ("latrones", "8/3d4/ssss4/8/S7/8/3D4/8 w 0 1", 1),
    ("schaedler", "8/8/8/8/sss5/8/SSSSSS2/8[-] b 0 1", 0),
    ("kowalski-12x8", "12/12/6D5/5d6/9S2/12/12/12 w 0 1", 0),  # a lone dux is behind
])  # fmt: skip
def test_three_pieces_are_decisive(variant: str, fen: str, side: int | None) -> None:
    ruleset = calibrate.ruleset(variant, "kowalski.toml" if variant == "kowalski-12x8" else None)
    assert calibrate.ahead(Position.from_fen(ruleset, fen)) is side


def test_lone_duces_are_made_by_the_script(tmp_path: Path) -> None:
    calibrate.make_lone_dux(tmp_path / "made.json", PER_VARIANT)
    assert (tmp_path / "made.json").read_bytes() == (cases.DATA / "lone_dux.json").read_bytes()


@pytest.mark.process
@pytest.mark.long
def test_the_script_counts_wins(tmp_path: Path) -> None:
    suite = tmp_path / "suite.json"
    positions = [["8/8/8/8/SSSS4/SSSS4/8/s5s1 w 0 1", "w"], ["ssss4/ssss4/8/8/8/8/S7/S7 w 0 1", "w"]]
    suite.write_text(json.dumps([{"variant": "petteia-xxi", "board": "8x8", "file": None, "positions": positions}]))
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "calibrate.py", "conversion", "--suite", suite, "--nodes", "100",
         "--concurrency", "1"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1].startswith("| petteia-xxi 8x8 | 1-0-1 | 50% (9% to 91%) |")


# ---------------------------------------------------------------- levels

DATA = script.read_data()


def test_check_names_the_steps_outside(capsys: pytest.CaptureFixture[str]) -> None:
    good = {"scores": [0.55, *[0.67] * (LEVELS - 1)], "full": [2000, 20, 0.7]}
    assert script.check_levels({"a": good}) == 0
    assert script.check_levels({"a": good, "b": {**good, "scores": [0.5, 0.76, *[0.6] * 17, 0.599]}}) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "b: 17 of 19 steps from 60% to 75%; level 1: 76.0%, level 19: 59.9%"
    )
    assert script.check_levels({"c": {"strengths": [], "ratings": []}}) == 1
    assert capsys.readouterr().out == "c: not rated\n"


def test_entries_of_other_runs_survive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Matches take hours, in which another run may write its entry."""
    monkeypatch.setattr(script, "DATA", tmp_path / "levels.toml")
    script.write_data(DATA)
    assert script.read_data() == DATA
    script.store("levels", "rota", {"strengths": [1.0]})
    script.store("results", "rota", {"draw": [1.0]})
    found = script.read_data()
    assert (found["levels"]["rota"], found["results"]["rota"]) == ({"strengths": [1.0]}, {"draw": [1.0]})
    assert {kind: entries | {"rota": found[kind]["rota"]} for kind, entries in DATA.items()} == found


def test_levels_are_at_equal_distances_of_rating() -> None:
    curve = [(0.0, 0.0), (20.0, 100.0), (50.0, 1000.0), (100.0, 1960.0)]
    strengths = script.ladder(curve)
    ratings = [next(a + (b - a) * (at - low) / (high - low) for (low, a), (high, b) in pairwise(curve) if at <= high)
               for at in strengths]  # fmt: skip
    assert len(strengths) == LEVELS
    assert ratings[0] == pytest.approx(80, abs=1)
    assert ratings[-1] == 1960
    assert all(b - a == pytest.approx(99, abs=4) for a, b in pairwise(ratings))
    # Levels differ even where the curve is steep.
    strengths = script.ladder([(0.0, 0.0), (30.0, 50.0), (30.1, 3000.0), (100.0, 3001.0)])
    assert len(strengths) == LEVELS
    assert all(a < b for a, b in pairwise(strengths))


def test_each_level_meets_those_below_and_the_anchors(tmp_path: Path) -> None:
    lab = script.Lab("latrones", tmp_path, 40, 1, 5000, "native")
    pairings = script.pairings(lab, [float(n) for n in range(10, 30)], anchored=True)
    met = {(one.name, other.name): games for one, other, games in pairings}
    assert len(met) == len(pairings) == 19 + 18 + 4 + 4 + 2
    assert met["s0110", "s0100"] == 40
    assert met["s0120", "s0100"] == 20
    assert met["s0130", "random"] == met["s0130", "greedy"] == met["full", "s0290"] == 40
    assert met["full", "s0280"] == 20


def test_the_fit_finds_the_model() -> None:
    source, truth = random.Random(1), ResultModel("", (4.5, 0.5, 1.0), (4.0, 0.5, 0.0))
    cells: dict[tuple[float, float, float], Counter[int]] = {}
    for _ in range(4000):
        cell = (float(source.randrange(-400, 401, 40)), source.randrange(4, 9) / 8, source.randrange(3) / 3)
        win, draw, lost = truth.chances(*cell)
        cells.setdefault(cell, Counter()).update(source.choices((0, 1, 2), (lost, draw, win)))
    found = script.fit(cells, "x")
    for score in (-200.0, 0.0, 100.0):
        for nocapture in (0.0, 0.6):
            expected = truth.chances(score, 0.75, nocapture)
            assert found.chances(score, 0.75, nocapture) == pytest.approx(expected, abs=0.04)
    loss = script.loss_per_ply
    plain = script.fit(cells, "x", nocapture=False)
    assert loss(cells, found) < loss(cells, plain) < script.base_loss(cells, cells)
    assert (plain.draw[2], plain.spread[2]) == (0, 0)
    for count, expected, scored in script.calibration(cells, found):
        assert count < 200 or expected == pytest.approx(scored, abs=0.06)
    # Games without draws can be fitted, too.
    scores = range(-90, 91, 10)
    cells = {(float(score), 0.5, 0.0): Counter({2: 50 + score // 2, 0: 50 - score // 2}) for score in scores}
    model = script.fit(cells, "x")
    win, draw, _ = model.chances(0, 0.5, 0.0)
    assert win == pytest.approx(0.5, abs=0.05)
    assert draw < 0.1


# ---------------------------------------------------------------- the page of the family


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
