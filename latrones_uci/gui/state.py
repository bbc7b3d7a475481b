"""The state of a game as JSON data for the page, and the game as PGN."""

import datetime

from latrones_uci.client.engine import move_texts
from latrones_uci.game import SIDE_NAMES, Outcome, Position, Termination
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED, TOO_FEW_PIECES
from latrones_uci.gui.config import GuiConfig, PlayerSettings
from latrones_uci.gui.live_game import LiveGame, PlyNote
from latrones_uci.protocol import SearchInfo
from latrones_uci.records.pgn_write import WrittenMove, render_pgn, render_search
from latrones_uci.records.record import termination_text
from latrones_uci.web.notation import (
    Json,
    immobile,
    legal_move_data,
    position_data,
    squares_of,
    surrounded,
    white_score,
)


def render_state(live: LiveGame, config: GuiConfig) -> Json:
    """Return everything that the page shows of a game except the analysis."""
    with live.lock:
        game, position, settings = live.game, live.game.position, live.settings
        over = live.outcome is not None
        return {
            "variant": position.ruleset.name, "title": position.ruleset.title, "size": position.geometry.name,
            "files": position.geometry.files, "start": position_data(game.start),
            "plies": [_ply(note) for note in live.plies],
            "side": position.side, "fen": position.fen(), "start_fen": game.start.fen(),
            "legal": [] if over else legal_move_data(position),
            "surrounded": surrounded(position), "immobile": immobile(position),
            "players": [_player(player, config) for player in settings.players],
            "thinking": live.thinking, "paused": live.paused,
            "clocks": {"left_ms": [live.clocks.left_ms(side) for side in (0, 1)], "running": live.clocks.running},
            "outcome": None if live.outcome is None else {
                "result": live.outcome.result, "winner": live.outcome.winner,
                "reason": _reason(position, live.outcome)},
            "hint": None if live.hint is None else squares_of(position.parse_move(live.hint.move)),
            "notices": [list(notice) for notice in live.notices],
        }


def render_game_pgn(live: LiveGame, config: GuiConfig) -> str:
    """Return the game so far as PGN."""
    with live.lock:
        start, settings = live.game.start, live.settings
        names = [_player(player, config)["name"] for player in settings.players]
        clocks = [player.clock.pgn_tag() for player in settings.players]
        result = "*" if live.outcome is None else live.outcome.result
        tags = {
            "Event": "latrones-uci gui", "Site": "?", "Date": datetime.date.today().strftime("%Y.%m.%d"), "Round": "-",
            "White": names[0], "Black": names[1], "Result": result, "Variant": start.ruleset.name, "SetUp": "1",
            "FEN": start.fen(), "PlyCount": str(len(live.plies)),
            "TimeControl": clocks[0] if clocks[0] == clocks[1] else "?",
            "Termination": "unterminated",
        }
        if live.outcome is not None:
            tags["Termination"], tags["TerminationDetails"] = termination_text(live.outcome)
        moves = [WrittenMove(note.side, note.movenumber, text, render_search(note.info, note.elapsed_ns))
                 for note, text in zip(live.plies, move_texts(live.game), strict=True)]
        return render_pgn(tags, moves, result)


def _reason(position: Position, outcome: Outcome) -> str:
    """Return how a game ended, for the line that also names winner and result."""
    match outcome.termination:
        case Termination.DECIDED:
            return _decided_reason(outcome)
        case Termination.REPETITION:
            return "third occurrence of the position"
        case Termination.NO_CAPTURE:
            return f"{position.ruleset.nocapture_limit} plies without a capture"
        case Termination.NO_MOVE:
            return f"{SIDE_NAMES[position.side]} has no legal move"
        case _:
            return outcome.details


def _decided_reason(outcome: Outcome) -> str:
    loser = SIDE_NAMES[1 - (outcome.winner or 0)]
    reasons = {DUX_CAPTURED: f"the {loser.lower()} dux is captured",
               DUX_IMMOBILISED: f"the {loser.lower()} dux has no empty neighbour",
               TOO_FEW_PIECES: f"{loser} has too few pieces"}
    return reasons.get(outcome.details, outcome.details)


def _ply(note: PlyNote) -> Json:
    return {**note.figure, "note": note.notation, "mover": note.side, "number": note.movenumber,
            "score": white_score(note.info, note.side), "told": _search_text(note.info)}


def _search_text(info: SearchInfo) -> str:
    return " ".join([f"depth {info.depth}"] * (info.depth is not None)
                    + [f"{info.nodes} nodes"] * (info.nodes is not None))


def _player(player: PlayerSettings, config: GuiConfig) -> Json:
    if player.kind == "person":
        return {"kind": "person", "name": "Human", "level": ""}
    level = {"time": f"{player.movetime_ms / 1000:g} s per move", "depth": f"depth {player.depth}",
             "clock": "uses its clock"}[player.limit]
    return {"kind": "engine", "name": config.names[player.engine], "level": level}
