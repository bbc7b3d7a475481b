"""The option ``EvalFile`` with each kernel; ``protocols/transcripts`` has its notes and errors, and what is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.listener import Listener
from latrones_uci.engine.events import BenchTotal
from latrones_uci.engine.nets import find as nets
from latrones_uci.engine.nets.file import Net, read_net
from latrones_uci.engine.nets.python import NetEvaluation, net_evaluator
from latrones_uci.engine.python.evaluation import Terms, evaluator
from latrones_uci.engine.session import Session
from latrones_uci.game import Position, find_variant
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


@pytest.mark.long
def test_the_nets_of_the_package() -> None:
    """Each is the net of a built-in game on the board of its name; all together are small."""
    folder = Path(nets.__file__).parent
    paths = sorted(folder.glob("*.net"))
    assert sum(path.stat().st_size for path in paths) < 4_000_000
    for path in paths:
        game, _, board = path.stem.rpartition("-")
        files, ranks = map(int, board.split("x"))
        found = nets.Nets("auto").find(Position.start(game, board))
        assert found == nets.Found(read_net(path, find_variant(game), files, ranks), path=path)
    assert "latrones-8x8" in {path.stem for path in paths}


@pytest.mark.long
def test_a_file_is_used(session: Session, listener: Listener, net: Net, path: Path) -> None:
    session.set_option("EvalFile", "none")
    before = searched(session, listener)
    session.set_option("EvalFile", str(path))
    found = session.evaluate()
    assert isinstance(found, NetEvaluation)
    start = session.game.position
    assert found.total == net_evaluator(start.rules, net, evaluator(start.rules))(start.board)
    assert searched(session, listener) != before
    session.set_option("EvalFile", "none")
    session.new_game()
    assert searched(session, listener) == before


def test_a_net_stays_with_another_kernel(listener: Listener, path: Path, native_core: None) -> None:
    session = Session(listener, "python")
    session.set_option("EvalFile", str(path))
    first = session.evaluate()
    session.set_option("Backend", "native")
    assert session.evaluate() == first


def test_levels_keep_the_hand_written_evaluation(listener: Listener, path: Path, backend: str) -> None:
    """They are calibrated with it."""
    found = []
    for value in ("none", str(path)):
        session = Session(listener, backend)
        for name, text in (("EvalFile", value), ("Skill Seed", "1"), ("Skill Level", "5")):
            session.set_option(name, text)
        listener.take()
        found.append(searched(session, listener))
        session.close()
    assert found[0] == found[1] != []


def test_shipped_nets(
    session: Session, listener: Listener, net: Net, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``auto`` uses the net of the rules, whatever the game is called."""
    monkeypatch.setattr(nets, "_FOLDER", path.rename(path.with_name("mine-8x8.net")).parent)
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
