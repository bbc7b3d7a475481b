"""The match runner with engines that were written for other runners; see ``fakes/strict_engine.py``."""

import sys
from pathlib import Path

import pytest

from cases import VARIANTS
from latrones_uci.client.engine_spec import EngineSettings, Protocol
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.game import Termination
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.events import GameFinished
from latrones_uci.match.settings import TournamentSettings
from match_play import run_tournament

STRICT_ENGINE = Path(__file__).resolve().parent.parent / "fakes" / "strict_engine.py"
MAX_PLIES = 20


def of_engines(violations: tuple[str, ...]) -> list[str]:
    """Leave out what a busy machine does to the runner."""
    return [violation for violation in violations if "the match runner was held up" not in violation]


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_engines_that_know_one_order_of_commands(variant: str, tmp_path: Path) -> None:
    """UGI against UCI, with clocks: no command that other runners would not send, and none in another place."""

    def engine(protocol: Protocol, control: TimeControl) -> EngineSettings:
        command = (sys.executable, str(STRICT_ENGINE), protocol, variant)
        return EngineSettings(command, control, protocol, (("Style", "2"),), protocol=protocol)

    engines = engine("ugi", TimeControl(base_ms=60_000, increment_ms=10)), engine("uci", TimeControl(base_ms=90_000))
    limits = GameLimits(max_plies=MAX_PLIES)
    settings = TournamentSettings(engines, (VariantSettings(variant),), games=2, openings="random:2", limits=limits)
    _, events = run_tournament(settings, tmp_path / "match.db")
    games = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert len(games) == 2
    for game in games:
        ending = game.outcome.termination
        assert ending.by_rules or ending is Termination.ADJUDICATION, game.outcome.details
        assert game.plies
        assert of_engines(game.violations) == []


def test_claims_of_an_engine_that_answers_in_two_words(tmp_path: Path) -> None:
    """With ``--check-claims`` the runner asks what cutegames asks, and believes none of it."""
    command = (sys.executable, str(STRICT_ENGINE), "ugi", "rota")
    engine = EngineSettings(command, TimeControl(movetime_ms=5000), protocol="ugi")
    limits = GameLimits(max_plies=MAX_PLIES, check_claims=True)
    settings = TournamentSettings((engine, engine), (VariantSettings("rota"),), openings="random:0", limits=limits)
    _, events = run_tournament(settings, tmp_path / "match.db")
    games = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert [(game.outcome.termination.by_rules, of_engines(game.violations)) for game in games] == [(True, [])] * 2
