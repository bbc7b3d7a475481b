"""The requests of the page: ``{"do": NAME, ...}`` is the method of ``Requests`` with that name."""

from collections.abc import Callable
from typing import Any

from latrones_uci.game import FenError, Position
from latrones_uci.game.position import letters_of
from latrones_uci.text.messages import printable
from latrones_uci.web.board.config import parse_game, parse_index
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.puzzles import find_puzzle, refute, show_puzzle, solve_puzzle
from latrones_uci.web.board.registry import MAX_GAMES, GameRegistry
from latrones_uci.web.board.state import ending_words
from latrones_uci.web.lib.notation import Json, position_data
from latrones_uci.web.lib.page_server import MAX_BODY, RefusedError
from latrones_uci.web.rules.rule_page import rule_page
from latrones_uci.words.reasons import reason_against

_MAX_MOVES = 64  # of the line of a puzzle
_SOME = range(1, MAX_BODY)


class RequestFields(dict[str, Any]):
    """The fields of a request; the methods raise ``RefusedError`` for a field that is missing or of another type."""

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            raise RefusedError(f"{key}: expected a string")
        return value

    def number(self, key: str) -> int:
        value = self.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise RefusedError(f"{key}: expected an integer")
        return value

    def number_or_none(self, key: str) -> int | None:
        return None if self.get(key) is None else self.number(key)

    def spot(self) -> tuple[int | None, int | None]:
        """Return a place in a game: its ``ply``, and the number of a move of a variation, ``node``; None for none."""
        return self.number_or_none("ply"), self.number_or_none("node")

    def texts(self, key: str, expected: str = "a list of strings", counts: range = _SOME) -> list[str]:
        value = self.get(key)
        if (not isinstance(value, list) or len(value) not in counts
                or not all(isinstance(text, str) for text in value)):
            raise RefusedError(f"{key}: expected {expected}")
        return value

    def flag(self, key: str) -> bool:
        return self.get(key) is True


