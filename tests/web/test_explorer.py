"""The opening explorer: moves counted in the kept games, in PGN files and in databases; the book; values of moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.gui import gui_config
from latrones_uci.commands.main import main
from latrones_uci.game import Position
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.store import Store
from latrones_uci.web.board import explorer as explorer_module
from latrones_uci.web.board.analyst import MAX_VALUES
from latrones_uci.web.board.explorer import Explorer, FileSource, MoveCounts
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.lib.page_server import RefusedError
from match_play import match_words
from page_requests import do
from serving import FAKES, PEOPLE, NewGame, fake_engine, serving, waited

START = Position.start("latrones", "6x6")


def pgn(moves: str, result: str, variant: str = "latrones", fen: str = START.fen()) -> str:
    return (f'[Event "Test"]\n[Variant "{variant}"]\n[FEN "{fen}"]\n[Result "{result}"]\n'
            f'[Termination "resignation"]\n\n{moves} {result}\n\n')


GAMES = (pgn("1. a1a3 a6a4 2. b1b3 b6b4", "1-0"), pgn("1. b1b3 a6a4 2. a1a3 f6f4", "0-1"),
         pgn("1. a1a3 b6b4", "1/2-1/2"), pgn("1. a1a4", "*"))


def after(*texts: str) -> Position:
    position = START
    for text in texts:
        position = position.play(text)
    return position


def explored(explorer: Explorer, position: Position, source: int = 0) -> Any:
    waited(lambda: not explorer.explore(position, source)["reading"])
    return explorer.explore(position, source)


def counts(data: Any) -> dict[str, list[int]]:
    return {move["text"]: move["counts"] for move in data["moves"]}


def test_the_moves_of_the_kept_games_are_counted(games: GameRegistry) -> None:
    """Transpositions are one position; changed and deleted games are counted anew."""
    records = [games.import_games(text).games[0].record for text in GAMES]
    data = explored(games.explorer, START)
    assert (data["sources"], data["games"], data["fen"]) == (["Your games"], 4, START.fen())
    assert [move["note"] for move in data["moves"]] == ["a1-a3", "a1-a4", "b1-b3"]
    assert counts(data) == {"a1a3": [2, 1, 1, 0], "a1a4": [1, 0, 0, 0], "b1b3": [1, 0, 0, 1]}
    both = after("a1a3", "a6a4", "b1b3")
    assert counts(explored(games.explorer, both)) == {"b6b4": [1, 1, 0, 0], "f6f4": [1, 0, 0, 1]}
    assert counts(explored(games.explorer, after("c1c3"))) == {}
    games.delete(records[:1])
    assert counts(explored(games.explorer, both)) == {"f6f4": [1, 0, 0, 1]}
    live = games.create(PEOPLE)
    live.move("a1a4", 0)
    assert counts(explored(games.explorer, START))["a1a4"] == [2, 0, 0, 0]
    live.undo()
    live.move("c1c4", 0)
    data = explored(games.explorer, START)
    assert (counts(data)["a1a4"], counts(data)["c1c4"], data["games"]) == ([1, 0, 0, 0], [1, 0, 0, 0], 4)
    with pytest.raises(RefusedError, match=r"source 1: expected 0\.\.0"):
        games.explorer.explore(START, 1)


def test_each_move_counts_once_for_a_game(games: GameRegistry) -> None:
    """A game that comes back to a position counts for both moves played there, and once for one that is repeated."""
    shuffled = "1. a1a2 a6a5 2. a2a1 a5a6 3. d2e2"
    games.import_games(pgn(shuffled, "0-1") + pgn(f"{shuffled} a6a5", "1-0"))
    games.import_games(pgn("1. a1a2 a6a5 2. a2a1 a5a6 3. a1a2", "1-0"))
    games.import_games(pgn("1. S@a1", "*", "rota", "3/3/3[3S3s] w 0 1"))
    data = explored(games.explorer, START)
    assert counts(data) == {"a1a2": [3, 2, 0, 1], "d2e2": [2, 1, 0, 1]}
    assert (data["here"], data["games"]) == (3, 4)
    data = explored(games.explorer, after("a1a2", "a6a5", "a2a1", "a5a6", "d2e2"))
    assert (data["here"], data["games"], counts(data)) == (1, 4, {"a6a5": [1, 1, 0, 0]})


def test_the_games_of_files_are_counted(tmp_path: Path) -> None:
    path, other = tmp_path / "mine.pgn", tmp_path / "other"
    path.write_text("".join((*GAMES, pgn("1. a1a9", "1-0"), pgn("1. a1a3", "1-0", "unknown"))))
    other.mkdir()
    (other / "mine.pgn").write_text(GAMES[0] + "1. (")
    explorer = Explorer(gui_config([fake_engine()]), None, [path, other / "mine.pgn"])
    data = explored(explorer, START, 1)
    assert (data["sources"], data["games"]) == (["Your games", "mine.pgn (1)", "mine.pgn (2)"], 4)
    assert counts(data)["a1a3"] == [2, 1, 1, 0]
    assert explored(explorer, START, 0)["moves"] == []
    broken = explored(explorer, START, 2)
    assert (counts(broken), broken["games"]) == ({"a1a3": [1, 1, 0, 0]}, 1)
    assert broken["problem"] == "1 game left out (game 2, line 9: variation without a move before it: '(')"
    assert data["problem"].startswith("2 games left out (game 5, line 39: move 'a1a9': ")
    explorer.close()
    with pytest.raises(SettingsError, match="--explore '.*none.pgn': No such file"):
        FileSource(tmp_path / "none.pgn", "none", gui_config([fake_engine()]))


@pytest.mark.process  # plays a match
def test_the_games_of_a_match_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    command = [sys.executable, str(FAKES / "fake_engine.py"), "good"]
    assert main(["match", *match_words(command, command), "--openings", "random:2", "--games", "2", "--max-plies", "6",
                 "--database", str(path), "--quiet"]) == 0
    found = MoveCounts(FileSource(path, "match", gui_config([fake_engine()])))
    found.update(wait=True)
    assert (found.games, found.problem) == (2, "")
    with Store(path, writing=False) as store:
        games = list(stored_games(store, stored_settings(store)))
    for record in games:
        assert found.moves(record.game.start)[record.game.plies[0].text][0] in (1, 2)
    found.close()


def test_the_counted_games_are_limited(games: GameRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer_module, "MAX_GAMES", 2)
    for text in GAMES:
        games.import_games(text)
    data = explored(games.explorer, START)
    assert (data["games"], data["problem"]) == (2, "only 2 games are counted")


def test_a_book_move_leads_to_a_position_of_the_book() -> None:
    explorer = Explorer(gui_config([fake_engine()]), None)
    position = Position.from_fen("rota", "1S1/s1S/S1s[1s] b 0 3")
    found = explorer.explore(position, 0)["moves"]
    assert all(move["book"] and move["counts"] == [0, 0, 0, 0] for move in found)
    assert explorer.explore(Position.start("latrones", "5x5"), 0)["moves"] == []  # there is no book
    explorer.close()


def test_moves_are_evaluated_one_after_another(new_game: NewGame) -> None:
    shown: list[tuple[str, Any]] = []
    live = new_game(shown=shown)

    def values() -> list[Any]:
        return [data for kind, data in shown if kind == "values"]

    live.evaluate_moves(["a1a3", "b1b3"], None, None)
    waited(lambda: values() and len(values()[-1]["values"]) == 2)
    assert values()[0] == {"fen": START.fen(), "values": {"a1a3": -5}}
    assert values()[-1]["values"] == {"a1a3": -5, "b1b3": -5}  # 5 for Black, who is to move
    for texts, message in ((["a1a9"], "'a1a9'"), (["a1a3"] * 13, f"13 moves: expected at most {MAX_VALUES}")):
        with pytest.raises(RefusedError, match=message):
            live.evaluate_moves(texts, None, None)
    won = new_game(fen="3ds3/3S4/2S5/8/8/8/s7/4D3 w 0 1", size="", shown=shown)
    won.evaluate_moves(["c6c8"], 0, None)
    assert values()[-1]["values"] == {"c6c8": "#0"}


def test_requests_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "mine.pgn"
    path.write_text(GAMES[0])
    with serving([fake_engine()], files=[path]) as server:
        table = do(server, do="create", game=PEOPLE).json["table"]

        def answer(command: str, **fields: object) -> Any:
            return do(server, do=command, table=table, **fields).json

        waited(lambda: not answer("explore", source=1)["reading"])
        assert [move["text"] for move in answer("explore", source=1)["moves"]] == ["a1a3"]
        assert answer("values", moves=["a1a3"]) == {}
        assert "expected a list" in answer("values", moves=[])["error"]
        assert "source: expected an integer" in answer("explore")["error"]
        assert "ply 5: expected 0..0" in answer("explore", source=1, ply=5)["error"]
