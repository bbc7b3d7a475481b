"""The review of a game: marks, best moves, accuracy, its progress, and where it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from html_page import Page
from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, Position
from latrones_uci.records.annotation import (
    WINNING_CENTI,
    AnalysedMove,
    Evaluation,
    Judgement,
    analyse_game,
    evaluations,
    judged_moves,
    render_analysis,
    render_judgement,
)
from latrones_uci.text.protocol import BestMove, Score, SearchInfo
from latrones_uci.web.board.analyst import accuracy, review_data
from latrones_uci.web.board.kept_games import PgnImport, restore
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.lib.page_server import RefusedError, asset
from latrones_uci.web.match.review_page import ReviewedGame, render_review_page
from records.test_fortress import GAME, SCORES, TOLD, reviewed
from serving import NewGame, fakes, waited


def judged(best: str, score: Score, after: Score | None = None) -> Judgement:
    evaluation = Evaluation() if after is None else Evaluation(after)
    return Judgement(best, SearchInfo(score=score, depth=6, nodes=99, pv=(best,)), 150_000_000, evaluation, 5)


def move(side: int, points: int | None, loss: int | None) -> AnalysedMove:
    """Return a move that loses something, which the evaluation after it shows."""
    after = None if points is None or loss is None else Score((points - loss) * (1 - 2 * side))
    return AnalysedMove(side, 1, "a1a2", judged("b1b2", Score(points), after))


REVIEWED = Game("latrones", "6x6")
for _text in ("a1a3", "a6a4", "b1b3"):
    REVIEWED.push(_text)
# A blunder of White, the best move of Black, and a mistake of White that lets Black win.
MOVES = judged_moves(REVIEWED, [judged("b1b3", Score(43), Score(-288)), judged("a6a4", Score(288), Score(-271)),
                                judged("c1c3", Score(-271), Score(mate=-3))])


def test_the_data_of_a_review() -> None:
    data = review_data(REVIEWED, MOVES)
    assert data["scores"] == [43, -288, -271, "#-3"]
    assert [(one["mark"], one["best"], one["lost"]) for one in data["moves"]] == [
        ("??", "b1-b3", "loses 3.3 soldiers"), ("", "a6-a4", "loses 0.0 soldiers"),
        ("??", "c1-c3", "loses 7.3 soldiers")]
    assert data["moves"][0]["path"] == [1, 13]
    assert data["moves"][1]["fen"] == REVIEWED.positions[1].fen()
    assert data["accuracy"][1] == 100


def test_a_reviewed_game_has_one_evaluation_everywhere(new_game: NewGame) -> None:
    """On the page, in its PGN, on the page of the PGN, and in the page that ``analyse --html`` writes."""
    on_page, config, shown = review_data(REVIEWED, MOVES), fakes(), list[Any]()
    tags = {"Event": "Test", "White": "Anna", "Result": "*", "Variant": "latrones", "FEN": REVIEWED.start.fen()}
    text = render_analysis(tags, MOVES, "*", "me")
    assert re.findall(r"\[%eval ([^]]*)\]", " ".join(text.split())) == ["-2.88,5", "-2.71,5", "#-3,5"]
    kept, = PgnImport(config, lambda record: False).read(text, last=True).games
    live = new_game(engines=config, shown=shown)
    restore(live, kept, config)
    assert shown[-2] == ("review", on_page)
    assert [ply["score"] for ply in render_state(live, config)["plies"]] == [None] * 3  # no player reported one
    assert render_game_pgn(live, config).partition("1. a1a3")[2] == text.partition("1. a1a3")[2]
    page = Page(render_review_page([ReviewedGame(tags, "*", REVIEWED, MOVES)], "me", "0.15 s"))
    replay = json.loads(page.scripts["game-1"])
    assert replay["score"] == on_page["scores"][1:]
    assert replay["lost"] == [one["lost"] if one["mark"] else None for one in on_page["moves"]]
    assert "1. a1-a3?? blunder (\u22122.88 soldiers): loses 3.3 soldiers. Best was b1-b3." in page.text["a"]


@pytest.mark.parametrize(("details", "words"), [
    ("nocapture", "100 turns without a capture"), ("wins on points", "normal: wins on points")])
def test_a_reviewed_game_ends_in_words_for_people(details: str, words: str) -> None:
    tags = {"Termination": "normal", "TerminationDetails": details}
    assert f", {words}</p>" in render_review_page([ReviewedGame(tags, "1/2-1/2", REVIEWED, MOVES)], "me", "0.15 s")


def test_a_fortress_is_told_on_both_pages() -> None:
    moves = reviewed(GAME, SCORES)
    assert review_data(GAME, moves)["fortress"] == TOLD
    assert "fortress" not in review_data(REVIEWED, MOVES)
    page = render_review_page([ReviewedGame({}, "1/2-1/2", GAME, moves)], "me", "0.15 s")
    assert f"<p>{TOLD}</p>" in page
    assert "fortress" not in render_review_page([ReviewedGame({}, "*", REVIEWED, MOVES)], "me", "0.15 s")


class Oracle:
    """An engine whose answers, a move and a score, are given by the number of plies; others if it has longer."""

    def __init__(self, *answers: tuple[str, Score], longer: Mapping[int, tuple[str, Score]] | None = None) -> None:
        self.answers, self.longer, self.asked = answers, longer or {}, list[tuple[int, float | None]]()

    def new_game(self, game: Game) -> None:
        pass

    def search(self, game: Game, limit: Limit) -> SearchAnswer:
        plies = len(game.moves)
        self.asked.append((plies, limit.time))
        text, score = (self.longer if limit.time != 1 else self.answers)[plies]
        return SearchAnswer(BestMove(text), 1, False, (f"info depth 5 score cp {score.cp} pv {text}",))

    def legal_move(self, game: Game, text: str) -> object:
        return game.position.parse_move(text)


def test_a_drop_of_the_graph_is_marked_or_corrected() -> None:
    """Black plays its first choice, and the next search says that it loses 3.5 soldiers."""
    seen = ("a1a3", Score(40)), ("a6a4", Score(-50)), ("b1b3", Score(400)), ("b6b4", Score(-400))
    oracle = Oracle(*seen, longer={1: ("b6b4", Score(-60))})
    moves = analyse_game(REVIEWED, oracle, Limit(time=1))  # type: ignore[arg-type]
    assert oracle.asked[4:] == [(1, 5)]  # searched longer
    assert [(one.judgement.best, one.mark, one.lost) for one in moves] == [
        ("a1a3", "", "loses 0.0 soldiers"), ("b6b4", "??", "loses 3.4 soldiers"), ("b1b3", "", "loses 0.0 soldiers")]
    moves = analyse_game(REVIEWED, Oracle(*seen, longer={1: seen[1]}), Limit(time=1))  # type: ignore[arg-type]
    assert [one.white_centi for one in evaluations(moves)] == [400] * 4  # it was lost before


def test_no_change_of_the_graph_is_left_without_a_mark() -> None:
    for seed in range(200):
        chance, texts = Random(seed), [("a1a3", "b1b3"), ("a6a4", "b6b4"), ("b1b3", "c1c3"), ("b6b4",)]
        seen, longer = ([(chance.choice(each), Score(chance.randrange(-900, 900))) for each in texts] for _ in range(2))
        oracle = Oracle(*seen, longer=dict(enumerate(longer)))
        for one in analyse_game(REVIEWED, oracle, Limit(time=1)):  # type: ignore[arg-type]
            change = ((one.after.white_centi or 0) - (one.before.white_centi or 0)) * (1 - 2 * one.side)
            assert change < 100
            assert change > -100 or one.mark


def test_a_win_found_late_is_a_win_before() -> None:
    game = Game(Position.from_fen("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"))
    game.push("c6c8")  # wins
    [won] = analyse_game(game, Oracle(("e1e2", Score(50))), Limit(time=1))  # type: ignore[arg-type]
    assert (won.judgement.best, won.before) == ("c6c8", Evaluation(Score(mate=1)))


def test_a_great_loss_is_said_without_a_number() -> None:
    for points, loss, words in ((900, 1500, "loses a winning position"), (0, 900, "leads to a lost position"),
                                (400, 900, "loses 9.0 soldiers"), (900, 700, "loses 7.0 soldiers")):
        assert [move(side, points, loss).lost for side in (0, 1)] == [words] * 2


def test_the_result_is_the_evaluation_after_the_last_move() -> None:
    game = Game(Position.from_fen("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"))
    game.push("c6c8")
    [won] = judged_moves(game, [judged("e1e2", Score(43), Score(-288))])
    assert (won.after, won.loss_centi) == (Evaluation(Score(mate=0), 1), 0)
    assert render_judgement(won.judgement) == "best e1e2 +0.43/6 0.150s n=99 pv e1e2"  # the result says it
    missed = AnalysedMove(0, 1, "a1a2", judged("b1b2", Score(mate=2), Score(80)))
    assert (missed.mark, missed.lost) == ("??", "loses a forced win")


def test_pages_and_reports_call_the_same_score_winning() -> None:
    assert f"const WINNING = {WINNING_CENTI};" in asset("lib/display.js").body.decode()


def test_accuracy() -> None:
    placement, blunder = replace(move(0, 0, 400), text="S@a1"), move(0, 0, 400)
    winning = [move(0, 1000, 200)]  # a side that wins anyway loses little
    for moves, low, high in (([move(0, 0, 0)], 100, 100), ([move(0, 0, 99)], 100, 100),  # the noise of two searches
                             ([move(0, 0, 0)] * 9 + [move(0, 0, 100)], 76, 79),
                             ([move(0, 0, 0)] * 9 + [blunder], 46, 49), (winning, 86, 100)):
        assert low <= (accuracy(moves) or 0) <= high
    for nothing in ([], [move(0, None, None)], [placement]):
        assert accuracy(nothing) is None
    assert accuracy([blunder, placement]) == accuracy([blunder])
    # Moves of a lost position do not make up for those that lost it.
    blunders = [move(1, 0, 400), move(1, -400, 600)]
    assert abs((accuracy(blunders) or 0) - (accuracy([*blunders, *[move(1, -1000, 0)] * 40]) or 0)) < 5


def reviews(shown: list[tuple[str, Any]], key: str) -> list[Any]:
    return [data for kind, data in shown if kind == "review" and data and data.get(key)]


def test_a_review_runs_beside_the_game_and_ends_with_it(new_game: NewGame) -> None:
    shown: list[tuple[str, Any]] = []
    live = new_game(shown=shown)
    with pytest.raises(RefusedError, match="no move to review"):
        live.review()
    for ply, text in enumerate(("a1a3", "a6a4", "b1b3")):
        live.move(text, ply)
    live.review()
    review = waited(lambda: reviews(shown, "moves"))[0]
    assert len(review["moves"]) == 3
    assert {data["done"] for data in reviews(shown, "done")} >= {1, 2, 3}
    live.show_state()
    assert shown[-1] == ("review", review)  # a page that is opened later gets it, too
    live.move("b6b4", 3)
    live.show_state()
    assert shown[-1] == ("review", None)


def test_a_review_without_an_engine_says_so(new_game: NewGame) -> None:
    shown: list[tuple[str, Any]] = []
    live = new_game(engines=fakes("crash"), shown=shown)
    live.move("a1a3", 0)
    live.review()
    assert waited(lambda: reviews(shown, "problem"))[0]["problem"].startswith("The review has failed: ")
