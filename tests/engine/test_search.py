"""Properties of a search besides its score."""

from __future__ import annotations

import re
from random import Random

import pytest

from cases import SEARCHED, VARIANTS, example_games
from effort import amount
from latrones_uci.engine.python.alphabeta import _Result, _RootMove
from latrones_uci.engine.python.transposition_table import ENTRY_BYTES, EXACT, LOWER, UPPER, TranspositionTable
from latrones_uci.engine.types import WIN, Bound, to_score
from latrones_uci.game import Game, Position, Ruleset, all_variants, find_variant
from latrones_uci.text.protocol import Score, SearchInfo
from search_help.driver import search
from search_help.positions import allowed, random_positions

over_games = pytest.mark.parametrize(("backend", "variant"), SEARCHED, indirect=["backend"])


@over_games
def test_search_is_reproducible(backend: str, variant: str) -> None:
    game = Game(Position.start(find_variant(variant)))
    first, second = (search(game, backend=backend, depth=3 if backend == "python" else 5) for _ in range(2))
    assert first == second
    assert first.result.nodes > 100


def check_line(game: Game, info: SearchInfo) -> None:
    """Check that a line is legal, ends with the game at the latest, and has the score of that end."""
    ahead, side, score = game.copy(), game.position.side, info.score
    for text in info.pv:
        ahead.push(text)
    outcome = ahead.outcome()
    if score.mate is not None and not score.bound:
        assert len(info.pv) <= (2 * score.mate - 1 if score.mate > 0 else 1 - 2 * score.mate)
    if outcome is not None and not score.bound:
        found = 0 if score.mate is None else 1 if score.mate > 0 else -1
        expected = 0 if outcome.winner is None else 1 if outcome.winner == side else -1
        assert found == expected, (game.position, info)
        assert found or score.cp == 0


def shuffled_games(ruleset: Ruleset, size: tuple[int, int], count: int, seed: int) -> list[Game]:
    """Return unfinished games whose last moves go back and forth, so that much has occurred twice."""
    chance, found = Random(f"{ruleset.name} {seed}"), list[Game]()
    while len(found) < count:
        game = Game(Position.start(ruleset, size))
        for _ in range(chance.randrange(2, 80)):
            if not (moves := game.legal_moves()):
                break
            reversed_moves = {f"{text[2:]}{text[:2]}" for text in map(str, game.moves[-4:])}
            back = [move for move in moves if str(move) in reversed_moves]
            game.push(chance.choice(back if back and chance.random() < 0.6 else moves))
        if game.outcome() is None:
            found.append(game)
    return found


BOARDS_ALIKE = re.compile(r"ludii-(seega|kharebga)-(?!6x6|16x11)")  # the same rules on boards of other sizes


@pytest.mark.parametrize("variant", [name for name, ruleset in all_variants().items()
                                     if ruleset.board == "grid" and not BOARDS_ALIKE.match(name)])
def test_lines_are_legal_end_with_the_game_and_are_not_repeated(backend: str, variant: str) -> None:
    ruleset = find_variant(variant)
    size = (allowed(ruleset, [(6, 6)]) or [ruleset.default_size])[0]
    positions = random_positions(variant, amount(4), seed=6) if variant in VARIANTS else []
    for game in [*shuffled_games(ruleset, size, amount(3), seed=1), *map(Game, positions)]:
        for bounds in ({"depth": 3 if backend == "python" else 6}, {"nodes": 700}, {"nodes": 77, "multipv": 2},
                       {"depth": 1, "multipv": 3}):
            run = search(game, backend=backend, **bounds)
            for info in run.infos:
                check_line(game, info)
                assert 1 <= len(info.pv) <= info.seldepth
            assert len({(info.nodes, info.depth, info.multipv, info.score.bound) for info in run.infos}) == len(
                run.infos
            )
            lines = [info.pv[0] for info in run.infos if info.multipv == 1 and info.score.bound != "upper"]
            assert not lines or lines[-1] == game.position.named_move(run.result.move)


@pytest.mark.long
@pytest.mark.parametrize("variant", example_games())
def test_games_of_the_examples_are_played_to_their_end(backend: str, variant: str) -> None:
    game = Game(Position.start(example_games()[variant]))
    while game.outcome() is None:
        assert len(game.moves) < 1000
        best = search(game, backend=backend, megabytes=1, nodes=30).result.move
        game.push(game.position.named_move(best))


def test_first_iteration_sees_that_the_opponent_has_no_move(backend: str) -> None:
    run = search(Game(Position.from_fen("latrunculi-xxi", "s2d/S1D1/3S/2Ss w 0 1")), backend=backend, depth=1)
    assert (run.last.score, run.last.pv) == (Score(mate=1), ("c3d3",))


def test_a_win_in_one_ends_deeper_iterations_at_once(backend: str) -> None:
    game = Game(Position.from_fen("latrones", "3ds3/3S4/2S5/8/8/ss4ss/S1S1S1S1/4D3 w 0 1"))
    run = search(game, backend=backend, depth=7)
    assert run.last.score == Score(mate=1)
    assert run.result.nodes < 7 * 2 * len(game.legal_moves())


CROWDED = "S1sS1sS1/1sS1sS1s/sS1sS1sS/S1sS1sS1/1sS1sS1s/sS1sS1sS/S1sS1sS1/1sS1sS1s[-] w"
CROWDED_16 = "/".join(["s1S1s1S1s1S1s1S1", "sSsSsSsSsSsSsSsS", "SsSsSsSsSsSsSsSs", "1S1s1S1s1S1s1S1s"] * 4) + "[-] w"


