"""The state of a game as JSON data for the page, and the game as PGN."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

from latrones_uci.game import SIDE_NAMES, Game, Outcome, Position, Termination
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED, LINE, TOO_FEW_PIECES, limit_text
from latrones_uci.records.pgn_read import find_tag
from latrones_uci.records.pgn_write import render_pgn, render_search
from latrones_uci.records.record import outcome_of_text, termination_text
from latrones_uci.text.protocol import SearchInfo
from latrones_uci.web.board.analyst import Hint
from latrones_uci.web.board.config import GameSettings, GuiConfig, PlayerSettings, game_data
from latrones_uci.web.board.live_game import LiveGame, PlyNote
from latrones_uci.web.board.variations import Variations
from latrones_uci.web.lib.notation import Json, immobile, legal_move_data, pieces_of, position_data, surrounded
from latrones_uci.web.lib.replay import move_data
from latrones_uci.words.reasons import is_enemy, neighbours


def render_state(live: LiveGame, config: GuiConfig) -> Json:
    """Return everything that the page shows of a game except the analysis."""
    with live.lock:
        game, position, settings = live.game, live.game.position, live.settings
        moves = live.outcome is None and settings.players[position.side].kind == "person"  # otherwise no one moves
        start, standing = _start(game.start), live.plies[-1].figure if live.plies else None
        return {
            "record": live.record, "variant": position.ruleset.name, "title": position.ruleset.title,
            "size": position.geometry.name,
            "files": position.geometry.files, "start": start,
            "wheel": position.ruleset.board == "wheel",
            "plies": [move_data(note.figure, note.notation, note) for note in live.plies],
            "side": position.side, "fen": (standing or start)["fen"], "start_fen": start["fen"],
            "legal": legal_move_data(position) if moves else [],
            "surrounded": surrounded(position), "immobile": immobile(position),
            "players": [_player(player, config, game.start) for player in settings.players],
            "choice": game_data(settings),
            "thinking": live.thinking, "paused": live.paused, "undoable": live.undo_target is not None,
            "clocks": {"left_ms": [live.clocks.left_ms(side) for side in (0, 1)], "running": live.clocks.running},
            "outcome": None if live.outcome is None else {
                "result": live.outcome.result, "winner": live.outcome.winner,
                "reason": ending_words(position, live.outcome), "decisive": decisive_squares(game, live.outcome)},
            "placing": _placing(position),
            "hint": None if live.hint is None else _hint(position, live.hint),
            "notices": [list(notice) for notice in live.notices],
        }


def _placing(position: Position) -> int:
    """Return how many pieces the player to move places in this turn, 0 if none."""
    left = position.hand.get("Ss"[position.side], 0)
    begins = (position.ruleset.hand - left) % position.ruleset.placement_turn == 0
    return min(position.ruleset.placement_turn if begins else 1, left) or int(bool(position.hand))


@lru_cache(maxsize=64)  # the start of a game is rendered for each of its states
def _start(position: Position) -> Json:
    return position_data(position)


def render_game_pgn(live: LiveGame, config: GuiConfig) -> str:
    with live.lock:
        return render_pgn_of(live.settings, player_names(live.settings, config), live.game, live.plies, live.outcome,
                             live.variations, live.created_s)


def render_pgn_of(
    settings: GameSettings, names: tuple[str, str], game: Game, plies: Sequence[PlyNote], outcome: Outcome | None,
    variations: Variations, created_s: float,
) -> str:
    """Return a game as PGN; ``names`` are the names of White and Black, ``created_s`` is the start time.

    A game from a file keeps its tags; those that the page has made untrue, by another move or result, are changed.
    """
    clocks = [player.clock.pgn_tag() for player in settings.players]
    result = "*" if outcome is None else outcome.result
    filed = dict(settings.tags)
    tags = {
        "Event": "latrones-uci gui", "Site": "?", "Date": time.strftime("%Y.%m.%d", time.localtime(created_s)),
        "Round": "-", "White": names[0], "Black": names[1], "Result": result, "Variant": game.start.ruleset.name,
        "SetUp": "1", "FEN": game.start.fen(), "PlyCount": str(len(plies)),
        "TimeControl": clocks[0] if clocks[0] == clocks[1] else "?",
    }
    if find_tag(filed, "Result") is None:  # of this page, or imported by an earlier version
        tags |= filed | _ending_tags(outcome)
    else:
        tags = _filed_tags(filed, tags, game, outcome)
    return render_pgn(tags, variations.to_pgn(list(map(_search, plies))), result, variations.played[0].note.after(""))


def _filed_tags(
    filed: dict[str, str], own: Mapping[str, str], game: Game, outcome: Outcome | None
) -> dict[str, str]:
    """Return the tags of a game from a file, completed, and corrected where they have become untrue."""
    changed = {name: own[name] for name in ("PlyCount",) if find_tag(filed, name) is not None}
    if outcome != (game.outcome() or outcome_of_tags(filed)):
        filed = {name: value for name, value in filed.items() if not name.lower().startswith("termination")}
        changed |= {"Result": own["Result"], **_ending_tags(outcome)}
    if find_tag(filed, "Variant") is None:
        changed["Variant"] = own["Variant"]
    if find_tag(filed, "FEN") is None and game.start != Position.start(game.start.ruleset):
        changed |= {"SetUp": own["SetUp"], "FEN": own["FEN"]}
    spelling = {name.lower(): name for name in filed}
    return filed | {spelling.get(name.lower(), name): value for name, value in changed.items()}


def _ending_tags(outcome: Outcome | None) -> dict[str, str]:
    if outcome is None:
        return {"Termination": "unterminated"}
    termination, details = termination_text(outcome)
    return {"Termination": termination, "TerminationDetails": details}


def outcome_of_tags(tags: Mapping[str, str]) -> Outcome | None:
    """Return the result that tags give for a game that the rules have not ended; None for none."""
    result = find_tag(tags, "Result")
    if result in (None, "", "*"):
        return None
    winner = {"1-0": 0, "0-1": 1}.get(result)
    termination, details = (find_tag(tags, name) or "" for name in ("Termination", "TerminationDetails"))
    with suppress(ValueError):
        outcome = outcome_of_text(termination, details, winner)
        if not outcome.termination.by_rules:
            return outcome
    return Outcome(Termination.ADJUDICATION, winner, "the result in the file")


def _search(ply: PlyNote) -> str:
    """Return the comment on the search of a move, empty if nothing is known of it."""
    return render_search(ply.info, ply.elapsed_ns) if ply.elapsed_ns or ply.info != SearchInfo() else ""


def player_names(settings: GameSettings, config: GuiConfig) -> tuple[str, str]:
    """Return the names of White and Black, with the level of an engine."""
    players = [_player(player, config, settings.start) for player in settings.players]
    white, black = (" ".join(filter(None, (player["name"], player["rank"]))) for player in players)
    return white, black


def ending_words(position: Position, outcome: Outcome) -> str:
    """Return how a game ended, in words, for the line that also has the winner and the result."""
    match outcome.termination:
        case Termination.DECIDED:
            return _decided_words(position, outcome)
        case Termination.REPETITION if outcome.winner is not None:
            return f"{SIDE_NAMES[1 - outcome.winner]} repeated the position for the third time"
        case Termination.REPETITION:
            return "third occurrence of the position"
        case Termination.NO_CAPTURE:
            return f"{limit_text(position.ruleset)}{_by_pieces(position, outcome)}"
        case Termination.NO_MOVE:
            return f"{SIDE_NAMES[position.side]} has no legal move{_by_pieces(position, outcome)}"
        case Termination.ADJUDICATION if outcome.winner is None and outcome.details == "draw agreed":
            return "agreed"
        case _:
            return outcome.details


def _decided_words(position: Position, outcome: Outcome) -> str:
    loser = 1 - (outcome.winner or 0)
    left = _counted(position)[loser]
    kind = "soldier" if position.ruleset.men_counted == "soldiers" else "piece"
    reasons = {DUX_CAPTURED: f"the {SIDE_NAMES[loser].lower()} dux is captured",
               DUX_IMMOBILISED: f"the {SIDE_NAMES[loser].lower()} dux has no empty neighbour",
               TOO_FEW_PIECES: f"{SIDE_NAMES[loser]} has {f'only {left} {kind}' if left else f'no {kind}'} left",
               LINE: "three in a line through the centre"}
    return reasons.get(outcome.details, outcome.details)


def _by_pieces(position: Position, outcome: Outcome) -> str:
    """Return in words how the pieces decide an ending that counts them; empty for other endings."""
    ruleset = position.ruleset
    rule = ruleset.nocapture_result if outcome.termination is Termination.NO_CAPTURE else ruleset.no_move
    if rule != "most_men":
        return ""
    white, black = _counted(position)
    if outcome.winner is None:
        return f"; both have {white} pieces"
    more, fewer = max(white, black), min(white, black)
    return f"; {SIDE_NAMES[outcome.winner]} has more pieces, {more} to {fewer}"


def _counted(position: Position) -> tuple[int, int]:
    """Return the pieces of White and of Black that count in the endings."""
    pieces = pieces_of(position).replace(".", "")
    if position.ruleset.men_counted == "soldiers":
        pieces = pieces.replace("D", "").replace("d", "")
    black = sum(piece.islower() for piece in pieces)
    return len(pieces) - black, black


def decisive_squares(game: Game, outcome: Outcome) -> list[int]:
    """Return the squares of the pieces that decided a game: a line, or a dux and the pieces that block it."""
    position = game.position
    if outcome.termination is not Termination.DECIDED or outcome.winner is None:
        return []
    if outcome.details == LINE:
        return _line_of(position, outcome.winner)
    if outcome.details == TOO_FEW_PIECES:
        return [square for square in range(position.geometry.squares)
                if is_enemy(position, square, outcome.winner)]
    letter = "dD"[outcome.winner]
    for each in (position, *(game.positions[-2:-1])):  # a captured dux is only on the board before the capture
        if letter in (pieces := pieces_of(each)):
            square = pieces.index(letter)
            return [square, *(near for near in neighbours(each, square) if position.piece_at(near))]
    return []


def _line_of(position: Position, winner: int) -> list[int]:
    centre, last = position.geometry.centre, position.geometry.squares - 1
    for square in range(centre):
        line = [square, centre, last - square]
        if all(position.piece_at(each) == "Ss"[winner] for each in line):
            return line
    return []


def _hint(position: Position, hint: Hint) -> Json:
    return {"path": list(position.parse_move(hint.move).squares), "text": hint.move,
            "note": position.algebraic(hint.move), "score": hint.score.for_white(position.side), "why": hint.why}


def _player(player: PlayerSettings, config: GuiConfig, start: Position) -> Json:
    if player.kind == "person":
        return {"kind": "person", "name": player.name or "Human", "level": "", "rank": "", "kernel": ""}
    rank = "" if player.level is None else config.catalog.rank(player.engine, start, player.level)
    level = {"time": f"{player.movetime_ms / 1000:g} s per move", "depth": f"depth {player.depth}",
             "clock": "uses its clock"}[player.limit]
    return {"kind": "engine", "name": config.names[player.engine], "level": rank or level, "rank": rank,
            "kernel": config.catalog.kernels.get((player.engine, start.ruleset.name), "")}
