"""The files of the pages: unit tests of the modules by Node.js, what is served, the list of keys, and the colours."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from folders import ROOT
from latrones_uci.web.board.server import Server
from latrones_uci.web.lib.page_server import asset
from latrones_uci.web.match.watch_server import WatchServer

PAGES = ROOT / "latrones_uci" / "web"
SCRIPTS = {path.relative_to(PAGES).as_posix(): path.read_text(encoding="utf-8")
           for folder in ("board", "lib", "match") for path in (PAGES / folder).glob("*.js")
           if path.name != "report.js"}  # that is part of each report
PAGE = (PAGES / "board" / "page.html").read_text(encoding="utf-8")
MAX_SCRIPT = 300
MIN_CONTRAST = 4.5  # WCAG 2.2, 1.4.3, level AA
COLOURS = [("ink", "page"), ("ink", "card"), ("ink", "shade"), ("quiet", "page"), ("quiet", "card"), ("quiet", "shade"),
           ("accent", "page"), ("accent", "card"), ("warn", "page"), ("warn", "card")]


@pytest.mark.process
def test_modules_without_a_browser(tmp_path: Path) -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("no Node.js: the modules are tested in the browser only")
    for name, text in SCRIPTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(Path(__file__).with_name("page_scripts.mjs"), tmp_path)
    done = subprocess.run([node, "--test", "page_scripts.mjs"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE)


def test_scripts_are_short_served_and_preloaded() -> None:
    """A module that is not preloaded is found only when the one before it has been read."""
    assert [name for name, text in SCRIPTS.items() if text.count("\n") >= MAX_SCRIPT] == []
    assert set(SCRIPTS) == {name for name in Server.files | WatchServer.files if name.endswith(".js")}
    lazy = {f"board/{name}.js" for name in ("puzzle", "puzzles")}  # loaded when their dialog is opened first
    assert 'await import("./puzzles.js")' in SCRIPTS["board/page.js"]
    preloaded = set(re.findall(r'<link rel="modulepreload" href="([^"]+)">', PAGE))
    assert preloaded == {name for name in Server.files if name.endswith(".js")} - {"board/page.js", *lazy}


def test_imports_of_modules_exist() -> None:
    for name, text in SCRIPTS.items():
        for words, target in re.findall(r'^import \{([^}]+)\} from "([^"]+)"', text, re.MULTILINE):
            exporting = (PAGES / name).parent.joinpath(target).read_text(encoding="utf-8")
            exported = re.findall(r"^export (?:async function|function|const|class|let) (\w+)", exporting, re.MULTILINE)
            assert {word.strip() for word in words.split(",")} <= set(exported), f"{name} imports from {target}"


def test_lists_keep_their_role() -> None:
    """Otherwise their items have no list for a screen reader."""
    assert re.findall(r"<[uo]l\b[^>]* role=", PAGE) == []


def test_the_list_of_keys_is_complete() -> None:
    listed = set(re.findall(r"<kbd>(.*?)</kbd>", PAGE)) | {"ArrowLeft", "ArrowRight"}
    table = SCRIPTS["board/buttons.js"].partition("KEYS = {")[2].partition("};")[0]
    keys = re.findall(r'["{ ](\w+|\?)"?: "', " " + table)
    assert len(keys) > 14
    assert set(keys) <= listed


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at:at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_has_enough_contrast() -> None:
    sheet = asset("lib/base.css").body.decode()
    light, dark = (dict(re.findall(r"--(\w+): (#[0-9a-f]+)", text))
                   for text in re.findall(r":root \{(.*?)\}", sheet, re.DOTALL))
    for scheme, colours in (("light", light), ("dark", light | dark)):
        for pair in COLOURS:
            darker, brighter = sorted(luminance(colours[name]) for name in pair)
            assert (brighter + 0.05) / (darker + 0.05) >= MIN_CONTRAST, (scheme, pair)
