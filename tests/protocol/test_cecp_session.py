"""The CECP dialect with the real program: searches, whole games, and internal errors."""

from __future__ import annotations

import queue
import random
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import fake_kernels
from fake_kernels import FailingKernel
from latrones_uci.game import Game, Position, builtin_variants
from latrones_uci.protocols.channel import ChannelClosedError, Line
from latrones_uci.protocols.serve import Loop
from latrones_uci.protocols.xboard.commands import COMMANDS, parse_xboard_move
from latrones_uci.protocols.xboard.game import find_offered
from protocol.client import Client
from protocol.xboard_model import XBoard

THINKING = re.compile(r"\d+ -?\d+ \d+ \d+ [a-z0-9 ]+[!?]?")


@pytest.fixture
def xboard_engine(start_engine: Callable[..., Client]) -> Client:
    client = start_engine()
    client.ask("xboard", "protover 2", until="feature done=1")
    return client


def test_xboard_flag(start_engine: Callable[..., Client]) -> None:
    assert start_engine("--xboard").ask("protover 2", until="feature done=1")[0] == "feature done=0"
    assert start_engine("--xboard").ask("uci", until="Error") == ["Error (unknown-command): uci"]


def test_only_the_first_line_selects_cecp(engine: Client) -> None:
    engine.answer()
    (refusal,) = engine.answer("xboard")
    assert refusal.startswith("info string error unknown-command: 'xboard': unknown command")


def test_analysis_follows_the_moves_until_exit(xboard_engine: Client) -> None:
    first = xboard_engine.ask("post", "analyze", until="4 ")
    assert all(THINKING.fullmatch(line) for line in first)
    assert xboard_engine.ask(".", until="stat01: ")[-1].split()[-2].isdigit()
    assert re.fullmatch(r"Hint: [a-h][1-8][a-h][1-8]", xboard_engine.ask("hint", until="Hint: ")[-1])
    again = xboard_engine.ask("usermove d1d5", "ping 1", until="pong 1")
    again += xboard_engine.ask(until="4 ")
    black = Position.start(builtin_variants()["latrones"])
    moves = {black.move_text(move) for move in black.play(black.parse_move("d1d5")).legal_moves()}
    assert again[-1].split()[4] in moves
    xboard_engine.ask("undo", until="4 ")
    xboard_engine.ask("new", until="4 ")
    lines = xboard_engine.ask("usermove a1a2", "usermove a8a7", "ping 4", until="pong 4")
    assert not [line for line in lines if line.startswith(("Illegal", "move"))]
    xboard_engine.ask("exit", "ping 2", until="pong 2")
    assert xboard_engine.ask("ping 3", until="pong 3") == ["pong 3"]
    assert xboard_engine.finish() == []


def test_pong_waits_for_the_pending_move(xboard_engine: Client) -> None:
    lines = xboard_engine.ask("st 3600", "usermove d1d5", "ping 1", "?", until="pong 1")
    assert [line.split()[0] for line in lines] == ["move", "pong"]


def test_search_before_force_is_not_played(xboard_engine: Client) -> None:
    assert xboard_engine.ask("st 3600", "go", "force", "ping 1", until="pong 1") == ["pong 1"]
    assert xboard_engine.ask("go", "new", "ping 2", until="pong 2") == ["pong 2"]
    fen = "3ds3/3S4/2S5/8/8/8/8/4D3 w - - 0 1"
    assert xboard_engine.ask("usermove a1a2", f"setboard {fen}", "ping 3", until="pong 3") == ["pong 3"]


@pytest.mark.parametrize("lines", [["st 3600", "go"], ["analyze"], ["hard", "sd 1", "go"], ["hint"]])
@pytest.mark.parametrize("end", ["quit\n", ""])
def test_end_during_a_search(xboard_engine: Client, lines: list[str], end: str) -> None:
    """``quit`` and the end of input end the program at once, without an error and without a move."""
    xboard_engine.send("option Backend=python", "force", *lines)
    if "hard" in lines:
        xboard_engine.read_until("move ")
    xboard_engine.send_bytes(end.encode())
    assert [line for line in xboard_engine.finish() if not line.startswith("#")] == []


