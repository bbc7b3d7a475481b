"""Joint ratings over databases and PGN files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from html_page import Page
from latrones_uci.commands.main import main
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import RatedGames, rate_standings, render_ratings
from latrones_uci.records.pgn_read import DistinctGames
from latrones_uci.stats.bradley_terry import Encounter
from match_records import record

Rate = Callable[..., str]


def pgn_game(white: str, black: str, result: str, **tags: str) -> str:
    lines = {"Event": "test", "White": white, "Black": black, "Result": result, "Variant": "latrones", **tags}
    return "".join(f'[{name} "{value}"]\n' for name, value in lines.items()) + f"\n1. a2a3 {result}\n\n"


def write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def ratings(capsys: pytest.CaptureFixture[str]) -> Rate:
    """A function that returns what the command prints; ``games.pgn`` has 12 games of A, B and C, in pairs."""
    results = {("A", "B"): ("1-0", "1/2-1/2"), ("B", "C"): ("1-0", "1-0"), ("A", "C"): ("0-1", "1/2-1/2")}
    text = ""
    for (white, black), (first, second) in results.items():
        for fen in ("one", "two"):
            text += pgn_game(white, black, first, FEN=fen) + pgn_game(black, white, second, FEN=fen)
    write("games.pgn", text)

    def ratings(*words: str) -> str:
        assert main(["ratings", *words]) == 0
        return str(capsys.readouterr().out)

    return ratings


def test_games_with_swapped_colours_are_pairs() -> None:
    games = RatedGames()
    games.add("A", "B", 0, "one")
    assert games.encounters() == {(0, 1): Encounter(games=(0, 0, 1))}
    games.add("A", "B", None, "one")  # the same colours: not the other game of the pair
    games.add("B", "A", 1, "one")
    assert games.encounters() == {(0, 1): Encounter((0, 0, 0, 1, 0), (0, 0, 1))}
    games.add("B", "A", 0, "two")
    games.add("C", "A", None, None)
    assert games.encounters() == {
        (0, 1): Encounter((0, 0, 0, 1, 0), (1, 0, 1)), (0, 2): Encounter(games=(0, 1, 0)),
    }
    assert (games.names, games.games) == (["A", "B", "C"], 5)


def test_a_tournament_and_its_records_give_the_same_ratings() -> None:
    """The live summary and the command must not differ."""
    standings, games = Standings(("A", "B")), RatedGames()
    for number, winner in enumerate((0, 0, None, 1, 0, None, 1), start=1):
        played = record(number, winner)
        standings.add(played)
        games.add(*played.names, winner, played.fixture.pair)
    assert rate_standings(standings) == games.rate()


def test_long_lists_fit_a_terminal_and_have_no_matrix() -> None:
    games = RatedGames()
    for number in range(14):
        games.add(f"engine with a name of more than thirty letters {number}", "B", number % 2, None)
    lines = list(render_ratings(games.rate()))
    assert not any(line.startswith("LOS") for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_several_files_are_one_list_in_which_a_game_counts_once(ratings: Rate) -> None:
    """Other lists are in tests/commands/outputs.txt."""
    write("more.pgn", pgn_game("D", "A", "1-0") + pgn_game("A", "D", "1/2-1/2") + pgn_game("A", "D", "*"))
    found = json.loads(ratings("games.pgn", "more.pgn", "games.pgn", "--format", "json"))
    assert found["duplicates"] == 12
    assert {row["engine"]: row["games"] for row in found["ratings"]} == {"A": 10, "B": 8, "C": 8, "D": 2}
    assert found["ratings"][0]["engine"] == "D"
    assert found["superiority"][0][0] is None
    for row in range(4):
        for column in range(row):
            there, back = found["superiority"][row][column], found["superiority"][column][row]
            assert there + back == pytest.approx(1, abs=2e-6)
            assert there <= 0.5  # the order is by rating


@pytest.mark.parametrize("reverse", [False, True])
def test_a_database_and_a_file_without_ids_have_the_same_games(reverse: bool) -> None:
    tags = {"White": "A", "Black": "B", "Date": "2024.05.31", "Round": "7"}
    files = [tags | {"MatchId": "m", "Round": "1.7"}, tags]
    distinct = DistinctGames()
    for number, file in enumerate(files[:: -1 if reverse else 1]):
        distinct.begin_file()
        assert distinct.add(file, ["a1a2"], "1-0") is (number == 0)
        assert distinct.add(file, ["a1a3"], "1-0") is (number == 0)
    assert distinct.duplicates == 2


def test_the_list_as_a_file(ratings: Rate) -> None:
    assert ratings("games.pgn", "--output", "list.csv").splitlines()[0] == f"ratings: {Path('list.csv').resolve()}"
    assert Path("list.csv").read_text(encoding="utf-8").startswith("rank,engine,elo,")
    ratings("games.pgn", "--output", "list.html")
    page = Path("list.html").read_text(encoding="utf-8")
    assert Page(page).open == []
    assert "script-src 'none'" in page
    assert page.count("<bdi>") == 6
    write("hostile.pgn", pgn_game("<script>", "B", "1-0") + pgn_game("B", "<script>", "1-0"))
    again = ratings("hostile.pgn", "hostile.pgn", "--format", "html")
    assert "<script" not in page + again
    assert "2 duplicate games left out." in again
