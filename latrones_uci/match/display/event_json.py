"""What a tournament tells, as JSON lines; docs/match.md has the schema."""

import json
from typing import Any

from latrones_uci.match.plain import to_plain
from latrones_uci.match.records.plan import Fixture
from latrones_uci.match.records.record_data import PLY_COLUMNS, game_to_data
from latrones_uci.match.tournament.events import (
    Event,
    GameFinished,
    GameStarted,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.tournament.standings import Standings


def render_event(event: Event) -> str:
    """An event as one line of JSON."""
    return json.dumps(_data(event), ensure_ascii=True, separators=(",", ":"))


def _data(event: Event) -> dict[str, Any]:
    match event:
        case TournamentStarted(settings, games, standings):
            return {"event": "tournament_started", "settings": to_plain(settings), "games": games,
                    "games_played": standings.games}  # fmt: skip
        case GameStarted(fixture, names, fen):
            return {"event": "game_started", **_fixture(fixture), "names": names, "fen": fen}
        case GameFinished(record, standings, ratio):
            game = game_to_data(record.game)
            game["plies"] = [dict(zip(PLY_COLUMNS, ply, strict=True)) for ply in game["plies"]]
            return {
                "event": "game_finished", **_fixture(record.fixture), "names": record.names,
                "fen": record.game.start.fen(), "started": record.started, "result": record.game.result,
                **game, "standings": _standings(standings), "llr": ratio,
            }  # fmt: skip
        case Warned(text):
            return {"event": "warning", "text": text}
        case TournamentFinished(standings, interrupted, verdict, ratio):
            return {"event": "tournament_finished", "interrupted": interrupted, "verdict": verdict or None,
                    "llr": ratio, "standings": _standings(standings)}  # fmt: skip


def _fixture(fixture: Fixture) -> dict[str, Any]:
    return {"game": fixture.number, "pair": fixture.pair, "round": fixture.round, "variant": fixture.variant,
            "opening": fixture.opening, "white": fixture.white, "black": fixture.black}  # fmt: skip


def _standings(standings: Standings) -> dict[str, Any]:
    rows = []
    for engine, name in enumerate(standings.names):
        total = standings.total(engine)
        rows.append({"engine": engine, "name": name, "wins": total.wins, "draws": total.draws, "losses": total.losses,
                     "pairs": total.pairs})  # fmt: skip
    return {"games": standings.games, "interrupted": standings.interrupted, "engines": rows}
