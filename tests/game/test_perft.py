"""Perft counts, compared with perft.json."""

from typing import Any

import pytest

import cases
import naive
from effort import at_most
from grouped import grouped
from latrones_uci.game import Game, Position
from symmetry import images

WALK_LIMIT = at_most(20_000)


def divide_report(position: Position, variant: str, depth: int) -> str:
    """Return the counts by first move for a failed test, with those of the naive board if they are fast to compute."""
    expected: dict[str, int] = {}
    if depth <= 2:
        game = naive.GAMES[variant]
        moves = game.unfinished_moves(naive.parse(position.fen()))
        expected = {move: game.perft(after, depth - 1) for move, after in moves.items()}
    found = position.divide(depth)
    lines = [f"divide {depth} of {variant} {position.fen()}"]
    for move in sorted(found | expected):
        note = f"   expected {expected.get(move)}" if expected and expected.get(move) != found.get(move) else ""
        lines.append(f"{move}: {found.get(move)}{note}")
    return "\n".join(lines)


def check_perft(variant: str, fen: str, depth: int, count: int) -> None:
    position = cases.position(variant, fen)
    found = position.perft(depth)
    if found != count:
        pytest.fail(f"perft({depth}) is {found}, not {count}\n{divide_report(position, variant, depth)}", pytrace=False)


@grouped("entry, depth, count", cases.perft_params())
def test_count(entry: dict[str, Any], depth: int, count: int) -> None:
    check_perft(entry["variant"], entry["fen"], depth, count)


def walk(position: Position, depth: int) -> int:
    """Compute perft with only `legal_moves` and `play`."""
    if depth == 0:
        return 1
    return sum(walk(position.play(move), depth - 1) for move in position.legal_moves())


@grouped("entry", cases.entry_params())
def test_count_with_every_move_played(entry: dict[str, Any]) -> None:
    position = cases.position(entry["variant"], entry["fen"])
    for depth, count in enumerate(entry["perft"], start=1):
        if count <= WALK_LIMIT:
            assert walk(position, depth) == count


@grouped("entry", cases.entry_params())
def test_divide_adds_up(entry: dict[str, Any]) -> None:
    position = cases.position(entry["variant"], entry["fen"])
    for depth, count in enumerate(entry["perft"][:2], start=1):
        divided = position.divide(depth)
        assert sorted(divided) == sorted(map(position.move_text, position.legal_moves()))
        assert sum(divided.values()) == count


@grouped("entry", cases.entry_params())
def test_symmetric_positions_have_the_same_counts(entry: dict[str, Any]) -> None:
    board = naive.parse(entry["fen"])
    for _, image in images(naive.GAMES[entry["variant"]], board).values():
        for depth, count in enumerate(entry["perft"], start=1):
            if count <= WALK_LIMIT:
                check_perft(entry["variant"], naive.render(image), depth, count)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_limit_of_plies_without_capture_is_not_applied(variant: str) -> None:
    midgame = cases.MIDGAMES[variant]
    for nocapture in (28, 29, 30, 98, 99, 100, 9990):
        position = cases.position(variant, midgame.replace(" 9 30", f" {nocapture} 60"))
        assert position.perft(3) == cases.position(variant, midgame).perft(3) > 0


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_repetition_is_not_applied(variant: str) -> None:
    start, moves = cases.SHUTTLES[variant]
    game = Game(cases.position(variant, start))
    for text in moves * 2:
        game.play(game.position.parse_move(text))
    result = game.outcome()
    assert result is not None
    assert result.termination.value == "repetition"
    assert game.position.perft(2) == game.start.perft(2) > 0


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_decided_root(variant: str) -> None:
    position = cases.position(variant, cases.DECIDED[variant])
    assert [position.perft(depth) for depth in range(4)] == [1, 0, 0, 0]
    assert position.divide(2) == {}


@pytest.mark.parametrize("variant", ["petteia-xxi", "schaedler", "bell", "rota"])
def test_root_without_legal_moves(variant: str) -> None:
    position = cases.position(variant, cases.STUCK[variant])
    assert [position.perft(depth) for depth in range(4)] == [1, 0, 0, 0]
    assert position.divide(2) == {}
