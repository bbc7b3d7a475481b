import threading
from collections.abc import Callable

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Game, Position, Termination, find_variant
from latrones_uci.match.adjudication import DrawRule, GameLimits, ResignRule
from latrones_uci.match.game import Player, play_game
from latrones_uci.match.record import PlayedGame
from latrones_uci.protocol import Dialect
from match_play import Listening

FakeController = Callable[..., EngineController]
DEPTH = TimeControl(depth=1)
NO_LIMITS = GameLimits()
MOVETIME = TimeControl(movetime_ms=100)
CLOCK = TimeControl(base_ms=100, increment_ms=50)
LONG = TimeControl(base_ms=60_000)
CLOCKED = TimeControl(base_ms=60_000, increment_ms=1000)


@pytest.fixture
def play(fake_controller: FakeController, start: Position) -> Callable[..., PlayedGame]:
    """Plays a game in which White is good and Black shows a behaviour, where untimed from its second move on."""

    def play(behaviour: str, control: TimeControl = DEPTH, limits: GameLimits = NO_LIMITS) -> PlayedGame:
        timeouts = Timeouts(stop_grace_s=20.0 if behaviour == "late" else 0.2)
        white = fake_controller("good", timeouts=timeouts)
        black = fake_controller(behaviour, 0 if control.timed else 1, timeouts=timeouts)
        return play_game(start, (Player(white, DEPTH), Player(black, control)), limits)

    return play


def replayed(game: PlayedGame) -> Game:
    replay = Game(game.start)
    for ply in game.plies:
        assert (ply.side, ply.movenumber) == (replay.position.side, replay.position.movenumber)
        replay.play(replay.position.parse_move(ply.text))
    return replay


def test_a_game_to_its_end(play: Callable[..., PlayedGame]) -> None:
    game = play("good")
    assert game.outcome == replayed(game).outcome()
    assert game.outcome.termination.by_rules
    assert game.offence is None
    assert all(ply.elapsed_ns > 0 and ply.allowed_ns is None and ply.clock_left_ns is None for ply in game.plies)


def test_stalls_lose_on_a_clock(play: Callable[..., PlayedGame]) -> None:
    game = play("stall", CLOCK)
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == (Termination.STALL, 0, 1)
    assert "no bestmove within" in game.outcome.details
    assert game.fault is not None
    assert game.fault.exit_status is None


@pytest.mark.parametrize("control", [MOVETIME, CLOCK])
def test_late_answers_lose_on_time(play: Callable[..., PlayedGame], control: TimeControl) -> None:
    game = play("late", control)
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == (Termination.TIME_LOSS, 0, 1)
    assert game.outcome.details.endswith(" ms late")
    assert game.offence is not None
    assert game.offence.overshoot_ns is not None
    assert game.offence.overshoot_ns > 0
    if control is CLOCK:
        assert game.offence.clock_left_ns == -game.offence.overshoot_ns


def test_the_margin_forgives(play: Callable[..., PlayedGame]) -> None:
    game = play("slow", CLOCK, GameLimits(margin_ms=60_000, max_plies=3))
    assert game.outcome.termination is Termination.ADJUDICATION
    overshoot_ns, clock_left_ns = game.plies[1].overshoot_ns, game.plies[1].clock_left_ns
    assert overshoot_ns is not None
    assert overshoot_ns > 0
    assert clock_left_ns == -overshoot_ns


def test_the_margin_has_an_end(play: Callable[..., PlayedGame]) -> None:
    # The fake answers only when it is told to stop, which is when time and margin are over.
    game = play("late", MOVETIME, GameLimits(margin_ms=100))
    assert game.outcome.termination is Termination.TIME_LOSS
    assert game.offence is not None
    assert game.offence.elapsed_ns > 200_000_000


