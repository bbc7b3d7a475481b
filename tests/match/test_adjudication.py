"""Adjudication by the scores of the engines, by the length of a game, and by endgame tables: only what they prove."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import main
from latrones_uci.engine.tables import Tables, TableValue
from latrones_uci.game import Game, Position, Ruleset, Termination
from latrones_uci.match.adjudication import adjudicate, adjudicate_by_tables, check_tables, tables_for
from latrones_uci.match.game import Player, play_game
from latrones_uci.records.record import PlyRecord
from latrones_uci.records.settings import DrawRule, GameLimits, ResignRule
from latrones_uci.text.protocol import Score, SearchInfo
from tables_help import make, position_on, small


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


TWO_MOVES, FROM_MOVE_3 = DrawRule(1, 2, 10), DrawRule(3, 1, 10)


@pytest.mark.parametrize(("scores", "sides", "rule", "drawn"), [
    ("0 0 10 -10", "wb", TWO_MOVES, True),
    ("0 0 10", "wb", TWO_MOVES, False),
    ("99 0 0 10 -10", "wb", TWO_MOVES, True),
    ("0 0 11 -10", "wb", TWO_MOVES, False),
    ("0 0 10 ?", "wb", TWO_MOVES, False),
    ("0 0 M1 0", "wb", TWO_MOVES, False),
    ("11 0 0 0", "wb", TWO_MOVES, False),
    ("", "wb", TWO_MOVES, False),
    ("0 0 0 0", "wb", FROM_MOVE_3, False),
    ("0 0 0 0 0", "wb", FROM_MOVE_3, True),
    # Sides that move twice have their own rows.
    ("0 0 0 0", "wwbb", TWO_MOVES, True),
    ("0 0 0", "wwbb", TWO_MOVES, False),
])
def test_draws(scores: str, sides: str, rule: DrawRule, drawn: bool) -> None:
    decided = adjudicate(plies_of(scores, sides), GameLimits(draw=rule))
    assert (decided is not None) == drawn
    if decided is not None:
        assert (decided.winner, decided.termination) == (None, Termination.ADJUDICATION)


@pytest.mark.parametrize(("scores", "one_sided", "two_sided"), [
    ("400 -400 400 -400", 0, 0), ("300 -300 300 -300", 0, 0), ("-400 400 -400 400", 1, 1),
    ("400 -400 400 -299", None, None), ("400 -400 200 -400", 0, None), ("400 -400 ? -400", 0, None),
    ("M9 -M9 M8 -M8", 0, 0), ("M1 0 M1 M0", None, None), ("900 M0 900 M0", 0, 0), ("-400 -400 -400 -400", 1, None),
    ("-400", None, None), ("", None, None),
])
def test_resignations(scores: str, one_sided: int | None, two_sided: int | None) -> None:
    for is_two_sided, winner in ((False, one_sided), (True, two_sided)):
        decided = adjudicate(plies_of(scores), GameLimits(resign=ResignRule(2, 300, is_two_sided)))
        assert (decided.winner if decided else None) == winner
        if decided is not None:
            assert decided.termination is Termination.RESIGNATION
            assert decided.details.startswith("White" if decided.winner == 1 else "Black")


@pytest.mark.parametrize(("scores", "termination", "details"), [
    ("500 -500 500 -500", Termination.RESIGNATION, "Black"),
    ("0 0 0 0", Termination.ADJUDICATION, "both scores within 10 of zero for 2 moves"),
    ("99 99 99 99", Termination.ADJUDICATION, "unfinished after 4 plies"),
])
def test_the_length_comes_last(scores: str, termination: Termination, details: str) -> None:
    limits = GameLimits(max_plies=4, draw=TWO_MOVES, resign=ResignRule(2, 300))
    decided = adjudicate(plies_of(scores), limits)
    assert decided is not None
    assert decided.termination is termination
    assert decided.details.startswith(details)
    assert adjudicate(plies_of("99 99 99"), limits) is None


# ---------------------------------------------------------------- endgame tables

NO_DUX = {"dux": "none", "dux_move": "none", "dux_jump": "none", "dux_fate": "none", "jump_must_capture": False,
          "blocking_own_dux": "allowed"}
GAME = small("latrones", **NO_DUX, fewest_men=2)
SINGLE = Position.start("single-stone-xxi", "5x5")


@pytest.fixture(scope="module")
def folder(native_core: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "tables"
    make(position_on(GAME, 5, 5), 4, path)
    make(SINGLE, 4, path)
    return path


@pytest.fixture(scope="module")
def tables(folder: Path) -> Tables:
    return Tables(folder, position_on(GAME, 5, 5))


@pytest.fixture(scope="module")
def won(tables: Tables) -> Position:
    """A position that White wins in some plies."""
    return find(tables, GAME, lambda value: value.outcome > 0 and value.plies >= 3)


def find(tables: Tables, ruleset: Ruleset, wanted: Callable[[TableValue], bool]) -> Position:
    """Return a position of two men against two whose value is wanted."""
    rules = position_on(ruleset, 5, 5).rules
    for a, b, c, d in product(range(25), range(1, 25), range(0, 25, 2), range(1, 25)):
        if a < b and (b - a) % 5 == 1 and c < d and (d - c) % 3 == 1 and len({a, b, c, d}) == 4:
            own, opp = rules.wide[a] | rules.wide[b], rules.wide[c] | rules.wide[d]
            position = Position(rules, rules.board((own, opp), (-1, -1), 0, 0, 0, 0), 1)
            value = tables.probe(position)
            if value is not None and wanted(value):
                return position
    pytest.fail("no such position")


def value_of(tables: Tables, position: Position) -> TableValue:
    value = tables.probe(position)
    assert value is not None
    return value


def decided(game: Game, tables: Tables) -> tuple[int | None, str]:
    outcome = adjudicate_by_tables(game, tables)
    assert outcome is not None
    assert outcome.termination is Termination.ADJUDICATION
    return outcome.winner, outcome.details


def test_wins_and_draws(tables: Tables, won: Position) -> None:
    plies = value_of(tables, won).plies
    details = f"White wins by the tables of endings, {plies} plies to the next capture or the end"
    assert decided(Game(won), tables) == (0, details)
    assert decided(Game(find(tables, GAME, lambda value: value.outcome < 0)), tables)[0] == 1
    drawn = None, "draw by the tables of endings"
    assert decided(Game(find(tables, GAME, lambda value: value.outcome == 0)), tables) == drawn
    # The counter of plies without a capture counts.
    for counter, winner in ((100 - plies, 0), (101 - plies, None)):
        late = Position.from_fen(GAME, f"{won.fen().rsplit(' ', 2)[0]} {counter} 1")
        assert decided(Game(late), tables)[0] == winner
    assert adjudicate_by_tables(Game(Position.from_fen(GAME, "ss2s/5/5/3S1/S4 w")), tables) is None  # too many men


def test_no_win_after_a_repetition(tables: Tables, won: Position) -> None:
    """The third occurrence may come before the win."""
    for first in won.legal_moves():
        for reply in won.play(first).legal_moves():
            game = Game(won)
            try:
                for text in (first, reply, first[2:] + first[:2], reply[2:] + reply[:2]):
                    game.push(text)
            except ValueError:
                continue
            if game.position.nocapture == 4 and game.count(won) == 2:
                assert value_of(tables, game.position).outcome > 0
                assert adjudicate_by_tables(game, tables) is None
                return
    pytest.fail("no way to repeat the position")


def test_no_win_by_the_limit_alone(native_core: None, tmp_path: Path) -> None:
    """The weaker side may repeat positions before the limit."""
    game = small("latrones", **NO_DUX, fewest_men=1, nocapture_result="most_men", nocapture_limit=8)
    like = position_on(game, 4, 4)
    make(like, 3, tmp_path / "tables")
    tables = Tables(tmp_path / "tables", like)
    position = Position.from_fen(game, "s3/4/4/S2S w 0 1")
    value = value_of(tables, position)
    assert (value.outcome, value.by_limit, value.plies) == (1, True, 8)
    assert adjudicate_by_tables(Game(position), tables) is None


def test_a_game_is_adjudicated_but_not_drawn_where_the_repeater_loses(
    fake_controller: Callable[..., EngineController], folder: Path
) -> None:
    tables = Tables(folder, SINGLE)
    drawn = find(tables, SINGLE.ruleset, lambda value: value.outcome == 0)
    assert adjudicate_by_tables(Game(drawn), tables) is None
    won = find(tables, SINGLE.ruleset, lambda value: value.outcome > 0)
    players = [Player(fake_controller("good"), TimeControl(depth=1)) for _ in range(2)]
    game = play_game(won, (players[0], players[1]), GameLimits(tables=str(folder)))
    assert (game.outcome.termination, game.outcome.winner) == (Termination.ADJUDICATION, 0)
    assert not game.plies


def test_the_folder_is_checked_before_the_match(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    starts = [Position.start("latrones"), SINGLE]
    check_tables(GameLimits(tables=str(folder)), starts)
    assert tables_for(GameLimits(tables=str(folder)), starts[0]) is None
    with pytest.raises(SettingsError, match="--tables: .*no tables of latrones 8x8"):
        check_tables(GameLimits(tables=str(folder)), starts[:1])
    engine = ["--engine", "cmd=true", "name=a", "depth=1", "--engine", "cmd=true", "name=b", "depth=1"]
    for option, said in (("--tables", "expected a directory of tables"), ("-tb", "--tables DIR")):
        assert main(["match", *engine, option, "missing"]) == 2
        error = capsys.readouterr().err
        assert "--tables" in error
        assert said in error
