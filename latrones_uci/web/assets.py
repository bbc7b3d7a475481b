"""The files of the pages: HTML, styles and scripts."""

from importlib import resources

from latrones_uci.game.svg import BOARD_STYLE, BOARD_SYMBOLS

_SYMBOLS, _STEPS = "<!-- symbols -->", "<!-- steps -->\n"


def read_asset(name: str) -> str:
    """Return the text of a file beside this module, with what several pages have in it at its places.

    ``<!-- symbols -->`` stands for the symbols of the board, ``<!-- steps -->`` for the buttons of a replay.
    """
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8").replace(_SYMBOLS, BOARD_SYMBOLS)
    return text.replace(_STEPS, read_asset("lib/steps.html")) if _STEPS in text else text


def read_theme() -> str:
    """Return the style that every page begins with: that of the board, and the theme."""
    return f"{BOARD_STYLE}\n{read_asset('lib/theme.css')}"
