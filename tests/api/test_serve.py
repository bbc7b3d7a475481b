"""``serve``: a function or a generator as an engine."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from latrones_uci import Game, Move, Score, SearchInfo, SearchLimits, serve
from latrones_uci.protocols.channel import Channel, ChannelClosedError, Line
from latrones_uci.protocols.function_engine import FunctionKernel
from latrones_uci.protocols.serve import Loop, OtherEngine
from latrones_uci.text.clock import now_ns

PATIENCE_S = 60
WIN_IN_ONE = "position fen 3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"
START_MOVES = [str(move) for move in Game().legal_moves()]
FIRST = START_MOVES[0]
OPTIONS = [
    "option name UCI_Variant type combo default latrones var latrones var latrunculi-classical var latrunculi-xxi var"
    " petteia-xxi var single-stone-xxi var schaedler var bell var rota",
    "option name BoardSize type string default auto",
    "option name VariantSet type combo default core var core var ludii var all",
    "option name VariantPath type string default <empty>",
    "option name Move Overhead type spin default 20 min 0 max 5000",
]


class Controller:
    """A channel with scripted lines, each sent when the search before it is over, unless that waits for a command."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._held = False  # whether the search that is running waits for stop or ponderhit
        self.loop: Loop | None = None
        self.said: list[str] = []

    def receive(self) -> Line:
        text = next(self._lines, None)
        assert self.loop
        if not self._held:
            self.loop._engine.wait()
        if text is None:
            raise ChannelClosedError
        if "infinite" in text or "ponder " in text:
            self._held = True
        elif text in ("stop", "ponderhit"):
            self._held = False
        return Line(text, now_ns())

    def post(self, action: Callable[[], None]) -> None:
        raise AssertionError("only CECP posts actions")

    def send(self, lines: Iterable[str]) -> None:
        self.said += lines


