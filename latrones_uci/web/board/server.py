"""The server of ``latrones-uci gui``: the page, its boards and its commands."""

from collections.abc import Iterable, Mapping
from typing import Any

from latrones_uci.game import draw_board
from latrones_uci.web.board.game_store import PAGE_GAMES
from latrones_uci.web.board.kept_games import last_position, list_data
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.board.requests import engine_of, handle, lesson_of, levels_of_engine, menu, rules_of_game
from latrones_uci.web.board.state import render_game_pgn
from latrones_uci.web.page_server import (
    SHARED_FILES,
    Answer,
    PageServer,
    json_answer,
    pgn_answer,
    svg_answer,
)
from latrones_uci.web.rules.rule_page import RulePage, draw_card, rule_page_data

_SCRIPTS = ("advice", "board", "deeds", "editor", "entry", "games", "marks", "newgame", "options", "page", "panel",
            "players", "pointer", "premove", "review", "rules", "session", "share", "sound", "tree", "view", "words",
            "zoom")


class Server(PageServer):
    """Serves the games of a registry."""

    page = "board/page.html"
    files = SHARED_FILES | {"board/page.html", "board/page.css", *(f"board/{name}.js" for name in _SCRIPTS)}
    command = "latrones-uci gui"

    def __init__(self, registry: GameRegistry, port: int = 0, token: str | None = None) -> None:
        """Bind the port; 0 chooses a free port. ``token`` is the token of an earlier server, None for a new token.

        Raises:
            OSError: the port is not available.
        """
        super().__init__(registry.broadcaster, port, token)
        self.registry = registry
        """The games."""

    def get(self, path: str, query: Mapping[str, str]) -> Answer | None:
        """Return the menu, an empty board, or a game as PGN."""
        if path == "menu.json":
            return json_answer(menu(self.registry.config))
        if path == "board.svg":
            live = self.registry.find(query.get("table"))
            with live.lock:
                position = live.game.position
            return svg_answer(draw_board(position, flipped=query.get("flipped") == "1", bare=True, standalone=False))
        if path == "rules.json":
            return json_answer(rule_page_data(self._rules(query)))
        if path in ("games.json", "games.pgn", "kept.svg"):
            return self._get_kept(path, query)
        if path == "levels.json":
            return json_answer(levels_of_engine(
                self.registry.config, query.get("engine"), query.get("variant"), query.get("size", "")))
        if path == "options.json":
            engine = engine_of(self.registry.config, query.get("engine"))
            return json_answer(self.registry.config.catalog.choices(engine))
        if path == "card.svg":
            return svg_answer(draw_card(self._rules(query)))
        if path == "lesson.svg":
            lesson = lesson_of(self._rules(query), query.get("lesson"))
            return svg_answer(draw_board(lesson.position, bare=True, standalone=False))
        if path == "game.pgn":
            return pgn_answer(render_game_pgn(self.registry.find(query.get("table")), self.registry.config))
        return None

    def _get_kept(self, path: str, query: Mapping[str, str]) -> Answer:
        """Return a page of the list of kept games, the games that match a search as PGN, or the picture of a game."""
        if path == "kept.svg":
            kept = self.registry.kept_game(query.get("record"))
            return svg_answer(draw_board(last_position(kept, self.registry.config), bare=True, coordinates=False))
        store, search = self.registry.store, query.get("search", "")
        if path == "games.pgn":
            return pgn_answer(self.registry.export_games(self.registry.kept.records(search)), "games.pgn")
        if store is None:
            return json_answer({"kept": False, "games": [], "found": 0, "page": 0, "pages": 1})
        number = query.get("page", "0")
        found = store.count(search)
        pages = max(-(-found // PAGE_GAMES), 1)
        page = min(int(number), pages - 1) if number.isascii() and number.isdigit() and len(number) < 9 else 0
        return json_answer({"kept": True, "games": list_data(store.games(search, page)), "found": found, "page": page,
                            "pages": pages})

    def _rules(self, query: Mapping[str, str]) -> RulePage:
        return rules_of_game(self.registry.config, query.get("variant"))

    def do(self, data: Any) -> dict[str, Any]:
        """Handle a command of the page."""
        return handle(self.registry, data)

    def follow(self, stream: str, tables: Iterable[str]) -> None:
        """Send the events of games to a new stream."""
        self.registry.follow(stream, tables)

    def close(self) -> None:
        """Stop the server, all engines and all streams."""
        self.shutdown()
        self.registry.close()
        self.server_close()
