"""Conversion between games in progress and kept games."""

import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from latrones_uci.game import SIDE_NAMES, Game, LatronesError, Outcome, Position, Termination, printable
from latrones_uci.match.annotation import parse_judgement
from latrones_uci.match.pgn_read import PgnError, PgnGame, parse_search, read_games
from latrones_uci.match.pgn_verify import DisagreementError, UnknownVariantError, verify_game
from latrones_uci.match.pgn_write import WrittenMove, render_movetext
from latrones_uci.match.record import outcome_of_text, termination_text
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.web.board.clocks import Left
from latrones_uci.web.board.config import GameSettings, GuiConfig, game_data, parse_game
from latrones_uci.web.board.engine_catalog import LEVEL_NAMES
from latrones_uci.web.board.game_store import GameStore, KeptGame, PlyRow
from latrones_uci.web.board.live_game import LiveGame, PlyNote
from latrones_uci.web.board.state import player_names, render_pgn_of
from latrones_uci.web.board.variations import Spot, Variations
from latrones_uci.web.notation import ply_data, render_notation
from latrones_uci.web.page_server import RefusedError

_MAX_NAME = 60
_KEPT_TAGS = ("Event", "Site", "Date", "Round")


def kept_of(live: LiveGame, config: GuiConfig) -> KeptGame:
    """Return a game in progress as a kept game."""
    with live.lock:
        plies = tuple(_ply_to_row(note.text, note.info, note.elapsed_ns, note.clocks_before) for note in live.plies)
        outcome = None
        if live.outcome is not None:
            outcome = (live.outcome.result, *termination_text(live.outcome), live.outcome.winner)
        return KeptGame(
            live.record, game_data(live.settings), player_names(live.settings, config), live.game.start.ruleset.title,
            plies, live.game.position.fen(), outcome, live.clocks.left(), created_s=live.created_s,
            movetext=_movetext(live.game, live.variations), review=live.finished_review)


def _ply_to_row(text: str, info: SearchInfo, elapsed_ns: int, clocks_before: Left = (None, None)) -> PlyRow:
    return (text, info.score.cp, info.score.mate, info.depth, info.nodes, info.time_ms, elapsed_ns, *clocks_before)


def _movetext(game: Game, variations: Variations) -> str:
    """Return the moves with their variations and notes, without searches; empty if there is no variation or note."""
    if not variations:
        return ""
    notes = variations.notes
    moves = [WrittenMove(before.side, before.movenumber, text, notes[ply].after("") if ply in notes else "")
             for ply, (before, text) in enumerate(zip(game.positions, game.moves, strict=False))]
    return render_movetext(variations.written(moves), "*", variations.note_at(Spot(0)).after(""))


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
    game, notes, variations = Game(settings.start), list[PlyNote](), Variations()
    try:
        for text, points, mate, depth, nodes, time_ms, elapsed_ns, white_ns, black_ns in kept.plies:
            before = game.position
            game.push(text)
            info = SearchInfo(depth, score=Score(points, mate), nodes=nodes, time_ms=time_ms)
            note = PlyNote(before.side, before.movenumber, game.moves[-1], elapsed_ns, info=info,
                           clocks_before=(white_ns, black_ns))  # fmt: skip
            notes.append(note if not drawn else replace(
                note, notation=render_notation(game, len(game.moves) - 1),
                figure=ply_data(before, game.position, game.moves[-1])))
        outcome = None if kept.outcome is None else outcome_of_text(*kept.outcome[1:])
        lines = ('[Result "*"]', *kept.movetext.splitlines()) if kept.movetext else ()
        for recorded in read_games(lines):  # the tag: a comment on the start position comes after one
            variations.graft(game, recorded)
    except (LatronesError, ValueError) as error:
        raise RefusedError(f"this game cannot be replayed with the rules of today: {error}") from error
    return settings, game, notes, outcome, variations


