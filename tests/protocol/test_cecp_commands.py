"""Each command of XBoard, sent to an in-process engine with a fake kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.engine.limits import Limits
from latrones_uci.game import builtin_variants
from latrones_uci.protocols.xboard.game import offered
from protocol.cecp_table import Table

FOUR_CAPTURED = "s3d3/8/8/2Sssss1/8/8/s3D3/7S w - - 0 1"


def board(table: Table) -> str:
    """Return the current position of the engine, as its next search shows it."""
    table.say("force")
    table.play("hint", until="Hint: ")
    return table.searched().position.fen()


def test_features(table: Table) -> None:
    said = table.say("protover 2")
    words = " ".join(said).split()
    for feature in ("usermove", "setboard", "playother", "ping", "highlight", "debug", "reuse", "time", "analyze"):
        assert f"{feature}=1" in words
    for feature in ("colors", "sigint", "sigterm"):
        assert f"{feature}=0" in words
    assert f'feature variants="{",".join(offered(builtin_variants()))}"' in said
    assert table.say("protover 2") == said


@pytest.mark.parametrize(
    ("lines", "limits"),
    [
        ([], Limits(time_ms=(300_000, 300_000), moves_to_go=40)),
        (["level 0 5 0"], Limits(time_ms=(300_000, 300_000))),
        (["level 40 0:30 0.5"], Limits(time_ms=(30_000, 30_000), increment_ms=(500, 500), moves_to_go=40)),
        (["level 0 1 .25", "time 1234", "otim 99"], Limits(time_ms=(990, 12_340), increment_ms=(250, 250))),
        (["level 0 1 0", "time -3", "otim -5"], Limits(time_ms=(-50, -30))),
        (["st 3"], Limits(movetime_ms=3_000)),
        (["level 0 1 0", "st 3", "sd 2"], Limits(movetime_ms=3_000, depth=2)),
        (["st 3", "level 0 1 0"], Limits(time_ms=(60_000, 60_000))),
        (["sd 2", "level 0 1 0"], Limits(time_ms=(60_000, 60_000), depth=2)),
        (["level 0 1 0", "sd 2", "time 5", "new"], Limits(time_ms=(60_000, 60_000))),
    ],
)
def test_time_controls(table: Table, lines: list[str], limits: Limits) -> None:
    """The engine plays Black, whose clock is the second."""
    table.play(*lines, "usermove d1d5")
    assert table.limits == [limits]


def test_moves_to_go_of_later_sessions(table: Table) -> None:
    table.say("level 2 1 0")
    for _ in range(3):
        table.play("force", "go")
    assert [limits.moves_to_go for limits in table.limits] == [2, 2, 1]


def test_post(table: Table) -> None:
    start = ["sd 1", "force"]
    assert [line.split()[0] for line in table.play(*start, "go")] == ["move"]
    assert [line.split()[0] for line in table.play("post", *start, "go")] == ["1", "move"]
    assert [line.split()[0] for line in table.play("nopost", *start, "go")] == ["move"]


def test_commands_without_effect(table: Table) -> None:
    """``?`` without a search, ``.`` without an analysis, and commands that are ignored."""
    assert table.say("?", ".", "easy", "hard", "easy", "computer", "post", "nopost", "", "  ") == []
    assert table.say("accepted usermove", "random", "name A B", "rating 1 2", "ics -", "draw", "bk", "xboard") == []
    assert table.say("exit", "ping 1", "ping -2") == ["pong 1", "pong -2"]
    assert table.limits == []


def test_move_now(table: Table) -> None:
    table.kernel.endless = True
    assert table.say("st 3600", "usermove d1d5", "ping 1") == []
    assert [line.split()[0] for line in table.play("?")] == ["move", "pong"]
    assert table.say("?", "ping 2") == ["pong 2"]


def test_sides(table: Table) -> None:
    assert table.say("force", "usermove d1d5", "usermove a8a6", "playother", "ping 1") == ["pong 1"]
    assert table.play("usermove h1h6")[0].startswith("move ")
    assert "Illegal move: a1a2" in table.say("usermove a1a2", "usermove a1a2")
    table.play("new", "go")
    assert table.searched().position.side == 0
    assert table.play("usermove a8a6")[0].startswith("move ")
    assert table.searched().position.side == 0
    assert table.say("result * {Unfinished}", "usermove a6a5", "ping 2") == ["pong 2"]


def test_undo_and_remove(table: Table) -> None:
    start = board(table)
    assert table.say("undo") == ["Error (not-now): undo"]
    table.say("usermove d1d5")
    one = board(table)
    assert table.say("remove") == ["Error (not-now): remove"]
    table.say("usermove a8a6", "undo")
    assert board(table) == one
    table.say("usermove a8a6", "remove")
    assert board(table) == start


def test_undo_restores_leftovers(table: Table) -> None:
    """Of four captured pieces, the move removes two, the reply (played twice) one, and the next move one."""
    table.say("force", f"setboard {FOUR_CAPTURED}")
    assert table.say("usermove h1e5,e5f5,f5h5", "usermove a8a7,g5c7", "undo", "usermove a8a7,d5c7") == []
    assert table.say("usermove h5d5,d5h4") == ["Illegal move: h5d5,d5h4"]
    assert table.say("usermove h5g5,g5h4") == []
    assert table.say("usermove a7g5,g5a6") == ["Illegal move: a7g5,g5a6"]


def test_rejected_commands_change_nothing(table: Table) -> None:
    """A running analysis continues."""
    table.kernel.endless = True
    table.say("analyze")
    bad = ["setboard x", "setboard 9/8 w - - 0 1", "option MultiPV=0", "option MultiPV", "option Nope=1",
           "option Backend=x", "option Clear Hash=1", "option UCI_AnalyseMode=2", "option UCI_Variant=bell",
           "variant normal", "variant bell", "edit", "undo", "remove", "go", "playother", "level 1 2", "black",
           "white", "memory x", "cores 0", "st 0", "protover"]  # fmt: skip
    said = table.say(*bad)
    assert [line.partition(": ")[2] for line in said] == bad
    assert all(line.startswith("Error (") for line in said)
    assert table.say("usermove a1b8", "usermove zz") == ["Illegal move: a1b8", "Illegal move: zz"]
    assert len(table.limits) == 1
    assert table.engine.searching


def test_options_of_every_kind(table: Table) -> None:
    kept = table.say("option MultiPV=3", "option move overhead=7", "option UCI_AnalyseMode=1", "option Backend=auto",
                     "option UCI_AnalyseMode=false", "option Clear Hash", "memory 3", "cores 2")  # fmt: skip
    assert kept == []
    assert (table.kernel.hash_megabytes, table.kernel.threads) == (3, 2)
    table.play("usermove d1d5")
    assert table.kernel.tasks[-1].multipv == 3


def test_game_restarts_when_its_rules_are_replaced(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, size in (("one", "6x6"), ("two", "8x8")):
        text = f'[quick]\nparent = "latrones"\ntitle = "Q"\ndefault_size = "{size}"\n'
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    table.say("option VariantPath=one.toml", "variant quick", "force", "usermove a1a3")
    assert table.say("option VariantPath=") == ["Error (option): option VariantPath="]
    assert board(table).startswith("ssssss/2d3/6/S5/")
    table.say("option VariantPath=two.toml")
    assert board(table).startswith("ssssss/2d3/6/6/")
    assert table.say("undo") == ["Error (not-now): undo"]


def test_captures_are_shown_before_they_are_accepted(table: Table) -> None:
    """A person's move is accepted when it comes again, because the clicks did not work; an engine's at once."""
    table.say("force", f"setboard {FOUR_CAPTURED}")
    assert table.say("usermove h1h5")[:2] == ["Illegal move: h1h5", "click h1"]
    assert table.say("usermove h1h5") == []
    table.say("undo")
    assert table.say("usermove h1h5")[0] == "Illegal move: h1h5"
    table.say("undo", f"setboard {FOUR_CAPTURED}", "computer")
    assert table.say("usermove h1h5") == []
    assert board(table).split()[0] == "s3d3/8/8/2S4S/8/8/s3D3/8"


def test_lift_and_hover(table: Table) -> None:
    table.say("force", f"setboard {FOUR_CAPTURED}")
    assert table.say("lift h1", "hover h5", "hover b2") == [
        "highlight 7Y/7Y/7Y/7R/7Y/7Y/7Y/YYYYYYY1",
        "highlight 7Y/7Y/7Y/3mmmmR/7Y/7Y/7Y/YYYYYYY1",
        "highlight 7Y/7Y/7Y/7R/7Y/7Y/7Y/YYYYYYY1",
    ]
    nothing = "highlight 8/8/8/8/8/8/8/8"
    assert table.say("lift a8", "lift b4", "lift z9", "lift \u2620", "put h1") == [nothing] * 4
    assert table.say("variant rota", "lift @", "lift a1")[-2:] == ["highlight YYY/YYY/YYY", "highlight 3/3/3"]


@pytest.mark.parametrize(
    ("fen", "move", "result"),
    [
        ("3ds3/3S4/2S5/8/8/8/8/4D3 w - - 0 1", "c6d8,d8c8", "1-0 {White wins}"),
        ("4d3/8/8/8/8/2s5/3s4/3DS3 b - - 0 1", "c3d1,d1c1", "0-1 {Black wins}"),
        ("4d3/s6s/8/8/8/8/S6S/4D3 w - - 99 9", "a2a3", "1/2-1/2 {Draw: 100 turns without a capture}"),
    ],
)
def test_results(table: Table, fen: str, move: str, result: str) -> None:
    """The engine reports the result after a move of the opponent and after ``go``, but not in force mode."""
    other = "go" if " b " in fen else "playother"
    assert table.say("force", f"setboard {fen}", f"usermove {move}") == []
    assert table.say("go", "ping 1") == [result, "pong 1"]
    assert table.say(f"usermove {move}") == [f"Illegal move: {move}"]
    table.say("force", "undo", "playother")
    assert table.say(f"usermove {move}", "?", "hint", "ping 2") == [result, "pong 2"], other


def test_third_occurrence_draws(table: Table) -> None:
    around = ["usermove a1a3", "usermove a8a6", "usermove a3a1", "usermove a6a8"]
    table.say("force")
    assert table.say(*around, *around, "playother") == ["1/2-1/2 {Draw: third occurrence of the position}"]
    assert table.say("force", "undo", "usermove a6a7", "playother") == []


def test_variant_is_rejected_or_starts_a_game(table: Table) -> None:
    table.say("force", "usermove a1a3")
    assert table.say("variant Latrones") == ["Error (variant): variant Latrones"]
    assert table.say("undo") == []
    assert table.say("variant petteia-xxi")[0].startswith("setup (...SD..........sd.......) 8x8+0_fairy ssssssss/")
    assert table.say("undo") == ["Error (not-now): undo"]
    assert [line.split()[0] for line in table.say("variant latrones-12x8")] == ["setup", "piece", "piece"]
    assert board(table).startswith("ssssssssssss/5d6/")


def test_hint_is_the_best_line(table: Table) -> None:
    """With MultiPV, the hint is the first line; during an analysis, the best move."""
    table.kernel.endless = True
    said = table.play("option MultiPV=2", "post", "analyze", until="2 ")
    assert [line.split()[-1] for line in said] == ["e2f2", "e2g2"]
    assert table.say("hint") == ["Hint: e2f2"]
