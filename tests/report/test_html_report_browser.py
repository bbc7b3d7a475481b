"""The report in a real browser: its script runs under its policy, and draws the positions of the game."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from latrones_uci.game import draw_board
from latrones_uci.web.notation import render_whole_move
from latrones_uci.web.report.page import render_report
from report_data import SHOWN, hostile_match, match_games

pytestmark = pytest.mark.gui

# Without a sandbox, because the sandbox does not run as root, as in continuous integration; the page is our own.
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
             "--enable-logging=stderr", "--dump-dom"]
GROUP = re.compile(r'<g class="board-(marks|men|hands|turn)">(.*?)</g>', re.DOTALL)
ELEMENT = re.compile(r"<(use|path|text)([^>]*)>([^<]*)")
ATTRIBUTE = re.compile(r'(href|x|y|d|transform)="([^"]*)"')


def shown_in_browser(folder: Path, address: str) -> str:
    """Return the document after the script has run; the console must contain no messages."""
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no browser: chromium is not installed")
    report = folder / "report.html"
    report.write_text(render_report(hostile_match()), encoding="utf-8")
    command = [browser, *ARGUMENTS, f"--user-data-dir={folder / 'profile'}", f"{report.as_uri()}#{address}"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=True)
    assert [line for line in run.stderr.splitlines() if "CONSOLE" in line] == []
    return run.stdout


def drawn(svg: str) -> dict[str, list[tuple[object, ...]]]:
    """Return the changing elements of a board, with the attributes that place them, by group."""
    return {
        name: sorted((tag, *sorted((key, value.replace("L", " ") if key == "d" else value)
                                   for key, value in ATTRIBUTE.findall(attributes)), text)
                     for tag, attributes, text in ELEMENT.findall(body))
        for name, body in GROUP.findall(svg)
    }


@pytest.mark.parametrize(("game", "ply"), [(1, 22), (4, 9)])
def test_an_address_opens_a_replay_at_a_ply(tmp_path: Path, game: int, ply: int) -> None:
    document = shown_in_browser(tmp_path, f"game={game}&ply={ply}")
    replay = document[document.index('<div class="board">'):]
    replay = replay[:replay.index("</svg>")]
    played = match_games()[game - 1]
    before, after, move = played.positions[ply - 1], played.positions[ply], played.moves[ply - 1]
    expected = draw_board(after, last_move=move, captured=before.captures(move), standalone=False)
    assert drawn(replay) == drawn(expected.replace("&#215;", "\u00d7"))
    now = re.findall(r'<p class="now" role="status">(.*?)</p>', document)
    note = render_whole_move(before, after, move)
    assert now[0].startswith(f"{before.movenumber}. {('White', 'Black')[before.side]} {note} \u00b7 ")
    assert document.count("<tr data-game=") == 7
    assert "<img" not in document.replace("&lt;img", "")
    shown = SHOWN.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f"<b>one {shown}</b>" in document


def test_a_game_has_one_number(tmp_path: Path) -> None:
    document = shown_in_browser(tmp_path, "game=1&ply=2")
    heading, = re.findall(r'<h3 class="heading">(.*?)</h3>', document)
    assert re.match(r"Game 1(, round [\d.]+)?: latrones 8x8", heading)
