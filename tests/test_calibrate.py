"""The scripts that calibrate: their data, the tables that they write, and what they play and count."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import calibrate
import calibrate_games
import calibrate_levels as script
import cases
import ludii
from folders import ROOT
from latrones_uci.engine.calibration import LEVELS, ResultModel
from latrones_uci.game import Position, all_variants

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
    assert len({(entry["variant"], entry["board"]) for entry in suite}) == 12
    for entry in suite:
        assert len({fen for fen, _ in entry["positions"]}) == len(entry["positions"]) == PER_VARIANT


@pytest.mark.parametrize(("variant", "fen", "side"), [
    ("latrones", "8/3d4/s7/8/SSSS4/8/3D4/8 w 0 1", 0),
    ("latrones", "8/3d4/ss6/8/SSSS4/8/3D4/8 w 0 1", None),
    ("latrones", "8/3d4/ssss4/8/S7/8/3D4/8 w 0 1", 1),
    ("schaedler", "8/8/8/8/sss5/8/SSSSSS2/8[-] b 0 1", 0),
    ("kowalski-12x8", "12/12/6D5/5d6/9S2/12/12/12 w 0 1", 0),  # a lone dux is behind
])
def test_three_pieces_are_decisive(variant: str, fen: str, side: int | None) -> None:
    ruleset = calibrate.ruleset(variant, "kowalski.toml" if variant == "kowalski-12x8" else None)
    assert calibrate.ahead(Position.from_fen(ruleset, fen)) is side


@pytest.mark.process
@pytest.mark.long
def test_the_script_counts_wins(tmp_path: Path) -> None:
    suite = tmp_path / "suite.json"
    positions = [["8/8/8/8/SSSS4/SSSS4/8/s5s1 w 0 1", "w"], ["ssss4/ssss4/8/8/8/8/S7/S7 w 0 1", "w"]]
    suite.write_text(json.dumps([{"variant": "petteia-xxi", "board": "8x8", "file": None, "positions": positions}]))
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "calibrate.py", "conversion", "--suite", suite, "--nodes", "100",
         "--concurrency", "1", "--defender-option", "Skill Level=1"],
        capture_output=True, text=True, check=True,
    )
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


@pytest.mark.parametrize(("highest", "names"), [
    ((94.2, 100.0), ["full-s1000 20", "full-s0942 10"]),
    ((67.4, 85.0), ["s0900-s0850 20", "s1000-s0900 20", "s0900-s0674 10", "s1000-s0850 10",
                    "full-s1000 20", "full-s0900 10", "full-s0850 20", "full-s0674 10"]),
])
def test_stronger_players_lead_from_the_levels_to_full_strength(highest: tuple[float, float], names: list[str]) -> None:
    lab = script.Lab("latrones", Path(), games=20, concurrency=1, nodes=100, backend="native")
    found = [f"{one.name}-{other.name} {games}" for one, other, games in script.full_pairings(lab, highest)]
    assert sorted(found) == sorted(names)


def test_levels_are_at_equal_distances_of_rating() -> None:
    curve = [(0.0, 0.0), (20.0, 100.0), (50.0, 1000.0), (100.0, 1960.0)]
    strengths = script.ladder(curve)
    ratings = [next(a + (b - a) * (at - low) / (high - low) for (low, a), (high, b) in pairwise(curve) if at <= high)
               for at in strengths]
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
    pairings = script.pairings(lab, [*map(float, range(10, 28)), 90.0, 100.0], anchored=True)
    met = {(one.name, other.name): games for one, other, games in pairings}
    assert len(met) == len(pairings) == 19 + 18 + 4 + 4 + 2
    assert met["s0110", "s0100"] == 40
    assert met["s0120", "s0100"] == 20
    assert met["s0130", "random"] == met["s0130", "greedy"] == met["full", "s1000"] == 40
    assert met["full", "s0900"] == 20


@pytest.mark.slow
def test_full_strength_alone_is_rated_against_the_levels_as_they_are(tmp_path: Path) -> None:
    entry = {"strengths": [0.0, 9.0, 100.0], "ratings": [50.0, 100.0, 300.0], "margins": [20.0, 30.0, 40.0], "full": []}
    found = script.rate_full(script.Lab("rota", tmp_path, 8, 1, 50, "python"), entry)
    elo, margin, share = found.pop("full")  # type: ignore[misc]
    assert found == {key: value for key, value in entry.items() if key != "full"}
    assert elo > 100
    assert margin > 40
    assert 0 < share < 1
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["full-s0090.db", "full-s1000.db"]


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


def test_all_games_are_measured() -> None:
    measured = json.loads(calibrate.RESULTS.read_text(encoding="utf-8"))
    assert [each["game"] for each in measured["rulesets"]] == list(all_variants())
    page = calibrate_games.page_of("measured").read_text(encoding="utf-8")
    options = {"games": measured["rulesets"][0]["games"], "nodes": measured["nodes"][0],
               "max-plies": measured["max_plies"]}
    command = " ".join(["latrones-uci variants measure all", *(f"--{name} {value}" for name, value in options.items())])
    assert f"`{command}`" in " ".join(page.split())


@pytest.mark.parametrize(("words", "what"), [
    (["levels", "--game", "rota", "--check"], "--game rota: it has no levels yet; expected --fit, or one of latrones,"),
    (["levels", "--game", "rota"], "--game rota: it has no levels yet"),
    (["levels", "--full", "--fit"], "--full: the levels stay as they are, for the native kernel; expected no --fit"),
    (["conversion", "--nodes", "-1"], "--nodes -1: too small"),
    (["conversion", "--defender-option", "Skill Level"], "--defender-option 'Skill Level': expected NAME=VALUE"),
    (["family"], "invalid choice: 'family'"),
])
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
