from collections.abc import Callable

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Termination
from latrones_uci.match.adjudication import DrawRule, GameLimits, ResignRule, adjudicate
from latrones_uci.match.record import PlyRecord
from latrones_uci.protocol import Score, SearchInfo


@pytest.mark.parametrize(("make", "problem"), [
    (lambda: DrawRule(1, -3, 10), "moves: -3 is not an integer from 1"),
    (lambda: DrawRule(-10, 1, 10), "movenumber: -10 is not an integer from 0"),
    (lambda: DrawRule(1, 1, -10), "score_centi: -10 is not an integer from 0"),
    (lambda: ResignRule(0, 100), "moves: 0 is not an integer from 1"),
    (lambda: ResignRule(1, -100), "score_centi: -100 is not an integer from 0"),
    (lambda: GameLimits(max_plies=0), "max_plies: 0 is not an integer from 1"),
    (lambda: GameLimits(margin_ms=-4), "margin_ms: -4 is not an integer from 0"),
])  # fmt: skip
def test_impossible_numbers(make: Callable[[], object], problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        make()


def plies_of(scores: str, sides: str = "wb") -> list[PlyRecord]:
    """Plies in turn; a score is a number, ``M3``, ``-M3``, or ``?`` for none."""
    plies = []
    for index, text in enumerate(scores.split()):
        mate = int(text.replace("M", "")) if "M" in text else None
        score = None if text == "?" or mate is not None else int(text)
        side = "wb".index(sides[index % len(sides)])
        info = SearchInfo(score=Score(score, mate))
        plies.append(PlyRecord(side, 1 + index // len(sides), "a1a2", 1, None, None, info))
    return plies


@pytest.mark.parametrize(
    ("scores", "drawn"),
    [
        ("0 0 10 -10", True),
        ("0 0 10", False),
        ("99 0 0 10 -10", True),
        ("0 0 11 -10", False),
        ("0 0 10 ?", False),
        ("0 0 M1 0", False),
        ("11 0 0 0", False),
        ("", False),
    ],
)
def test_draws(scores: str, drawn: bool) -> None:
    decided = adjudicate(plies_of(scores), GameLimits(draw=DrawRule(1, 2, 10)))
    assert (decided is not None) == drawn
    if decided is not None:
        assert (decided.winner, decided.termination) == (None, Termination.ADJUDICATION)


def test_draws_begin_with_a_move_number() -> None:
    limits = GameLimits(draw=DrawRule(3, 1, 10))
    assert adjudicate(plies_of("0 0 0 0"), limits) is None
    assert adjudicate(plies_of("0 0 0 0 0"), limits) is not None


@pytest.mark.parametrize(
    ("scores", "one_sided", "two_sided"),
    [
        ("400 -400 400 -400", 0, 0),
        ("300 -300 300 -300", 0, 0),
        ("-400 400 -400 400", 1, 1),
        ("400 -400 400 -299", None, None),
        ("400 -400 200 -400", 0, None),
        ("400 -400 ? -400", 0, None),
        ("M9 -M9 M8 -M8", 0, 0),
        ("M1 0 M1 M0", None, None),
        ("900 M0 900 M0", 0, 0),
        ("-400 -400 -400 -400", 1, None),
        ("-400", None, None),
        ("", None, None),
    ],
)
def test_resignations(scores: str, one_sided: int | None, two_sided: int | None) -> None:
    for is_two_sided, winner in ((False, one_sided), (True, two_sided)):
        decided = adjudicate(plies_of(scores), GameLimits(resign=ResignRule(2, 300, is_two_sided)))
        assert (decided.winner if decided else None) == winner
        if decided is not None:
            assert decided.termination is Termination.RESIGNATION
            assert decided.details.startswith("White" if decided.winner == 1 else "Black")


def test_sides_that_move_twice_have_their_own_rows() -> None:
    limits = GameLimits(draw=DrawRule(1, 2, 10))
    assert adjudicate(plies_of("0 0 0 0", "wwbb"), limits) is not None
    assert adjudicate(plies_of("0 0 0", "wwbb"), limits) is None


def test_the_length_comes_last() -> None:
    limits = GameLimits(max_plies=4, draw=DrawRule(1, 2, 10), resign=ResignRule(2, 300))
    resigned, drawn, long = (adjudicate(plies_of(text), limits) for text in ("500 -500 " * 2, "0 " * 4, "99 " * 4))
    assert resigned is not None
    assert drawn is not None
    assert long is not None
    assert resigned.termination is Termination.RESIGNATION
    assert drawn.details == "both scores within 10 of zero for 2 moves"
    assert long.details == "unfinished after 4 plies"
    assert adjudicate(plies_of("99 99 99"), limits) is None
