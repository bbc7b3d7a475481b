"""Ludii's rulesets in both kernels: the counts, legal moves, games and cases of tests/data/ludii.json."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import ludii
from agreement import compare_kernels, perft
from effort import sample
from latrones_uci.game import Game, Position, canonical_key, ludii_variants
from latrones_uci.game.encoding import path_move

ENTRIES = ludii.entries()
MAX_COUNT = 20_000
GAMES = [
    pytest.param(name, game, entry["start"], id=f"{name}-{game['seed']}")
    for name, entry in ENTRIES.items()
    for game in entry["games"]
] + [
    pytest.param(ludii.NAMES[game["ruleset"]], game, game["start"], id=f"{game['ruleset']}-ending-{game['seed']}")
    for game in ludii.data()["endgames"]
]


def test_every_ruleset_is_played_or_named() -> None:
    assert {entry["name"] for entry in ludii.data()["rulesets"]} == set(ludii.NAMES) | ludii.NOT_PLAYED
    assert set(ENTRIES) == set(ludii_variants())
    assert len(ENTRIES) == 29


def check_counts(backend: str, position: Position, counts: list[int]) -> None:
    for depth, count in enumerate(counts, start=1):
        if backend == "native" or count <= MAX_COUNT:
            assert perft(backend, position, depth) == count, f"{position.fen()}: {depth}"


@pytest.mark.parametrize("name", ENTRIES)
def test_start(backend: str, name: str) -> None:
    entry, start = ENTRIES[name], Position.start(ludii_variants()[name])
    assert start.fen() == entry["start"]
    assert start.geometry.name == entry["size"]
    if name != "ludii-schadler-2001":
        check_counts(backend, start, entry["perft"])


def test_counts_with_the_agreement_of_schadler_2001(backend: str) -> None:
    """The players first raise the number of soldiers, or pass; two passes end that, and one of them places."""

    def placing(hand: int, depth: int) -> int:
        ruleset = replace(ludii_variants()["ludii-schadler-2001"], hand=hand)
        return perft(backend, Position.start(ruleset), depth) or 0 if depth else 1

    expected = ENTRIES["ludii-schadler-2001"]["perft"][: 4 if backend == "python" else None]
    assert [ludii.agreement_perft(depth, placing) for depth in range(1, len(expected) + 1)] == expected


@pytest.mark.parametrize("name", ENTRIES)
def test_positions(backend: str, name: str) -> None:
    """Random positions, reached from the start with repetition allowed; some are within a turn."""
    for given in ENTRIES[name]["positions"]:
        if "leg" not in given:
            position = ludii.position(name, given["fen"])
            check_counts(backend, position, given.get("perft_plies", given["perft"]))
            if backend == "native":
                compare_kernels(position)
            else:
                check_moves(position, "", given)
                plies = sorted(ludii.texts(position.legal_moves()))
                assert plies == sorted(given.get("plies", " ".join(plies)).split())
        if backend == "python":
            agreed = ludii.agreed(name, given["moves"], "allowed")
            position, path = reached(Game(Position.start(agreed.ruleset)), agreed.actions)
            assert ludii.board_of(after_legs(position, path).fen(), agreed.swapped) == ludii.board_of(given["fen"])
            check_moves(position, path, given)


def reached(game: Game, actions: list[str]) -> tuple[Position, str]:
    """Play actions; return the position after the complete plies, and the legs of one that is not complete."""
    path = ""
    for step in ludii.steps(actions):
        if step.complete:
            game.push(step.text)
        else:
            path = step.text
    return game.position, path


def check_moves(position: Position, path: str, given: dict[str, Any]) -> None:
    actions = ludii.actions_of(ludii.texts(position.legal_moves()), path)
    assert len(actions) == given["count"]
    assert actions == sorted(given.get("legal", "").split()) or "legal" not in given


@pytest.mark.long
@pytest.mark.parametrize(("name", "given", "start"), GAMES)
def test_games(name: str, given: dict[str, Any], start: str) -> None:
    """Games under the ruleset itself: the number of legal actions before each, the result and its reason."""
    agreed = ludii.agreed(name, given["moves"])
    game = Game(Position.start(agreed.ruleset) if agreed.skipped else Position.from_fen(agreed.ruleset, start))
    counts = given["counts"][agreed.skipped :]
    for step in ludii.steps(agreed.actions):
        legal = ludii.texts(game.legal_moves())
        path = ""
        for number, size in zip(step.actions, range(1, 100), strict=False):
            actions = ludii.actions_of(legal, path)
            assert len(actions) == counts[number], f"{game.position.fen()} {path} {actions}"
            path = "".join(ludii.squares(step.text)[: size + 1])
        assert step.text in legal
        game.push(step.text)
    assert ludii.board_of(game.position.fen(), agreed.swapped) == ludii.board_of(given["last"])
    if given["result"] == "none":
        assert game.outcome() is None
    else:
        assert ludii.same_result(game.outcome(), given["result"], given["reason"], agreed.swapped)


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("name", ENTRIES)
def test_positions_of_games(name: str) -> None:
    """The compiled rules agree where nothing is a repetition; the legal moves of a game are filtered in Python."""
    for given in ENTRIES[name]["games"]:
        agreed = ludii.agreed(name, given["moves"])
        game = Game(Position.start(agreed.ruleset))
        reached(game, agreed.actions)
        for position in sample(game.positions[:: 40 if len(given["moves"]) > 4000 else 20]):
            compare_kernels(Position.from_fen(position.ruleset, position.fen()))


@pytest.mark.parametrize("case", ludii.played_cases(), ids=lambda case: str(case["id"]))
def test_cases(case: dict[str, Any]) -> None:
    game = Game(ludii.position(ludii.NAMES[case["ruleset"]], case["fen"], case["repetition"]))
    position, path = reached(game, case["moves"].split())
    if "after" in case:
        assert ludii.board_of(after_legs(position, path).fen()) == ludii.board_of(case["after"])
        if "result" not in case and not path:
            assert position.fen().split()[1] == case["after"].split()[1]
    actions = ludii.actions_of(ludii.texts(game.legal_moves()), path)
    if "legal" in case:
        assert actions == sorted(case["legal"].split())
    if "illegal" in case:
        assert case["illegal"] not in actions
    if "result" in case:
        assert ludii.same_result(game.outcome(), case["result"], case["reason"])


def after_legs(position: Position, path: str) -> Position:
    """Return the position in which a turn ends after the legs of a path, which may have to go on."""
    names = ludii.squares(path)
    return position.after(path_move(list(map(position.geometry.parse_square, names)))) if names else position


def test_symmetry_while_a_middle_square_is_barred() -> None:
    """The middle square c3 of 6x6 has no image but itself when the board is mirrored at its diagonal."""
    start = Position.start(ludii_variants()["ludii-seega-6x6"])
    corners = {name: canonical_key(start.play(f"S@{name}")) for name in ("a1", "f6", "a6", "f1")}
    assert len(set(corners.values())) == 3
    assert corners["a6"] == corners["f1"]
    odd = Position.start(ludii_variants()["ludii-seega-6x6"], "7x7")
    assert len({canonical_key(odd.play(f"S@{name}")) for name in ("a1", "g7", "a7", "g1")}) == 1


def test_colours_are_not_exchanged_where_black_wins_ties() -> None:
    fen = "8/8/8/8/8/8/1SS5/ss6[-] "
    turned = "8/8/8/8/8/8/1ss5/SS6[-] "
    for name, same in (("ludii-piso", False), ("ludii-seega-8x8", True)):
        white, black = (Position.from_fen(ludii_variants()[name], text) for text in (fen + "w", turned + "b"))
        assert (canonical_key(white) == canonical_key(black)) == same


@pytest.mark.parametrize("corner", ["1", "S", "s"])
def test_a_hostile_corner_counts_whoever_stands_on_it(corner: str) -> None:
    position = ludii.position("ludii-bell-8x8", f"7d/8/8/8/8/8/2S5/{corner}s5D[-] w 0 30")
    assert [position.geometry.square_name(square) for square in position.captures("c2c1d1")] == ["b1"]