def test_clock_of_each_ply(play: Callable[..., PlayedGame]) -> None:
    control = TimeControl(base_ms=60_000, increment_ms=1000)
    game = play("good", control, GameLimits(max_plies=6))
    left_ns = control.base_ms * 1_000_000 if control.base_ms else 0
    for ply in game.plies[1::2]:
        assert ply.allowed_ns == left_ns
        assert ply.clock_left_ns == left_ns - ply.elapsed_ns
        left_ns += control.increment_ms * 1_000_000 - ply.elapsed_ns


def test_limit_of_plies_is_a_draw(play: Callable[..., PlayedGame]) -> None:
    game = play("good", limits=GameLimits(max_plies=5))
    outcome = game.outcome
    assert (outcome.termination, outcome.winner, outcome.result) == (Termination.ADJUDICATION, None, "1/2-1/2")
    assert len(game.plies) == 5


def test_an_engine_that_is_already_dead_loses_without_a_ply(fake_controller: FakeController, start: Position) -> None:
    white, black = fake_controller("good"), fake_controller("good")
    white.kill()
    game = play_game(start, (Player(white, DEPTH), Player(black, DEPTH)), GameLimits())
    assert (game.outcome.termination, game.outcome.winner, game.plies) == (Termination.CRASH, 1, ())


def test_an_untimed_search_has_a_deadline_too(fake_controller: FakeController, start: Position) -> None:
    engines = fake_controller("good"), fake_controller("late", timeouts=Timeouts(search_s=0.1))
    game = play_game(start, (Player(engines[0], DEPTH), Player(engines[1], DEPTH)), GameLimits())
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == (Termination.TIME_LOSS, 0, 1)
    assert game.outcome.details.endswith(" s, only after stop")
    assert engines[1].usable


@pytest.mark.parametrize("protocol", ["ugi", "auto"])
def test_an_engine_that_speaks_only_ugi(fake_controller: FakeController, start: Position, protocol: str) -> None:
    timeouts = Timeouts(start_s=2.0) if protocol == "auto" else Timeouts()
    engines = fake_controller("good"), fake_controller("ugi", protocol=protocol, timeouts=timeouts)
    limits = GameLimits(max_plies=6, check_claims=True)
    game = play_game(start, (Player(engines[0], LONG), Player(engines[1], LONG)), limits)
    assert (game.outcome.termination, len(game.plies), game.violations) == (Termination.ADJUDICATION, 6, ())
    assert [engine.dialect for engine in engines] == [Dialect.UCI, Dialect.UGI]


def test_claims_are_compared_with_the_referee(fake_controller: FakeController, start: Position) -> None:
    engines = fake_controller("wrong-claims"), fake_controller("ugi", protocol="ugi")
    limits = GameLimits(check_claims=True)
    game = play_game(start, (Player(engines[0], DEPTH), Player(engines[1], DEPTH)), limits)
    assert game.outcome.termination.by_rules
    assert game.outcome.winner is not None
    said = "gameover 'true', result 'draw'; the referee has false, none"
    # Asked before every ply and after the last, it is wrong every time.
    assert game.violations == (f'White: wrong-claim: "{said}" ({len(game.plies) + 1} times)',)


def test_what_is_forgiven_is_told(fake_controller: FakeController, start: Position) -> None:
    engines = fake_controller("stale-answer", 1), fake_controller("carriage-returns", strict=True)
    game = play_game(start, (Player(engines[0], DEPTH), Player(engines[1], DEPTH)), GameLimits(max_plies=6))
    assert game.outcome.termination is Termination.ADJUDICATION
    assert game.violations[0] == "White: unexpected-bestmove: 'bestmove 0000'"
    assert [line.split(":")[1].strip() for line in game.violations[1:]] == [
        "carriage-return", "blanks", "pv-illegal", "pv-bestmove", "ponder-move",
    ]  # fmt: skip
    assert all(line.startswith("Black: ") and line.endswith("times)") for line in game.violations[1:3])
    again = play_game(start, (Player(engines[0], DEPTH), Player(engines[1], DEPTH)), GameLimits(max_plies=1))
    assert [line.split(":")[0] for line in again.violations] == ["White"]  # of the last game's last answer


