"""The whole page: one HTML file that loads nothing and runs only its own script."""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from latrones_uci.game import Position, draw_board
from latrones_uci.game.svg import BOARD_SYMBOLS
from latrones_uci.records.record import GameRecord
from latrones_uci.web.lib.markup import Markup, embedded_json, escaped, joined, read_asset, read_theme, visible
from latrones_uci.web.lib.notation import Json
from latrones_uci.web.lib.replay import packed_replay
from latrones_uci.web.match.figures import ending_text, fault_text, stderr_of

REPLAY = "match/replay.html"
"""The section with the replay, which the script fills."""
_SCRIPTS = ("lib/dom.js", "lib/display.js", "lib/ground.js", "lib/player.js", "match/report.js")


def render_page(title: str, body: Markup, games: Markup | None = None, more_style: str = "") -> str:
    """Return an HTML page with the style of reports and more, to be saved as UTF-8.

    Its content security policy allows only the page's own style and script, by their hashes. Even an unescaped string
    from an engine could therefore not run. ``games`` are those that its replay shows (see ``embedded_games``);
    ``#game=3&ply=10`` in the address opens one.
    """
    script = "" if games is None else report_script()
    style = f"{read_theme()}{read_asset('match/report.css')}{more_style}"
    runs = f"'{_hash(script)}'" if script else "'none'"
    policy = (f"default-src 'none'; script-src {runs}; style-src '{_hash(style)}'; base-uri 'none'; "
              "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
    rest = f"\n{games}\n<script>{script}</script>" if script else ""
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


# ---------------------------------------------------------------- the games of a page


@dataclass(frozen=True)
class ListedGame:
    """A game in the list of a page, with its replay."""

    row: Sequence[Any]
    """Number, round, variant, board, opening, White, Black, result, plies, termination, details, and 1 or 2 for
    violations or a fault: what the script shows of it."""
    start: Position
    replay: Json


def listed_record(record: GameRecord) -> ListedGame:
    fixture, game, start, fault = record.fixture, record.game, record.game.start, fault_text(record)
    ending = map(visible, ending_text(game.outcome))
    remarks = {"fault": visible(fault), "stderr": visible(stderr_of(record)),
               "violations": list(map(visible, game.violations))}
    return ListedGame(
        [fixture.number, str(fixture.round + 1), visible(start.ruleset.name), start.geometry.name, fixture.opening,
         fixture.white, fixture.black, game.outcome.result, len(game.plies), *ending,
         2 if fault else 1 if game.violations else 0],
        start, packed_replay(start, game.plies) | {name: value for name, value in remarks.items() if value})


def embedded_games(engines: Iterable[str], games: Sequence[ListedGame]) -> Markup:
    """Return the list of games as JSON, each game as JSON with the id ``game-NUMBER``, and the boards to draw on."""
    index = {"engines": list(map(visible, engines)), "games": [game.row for game in games]}
    return joined([
        Markup(f'<svg class="symbols" aria-hidden="true">{BOARD_SYMBOLS}</svg>'), _board_templates(games),
        embedded_json("game-list", index),
        *(embedded_json(f"game-{game.row[0]}", game.replay) for game in games)], "\n")


def _board_templates(games: Sequence[ListedGame]) -> Markup:
    """Return an empty board for each variant and size, from both sides, on which the script draws."""
    starts = {f"{game.start.ruleset.name}-{game.start.geometry.name}": game.start for game in games}
    return joined(
        f'<template id="{escaped(f"board-{board}-{side}")}">'
        f'{draw_board(start, flipped=side == "black", standalone=False)}</template>'
        for board, start in starts.items() for side in ("white", "black"))
