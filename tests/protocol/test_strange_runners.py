"""The engine under match runners that no one here wrote; see ``strange_runners``."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cases import VARIANTS
from latrones_uci.game import Game, Position, find_variant
from protocol.client import PROGRAM
from strange_runners import (
    CUTECHESS,
    CUTECHESS_ON_WINDOWS,
    FASTCHESS,
    Cutegames,
    Manner,
    Peer,
    Played,
    greet_chess_like,
    is_ready,
    play_chess_like,
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
    first = runner.play(movetime=1)
    game = replayed(Position.start(find_variant(variant)), first)
    late = game.positions[max(len(game.moves) - 9, 0)]
    replayed(late, runner.play(late.fen(), clock=(60, 2)))
    errors = {line for engine in engines for line in engine.said if line.startswith("info string error")}
    assert errors == {f"info string error option: there is no option '{name}'" for name in ("debug", "ownbook")}


def replayed(start: Position, played: Played) -> Game:
    """The game by our rules, which has to have ended as the engines told."""
    game = Game(start)
    for text in played.moves:
        game.play(game.position.parse_move(text))
    result = game.result()
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


@pytest.mark.parametrize("variant", ["latrones", "bell"])
@pytest.mark.parametrize("manner", [FASTCHESS, CUTECHESS, CUTECHESS_ON_WINDOWS])
def test_games_under_runners_of_chess(start: Callable[..., Peer], manner: Manner, variant: str) -> None:
    engine = start(line_end=manner.line_end)
    greet_chess_like(engine, manner, {"UCI_Variant": variant, "Hash": "8", "Threads": "1", "Ponder": "false"})
    ruleset = find_variant(variant)

    def reply(moves: list[str]) -> str | None:
        """The first legal move; in ``bell`` a side may move twice, and then it replies for the engine's side."""
        game = Game(Position.start(ruleset))
        for text in moves:
            game.play(game.position.parse_move(text))
        legal = game.legal_moves()
        return game.position.move_text(legal[0]) if legal else None

    for go in ("wtime 1000 btime 1000 winc 5 binc 5", "movetime 5", "depth 2", "nodes 300"):
        assert len(play_chess_like(engine, manner, go, reply, most_plies=20)) > 1
    assert [line for line in engine.said if "error" in line] == []
    assert engine.process.poll() is None