@pytest.mark.parametrize(
    ("behaviour", "kinds"),
    [
        ("junk", {"foreign-line", "blanks", "info-form"}),
        ("upper-case", {"move-form", "blanks"}),
        ("hyphens", {"move-form"}),
        ("good", set()),
    ],
)
def test_strict_engines(fake_controller: FakeController, start: Position, behaviour: str, kinds: set[str]) -> None:
    white, black = fake_controller("good"), fake_controller(behaviour, strict=True)
    game = play_game(start, (Player(white, DEPTH), Player(black, DEPTH)), GameLimits(max_plies=2))
    assert {line.split(": ")[1] for line in game.violations} == kinds
    replayed(game)


def test_errors_in_a_search_are_reported(fake_controller: FakeController, start: Position) -> None:
    """Also those of an engine that loses by it."""
    engines = fake_controller("report-errors"), fake_controller("no-move-with-error", 1)
    game = play_game(start, (Player(engines[0], DEPTH), Player(engines[1], DEPTH)), GameLimits())
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == (Termination.STALL, 0, 3)
    error = "search-error: 'info string error internal: division by zero'"
    assert game.violations == (f"White: {error} (2 times)", f"Black: {error}")


@pytest.mark.parametrize(
    ("limits", "termination", "plies"),
    [
        (GameLimits(draw=DrawRule(4, 2, 5)), Termination.ADJUDICATION, 7),
        (GameLimits(draw=DrawRule(1, 2, 4), max_plies=9), Termination.ADJUDICATION, 9),
        (GameLimits(resign=ResignRule(2, 300, two_sided=False)), Termination.RESIGNATION, 4),
        (GameLimits(resign=ResignRule(2, 300), max_plies=9), Termination.ADJUDICATION, 9),
    ],
)
def test_decisions_by_scores(
    fake_controller: FakeController, start: Position, limits: GameLimits, termination: Termination, plies: int
) -> None:
    """White always tells 5 centi-soldiers; Black the same, or that it is lost."""
    black = fake_controller("good" if limits.draw else "carriage-returns")
    game = play_game(start, (Player(fake_controller("good"), DEPTH), Player(black, DEPTH)), limits)
    assert (game.outcome.termination, len(game.plies)) == (termination, plies)
    assert game.outcome.winner == (0 if termination is Termination.RESIGNATION else None)


def blamed(game: PlayedGame) -> list[str]:
    """Return the violations without those of a busy machine."""
    return [line for line in game.violations if "not the engine's fault" not in line]


def told_to(log: list[str]) -> list[str]:
    """Return the lines that an engine was sent, without positions, in short form."""
    return [" ".join(line.split()[:2]) for line in log if line.startswith(("go", "ponderhit", "stop"))]


@pytest.mark.parametrize("protocol", ["uci", "ugi"])
def test_pondering(fake_controller: FakeController, start: Position, protocol: str) -> None:
    """The reply that it expects is played every time."""
    lines: list[str] = []
    white = fake_controller("ponder", ponder=True, protocol=protocol, strict=True, log=Listening(lines.append))
    game = play_game(start, (Player(white, CLOCKED), Player(fake_controller("good"), CLOCKED)), GameLimits(max_plies=8))
    assert (game.outcome.termination, blamed(game)) == (Termination.ADJUDICATION, [])
    replayed(game)
    clock = "wtime" if protocol == "uci" else "p1time"
    assert told_to(lines) == [f"go {clock}", *["go ponder", "ponderhit"] * 3, "go ponder", "stop"]
    assert ("setoption name Ponder value true" in lines) == (protocol == "uci")  # which the fake lacks in UGI
    pondering = [line for line in lines if line.startswith("go ponder")]
    positions = [line for line in lines if line.startswith("position")]
    moves = " ".join(ply.text for ply in game.plies)
    assert positions[:3] == [
        f"position fen {start.fen()}", *(f"position fen {start.fen()} moves {moves[:length]}" for length in (9, 19))
    ]  # fmt: skip
    # Its clock has the increment of its last move, and runs again from the ponderhit.
    assert f"{clock} {(game.plies[0].clock_left_ns or 0) // 1_000_000 + 1000} " in pondering[0]
    left_ns = 60_000_000_000
    for ply in game.plies[::2]:
        assert ply.allowed_ns == left_ns
        left_ns += 1_000_000_000 - ply.elapsed_ns
        assert ply.info.depth == 1


