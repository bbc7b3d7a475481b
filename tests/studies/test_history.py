"""Which versions of a history play, and their joint ratings."""

from __future__ import annotations

from math import inf

import pytest

from latrones_uci.stats import elo_from_score
from latrones_uci.studies.revisions.history import chosen_commits, strengths
from latrones_uci.studies.revisions.source import Commit

COMMITS = [Commit(str(number), "2026-11-26", "Change", contents) for number, contents in enumerate("AABCCDE")]
"""The second and the fifth change nothing that is built."""


@pytest.mark.parametrize(("every", "chosen"), [(1, "02356"), (2, "036"), (3, "056"), (4, "06"), (9, "06"), (0, "06")])
def test_chosen_commits(every: int, chosen: str) -> None:
    assert "".join(commit.commit for commit in chosen_commits(COMMITS, every)) == chosen


def test_commits_without_a_version() -> None:
    assert chosen_commits(COMMITS[:1], 1) == COMMITS[:1]
    assert chosen_commits(COMMITS[:2], 1) == COMMITS[:1]
    gone = Commit("gone", "2026-11-26", "Remove the engine", "")
    assert chosen_commits([*COMMITS, gone], 0) == [COMMITS[0], COMMITS[-1]]


def test_strengths_against_a_base() -> None:
    results = {("b", "a"): (2, 10, 30, 20, 8), ("c", "a"): (8, 20, 30, 10, 2), ("d", "a"): (0, 0, 0, 0, 0)}
    found = strengths("abcd", "a", results)
    assert list(found) == ["a", "b", "c"]
    assert (found["a"].elo, found["a"].margin, found["a"].games, found["a"].over_previous) == (0.0, 0.0, 280, None)
    score = (10 + 2 * 30 + 3 * 20 + 4 * 8) / (4 * 70)
    assert found["b"].elo == pytest.approx(elo_from_score(score)) == pytest.approx(-found["c"].elo)
    assert found["b"].margin == pytest.approx(found["c"].margin)
    assert found["b"].over_previous > 0.9 > 0.1 > found["c"].over_previous


def test_strengths_of_neighbours_add_up() -> None:
    results = {("b", "a"): (2, 10, 30, 20, 8), ("c", "b"): (2, 10, 30, 20, 8)}
    found = strengths("abc", "a", results)
    assert found["c"].elo == pytest.approx(2 * found["b"].elo)
    assert found["c"].margin == pytest.approx(2**0.5 * found["b"].margin, rel=0.02)
    later = strengths("abc", "c", results)  # the base may come last
    assert later["a"].elo == pytest.approx(-found["c"].elo)


def test_strengths_of_few_games() -> None:
    assert strengths("ab", "a", {}) == {}
    assert strengths("ab", "a", {("b", "a"): (0, 0, 0, 0, 3)})["b"].margin == inf


def test_versions_against_one_base_are_rated_as_all_together() -> None:
    results = {("b", "c"): (2, 10, 30, 20, 8), ("a", "c"): (8, 20, 30, 10, 2), ("d", "c"): (0, 5, 9, 5, 3)}
    found = strengths("abcd", "c", results)
    with_link = strengths("abcd", "c", results | {("e", "d"): (0, 0, 0, 0, 0)} | {("d", "a"): (0, 0, 1, 0, 0)})
    for key in "abd":
        assert found[key].elo == pytest.approx(with_link[key].elo, abs=8)
        assert found[key].over_previous == pytest.approx(with_link[key].over_previous, abs=0.05) or key == "a"
