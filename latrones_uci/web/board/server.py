"""The server of ``latrones-uci gui``: the page, its boards, and the requests of the page."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from latrones_uci.game import (
    BLACK,
    BoardSizeError,
    FenError,
    LatronesError,
    Position,
    Ruleset,
    draw_board,
    ludii_variants,
    parse_board_size,
)
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE
from latrones_uci.game.position import letters_of
from latrones_uci.records.suite import SuitePosition
from latrones_uci.text.messages import printable, quoted
from latrones_uci.web.board.config import GuiConfig, parse_game
from latrones_uci.web.board.engine_catalog import LEVEL_NAMES
from latrones_uci.web.board.game_store import PAGE_GAMES
from latrones_uci.web.board.kept_games import last_position, list_data, statistics_data
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.puzzles import (
    MAX_PUZZLES,
    find_puzzle,
    has_puzzles,
    list_puzzles,
    refute,
    show_puzzle,
    solve_puzzle,
)
from latrones_uci.web.board.registry import MAX_GAMES, GameRegistry
from latrones_uci.web.board.state import ending_words, render_game_pgn
from latrones_uci.web.lib.notation import Json, position_data
from latrones_uci.web.lib.page_server import (
    SHARED_FILES,
    Answer,
    PageServer,
    RefusedError,
    json_answer,
    pgn_answer,
    svg_answer,
)
from latrones_uci.web.rules.rule_page import Lesson, RulePage, draw_card, rule_page, rule_page_data, summary_of
from latrones_uci.words.reasons import reason_against

_Read = Callable[[GameRegistry, Json], Any]
_MAX_MOVES = 64  # of the line of a puzzle


# ---------------------------------------------------------------- the fields of a request


def _text(key: str) -> _Read:
    return _checked(key, lambda value: isinstance(value, str), "a string")


def _number(key: str, optional: bool = False) -> _Read:
    def fits(value: Any) -> bool:
        return optional and value is None or isinstance(value, int) and not isinstance(value, bool)

    return _checked(key, fits, "an integer")


def _texts(key: str) -> _Read:
    return _checked(key, lambda value: _is_list(value) and len(value) > 0, "a list of strings")


def _names(key: str) -> _Read:
    return _checked(key, lambda value: _is_list(value) and len(value) <= MAX_GAMES,
                    f"a list of at most {MAX_GAMES} names")


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _checked(key: str, fits: Callable[[Any], bool], expected: str) -> _Read:
    """Return what reads a field that must fit."""
    def read(registry: GameRegistry, data: Json) -> Any:
        if not fits(data.get(key)):
            raise RefusedError(f"{key}: expected {expected}")
        return data.get(key)

    return read


def _any(key: str) -> _Read:
    return lambda registry, data: data.get(key)


def _flag(key: str) -> _Read:
    return lambda registry, data: data.get(key) is True


def _live(registry: GameRegistry, data: Json) -> LiveGame:
    return registry.find(data.get("table"))


def _registry(registry: GameRegistry, data: Json) -> GameRegistry:
    return registry


def _whole(registry: GameRegistry, data: Json) -> Json:
    return data


def _puzzle(registry: GameRegistry, data: Json) -> SuitePosition:
    return find_puzzle(data.get("variant"), data.get("puzzle"))


_moves = _checked("moves", lambda value: _is_list(value) and len(value) <= _MAX_MOVES, "a list of moves")

_SPOT = (_number("ply", optional=True), _number("node", optional=True))
"""A place in a game: its ply, and the number of a move of a variation; None for none."""


# ---------------------------------------------------------------- actions that are more than one call


def _reason(registry: GameRegistry, data: Json) -> Json:
    """Return why a move is not legal, in a game or in a lesson."""
    origin, target = _number("from", optional=True)(registry, data), _number("to")(registry, data)
    if "variant" not in data:
        spot = (read(registry, data) for read in _SPOT)
        return {"reason": _live(registry, data).reason_against(origin, target, *spot)}
    number = str(_number("lesson")(registry, data))
    position = _lesson_of(_rules_of(registry.config, data["variant"]), number).position
    squares = position.geometry.squares
    if not 0 <= target < squares or origin is not None and not 0 <= origin < squares:
        raise RefusedError(f"square: expected 0..{squares - 1}")
    return {"reason": reason_against(position, origin, target)}


def _explore(registry: GameRegistry, live: LiveGame, ply: int | None, node: int | None, source: int) -> Json:
    return registry.explorer.explore(live.position_at(ply, node), source)


def _rename(registry: GameRegistry, record: Any, name: str) -> None:
    registry.kept.rename(registry.kept_game(record).record, printable(name, " ").strip())


def _import(registry: GameRegistry, text: str, key: Any, first: bool, last: bool) -> Json:
    """Keep the games of a PGN text, or of a part of the text with this ``key``."""
    found = registry.import_games(text, "" if key is None else str(key), first=key is None or first,
                                  last=key is None or last)
    return {"records": [game.record for game in found.games], "rejected": found.rejected, "again": found.again}


_REQUESTS: dict[str, tuple[Callable[..., Json | None], tuple[_Read, ...]]] = {
    # the page and its games
    "create": (lambda games, data: {"table": games.create(data).name}, (_registry, _any("game"))),
    "follow": (GameRegistry.follow, (_registry, _text("stream"), _names("tables"), _names("fresh"))),
    "options": (lambda games, engine, values: games.config.catalog.set_values(
        _engine_of(games.config, str(engine)), values), (_registry, _any("engine"), _any("values"))),
    # a game
    "restart": (lambda games, live, data: live.restart(parse_game(data, games.config)),
                (_registry, _live, _any("game"))),
    "position": (LiveGame.set_position, (_live, _text("fen"))),
    "check": (lambda live, fen: _check_position(live.game.start, fen), (_live, _text("fen"))),
    "move": (LiveGame.move, (_live, _text("move"), _number("ply"))),
    "undo": (LiveGame.undo, (_live,)),
    "show": (LiveGame.show_state, (_live,)),
    "name": (LiveGame.name_human, (_live, _text("name"))),
    "resign": (LiveGame.resign, (_live,)),
    "draw": (lambda live: {"answer": live.offer_draw()}, (_live,)),
    "pause": (LiveGame.pause, (_live, _flag("on"))),
    "now": (LiveGame.move_now, (_live,)),
    "why": (_reason, (_registry, _whole)),
    "moves": (LiveGame.moves_at, (_live, *_SPOT)),
    # analysis and variations
    "explore": (_explore, (_registry, _live, *_SPOT, _number("source"))),
    "values": (LiveGame.evaluate_moves, (_live, _texts("moves"), *_SPOT)),
    "hint": (LiveGame.ask_hint, (_live,)),
    "review": (LiveGame.review, (_live,)),
    "analyse": (LiveGame.analyse, (_live, _number("lines"), *_SPOT, _flag("threat"), _flag("longer"))),
    "try": (LiveGame.attempt, (_live, _text("move"), _number("ply"))),
    "vary": (LiveGame.vary, (_live, _text("move"), *_SPOT)),
    "line": (LiveGame.add_line, (_live, _texts("moves"), *_SPOT)),
    "annotate": (LiveGame.annotate, (_live, *_SPOT, _text("sign"), _text("comment"), _text("marks"))),
    "prune": (LiveGame.delete_variation, (_live, _number("node"))),
    "promote": (LiveGame.promote_variation, (_live, _number("node"))),
    # kept games
    "open": (lambda games, table, record: {"table": games.open(table, record)},
             (_registry, _any("table"), _any("record"))),
    "delete": (lambda games, records: {"deleted": games.delete(records)}, (_registry, _texts("records"))),
    "delete-found": (lambda games, search, count: {"deleted": games.delete_found(search, count)},
                     (_registry, _text("search"), _number("count"))),
    "rename": (_rename, (_registry, _any("record"), _text("name"))),
    "import": (_import, (_registry, _text("pgn"), _any("key"), _flag("first"), _flag("last"))),
    "export": (lambda games, records: {"pgn": "".join(games.export_games(records))}, (_registry, _texts("records"))),
    # puzzles
    "puzzle": (show_puzzle, (_puzzle, _moves)),
    "solve": (solve_puzzle, (_puzzle, _moves)),
    "refute": (lambda puzzle, moves, games: refute(puzzle, moves, games.config), (_puzzle, _moves, _registry)),
}
"""Each request by name: what it does, and the arguments for that, as they are read from the request."""


# ---------------------------------------------------------------- what the page asks for by an address


def _rules_of(config: GuiConfig, name: Any) -> RulePage:
    ruleset = config.variants.get(name) if isinstance(name, str) else None
    if ruleset is None:
        raise RefusedError(f"unknown variant {quoted(str(name))}")
    return rule_page(ruleset)


def _index(text: str | None, count: int, what: str) -> int:
    """Return the number, from 0, of one of several things that an address or a request names."""
    if text is None or not (text.isascii() and text.isdigit() and len(text) <= 6) or int(text) >= count:
        raise RefusedError(f"{what} {quoted(str(text))}: expected 0..{count - 1}")
    return int(text)


def _engine_of(config: GuiConfig, number: str | None) -> int:
    return _index(number, len(config.engines), "engine")


def _lesson_of(page: RulePage, number: str | None) -> Lesson:
    return page.lessons[_index(number, len(page.lessons), "lesson")]


def _levels(config: GuiConfig, engine: str | None, variant: Any, size: str) -> list[Json]:
    """Return the levels of an engine in a variant on a board; empty if it has no levels."""
    ruleset = _rules_of(config, variant).ruleset
    try:
        start = Position.start(ruleset, parse_board_size(size) if size else None)
    except LatronesError as error:
        raise RefusedError(str(error)) from error
    return config.catalog.levels(_engine_of(config, engine), start)


def _check_position(start: Position, fen: str) -> Json:
    """Check a position by the rules, for the variant and the board size of ``start``.

    Returns:
        Pieces, hands and side of the position, or of ``start`` if the position is not possible. ``pieces`` are the
        pieces of the variant, ``holds`` is whether it has hands, and ``start`` is its start position. ``problem`` is
        why the position is not possible, and ``ending`` how the game has ended in it; otherwise they are empty.
    """
    ruleset, geometry = start.ruleset, start.geometry
    usual = Position.start(ruleset, (geometry.files, geometry.ranks))
    position, problem, ending = start, "", ""
    try:
        position = Position.from_fen(ruleset, fen)
    except FenError as error:
        problem = str(error.__context__ or error)  # without the FEN, which the page shows
        problem = f"{problem[0].upper()}{problem[1:]}."
    else:
        if (outcome := position.outcome()) is not None:
            ending = f"The game is over in this position: {ending_words(position, outcome)}."
    holds = ruleset.setup == "placement"
    return {**position_data(position), "pieces": letters_of(ruleset), "holds": holds, "start": usual.fen(),
            "problem": problem, "ending": ending}


def _menu(config: GuiConfig, is_newcomer: bool) -> Json:
    """Return the choices of the menu: the variants with their board sizes, and the engines; and who chooses."""
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


_SCRIPTS = ("address", "advice", "annotate", "board", "deeds", "editor", "entry", "explore", "games", "learn", "marks",
            "newgame", "options", "page", "panel", "players", "pointer", "premove", "puzzle", "puzzles", "review",
            "rules", "session", "share", "sound", "study", "tree", "view", "way", "words", "zoom")


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
            store = self.registry.store  # without one, nobody knows who comes
            return json_answer(_menu(self.registry.config, store is not None and not store.count("")))
        if path == "board.svg":
            live = self.registry.find(query.get("table"))
            with live.lock:
                position = live.game.position
            return svg_answer(draw_board(position, flipped=query.get("flipped") == "1", bare=True, standalone=False))
        if path == "puzzles.json":
            return json_answer(list_puzzles(self.registry.config, query.get("variant", "")))
        if path == "puzzle.svg":
            number = _index(query.get("puzzle"), MAX_PUZZLES, "puzzle")
            puzzle = find_puzzle(query.get("variant"), number)
            return svg_answer(draw_board(puzzle.game.position, flipped=puzzle.game.position.side == BLACK, bare=True,
                                         standalone=False))
        if path == "rules.json":
            return json_answer(rule_page_data(self._rules(query)))
        if path in ("games.json", "games.pgn", "kept.svg", "statistics.json"):
            return self._get_kept(path, query)
        if path == "levels.json":
            return json_answer(_levels(
                self.registry.config, query.get("engine"), query.get("variant"), query.get("size", "")))
        if path == "options.json":
            engine = _engine_of(self.registry.config, query.get("engine"))
            return json_answer(self.registry.config.catalog.choices(engine))
        if path == "card.svg":
            return svg_answer(draw_card(self._rules(query)))
        if path == "lesson.svg":
            lesson = _lesson_of(self._rules(query), query.get("lesson"))
            return svg_answer(draw_board(lesson.position, bare=True, standalone=False))
        if path == "game.pgn":
            return pgn_answer(render_game_pgn(self.registry.find(query.get("table")), self.registry.config))
        return None

    def _get_kept(self, path: str, query: Mapping[str, str]) -> Answer:
        """Return a page of kept games, their statistics, those that match a search as PGN, or the picture of one."""
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

    def _rules(self, query: Mapping[str, str]) -> RulePage:
        return _rules_of(self.registry.config, query.get("variant"))

    def do(self, data: Any) -> dict[str, Any]:
        """Handle a request ``{"do": NAME, ...}``. The answer is short, because the event stream reports the changes."""
        what = data.get("do") if isinstance(data, dict) else None
        if not isinstance(what, str) or what not in _REQUESTS:
            raise RefusedError("unknown command")
        action, fields = _REQUESTS[what]
        return action(*(read(self.registry, data) for read in fields)) or {}

    def follow(self, stream: str, tables: Iterable[str]) -> None:
        """Send the events of games to a new stream."""
        self.registry.follow(stream, tables)

    def close(self) -> None:
        """Stop the server, all engines and all streams."""
        self.shutdown()
        self.registry.close()
        self.server_close()
