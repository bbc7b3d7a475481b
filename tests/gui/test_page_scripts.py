"""Scripts of the page: unit tests by Node.js where it is present, their length, and that all of them are served."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from latrones_uci.web.board.server import Server
from latrones_uci.web.watch.watch_server import WatchServer

PAGES = Path(__file__).parents[2] / "latrones_uci" / "web"
MAX_SCRIPT = 300
FOLDERS = ("board", "lib", "watch")


@pytest.mark.process
def test_modules_without_a_browser(tmp_path: Path) -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("no Node.js: the modules are tested in the browser only")
    for folder in FOLDERS:
        shutil.copytree(PAGES / folder, tmp_path / folder, ignore=lambda _, names: [
            name for name in names if not name.endswith(".js")])  # fmt: skip
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(Path(__file__).with_name("page_scripts.mjs"), tmp_path)
    done = subprocess.run([node, "--test", "page_scripts.mjs"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE)


def test_scripts_are_short_and_served() -> None:
    scripts = {f"{folder}/{path.name}": path for folder in FOLDERS for path in (PAGES / folder).glob("*.js")}
    long = {name: count for name, path in scripts.items()
            if (count := len(path.read_text(encoding="utf-8").splitlines())) >= MAX_SCRIPT}
    assert long == {}
    assert set(scripts) == {name for name in Server.files | WatchServer.files if name.endswith(".js")}


def test_the_page_preloads_its_modules() -> None:
    """Otherwise each module is found only when the one before it has been read."""
    page = (PAGES / "board" / "page.html").read_text(encoding="utf-8")
    preloaded = set(re.findall(r'<link rel="modulepreload" href="([^"]+)">', page))
    assert preloaded == {name for name in Server.files if name.endswith(".js")} - {"board/page.js"}


def test_lists_keep_their_role() -> None:
    """Otherwise their items have no list for a screen reader."""
    page = (PAGES / "board" / "page.html").read_text(encoding="utf-8")
    assert re.findall(r"<[uo]l\b[^>]* role=", page) == []


def test_imports_of_modules_exist() -> None:
    for folder in FOLDERS:
        for path in (PAGES / folder).glob("*.js"):
            for target, names in ((path.parent / found[1], found[0]) for found in re.findall(
                    r'^import \{([^}]+)\} from "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)):
                text = target.read_text(encoding="utf-8")
                for name in (each.strip() for each in names.split(",")):
                    kinds = "async function|function|const|class|let"
                    found = re.search(rf"^export ({kinds}) {name}\b", text, re.MULTILINE)
                    assert found, f"{path.name} imports {name}"