def import_games(text: str, config: GuiConfig, first_line: int = 1) -> tuple[list[KeptGame], list[str]]:
    """Return the games in a PGN text as kept games, and for each game that is rejected a message that says where.

    Args:
        text: the PGN; each game begins with its tag ``Event``, or all games are read as one text.
        config: the known variants.
        first_line: the number of the first line of the text in its file.

    Raises:
        RefusedError: there is no game in the text.
    """
    found, rejected = list[KeptGame](), list[str]()
    for part in re.split(r"\n(?=\[Event )", text):
        lines = part.split("\n")
        games = read_games(lines, first_line)
        first_line += len(lines)
        try:
            for recorded in games:
                try:
                    found.append(_imported(recorded, config))
                except (DisagreementError, UnknownVariantError) as error:
                    rejected.append(str(error))
        except PgnError as error:
            rejected.append(str(error))
    if not found and not rejected:
        raise RefusedError("no game found in the PGN; expected tags such as [Variant \"latrones\"] and moves")
    return found, rejected


def _imported(recorded: PgnGame, config: GuiConfig) -> KeptGame:
    game = verify_game(recorded, config.variants, Position.start("latrones"))
    names = [printable(recorded.tag(side) or "", " ")[:_MAX_NAME].replace("?", "").strip() for side in SIDE_NAMES]
    players = [{"kind": "person", "name": name} for name in names]
    outcome = game.outcome() or _outcome_of_tags(recorded)
    kept_outcome = None if outcome is None else (outcome.result, *termination_text(outcome), outcome.winner)
    event, date = (printable(recorded.tag(key) or "", " ").strip() for key in ("Event", "Date"))
    title = ", ".join(part for part in (event, date) if part and part != "?" and not part.startswith("????"))
    plies = tuple(_ply_to_row(text, *_search(move.comment))
                  for text, move in zip(game.moves, recorded.moves, strict=True))
    variations = Variations()
    variations.graft(game, recorded)
    settings = {"variant": game.start.ruleset.name, "size": game.start.geometry.name, "fen": game.start.fen(),
                "players": players, "tags": {key: text for key in _KEPT_TAGS if (text := _short(recorded.tag(key)))}}
    return KeptGame(
        secrets.token_urlsafe(9), settings, (names[0] or "White", names[1] or "Black"), game.start.ruleset.title, plies,
        game.position.fen(), kept_outcome, (None, None),
        " \u2013 ".join(filter(None, names)) + (f" ({title})" if title else "") if any(names) or title else "",
        movetext=_movetext(game, variations))


def _search(comment: str) -> tuple[SearchInfo, int]:
    """Return the search of the player in a comment and its time; a search by an analysis is not that of the player."""
    return parse_search("" if parse_judgement(comment)[0] else comment)[:2]


def _outcome_of_tags(recorded: PgnGame) -> Outcome | None:
    """Return the result that the text gives for a game that the rules have not ended; None for none."""
    if recorded.result in ("", "*"):
        return None
    winner = {"1-0": 0, "0-1": 1}.get(recorded.result)
    with suppress(ValueError):
        outcome = outcome_of_text(recorded.tag("Termination") or "", recorded.tag("TerminationDetails") or "", winner)
        if not outcome.termination.by_rules:
            return outcome
    return Outcome(Termination.ADJUDICATION, winner, "the result in the file")


def _short(text: str | None) -> str:
    return printable(text or "", " ")[:_MAX_NAME]


def list_data(games: Iterable[KeptGame]) -> list[dict[str, Any]]:
    """Return games for the list on the page."""
    return [{
        "record": game.record, "name": game.name, "title": game.title, "variant": game.settings.get("variant"),
        "players": list(game.players), "result": game.result, "plies": len(game.plies), "moves": _moves_of(game),
        "date": game.date,
    } for game in games]  # fmt: skip


def statistics_data(store: GameStore, search: str, config: GuiConfig) -> list[dict[str, Any]]:
    """Return what humans have scored against engines, by game and by level from the lowest (see ``statistics``)."""
    def order(row: dict[str, Any]) -> tuple[str, str, int]:
        name, _, level = row["opponent"].rpartition(" ")
        known = level in LEVEL_NAMES
        return row["title"], name if known else row["opponent"], LEVEL_NAMES.index(level) if known else 0

    return sorted(({
        "variant": variant, "title": config.variants[variant].title if variant in config.variants else variant,
        "opponent": opponent, "wins": wins, "draws": draws, "losses": losses,
    } for variant, opponent, wins, draws, losses in store.statistics(search)), key=order)  # fmt: skip


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
