"""Random games and counts: both kernels agree exactly, on the results of the rules."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from cases import MIDGAMES, SHUTTLES, STUCK, VARIANTS, example_games, perft_entries, position, ruleset
from latrones_uci import Game, Playouts, Position, perft, playouts
from latrones_uci.engine import native
from latrones_uci.game import all_variants
from latrones_uci.game.encoding import splitmix64

MANY = [*VARIANTS, *sorted(all_variants().keys() - set(VARIANTS)), *example_games()]


def by_the_rules(start: Position, games: int, seed: int, max_plies: int) -> Playouts:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "is_compiled", lambda: False)
        return playouts(start, games, seed, max_plies=max_plies)


def test_the_generator_is_splitmix64() -> None:
    """The outputs from 1234567, which other implementations list."""
    numbers = splitmix64(1234567)
    assert [next(numbers) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("variant", MANY)
def test_both_kernels_play_the_same_games(variant: str) -> None:
    start = Position.start(ruleset(variant))
    for games, seed, max_plies in ((2, 7, 30), (1, 2**64 - 1, 100)):
        assert playouts(start, games, seed, max_plies=max_plies) == by_the_rules(start, games, seed, max_plies)


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("variant", VARIANTS)
def test_both_kernels_end_games_alike(variant: str) -> None:
    """From positions with few pieces, where all endings occur soon."""
    for fen in (MIDGAMES[variant], SHUTTLES[variant][0], *([STUCK[variant]] if variant in STUCK else [])):
        start = position(variant, fen)
        assert playouts(start, 5, 3, max_plies=300) == by_the_rules(start, 5, 3, 300)


@pytest.mark.usefixtures("native_core")
def test_what_a_position_knows_of_its_past_counts() -> None:
    """Where repetition is illegal."""
    variant = next(each for each in all_variants().values() if each.repetition == "illegal")
    game = Game(variant)
    while len(game.moves) < 60:
        game.push(game.position.named_move(sorted(game.position.packed_moves)[len(game.moves) % 3]))
    assert len(game.position.past_arrangements()) > 1
    assert playouts(game.position, 10, 1, max_plies=40) == by_the_rules(game.position, 10, 1, 40)


def test_the_counts_add_up(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend == "python":
        monkeypatch.setattr(native, "is_compiled", lambda: False)
    start = position("latrones", MIDGAMES["latrones"])
    counts = playouts(start, 20, 5, max_plies=10)
    assert counts.white + counts.draws + counts.black + counts.unfinished == 20
    assert counts.unfinished > 0
    assert 0 < counts.plies <= 200
    assert playouts(start, 20, 5, max_plies=10) == counts != playouts(start, 20, 6, max_plies=10)
    assert playouts(start, 0) == Playouts(0, 0, 0, 0, 0)
    assert playouts(start, 2, max_plies=0) == Playouts(0, 0, 0, 2, 0)
    won = position("latrones", "ssss/4/1D2/SSSS w 0 1")
    assert playouts(won, 3) == Playouts(3, 0, 0, 0, 0)


@pytest.mark.parametrize("entry", [each for each in perft_entries() if each["variant"] != "rota"][::4],
                         ids=lambda entry: entry["fen"])
def test_perft_is_that_of_the_position(entry: dict[str, object]) -> None:
    start = position(str(entry["variant"]), str(entry["fen"]))
    for depth in (0, 1, 2):
        assert perft(start, depth) == start.perft(depth)


def test_perft_on_the_wheel() -> None:
    assert perft(Position.start("rota"), 3) == Position.start("rota").perft(3)


@pytest.mark.parametrize(("call", "error"), [
    (lambda start: playouts("latrones", 1), "position 'latrones': wrong type; expected a Position"),
    (lambda start: playouts(start, -1), "games -1: expected an integer from 0 to 2**64 - 1"),
    (lambda start: playouts(start, 1, 2**64), f"seed {2**64}: expected an integer from 0 to 2**64 - 1"),
    (lambda start: playouts(start, 1, "1"), "seed '1': expected an integer from 0 to 2**64 - 1"),
    (lambda start: playouts(start, 1, max_plies=0.5), "max_plies 0.5: expected an integer from 0 to 2**64 - 1"),
    (lambda start: perft(start, 101), "perft depth 101: expected an integer from 0 to 100"),
    (lambda start: perft(start, -1), "perft depth -1: expected an integer from 0 to 100"),
    (lambda start: perft("latrones", 1), "position 'latrones': wrong type; expected a Position"),
])
def test_wrong_arguments(call, error: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((TypeError, ValueError)) as caught:
        call(Position.start("latrones"))
    assert str(caught.value) == error


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("endless", [lambda start: playouts(start, 10**12), lambda start: perft(start, 50)])
def test_ctrl_c_ends_them(endless) -> None:  # type: ignore[no-untyped-def]
    """And other threads run meanwhile: one of them sends the signal."""

    def interrupt() -> None:
        time.sleep(0.2)
        signal.raise_signal(signal.SIGINT)  # which is handled in the main thread

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        endless(Position.start("latrones"))
    thread.join()
