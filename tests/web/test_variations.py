"""Variations beside a game: played, promoted, deleted, kept, and in PGN; and what a file says about its moves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.game import Game, Position
from latrones_uci.records.pgn_read import PgnError, read_games
from latrones_uci.records.pgn_verify import verify_game
from latrones_uci.web.board import variations
from latrones_uci.web.board.analyst import Subject
from latrones_uci.web.board.kept_games import restore
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.board.variations import Variations
from latrones_uci.web.lib.page_server import RefusedError
from page_requests import Events, do
from serving import ENGINE, PEOPLE, PERSON, NewGame, fake_engine, serving, waited

CLOCKS = {**PEOPLE, "players": [{**PERSON, "base_s": 300}] * 2}
MOVES = ["a1a3", "a6a4", "b1b3", "b6b4"]


def played(games: GameRegistry, game: dict[str, Any] = PEOPLE) -> LiveGame:
    live = games.create(game)
    for ply, text in enumerate(MOVES):
        live.move(text, ply)
    return live


def add(live: LiveGame, ply: int, *texts: str, node: int | None = None) -> int:
    """Play moves beside the game, and return the number of the last one."""
    found: dict[str, Any] = {"ply": ply, "node": node}
    for text in texts:
        found = live.vary(text, found["ply"], found["node"])
    assert isinstance(found["node"], int)
    return found["node"]


def movetext(games: GameRegistry, live: LiveGame) -> str:
    text = " ".join(render_game_pgn(live, games.config).partition("\n\n")[2].split())
    return re.sub(r" \{\d\.\d{3}s\}", "", text)


def test_moves_off_the_line_start_variations(games: GameRegistry) -> None:
    live = played(games)
    before = render_state(live, games.config)
    end = add(live, 1, "b6b4", "b1b3", "f6f4")
    add(live, 1, "b6b4", "c1c3")  # the same start: a variation of the variation
    assert live.vary("b6b4", 1, None) == {"ply": 1, "node": 1}  # known already
    assert live.vary("a6a4", 1, None) == {"ply": 2, "node": None}  # along the game
    assert render_state(live, games.config) == before  # the game itself has not changed
    assert movetext(games, live) == "1. a1a3 a6a4 (1... b6b4 2. b1b3 (2. c1c3) 2... f6f4) 2. b1b3 b6b4 *"
    recorded, = read_games(render_game_pgn(live, games.config).splitlines())
    assert len(verify_game(recorded, games.config.variants).moves) == 4
    nodes = live.variations.data()["nodes"]
    assert [(node["parent"], node["at"], node["number"], node["mover"], node["note"]) for node in nodes] == [
        (None, 1, 1, 1, "b6-b4"), (1, 1, 2, 0, "b1-b3"), (2, 1, 2, 1, "f6-f4"), (1, 1, 2, 0, "c1-c3")]
    expected = live.game.up_to(1)
    for text in ("b6b4", "b1b3", "f6f4"):
        expected.push(text)
    assert nodes[end - 1]["fen"] == expected.position.fen()


def test_where_moves_can_go_and_why_not(games: GameRegistry) -> None:
    live = played(games)
    with pytest.raises(RefusedError, match="the move belongs to the game"):
        live.vary("c1c3", 4, None)
    with pytest.raises(RefusedError, match="'a1a9'"):
        live.vary("a1a9", 0, None)
    with pytest.raises(RefusedError, match=r"ply 5: expected 0\.\.4"):
        live.vary("a1a2", 5, None)
    with pytest.raises(RefusedError, match="no longer there"):
        live.vary("a1a2", None, 7)
    assert live.moves_at(4, None)["legal"] == render_state(live, games.config)["legal"]
    node = add(live, 0, "b1b3")
    texts = {move["text"] for move in live.moves_at(None, node)["legal"]}
    after = Game("latrones", "6x6")
    after.push("b1b3")
    assert texts == {str(move) for move in after.legal_moves()}
    assert "Black's turn" in live.reason_against(None, 0, None, node)
    live.resign()
    assert add(live, 4, "c1c3") == node + 1  # after the end
    assert movetext(games, live) == "1. a1a3 (1. b1b3) 1... a6a4 2. b1b3 b6b4 (2... b6b4 3. c1c3) 0-1"
    assert live.outcome is not None


def test_promote_and_delete(games: GameRegistry) -> None:
    live = played(games, CLOCKS)
    add(live, 1, "b6b4", "b1b3", "f6f4")
    inner = add(live, 1, "b6b4", "c1c3")
    other = add(live, 1, "f6f4")
    live.promote_variation(inner)
    assert "(1... b6b4 2. c1c3 (2. b1b3 f6f4))" in movetext(games, live)
    live.promote_variation(other)
    assert "(1... f6f4) (1... b6b4" in movetext(games, live)
    with pytest.raises(RefusedError, match="the moves that were played stay the game"):
        live.promote_variation(other)
    live.delete_variation(inner)
    assert "(1... f6f4) (1... b6b4 2. b1b3 f6f4)" in movetext(games, live)
    live.delete_variation(1)
    assert movetext(games, live) == "1. a1a3 a6a4 (1... f6f4) 2. b1b3 b6b4 *"
    with pytest.raises(RefusedError, match="no longer there"):
        live.delete_variation(inner)


def test_two_humans_without_clocks_can_make_a_variation_the_game(games: GameRegistry) -> None:
    live = played(games)
    add(live, 1, "b6b4", "c1c3")
    add(live, 3, "f6f4")
    inner = add(live, 1, "b6b4", "b1b3")
    live.variations.find(1).note.sign = "!"
    live.promote_variation(1)
    assert [str(move) for move in live.game.moves] == ["a1a3", "b6b4", "c1c3"]
    assert [note.notation for note in live.plies] == ["a1-a3", "b6-b4", "c1-c3"]
    assert movetext(games, live) == (
        "1. a1a3 b6b4 $1 (1... a6a4 2. b1b3 b6b4 (2... f6f4)) 2. c1c3 (2. b1b3) *")
    assert live.variations.find(inner).root.ply == 2
    live.promote_variation(live.variations.data()["nodes"][0]["id"])  # and back
    assert [str(move) for move in live.game.moves] == MOVES
    assert movetext(games, live) == (
        "1. a1a3 a6a4 (1... b6b4 $1 2. c1c3 (2. b1b3)) 2. b1b3 b6b4 (2... f6f4) *")


def test_variations_follow_the_game(games: GameRegistry) -> None:
    live = played(games)
    live.add_line(["c1c3", "f6f4", "e1e3"], None, None)  # in the current position, as from a line of the analysis
    live.add_line(["c1c3", "d6d4"], None, None)
    live.move("c1c3", 4)
    assert movetext(games, live) == "1. a1a3 a6a4 2. b1b3 b6b4 3. c1c3 (3. c1c3 f6f4 (3... d6d4) 4. e1e3) *"
    live.move("e6e4", 5)
    assert movetext(games, live) == "1. a1a3 a6a4 2. b1b3 b6b4 3. c1c3 e6e4 (3... f6f4 4. e1e3) (3... d6d4) *"
    live.undo()
    live.undo()
    live.undo()
    assert movetext(games, live) == "1. a1a3 a6a4 2. b1b3 *"
    assert live.variations.data()["nodes"] == []


def test_variations_are_kept_and_come_back_from_pgn(games: GameRegistry) -> None:
    live = played(games)
    add(live, 1, "b6b4", "b1b3", "f6f4")
    add(live, 1, "b6b4", "c1c3")
    live.resign()
    add(live, 4, "c1c3", "f6f4")
    text = render_game_pgn(live, games.config)
    kept = games.kept_game(live.record)
    assert kept.movetext
    other = games.create(PEOPLE)
    restore(other, kept, games.config)  # as after a restart
    assert render_game_pgn(other, games.config) == text
    record = games.import_games(text).games[0].record
    games.open(other.name, record)
    assert movetext(games, other) == movetext(games, live)
    assert "".join(games.export_games([record, live.record])).count("(1... b6b4 2. b1b3") == 2
    assert list(games.export_games(["none"])) == []


def test_the_number_of_moves_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variations, "MAX_MOVES", 3)
    game, tree = Game("latrones", "6x6"), Variations(Game("latrones", "6x6"))
    for text in ("a1a3", "b1b3", "c1c3"):
        tree.add(game.copy(), tree.played[0], game.position.parse_move(text))
    tree.add(game.copy(), tree.played[0], game.position.parse_move("a1a3"))  # it is known
    with pytest.raises(RefusedError, match="can have 3 moves; delete some"):
        tree.add(game.copy(), tree.played[0], game.position.parse_move("a1a4"))


# ---------------------------------------------------------------- what a file says

START = Game("latrones", "6x6").start.fen()
ANNOTATED = f"""\
[Event "Test"]
[White "Anna"]
[Black "Bela"]
[Result "*"]
[Variant "latrones"]
[FEN "{START}"]
[Annotator "me"]

