import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice

import pytest

from engine_fixtures import QUICK
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Outcome, Position, Termination, find_variant, parse_board_size
from latrones_uci.match.openings import RandomOpenings, opening_sequence
from latrones_uci.match.screen import OpeningScreen, ScreenError, ScreenSettings, parse_screen

NODES = TimeControl(nodes=2000)
LATRONES = find_variant("latrones")
BALANCED = Position.from_fen(LATRONES, "ssss/1d2/2D1/SSSS w 0 1")
TWO_MORE = Position.from_fen(LATRONES, "ss2/1d2/2D1/SSSS b 0 1")

StartScreen = Callable[..., OpeningScreen]


@pytest.fixture
def start_screen() -> Iterator[StartScreen]:
    with ExitStack() as started:

        def start(
            *command: str, most_centi: int = 150, board: str = "4x4", interrupted: Callable[[], bool] = lambda: False
        ) -> OpeningScreen:
            settings = ScreenSettings(EngineSettings((sys.executable, *command), NODES), most_centi)
            start_position = Position.start(LATRONES, parse_board_size(board))
            return started.enter_context(OpeningScreen(settings, start_position, None, QUICK, interrupted))

        yield start


@pytest.fixture
def fake_screen(start_screen: StartScreen, fake_command: Callable[..., tuple[str, ...]]) -> StartScreen:
    return lambda behaviour, **options: start_screen(*fake_command(behaviour)[1:], **options)


def test_a_score_beyond_the_limit_is_rejected_for_either_side(fake_screen: StartScreen) -> None:
    screen = fake_screen("count-men")
    assert screen.accepts(BALANCED)
    assert not screen.accepts(TWO_MORE)
    assert not screen.accepts(Position.from_fen(LATRONES, "ss2/1d2/2D1/SSSS w 0 1"))
    assert fake_screen("count-men", most_centi=200).accepts(TWO_MORE)
    assert not fake_screen("carriage-returns", most_centi=10**6).accepts(BALANCED)  # a mate score


def test_a_fault_names_the_engine_and_it_can_be_interrupted(fake_screen: StartScreen) -> None:
    for behaviour, message in (("crash", "ended with status 3"), ("no-move", "no score for 'ssss/1d2")):
        screen = fake_screen(behaviour)
        with pytest.raises(ScreenError, match=f"^screen engine '.*{behaviour}.*{message}"):
            screen.accepts(BALANCED)
    with pytest.raises(ScreenError, match="^screen engine '.*dead.*does not even start"):
        fake_screen("dead")
    interrupt = threading.Event()
    screen = fake_screen("late", interrupted=interrupt.is_set)
    interrupt.set()
    with pytest.raises(WaitInterruptedError):
        screen.accepts(BALANCED)


def test_our_engine_screens_the_same_openings_each_time(start_screen: StartScreen) -> None:
    start = Position.start(LATRONES, (6, 6))
    rejected: list[Position] = []

    def openings(count: int) -> list[str]:
        with start_screen(*OWN_ENGINE[1:], board="6x6") as screen:

            def accepts(position: Position) -> bool:
                if not (accepted := screen.accepts(position)):
                    rejected.append(position)
                return accepted

            found = islice(opening_sequence(start, RandomOpenings(6), 2, accepts), count)
            return [opening.position.fen() for opening in found]

    more = openings(12)
    assert rejected
    assert openings(6) == more[:6]


def test_our_engine_rejects_what_is_won_at_once(start_screen: StartScreen) -> None:
    won = Position.from_fen(LATRONES, "1sssss/1sdD2/6/6/5S/SSSSS1 w 4 3")
    assert won.play(won.parse_move("c1c4")).outcome() == Outcome(Termination.DECIDED, 0, "dux captured")
    screen = start_screen(*OWN_ENGINE[1:], most_centi=10**6, board="6x6")
    assert not screen.accepts(won)
    assert screen.accepts(Position.start(LATRONES, (6, 6)))


def test_words() -> None:
    assert parse_screen(["python3 -m engine"]) == ScreenSettings(
        EngineSettings(("python3", "-m", "engine"), TimeControl(nodes=20000)), 150
    )
    assert parse_screen(["cmd=engine", "depth=3", "score=90", "option.Hash=8"]) == ScreenSettings(
        EngineSettings(("engine",), TimeControl(depth=3), None, (("Hash", "8"),)), 90
    )