def test_hint(xboard_engine: Client) -> None:
    start = Position.start(builtin_variants()["latrones"])
    hint = xboard_engine.ask("force", "hint", until="Hint: ")[-1].split()[1]
    assert hint in {start.move_text(move) for move in start.legal_moves()}
    xboard_engine.ask("sd 3", "go", until="move ")
    assert xboard_engine.ask("hint", until="Hint: ")[-1] != f"Hint: {hint}"


def test_options_and_games_of_a_file(xboard_engine: Client, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text('[quick]\nparent = "latrones"\ntitle = "Q"\ndefault_size = "6x6"\n')
    assert ",quick,quick-8x8," in xboard_engine.ask("option VariantPath=my.toml", until="feature")[-1]
    assert xboard_engine.ask("variant quick", until="piece D")[0].split()[2] == "6x6+0_fairy"
    assert xboard_engine.ask("option Backend=python", "memory 9", "cores 300", until="# the")[-1] == (
        "# the python kernel uses 1 of 256 threads"
    )
    assert xboard_engine.ask("cores 0", "ping 1", until="pong")[0] == "Error (syntax): cores 0"


@pytest.mark.parametrize("variant", ["latrones", "latrones-12x8", "petteia-xxi-10x8", "rota"])
def test_game_between_two_engines(variant: str, start_engine: Callable[..., Client]) -> None:
    """Each move is made on XBoard's board and relayed to the other engine; both report the same result."""
    engines = [start_engine("--xboard", "--backend", "python"), start_engine("--xboard", "--backend", "python")]
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
        game.play(game.position.parse_move(parse_xboard_move(relayed).text))
        command = f"usermove {relayed}"
    engines[game.position.side].send(command)
    result = game.outcome()
    assert result is not None
    ends = [engine.ask("ping 1", until="pong 1")[-2] for engine in engines]
    assert ends[0] == ends[1]
    assert ends[0].split()[0] == {None: "1/2-1/2", 0: "1-0", 1: "0-1"}[result.winner]


# ---------------------------------------------------------------- internal errors


class Peer:
    """A channel with scripted lines; each waits for the previous search."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.loop: Loop | None = None
        self.said: list[str] = []

    def receive(self) -> Line:
        assert self.loop
        self.loop._engine.wait()
        while not self._posted.empty():
            self._posted.get()()
        text = next(self._lines, None)
        if text is None:
            raise ChannelClosedError
        return Line(text, time.monotonic_ns())

    def post(self, action: Callable[[], None]) -> None:
        self._posted.put(action)

    def send(self, lines: Iterable[str]) -> None:
        self.said += lines


def test_internal_errors_are_reported_and_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_kernels.use(monkeypatch, FailingKernel)
    peer = Peer(["xboard", "new", "usermove d1d5", "option Clear Hash", "force", "ping 1"])
    peer.loop = Loop(peer)  # type: ignore[arg-type]
    peer.loop.run()
    assert peer.said[:2] == ["Error (memory): new", "# 'new': out of memory"]
    assert peer.said[2] == "# error internal: the search failed: ZeroDivisionError: of the kernel"
    assert peer.said[3].startswith("move ")
    assert peer.said[4:] == ["Error (memory): option Clear Hash", "# 'option Clear Hash': out of memory", "pong 1"]


def test_nonsense_is_rejected_line_by_line(start_engine: Callable[..., Client]) -> None:
    engine, chance = start_engine("--xboard"), random.Random(5)
    engine.send("rejected debug", "force")
    words = [*COMMANDS, "a1", "d1d5", "h1e5,e5f5,f5h5", "S@a1", "-1", "0", "99999999999", "1:2", "latrones", "=",
             "VariantPath=x", "\u2620", "8/8", "w"]  # fmt: skip
    for _ in range(300):
        line = " ".join(chance.choices(words, k=chance.randrange(1, 5)))
        if line.split()[0] not in ("quit", "go", "playother", "analyze", "hint", "memory"):
            engine.send(line)
    engine.send_bytes(bytes(byte for byte in range(256) if byte != 10) + b"\n")
    engine.send_bytes(b"usermove " + b"a" * 5_000_000 + b"\n")
    lines = engine.ask("force", "ping 77777", until="pong 77777")
    assert lines[-2].startswith("Error (syntax): usermove aaa")
    assert all(line.isprintable() and len(line) < 1_000 for line in lines)
    assert not [line for line in lines if "internal" in line]
    assert engine.finish() == []
