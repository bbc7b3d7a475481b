"""The data of the replays. Positions are computed here, so that the script of the page only draws."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from latrones_uci.game import LatronesError, Position, draw_board
from latrones_uci.web.notation import render_whole_move
from latrones_uci.web.report.data import ReportData, ReportGame
from latrones_uci.web.report.markup import Markup, embedded_json, escaped, joined, visible


def positions_of(data: ReportData, game: ReportGame) -> tuple[list[Position], list[str], str]:
    """Return the positions of a game, its moves in notation, and why they stop before its end ("" if they do not)."""
    ruleset = data.rulesets.get(game.variant)
    if ruleset is None:
        return [], [], f"unknown variant {game.variant}"
    positions: list[Position] = []
    notes: list[str] = []
    try:
        positions.append(Position.from_fen(ruleset, game.start_fen))
        for ply in game.plies:
            move = positions[-1].parse_move(ply.move)
            positions.append(positions[-1].after(move))
            notes.append(render_whole_move(positions[-2], positions[-1], move))
    except LatronesError as error:
        return positions, notes, str(error)
    return positions, notes, ""


def board_templates(data: ReportData) -> Markup:
    """Return an empty board for each variant and size, from both sides, on which the script draws."""
    templates = []
    for (variant, size), game in {(game.variant, game.size): game for game in data.games}.items():
        positions, _, _ = positions_of(data, ReportGame(0, variant, size, game.start_fen, 0, 0, None, ""))
        for start in positions:
            for flipped in (False, True):
                name = f"board-{variant}-{size[0]}x{size[1]}-{'black' if flipped else 'white'}"
                board = draw_board(start, flipped=flipped, standalone=False)
                templates.append(f'<template id="{escaped(name)}">{board}</template>')
    return joined(templates)


def game_scripts(data: ReportData) -> Markup:
    """Return the list of games as JSON, and the data of each replay as JSON with the id ``game-NUMBER``."""
    index = {
        "engines": [visible(engine.name) for engine in data.engines],
        "games": [_index_row(game) for game in data.games],
    }
    return joined([embedded_json("game-list", index),
                   *(embedded_json(f"game-{game.number}", _game_json(data, game)) for game in data.games)], "\n")


def _index_row(game: ReportGame) -> list[Any]:
    files, ranks = game.size
    flaw = 2 if game.fault else 1 if game.violations else 0
    return [game.number, visible(game.round), visible(game.variant), f"{files}x{ranks}", game.opening, game.white,
            game.black, game.result, len(game.plies), visible(game.termination), visible(game.details), flaw]


def _game_json(data: ReportData, game: ReportGame) -> dict[str, Any]:
    """Return the start position of a game, and for each ply the changes on the board and the search information.

    ``men`` has one letter per square, in the order of square numbers; ``.`` is an empty square. ``changes`` has a
    string for each ply, such as ``.3S27``: a letter and a number for each square that changes, then the hand in
    brackets if it changes. ``notes`` are the legal moves in the notation for people.
    """
    positions, notes, problem = positions_of(data, game)
    plies = game.plies
    optional: dict[str, list[Any]] = {
        "ms": [_rounded(ply.elapsed_ms) for ply in plies],
        "clock": [_rounded(ply.clock_left_ms) for ply in plies],
        "score": [ply.score for ply in plies],
        "depth": [ply.depth for ply in plies],
        "nodes": [ply.nodes for ply in plies],
        "mark": [ply.mark or None for ply in plies],
        "lost": [ply.lost if ply.mark else None for ply in plies],
        "best": [visible(ply.best) or None for ply in plies],
    }
    texts = {
        "fault": visible(game.fault), "stderr": visible(game.stderr), "problem": visible(problem),
        "violations": [visible(violation) for violation in game.violations],
    }
    return {
        "fen": visible(game.start_fen),
        "men": "".join(_pieces(positions[0])) if positions else "",
        "hand": _hand(positions[0]) if positions else "",
        "changes": [_changes(before, after) for before, after in pairwise(positions)],
        "moves": [visible(ply.move) for ply in plies], "notes": notes,
        "sides": "".join("wb"[ply.side] for ply in plies) + ("wb"[positions[-1].side] if positions else ""),
        "numbers": _differences(ply.movenumber for ply in plies),
        **{name: values for name, values in optional.items() if any(value is not None for value in values)},
        **{name: value for name, value in texts.items() if value},
    }


def _differences(numbers: Iterable[int]) -> list[int]:
    """Return the first number, then the difference of each number to the previous one."""
    values = list(numbers)
    return [*values[:1], *(after - before for before, after in pairwise(values))]


def _pieces(position: Position) -> list[str]:
    return [position.piece_at(square) or "." for square in range(position.geometry.squares)]


def _hand(position: Position) -> str:
    return "".join(f"{count}{piece}" for piece, count in position.hand.items())


def _changes(before: Position, after: Position) -> str:
    changed = "".join(f"{new}{square}" for square, (old, new)
                      in enumerate(zip(_pieces(before), _pieces(after), strict=True)) if old != new)
    return changed + (f"[{_hand(after)}]" if before.hand != after.hand else "")


def _rounded(elapsed_ms: float | None) -> int | None:
    return None if elapsed_ms is None else round(elapsed_ms)
