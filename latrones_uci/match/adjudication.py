"""The referee: check the answers and claims of engines, and adjudicate unfinished games.

Games are adjudicated by the engines' scores, by the number of plies, or by endgame tables.

The rules by score are those of cutechess (``-draw``, ``-resign``) and fastchess: a score is the last one that a player
reported in its search, from its own point of view. A ply without a score ends a streak, and a mate score exceeds every
limit.
Where cutechess counts the moves of both sides together, the latest plies of each side are counted here, because sides
need not alternate. Unlike in cutechess, a capture does not end a streak.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from math import inf

from latrones_uci.client.engine_rules import read_move
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.output import Claims
from latrones_uci.engine.tables import NoTablesError, Tables, TablesError
from latrones_uci.game import (
    SIDE_NAMES,
    Game,
    IllegalMoveError,
    LatronesError,
    MalformedMoveError,
    Move,
    Outcome,
    Position,
    Ruleset,
    Termination,
)
from latrones_uci.records.record import PlyRecord
from latrones_uci.records.settings import ENDLESS_PLIES, DrawRule, GameLimits, ResignRule
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.protocol import NO_MOVE_TEXTS, RESIGNATION, SearchInfo


def limits_of_game(limits: GameLimits, ruleset: Ruleset) -> GameLimits:
    """Return the limits of a game under a ruleset; one that sets no limit to plies without a capture gets one here."""
    if limits.max_plies is not None or ruleset.nocapture_limit:
        return limits
    return replace(limits, max_plies=ENDLESS_PLIES)


def adjudicate(plies: Sequence[PlyRecord], limits: GameLimits) -> Outcome | None:
    """Return the adjudicated outcome of an unfinished game after the given plies, None if it continues.

    A resignation takes precedence over a draw by score, and that over the ply limit.
    """
    if limits.resign is not None and (resigned := _resignation(plies, limits.resign)) is not None:
        return resigned
    if limits.draw is not None and _is_drawn(plies, limits.draw):
        rule = limits.draw
        details = f"both scores within {rule.score_centi} of zero for {counted(rule.moves, 'move')}"
        return Outcome(Termination.ADJUDICATION, None, details)
    return adjudicate_by_length(len(plies), limits)


def adjudicate_by_length(plies: int, limits: GameLimits) -> Outcome | None:
    """Return the draw of an unfinished game that has reached the limit of plies, None if it continues."""
    if limits.max_plies is None or plies < limits.max_plies:
        return None
    return Outcome(Termination.ADJUDICATION, None, f"unfinished after {counted(plies, 'ply', 'plies')}")


@lru_cache(maxsize=16)
def _tables_like(folder: str, start: Position) -> Tables | None:
    """Return the tables for the game and board of a start position; None if the folder has none of them."""
    try:
        return Tables(folder, start)
    except NoTablesError:
        return None


def tables_for(limits: GameLimits, position: Position) -> Tables | None:
    """Return the tables that adjudicate the games of a variant on a board, None for none.

    Raises:
        SettingsError: the folder cannot be read, or a file in it is damaged.
    """
    if limits.tables is None:
        return None
    try:
        return _tables_like(limits.tables, Position.start(position.ruleset, position.geometry.name))
    except TablesError as error:
        raise SettingsError(f"--tables: {error}") from error


def check_tables(limits: GameLimits, starts: Sequence[Position]) -> None:
    """Check that there are tables for at least one of the variants of a match.

    Raises:
        SettingsError: there are none, or a file is damaged.
    """
    found = [tables_for(limits, start) for start in starts]
    if limits.tables is not None and not any(found):
        try:
            Tables(limits.tables, starts[0])
        except TablesError as error:
            raise SettingsError(f"--tables: {error}") from error


def adjudicate_by_tables(game: Game, tables: Tables) -> Outcome | None:
    """Return the outcome of an unfinished game that endgame tables prove, None if they do not.

    Tables know nothing of repetition. A win stands if no position has occurred twice since the last capture: on the way
    to the win none occurs twice, so none occurs for the third time. A draw stands where a repetition is a draw. A win
    by the no-capture limit alone is not adjudicated, because the other side may repeat positions before that.
    """
    position = game.position
    value = tables.probe(position)
    if value is None or value.by_limit:
        return None
    if not value.outcome:
        drawn = position.ruleset.repetition == "draw"
        return Outcome(Termination.ADJUDICATION, None, "draw by the tables of endings") if drawn else None
    since_capture = game.positions[-position.nocapture - 1 :]
    if any(game.count(each) > 1 for each in since_capture):
        return None
    winner = position.side if value.outcome > 0 else 1 - position.side
    plies = counted(value.plies, "ply", "plies")
    details = f"{SIDE_NAMES[winner]} wins by the tables of endings, {plies} to the next capture or the end"
    return Outcome(Termination.ADJUDICATION, winner, details)


def _resignation(plies: Sequence[PlyRecord], rule: ResignRule) -> Outcome | None:
    for loser in (0, 1):
        lost = _latest_agree(plies, loser, rule.moves, lambda score: score <= -rule.score_centi)
        if lost and (
            not rule.two_sided
            or _latest_agree(plies, 1 - loser, rule.moves, lambda score: score >= rule.score_centi)
        ):
            moves = counted(rule.moves, "move")
            details = f"{SIDE_NAMES[loser]}: resigns after {moves} at -{rule.score_centi} or worse"
            return Outcome(Termination.RESIGNATION, 1 - loser, details)
    return None


def _is_drawn(plies: Sequence[PlyRecord], rule: DrawRule) -> bool:
    return (
        bool(plies)
        and plies[-1].movenumber >= rule.movenumber
        and all(_latest_agree(plies, side, rule.moves, lambda score: abs(score) <= rule.score_centi) for side in (0, 1))
    )


def _latest_agree(plies: Sequence[PlyRecord], side: int, count: int, agrees: Callable[[float], bool]) -> bool:
    """Return whether a side has made ``count`` plies, and the scores of its latest ``count`` plies all agree."""
    latest: Iterable[PlyRecord] = (ply for ply in reversed(plies) if ply.side == side)
    agreed = 0
    for ply in islice(latest, count):
        score = _score(ply.info)
        if score is None or not agrees(score):
            return False
        agreed += 1
    return agreed == count


def _score(info: SearchInfo) -> float | None:
    """Return the score in centi-soldiers, infinite for a mate; ``mate 0`` means that the player is mated."""
    if info.score.mate is not None:
        return inf if info.score.mate > 0 else -inf
    return info.score.cp


# ---------------------------------------------------------------- answers and claims of engines


def judge_move(position: Position, text: str) -> Move | Outcome:
    """Return the legal move that ``text``, the word after ``bestmove``, stands for, or the outcome of the game.

    The position must have legal moves. ``read_move`` says what is tolerated.
    """
    termination, what = Termination.ILLEGAL_MOVE, ""
    if text in NO_MOVE_TEXTS or not text:
        termination, what = Termination.STALL, f"{'' if text else ' without a move'}, but the player has legal moves"
    elif text == RESIGNATION:
        termination = Termination.RESIGNATION
    else:
        try:
            return read_move(position, text)
        except MalformedMoveError:
            termination, what = Termination.PROTOCOL_ERROR, " is not a move"
        except IllegalMoveError:
            what = ", which is only legal for the opponent" if _is_legal_for_opponent(position, text) else ""
    return Outcome(termination, 1 - position.side, f"bestmove{f' {quoted(text)}' if text else ''}{what}")


def contradiction(outcome: Outcome | None, claims: Claims) -> str | None:
    """Describe on one line how an engine's claims contradict the referee's result; return None if they agree."""
    expected = Claims("false", "none") if outcome is None else Claims("true", outcome.name)
    if claims == expected:
        return None
    claimed = f"gameover {quoted(claims.game_over)}, result {quoted(claims.result)}"
    return f"{claimed}; the referee has {expected.game_over}, {expected.result}"


def _is_legal_for_opponent(position: Position, text: str) -> bool:
    turned = position.passed()
    try:
        return turned is not None and read_move(turned, text) is not None
    except LatronesError:
        return False