@pytest.fixture(autouse=True)
def switch_interval() -> Iterator[None]:
    """Restore the switch interval, which the loop changes for the whole process."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


def talk(choose_move: Callable[..., Any], *lines: str) -> list[str]:
    """Serve a function in this process and return all answers."""
    controller = Controller(lines)
    other = OtherEngine("Mine", "me", FunctionKernel(choose_move))
    controller.loop = Loop(controller, other=other)  # type: ignore[arg-type]
    controller.loop.run()
    return controller.said


def last_move(game: Game, limits: SearchLimits) -> Move:
    return limits.moves[-1]


# ---------------------------------------------------------------- conversation


LOTS = "9" * 18
LAST = f"bestmove {START_MOVES[-1]}"
GREETING = ["id name Mine", "id author me", *OPTIONS]
CONVERSATIONS: list[tuple[list[str], list[str]]] = [
    (["uci", "isready"], [*GREETING, "uciok", "readyok"]),
    (["ugi", "query p1turn", "query result"], [*GREETING, "ugiok", "response true", "response none"]),
    (["position startpos", "go depth 1", "position startpos moves d1d5", "go movetime 10"], [LAST, "bestmove h8h2"]),
    ([f"go wtime {LOTS} winc {LOTS} depth 1", f"go movetime {LOTS}", f"go depth 1 mate {LOTS}"], [LAST] * 3),
    (["setoption name UCI_Variant value bell", "setoption name BoardSize value 10x8", "go depth 1"],
     ["bestmove S@j8"]),
    (["setoption name UCI_Variant value rota", "setoption name BoardSize value 3x3", "go depth 1"],
     ["bestmove S@c3"]),
    (["go infinite", "isready", "stop"], ["readyok", LAST]),
    (["go ponder movetime 5", "isready", "ponderhit"], ["readyok", LAST]),
    (["go perft 1"], [*(f"{move}: 1" for move in sorted(START_MOVES)), "", f"Nodes searched: {len(START_MOVES)}"]),
    ([f"{WIN_IN_ONE} moves c6c8", "go infinite", "query result"],
     ["info depth 0 score mate 0", "info string the game is over: p1win, dux captured", "bestmove 0000",
      "response p1win"]),
    (["bench", "eval", "setoption name Hash value 4"],
     [f"info string error unknown-command: '{word}': unknown command; 'help' lists the commands"
      for word in ("bench", "eval")] + ["info string error option: unknown option 'Hash'"]),
]


@pytest.mark.parametrize(("lines", "answers"), CONVERSATIONS)
def test_conversations(lines: list[str], answers: list[str]) -> None:
    assert talk(last_move, *lines) == answers


def test_variants_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text('[tiny]\nparent = "latrones"\ntitle = "Tiny"\ndefault_size = "4x5"\n', encoding="utf-8")
    lines = [f"setoption name VariantPath value {path}", "setoption name UCI_Variant value tiny", "d"]
    assert "Fen: ssss/1d2/4/2D1/SSSS w 0 1" in talk(last_move, *lines)


def test_the_help_has_nothing_that_is_only_ours() -> None:
    shown = talk(last_move, "help", "d")
    assert shown[0].startswith("Mine plays Latrones")
    assert not [line for line in shown if "bench" in line or "evaluation" in line or line.startswith("Kernel")]


def test_a_changed_game_does_not_matter() -> None:
    def choose_move(game: Game, limits: SearchLimits) -> str:
        game.push("d1d5")
        game.push(game.legal_moves()[0])
        return "d1d5"

    shown = talk(choose_move, "go depth 1", "d")
    assert shown[0] == "bestmove d1d5"
    assert "Fen: ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1" in shown


# ---------------------------------------------------------------- limits


def limits_of(go: str, *before: str) -> SearchLimits:
    seen: list[SearchLimits] = []

    def choose_move(game: Game, limits: SearchLimits) -> Move:
        seen.append(limits)
        return limits.moves[0]

    talk(choose_move, *before, go, "stop")
    (limits,) = seen
    return limits


def test_limits() -> None:
    moves = tuple(Game().legal_moves())
    assert not SearchLimits(depth=2, moves=moves).stopped
    assert limits_of("go depth 3 nodes 500 mate 2") == SearchLimits(depth=3, nodes=500, mate=2, moves=moves)
    assert limits_of("go") == limits_of("go infinite") == limits_of("go depth 100") == SearchLimits(moves=moves)
    assert limits_of("go movetime 100", "setoption name Move Overhead value 10").time == 0.09
    assert [str(move) for move in limits_of("go depth 1 searchmoves d1d5 a1a2").moves] == ["d1d5", "a1a2"]


def test_clocks() -> None:
    limits = limits_of("go wtime 60000 btime -5 winc 500 binc 250 movestogo 7")
    assert (limits.white_clock, limits.black_clock, limits.white_inc, limits.black_inc) == (60, 0, 0.5, 0.25)
    assert limits.moves_to_go == 7
    assert limits.time is not None
    assert 5 < limits.time < 10  # a seventh of the minute
    alone = limits_of("go wtime 1000")
    assert (alone.white_clock, alone.black_clock, alone.white_inc, alone.black_inc) == (1, None, 0, None)


def test_a_function_that_polls_is_stopped() -> None:
    def poll(game: Game, limits: SearchLimits) -> Move:
        assert limits.depth is None
        while not limits.stopped:
            time.sleep(0.001)
        return limits.moves[1]

    best = f"bestmove {START_MOVES[1]}"
    begun = time.monotonic()
    assert talk(poll, "go infinite", "isready", "stop", "go movetime 50", "go wtime 2000 btime 2000") == [
        "readyok", best, best, best,
    ]
    assert time.monotonic() - begun < PATIENCE_S


def test_a_generator_that_obeys_a_stop_before_its_first_move() -> None:
    """The first legal move is played, and that is no fault."""

    def choose(game: Game, limits: SearchLimits) -> Iterator[Move]:
        while not limits.stopped:
            time.sleep(0.001)
        yield from ()

    assert talk(choose, "go movetime 50", "isready", "go infinite", "stop") == [
        f"bestmove {FIRST}", "readyok", f"bestmove {FIRST}"]


# ---------------------------------------------------------------- faults


def raise_error(game: Game, limits: SearchLimits) -> Move:
    return limits.moves[1 // 0]


FAULTS: list[tuple[Callable[..., Any], str]] = [
    (raise_error, "raise_error: ZeroDivisionError: integer division or modulo by zero (test_serve.py, line {line})"),
    (lambda game, limits: "d1c5", "<lambda>: move 'd1c5' is not legal in '{fen}'"),
    (lambda game, limits: "d1d9", "<lambda>: move 'd1d9': d9 is not on the 8x8 board"),
    (lambda game, limits: "e2-e4",
     "<lambda>: move 'e2-e4': malformed; expected a form such as 'd1d5', 'S@d4' or 'xd5'"),
    (lambda game, limits: None, "<lambda>: 'None': not a move; expected a Move or its text"),
    (lambda game, limits: 5, "<lambda>: '5': not a move; expected a Move or its text"),
    (lambda game, limits: [FIRST], """<lambda>: "['e2f2']": not a move; expected a Move or its text"""),
    (lambda game, limits: sys.exit("enough"), "<lambda>: SystemExit: enough (test_serve.py, line {exit})"),
    (lambda game, limits: iter([]), "<lambda>: yielded no move"),
]


@pytest.mark.parametrize(("choose_move", "message"), FAULTS)
def test_a_fault_is_told_and_a_legal_move_played(choose_move: Callable[..., Any], message: str) -> None:
    text = Path(__file__).read_text(encoding="utf-8").splitlines()
    message = message.format(
        fen=Game().position.fen(), line=next(n for n, line in enumerate(text, 1) if "1 // 0" in line),
        exit=next(n for n, line in enumerate(text, 1) if 'sys.exit("enough")' in line),
    )
    answer = [f"info string error internal: {message}", f"bestmove {FIRST}"]
    assert talk(choose_move, "go depth 1", "isready", "go movetime 5") == [*answer, "readyok", *answer]


def test_a_fault_in_gtp_is_told_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A response has either a move or an error, and the controller waits for a move."""
    (commands, writing), (reading, answers) = os.pipe(), os.pipe()
    os.write(writing, b"name\ntime_settings 0 1 0\ngenmove w\ngogui-rules_side_to_move\n")
    os.close(writing)
    Loop(Channel(commands, answers), other=OtherEngine("Mine", "me", FunctionKernel(raise_error))).run()
    os.close(answers)
    with open(reading, encoding="utf-8") as said:
        assert said.read().split("\n\n") == ["= Mine", "=", "= E2", "= white", ""]
    os.close(commands)
    assert capsys.readouterr().err.startswith("Mine: internal: raise_error: ZeroDivisionError: integer division")