def test_pondering_on_other_moves(fake_controller: FakeController, start: Position) -> None:
    lines: list[str] = []
    engines = fake_controller("good"), fake_controller("ponder-miss", ponder=True, log=Listening(lines.append))
    for _ in range(2):  # it is ready for another game, whenever the first one ends
        game = play_game(start, (Player(engines[0], DEPTH), Player(engines[1], DEPTH)), GameLimits(max_plies=7))
        assert (game.outcome.termination, blamed(game)) == (Termination.ADJUDICATION, [])
        assert told_to(lines) == ["go depth", "go ponder", "stop"] * 3
        replayed(game)
        lines.clear()


def test_nothing_is_expected(fake_controller: FakeController, start: Position) -> None:
    """An engine that names an illegal reply, one that names none, and one that is not to ponder."""
    lines: list[str] = []
    for settings in ({"behaviour": "ponder-illegal", "ponder": True}, {"behaviour": "good", "ponder": True},
                     {"behaviour": "ponder"}):  # fmt: skip
        engine = fake_controller(**settings, log=Listening(lines.append))
        play_game(start, (Player(engine, DEPTH), Player(fake_controller("good"), DEPTH)), GameLimits(max_plies=4))
        assert told_to(lines) == ["go depth", "go depth"]
        assert "setoption name Ponder value true" not in lines or settings.get("ponder")
        lines.clear()


def test_no_pondering_on_a_move_of_the_same_player(start: Position) -> None:
    """In bell a player places two pieces at a time, so the other one is never to move after one reply."""
    lines: list[str] = []
    start = Position.start(find_variant("bell"))
    settings = EngineSettings((*OWN_ENGINE, "--backend", "python"), DEPTH, ponder=True)
    engine = EngineController(settings, {"UCI_Variant": "bell"}, Timeouts(), lambda: False, log=Listening(lines.append))
    try:
        game = play_game(start, (Player(engine, TimeControl(depth=2)),) * 2, GameLimits(max_plies=6))
    finally:
        engine.kill()
    assert (game.outcome.termination, blamed(game)) == (Termination.ADJUDICATION, [])
    assert told_to(lines) == ["go depth"] * 6


@pytest.mark.parametrize(
    ("behaviour", "termination", "said"),
    [
        ("ponder-early", Termination.PROTOCOL_ERROR, "' while pondering, before 'ponderhit' or 'stop'"),
        ("ponder-crash", Termination.CRASH, "ended with status 3: the fake falls over"),
        ("ponder-deaf", Termination.STALL, "no bestmove within 0.3 s of 'stop' while pondering"),
    ],
)
def test_faults_while_pondering(
    fake_controller: FakeController, start: Position, behaviour: str, termination: Termination, said: str
) -> None:
    white, black = fake_controller("slow", timeouts=Timeouts()), fake_controller(behaviour, ponder=True)
    game = play_game(start, (Player(white, DEPTH), Player(black, DEPTH)), GameLimits())
    assert (game.outcome.termination, game.outcome.winner, len(game.plies)) == (termination, 0, 3)
    assert game.outcome.details.startswith("Black: ")
    assert said in game.outcome.details
    assert (black.usable, white.usable) == (behaviour == "ponder-early", True)


def test_a_fault_while_pondering_does_not_change_the_result(fake_controller: FakeController, start: Position) -> None:
    white, black = fake_controller("crash", 1), fake_controller("ponder-deaf", ponder=True)
    game = play_game(start, (Player(white, DEPTH), Player(black, DEPTH)), GameLimits())
    assert (game.outcome.termination, game.outcome.winner) == (Termination.CRASH, 1)
    [violation] = blamed(game)
    assert violation.startswith("Black: no-answer: ")
    assert "no bestmove within 0.3 s of 'stop' while pondering, after the end of the game" in violation
    assert not black.usable


