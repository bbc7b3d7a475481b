"""Adjudication by endgame tables: only what they prove, with the history of the game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import main
from latrones_uci.game import Game, Position, Ruleset, Termination
from latrones_uci.match.adjudication import GameLimits, adjudicate_by_tables, check_tables, tables_for
from latrones_uci.match.game import Player, play_game
from latrones_uci.tablebases import Tables, TableValue
from tables_help import make, position_on, small

pytestmark = pytest.mark.usefixtures("native_core")
GAME = small("latrones", dux="none", dux_move="none", dux_jump="none", dux_fate="none", jump_must_capture=False,
             blocking_own_dux="allowed", fewest_men=2)  # fmt: skip


@pytest.fixture(scope="module")
def folder(native_core: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "tables"
    make(position_on(GAME, 5, 5), 4, path)
    make(Position.start("single-stone-xxi", "5x5"), 4, path)
    return path


def find(tables: Tables, ruleset: Ruleset, wanted: Callable[[TableValue], bool]) -> Position:
    """Return a position of two men against two whose value is wanted."""
    like = position_on(ruleset, 5, 5)
    rules = like.rules
    for a in range(25):
        for b in range(a + 1, 25, 5):
            for c in range(0, 25, 2):
                for d in range(c + 1, 25, 3):
                    if len({a, b, c, d}) == 4:
                        own, opp = rules.wide[a] | rules.wide[b], rules.wide[c] | rules.wide[d]
                        position = Position(rules, rules.board((own, opp), (-1, -1), 0, 0, 0, 0), 1)
                        value = tables.probe(position)
                        if value is not None and wanted(value):
                            return position
    pytest.fail("no such position")


@pytest.fixture(scope="module")
def tables(folder: Path) -> Tables:
    return Tables(folder, position_on(GAME, 5, 5))


def at(position: Position, counter: int) -> Position:
    return Position.from_fen(position.ruleset, f"{position.fen().rsplit(' ', 2)[0]} {counter} 1")


def test_wins_and_draws(tables: Tables) -> None:
    won = find(tables, GAME, lambda value: value.outcome > 0 and value.plies >= 3)
    value = tables.probe(won)
    assert value is not None
    outcome = adjudicate_by_tables(Game(won), tables)
    assert outcome is not None
    assert (outcome.termination, outcome.winner) == (Termination.ADJUDICATION, 0)
    assert outcome.details == (
        f"White wins by the tables of endings, {value.plies} plies to the next capture or the end"
    )
    lost = find(tables, GAME, lambda value: value.outcome < 0)
    outcome = adjudicate_by_tables(Game(lost), tables)
    assert outcome is not None
    assert outcome.winner == 1
    drawn = find(tables, GAME, lambda value: value.outcome == 0)
    outcome = adjudicate_by_tables(Game(drawn), tables)
    assert outcome is not None
    assert (outcome.winner, outcome.details) == (None, "draw by the tables of endings")


def test_the_counter_counts(tables: Tables) -> None:
    won = find(tables, GAME, lambda value: value.outcome > 0 and value.plies >= 3)
    value = tables.probe(won)
    assert value is not None
    for counter, winner in ((100 - value.plies, 0), (101 - value.plies, None)):
        outcome = adjudicate_by_tables(Game(at(won, counter)), tables)
        assert outcome is not None
        assert outcome.winner == winner


def test_no_win_after_a_repetition(tables: Tables) -> None:
    """The third occurrence may come before the win."""
    won = find(tables, GAME, lambda value: value.outcome > 0 and value.plies >= 3)
    for first in won.legal_moves():
        for reply in won.play(first).legal_moves():
            game = Game(won)
            try:
                for text in (first.text, reply.text, first.text[2:] + first.text[:2], reply.text[2:] + reply.text[:2]):
                    game.play(text)
            except ValueError:
                continue
            if game.position.nocapture == 4 and game.count(won) == 2:
                value = tables.probe(game.position)
                assert value is not None
                assert value.outcome > 0
                assert adjudicate_by_tables(game, tables) is None
                return
    pytest.fail("no way to repeat the position")


def test_no_draw_where_the_repeater_loses(folder: Path) -> None:
    start = Position.start("single-stone-xxi", "5x5")
    tables = Tables(folder, start)
    drawn = find(tables, start.ruleset, lambda value: value.outcome == 0)
    assert adjudicate_by_tables(Game(drawn), tables) is None
    won = find(tables, start.ruleset, lambda value: value.outcome > 0)
    assert adjudicate_by_tables(Game(won), tables) is not None


def test_no_win_by_the_limit_alone(tmp_path: Path) -> None:
    """The weaker side may repeat positions before the limit."""
    game = small("latrones", dux="none", dux_move="none", dux_jump="none", dux_fate="none", jump_must_capture=False,
                 blocking_own_dux="allowed", fewest_men=1, nocapture_result="most_men", nocapture_limit=8)  # fmt: skip
    like = position_on(game, 4, 4)
    make(like, 3, tmp_path / "tables")
    tables = Tables(tmp_path / "tables", like)
    position = Position.from_fen(game, "s3/4/4/S2S w 0 1")
    value = tables.probe(position)
    assert value is not None
    assert (value.outcome, value.by_limit, value.plies) == (1, True, 8)
    assert adjudicate_by_tables(Game(position), tables) is None


def test_positions_outside_the_tables(tables: Tables) -> None:
    assert adjudicate_by_tables(Game(Position.from_fen(GAME, "ss2s/5/5/3S1/S4 w")), tables) is None


# ---------------------------------------------------------------- in a match


def test_a_game_is_adjudicated(fake_controller: Callable[..., EngineController], folder: Path) -> None:
    start = Position.start("single-stone-xxi", "5x5")
    won = find(Tables(folder, start), start.ruleset, lambda value: value.outcome > 0)
    players = [Player(fake_controller("good"), TimeControl(depth=1)) for _ in range(2)]
    game = play_game(won, (players[0], players[1]), GameLimits(tables=str(folder)))
    assert (game.outcome.termination, game.outcome.winner) == (Termination.ADJUDICATION, 0)
    assert not game.plies


def test_the_folder_is_checked_before_the_match(folder: Path, tmp_path: Path) -> None:
    starts = [Position.start("latrones"), Position.start("single-stone-xxi", "5x5")]
    check_tables(GameLimits(tables=str(folder)), starts)
    assert tables_for(GameLimits(tables=str(folder)), starts[0]) is None
    with pytest.raises(SettingsError, match="--tables: .*no tables of latrones 8x8"):
        check_tables(GameLimits(tables=str(folder)), starts[:1])
    with pytest.raises(SettingsError, match="--tables: .*expected a directory of tables"):
        check_tables(GameLimits(tables=str(tmp_path / "missing")), starts)


def test_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    engine = ["--engine", "cmd=true", "name=a", "depth=1", "--engine", "cmd=true", "name=b", "depth=1"]
    assert main(["match", *engine, "--tables", "missing"]) == 2
    error = capsys.readouterr().err
    assert "--tables: " in error
    assert "expected a directory of tables" in error
    assert main(["match", *engine, "-tb", "missing"]) == 2
    assert "--tables DIR" in capsys.readouterr().err
