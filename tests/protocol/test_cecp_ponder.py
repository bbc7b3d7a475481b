"""Pondering: after ``hard``, the engine searches on the opponent's time, after the expected reply."""

from __future__ import annotations

import pytest

from latrones_uci.game import Game
from latrones_uci.protocols.channel import Line
from protocol.cecp_table import Table


def expected_reply(table: Table) -> str:
    return table.say("hint")[-1].removeprefix("Hint: ")


def last_moves(game: Game, number: int) -> list[str]:
    texts = [before.move_text(move) for before, move in zip(game.positions, game.moves, strict=False)]
    return texts[-number:]


def begin(table: Table) -> str:
    """Make the engine answer as Black and ponder endlessly; return the reply that it expects."""
    table.play("hard", "level 0 60 0", "usermove d1d5")
    assert [limits.ponder for limits in table.limits] == [False, True]
    table.kernel.endless = True
    table.say("easy", "hard")  # once more, with the endless kernel
    assert table.limits[-1].ponder
    return expected_reply(table)


def test_ponders_only_after_hard(table: Table) -> None:
    table.play("usermove d1d5")
    table.say("force", "hard", "playother", "easy", "hard", "force")
    table.play("easy", "go")
    assert len([limits for limits in table.limits if limits.ponder]) == 2
    table.say("force", "hard", "post")
    assert len(table.limits) == 4


def test_expected_reply_turns_pondering_into_a_search(table: Table) -> None:
    """The search continues with the new clock: of the hour, a hundredth of a second is left."""
    reply = begin(table)
    searches = len(table.limits)
    assert table.say("ping 1", "?", ".") == ["pong 1"]
    # The clock may end the search before the last line is taken; the answer to it comes after the move in any case.
    said = [*table.say("time 1", "otim 9000", f"usermove {reply}", "ping 2"), *table.play()]
    assert [line.split()[0] for line in said] == ["move", "pong"]
    assert last_moves(table.kernel.games[searches - 1], 1) == [reply]
    assert len(table.limits) == searches + 1  # it ponders again
    assert table.limits[-1].ponder


def test_another_reply_ends_pondering(table: Table) -> None:
    begin(table)
    table.kernel.endless = False
    assert table.play("usermove d5d4")[-1].startswith("move ")
    assert last_moves(table.kernel.games[-2], 1) == ["d5d4"]
    assert [limits.ponder for limits in table.limits[-2:]] == [False, True]


def test_rejected_commands_do_not_end_pondering(table: Table) -> None:
    begin(table)
    searches = len(table.limits)
    said = table.say("usermove d5d6x", "usermove a1b8", "setboard x", "lift a1", "put a2", "time 5", "otim 5", "bar")
    assert len(said) == 5
    assert table.engine.searching
    assert len(table.limits) == searches


@pytest.mark.parametrize("lines", [
    ["easy"], ["force"], ["undo", "force"], ["result 1-0 {x}"], ["new"], ["variant petteia-xxi"],
    ["setboard 4d3/s6s/8/8/8/8/S6S/4D3 w - - 0 9"],
])  # fmt: skip
def test_commands_that_end_pondering(table: Table, lines: list[str]) -> None:
    begin(table)
    assert [line for line in table.say(*lines) if not line.startswith(("setup", "piece"))] == []
    assert not table.engine.searching
    assert table.say("ping 3") == ["pong 3"]


def test_analysis_replaces_pondering(table: Table) -> None:
    begin(table)
    table.say("analyze")
    assert table.limits[-1].infinite
    assert len(table.searched().moves) == 2
    table.say("exit")
    assert not table.engine.searching


def test_option_restarts_pondering(table: Table) -> None:
    reply = begin(table)
    table.say("option MultiPV=2")
    assert table.limits[-1].ponder
    assert last_moves(table.searched(), 1) == [reply]


def test_expected_reply_of_another_position_is_ignored(table: Table) -> None:
    """After a move is taken back, its expected reply is neither a hint nor pondered on."""
    begin(table)
    searches = len(table.limits)
    assert table.say("force", "undo", "usermove a8a6", "playother") == []
    assert len(table.limits) == searches
    table.kernel.endless = False
    table.play("hint", until="Hint: ")
    assert last_moves(table.searched(), 1) == ["a8a6"]


def test_ponder_lines_begin_with_the_reply(table: Table) -> None:
    table.say("hard", "post")
    table.play("usermove d1d5")
    reply = expected_reply(table)
    first, second = table.play("easy", "hard", until="1 ")[-1].split()[4:]
    assert (first, len(second)) == (reply, 4)
    table.say(f"usermove {reply}")


def test_no_pondering_on_a_reply_that_ends_the_game(table: Table) -> None:
    """White's only move is the hundredth ply without a capture."""
    table.say("force", "hard", "setboard 4d3/s6s/8/8/8/8/S6S/4D3 b - - 98 9")
    table.play("go")
    reply = expected_reply(table)
    assert not table.engine.searching
    assert table.say(f"usermove {reply}", "ping 1") == ["1/2-1/2 {Draw: 100 turns without a capture}", "pong 1"]


@pytest.mark.parametrize("heard", [False, True])
def test_error_while_pondering_is_reported_once_and_the_move_searched_again(table: Table, heard: bool) -> None:
    table.play("usermove d1d5", "accepted debug")
    reply = expected_reply(table)
    table.kernel.failing = True
    table.session.serve(Line("hard", 0))
    table.engine.wait()
    searches = len(table.limits)
    if heard:
        assert table.say("ping 1") == ["pong 1"]
        assert table.say("ping 2") == ["pong 2"]
    assert len(table.limits) == searches
    table.kernel.failing = False
    assert table.play(f"usermove {reply}")[-1].startswith("move ")
    assert not table.limits[searches].ponder
