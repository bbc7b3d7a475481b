"""A table as the page gets it, and as PGN."""

import datetime

from latrones_uci.client.engine import move_texts
from latrones_uci.game import Termination
from latrones_uci.gui.analyst import white_score
from latrones_uci.gui.config import GuiConfig, PlayerSettings
from latrones_uci.gui.live_game import LiveGame, PlyNote
from latrones_uci.gui.notation import Plain, immobile, legal_figures, squares_of, standing, surrounded
from latrones_uci.protocol import SearchInfo
from latrones_uci.records.pgn_write import WrittenMove, render_pgn, render_search
from latrones_uci.records.record import termination_text

_ENDINGS = {
    Termination.DECIDED: "by the rules", Termination.REPETITION: "by repetition",
    Termination.NO_CAPTURE: "by the limit of plies without a capture", Termination.NO_MOVE: "as no move is left",
}


def render_state(table: LiveGame, config: GuiConfig) -> Plain:
    """Everything that the page shows of a game but the analysis, as plain data."""
    with table.lock:
        game, position, settings = table.game, table.game.position, table.settings
        over = table.outcome is not None
        return {
            "variant": position.ruleset.name, "title": position.ruleset.title, "size": position.geometry.name,
            "files": position.geometry.files, "start": standing(game.start),
            "plies": [_ply(note) for note in table.plies],
            "side": position.side, "fen": position.fen(), "start_fen": game.start.fen(),
            "legal": [] if over else legal_figures(position),
            "surrounded": surrounded(position), "immobile": immobile(position),
            "players": [_player(player, config) for player in settings.players],
            "thinking": table.thinking, "paused": table.paused,
            "clocks": {"left_ms": [table.clocks.left_ms(side) for side in (0, 1)], "running": table.clocks.running},
            "outcome": None if table.outcome is None else {
                "result": table.outcome.result, "winner": table.outcome.winner,
                "reason": _ENDINGS.get(table.outcome.termination, table.outcome.details)},
            "hint": None if table.hint is None else squares_of(position.parse_move(table.hint.move)),
            "notices": [list(notice) for notice in table.notices],
        }


def render_table_pgn(table: LiveGame, config: GuiConfig) -> str:
    """The game so far as PGN."""
    with table.lock:
        start, settings = table.game.start, table.settings
        names = [_player(player, config)["name"] for player in settings.players]
        clocks = [player.clock.pgn_tag() for player in settings.players]
        result = "*" if table.outcome is None else table.outcome.result
        tags = {
            "Event": "latrones-uci gui", "Site": "?", "Date": datetime.date.today().strftime("%Y.%m.%d"), "Round": "-",
            "White": names[0], "Black": names[1], "Result": result, "Variant": start.ruleset.name, "SetUp": "1",
            "FEN": start.fen(), "PlyCount": str(len(table.plies)),
            "TimeControl": clocks[0] if clocks[0] == clocks[1] else "?",
            "Termination": "unterminated",
        }
        if table.outcome is not None:
            tags["Termination"], tags["TerminationDetails"] = termination_text(table.outcome)
        moves = [WrittenMove(note.side, note.movenumber, text, render_search(note.info, note.elapsed_ns))
                 for note, text in zip(table.plies, move_texts(table.game), strict=True)]
        return render_pgn(tags, moves, result)


def _ply(note: PlyNote) -> Plain:
    return {**note.figure, "note": note.notation, "mover": note.side, "number": note.movenumber,
            "score": white_score(note.info, note.side), "told": _told(note.info)}


def _told(info: SearchInfo) -> str:
    return " ".join([f"depth {info.depth}"] * (info.depth is not None)
                    + [f"{info.nodes} nodes"] * (info.nodes is not None))


def _player(player: PlayerSettings, config: GuiConfig) -> Plain:
    if player.kind == "person":
        return {"kind": "person", "name": "Person", "level": ""}
    level = {"time": f"{player.movetime_ms / 1000:g} s a move", "depth": f"depth {player.depth}",
             "clock": "by its clock"}[player.limit]
    return {"kind": "engine", "name": config.names[player.engine], "level": level}
