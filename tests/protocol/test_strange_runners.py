"""The engine with foreign match runners; see ``strange_runners``."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from cases import VARIANTS
from latrones_uci.game import Game, Position, find_variant
from protocol.client import PROGRAM
from strange_runners import (
    TIMEOUT_S,
    ChessRunner,
    Cutechess,
    Cutegames,
    Fastchess,
    Judge,
    Peer,
    Played,
    is_ready,
)

pytestmark = pytest.mark.process

# The order of a runner's commands does not depend on the variant: the default run has one of each kind.
GAMES = [
    pytest.param(variant, marks=() if variant in ("latrones", "bell", "rota") else pytest.mark.slow)
    for variant in VARIANTS
]
# The options of the example settings of cutegames; the engine does not have two of them.
CUTEGAMES_OPTIONS = {"debug": "false", "threads": "1", "hash": "8", "ownbook": "false"}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Peer]]:
    with ExitStack() as stack:
        yield lambda **changes: stack.enter_context(Peer(PROGRAM, tmp_path, **changes))


@pytest.mark.parametrize("variant", GAMES)
def test_games_under_cutegames(start: Callable[..., Peer], variant: str) -> None:
    """Whole games: every move is legal, turns and results match the rules, and no game is void."""
    engines = (start(), start())
    runner = Cutegames(engines, CUTEGAMES_OPTIONS | {"UCI_Variant": variant})
    first = runner.play(limit="movetime 1")
    game = replayed(Position.start(find_variant(variant)), first)
    late = game.positions[max(len(game.moves) - 9, 0)]
    replayed(late, runner.play(late.fen(), clock=(60, 2)))
    for limit in ("depth 1", "nodes 50"):
        replayed(late, runner.play(late.fen(), limit=limit))
    errors = {line for engine in engines for line in engine.said if line.startswith("info string error")}
    assert errors == {f"info string error option: unknown option '{name}'" for name in ("debug", "ownbook")}


def replayed(start: Position, played: Played) -> Game:
    """Replay the game by our rules, and check its result against that of the engines."""
    game = Game(start)
    for text in played.moves:
        game.play(game.position.parse_move(text))
    result = game.outcome()
    assert result is not None
    assert (played.adjudicated, played.result) == ("", result.name)
    return game


def test_cutegames_quit_and_kill(start: Callable[..., Peer]) -> None:
    """The kill comes before the answer to ``quit``; it breaks nothing, and no process is left."""
    engine = start()
    is_ready(engine)
    engine.send("go infinite")
    with engine:
        pass
    assert engine.process.returncode in (0, -signal.SIGKILL)


# All forms of limits that those runners send.
FASTCHESS_GO = (
    "wtime 300 btime 270 winc 5 binc 4", "wtime 300 btime 270 movestogo 9", "nodes 200 depth 2 movetime 50",
)  # fmt: skip
CUTECHESS_GO = ("wtime 300 btime 270 movestogo 9", "movetime 5", "depth 2 nodes 200")
PONDERING_GO = "wtime 1500 btime 1350 movestogo 9"  # time enough for a reply to ponder on, on a busy machine, too
OPTIONS = {"Hash": "8", "Threads": "1", "Move Overhead": "15"}
MOST_PLIES = 10


def judge_of(start: Position) -> Judge:
    """Return a judge that lists the legal moves by our rules, and raises if the engine played an illegal one."""

    def judge(moves: list[str]) -> list[str]:
        game = Game(start)
        for text in moves:
            game.play(game.position.parse_move(text))
        return [game.position.move_text(move) for move in game.legal_moves()]

    return judge


def play_games(runner: ChessRunner, variant: str, limits: Sequence[str]) -> None:
    """Play a game with each limit, with alternating colours; the last from a position later in a game."""
    start, moves = Position.start(find_variant(variant)), list[str]()
    for number, go in enumerate(limits):
        moves = runner.play(judge_of(start), go, most_plies=MOST_PLIES, engine_starts=number % 2 == 0)
        assert len(moves) > 1
    late = Game(start)
    for text in moves[:3]:
        late.play(late.position.parse_move(text))
    position = late.position
    assert runner.play(judge_of(position), limits[0], f"fen {position.fen()}", most_plies=MOST_PLIES)
    runner.quit()
    engine = runner.engine
    assert engine.process.wait(TIMEOUT_S) == 0
    assert [line for line in engine.said if "error" in line] == []


@pytest.mark.parametrize("variant", GAMES)
def test_games_under_fastchess(start: Callable[..., Peer], variant: str) -> None:
    """The older version sends carriage returns."""
    for older in (False, True):
        engine = start(line_end="\r\n" if older else "\n")
        play_games(Fastchess(engine, OPTIONS | {"UCI_Variant": variant}, older=older), variant, FASTCHESS_GO)


@pytest.mark.parametrize("variant", GAMES)
def test_games_under_cutechess(start: Callable[..., Peer], variant: str) -> None:
    """The games with pondering have carriage returns, as on Windows."""
    for ponders in (False, True):
        engine = start(line_end="\r\n" if ponders else "\n")
        runner = Cutechess(engine, OPTIONS | {"UCI_Variant": variant}, ponders=ponders)
        play_games(runner, variant, [PONDERING_GO] if ponders else CUTECHESS_GO)
        assert (runner.hits + runner.misses > 0) == ponders
