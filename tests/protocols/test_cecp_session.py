"""The CECP dialect: limits, whole games, and the ends of searches; ``tests/protocols/transcripts`` has the rest."""

from __future__ import annotations

import queue
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import fake_kernels
from fake_kernels import QuickKernel
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.game import Game, Position, builtin_variants
from latrones_uci.protocols.channel import Line
from latrones_uci.protocols.xboard.arguments import parse_xboard_move
from latrones_uci.protocols.xboard.game import find_offered
from latrones_uci.protocols.xboard.session import CecpSession
from protocols.client import Client
from protocols.xboard_model import XBoard


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> QuickKernel:
    made = QuickKernel(1)
    fake_kernels.use(monkeypatch, lambda megabytes: made)
    return made


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    found: list[Limits] = []
    begin = Session.go

    def go(engine: Session, limits: Limits, started_ns: int) -> None:
        found.append(limits)
        begin(engine, limits, started_ns)

    monkeypatch.setattr(Session, "go", go)
    return found


@pytest.fixture
def xboard_engine(start_engine: Callable[..., Client]) -> Client:
    client = start_engine("--xboard")
    client.send("rejected debug")
    return client


@pytest.mark.parametrize(
    ("lines", "expected"),
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
def test_time_controls(
    kernel: QuickKernel, limits: list[Limits], xboard_engine: Client, lines: list[str], expected: Limits
) -> None:
    """The engine plays Black, whose clock is the second."""
    xboard_engine.ask(*lines, "usermove d1d5", until="move ")
    assert limits == [expected]


def test_moves_to_go_of_later_sessions(kernel: QuickKernel, limits: list[Limits], xboard_engine: Client) -> None:
    xboard_engine.send("level 2 1 0")
    for _ in range(3):
        xboard_engine.ask("force", "go", until="move ")
    assert [each.moves_to_go for each in limits] == [2, 2, 1]


def test_options_reach_the_kernel(kernel: QuickKernel, xboard_engine: Client) -> None:
    assert xboard_engine.ask("option MultiPV=3", "memory 3", "cores 2", "go", until="move ")[:-1] == []
    assert (kernel.hash_megabytes, kernel.threads, kernel.tasks[-1].multipv) == (3, 2, 3)


@pytest.mark.parametrize("heard", [False, True])
def test_error_while_pondering_is_reported_once_and_the_move_searched_again(
    kernel: QuickKernel, limits: list[Limits], heard: bool
) -> None:
    """The expected reply may come before the session has heard of the end of the search."""
    events: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    said: list[str] = []
    engine = Session(lambda event: session.take_event(event))
    session = CecpSession(engine, SimpleNamespace(send=said.extend, post=events.put))  # type: ignore[arg-type]

    def serve(line: str, hear: bool = True) -> None:
        session.serve(Line(line, 0))
        engine.wait()
        while hear and not events.empty():
            events.get()()

    serve("usermove d1d5")
    serve("hint")
    reply = said[-1].removeprefix("Hint: ")
    kernel.failing = True
    serve("hard", heard)
    serve("ping 1", heard)
    assert [each.ponder for each in limits] == [False, True]
    kernel.failing = False
    serve(f"usermove {reply}")
    assert said[-1].startswith("move ")
    assert len([line for line in said if "error internal" in line]) == 1
    assert not limits[2].ponder
    engine.close()


@pytest.mark.parametrize("lines", [["st 3600", "go"], ["analyze"], ["hard", "sd 1", "go"], ["hint"]])
@pytest.mark.parametrize("end", ["quit\n", ""])
def test_end_during_a_search(xboard_engine: Client, lines: list[str], end: str) -> None:
    """``quit`` and the end of input end the program at once, without an error and without a move."""
    xboard_engine.send("option Backend=python", "force", *lines)
    if "hard" in lines:
        xboard_engine.read_until("move ")
    xboard_engine.send_bytes(end.encode())
    assert xboard_engine.finish() == []


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["latrones", "latrones-12x8", "petteia-xxi-10x8", "rota"])
def test_game_between_two_engines(variant: str, start_engine: Callable[..., Client]) -> None:
    """Each move is made on XBoard's board and relayed to the other engine; both report the same result."""
    engines = [start_engine("--backend", "python", "--xboard"), start_engine("--backend", "python", "--xboard")]
    ruleset, size = find_offered(builtin_variants(), variant)
    game = Game(Position.start(ruleset, size))
    for engine in engines:
        setup = engine.ask("protover 2", "new", f"variant {variant}", until="setup")[-1]
        engine.send("computer", "sd 1", "rejected debug")
    board = XBoard(setup) if variant != "rota" else None
    command, relayed = "go", ""
    while game.outcome() is None:
        mover = engines[game.position.side]
        told = mover.ask(command, until="move ")[-1].removeprefix("move ")
        relayed = board.engine_moves(told) if board else told
        game.push(game.position.parse_move(parse_xboard_move(relayed).text))
        command = f"usermove {relayed}"
    engines[game.position.side].send(command)
    result = game.outcome()
    assert result is not None
    ends = [engine.ask("ping 1", until="pong 1")[-2] for engine in engines]
    assert ends[0] == ends[1]
    assert ends[0].split()[0] == {None: "1/2-1/2", 0: "1-0", 1: "0-1"}[result.winner]


def test_lines_of_megabytes_and_of_all_bytes_are_rejected(xboard_engine: Client) -> None:
    xboard_engine.send_bytes(bytes(byte for byte in range(256) if byte != 10) + b"\n")
    xboard_engine.send_bytes(b"usermove " + b"a" * 5_000_000 + b"\n")
    for error in xboard_engine.ask("ping 1", until="pong 1")[:-1]:
        assert error.startswith(("Error (unknown-command): ", "Error (syntax): usermove aaa"))
        assert error.isprintable()
        assert len(error) < 1_000