class Requests:
    """What the page can ask for. Each public method reads the fields of its request and carries it out.

    A request is named like its method, with hyphens for underscores and without one at the end. Its answer is short,
    because the event stream reports the changes. One that cannot be carried out raises ``RefusedError``.
    """

    def __init__(self, games: GameRegistry) -> None:
        self._games, self._config = games, games.config

    def _live(self, fields: RequestFields) -> LiveGame:
        return self._games.find(fields.get("table"))

    # ---------------------------------------------------------------- the page and its games

    def create(self, fields: RequestFields) -> Json:
        return {"table": self._games.create(fields.get("game")).name}

    def follow(self, fields: RequestFields) -> None:
        expected = f"a list of at most {MAX_GAMES} names"
        self._games.follow(fields.text("stream"), fields.texts("tables", expected, range(MAX_GAMES + 1)),
                           fields.texts("fresh", expected, range(MAX_GAMES + 1)))

    def options(self, fields: RequestFields) -> None:
        self._config.catalog.set_values(self._config.engine_number(str(fields.get("engine"))), fields.get("values"))

    # ---------------------------------------------------------------- a game

    def restart(self, fields: RequestFields) -> None:
        self._live(fields).restart(parse_game(fields.get("game"), self._config))

    def position(self, fields: RequestFields) -> None:
        self._live(fields).set_position(fields.text("fen"))

    def check(self, fields: RequestFields) -> Json:
        return _check_position(self._live(fields).game.start, fields.text("fen"))

    def move(self, fields: RequestFields) -> None:
        self._live(fields).move(fields.text("move"), fields.number("ply"))

    def undo(self, fields: RequestFields) -> None:
        self._live(fields).undo()

    def show(self, fields: RequestFields) -> None:
        self._live(fields).show_state()

    def name(self, fields: RequestFields) -> None:
        self._live(fields).name_human(fields.text("name"))

    def resign(self, fields: RequestFields) -> None:
        self._live(fields).resign()

    def draw(self, fields: RequestFields) -> Json:
        return {"answer": self._live(fields).offer_draw()}

    def pause(self, fields: RequestFields) -> None:
        self._live(fields).pause(fields.flag("on"))

    def now(self, fields: RequestFields) -> None:
        self._live(fields).move_now()

    def why(self, fields: RequestFields) -> Json:
        """Say why a move is not legal, in a game or in a lesson."""
        origin, target = fields.number_or_none("from"), fields.number("to")
        if "variant" not in fields:
            return {"reason": self._live(fields).reason_against(origin, target, *fields.spot())}
        number = str(fields.number("lesson"))
        lessons = rule_page(self._config.ruleset(fields["variant"])).lessons
        position = lessons[parse_index(number, len(lessons), "lesson")].position
        squares = position.geometry.squares
        if not 0 <= target < squares or origin is not None and not 0 <= origin < squares:
            raise RefusedError(f"square: expected 0..{squares - 1}")
        return {"reason": reason_against(position, origin, target)}

    def moves(self, fields: RequestFields) -> Json:
        return self._live(fields).moves_at(*fields.spot())

    # ---------------------------------------------------------------- analysis and variations

    def explore(self, fields: RequestFields) -> Json:
        live, spot, source = self._live(fields), fields.spot(), fields.number("source")
        return self._games.explorer.explore(live.position_at(*spot), source)

    def values(self, fields: RequestFields) -> None:
        self._live(fields).evaluate_moves(fields.texts("moves"), *fields.spot())

    def hint(self, fields: RequestFields) -> None:
        self._live(fields).ask_hint()

    def review(self, fields: RequestFields) -> None:
        self._live(fields).review()

    def analyse(self, fields: RequestFields) -> None:
        self._live(fields).analyse(fields.number("lines"), *fields.spot(), fields.flag("threat"), fields.flag("longer"))

    def try_(self, fields: RequestFields) -> Json:
        return self._live(fields).attempt(fields.text("move"), fields.number("ply"))

    def vary(self, fields: RequestFields) -> Json:
        return self._live(fields).vary(fields.text("move"), *fields.spot())

    def line(self, fields: RequestFields) -> Json:
        return self._live(fields).add_line(fields.texts("moves"), *fields.spot())

    def annotate(self, fields: RequestFields) -> None:
        self._live(fields).annotate(*fields.spot(), fields.text("sign"), fields.text("comment"), fields.text("marks"))

    def prune(self, fields: RequestFields) -> None:
        self._live(fields).delete_variation(fields.number("node"))

    def promote(self, fields: RequestFields) -> None:
        self._live(fields).promote_variation(fields.number("node"))

    # ---------------------------------------------------------------- kept games

    def open(self, fields: RequestFields) -> Json:
        return {"table": self._games.open(fields.get("table"), fields.get("record"))}

    def delete(self, fields: RequestFields) -> Json:
        return {"deleted": self._games.delete(fields.texts("records"))}

    def delete_found(self, fields: RequestFields) -> Json:
        return {"deleted": self._games.delete_found(fields.text("search"), fields.number("count"))}

    def rename(self, fields: RequestFields) -> None:
        name = printable(fields.text("name"), " ").strip()
        self._games.kept.rename(self._games.kept_game(fields.get("record")).record, name)

    def import_(self, fields: RequestFields) -> Json:
        """Keep the games of a PGN text, or of a part of the text with this ``key``."""
        key = fields.get("key")
        found = self._games.import_games(
            fields.text("pgn"), "" if key is None else str(key), first=key is None or fields.flag("first"),
            last=key is None or fields.flag("last"))
        return {"records": [game.record for game in found.games], "rejected": found.rejected, "again": found.again}

    def export(self, fields: RequestFields) -> Json:
        return {"pgn": "".join(self._games.export_games(fields.texts("records")))}

    # ---------------------------------------------------------------- puzzles

    def puzzle(self, fields: RequestFields) -> Json:
        return show_puzzle(find_puzzle(fields.get("variant"), fields.get("puzzle")), _line(fields))

    def solve(self, fields: RequestFields) -> Json:
        return solve_puzzle(find_puzzle(fields.get("variant"), fields.get("puzzle")), _line(fields))

    def refute(self, fields: RequestFields) -> Json:
        return refute(find_puzzle(fields.get("variant"), fields.get("puzzle")), _line(fields), self._config)


REQUESTS: dict[str, Callable[[Requests, RequestFields], Json | None]] = {
    name.rstrip("_").replace("_", "-"): method for name, method in vars(Requests).items() if not name.startswith("_")}
"""The methods of ``Requests`` by the names of the requests."""


def _line(fields: RequestFields) -> list[str]:
    return fields.texts("moves", "a list of moves", range(_MAX_MOVES + 1))


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
