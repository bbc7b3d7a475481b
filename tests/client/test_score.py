"""``Score``: order, negation and point of view."""

from itertools import pairwise

import pytest

from latrones_uci import Score

ORDERED = [
    Score(mate=0), Score(mate=-1), Score(mate=-5), Score(-200), Score(35, bound="upper"), Score(35),
    Score(35, bound="lower"), Score(36), Score(mate=5, bound="upper"), Score(mate=5), Score(mate=1),
    Score(mate=0, won=True),
]


def test_scores_are_ordered_from_lost_to_won() -> None:
    texts = ["-M0", "-M1", "-M5", "-2.00", "+0.35", "+0.35", "+0.35", "+0.36", "+M5", "+M5", "+M1", "+M0"]
    assert [str(score) for score in ORDERED] == texts
    assert sorted(ORDERED, key=str) != sorted(ORDERED) == ORDERED
    for worse, better in pairwise(ORDERED):
        assert worse < better
        assert worse <= better
        assert better > worse
        assert better >= worse
        assert worse != better


def test_the_other_player_sees_the_opposite() -> None:
    assert sorted(-score for score in ORDERED) == [-score for score in reversed(ORDERED)]
    for score in (*ORDERED, Score()):
        opposite = -score
        assert -opposite == score
        assert (score.white(0), score.white(1)) == (score, opposite)
        assert score.for_white(1) == opposite.for_white(0)
    assert [str(-score) for score in (Score(35), Score(mate=2), Score(mate=0), Score())] == [
        "-0.35", "-M2", "+M0", "?"]
    assert (-Score(35, bound="lower")).bound == "upper"
    assert [Score(mate=0).for_white(side) for side in (0, 1)] == ["#-0", "#0"]


def test_scores_as_numbers_have_the_same_order() -> None:
    numbers = [score.number(mate=1000) for score in ORDERED]
    assert numbers == [-1000, -999, -995, -200, 35, 35, 35, 36, 995, 995, 999, 1000] == sorted(numbers)
    assert Score(mate=-3).number() == -99_997
    for score, mate, error, message in (
        (Score(), 9, ValueError, r"score '\?': unknown"), (Score(3), 1e5, TypeError, "mate 100000.0: float"),
        (Score(mate=-5), 5, ValueError, "mate 5: not above the 5 turns"),
        (Score(mate=0), 0, ValueError, "mate 0: not above the 0 turns"),
    ):
        with pytest.raises(error, match=message):
            score.number(mate=mate)  # type: ignore[arg-type]


def test_what_cannot_be_compared() -> None:
    assert Score() == Score() != Score(0)
    with pytest.raises(ValueError, match=r"score '\?': unknown"):
        max(Score(5), Score())
    with pytest.raises(TypeError, match="'<' not supported between instances of 'Score' and 'int'"):
        Score(5) < 5  # type: ignore[operator]  # noqa: B015
