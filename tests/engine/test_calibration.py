"""The levels and the models of results as data, and the games that have none."""

from __future__ import annotations

from itertools import pairwise

import pytest

from latrones_uci.engine.calibration import (
    LEVELS,
    GameLevels,
    ResultModel,
    levels_of,
    nearest,
    parse_calibration,
    result_model_of,
    shares,
)
from latrones_uci.engine.options import MAX_RATING
from latrones_uci.game import Position, builtin_variants, find_variant, parse_variants
from latrones_uci.text.protocol import Score

LADDER = GameLevels("x", tuple(float(number) for number in range(LEVELS)), tuple(100.0 * n for n in range(LEVELS)))
MODEL = ResultModel("x", (4.0, 0.5, 0.5), (4.0, 0.0, 0.0))


def test_every_builtin_game_has_levels_and_a_model() -> None:
    for ruleset in builtin_variants().values():
        ladder, model = levels_of(ruleset), result_model_of(ruleset)
        assert 0 < ladder.ratings[0] < 200
        assert ladder.ratings[-1] <= MAX_RATING
        chances = [model.chances(score, 0.7, 0.2) for score in (-300, 0, 300)]
        for win, draw, loss in chances:
            assert win + draw + loss == pytest.approx(1)
            assert min(win, draw, loss) >= 0
        assert chances[0] == pytest.approx(chances[2][::-1])


@pytest.mark.parametrize(
    ("rating", "strength"), [(-5, 0), (0, 0), (50, 0.5), (100, 1), (1234, 12.34), (1900, 19), (2500, 19)]
)
def test_ratings_between_two_levels_are_interpolated(rating: float, strength: float) -> None:
    assert LADDER.strength_of_rating(rating) == pytest.approx(strength)


def test_files_are_parsed() -> None:
    for strengths, message in (((1.0,) * LEVELS, "ascending"), (LADDER.strengths[1:], "20 ascending"),
                               (tuple(6.0 * each for each in LADDER.strengths), "outside 0..100")):
        with pytest.raises(ValueError, match=message):
            GameLevels("x", strengths, LADDER.ratings)
    text = f"""[levels.bell]\nstrengths = {list(LADDER.strengths)}\nratings = {list(LADDER.ratings)}
[results.bell]\ndraw = [1, 2, 3]\nspread = [4, 5, 6]\n"""
    ladders, models = parse_calibration(text)
    assert ladders == {"bell": GameLevels("bell", LADDER.strengths, LADDER.ratings)}
    assert models == {"bell": ResultModel("bell", (1, 2, 3), (4, 5, 6))}


def test_unknown_games_have_the_values_of_the_game_most_like_them() -> None:
    known = tuple(builtin_variants())
    assert all(nearest(ruleset, known) == ruleset.name for ruleset in builtin_variants().values())
    for parent in known[:-1]:
        text = f'[mine]\nparent = "{parent}"\nnocapture_limit = 50\ndefault_size = "9x9"\n'
        renamed = parse_variants(text, builtin_variants())["mine"]
        assert nearest(renamed, known) == parent
    assert nearest(find_variant("bell"), ("latrones", "schaedler")) == "schaedler"
    assert nearest(find_variant("schaedler"), ("rota", "latrones")) == "latrones"


# ---------------------------------------------------------------- chances


def test_chances_rise_with_the_score() -> None:
    wins = [MODEL.per_mille(Score(score), 0.8, 0.1) for score in range(-1500, 1501, 50)]
    assert all(one is not None and other is not None and one[0] <= other[0] and one[2] >= other[2]
               for one, other in pairwise(wins))
    assert all(each is not None and sum(each) == 1000 and min(each) >= 0 for each in wins)
    win, draw, loss = MODEL.chances(0, 0.8, 0.1)
    assert win == loss < draw
    assert MODEL.chances(100, 0.5, 0.9)[1] > MODEL.chances(100, 0.5, 0.1)[1], "near the limit"


@pytest.mark.parametrize(
    ("score", "expected"),
    [(Score(mate=3), (1000, 0, 0)), (Score(mate=0), (0, 0, 1000)), (Score(mate=-2), (0, 0, 1000)), (Score(), None),
     (Score(30_000), (1000, 0, 0)), (Score(-30_000), (0, 0, 1000))],
)
def test_certain_results(score: Score, expected: tuple[int, int, int] | None) -> None:
    assert MODEL.per_mille(score, 1.0, 0.0) == expected
    assert result_model_of(find_variant("rota")).per_mille(Score(0), 1.0, 0.0) == (0, 1000, 0)  # a solved game


@pytest.mark.parametrize(
    ("variant", "fen", "men", "nocapture"),
    [("latrones", "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1", 1.0, 0.0),
     ("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 25 1", 5 / 18, 0.25)],
)
def test_shares_of_a_position(variant: str, fen: str, men: float, nocapture: float) -> None:
    assert shares(Position.from_fen(variant, fen)) == pytest.approx((men, nocapture))
    for name in ("schaedler", "bell", "rota"):  # with men in hand
        assert shares(Position.start(name)) == (1.0, 0.0)
