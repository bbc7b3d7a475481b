"""Conversion between games in progress and kept games."""

from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from latrones_uci.game import SIDE_NAMES, Game, LatronesError, Outcome, Position
from latrones_uci.records.annotation import parse_judgement
from latrones_uci.records.pgn_read import (
    MAX_LINE_CHARACTERS,
    PgnError,
    PgnGame,
    PgnMove,
    PgnReader,
    parse_search,
    read_games,
)
from latrones_uci.records.pgn_verify import verify_game
from latrones_uci.records.pgn_write import render_movetext
from latrones_uci.records.record import outcome_of_text, termination_text
from latrones_uci.text.messages import printable
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.board.clocks import Left
from latrones_uci.web.board.config import MAX_PLAYER_NAME, GameSettings, GuiConfig, game_data, parse_game
from latrones_uci.web.board.engine_catalog import LEVEL_NAMES
from latrones_uci.web.board.game_store import MAX_NAME, GameStore, KeptGame, PlyRow
from latrones_uci.web.board.live_game import LiveGame, PlyNote
from latrones_uci.web.board.state import outcome_of_tags, player_names, render_pgn_of
from latrones_uci.web.board.variations import Variations
from latrones_uci.web.lib.notation import ply_data, render_notation
from latrones_uci.web.lib.page_server import RefusedError

_MAX_TEXT = 2**20  # of the tags and notes of an imported game


def kept_of(live: LiveGame, config: GuiConfig) -> KeptGame:
    with live.lock:
        plies = tuple(_ply_to_row(note.text, note.info, note.elapsed_ns, note.clocks_before) for note in live.plies)
        outcome = None
        if live.outcome is not None:
            outcome = (live.outcome.result, *termination_text(live.outcome), live.outcome.winner)
        return KeptGame(
            live.record, game_data(live.settings), player_names(live.settings, config), live.game.start.ruleset.title,
            plies, live.game.position.fen(), outcome, live.clocks.left(), created_s=live.created_s,
            movetext=_movetext(live.variations), review=live.finished_review)


def _ply_to_row(text: str, info: SearchInfo, elapsed_ns: int, clocks_before: Left = (None, None)) -> PlyRow:
    return (text, info.score.cp, info.score.mate, info.depth, info.nodes, info.time_ms, elapsed_ns, *clocks_before)


def _movetext(variations: Variations) -> str:
    """Return the moves with their variations and notes, without searches; empty if there is no variation or note."""
    return render_movetext(variations.to_pgn(), "*", variations.played[0].note.after("")) if variations else ""


def restore(live: LiveGame, kept: KeptGame, config: GuiConfig) -> None:
    """Replace a game in progress with a kept game.

    Raises:
        RefusedError: its variant or engine is no longer offered, or its moves are not legal.
    """
    settings, game, notes, outcome, variations = _replayed(kept, config)
    live.resume(kept.record, kept.created_s, game, settings, notes, kept.clocks, outcome, variations,
                kept.review)


def render_kept_pgn(kept: KeptGame, config: GuiConfig) -> str:
    """Return a kept game as PGN, with its variations and notes.

    Raises:
        RefusedError: see ``restore``.
    """
    settings, game, notes, outcome, variations = _replayed(kept, config, drawn=False)
    return render_pgn_of(settings, kept.players, game, notes, outcome, variations, kept.created_s)


def _replayed(
    kept: KeptGame, config: GuiConfig, drawn: bool = True
) -> tuple[GameSettings, Game, list[PlyNote], Outcome | None, Variations]:
    """Replay a kept game; unless ``drawn``, the plies lack notation and figure, which take most of the time."""
    settings = replace(parse_game(kept.settings, config), tags=tuple(dict(kept.settings.get("tags", {})).items()))
    game, notes = Game(settings.start), list[PlyNote]()
    try:
        for text, points, mate, depth, nodes, time_ms, elapsed_ns, white_ns, black_ns in kept.plies:
            before = game.position
            game.push(text)
            info = SearchInfo(depth, score=Score(points, mate), nodes=nodes, time_ms=time_ms)
            note = PlyNote(before.side, before.movenumber, game.moves[-1], elapsed_ns, info=info,
                           clocks_before=(white_ns, black_ns))
            notes.append(note if not drawn else replace(
                note, notation=render_notation(game, len(game.moves) - 1),
                figure=ply_data(before, game.position, game.moves[-1])))
        outcome = None if kept.outcome is None else outcome_of_text(*kept.outcome[1:])
        variations = Variations(game)
        lines = ('[Result "*"]', *kept.movetext.splitlines()) if kept.movetext else ()
        for recorded in read_games(lines):  # the tag: a comment on the start position comes after one
            if isinstance(recorded, PgnError):
                raise recorded
            variations.graft(game, recorded)
    except (LatronesError, ValueError) as error:
        raise RefusedError(f"this game cannot be replayed with the rules of today: {error}") from error
    return settings, game, notes, outcome, variations


@dataclass
class Imported:
    games: list[KeptGame] = field(default_factory=list)
    """The new games."""
    rejected: list[str] = field(default_factory=list)
    """A message for each game that is rejected, which says where it is."""
    again: int = 0
    """The number of games that were imported before."""


