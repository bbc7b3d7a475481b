"""Games as plain data, for JSON and the database, and back."""

from typing import Any

from latrones_uci.game import Position
from latrones_uci.match.plain import from_plain, to_plain
from latrones_uci.match.records.record import EngineFault, PlayedGame, PlyRecord
from latrones_uci.match.records.search_info import SearchInfo
from latrones_uci.match.records.termination import Termination

PLY_COLUMNS = (
    "side", "movenumber", "move", "elapsed_ns", "allowed_ns", "clock_left_ns",
    "score_centi", "mate", "depth", "nodes", "time_ms", "pv",
)  # fmt: skip


def ply_to_row(ply: PlyRecord) -> tuple[Any, ...]:
    """A ply as numbers and texts, in the order of ``PLY_COLUMNS``."""
    info = ply.info
    return (
        ply.side, ply.movenumber, ply.text, ply.elapsed_ns, ply.allowed_ns, ply.clock_left_ns,
        info.score_centi, info.mate, info.depth, info.nodes, info.time_ms, " ".join(info.pv),
    )  # fmt: skip


def ply_from_row(row: Any) -> PlyRecord:
    """The ply of which ``ply_to_row`` made this row."""
    side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, score_centi, mate, depth, nodes, time_ms, pv = row
    info = SearchInfo(score_centi, mate, depth, nodes, time_ms, tuple(pv.split()))
    return PlyRecord(side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, info)


def game_to_data(game: PlayedGame) -> dict[str, Any]:
    """A game without its start, which its task names."""
    return {
        "plies": [ply_to_row(ply) for ply in game.plies],
        "winner": game.winner,
        "termination": game.termination.value,
        "details": game.details,
        "offence": None if game.offence is None else ply_to_row(game.offence),
        "fault": None if game.fault is None else to_plain(game.fault),
        "violations": list(game.violations),
    }


def game_from_data(data: dict[str, Any], start: Position) -> PlayedGame:
    """The game of which ``game_to_data`` made this."""
    return PlayedGame(
        start,
        tuple(map(ply_from_row, data["plies"])),
        data["winner"],
        Termination(data["termination"]),
        data["details"],
        None if data["offence"] is None else ply_from_row(data["offence"]),
        None if data["fault"] is None else from_plain(EngineFault, data["fault"]),
        tuple(data["violations"]),
    )
