"""Random commands to the real program: what ``protocol.md`` promises holds after each, whatever came before."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from latrones_uci.game import Game, Position, builtin_variants, quoted
from protocol.client import Client

pytestmark = pytest.mark.process

MAX_MEMORY_MB = 300
GAMES = {name: ruleset for name, ruleset in builtin_variants().items() if ruleset.board == "grid"}
FINITE = ("depth 1", "depth 2", "nodes 100", "movetime 5", "wtime 50 btime 50", "mate 1 depth 2", "depth 1 nodes 1",
          "wtime -5")  # fmt: skip
HELD = ("infinite", "ponder", "infinite depth 1", "ponder wtime 100 btime 100", "infinite nodes 1")
MALFORMED = ("depth", "depth x", "nodes 0", "up", "depth 1 depth 2", "searchmoves", "perft", "perft 0", "movetime -1",
             "searchmoves a1a1", "searchmoves x depth 1")  # fmt: skip
OPTIONS = ("Hash value 1", "Hash value 3", "Hash value 0", "Clear Hash", "MultiPV value 3", "MultiPV value 1",
           "Threads value 2", "Threads value 1", "Ponder value true", "Move Overhead value 0", "Backend value python",
           "Backend value auto", "Contempt value 1", "VariantPath value no-such-file", "BoardSize value 16x16",
           "BoardSize value 3x1", "BoardSize value default")  # fmt: skip
ODD = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), min_size=1, max_size=60)


class EngineMachine(RuleBasedStateMachine):
    """Sends a command, then ``isready``; so all that the command is answered at once stands before ``readyok``."""

    def __init__(self, folder: Path, backend: str) -> None:
        super().__init__()
        self.client = Client(folder, "--backend", backend)
        self.ruleset = GAMES["latrones"]
        self.game: Game | None = None
        self.at_start = True
        self.state = "idle"  # or "held", a search that waits for `stop`; or "running", one that ends at any time
        self.owed = self.seen = 0

    def ask(self, line: str) -> list[str]:
        """What was said up to ``readyok``, which has to come whatever is running."""
        answer = self.client.answer(line)
        self.look_through(line, answer)
        return answer

    def look_through(self, line: str, answer: Sequence[str]) -> None:
        self.seen += sum(said.startswith("bestmove ") for said in answer)
        assert self.seen <= self.owed + 1, (line, answer)
        assert not [said for said in answer if "error internal" in said or "Traceback" in said], (line, answer)
        assert len(errors(answer)) <= 1, (line, answer)

    def position_now(self) -> Position | None:
        return self.game.position if self.game else None

    # ---------------------------------------------------------------- positions and options

    @rule(name=st.sampled_from(sorted(GAMES)))
    def choose_game(self, name: str) -> None:
        if busy(self.ask(f"setoption name UCI_Variant value {name}")):
            assert self.state != "idle"
        elif GAMES[name] != self.ruleset:
            self.ruleset, self.game, self.at_start = GAMES[name], None, False
            self.state = "idle"
            self.ask("setoption name BoardSize value default")
            self.set_position(0, [])

    @rule(plies=st.integers(0, 12), picks=st.lists(st.integers(0, 10**6), min_size=12, max_size=12))
    def set_position(self, plies: int, picks: list[int]) -> None:
        self.ask("stop")
        self.state = "idle"
        game = Game(Position.start(self.ruleset))
        for pick in picks[:plies]:
            if game.outcome() is None:
                game.play(game.legal_moves()[pick % len(game.legal_moves())])
        moves = [before.move_text(move) for before, move in zip(game.positions, game.moves, strict=False)]
        assert not errors(self.ask(f"position fen {game.start.fen()} moves {' '.join(moves)}"))
        self.game, self.at_start = game, False
        assert self.ask("query gameover")[-1] == f"response {'true' if game.outcome() else 'false'}"
        assert self.ask("query p1turn")[-1] == f"response {'true' if game.position.side == 0 else 'false'}"

    @rule(text=st.sampled_from(("fen 8/8 w", "startpos moves a1a1", "fen x", "", "startpos moves zz", "moves a1a2")))
    def set_bad_position(self, text: str) -> None:
        assert len(errors(self.ask(f"position {text}"))) == 1
        self.game, self.at_start = None, False

    @rule(text=st.sampled_from(OPTIONS))
    def set_option(self, text: str) -> None:
        if text.startswith("BoardSize"):
            self.ask("stop")
            self.state, self.game, self.at_start = "idle", None, True
        self.ask(f"setoption name {text}")
        if self.at_start:
            self.set_position(0, [])

    # ---------------------------------------------------------------- searches

    @rule(limits=st.sampled_from(FINITE), waits=st.booleans())
    def go(self, limits: str, waits: bool) -> None:
        asked_in = self.state
        answer = self.ask(f"go {limits}")
        if busy(answer):
            assert asked_in != "idle"
            return
        assert asked_in != "held"
        self.owed += 1
        self.state = "running"
        if waits and self.seen < self.owed:
            answer += (more := self.client.read_until("bestmove "))
            self.look_through(limits, more)
        if waits:
            self.check_move(answer)
            self.state = "idle"

    def check_move(self, answer: Sequence[str]) -> None:
        if self.at_start:
            return
        move = [said for said in answer if said.startswith("bestmove ")][-1].split()[1]
        position = self.position_now()
        if position is None or (self.game and self.game.outcome()):
            assert move == "0000"
        else:
            position.parse_move(move)

    @precondition(lambda self: self.state == "idle")
    @rule(limits=st.sampled_from(HELD))
    def go_and_hold(self, limits: str) -> None:
        self.owed += 1
        self.ask(f"go {limits}")
        playable = self.at_start or (self.game is not None and self.game.outcome() is None)
        assert self.seen == self.owed - playable
        self.state = "held" if playable else "idle"

    @precondition(lambda self: self.state != "running")
    @rule(limits=st.sampled_from(MALFORMED))
    def go_wrong(self, limits: str) -> None:
        self.owed += self.state == "idle"
        assert len(errors(self.ask(f"go {limits}"))) == 1
        assert self.seen == self.owed - (self.state == "held")

    @rule()
    def stop(self) -> None:
        self.ask("stop")
        if self.seen < self.owed:
            self.look_through("stop", self.client.read_until("bestmove "))
        assert self.seen == self.owed
        self.state = "idle"

    @rule()
    def ponderhit(self) -> None:
        self.ask("ponderhit")
        self.state = "running" if self.state == "held" else self.state

    # ---------------------------------------------------------------- the rest

    @rule(line=st.sampled_from(("uci", "ugi", "d", "eval", "help", "debug on", "debug off", "query result")))
    def ask_at_any_time(self, line: str) -> None:
        answer = self.ask(line)
        assert (line == "query result") <= any(said.startswith("response ") for said in answer)

    @rule(line=ODD)
    def say_nonsense(self, line: str) -> None:
        words = line.split()
        if words and words[0] not in ("go", "quit", "position", "setoption"):
            (error,) = errors(self.ask(f"x{line}"))
            assert error.startswith("info string error unknown-command: ")
            assert quoted(f"x{line}".split()[0]) in error

    def teardown(self) -> None:
        with self.client as client:
            self.stop()
            if sys.platform == "linux":
                status = Path(f"/proc/{client.process.pid}/status").read_text(encoding="ascii")
                (peak,) = (text for text in status.splitlines() if text.startswith("VmHWM:"))
                assert int(peak.split()[1]) < MAX_MEMORY_MB * 1024
            assert client.finish() == []


def errors(answer: Sequence[str]) -> list[str]:
    return [said for said in answer if said.startswith("info string error ")]


def busy(answer: Sequence[str]) -> bool:
    return any(said.startswith("info string error busy: ") for said in answer)


def test_any_commands_in_any_order(backend: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    explores = pytestconfig.getoption("--hypothesis-profile") == "explore"
    run_state_machine_as_test(
        lambda: EngineMachine(tmp_path, backend),
        settings=settings(
            max_examples=200 if explores else 8, stateful_step_count=30, deadline=None,
            suppress_health_check=list(HealthCheck), phases=[Phase.generate],  # an answer not given takes long to miss
        ),
    )  # fmt: skip