def test_a_fault_in_an_infinite_search_waits_for_stop() -> None:
    said = talk(raise_error, "go infinite", "isready", "stop")
    assert sorted(line.split()[0] for line in said) == ["bestmove", "info", "readyok"]
    assert said[-1] == f"bestmove {FIRST}"


def test_other_faults() -> None:
    assert talk(lambda game, limits: "d1d5", "go depth 1 searchmoves a1a2") == [
        "info string error internal: <lambda>: move 'd1d5': not one of limits.moves", "bestmove a1a2",
    ]
    # A fault far from the function names the line of the function.
    (error, _) = talk(lambda game, limits: game.up_to(99), "go depth 1")
    assert "<lambda>: ValueError: plies: 99 is not an integer from 0 to 0 (test_serve.py, line " in error


# ---------------------------------------------------------------- generators


def counting(closed: list[bool]) -> Callable[..., Iterator[tuple[str, SearchInfo]]]:
    """Return a generator function that yields all moves, over and over, and notes when it is closed."""

    def choose_move(game: Game, limits: SearchLimits) -> Iterator[tuple[str, SearchInfo]]:
        try:
            for depth, move in enumerate(itertools.cycle(START_MOVES), start=1):
                yield move, SearchInfo(depth=depth, score=Score(cp=depth), nodes=10 * depth)
        finally:
            closed.append(True)

    return choose_move