def test_interruption_while_an_engine_ponders(fake_controller: FakeController, start: Position) -> None:
    interrupt = threading.Event()

    def hear(text: str) -> None:
        if text.startswith("go ponder"):
            interrupt.set()

    white = fake_controller("stall", 1, interrupt=interrupt)
    black = fake_controller("ponder", ponder=True, interrupt=interrupt, log=Listening(hear))
    game = play_game(start, (Player(white, DEPTH), Player(black, DEPTH)), GameLimits())
    assert (game.outcome.termination, len(game.plies)) == (Termination.INTERRUPTED, 2)
    assert (white.pondering, black.pondering, black.usable) == (False, False, False)


@pytest.mark.process
def test_the_output_of_a_pondering_engine_is_read(fake_controller: FakeController, start: Position) -> None:
    """Its opponent waits until it has printed everything."""
    white, black = fake_controller("await-file"), fake_controller("ponder-print", ponder=True)
    game = play_game(start, (Player(white, DEPTH), Player(black, DEPTH)), GameLimits(max_plies=4))
    assert game.outcome.termination is Termination.ADJUDICATION
    assert max(ply.elapsed_ns for ply in game.plies) < 15_000_000_000


def test_an_engine_has_its_own_margin(fake_controller: FakeController, start: Position) -> None:
    for own, match, termination in [(60_000, 0, Termination.ADJUDICATION), (0, 60_000, Termination.TIME_LOSS)]:
        timeouts = Timeouts(stop_grace_s=20)
        black = fake_controller("slow", margin_ms=own, timeouts=timeouts)
        limits = GameLimits(margin_ms=match, max_plies=3)
        game = play_game(start, (Player(fake_controller("good"), DEPTH), Player(black, MOVETIME)), limits)
        assert game.outcome.termination is termination


def test_time_of_the_next_period(fake_controller: FakeController, start: Position) -> None:
    lines: list[str] = []
    control = TimeControl(base_ms=60_000, increment_ms=1000, period_moves=2)
    white = fake_controller("good", log=Listening(lines.append))
    game = play_game(start, (Player(white, control), Player(fake_controller("good"), DEPTH)), GameLimits(max_plies=10))
    assert [line.split("movestogo ")[1] for line in lines if line.startswith("go")] == ["2", "1", "2", "1", "2"]
    left_ns = 60_000_000_000
    for number, ply in enumerate(game.plies[::2], 1):
        assert ply.allowed_ns == left_ns
        left_ns += 1_000_000_000 - ply.elapsed_ns + (60_000_000_000 if number % 2 == 0 else 0)


def test_time_of_the_next_period_while_pondering(fake_controller: FakeController, start: Position) -> None:
    """The clocks after "go ponder" are those after its last move, with the time of the next period."""
    lines: list[str] = []
    control = TimeControl(base_ms=60_000, period_moves=2)
    white = fake_controller("ponder", ponder=True, log=Listening(lines.append))
    game = play_game(start, (Player(white, control), Player(fake_controller("good"), CLOCKED)), GameLimits(max_plies=6))
    pondering = [line.split() for line in lines if line.startswith("go ponder")]
    assert [line[-1] for line in pondering] == ["1", "2", "1"]
    after = [(ply.clock_left_ns or 0) // 1_000_000 for ply in game.plies[::2]]
    assert [int(line[line.index("wtime") + 1]) for line in pondering] == [after[0], after[1] + 60_000, after[2]]


def test_a_position_of_another_game(fake_controller: FakeController) -> None:
    start = Position.start(find_variant("latrones"), (4, 5))
    engines = fake_controller("good"), fake_controller("good")
    game = play_game(start, (Player(engines[0], DEPTH), Player(engines[1], DEPTH)), GameLimits())
    assert game.outcome.termination.by_rules
    replayed(game)
