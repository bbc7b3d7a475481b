"""Counts of move sequences against perft.json."""

from typing import Any

import pytest

import cases
import naive
from latrones_uci.game import Game, Position
from symmetry import SYMMETRIES

WALK_LIMIT = 20_000


def divide_report(position: Position, variant: str, depth: int) -> str:
    """What to look at when a count is wrong: the counts by first move, beside the naive board's where that is quick."""
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


@pytest.mark.parametrize(("entry", "depth", "count"), cases.perft_params())
def test_count(entry: dict[str, Any], depth: int, count: int) -> None:
    check_perft(entry["variant"], entry["fen"], depth, count)


def walk(position: Position, depth: int) -> int:
    """perft by every move made, through nothing but `legal_moves` and `play`."""
    if depth == 0:
        return 1
    return sum(walk(position.play(move), depth - 1) for move in position.legal_moves())


@pytest.mark.parametrize("entry", cases.entry_params())
def test_count_with_every_move_made(entry: dict[str, Any]) -> None:
    position = cases.position(entry["variant"], entry["fen"])
    for depth, count in enumerate(entry["perft"], start=1):
        if count <= WALK_LIMIT:
            assert walk(position, depth) == count


@pytest.mark.parametrize("entry", cases.entry_params())
def test_divide_adds_up(entry: dict[str, Any]) -> None:
    position = cases.position(entry["variant"], entry["fen"])
    for depth, count in enumerate(entry["perft"][:2], start=1):
        divided = position.divide(depth)
        assert sorted(divided) == sorted(map(position.move_text, position.legal_moves()))
        assert sum(divided.values()) == count


@pytest.mark.parametrize("entry", cases.entry_params())
@pytest.mark.parametrize("name", SYMMETRIES)
def test_symmetric_positions_have_the_same_counts(entry: dict[str, Any], name: str) -> None:
    image = naive.render(SYMMETRIES[name].board(naive.parse(entry["fen"])))
    for depth, count in enumerate(entry["perft"], start=1):
        if count <= cases.PERFT_SLOW:
            check_perft(entry["variant"], image, depth, count)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_limit_of_plies_without_capture_is_not_applied(variant: str) -> None:
    for nocapture in (98, 99, 100, 9999):
        fen = cases.START_8X8.replace(" 0 1", f" {nocapture} 60")
        assert cases.position(variant, fen).perft(3) == cases.position(variant, cases.START_8X8).perft(3)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_repetition_is_not_applied(variant: str) -> None:
    game = Game(cases.position(variant, cases.START_8X8))
    for text in ["a1a2", "a8a7", "a2a1", "a7a8"] * 2:
        game.play(game.position.parse_move(text))
    assert game.result() is not None
    assert game.position.perft(2) == game.start.perft(2)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_root_that_is_decided(variant: str) -> None:
    position = cases.position(variant, "ssss/1d2/4/SSSS w 0 1")
    assert [position.perft(depth) for depth in range(4)] == [1, 0, 0, 0]
    assert position.divide(2) == {}
