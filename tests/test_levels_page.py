"""calibrate_levels.py: the file of levels, the choice of levels, and the fit of the chances of results."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import calibrate_levels as script
from latrones_uci.engine.calibration import LEVELS, ResultModel

DATA = script.read_data()


# ---------------------------------------------------------------- the data


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


# ---------------------------------------------------------------- the ladder


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


# ---------------------------------------------------------------- the model of results


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
