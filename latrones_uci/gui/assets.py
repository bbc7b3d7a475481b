"""The files of the page, as they are sent."""

from functools import cache
from importlib import resources

from latrones_uci.draw import BOARD_STYLE, BOARD_SYMBOLS

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_SYMBOLS_PLACE = "<!-- symbols -->"
NAMES = frozenset({"page.html", "page.css", "page.js", "board.js", "dom.js", "ground.js", "menu.js", "panel.js",
                   "tabs.js"})


@cache
def asset(name: str) -> tuple[str, bytes]:
    """Content type and bytes of one of ``NAMES``: the page with the board's symbols, the sheet with its style."""
    text = resources.files("latrones_uci.gui").joinpath(name).read_text(encoding="utf-8")
    if name == "page.css":
        text = f"{BOARD_STYLE}\n{text}"
    if name == "page.html":
        text = text.replace(_SYMBOLS_PLACE, BOARD_SYMBOLS)
    return f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8", text.encode()
