"""Do two engines play alike, on the openings of their match?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.revisions.comparison import MAX_PLIES, OPENINGS_OF_VARIANT, compare_play

NODES = TimeControl(nodes=100)


def match(variants: str, *engines: EngineSettings, games: int = 8, **settings: object) -> TournamentSettings:
    named = tuple(replace(engine, name=f"engine {number}") for number, engine in enumerate(engines))
    played = tuple(map(VariantSettings.from_text, variants.split()))
    return TournamentSettings(named, played, games=games, openings="random:6", **settings)  # type: ignore[arg-type]


def own(*options: tuple[str, str]) -> EngineSettings:
    return EngineSettings(OWN_ENGINE, NODES, options=options)


def test_a_net_that_is_missing_on_one_board_is_found_where_that_board_is_played() -> None:
    with_net, without = own(("Hash", "1")), own(("Hash", "1"), ("EvalFile", "none"))
    elsewhere = compare_play(match("latrones:6x6 rota", with_net, without, games=4))
    assert (elsewhere.openings, elsewhere.difference) == (2, "")
    assert elsewhere.positions > 2 * 10
    found = compare_play(match("rota latrones:10x8", with_net, without))
    assert found.difference.startswith("opening 1 of latrones:10x8, ply 1: engine 0: 'depth 1 ")
    assert "', engine 1: 'depth 1 " in found.difference
    assert found.openings == 2


def test_no_more_openings_than_the_match_has_or_than_are_needed(fake_settings: Callable[..., EngineSettings]) -> None:
    engine = fake_settings("good", control=NODES)
    small = VariantSettings("latrones", "4x4")
    assert compare_play(replace(match("rota", engine, engine, games=5), variants=(small,))).openings == 3
    many = compare_play(replace(match("rota", engine, engine, games=2000), variants=(small,)))
    assert many.openings == OPENINGS_OF_VARIANT
    assert 0 < many.positions <= OPENINGS_OF_VARIANT * MAX_PLIES


def test_an_engine_that_fails_differs_from_one_that_does_not(fake_settings: Callable[..., EngineSettings]) -> None:
    good, bad, mad = (fake_settings(behaviour, control=NODES) for behaviour in ("good", "crash", "illegal"))
    assert "ended with status" in compare_play(match("latrones:6x6", good, bad)).difference
    assert compare_play(match("latrones:6x6", mad, good)).difference.startswith("opening 1 of latrones:6x6, ply 1: ")
