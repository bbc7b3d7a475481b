"""Both kernels, on the positions, counts and whole games of the data files; data/examples.json names its sources."""

from __future__ import annotations

from typing import Any

import pytest

import cases
import naive
from agreement import compare_kernels, perft
from effort import at_most, sample
from latrones_uci.engine.backend import choose, make_kernel
from latrones_uci.engine.kernels import perft_by_move
from latrones_uci.game import Game, Position
from latrones_uci.game.ruleset import problems

ENTRIES = cases.perft_entries() + cases.example_entries()
NAIVE_LIMIT = at_most(2_000)


def check_counts(backend: str, entry: dict[str, Any], least: int, most: int) -> None:
    """Check the counts from ``least`` up to ``most``, and name the first moves with a wrong count."""
    position = cases.position(entry["variant"], entry["fen"])
    for depth, count in enumerate(entry["perft"], start=1):
        if least <= count < most and (found := perft(backend, position, depth)) != count:
            pytest.fail(f"perft({depth}) is {found}, not {count}\n{divided(position, depth)}", pytrace=False)


def divided(position: Position, depth: int) -> str:
    """Return the counts by first move, with those of the naive board if they are fast to compute."""
    rules, expected = (naive.GAMES | naive.EXAMPLE_GAMES)[position.ruleset.name], {}
    if depth <= 2:
        moves = rules.unfinished_moves(naive.parse(position.fen()))
        expected = {move: rules.perft(after, depth - 1) for move, after in moves.items()}
    found = position.divide(depth)
    return "\n".join(f"{move}: {found.get(move)} {expected.get(move, '')}" for move in sorted(found | expected))


@pytest.mark.parametrize(("backend", "entry"), cases.for_kernels(ENTRIES), indirect=["backend"])
def test_counts(backend: str, entry: dict[str, Any]) -> None:
    check_counts(backend, entry, 0, cases.PERFT_FAST if backend == "python" else cases.MANY)
    position = cases.position(entry["variant"], entry["fen"])
    if backend == "native":
        compare_kernels(position)
        return
    assert position.fen() == entry["fen"]
    texts = sorted(position.legal_moves())
    assert texts == entry.get("moves", texts)
    for depth, count in enumerate(entry["perft"][:2], start=1):
        divided = position.divide(depth)
        assert sorted(divided) == texts
        assert sum(divided.values()) == count
    if entry.get("start"):
        size = (position.geometry.files, position.geometry.ranks)
        assert Position.start(position.ruleset, size) == position


LARGE = {"python": (cases.PERFT_FAST, cases.PERFT_SLOW), "native": (cases.MANY, 2**63)}


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "entry"), [
    param for param in cases.for_kernels(ENTRIES)
    if any(LARGE[param.values[0]][0] <= count < LARGE[param.values[0]][1] for count in param.values[1]["perft"])
], indirect=["backend"])
def test_large_counts(backend: str, entry: dict[str, Any]) -> None:
    check_counts(backend, entry, *LARGE[backend])


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if "after" in entry], ids=lambda entry: entry["tests"])
def test_easily_misread_rules(entry: dict[str, Any]) -> None:
    """`tests` names a wrong reading of the rules, with which these moves are illegal or have other effects."""
    position = cases.position(entry["variant"], entry["fen"])
    for text, fen in entry["after"].items():
        assert position.play(text).fen() == fen, text


@pytest.mark.parametrize("entry", cases.example_entries(), ids=lambda entry: entry["variant"])
def test_counts_of_the_naive_board(entry: dict[str, Any]) -> None:
    """For the examples; the others have those of the package, with which it agrees."""
    for depth, count in enumerate(entry["perft"], start=1):
        if count <= NAIVE_LIMIT:
            assert naive.EXAMPLE_GAMES[entry["variant"]].perft(naive.parse(entry["fen"]), depth) == count


def test_every_example_has_counts() -> None:
    assert sorted(cases.example_games()) == sorted(naive.EXAMPLES)
    assert sorted(naive.EXAMPLES) == sorted({entry["variant"] for entry in cases.example_entries()})
    for ruleset in cases.example_games().values():
        assert problems(ruleset) == []
        assert Position.start(ruleset).legal_moves()


@pytest.mark.parametrize(("backend", "variant"), cases.SEARCHED, indirect=["backend"])
def test_limit_and_repetition_are_not_applied(backend: str, variant: str) -> None:
    midgame = cases.MIDGAMES[variant]
    expected = perft(backend, cases.position(variant, midgame), 3)
    for nocapture in (28, 29, 30, 98, 99, 100, 9990):
        position = cases.position(variant, midgame.replace(" 9 30", f" {nocapture} 60"))
        assert perft(backend, position, 3) == expected
    start, moves = cases.SHUTTLES[variant]
    game = Game(cases.position(variant, start))
    for text in moves * 2:
        game.push(text)
    assert str(game.outcome()).endswith("(repetition)")
    assert perft(backend, game.position, 2) == perft(backend, game.start, 2)


def test_perft_counts_moves_that_would_repeat_a_position(backend: str) -> None:
    """Also where such moves are illegal in the game: in the API, in the core, and by first move."""
    game = Game(Position.from_fen(cases.ruleset("ludii-museum-quintana"), "8/8/8/8/8/8/s1s5/S1s4s w 0 1"))
    for text in ("a1b1", "a2b2", "b1a1"):
        game.push(text)
    position = game.position
    without = Position.from_fen(position.ruleset, position.fen())
    assert len(position.legal_moves()) < position.perft(1)
    for depth in (1, 2, 3):
        expected = without.perft(depth)
        counts = perft_by_move(make_kernel(choose(backend), 1), position, depth, lambda: False)
        assert counts is not None
        assert (position.perft(depth), perft(backend, position, depth), sum(n for _, n in counts)) == (expected,) * 3


@pytest.mark.parametrize(("backend", "variant"), cases.SEARCHED, indirect=["backend"])
def test_no_moves_in_a_finished_game(backend: str, variant: str) -> None:
    for fen in filter(None, (cases.DECIDED[variant], cases.STUCK.get(variant))):
        position = cases.position(variant, fen)
        assert [perft(backend, position, depth) for depth in range(4)] == [1, 0, 0, 0]
        assert position.divide(2) == {}


@pytest.mark.parametrize(("backend", "played"), cases.for_kernels(cases.games()), indirect=["backend"])
def test_games(backend: str, played: dict[str, Any]) -> None:
    if backend == "native":
        for fen in sample(played["fens"]):
            compare_kernels(cases.position(played["variant"], fen))
        return
    game = Game(cases.position(played["variant"], played["start"]))
    for index, text in enumerate(played["moves"]):
        assert game.position.fen() == played["fens"][index]
        assert len(game.legal_moves()) == played["legal"][index]
        assert game.outcome() is None
        game.push(text)
    assert game.position.fen() == played["fens"][-1]
    assert list(game.moves) == played["moves"]
    result = game.outcome()
    assert (result and (result.name, result.termination.value)) == (
        None if played["result"] == "none" else (played["result"], played["reason"])
    )
    assert not result or game.legal_moves() == []
