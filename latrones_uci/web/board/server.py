"""The server of ``latrones-uci gui``: the page, and its data, drawings and games by address."""

from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from latrones_uci.game import BLACK, BoardSizeError, Ruleset, draw_board, ludii_variants
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE
from latrones_uci.web.board.config import GuiConfig, parse_index, start_position
from latrones_uci.web.board.engine_catalog import LEVEL_NAMES
from latrones_uci.web.board.game_store import PAGE_GAMES
from latrones_uci.web.board.kept_games import last_position, list_data, statistics_data
from latrones_uci.web.board.puzzles import MAX_PUZZLES, find_puzzle, has_puzzles, list_puzzles
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.board.requests import REQUESTS, RequestFields, Requests
from latrones_uci.web.board.state import render_game_pgn
from latrones_uci.web.lib.notation import Json
from latrones_uci.web.lib.page_server import (
    SHARED_FILES,
    Answer,
    PageServer,
    RefusedError,
    json_answer,
    pgn_answer,
    svg_answer,
)
from latrones_uci.web.rules.rule_page import draw_card, rule_page, rule_page_data, summary_of


def _menu(config: GuiConfig, is_newcomer: bool) -> Json:
    return {
        "games": [{"name": name, "title": ruleset.title, "summary": summary_of(ruleset),
                   "size": "x".join(map(str, ruleset.default_size)), "sizes": _sizes(ruleset),
                   "folded": ludii_variants().get(name) == ruleset, "puzzles": has_puzzles(ruleset)}
                  for name, ruleset in config.variants.items()],
        "engines": list(config.names), "levels": list(LEVEL_NAMES), "newcomer": is_newcomer,
    }


def _sizes(ruleset: Ruleset) -> list[str]:
    sides = range(MIN_SIDE, MAX_SIDE + 1)
    return [f"{files}x{ranks}" for files in sides for ranks in sides if _is_allowed(ruleset, files, ranks)]


def _is_allowed(ruleset: Ruleset, files: int, ranks: int) -> bool:
    try:
        ruleset.check_size(files, ranks)
    except BoardSizeError:
        return False
    return True


class Server(PageServer):
    page = "board/page.html"
    files = SHARED_FILES | {f"board/{file.name}" for file in resources.files("latrones_uci.web.board").iterdir()
                            if file.name.endswith((".css", ".html", ".js"))}
    command = "latrones-uci gui"

    def __init__(self, registry: GameRegistry, port: int = 0, token: str | None = None) -> None:
        super().__init__(registry.broadcaster, port, token)
        self.registry, self._requests = registry, Requests(registry)

    def get(self, path: str, query: Mapping[str, str]) -> Answer | None:
        config = self.registry.config
        if path == "menu.json":
            store = self.registry.store  # without one, nobody knows who comes
            return json_answer(_menu(config, store is not None and not store.count("")))
        if path == "board.svg":
            live = self.registry.find(query.get("table"))
            with live.lock:
                position = live.game.position
            return svg_answer(draw_board(position, flipped=query.get("flipped") == "1", bare=True, standalone=False))
        if path == "puzzles.json":
            return json_answer(list_puzzles(config, query.get("variant", "")))
        if path == "puzzle.svg":
            number = parse_index(query.get("puzzle"), MAX_PUZZLES, "puzzle")
            puzzle = find_puzzle(query.get("variant"), number)
            return svg_answer(draw_board(puzzle.game.position, flipped=puzzle.game.position.side == BLACK, bare=True,
                                         standalone=False))
        if path in ("rules.json", "card.svg", "lesson.svg"):
            rules = rule_page(config.ruleset(query.get("variant")))
            if path == "rules.json":
                return json_answer(rule_page_data(rules))
            if path == "card.svg":
                return svg_answer(draw_card(rules))
            lesson = rules.lessons[parse_index(query.get("lesson"), len(rules.lessons), "lesson")]
            return svg_answer(draw_board(lesson.position, bare=True, standalone=False))
        if path in ("games.json", "games.pgn", "kept.svg", "statistics.json"):
            return self._get_kept(path, query)
        if path == "levels.json":
            start = start_position(config.ruleset(query.get("variant")), query.get("size", ""))
            return json_answer(config.catalog.levels(config.engine_number(query.get("engine")), start))
        if path == "options.json":
            return json_answer(config.catalog.choices(config.engine_number(query.get("engine"))))
        if path == "game.pgn":
            return pgn_answer(render_game_pgn(self.registry.find(query.get("table")), config))
        return None

    def _get_kept(self, path: str, query: Mapping[str, str]) -> Answer:
        if path == "kept.svg":
            kept = self.registry.kept_game(query.get("record"))
            return svg_answer(draw_board(last_position(kept, self.registry.config), bare=True, coordinates=False))
        store, search = self.registry.store, query.get("search", "")
        if path == "statistics.json":
            return json_answer({"rows": [] if store is None else statistics_data(store, search, self.registry.config)})
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

    def do(self, data: Any) -> dict[str, Any]:
        what = data.get("do") if isinstance(data, dict) else None
        if not isinstance(what, str) or what not in REQUESTS:
            raise RefusedError("unknown command")
        return REQUESTS[what](self._requests, RequestFields(data)) or {}

    def follow(self, stream: str, tables: Iterable[str]) -> None:
        self.registry.follow(stream, tables)

    def close(self) -> None:
        self.shutdown()
        self.registry.close()
        self.server_close()