@pytest.mark.parametrize(("go", "depth"), [("go depth 3", 3), ("go nodes 35", 4), ("go depth 2 nodes 500", 2)])
def test_a_generator_is_closed_at_its_limit(go: str, depth: int) -> None:
    closed: list[bool] = []
    *infos, best = talk(counting(closed), go)
    assert best == f"bestmove {START_MOVES[depth - 1]}"
    assert len(infos) == depth
    for number, info in enumerate(infos, start=1):
        assert info.startswith(f"info depth {number} seldepth {number} multipv 1 score cp {number} nodes {number}0 ")
        assert info.endswith(f" pv {START_MOVES[number - 1]}")
    assert closed == [True]


@pytest.mark.parametrize(
    "lines", [("go infinite", "isready", "stop"), ("go movetime 30",), ("go wtime 900 btime 900",)]
)
def test_a_generator_is_closed_when_its_time_is_over(lines: tuple[str, ...]) -> None:
    closed: list[bool] = []
    said = talk(counting(closed), *lines)
    depth = sum(line.startswith("info") for line in said)
    assert depth > 0
    assert said[-1] == f"bestmove {START_MOVES[(depth - 1) % len(START_MOVES)]}"
    assert closed == [True]


def test_moves_without_information() -> None:
    said = talk(lambda game, limits: iter(limits.moves), "go depth 5", "go nodes 7", "go infinite", "stop")
    assert said[:2] == [f"bestmove {START_MOVES[4]}", f"bestmove {START_MOVES[6]}"]


def test_lines_mates_and_expected_replies() -> None:
    def choose_move(game: Game, limits: SearchLimits) -> Iterator[tuple[str, SearchInfo]]:
        yield "d1d5", SearchInfo(depth=1, score=Score(cp=-7), pv=("d1d5", "e8e4"))
        yield "a1a2", SearchInfo(
            depth=4, seldepth=6, score=Score(mate=2), nodes=9, hashfull=3, pv=("a1a2", "h8h5"), wdl=(990, 10, 0))
        yield "a1a3", SearchInfo(depth=5, score=Score(mate=1))

    said = talk(choose_move, "go mate 2")
    assert [line.partition(" nps ")[0] for line in said] == [
        "info depth 1 seldepth 1 multipv 1 score cp -7 nodes 1",
        "info depth 4 seldepth 6 multipv 1 score mate 2 wdl 990 10 0 nodes 9",
        "bestmove a1a2 ponder h8h5",
    ]
    assert said[0].endswith(" pv d1d5 e8e4")
    assert " hashfull 3 " in said[1]


@pytest.mark.parametrize(("second", "message"), [
    ("d1c5", "move 'd1c5' is not legal"), (None, "'None': not a move"),
    (RuntimeError("of the\nauthor"), "choose_move: RuntimeError: of the author (test_serve.py, line "),
    (("d1d5", "good"), "not a move; expected a Move, its text, or one of them with a SearchInfo"),
    (("d1d5", SearchInfo(pv=("a1a2",))), "pv 'a1a2': does not begin with the move 'd1d5'"),
    (("d1d5", SearchInfo(pv=("d1d5", "d1d5"))), "pv 'd1d5 d1d5': move 'd1d5' is not legal"),
])
def test_the_last_good_move_is_played(second: Any, message: str) -> None:
    def choose_move(game: Game, limits: SearchLimits) -> Iterator[Any]:
        yield "a1a2"
        if isinstance(second, Exception):
            raise second
        yield second

    (error, best) = talk(choose_move, "go depth 9")
    assert error.startswith("info string error internal: choose_move: ")
    assert message in error
    assert best == "bestmove a1a2"


# ---------------------------------------------------------------- the program


def test_arguments() -> None:
    with pytest.raises(TypeError, match="choose_move 5: not callable"):
        serve(5)  # type: ignore[arg-type]
    for names, message in ({"name": " "}, "name ' ': blank"), ({"author": ""}, "author '': blank"):
        with pytest.raises(ValueError, match=message):
            serve(last_move, **names)  # type: ignore[arg-type]


PROGRAM = """
import time
from latrones_uci import serve
def choose_move(game, limits):
    print("thinking")
    {statement}
    return limits.moves[0]
serve(choose_move{arguments})
print("after")
"""


