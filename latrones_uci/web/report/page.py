"""The whole page: one HTML file that loads nothing and runs only its own script."""

import base64
import hashlib
from importlib import resources

from latrones_uci.game.svg import BOARD_STYLE, BOARD_SYMBOLS
from latrones_uci.web.report.data import ReportData
from latrones_uci.web.report.markup import Markup, escaped, joined
from latrones_uci.web.report.replay import board_templates, game_scripts
from latrones_uci.web.report.sections import (
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


def render_report(data: ReportData) -> str:
    """Return a report as an HTML page, to be saved as UTF-8.

    Its content security policy allows only the page's own style and script, by their hashes. Even an unescaped string
    from an engine could therefore not run. ``#game=3&ply=10`` in the address opens a replay.

    Args:
        data: the contents.
    """
    body = joined([
        render_header(data), render_tuning(data.tuning), render_rounds(data), render_standings(data),
        render_sprt(data.sprt), _replay(data),
        render_scores(data), render_terminations(data), render_time_use(data), render_faults(data),
        render_settings(data),
    ])
    symbols = Markup(f'<svg class="symbols" aria-hidden="true">{BOARD_SYMBOLS}</svg>')
    boards = joined([symbols, board_templates(data), game_scripts(data)], "\n")
    return render_page(data.title, body, boards, report_script())


def render_page(title: str, body: Markup, boards: Markup | None = None, script: str = "", more_style: str = "") -> str:
    """Return a page with the style of reports and more; ``boards`` is what its script needs to draw boards."""
    style = f"{BOARD_STYLE}\n{_resource('report.css')}{more_style}"
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


def replay_markup() -> Markup:
    """Return the section with the replay, which the script fills."""
    return Markup(_resource("replay.html"))


def report_script() -> str:
    """Return the script of the replay."""
    return _resource("report.js")


def _replay(data: ReportData) -> Markup:
    return replay_markup() if data.games else Markup("")


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
