"""The server of ``latrones-uci gui``: the page, its boards and its commands."""

from collections.abc import Iterable, Mapping
from typing import Any

from latrones_uci.draw import draw_board
from latrones_uci.gui.registry import GameRegistry
from latrones_uci.gui.requests import Requests, menu
from latrones_uci.gui.state import render_game_pgn
from latrones_uci.web.page_server import SHARED_FILES, Answer, PageServer, json_answer, pgn_answer, svg_answer


class Server(PageServer):
    """Serves the games of a registry.

    Attributes:
        registry: the games.
        commands: the commands of the page.
    """

    page = "gui/page.html"
    files = SHARED_FILES | {"gui/page.html", "gui/page.css", "gui/page.js", "gui/board.js", "gui/menu.js",
                            "gui/panel.js"}
    command = "latrones-uci gui"

    def __init__(self, registry: GameRegistry, port: int = 0) -> None:
        """Bind the port; 0 chooses a free one.

        Raises:
            OSError: the port is not available.
        """
        super().__init__(registry.broadcaster, port)
        self.registry = registry
        self.commands = Requests(registry)

    def get(self, path: str, query: Mapping[str, str]) -> Answer | None:
        """Return the menu, an empty board, or a game as PGN."""
        if path == "menu.json":
            return json_answer(menu(self.registry.config))
        if path == "board.svg":
            live = self.registry.find(query.get("table"))
            with live.lock:
                position = live.game.position
            return svg_answer(draw_board(position, flipped=query.get("flipped") == "1", standalone=False))
        if path == "game.pgn":
            return pgn_answer(render_game_pgn(self.registry.find(query.get("table")), self.registry.config))
        return None

    def do(self, data: Any) -> dict[str, Any]:
        """Carry out a command of the page."""
        return self.commands.handle(data)

    def follow(self, stream: str, tables: Iterable[str]) -> None:
        """Send the events of games to a new stream."""
        self.registry.follow(stream, tables)

    def close(self) -> None:
        """Stop the server, all engines and all streams."""
        self.shutdown()
        self.registry.close()
        self.server_close()