def start(folder: Path, statement: str = "pass", arguments: str = "") -> subprocess.Popen[str]:
    (folder / "tiny_engine.py").write_text(PROGRAM.format(statement=statement, arguments=arguments), encoding="utf-8")
    return subprocess.Popen([sys.executable, "tiny_engine.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=folder)


@pytest.mark.process
def test_print_and_the_end_of_the_input(tmp_path: Path) -> None:
    for arguments, names in (
        ("", ["id name tiny_engine", "id author unknown"]),
        (", name='My\\nengine', author='A. \"B\" C'", ["id name My engine", 'id author A. "B" C']),
    ):
        with start(tmp_path, arguments=arguments) as process:
            shown, errors = process.communicate("uci\ngo depth 1\n", timeout=PATIENCE_S)
        assert shown.splitlines() == [*names, *OPTIONS, "uciok", f"bestmove {FIRST}", "after"]
        assert (errors, process.returncode) == ("thinking\n", 0)


@pytest.mark.process
@pytest.mark.parametrize(("statement", "expected"), [
    ("subprocess.run(['printf', '50%%'])", "thinking\n50%"),
    ("os.write(1, b'raw\\n')", "thinking\nraw\n"),
    ("sys.__stdout__.write('buffered\\n')", "thinking\nbuffered\n"),
    ("sys.stdin.readline()", "thinking\n"),
])
def test_nothing_but_the_protocol_uses_standard_input_and_output(
    tmp_path: Path, statement: str, expected: str
) -> None:
    with start(tmp_path, f"import os, subprocess, sys; {statement}") as process:
        shown, errors = process.communicate("go depth 1\nisready\nquit\n", timeout=PATIENCE_S)
    assert sorted(shown.splitlines()) == ["after", f"bestmove {FIRST}", "readyok"]
    assert errors == expected


@pytest.mark.process
def test_quit_ends_even_a_function_that_never_returns(tmp_path: Path) -> None:
    with start(tmp_path, "while True: time.sleep(0.01)") as process:
        shown, _ = process.communicate("go infinite\nisready\nquit\n", timeout=PATIENCE_S)
    assert shown.splitlines() == ["readyok", "after"]
    assert process.returncode == 0


@pytest.mark.process
def test_keyboard_interrupt(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("isready\n")
        process.stdin.flush()
        assert process.stdout.readline() == "readyok\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert (errors, process.returncode) == ("", 130)


@pytest.mark.process
def test_without_pipes(tmp_path: Path) -> None:
    program = "import io, sys\nfrom latrones_uci import serve\nsys.stdin = {}\nserve(lambda game, limits: None)"
    done = [subprocess.run([sys.executable, "-c", program.format(stdin)], capture_output=True, text=True, check=False)
            for stdin in ("io.StringIO()", "None")]
    assert done[0].stderr.splitlines()[-1].startswith("RuntimeError: serve: no standard input and output; call it from")
    assert (done[1].returncode, done[1].stderr) == (0, "")


@pytest.mark.process
def test_xboard(tmp_path: Path) -> None:
    lines = ["xboard", "protover 2", "new", "variant latrones", "force", "usermove d1d5", "go", "ping 1"]
    with start(tmp_path, arguments=", name='A \"quoted\" name'") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("\n".join([*lines, ""]))
        process.stdin.flush()
        shown = list(iter(process.stdout.readline, "pong 1\n"))  # after the move
        process.communicate("quit\n", timeout=PATIENCE_S)
    features = next(line.rstrip() for line in shown if "myname" in line)
    assert "memory=0 smp=0" in features
    assert features.endswith("myname=\"A 'quoted' name\"")
    game = Game()
    game.push("d1d5")
    assert f"move {game.legal_moves()[0]}\n" in shown


@pytest.mark.process
def test_gogui(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        answer = process.communicate("1 name\nclear_board\n2 genmove white\nquit\n", timeout=PATIENCE_S)[0]
    assert answer.split("\n\n")[:3] == ["=1 tiny_engine", "=", f"=2 {FIRST[:2].upper()}"]
