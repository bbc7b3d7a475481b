"""The engine under match runners that no one here wrote; see ``strange_runners``."""

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
    FOR_EVER_S,
    ChessRunner,
    Cutechess,
    Cutegames,
    Fastchess,
    Judge,
    Peer,
    Played,
    is_ready,
)

# Those of cutegames' own example of settings; two of them were never advertised.
CUTEGAMES_OPTIONS = {"debug": "false", "threads": "1", "hash": "8", "ownbook": "false"}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Peer]]:
    with ExitStack() as stack:
        yield lambda **changes: stack.enter_context(Peer(PROGRAM, tmp_path, **changes))


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_under_cutegames(start: Callable[..., Peer], variant: str) -> None:
    """Whole games: every move is legal, the side to move and the end are those of the rules, no game is voided."""
    engines = (start(), start())
    runner = Cutegames(engines, CUTEGAMES_OPTIONS | {"UCI_Variant": variant})
    first = runner.play(limit="movetime 1")
    game = replayed(Position.start(find_variant(variant)), first)
    late = game.positions[max(len(game.moves) - 9, 0)]
    replayed(late, runner.play(late.fen(), clock=(60, 2)))
    for limit in ("depth 1", "nodes 50"):
        replayed(late, runner.play(late.fen(), limit=limit))
    errors = {line for engine in engines for line in engine.said if line.startswith("info string error")}
    assert errors == {f"info string error option: there is no option '{name}'" for name in ("debug", "ownbook")}


def replayed(start: Position, played: Played) -> Game:
    """The game by our rules, which has to have ended as the engines told."""
    game = Game(start)
    for text in played.moves:
        game.play(game.position.parse_move(text))
    result = game.outcome()
    assert result is not None
    assert (played.adjudicated, played.result) == ("", result.name)
    return game


def test_cutegames_quit_and_kill(start: Callable[..., Peer]) -> None:
    """The kill comes before the answer to ``quit``: nothing is broken by it, and nobody is left."""
    engine = start()
    is_ready(engine)
    engine.send("go infinite")
    with engine:
        pass
    assert engine.process.returncode in (0, -signal.SIGKILL)


# With these all that those runners can say of a limit, in their words.
FASTCHESS_GO = (
    "wtime 300 btime 270 winc 5 binc 4", "wtime 300 btime 270 movestogo 9", "nodes 200 depth 2 movetime 50",
)  # fmt: skip
CUTECHESS_GO = ("wtime 300 btime 270 movestogo 9", "movetime 5", "depth 2 nodes 200")
OPTIONS = {"Hash": "8", "Threads": "1", "Move Overhead": "15"}
MOST_PLIES = 10


def judge_of(start: Position) -> Judge:
    """What is legal by our rules; a move of the engine that is not raises."""

    def judge(moves: list[str]) -> list[str]:
        game = Game(start)
        for text in moves:
            game.play(game.position.parse_move(text))
        return [game.position.move_text(move) for move in game.legal_moves()]

    return judge


def play_games(runner: ChessRunner, variant: str, limits: Sequence[str]) -> None:
    """A game with each limit, with either colour; the last from a position late in another."""
    start, moves = Position.start(find_variant(variant)), list[str]()
    for number, go in enumerate(limits):
        moves = runner.play(judge_of(start), go, most_plies=MOST_PLIES, engine_begins=number % 2 == 0)
        assert len(moves) > 1
    late = Game(start)
    for text in moves[:3]:
        late.play(late.position.parse_move(text))
    position = late.position
    assert runner.play(judge_of(position), limits[0], f"fen {position.fen()}", most_plies=MOST_PLIES)
    runner.quit()
    engine = runner.engine
    assert engine.process.wait(FOR_EVER_S) == 0
    assert [line for line in engine.said if "error" in line] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_under_fastchess(start: Callable[..., Peer], variant: str) -> None:
    """The older one with carriage returns."""
    for older in (False, True):
        engine = start(line_end="\r\n" if older else "\n")
        play_games(Fastchess(engine, OPTIONS | {"UCI_Variant": variant}, older=older), variant, FASTCHESS_GO)


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_under_cutechess(start: Callable[..., Peer], variant: str) -> None:
    """With carriage returns, as on Windows, where it ponders."""
    for ponders in (False, True):
        engine = start(line_end="\r\n" if ponders else "\n")
        runner = Cutechess(engine, OPTIONS | {"UCI_Variant": variant}, ponders=ponders)
        play_games(runner, variant, CUTECHESS_GO[:1] if ponders else CUTECHESS_GO)
        assert (runner.hits + runner.misses > 0) == ponders
