"""The option ``EvalFile`` and what ``eval`` prints, with each kernel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.listener import Listener
from latrones_uci.engine import nets
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.events import BenchTotal
from latrones_uci.engine.session import Session
from latrones_uci.game import Position, find_variant
from latrones_uci.protocols.uci.render import render_evaluation
from latrones_uci.search.evaluation import Terms, evaluator
from latrones_uci.search.net import Net, read_net
from latrones_uci.search.net_evaluation import NetEvaluation, net_evaluator
from net_help import random_net

LATRONES = find_variant("latrones")


@pytest.fixture
def net() -> Net:
    return random_net(LATRONES)


@pytest.fixture
def path(net: Net, tmp_path: Path) -> Path:
    net.write(tmp_path / "mine.net")
    return tmp_path / "mine.net"


def searched(session: Session, listener: Listener) -> list[tuple[object, int]]:
    return [(info.score, info.nodes) for info in listener.search(session, depth=3)[1]]


def test_the_nets_of_the_package() -> None:
    """Each is the net of a built-in game on the board of its name; all together are small."""
    folder = Path(nets.__file__).parent.parent / "nets"
    paths = sorted(folder.glob("*.net"))
    assert sum(path.stat().st_size for path in paths) < 4_000_000
    for path in paths:
        game, _, board = path.stem.rpartition("-")
        files, ranks = map(int, board.split("x"))
        found = nets.Nets("auto").find(Position.start(game, board))
        assert found == nets.Found(read_net(path, find_variant(game), files, ranks))
    assert "latrones-8x8" in {path.stem for path in paths}


def test_a_file_is_used(session: Session, listener: Listener, net: Net, path: Path) -> None:
    session.set_option("EvalFile", "none")
    assert render_evaluation(session.evaluate())[0] == "Net: none, hand-written evaluation"
    before = searched(session, listener)
    session.set_option("EvalFile", str(path))
    assert listener.notes() == [f"net: {net}"]
    found = session.evaluate()
    assert isinstance(found, NetEvaluation)
    start = session.game.position
    assert found.total == net_evaluator(start.geometry, net, evaluator(start.rules))(start.board)
    assert searched(session, listener) != before
    session.set_option("evalfile", "NONE")
    assert listener.notes() == []
    assert isinstance(session.evaluate(), Terms)
    session.new_game()
    assert searched(session, listener) == before
    session.set_option("EvalFile", "<empty>")
    assert isinstance(session.evaluate(), Terms)


def test_a_file_of_another_game_is_not_used(session: Session, listener: Listener, path: Path) -> None:
    session.set_option("EvalFile", str(path))
    listener.take()
    session.set_option("UCI_Variant", "petteia-xxi")
    why = "a net for other rules or weights (random net 1 of latrones); expected those of petteia-xxi"
    assert listener.notes() == [f"'{path}' not used: {why}"]
    assert isinstance(session.evaluate(), Terms)
    session.set_option("UCI_Variant", "latrones")
    assert len(listener.notes()) == 1
    session.set_position("ssss/1d2/2D1/SSSS b", [])
    assert listener.notes() == [f"'{path}' not used: a net for the 8x8 board; expected 4x4"]
    session.set_position(None, ["d1d5"])
    assert len(listener.notes()) == 1
    session.set_position(None, ["d1d5", "e8e4"])
    assert listener.notes() == [], "told once"
    assert isinstance(session.evaluate(), NetEvaluation)


def test_a_wrong_file_changes_nothing(session: Session, path: Path) -> None:
    session.set_option("EvalFile", str(path))
    damaged, text = path.with_name("damaged.net"), path.with_name("text.net")
    data = bytearray(path.read_bytes())
    data[1000] ^= 1
    damaged.write_bytes(data)
    text.write_text("hello", encoding="utf-8")
    for value, problem in (
        (str(path.parent / "none.net"), "No such file"),
        (str(path.parent), "not a regular file"),
        (str(damaged), "the checksum does not match"),
        (str(text), "not a net; expected a file made by 'latrones-uci train'"),
    ):
        with pytest.raises(OptionError, match=f"^option EvalFile: {re.escape(repr(value))}: {problem}"):
            session.set_option("EvalFile", value)
        assert isinstance(session.evaluate(), NetEvaluation)


def test_a_net_stays_with_another_kernel(listener: Listener, path: Path, native_core: None) -> None:
    session = Session(listener, "python")
    session.set_option("EvalFile", str(path))
    first = session.evaluate()
    session.set_option("Backend", "native")
    assert session.evaluate() == first


def test_levels_keep_the_hand_written_evaluation(session: Session, listener: Listener, path: Path) -> None:
    """They are calibrated with it."""
    session.set_option("Skill Seed", "1")
    session.set_option("Skill Level", "5")
    found = []
    for value in ("none", str(path)):
        session.set_option("EvalFile", value)
        session.new_game()
        found.append(searched(session, listener))
    assert found[0] == found[1] != []


def test_shipped_nets(session: Session, listener: Listener, net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    """``auto`` uses the net of the rules, whatever the game is called."""
    monkeypatch.setattr(nets, "_shipped", lambda: {(net.rules, 8, 8): net.pack()})
    session.set_option("EvalFile", "auto")
    assert isinstance(session.evaluate(), NetEvaluation)
    session.set_option("BoardSize", "10x8")
    assert isinstance(session.evaluate(), Terms)
    assert listener.notes() == []


@pytest.mark.long
def test_bench_uses_the_net(listener: Listener, path: Path, native_core: None) -> None:
    totals = []
    session = Session(listener, "native")
    for value in ("none", str(path)):
        session.set_option("EvalFile", value)
        session.bench(1)
        session.wait()
        totals += [event.nodes for event in listener.take_all(BenchTotal)]
    assert totals[0] != totals[1]


def test_shares_are_printed_on_the_board(session: Session, path: Path) -> None:
    session.set_option("EvalFile", str(path))
    session.set_position("8/8/3d4/8/8/4S3/3D4/7s b 0 9", [])
    found = session.evaluate()
    assert isinstance(found, NetEvaluation)
    lines = render_evaluation(found)
    assert lines[0].startswith("Net: random net 1 of latrones (8x8, 256 inputs, 32 hidden units, 3 buckets)")
    board = lines[2:18]
    width = len(board[-2]) // 8
    assert board[-2] == "".join(f"{piece:>{width}}" for piece in ".......s")
    share = {letter: share for _, letter, share in found.shares}
    assert board[-1].strip() == f"{share['s']:+d}"
    assert board[4].split() == [".", ".", ".", "d", ".", ".", ".", "."]
    assert board[5] == "", "no share of a dux that cannot be missing"
    assert lines[-1] == f"Evaluation: {found.total} (centi-soldiers, from the player to move)"
    assert all(len(line) <= 80 for line in lines)
