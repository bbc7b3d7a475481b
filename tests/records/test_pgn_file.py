from pathlib import Path

import pytest

from latrones_uci.game import Termination
from latrones_uci.match.pgn_read import read_games
from latrones_uci.match.pgn_write import PgnFile, render_game
from match_records import played_record, record

OTHER = render_game(played_record(1), "other")


def rounds(path: Path, match_id: str) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [game.tags["Round"] for game in read_games(file) if game.tags.get("MatchId") == match_id]


def test_games_are_appended_once_beside_those_of_other_matches(tmp_path: Path) -> None:
    path = tmp_path / "out.pgn"
    path.write_text(OTHER, encoding="utf-8")
    for _ in range(2):
        file = PgnFile(path, "mine")
        assert file.others == 1
        for number in (1, 2, 2):
            file.append(played_record(number))
        file.append(record(3, None, Termination.INTERRUPTED))
    assert (rounds(path, "mine"), rounds(path, "other")) == (["1", "2"], ["1"])
    assert path.read_text(encoding="utf-8").startswith(OTHER)


@pytest.mark.parametrize("kept", [1, 30, 200, 320, 600, -2, -1])
def test_half_a_game_is_made_whole(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "out.pgn"
    whole = OTHER + "".join(render_game(played_record(number), "mine") for number in (1, 2))
    game = render_game(played_record(3), "mine")
    path.write_text(whole + game[:kept], encoding="utf-8")
    file = PgnFile(path, "mine")
    for number in (1, 2, 3):
        file.append(played_record(number))
    assert rounds(path, "mine") == ["1", "2", "3"]
    assert rounds(path, "other") == ["1"]
