"""The review of a game: marks, best moves, accuracy, and its progress."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from html_page import Page
from latrones_uci.commands.gui import gui_config
from latrones_uci.game import Game, Position
from latrones_uci.match.annotation import (
    AnalysedMove,
    Evaluation,
    Judgement,
    judged_moves,
    render_analysis,
    render_judgement,
)
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.web.board.analyst import accuracy, review_data
from latrones_uci.web.board.config import parse_game
from latrones_uci.web.board.kept_games import import_games, restore
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.page_server import RefusedError
from latrones_uci.web.report.review_page import ReviewedGame, render_review_page
from serving import fake_engine, waited

PERSON = {"kind": "person"}
GAME = {"variant": "latrones", "size": "6x6", "players": [PERSON, PERSON]}


def judged(best: str, score: Score, after: Score | None = None) -> Judgement:
    evaluation = Evaluation() if after is None else Evaluation(after)
    return Judgement(best, SearchInfo(score=score, depth=6, nodes=99, pv=(best,)), 150_000_000, evaluation, 5)


def move(side: int, points: int | None, loss: int | None) -> AnalysedMove:
    """Return a move that loses something, which the evaluation after it shows."""
    after = None if points is None or loss is None else Score((points - loss) * (1 - 2 * side))
    return AnalysedMove(side, 1, "a1a2", judged("b1b2", Score(points), after))


REVIEWED = Game("latrones", "6x6")
for _text in ("a1a3", "a6a4", "b1b3"):
    REVIEWED.play(_text)


def reviewed_moves() -> list[AnalysedMove]:
    """Return a blunder of White, the best move of Black, and a mistake of White that lets Black win."""
    return judged_moves(REVIEWED, [judged("b1b3", Score(43), Score(-288)), judged("a6a4", Score(288), Score(-271)),
                                   judged("c1c3", Score(-271), Score(mate=-3))])  # fmt: skip


def test_the_data_of_a_review() -> None:
    data = review_data(REVIEWED, reviewed_moves())
    assert data["scores"] == [43, -288, -271, "#-3"]
    assert [(one["mark"], one["best"], one["lost"]) for one in data["moves"]] == [
        ("??", "b1-b3", "loses 3.3 soldiers"), ("", "a6-a4", "loses 0.0 soldiers"),
        ("??", "c1-c3", "loses 7.3 soldiers")]  # fmt: skip
    assert data["moves"][0]["path"] == [1, 13]
    assert data["moves"][1]["fen"] == REVIEWED.positions[1].fen()
    assert data["accuracy"][1] == 100


def test_a_reviewed_game_has_one_evaluation_everywhere() -> None:
    """On the page, in its PGN, on the page of the PGN, and in the page that ``analyse --html`` writes."""
    moves = reviewed_moves()
    on_page = review_data(REVIEWED, moves)
    config = gui_config([fake_engine()])
    tags = {"Event": "Test", "White": "Anna", "Result": "*", "Variant": "latrones", "FEN": REVIEWED.start.fen()}
    text = render_analysis(tags, moves, "*", "me")
    assert re.findall(r"\[%eval ([^]]*)\]", " ".join(text.split())) == ["-2.88,5", "-2.71,5", "#-3,5"]
    (kept,), _ = import_games(text, config)
    shown: list[Any] = []
    live = LiveGame("a", parse_game(GAME, config), config, lambda name, kind, data: shown.append((kind, data)))
    restore(live, kept, config)
    assert shown[-2] == ("review", on_page)
    assert [ply["score"] for ply in render_state(live, config)["plies"]] == [None] * 3  # no player reported one
    assert render_game_pgn(live, config).partition("1. a1a3")[2] == text.partition("1. a1a3")[2]
    page = Page(render_review_page([ReviewedGame(tags, "*", REVIEWED, moves)], "me", "0.15 s"))
    replay = json.loads(page.scripts["game-1"])
    assert replay["score"] == on_page["scores"][1:]
    assert replay["lost"] == [one["lost"] if one["mark"] else None for one in on_page["moves"]]
    assert "1. a1-a3?? blunder (\u22122.88): loses 3.3 soldiers. Best was b1-b3." in page.text["a"]


def test_a_reviewed_game_ends_in_words_for_people() -> None:
    for details, words in (("nocapture", "100 turns without a capture"), ("wins on points", "normal: wins on points")):
        tags = {"Termination": "normal", "TerminationDetails": details}
        page = render_review_page([ReviewedGame(tags, "1/2-1/2", REVIEWED, reviewed_moves())], "me", "0.15 s")
        assert f", {words}</p>" in page


def test_the_result_is_the_evaluation_after_the_last_move() -> None:
    game = Game(Position.from_fen("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"))
    game.play("c6c8")
    [won] = judged_moves(game, [judged("e1e2", Score(43), Score(-288))])
    assert (won.after, won.loss_centi) == (Evaluation(Score(mate=0), 1), 0)
    assert render_judgement(won.judgement) == "best e1e2 +0.43/6 0.150s n=99 pv e1e2"  # the result says it
    missed = AnalysedMove(0, 1, "a1a2", judged("b1b2", Score(mate=2), Score(80)))
    assert (missed.mark, missed.lost) == ("??", "loses a forced win")


def test_accuracy() -> None:
    assert accuracy([]) is None
    assert accuracy([move(0, None, None)]) is None
    assert accuracy([move(0, 0, 0)]) == 100
    assert accuracy([move(0, 0, 99)]) == 100  # no mistake: it may be the noise of two searches
    placement = replace(move(0, 0, 400), text="S@a1")
    assert accuracy([placement]) is None
    assert accuracy([move(0, 0, 400), placement]) == accuracy([move(0, 0, 400)])
    small, large = (accuracy([move(0, 0, 0)] * 9 + [move(0, 0, loss)]) for loss in (100, 400))
    assert small is not None
    assert large is not None
    assert 75 < small < 80
    assert 45 < large < 50
    assert (accuracy([move(0, 1000, 200)]) or 0) > 85  # a side that wins anyway loses little
    # Moves of a lost position do not make up for those that lost it.
    blunders = [move(1, 0, 400), move(1, -400, 600)]
    assert abs((accuracy(blunders) or 0) - (accuracy([*blunders, *[move(1, -1000, 0)] * 40]) or 0)) < 5


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
