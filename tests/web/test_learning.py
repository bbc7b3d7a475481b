"""Mistakes of a reviewed game: what the review says of them, and the verdicts on moves tried instead."""

from __future__ import annotations

from typing import Any

import pytest

from latrones_uci.game import Game, Position
from latrones_uci.records.annotation import Evaluation, Judgement, judged_moves, parse_judgement, render_judgement
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.board.analyst import review_data
from latrones_uci.web.board.kept_games import PgnImport, restore
from latrones_uci.web.board.learning import Attempt, attempt_data
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.lib.page_server import RefusedError
from serving import NewGame, fakes, waited

WINNING = "3ds3/3S4/2S5/8/8/8/s7/4D3 w 0 1"
MISSED = Judgement("c6c8", SearchInfo(score=Score(mate=1), depth=6, nodes=99, pv=("c6c8",)), 150_000_000,
                   Evaluation(Score(120), 0), 5)
REPLIED = Judgement("a2a3", SearchInfo(score=Score(-120), depth=6, pv=("a2a3", "c6c8")), 150_000_000,
                    Evaluation(Score(mate=1), 0), 5)


def missed() -> Game:
    game = Game(Position.from_fen("latrones", WINNING))
    for text in ("e1e2", "a2a3"):
        game.push(text)
    return game


def reviewed(new_game: NewGame, shown: list[tuple[str, Any]]) -> LiveGame:
    """A game with a review, of which White missed a win."""
    config = fakes()
    first, second = (f"{{{render_judgement(judgement)}}}" for judgement in (MISSED, REPLIED))
    text = (f'[Variant "latrones"]\n[FEN "{WINNING}"]\n[Result "1-0"]\n\n'
            f"1. e1e2 $4 {first} a2a3 {second} 1-0\n")
    kept, = PgnImport(config, lambda record: False).read(text, last=True).games
    live = new_game(engines=config, shown=shown)
    restore(live, kept, config)
    return live


def test_a_judgement_is_read_as_it_was_written() -> None:
    for judgement in (MISSED, REPLIED):
        text = render_judgement(judgement)
        assert render_judgement(parse_judgement(text)[0] or MISSED) == text


def test_a_review_says_why_a_move_is_a_mistake() -> None:
    game = missed()
    mistake, reply = review_data(game, judged_moves(game, [MISSED, REPLIED]))["moves"]
    assert (mistake["mark"], mistake["lost"]) == ("??", "loses a forced win")
    assert (mistake["why"], mistake["fault"]) == ("captures the black dux", "")
    assert (mistake["line"], mistake["moves"]) == (["c6-c8xDd8#"], ["c6c8"])
    assert "why" not in reply  # it was the best move


@pytest.mark.parametrize(("text", "info", "reply", "solved", "words"), [
    ("c6c8", None, "", True, "c6-c8xDd8# is the best move: it captures the black dux."),
    ("e1e3", None, "", False, "Searching after De1-e3+\u2026"),
    ("e1e3", SearchInfo(), "", False, "De1-e3+ is not judged: the engine gives no score."),
    ("e1e3", SearchInfo(score=Score(mate=-2)), "", True, "De1-e3+ is as good as the best move, c6-c8xDd8#."),
    ("e1e3", SearchInfo(score=Score(-950)), "a2a3", False,
     "De1-e3+ loses a forced win (a2-a3). That is better than the move of the game."),
    ("e1e3", SearchInfo(score=Score(400)), "z9z9", False, "De1-e3+ loses a forced win.")])
def test_verdicts(text: str, info: SearchInfo | None, reply: str, solved: bool, words: str) -> None:
    game = missed()
    attempt = Attempt(0, 7, game.start.parse_move(text))
    outcome = game.start.after(attempt.move).outcome()
    data = attempt_data(game, attempt, MISSED, outcome, info, reply)
    assert (data["text"], data["solved"], data["node"]) == (words, solved, 7)
    assert data["reply"] == ([8, 16] if reply == "a2a3" else None)


def test_the_move_of_the_game_is_judged_by_the_review() -> None:
    game = missed()
    data = attempt_data(game, Attempt(0, None, game.moves[0]), MISSED, reply="a2a3")
    assert data["text"] == "De1-e2+, the move of the game, loses a forced win (a2-a3)."
    assert (data["score"], data["mark"]) == (120, "??")


def test_a_tried_move_is_a_variation_with_a_verdict(new_game: NewGame) -> None:
    shown: list[tuple[str, Any]] = []
    live = reviewed(new_game, shown)

    def verdicts() -> list[Any]:
        return [data for kind, data in shown if kind == "attempt"]

    reached = live.attempt("c6c8", 0)
    assert reached == {"ply": 0, "node": 1}
    assert verdicts()[-1]["solved"]
    assert live.variations.find(1).score == "#0"
    assert live.attempt("e1e2", 0) == {"ply": 1, "node": None}
    assert verdicts()[-1]["text"].startswith("De1-e2+, the move of the game, loses a forced win")
    other = live.attempt("e1e3", 0)["node"]
    assert "Searching after De1-e3+" in verdicts()[-1]["text"]
    found = waited(lambda: [data for data in verdicts() if data["node"] == other and "Searching" not in data["text"]])
    assert found[0]["ply"] == 0
    for text, ply, message in (("a1a9", 0, "'a1a9'"), ("c6c8", 2, "ply 2: no review"), ("c6c8", 9, "ply 9: expected")):
        with pytest.raises(RefusedError, match=message):
            live.attempt(text, ply)
    live.undo()  # another game: it has no review
    with pytest.raises(RefusedError, match="no review of the move played here"):
        live.attempt("c6c8", 0)


def test_a_verdict_comes_too_late_for_a_deleted_variation(new_game: NewGame) -> None:
    shown: list[tuple[str, Any]] = []
    live = reviewed(new_game, shown)
    with live.lock:
        live.delete_variation(live.attempt("e1e3", 0)["node"])
    node = live.attempt("e1e4", 0)["node"]
    waited(lambda: [data for kind, data in shown if kind == "attempt" and data["node"] == node
                    and "Searching" not in data["text"]])
    assert live.notices == []