class PgnImport:
    """Reads the games of a PGN text, which comes in parts, as kept games. The reader of PGN cuts it into games."""

    def __init__(self, config: GuiConfig, is_kept: Callable[[str], bool]) -> None:
        """Begin an import; ``is_kept`` returns whether there is a kept game with a key."""
        self._config, self._is_kept = config, is_kept
        self._reader, self._rest, self._games = PgnReader(), "", 0
        self._occurrences = Counter[str]()

    def read(self, text: str, *, last: bool) -> Imported:
        """Return what ends in the next part of the text; the ``last`` one ends it.

        Raises:
            RefusedError: there is no game in the whole text.
        """
        *lines, rest = (self._rest + text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        found, self._rest = Imported(), rest[: MAX_LINE_CHARACTERS + 1]
        for line in lines:
            self._take(self._reader.read(f"{line}\n"), found)
        if last:
            self._take(self._reader.read(self._rest), found)
            self._take(self._reader.end(), found)
            if not self._games:
                raise RefusedError('no game found in the PGN; expected tags such as [Variant "latrones"] and moves')
        return found

    def _take(self, ended: Iterable[PgnGame | PgnError], found: Imported) -> None:
        for recorded in ended:
            self._games += 1
            try:
                if isinstance(recorded, PgnError):
                    raise recorded
                record = self._record(recorded)
                if self._is_kept(record):
                    found.again += 1
                else:
                    found.games.append(_imported(recorded, record, self._config))
            except (PgnError, RefusedError) as error:
                found.rejected.append(str(error))

    def _record(self, recorded: PgnGame) -> str:
        """Return the key of a game: the same if the same text is imported again, and another if it is there twice."""
        content = repr((recorded.tags, recorded.comment, _content(recorded.moves), recorded.result))
        self._occurrences[digest := _digest(content)] += 1
        return _digest(f"{digest} {self._occurrences[digest]}")


def _content(moves: Iterable[PgnMove]) -> list[Any]:
    return [(move.starting_comment, move.text, move.comment, move.glyphs, *map(_content, move.variations))
            for move in moves]


def _digest(text: str) -> str:
    return urlsafe_b64encode(blake2b(text.encode(), digest_size=9).digest()).decode()


def _imported(recorded: PgnGame, record: str, config: GuiConfig) -> KeptGame:
    """Return a game of a PGN text as a kept game.

    Raises:
        PgnError: it contradicts the rules.
        RefusedError: it has too many moves or too much text.
    """
    recorded.add_result()
    game, tags = verify_game(recorded, config.variants, Position.start("latrones")), recorded.tags
    names = [_printed(recorded.tag(side)) for side in SIDE_NAMES]
    players = [{"kind": "person", "name": name[:MAX_PLAYER_NAME]} for name in names]
    outcome = game.outcome() or outcome_of_tags(tags)
    kept_outcome = None if outcome is None else (outcome.result, *termination_text(outcome), outcome.winner)
    title = ", ".join(filter(None, (_printed(recorded.tag(key)) for key in ("Event", "Date"))))
    name = " \u2013 ".join(filter(None, names)) + (f" ({title})" if title else "")
    plies = tuple(_ply_to_row(text, *_search(move.comment))
                  for text, move in zip(game.moves, recorded.moves, strict=True))
    variations = Variations(game)
    try:
        variations.graft(game, recorded)
    except RefusedError as error:
        raise PgnError(str(error), recorded.number, recorded.line) from error
    settings = {"variant": game.start.ruleset.name, "size": game.start.geometry.name, "fen": game.start.fen(),
                "players": players, "tags": tags}
    movetext = _movetext(variations)
    if len(movetext) + sum(map(len, tags.values())) > _MAX_TEXT:
        raise PgnError(f"tags and notes of more than {_MAX_TEXT} characters", recorded.number, recorded.line)
    return KeptGame(
        record, settings, (names[0] or "White", names[1] or "Black"), game.start.ruleset.title, plies,
        game.position.fen(), kept_outcome, (None, None),
        name[:MAX_NAME], movetext=movetext)


def _printed(text: str | None) -> str:
    text = printable(text or "", " ").strip()
    return "" if text == "?" or text.startswith("????") else text


def _search(comment: str) -> tuple[SearchInfo, int]:
    """Return the search of the player in a comment and its time; a search by an analysis is not that of the player."""
    return parse_search("" if parse_judgement(comment)[0] else comment)[:2]


def list_data(games: Iterable[KeptGame]) -> list[dict[str, Any]]:
    return [{
        "record": game.record, "name": game.name, "title": game.title, "variant": game.settings.get("variant"),
        "players": list(game.players), "result": game.result, "plies": len(game.plies), "moves": _moves_of(game),
        "date": game.date,
    } for game in games]


def statistics_data(store: GameStore, search: str, config: GuiConfig) -> list[dict[str, Any]]:
    """Return what humans have scored against engines, by game and by level from the lowest (see ``statistics``)."""
    def order(row: dict[str, Any]) -> tuple[str, str, int]:
        name, _, level = row["opponent"].rpartition(" ")
        known = level in LEVEL_NAMES
        return row["title"], name if known else row["opponent"], LEVEL_NAMES.index(level) if known else 0

    return sorted(({
        "variant": variant, "title": config.variants[variant].title if variant in config.variants else variant,
        "opponent": opponent, "wins": wins, "draws": draws, "losses": losses,
    } for variant, opponent, wins, draws, losses in store.statistics(search)), key=order)


def _moves_of(game: KeptGame) -> int:
    """Return the number of moves in the list of a game: both players' plies share a move's number.

    A turn of several plies that White has not completed is not counted.
    """
    first = str(game.settings.get("fen") or "w 0 1").split()[-1]
    side, _, following = game.fen.split()[-3:]
    last = int(following) - (side == "w")
    return max(last - int(first) + 1, min(len(game.plies), 1))


def last_position(kept: KeptGame, config: GuiConfig) -> Position:
    """Return the last position of a kept game.

    Raises:
        RefusedError: its variant is no longer offered, or has changed.
    """
    ruleset = config.variants.get(str(kept.settings.get("variant")))
    try:
        if ruleset is not None:
            return Position.from_fen(ruleset, kept.fen)
    except LatronesError:
        pass
    raise RefusedError("the variant of this game is not offered now")
