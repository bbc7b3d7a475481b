"""The review of a game: marks, best moves, accuracy, and its progress."""

from __future__ import annotations

from typing import Any

import pytest

from latrones_uci.analysis.annotation import AnalysedMove
from latrones_uci.commands.gui import gui_config
from latrones_uci.game import Game, Outcome, Termination
from latrones_uci.gui.config import parse_game
from latrones_uci.gui.live_game import LiveGame
from latrones_uci.gui.review import accuracy, review_data
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.web.page_server import RefusedError
from serving import fake_engine, waited

PERSON = {"kind": "person"}
GAME = {"variant": "latrones", "size": "6x6", "players": [PERSON, PERSON]}


def move(
    side: int, text: str, best: str, points: int | None, loss: int | None, mate: int | None = None
) -> AnalysedMove:
    return AnalysedMove(side, 1, text, best, SearchInfo(score=Score(cp=points, mate=mate)), 0, loss)


def test_the_data_of_a_review() -> None:
    game = Game("latrones", "6x6")
    for text in ("a1a3", "a6a4"):
        game.play(text)
    moves = [move(0, "a1a3", "b1b3", 40, 150), move(1, "a6a4", "a6a4", 120, 0)]
    data = review_data(game, moves, Outcome(Termination.RESIGNATION, 0, "Black resigned"))
    assert data["scores"] == [40, -120, 1000]
    assert [(one["mark"], one["best"], one["loss"]) for one in data["moves"]] == [("?", "b1-b3", 150), ("", "a6-a4", 0)]
    assert data["moves"][0]["path"] == [1, 13]
    assert data["moves"][1]["fen"] == game.positions[1].fen()
    assert data["accuracy"][1] == 100
    assert review_data(game, moves, None)["scores"] == [40, -120, -120]
    assert review_data(game, [moves[0], move(1, "a6a4", "a6a4", None, 0, mate=2)], None)["scores"][1] == -1000


def test_accuracy() -> None:
    assert accuracy([]) is None
    assert accuracy([move(0, "", "", None, None)]) is None
    assert accuracy([move(0, "", "", 0, 0)]) == 100
    small, large = (accuracy([move(0, "", "", 0, loss)]) for loss in (50, 400))
    assert small is not None
    assert large is not None
    assert 70 < small < 90
    assert 10 < large < 40
    # A side that wins anyway loses little.
    assert (accuracy([move(0, "", "", 1000, 200)]) or 0) > 90


@pytest.mark.process
def test_a_review_runs_beside_the_game_and_ends_with_it() -> None:
    config = gui_config([fake_engine()])
    shown: list[tuple[str, Any]] = []
    live = LiveGame("a", parse_game(GAME, config), config, lambda name, kind, data: shown.append((kind, data)))
    live.wake()
    with pytest.raises(RefusedError, match="no move to review"):
        live.review()
    for ply, text in enumerate(("a1a3", "a6a4", "b1b3")):
        live.move(text, ply)
    live.review()
    reviews = waited(lambda: [data for kind, data in shown if kind == "review" and data.get("moves")])
    assert len(reviews[0]["moves"]) == 3
    assert {data["done"] for kind, data in shown if kind == "review" and "done" in data} >= {1, 2, 3}
    live.show_state()
    assert shown[-1] == ("review", reviews[0])  # a page that is opened later gets it, too
    live.move("b6b4", 3)
    live.show_state()
    assert shown[-1] == ("review", None)
    live.sleep(wait=True)


@pytest.mark.process
def test_a_review_without_an_engine_says_so() -> None:
    config = gui_config([fake_engine("crash")])
    shown: list[tuple[str, Any]] = []
    live = LiveGame("a", parse_game(GAME, config), config, lambda name, kind, data: shown.append((kind, data)))
    live.wake()
    live.move("a1a3", 0)
    live.review()
    problem = waited(lambda: [data["problem"] for kind, data in shown if kind == "review" and data.get("problem")])
    assert problem[0].startswith("The review has failed: ")
    live.sleep(wait=True)
