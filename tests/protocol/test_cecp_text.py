"""Parsing lines of XBoard, and rendering lines for it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from latrones_uci.engine.options import declared
from latrones_uci.game import (
    LatronesError,
    Outcome,
    Position,
    Termination,
    VariantError,
    builtin_variants,
    find_variant,
    load_variants,
)
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.protocols.xboard import commands, render
from latrones_uci.protocols.xboard.commands import (
    COMMANDS,
    XBoardMove,
    parse_command,
    parse_xboard_move,
)
from latrones_uci.protocols.xboard.game import Clock, fen_of_xboard, find_offered, offered, render_setup, xboard_fen
from latrones_uci.search.types import CurrentMove
from protocol.test_contract import PAGE, table

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "docs" / "examples"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("e5e4", XBoardMove("e5e4", ())),
        ("a1p16", XBoardMove("a1p16", ())),
        ("e5f4,f4e4", XBoardMove("e5e4", ("f4",))),
        ("e5f4,f4d4,d4e4", XBoardMove("e5e4", ("f4", "d4"))),
        ("d7d5,e5c5", XBoardMove("d7d5", ("e5",))),
        ("a1a3,g5`3", XBoardMove("a1a3", ("g5",))),
        ("S@b2", XBoardMove("S@b2", ())),
    ],
)
def test_parse_xboard_moves(text: str, move: XBoardMove) -> None:
    assert parse_xboard_move(text) == move


@pytest.mark.parametrize("text", ["", "e5", "e5e4q", "e5f4,f4", "e5f4,", ",e5f4", "e5f4,f4d4,d4e4,e4a1", "@@@@", "O-O",
                                  "e5f4,d4d5,a1a2", "S@", "q5e4", "e5f4,,f4e4"])  # fmt: skip
def test_malformed_moves(text: str) -> None:
    with pytest.raises(LatronesError, match="not a move"):
        parse_xboard_move(text)


def test_moves_for_xboard() -> None:
    assert [render.render_xboard_move("e5e4", kills) for kills in ((), ("f4",), ("f4", "d4"))] == [
        "e5e4", "e5xf4-e4", "e5xf4xd4-e4"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("", None),
        ("level 40 5 0", commands.Level(40, 300_000, 0)),
        ("level 0 2:30 1.5", commands.Level(0, 150_000, 1_500)),
        ("st 7", commands.Number("st", 7)),
        ("time -12", commands.Number("time", -12)),
        ("option Move Overhead=30", commands.SetOption("Move Overhead", "30")),
        ("option VariantPath=", commands.SetOption("VariantPath", "")),
        ("option Clear Hash", commands.SetOption("Clear Hash", None)),
        ("setboard 8/8 b - - 3 9", commands.SetBoard("8/8 b 3 9")),
        ("setboard 8/8 b KQkq b6", commands.SetBoard("8/8 b")),
        ("hover a1", commands.Touch("hover", "a1")),
        ("result 1-0 {White wins}", commands.Plain("result")),
        ("accepted usermove", commands.Plain("ignored")),
        ("name a person", commands.Plain("ignored")),
    ],
)
def test_commands(line: str, command: commands.Command | None) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "code"),
    [("edit", "unknown-command"), ("uci", "unknown-command"), ("go now", "syntax"), ("level 40 5", "syntax"),
     ("level x 5 0", "syntax"), ("level -1 5 0", "syntax"), ("level 1 5:77 0", "syntax"), ("st x", "syntax"),
     ("sd 0", "syntax"), ("ping", "syntax"), ("ping x", "syntax"), ("option =3", "syntax"), ("variant", "syntax"),
     ("usermove", "syntax"), ("usermove e9", "malformed-move"), ("lift", "syntax")],
)  # fmt: skip
def test_bad_commands(line: str, code: str) -> None:
    with pytest.raises(LatronesError) as error:
        parse_command(line)
    assert error.value.code == code


def test_protocol_page_names_every_command() -> None:
    listed = [re.findall(r"`([^` ]+)[^`]*`", row.split(" | ")[0]) for row in table("cecp commands")]
    assert sorted(word for row in listed for word in row) == sorted(COMMANDS)


def test_protocol_page_names_every_game() -> None:
    rows = {row.split("|")[1].strip().strip("`"): row for row in table("cecp games")}
    assert list(rows) == list(builtin_variants())
    names = offered(builtin_variants())
    for game, row in rows.items():
        shown = [f"`{name}`" for name, (ruleset, _) in names.items() if ruleset.name == game]
        assert row.split("|")[2].strip() == (", ".join(shown) or "-")


# ---------------------------------------------------------------- time


def test_limits_of_a_clock() -> None:
    clock = Clock(40, 300_000, 2_000)
    limits = clock.limits(1, 43)
    assert (limits.time_ms, limits.increment_ms, limits.moves_to_go) == ((300_000, 300_000), (2_000, 2_000), 37)
    limits = Clock(0, 60_000, 0, depth=3, own_ms=1_000, other_ms=2_000).limits(1, 3)
    assert (limits.time_ms, limits.moves_to_go, limits.depth) == ((2_000, 1_000), None, 3)
    limits = Clock(move_ms=5_000, own_ms=10).limits(0, 0)
    assert (limits.movetime_ms, limits.time_ms) == (5_000, (None, None))
    assert Clock(0, 60_000, 10, depth=3, own_ms=1).for_new_game() == Clock(0, 60_000, 10)


# ---------------------------------------------------------------- games


def test_games_offered() -> None:
    names = offered(builtin_variants())
    assert names["latrones-12x8"] == (find_variant("latrones"), (12, 8))
    assert names["latrunculi-xxi"][1] == (10, 8)
    assert {ruleset.name for ruleset, _ in names.values()} == set(builtin_variants()) - {"schaedler", "bell"}
    assert [name for name, (ruleset, _) in names.items() if ruleset.name == "rota"] == ["rota"]
    for name, why in (("schaedler", "bound"), ("bell", "several legs"), ("latrones-9x9", "not on this board"),
                      ("rota-8x8", "not on this board"), ("normal", "unknown game"),
                      ("x-8x8", "unknown game")):  # fmt: skip
        with pytest.raises(VariantError, match=why):
            find_offered(builtin_variants(), name)


def test_games_from_a_file() -> None:
    names = {name for path in EXAMPLES.glob("*.toml") for name in offered(load_variants(str(path)))}
    assert names >= set(offered(builtin_variants()))
    assert not any("seega" in name for name in names)


def test_names_that_xboard_takes_for_chess() -> None:
    latrones = find_variant("latrones")
    names = ("great-losers", "Losers2", "super", "grand-8", "fairyland", "my-great", "superb", "wildest")
    games = {name: replace(latrones, name=name) for name in names}
    assert {ruleset.name for ruleset, _ in offered(games).values()} == {"fairyland", "my-great", "superb", "wildest"}
    with pytest.raises(VariantError, match="takes the name for chess"):
        find_offered(games, "great-losers")


def test_setup() -> None:
    assert render_setup(Position.start(find_variant("petteia-xxi"))) == [
        "setup (...SD..........sd.......) 8x8+0_fairy ssssssss/ssssssss/8/8/8/8/SSSSSSSS/SSSSSSSS w - - 0 1",
        "piece S& mR",
    ]
    assert render_setup(Position.start(find_variant("rota"))) == [
        "setup (...SD..........sd.......) 3x3+1_crazyhouse 3/3/3[SSSsss] w - - 0 1"
    ]


@pytest.mark.parametrize(("game", "fen"), [("rota", "s2/3/2S[2S2s] w 0 2"), ("rota", "s1S/sS1/S1s[-] w 0 1"),
                                           ("latrones", "ssss/4/1D2/SSSS b 7 31")])  # fmt: skip
def test_fens_round_trip(game: str, fen: str) -> None:
    assert fen_of_xboard(xboard_fen(Position.from_fen(find_variant(game), fen))) == fen


# ---------------------------------------------------------------- lines


def test_thinking() -> None:
    def line(score: Score) -> str:
        return render.render_thinking(SearchInfo(7, 9, 1, score, 1234, 0, ("e5e4", "a1a2"), 5678))

    assert line(Score(-31, None)) == "7 -31 567 1234 e5e4 a1a2"
    assert line(Score(0, None, "lower")) == "7 0 567 1234 e5e4 a1a2 !"
    assert line(Score(5, None, "upper")) == "7 5 567 1234 e5e4 a1a2 ?"
    assert line(Score(None, 3)) == "7 100003 567 1234 e5e4 a1a2"
    assert line(Score(None, -2)) == "7 -100002 567 1234 e5e4 a1a2"


def test_status() -> None:
    info = SearchInfo(7, 9, 1, Score(1, None), 1234, 0, ("e5e4",), 5678)
    assert render.render_status(None, None, 30) == "stat01: 0 0 0 30 30"
    assert render.render_status(info, None, 30) == "stat01: 567 1234 7 0 30"
    assert render.render_status(info, CurrentMove(8, "a1a2", 12), 30) == "stat01: 567 1234 8 18 30 a1a2"


def test_results() -> None:
    assert [render.render_result(result, 100) for result in (
        Outcome(Termination.DECIDED, 0), Outcome(Termination.NO_MOVE, 1), Outcome(Termination.REPETITION, None),
        Outcome(Termination.NO_CAPTURE, None))] == [
        "1-0 {White wins}", "0-1 {Black wins: no legal move}", "1/2-1/2 {Draw: third occurrence of the position}",
        "1/2-1/2 {Draw: 100 turns without a capture}"]  # fmt: skip


def test_options() -> None:
    options = declared(builtin_variants()).values()
    lines = render.render_features(options, ["latrones"])
    assert (lines[0], lines[-1]) == ("feature done=0", "feature done=1")
    assert 'feature option="Move Overhead -spin 20 0 5000"' in lines
    assert 'feature option="Clear Hash -button"' in lines
    assert 'feature option="Skill Level -spin 20 0 20"' in lines
    assert 'feature option="UCI_LimitStrength -check 0"' in lines
    assert 'feature option="UCI_Elo -spin 1000 0 4000"' in lines
    assert not [line for line in lines if "UCI_ShowWDL" in line]  # the dialect has no place for it
    assert 'feature option="UCI_AnalyseMode -check 0"' in lines
    assert 'feature option="Backend -combo *auto /// python /// native"' in lines
    assert not [line for line in lines if "BoardSize" in line or "Ponder" in line]
    check = next(option for option in options if option.kind == "check")
    assert [render.option_value(check, text) for text in ("1", "0", "true", None)] == ["true", "false", "true", None]


def test_highlights_have_rows_of_any_width() -> None:
    geometry = Position.start(find_variant("latrones"), (12, 8)).geometry
    assert render.render_highlight(geometry, {}) == "highlight 12/12/12/12/12/12/12/12"
    assert render.render_highlight(geometry, {0: "Y", 11: "R", 84: "C"}) == "highlight C11/12/12/12/12/12/12/Y10R"


def test_page_mentions_the_xboard_flag() -> None:
    assert "latrones-uci --xboard" in PAGE