1. a1a3 $4 {{+3.50/6 0.101s n=123; best b1b3 pv b1b3 a6a4}} a6a4
{{-0.10/6 0.100s n=99; best a6a4 pv a6a4}} 2. b1b3 $2 {{+0.20/5 0.100s; best c1c3}}
*
"""


def opened(games: GameRegistry, text: str) -> tuple[LiveGame, list[tuple[str, Any]]]:
    shown: list[tuple[str, Any]] = []
    games.broadcaster.show = lambda name, kind, data: shown.append((kind, data))  # type: ignore[method-assign]
    live = games.create(PEOPLE)
    record = games.import_games(text).games[0].record
    games.open(live.name, record)
    return live, shown


def test_an_annotated_file_brings_its_review(games: GameRegistry) -> None:
    """Also in the format of before 0.3, which has the score before each move only."""
    live, shown = opened(games, ANNOTATED)
    review = [data for kind, data in shown if kind == "review"][-1]
    assert review["scores"] == [350, 10, 20, None]
    assert [(move["mark"], move["best"], move["lost"]) for move in review["moves"]] == [
        ("??", "b1-b3", "loses 3.4 soldiers"), ("", "a6-a4", "loses 0.0 soldiers"),
        ("?", "c1-c3", "")]  # what the last move loses is not in the file
    assert review["accuracy"][1] == 100
    plies = render_state(live, games.config)["plies"]
    assert [(ply["score"], ply.get("depth")) for ply in plies] == [(None, None)] * 3  # no player searched
    assert live.variations.data()["notes"]["0"] == {"sign": "??", "comment": ""}
    text = render_game_pgn(live, games.config)
    assert text.partition("\n\n")[0] == ANNOTATED.partition("\n\n")[0]
    assert " ".join(text.split()).endswith("1. a1a3 $4 " + " ".join(ANNOTATED.split()).partition("$4 ")[2])
    live.move("f6f4", 3)
    assert shown[-1][0] == "state"
    assert [data for kind, data in shown if kind == "review"][-1] is None  # it is no longer that of the whole game


def test_other_comments_and_signs_are_shown(games: GameRegistry) -> None:
    text = ANNOTATED.partition("1. a1a3")[0] + "\n1. a1a3! {A good\nstart} a6a4 (1... b6b4?! {not <b>this}) 2. b1b3 *\n"
    live, shown = opened(games, text)
    assert [data for kind, data in shown if kind == "review"] in ([], [None])
    data = live.variations.data()
    assert data["notes"] == {"0": {"sign": "!", "comment": "A good start"}}
    assert [(node["sign"], node["comment"]) for node in data["nodes"]] == [("?!", "not <b>this")]
    assert movetext(games, live) == "1. a1a3 $1 {A good start} a6a4 (1... b6b4 $6 {not <b>this}) 2. b1b3 *"


def test_comments_and_marks_are_written_kept_and_read_again(games: GameRegistry) -> None:
    text = ANNOTATED.partition("1. a1a3")[0] + """
        {[%cal Ga1a2,Rb1b3][%csl Ya6] where it
        begins} 1. a1a3 {[%cal Yf6f4][%csl Bf6] (x) [%clk 1]} a6a4
        (1... b6b4 $6 {[%csl Rb4] not this}) 2. b1b3 {[%cal x]} *"""
    live, _ = opened(games, text)
    data = live.variations.data()
    assert data["notes"] == {"-1": {"sign": "", "comment": "where it begins", "marks": ["Ga1a2", "Rb1b3", "Ya6"]},
                             "0": {"sign": "", "comment": "(x) [%clk 1]", "marks": ["Yf6f4", "Bf6"]},
                             "2": {"sign": "", "comment": "[%cal x]"}}
    assert (data["nodes"][0]["marks"], data["nodes"][0]["comment"]) == (["Rb4"], "not this")
    live.annotate(1, None, "!?", "  a\nword ", "Ga1a2,b3 b3")
    live.annotate(3, None, "", "", "")
    live.annotate(None, 1, "??", "", "a1")
    live.annotate(0, None, "", "", "")
    written = "1. a1a3 $5 {[%cal Ga1a2][%csl Yb3] a word} a6a4 (1... b6b4 $4 {[%csl Ya1]}) 2. b1b3 *"
    assert movetext(games, live) == written
    live.annotate(0, None, "", "begin", "")
    other = games.create(PEOPLE)
    restore(other, games.kept_game(live.record), games.config)  # as after a restart
    assert movetext(games, other) == f"{{begin}} {written}"
    live.undo()
    live.undo()
    live.undo()
    assert live.variations.data()["notes"] == {"-1": {"sign": "", "comment": "begin"}}


@pytest.mark.parametrize(("note", "message"), [
    (("", "", "z9"), "mark 'z9': expected a square such as b3"), (("", "", "a1h8"), "mark 'a1h8': .*h8"),
    (("", "", "a1a1"), "'a1a1': expected"), (("", "", "Xa1"), "mark 'Xa1': expected"),
    (("", "", "a1 " * 65), "65 marks: expected at most 64"), (("x", "", ""), "sign 'x': expected one of !, "),
    (("", "x" * 2001, ""), "comment of 2001 characters")])
def test_a_wrong_note_is_refused_and_changes_nothing(
    new_game: NewGame, note: tuple[str, str, str], message: str
) -> None:
    live = new_game()
    live.move("a1a3", 0)
    live.annotate(1, None, "!", "kept", "a1")
    before = live.variations.data()
    with pytest.raises(RefusedError, match=message):
        live.annotate(1, None, *note)
    assert live.variations.data() == before


def test_braces_in_a_comment_become_parentheses(games: GameRegistry) -> None:
    """PGN cannot hold a closing brace in a comment; the user is told at once."""
    live = played(games)
    live.annotate(1, None, "", "{a1 or {b2", "")
    assert live.notices == []
    live.annotate(1, None, "", "{a1} or b2}", "")
    assert live.notices[-1][1] == "the comment is saved with ( ) instead of { }, because } ends a comment in PGN"
    assert live.variations.notes[0].comment == "(a1) or b2)"
    recorded, = read_games(render_game_pgn(live, games.config).splitlines())
    assert not isinstance(recorded, PgnError)
    assert recorded.moves[0].comment.endswith("(a1) or b2)")


def test_an_illegal_variation_is_refused_with_its_line(games: GameRegistry) -> None:
    found = games.import_games(ANNOTATED.partition("1. a1a3")[0] + "\n1. a1a3\n(1. a1a9) a6a4 *\n")
    assert found.rejected == ["game 1, line 11: move 'a1a9': a9 is not on the 6x6 board"]
    assert not found.games


def test_the_notes_on_planned_moves_stay_when_they_are_played(games: GameRegistry) -> None:
    """Also those of the second planned move, and those before the move, in the kept game and its PGN."""
    live = games.create(PEOPLE)
    first = live.add_line(["a1a3", "a6a4"], None, None)["node"]
    live.annotate(None, first - 1, "!", "my plan", "Ga1a2")
    live.annotate(None, first, "?", "his reply", "")
    live.move("a1a3", 0)
    live.move("a6a4", 1)
    expected = {"0": {"sign": "!", "comment": "my plan", "marks": ["Ga1a2"]},
                "1": {"sign": "?", "comment": "his reply"}}
    assert (live.variations.data()["notes"], live.variations.data()["nodes"]) == (expected, [])
    assert movetext(games, live) == "1. a1a3 $1 {[%cal Ga1a2] my plan} a6a4 $2 {his reply} *"
    other = games.create(PEOPLE)
    restore(other, games.kept_game(live.record), games.config)
    assert other.variations.data()["notes"] == expected


def test_notes_on_one_move_are_joined(games: GameRegistry) -> None:
    """A variation of a file that repeats the game, or another variation, adds to what was said of the move."""
    head = ANNOTATED.partition("1. a1a3")[0]
    moves = "1. a1a3 $18 {good} ({or} 1. a1a3 $2 {bad [%csl Gb1]} b6b4 {x}) 1... a6a4 (1... b6b4 $3 {y}) *"
    live, _ = opened(games, f"{head}\n{moves}")
    assert live.variations.data()["notes"] == {"0": {"sign": "?", "comment": "good or bad", "marks": ["Gb1"]}}
    assert movetext(games, live) == "1. a1a3 $2 $18 {[%csl Gb1] good or bad} a6a4 (1... b6b4 $3 {x y}) *"


def test_the_comment_before_a_variation(games: GameRegistry) -> None:
    """It is shown, kept and written; where its move no longer begins a variation, it becomes part of the comment."""
    head = ANNOTATED.partition("1. a1a3")[0]
    moves = "1. a1a3 ({Also} 1. b1b3 {, see} a6a4 ({or} 1... b6b4)) ({[%cal Ga1a2] or} 1. c1c3) 1... a6a4 *"
    live, _ = opened(games, f"{head}\n{moves}")
    assert movetext(games, live) == moves
    nodes = live.variations.data()["nodes"]
    assert [node.get("lead") for node in nodes] == ["Also", None, "or", "[%cal Ga1a2] or"]
    live.annotate(None, nodes[0]["id"], "!", "new", "")
    live.promote_variation(nodes[2]["id"])
    assert movetext(games, live) == (
        "1. a1a3 ({Also} 1. b1b3 $1 {new} b6b4 {or} (1... a6a4)) ({[%cal Ga1a2] or} 1. c1c3) 1... a6a4 *")
    live.promote_variation(nodes[0]["id"])  # now of the game
    assert movetext(games, live) == (
        "1. b1b3 $1 {Also new} (1. a1a3 a6a4) ({[%cal Ga1a2] or} 1. c1c3) 1... b6b4 {or} (1... a6a4) *")
    live.annotate(None, nodes[3]["id"], "", "", "")
    assert "[%cal" not in movetext(games, live)


def test_long_comments_and_names_are_kept_whole(games: GameRegistry) -> None:
    comment, name = "word " * 1000 + "end", "A" * 150
    moves = f"1. a1a3 {{{comment}}} (1. b1b3 {{{comment}}}) *"
    live, _ = opened(games, f"{ANNOTATED.partition('1. a1a3')[0].replace('Anna', name)}\n{moves}")
    assert movetext(games, live) == moves
    assert f'[White "{name}"]' in render_game_pgn(live, games.config)
    assert games.kept.games("A" * 120)[0].record == live.record
    with pytest.raises(RefusedError, match="comment of 2001 characters"):
        live.annotate(1, None, "", "x" * 2001, "")


def test_a_wrong_mark_in_a_file_is_kept_once(games: GameRegistry) -> None:
    head = ANNOTATED.partition("1. a1a3")[0]
    live, _ = opened(games, f"{head}\n1. a1a3 {{[%cal Ga1a2,Rz9z9] text}} *")
    written = "1. a1a3 {[%cal Ga1a2] [%cal Rz9z9] text} *"
    assert movetext(games, live) == written
    live, _ = opened(games, f"{head}\n{written}")
    assert movetext(games, live) == written


def test_tags_of_a_file_stay_true(games: GameRegistry) -> None:
    """A game that goes on here has another result and number of plies, and keeps the rest."""
    more = '[PlyCount "2"]\n[Elo "1"]\n[TimeControl "60"]\n'
    head = more + ANNOTATED.partition("1. a1a3")[0]
    live, _ = opened(games, f'{head.strip()}\n[termination "White went home"]\n\n1. a1a3 a6a4 1-0\n'.replace(
        'Result "*"', 'Result "1-0"'))
    before = render_game_pgn(live, games.config)
    assert live.outcome is not None
    assert (live.outcome.winner, "went home" in before, "Details" in before) == (0, True, False)
    live.undo()
    while live.outcome is not None:
        live.undo()
    live.move("b1b3", len(live.plies))
    tags = dict(re.findall(r'\[(\w+) "(.*)"\]', render_game_pgn(live, games.config)))
    assert tags["PlyCount"] == str(len(live.plies))
    assert {key: tags[key] for key in ("Elo", "TimeControl", "Result", "Termination")} == {
        "Elo": "1", "TimeControl": "60", "Result": "*", "Termination": "unterminated"}
    assert "termination" not in tags


# ---------------------------------------------------------------- analysis


def test_threats_are_searched_for_the_other_side() -> None:
    game = Game("latrones", "6x6")
    game.push("a1a3")
    searched = Subject(game, None, threat=True).searched()
    assert isinstance(searched, Game)
    assert searched.position.fen().split()[1] == "w"
    bell = Game("bell")
    assert Subject(bell, None, threat=True).searched() == "no threat: while pieces are in hand, no side can pass"
    over = Game(Position.from_fen("latrones", "4/1d2/2D1/3S w 0 1"))
    assert Subject(over).searched() == "the game is over here"


def test_requests_of_the_page(tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        table = do(server, do="create", game=PEOPLE).json["table"]
        live = server.registry.find(table)
        events = Events(server, "one", table)
        assert events.next("variations")["data"] == {"given": 0, "nodes": [], "notes": {}}
        for ply, text in enumerate(MOVES[:2]):
            live.move(text, ply)

        def answer(command: str, **fields: object) -> Any:
            return do(server, do=command, table=table, **fields).json

        assert answer("vary", ply=1, node=None, move="b6b4") == {"ply": 1, "node": 1}
        assert [one["text"] for one in events.next("variations")["data"]["nodes"]] == ["b6b4"]
        assert answer("line", ply=1, node=1, moves=["b1b3", "f6f4"]) == {"ply": 1, "node": 3}
        assert "expected a list" in answer("line", ply=1, moves="a1")["error"]
        assert answer("moves", node=3)["legal"]
        assert answer("analyse", lines=1, node=3) == {}
        found = events.next("analysis")["data"]
        assert (found["node"], found["ply"], found["threat"]) == (3, 4, False)
        assert answer("prune", node=2) == {}
        assert live.analysis["wanted"] == 1
        assert "no longer there" in answer("analyse", lines=1, node=3)["error"]
        assert answer("promote", node=1) == {}
        assert [str(move) for move in live.game.moves] == ["a1a3", "b6b4"]
        assert answer("export", records=[live.record])["pgn"].startswith('[Event "latrones-uci gui"]')
        assert "expected a list" in answer("export", records=[])["error"]
        events.close()


def test_a_game_against_an_engine_is_not_changed(games: GameRegistry) -> None:
    live = games.create({**PEOPLE, "players": [PERSON, ENGINE]})
    games.broadcaster.open("a", 1)
    games.follow("a", [live.name])  # otherwise it falls asleep
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    before = live.game.moves
    add(live, 0, "b1b3", "f6f4")  # the second for the side of the engine
    assert live.game.moves == before
    live.move("c1c3", 2)
    waited(lambda: len(live.plies) == 4)
