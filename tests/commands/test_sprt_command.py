"""The command ``sprt``: its JSON. ``outputs.txt`` and ``errors.txt`` have the rest of what it prints."""

import json
from typing import Any

import pytest

from latrones_uci.commands.main import main
from latrones_uci.stats import (
    Sprt,
    estimate_from_games,
    estimate_from_pairs,
    game_log_likelihood_ratio,
    log_likelihood_ratio,
)


def data_of(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["sprt", *words, "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def test_counts_of_games(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, "--wdl", "20", "50", "90", "--sprt", "elo0=-40", "elo1=0", "--true", "0")
    found = estimate_from_games(20, 50, 90)
    assert (data["wins"], data["draws"], data["losses"]) == (20, 50, 90)
    assert data["elo"] == {"value": found.elo.value, "low": found.elo.low, "high": found.elo.high}
    assert data["los"] == found.los
    assert data["llr"] == game_log_likelihood_ratio(Sprt(-40, 0), 20, 50, 90)
    assert data["verdict"] == "H0"


def test_counts_of_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, "--pairs", "0", "1", "30", "40", "20", "--sprt", "gainer")
    found = estimate_from_pairs((0, 1, 30, 40, 20))
    assert data["pairs"] == [0, 1, 30, 40, 20]
    assert data["normalized_elo"]["value"] == found.normalized_elo.value
    assert data["llr"] == log_likelihood_ratio(Sprt(0, 5), (0, 1, 30, 40, 20))
    assert data["verdict"] is None
    assert data["games_before_forecast"] == 182
    assert 0 < data["more_games"] < 200_000 - 182
    assert [row["elo"] for row in data["forecast"]] == [-5, -2.5, 0, 2.5, 5, 7.5, 10]


def test_counts_without_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, "--pairs", "0", "0", "0", "0", "3")
    assert data["elo"]["value"] is None  # infinite
    assert set(data) == {"pairs", "score", "elo", "normalized_elo", "los"}


def test_differences_beyond_the_largest_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, "--sprt", "elo0=-2000", "elo1=-1900")
    assert [row["elo"] for row in data["forecast"]] == [-2000, -1950, -1900, -1850, -1800]
