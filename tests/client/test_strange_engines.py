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
from latrones_uci.match.record import PlayedGame
from latrones_uci.match.settings import TournamentSettings
from match_play import run_tournament

STRICT_ENGINE = Path(__file__).resolve().parent.parent / "fakes" / "strict_engine.py"


def games_of(
    engines: tuple[EngineSettings, ...], variant: str, openings: str, limits: GameLimits, database: Path
) -> list[PlayedGame]:
    settings = TournamentSettings(engines, (VariantSettings(variant),), games=2, openings=openings, limits=limits)
    _, events = run_tournament(settings, database)
    games = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert len(games) == 2
    for game in games:  # what a busy machine does to the runner is no fault of the engines
        assert all("the match runner was held up" in violation for violation in game.violations), game.violations
    return games


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_engines_that_know_one_order_of_commands(variant: str, tmp_path: Path) -> None:
    """UGI against UCI, with clocks: no command that other runners would not send, and none in another place."""

    def engine(protocol: Protocol, control: TimeControl) -> EngineSettings:
        command = (sys.executable, str(STRICT_ENGINE), protocol, variant)
        return EngineSettings(command, control, protocol, (("Style", "2"),), protocol=protocol)

    engines = engine("ugi", TimeControl(base_ms=60_000, increment_ms=10)), engine("uci", TimeControl(base_ms=90_000))
    for game in games_of(engines, variant, "random:2", GameLimits(max_plies=20), tmp_path / "match.db"):
        ending = game.outcome.termination
        assert ending.by_rules or ending is Termination.ADJUDICATION, game.outcome.details
        assert game.plies


def test_claims_of_an_engine_that_answers_in_two_words(tmp_path: Path) -> None:
    """With ``--check-claims`` the runner asks what cutegames asks, and believes none of it."""
    command = (sys.executable, str(STRICT_ENGINE), "ugi", "rota")
    engine = EngineSettings(command, TimeControl(movetime_ms=5000), protocol="ugi")
    limits = GameLimits(max_plies=20, check_claims=True)
    games = games_of((engine, engine), "rota", "random:0", limits, tmp_path / "match.db")
    assert all(game.outcome.termination.by_rules for game in games)
