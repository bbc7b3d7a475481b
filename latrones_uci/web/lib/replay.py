"""Games as data for the pages. Positions are computed here, so that the scripts of the pages only draw.

There is one format, that of ``replay_data``. In a file, where a game of hundreds of plies would be long, it is packed:
``packed_replay`` has columns and the changes on the board; ``unpack`` in ``lib/player.js`` makes the same of it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from latrones_uci.client.time_control import NS_PER_MS
from latrones_uci.game import LatronesError, Move, Position
from latrones_uci.game.position import algebraic_text
from latrones_uci.records.annotation import AnalysedMove
from latrones_uci.records.record import PlyRecord
from latrones_uci.web.lib.markup import visible
from latrones_uci.web.lib.notation import Json, pieces_of, ply_data, position_data


class Replayed(NamedTuple):
    """A game up to its end, or to the first move that is not legal."""

    positions: list[Position]
    """The positions, one more than the moves."""
    moves: list[Move]
    notes: list[str]
    """The moves in the notation for people."""
    problem: str
    """Why it stops before the end of the game; empty if it does not."""


def replay_moves(start: Position, texts: Iterable[str]) -> Replayed:
    positions, moves, notes, problem = [start], list[Move](), list[str](), ""
    try:
        for text in texts:
            moves.append(positions[-1].parse_move(text))
            positions.append(positions[-1].after(moves[-1]))
            notes.append(algebraic_text(positions[-2], positions[-1], moves[-1]))
    except LatronesError as error:
        problem = visible(str(error))
    return Replayed(positions, moves[: len(notes)], notes, problem)


def ground_data(position: Position) -> Json:
    """Return the board that a game is played on; games with the same ``ground`` have the same board."""
    return {"ground": f"{position.ruleset.name} {position.geometry.name}", "files": position.geometry.files,
            "variant": position.ruleset.title, "size": position.geometry.name}


def move_data(figure: Json, note: str, ply: PlyRecord, **times: int | None) -> Json:
    """Return a move of a game; ``figure`` is that of ``ply_data``, ``times`` are sent where they are known."""
    search = {"depth": ply.info.depth, "nodes": ply.info.nodes, **times}
    return {**figure, "note": note, "mover": ply.side, "number": ply.movenumber,
            "score": ply.info.score.for_white(ply.side),
            **{name: value for name, value in search.items() if value is not None}}


def replay_data(start: Position, plies: Sequence[PlyRecord]) -> Json:
    """Return the positions, moves and search information of a game, up to the first move that is not legal."""
    positions, moves, notes, problem = replay_moves(start, (ply.text for ply in plies))
    return {
        "start": position_data(start), "start_fen": start.fen(), "problem": problem, **ground_data(start),
        "plies": [move_data(ply_data(before, after, move), note, ply, ms=_ms(ply.elapsed_ns or None),
                            clock=_ms(ply.clock_left_ns))
                  for (before, after), move, note, ply in zip(pairwise(positions), moves, notes, plies, strict=False)],
    }


def packed_replay(start: Position, plies: Sequence[PlyRecord], review: Sequence[AnalysedMove] = ()) -> Json:
    """Return a game in the packed format.

    A ``review`` has the same moves; its evaluations are shown instead of those that the players reported.

    ``men`` has one letter per square, in the order of square numbers; ``.`` is an empty square. ``changes`` has a
    string for each ply, such as ``.3S27``: a letter and a number for each square that changes, then the hand in
    brackets if it changes. ``notes`` are the legal moves in the notation for people. Columns without a value are left
    out.
    """
    positions, _, notes, problem = replay_moves(start, (ply.text for ply in plies))
    optional: dict[str, list[Any]] = {
        "ms": [_ms(ply.elapsed_ns or None) for ply in plies],
        "clock": [_ms(ply.clock_left_ns) for ply in plies],
        "score": [ply.info.score.for_white(ply.side) for ply in plies],
        "depth": [ply.info.depth for ply in plies],
        "nodes": [ply.info.nodes for ply in plies],
    }
    if review:
        optional |= {
            "score": [move.after.score.for_white(move.after.side) for move in review],
            "depth": [move.judgement.after_depth for move in review],
            "mark": [move.mark or None for move in review],
            "lost": [move.lost if move.mark else None for move in review],
            "best": [position.algebraic(move.judgement.best)
                     for position, move in zip(positions, review, strict=False)],
        }
    numbers = [ply.movenumber for ply in plies]
    return {
        "fen": start.fen(),
        "men": pieces_of(start),
        "hand": _hand(start),
        "changes": [_changes(before, after) for before, after in pairwise(positions)],
        "moves": [visible(ply.text) for ply in plies], "notes": notes,
        "sides": "".join("wb"[ply.side] for ply in plies) + "wb"[positions[-1].side],
        "numbers": [*numbers[:1], *(after - before for before, after in pairwise(numbers))],
        **{name: values for name, values in optional.items() if any(value is not None for value in values)},
        **({"problem": problem} if problem else {}),
    }


def _hand(position: Position) -> str:
    return "".join(f"{count}{piece}" for piece, count in position.hand.items())


def _changes(before: Position, after: Position) -> str:
    changed = "".join(f"{new}{square}" for square, (old, new)
                      in enumerate(zip(pieces_of(before), pieces_of(after), strict=True)) if old != new)
    return changed + (f"[{_hand(after)}]" if before.hand != after.hand else "")


def _ms(time_ns: int | None) -> int | None:
    return None if time_ns is None else round(time_ns / NS_PER_MS)
