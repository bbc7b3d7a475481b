"""Games of two engines: what the referee decides, what it says of it, and what the engines are told meanwhile."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from engine_fixtures import FakeController
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Game, Position, Termination, find_variant
from latrones_uci.match.adjudication import limits_of_game
from latrones_uci.match.game import Player, Turn, play_game
from latrones_uci.records.record import PlayedGame
from latrones_uci.records.settings import DrawRule, GameLimits, ResignRule
from latrones_uci.text.protocol import Dialect
from match_play import Listening

Play = Callable[..., PlayedGame]
DEPTH, LONG = TimeControl(depth=1), TimeControl(base_ms=60_000)
MOVETIME, CLOCK = TimeControl(movetime_ms=100), TimeControl(base_ms=100, increment_ms=50)
CLOCKED = TimeControl(base_ms=60_000, increment_ms=1000)
PATIENT, HASTY = Timeouts(stop_grace_s=20.0), Timeouts(stop_grace_s=0.2)
ADJUDICATION, TIME_LOSS, STALL, CRASH, RESIGNATION, PROTOCOL_ERROR = (
    Termination.ADJUDICATION, Termination.TIME_LOSS, Termination.STALL, Termination.CRASH, Termination.RESIGNATION,
    Termination.PROTOCOL_ERROR)


@pytest.fixture
def play(start: Position) -> Play:
    def play(
        white: EngineController, black: EngineController, controls: tuple[TimeControl, TimeControl] = (DEPTH, DEPTH),
        report: Callable[[Turn], None] | None = None, **limits: Any,
    ) -> PlayedGame:
        players = Player(white, controls[0]), Player(black, controls[1])
        return play_game(start, players, GameLimits(**limits), report)

    return play


def replayed(game: PlayedGame) -> Game:
    replay = Game(game.start)
    for ply in game.plies:
        assert (ply.side, ply.movenumber) == (replay.position.side, replay.position.movenumber)
        replay.push(ply.text)
    return replay


def blamed(game: PlayedGame) -> list[str]:
    """Return the violations without those of a busy machine."""
    return [line for line in game.violations if "not the engine's fault" not in line]


def test_a_game_to_its_end(fake_controller: FakeController, play: Play) -> None:
    game = play(fake_controller("good"), fake_controller("good"))
    assert game.outcome == replayed(game).outcome()
    assert game.outcome.termination.by_rules
    assert game.offence is None
    assert all(ply.elapsed_ns > 0 and ply.allowed_ns is None and ply.clock_left_ns is None for ply in game.plies)


@pytest.mark.parametrize(("black", "control", "limits", "ended", "details"), [
    (("stall", HASTY), CLOCK, {}, (STALL, 0, 1), "no bestmove within"),
    (("late", PATIENT), MOVETIME, {}, (TIME_LOSS, 0, 1), " ms late"),
    (("late", PATIENT), CLOCK, {}, (TIME_LOSS, 0, 1), " ms late"),
    # The fake answers only when it is told to stop, which is when time and margin are over.
    (("late", PATIENT), MOVETIME, {"margin_ms": 100}, (TIME_LOSS, 0, 1), " ms late"),
    (("late", Timeouts(search_s=0.1)), DEPTH, {}, (TIME_LOSS, 0, 1), " s, only after stop"),  # untimed, too
    (("slow", HASTY), CLOCK, {"margin_ms": 60_000, "max_plies": 3}, (ADJUDICATION, None, 3), "after 3 plies"),
    # An engine may have its own margin.
    (("slow", PATIENT, 60_000), MOVETIME, {"max_plies": 3}, (ADJUDICATION, None, 3), "after 3 plies"),
    (("slow", PATIENT, 0), MOVETIME, {"margin_ms": 60_000, "max_plies": 3}, (TIME_LOSS, 0, 1), " ms late"),
    (("good", HASTY), DEPTH, {"max_plies": 5}, (ADJUDICATION, None, 5), "unfinished after 5 plies"),
    # White always tells 5 centi-soldiers; Black the same, or that it is lost.
    (("good", HASTY), DEPTH, {"draw": DrawRule(4, 2, 5)}, (ADJUDICATION, None, 7), "within 5 of zero"),
    (("good", HASTY), DEPTH, {"draw": DrawRule(1, 2, 4), "max_plies": 9}, (ADJUDICATION, None, 9), "after 9 plies"),
    (("carriage-returns", HASTY), DEPTH, {"resign": ResignRule(2, 300, two_sided=False)}, (RESIGNATION, 0, 4), "Black"),
    (("carriage-returns", HASTY), DEPTH, {"resign": ResignRule(2, 300), "max_plies": 9}, (ADJUDICATION, None, 9), ""),
])
def test_how_a_game_ends(
    fake_controller: FakeController, play: Play, black: tuple[Any, ...], control: TimeControl, limits: dict[str, Any],
    ended: tuple[Termination, int | None, int], details: str,
) -> None:
    behaviour, timeouts, *margin_ms = black
    engine = fake_controller(behaviour, timeouts=timeouts, margin_ms=margin_ms[0] if margin_ms else None)
    game = play(fake_controller("good"), engine, (DEPTH, control), **limits)
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == ended
    assert details in game.outcome.details
    late = game.offence if ended[0] is TIME_LOSS else game.plies[1] if behaviour == "slow" else None
    if late is not None and control is not DEPTH:
        assert late.overshoot_ns is not None
        assert (100_000_000 if limits.get("margin_ms") == 100 else 0) < late.overshoot_ns < 5_000_000_000
        assert late.clock_left_ns == (-late.overshoot_ns if control is CLOCK else None)
    assert engine.usable == (ended[0] is not STALL)
    assert (game.fault is not None) == (ended[0] is STALL)


def test_a_game_that_its_rules_need_not_end_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latrones_uci.match.adjudication.ENDLESS_PLIES", 8)
    variant = "ludii-kharebga-6x6"
    settings = EngineSettings((*OWN_ENGINE, "--backend", "python"), DEPTH)
    engine = EngineController(settings, {"VariantSet": "ludii", "UCI_Variant": variant}, Timeouts(), lambda: False)
    try:
        players = (Player(engine, DEPTH),) * 2
        for given, plies in ((None, 8), (11, 11)):
            game = play_game(Position.start(find_variant(variant)), players, GameLimits(max_plies=given))
            assert (game.outcome.termination, len(game.plies)) == (ADJUDICATION, plies)
    finally:
        engine.kill()
    assert limits_of_game(GameLimits(), find_variant("bell")).max_plies is None


def test_an_engine_that_is_already_dead_loses_without_a_ply(fake_controller: FakeController, play: Play) -> None:
    white = fake_controller("good")
    white.kill()
    game = play(white, fake_controller("good"))
    assert (game.outcome.termination, game.outcome.winner, game.plies) == (CRASH, 1, ())


def test_clocks_and_turns(fake_controller: FakeController, play: Play) -> None:
    """Of each ply, the increment and the time of the next period included; and as they are reported in the game."""
    lines: list[str] = []
    turns: list[Turn] = []
    periods = TimeControl(base_ms=60_000, increment_ms=1000, period_moves=2)
    white = fake_controller("good", log=Listening(lines.append))
    game = play(white, fake_controller("good"), (periods, CLOCKED), turns.append, max_plies=10)
    assert [line.split("movestogo ")[1] for line in lines if line.startswith("go")] == ["2", "1", "2", "1", "2"]
    for side, period_ns in ((0, 60_000_000_000), (1, 0)):
        left_ns = 60_000_000_000
        for number, ply in enumerate(game.plies[side::2], 1):
            assert (ply.allowed_ns, ply.clock_left_ns) == (left_ns, left_ns - ply.elapsed_ns)
            assert turns[2 * number - 2 + side].clocks_ns[side] == left_ns
            left_ns += 1_000_000_000 - ply.elapsed_ns + (period_ns if number % 2 == 0 else 0)
    assert [turn.played for turn in turns] == list(range(11))
    assert list(turns[-1].plies) == list(game.plies)
    assert [turn.since_ns for turn in turns] == sorted(turn.since_ns for turn in turns)


# ---------------------------------------------------------------- what is said of engines


@pytest.mark.parametrize("protocol", ["ugi", "auto"])
def test_an_engine_that_speaks_only_ugi(fake_controller: FakeController, play: Play, protocol: str) -> None:
    timeouts = Timeouts(start_s=2.0) if protocol == "auto" else Timeouts()
    engines = fake_controller("good"), fake_controller("ugi", protocol=protocol, timeouts=timeouts)
    game = play(*engines, (LONG, LONG), max_plies=6, check_claims=True)
    assert (game.outcome.termination, len(game.plies), game.violations) == (ADJUDICATION, 6, ())
    assert [engine.dialect for engine in engines] == [Dialect.UCI, Dialect.UGI]


def test_claims_are_compared_with_the_referee(fake_controller: FakeController, play: Play) -> None:
    game = play(fake_controller("wrong-claims"), fake_controller("ugi", protocol="ugi"), check_claims=True)
    assert game.outcome.termination.by_rules
    assert game.outcome.winner is not None
    said = "gameover 'true', result 'draw'; the referee has false, none"
    # Asked before every ply and after the last, it is wrong every time.
    assert game.violations == (f'White: wrong-claim: "{said}" ({len(game.plies) + 1} times)',)


def test_what_is_forgiven_is_told(fake_controller: FakeController, play: Play) -> None:
    engines = fake_controller("stale-answer", 1), fake_controller("carriage-returns", strict=True)
    game = play(*engines, max_plies=6)
    assert game.outcome.termination is ADJUDICATION
    assert game.violations[0] == "White: unexpected-bestmove: 'bestmove 0000'"
    assert [line.split(":")[1].strip() for line in game.violations[1:]] == [
        "carriage-return", "blanks", "pv-illegal", "pv-bestmove", "ponder-move",
    ]
    assert all(line.startswith("Black: ") and line.endswith("times)") for line in game.violations[1:3])
    again = play(*engines, max_plies=1)
    assert [line.split(":")[0] for line in again.violations] == ["White"]  # of the last game's last answer


@pytest.mark.parametrize(
    ("behaviour", "kinds"),
    [("junk", {"foreign-line", "blanks", "info-form"}), ("upper-case", {"move-form", "blanks"}),
     ("hyphens", {"move-form"}), ("good", set())],
)
def test_strict_engines(fake_controller: FakeController, play: Play, behaviour: str, kinds: set[str]) -> None:
    game = play(fake_controller("good"), fake_controller(behaviour, strict=True), max_plies=2)
    assert {line.split(": ")[1] for line in game.violations} == kinds
    replayed(game)


def test_errors_in_a_search_are_reported(fake_controller: FakeController, play: Play) -> None:
    """Also those of an engine that loses by it."""
    game = play(fake_controller("report-errors"), fake_controller("no-move-with-error", 1))
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == (STALL, 0, 3)
    error = "search-error: 'info string error internal: division by zero'"
    assert game.violations == (f"White: {error} (2 times)", f"Black: {error}")


# ---------------------------------------------------------------- pondering


def told_to(log: list[str]) -> list[str]:
    """Return the lines that an engine was sent, without positions, in short form."""
    return [" ".join(line.split()[:2]) for line in log if line.startswith(("go", "ponderhit", "stop"))]


@pytest.mark.parametrize("protocol", ["uci", "ugi"])
def test_pondering(fake_controller: FakeController, play: Play, start: Position, protocol: str) -> None:
    """The reply that it expects is played every time."""
    lines: list[str] = []
    white = fake_controller("ponder", ponder=True, protocol=protocol, strict=True, log=Listening(lines.append))
    game = play(white, fake_controller("good"), (CLOCKED, CLOCKED), max_plies=8)
    assert (game.outcome.termination, blamed(game)) == (ADJUDICATION, [])
    replayed(game)
    clock = "wtime" if protocol == "uci" else "p1time"
    assert told_to(lines) == [f"go {clock}", *["go ponder", "ponderhit"] * 3, "go ponder", "stop"]
    assert ("setoption name Ponder value true" in lines) == (protocol == "uci")  # which the fake lacks in UGI
    pondering = [line for line in lines if line.startswith("go ponder")]
    positions = [line for line in lines if line.startswith("position")]
    moves = " ".join(ply.text for ply in game.plies)
    assert positions[:3] == [
        f"position fen {start.fen()}", *(f"position fen {start.fen()} moves {moves[:length]}" for length in (9, 19))
    ]
    # Its clock has the increment of its last move, and runs again from the ponderhit.
    assert f"{clock} {(game.plies[0].clock_left_ns or 0) // 1_000_000 + 1000} " in pondering[0]
    left_ns = 60_000_000_000
    for ply in game.plies[::2]:
        assert ply.allowed_ns == left_ns
        left_ns += 1_000_000_000 - ply.elapsed_ns
        assert ply.info.depth == 1


def test_time_of_the_next_period_while_pondering(fake_controller: FakeController, play: Play) -> None:
    """The clocks after "go ponder" are those after its last move, with the time of the next period."""
    lines: list[str] = []
    white = fake_controller("ponder", ponder=True, log=Listening(lines.append))
    controls = TimeControl(base_ms=60_000, period_moves=2), CLOCKED
    game = play(white, fake_controller("good"), controls, max_plies=6)
    pondering = [line.split() for line in lines if line.startswith("go ponder")]
    assert [line[-1] for line in pondering] == ["1", "2", "1"]
    after = [(ply.clock_left_ns or 0) // 1_000_000 for ply in game.plies[::2]]
    assert [int(line[line.index("wtime") + 1]) for line in pondering] == [after[0], after[1] + 60_000, after[2]]


@pytest.mark.parametrize(("behaviour", "ponder", "told"), [
    ("ponder-miss", True, ["go depth", "go ponder", "stop"] * 3),
    ("ponder-illegal", True, ["go depth"] * 3),  # names an illegal reply
    ("good", True, ["go depth"] * 3),  # names none
    ("ponder", False, ["go depth"] * 3),
])
def test_replies_that_are_not_played_or_not_expected(
    fake_controller: FakeController, play: Play, behaviour: str, ponder: bool, told: list[str]
) -> None:
    lines: list[str] = []
    white, black = fake_controller("good"), fake_controller(behaviour, ponder=ponder, log=Listening(lines.append))
    for _ in range(2):  # it is ready for another game, whenever the first one ends
        game = play(white, black, max_plies=7)
        assert (game.outcome.termination, blamed(game), told_to(lines)) == (ADJUDICATION, [], told)
        assert ponder or "setoption name Ponder value true" not in lines
        lines.clear()


@pytest.mark.long
def test_no_pondering_on_a_move_of_the_same_player() -> None:
    """In bell a player places two pieces at a time, so the other one is never to move after one reply."""
    lines: list[str] = []
    settings = EngineSettings((*OWN_ENGINE, "--backend", "python"), DEPTH, ponder=True)
    engine = EngineController(settings, {"UCI_Variant": "bell"}, Timeouts(), lambda: False, log=Listening(lines.append))
    try:
        players = (Player(engine, TimeControl(depth=2)),) * 2
        game = play_game(Position.start(find_variant("bell")), players, GameLimits(max_plies=6))
    finally:
        engine.kill()
    assert (game.outcome.termination, blamed(game)) == (ADJUDICATION, [])
    assert told_to(lines) == ["go depth"] * 6


@pytest.mark.parametrize(("behaviour", "termination", "said"), [
    ("ponder-early", PROTOCOL_ERROR, "' while pondering, before 'ponderhit' or 'stop'"),
    ("ponder-crash", CRASH, "ended with status 3: the fake falls over"),
    ("ponder-deaf", STALL, "no bestmove within 0.3 s of 'stop' while pondering"),
])
def test_faults_while_pondering(
    fake_controller: FakeController, play: Play, behaviour: str, termination: Termination, said: str
) -> None:
    white, black = fake_controller("slow", timeouts=Timeouts()), fake_controller(behaviour, ponder=True)
    game = play(white, black)
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == (termination, 0, 3)
    assert game.outcome.details.startswith("Black: ")
    assert said in game.outcome.details
    assert (black.usable, white.usable) == (behaviour == "ponder-early", True)


def test_a_fault_while_pondering_does_not_change_the_result(fake_controller: FakeController, play: Play) -> None:
    black = fake_controller("ponder-deaf", ponder=True)
    game = play(fake_controller("crash", 1), black)
    assert (game.outcome.termination, game.outcome.winner) == (CRASH, 1)
    [violation] = blamed(game)
    assert violation.startswith("Black: no-answer: ")
    assert "no bestmove within 0.3 s of 'stop' while pondering; it printed nothing, after the end of the" in violation
    assert not black.usable


def test_interruption_while_an_engine_ponders(fake_controller: FakeController, play: Play) -> None:
    interrupt = threading.Event()

    def hear(text: str) -> None:
        if text.startswith("go ponder"):
            interrupt.set()

    white = fake_controller("stall", 1, interrupt=interrupt)
    black = fake_controller("ponder", ponder=True, interrupt=interrupt, log=Listening(hear))
    game = play(white, black)
    assert (game.outcome.termination, len(game.plies)) == (Termination.INTERRUPTED, 2)
    assert (white.pondering, black.pondering, white.usable) == (False, False, False)


@pytest.mark.process
def test_the_output_of_a_pondering_engine_is_read(fake_controller: FakeController, play: Play) -> None:
    """Its opponent waits until it has printed everything."""
    game = play(fake_controller("await-file"), fake_controller("ponder-print", ponder=True), max_plies=4)
    assert game.outcome.termination is ADJUDICATION
    assert max(ply.elapsed_ns for ply in game.plies) < 15_000_000_000
