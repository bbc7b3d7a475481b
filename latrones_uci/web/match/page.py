"""The whole page: one HTML file that loads nothing and runs only its own script."""

import base64
import hashlib
import re
from functools import cache
from typing import Any

from latrones_uci.game import LatronesError, Position, draw_board
from latrones_uci.game.svg import BOARD_SYMBOLS
from latrones_uci.web.lib.markup import Markup, embedded_json, escaped, joined, read_asset, read_theme, visible
from latrones_uci.web.lib.replay import packed_replay
from latrones_uci.web.match.data import ReportData, ReportGame
from latrones_uci.web.match.sections import (
    render_faults,
    render_header,
    render_rounds,
    render_scores,
    render_settings,
    render_sprt,
    render_standings,
    render_terminations,
    render_time_use,
    render_tuning,
)

REPLAY = "match/replay.html"
"""The section with the replay, which the script fills."""
_SCRIPTS = ("lib/dom.js", "lib/display.js", "lib/ground.js", "lib/player.js", "match/report.js")


def render_report(data: ReportData) -> str:
    """Return a report as an HTML page, to be saved as UTF-8.

    Its content security policy allows only the page's own style and script, by their hashes. Even an unescaped string
    from an engine could therefore not run. ``#game=3&ply=10`` in the address opens a replay.

    Args:
        data: the contents.
    """
    body = joined([
        render_header(data), render_tuning(data.tuning), render_rounds(data), render_standings(data),
        render_sprt(data.sprt), Markup(read_asset(REPLAY) if data.games else ""),
        render_scores(data), render_terminations(data), render_time_use(data), render_faults(data),
        render_settings(data),
    ])
    return render_page(data.title, body, data if data.games else None)


def render_page(title: str, body: Markup, games: ReportData | None = None, more_style: str = "") -> str:
    """Return a page with the style of reports and more; ``games`` are those that its replay shows."""
    script = "" if games is None else report_script()
    boards = "" if games is None else joined([_symbols(), _board_templates(games), _game_scripts(games)], "\n")
    style = f"{read_theme()}{read_asset('match/report.css')}{more_style}"
    runs = f"'{_hash(script)}'" if script else "'none'"
    policy = (f"default-src 'none'; script-src {runs}; style-src '{_hash(style)}'; base-uri 'none'; "
              "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
    rest = f"\n{boards}\n<script>{script}</script>" if script else ""
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" '
        f'content="light dark"><title>{escaped(title)}</title>\n<style>{style}</style></head>\n'
        f"<body><main>{body}</main>{rest}</body></html>\n"
    )


@cache
def report_script() -> str:
    """Return the script of the replay: the modules that it consists of, each after those that it imports."""
    modules = "\n".join(map(read_asset, _SCRIPTS))
    code = re.sub(r"^(import .*|\s*//.*|\s*/\*\*.*\*/)\n", "", modules, flags=re.MULTILINE)
    return f'"use strict";\n{{\n{re.sub("^export ", "", code, flags=re.MULTILINE)}}}\n'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


# ---------------------------------------------------------------- the data of the replays


def _symbols() -> Markup:
    return Markup(f'<svg class="symbols" aria-hidden="true">{BOARD_SYMBOLS}</svg>')


def _start(data: ReportData, game: ReportGame) -> tuple[Position | None, str]:
    """Return the start position of a game; None and the reason if it is not possible."""
    ruleset = data.rulesets.get(game.variant)
    if ruleset is None:
        return None, f"unknown variant {game.variant}"
    try:
        return Position.from_fen(ruleset, game.start_fen), ""
    except LatronesError as error:
        return None, str(error)


def _board_templates(data: ReportData) -> Markup:
    """Return an empty board for each variant and size, from both sides, on which the script draws."""
    templates = []
    for (variant, size), game in {(game.variant, game.size): game for game in data.games}.items():
        start, _ = _start(data, game)
        if start is None:
            continue
        for flipped in (False, True):
            name = f"board-{variant}-{size[0]}x{size[1]}-{'black' if flipped else 'white'}"
            board = draw_board(start, flipped=flipped, standalone=False)
            templates.append(f'<template id="{escaped(name)}">{board}</template>')
    return joined(templates)


def _game_scripts(data: ReportData) -> Markup:
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
    """Return a game in the packed format, and what went wrong in it."""
    start, problem = _start(data, game)
    remarks = {"fault": visible(game.fault), "stderr": visible(game.stderr),
               "violations": [visible(violation) for violation in game.violations]}
    return packed_replay(start, game.start_fen, game.plies, problem, game.review) | {
        name: value for name, value in remarks.items() if value}