@pytest.mark.parametrize(("variant", "fen"), [("bell", CROWDED), ("ludii-seega-6x6", CROWDED_16)])
def test_first_iteration_of_a_crowded_board_is_short(backend: str, variant: str, fen: str) -> None:
    run = search(Game(Position.from_fen(variant, fen)), backend=backend, depth=1)
    assert run.infos
    assert run.result.nodes < (150_000 if backend == "native" else 10_000)


@over_games
def test_the_last_lines_have_the_totals_of_the_search(backend: str, variant: str) -> None:
    game = Game(Position.start(find_variant(variant)))
    for limit, lines in [(1111, 1), (5000, 1), (700, 3), (5000, 3)]:
        run = search(game, backend=backend, nodes=limit, multipv=lines)
        last = {info.multipv: info for info in run.infos}
        assert {info.nodes for info in last.values()} == {run.result.nodes}
        assert limit <= run.result.nodes < limit + (1 if variant == "latrones" else 64)
        answer = game.position.after(run.result.move)
        ponder = () if run.result.ponder is None else (answer.named_move(run.result.ponder),)
        assert last[1].pv[:2] == (game.position.named_move(run.result.move), *ponder)
        assert [info.multipv for info in run.infos[-lines:]] == list(range(1, lines + 1))
        deepest = max(info.depth for info in run.infos)
        assert all(info.depth >= deepest - 1 for info in last.values())


def test_the_first_moves_are_reported_even_if_the_iteration_is_not_finished(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    run = search(game, backend=backend, nodes=1)
    assert (run.infos, run.result.nodes) == ([], 1)
    assert run.result.move in game.position.packed_moves
    run = search(game, backend=backend, nodes=5)
    assert [(info.depth, info.multipv, info.nodes) for info in run.infos] == [(1, 1, 5)]
    assert run.last.pv == (game.position.named_move(run.result.move),)


def test_the_reported_result_stays_exact_after_a_bound() -> None:
    def result(depth: int, score: int, bound: Bound = "") -> _Result:
        return _Result(depth, depth, score, bound, (7,))

    move = _RootMove(7)
    for new, reported in [
        (result(4, 10), result(4, 10)),
        (result(5, -30, "upper"), result(4, 10)),  # the window failed in iteration 5
        (result(5, -70), result(5, -70)),
        (result(6, 90, "lower"), result(5, -70)),
        (result(9, 40, "lower"), result(9, 40, "lower")),  # the exact result is too old
        (result(9, 80, "lower"), result(9, 80, "lower")),
    ]:
        move.update(new)
        assert (move.score, move.result) == (new.score, reported)


def test_quiescence_ends_on_a_full_board(backend: str) -> None:
    """Without its limit, a search of a ply takes more than a million nodes here."""
    position = Position.from_fen(
        find_variant("ludii-kharebga-8x8"),
        "sssssSSs/sSsSssSS/SsSSSSSs/sssssSsS/SSS1sSss/SsssSsS1/SssSSSss/SSsSSsSS[-] w 0 17",
    )
    found = search(Game(position), backend=backend, depth=2, nodes=100_000)
    assert found.result.nodes < 20_000
    assert found.infos[-1].depth == 2


# ---------------------------------------------------------------- scores


def test_scores_count_turns_of_the_winner_or_centi_soldiers() -> None:
    for plies, turns in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (99, 50)]:
        assert to_score(WIN - plies) == Score(None, turns)
    for plies, turns in [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (100, 50)]:
        assert to_score(plies - WIN) == Score(None, -turns)
    for value in (-5000, -1, 0, 37, 20_000):
        assert to_score(value) == Score(value, None)


# ---------------------------------------------------------------- the transposition table in Python


def test_stored_entries_are_found() -> None:
    table = TranspositionTable(1)
    for score in (-WIN, -1, 0, 1, WIN):
        for bound in (EXACT, LOWER, UPPER):
            table.store(12345, 0xFFFF, score, 100, bound)
            assert table.probe(12345) == (0xFFFF, score, 100, bound)
    assert table.probe(12346) is None
    assert table.probe(0) is None, "an empty entry has key 0"


def test_storing_without_a_move_keeps_the_stored_move() -> None:
    table = TranspositionTable(1)
    table.store(7, 99, 10, 3, LOWER)
    table.store(7, 0, -5, 4, UPPER)
    assert table.probe(7) == (99, -5, 4, UPPER)


def test_shallow_bound_does_not_replace_deeper_entry_of_the_same_search() -> None:
    table = TranspositionTable(1)
    table.store(7, 1, 10, 6, LOWER)
    table.store(7, 2, 20, 3, LOWER)
    assert table.probe(7) == (1, 10, 6, LOWER)
    for rounds in (1, 63, 64, 200):  # the age wraps around
        for _ in range(rounds):
            table.new_search()
        if rounds != 64:
            table.store(7, rounds, 20, 3, LOWER)
            assert table.probe(7) == (rounds, 20, 3, LOWER)


def test_clear_and_hashfull() -> None:
    table = TranspositionTable(1)
    used = sum(column.itemsize * len(column) for column in (table._keys, table._moves, table._data))
    assert 2**20 - ENTRY_BYTES < used <= 2**20
    rng = Random(1)
    for _ in range(200_000):
        table.store(rng.getrandbits(64), 1, 0, 1, EXACT)
    assert table.hashfull() > 900
    table.new_search()
    assert table.hashfull() == 0
    table.clear()
    assert all(data == 0 for data in table._data)
    assert table.probe(7) is None
