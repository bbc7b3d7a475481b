"""The mistakes of a reviewed game: why they are mistakes, in words, and verdicts on moves tried instead."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from latrones_uci.game import Game, LatronesError, Move, Outcome, Position
from latrones_uci.game.position import algebraic_text
from latrones_uci.records.annotation import AnalysedMove, Evaluation, Judgement
from latrones_uci.text.messages import counted
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.lib.notation import Json
from latrones_uci.web.lib.replay import replay_moves
from latrones_uci.words.motives import fault_of, reason_for

_SHOWN = 6  # moves of a line
_GAINS = ("captures", "binds", "shuts in", "makes", "wins")  # what is worth preparing
_QUIET = 4  # moves of a line without a capture that are worth a word


class Attempt(NamedTuple):
    """A move tried in the position before a reviewed move of a game."""

    ply: int
    """The number of plies before it."""
    node: int | None
    """The number of the move of a variation that it is; None for the move of the game."""
    move: Move


def mistake_data(before: Position, move: Move, judgement: Judgement, reply: str) -> Json:
    """Return what the page says of a mistake, as JSON data.

    ``why`` is what the best move achieves, ``fault`` what is wrong with the move that was played, and ``line`` and
    ``moves`` how the game could have gone on, in both notations; empty where nothing is known. ``reply`` is the best
    reply to the played move, an empty string if it is unknown.
    """
    line = replay_moves(before, judgement.info.pv[:_SHOWN] or (judgement.best,))
    answer = _legal(before.after(move), reply)
    return {"why": reason_for(before, before.parse_move(judgement.best)),
            "fault": "" if answer is None else fault_of(before, move, answer),
            "line": line.notes, "moves": [*line.moves]}


def reason_along(before: Position, texts: Sequence[str]) -> str:
    """Return why the first move of a line is good, in words that follow "it"; empty if nothing of it has a name.

    If the move itself has no reason, it is what a later move of the same player achieves, or that nothing is captured.
    """
    line = replay_moves(before, texts)
    if line.moves and (why := reason_for(before, line.moves[0])):
        return why
    for at, (position, move, note) in enumerate(zip(line.positions, line.moves, line.notes, strict=False)):
        if at and position.side == before.side and (why := reason_for(position, move)).startswith(_GAINS):
            return f"prepares {note}, which {why}"
    quiet = len(line.moves) >= _QUIET and not any(
        position.lifted(after) for position, after in pairwise(line.positions))
    return f"is safe: no capture is expected in the next {counted(len(line.moves), 'move')}" if quiet else ""


def _legal(position: Position, text: str) -> Move | None:
    """Return a move of an engine, which is not refereed; None if it is not legal."""
    try:
        return position.parse_move(text)
    except LatronesError:
        return None


def attempt_data(
    game: Game, attempt: Attempt, judgement: Judgement, outcome: Outcome | None = None, info: SearchInfo | None = None,
    reply: str = "",
) -> Json:
    """Return the verdict on a move that was tried, as JSON data.

    ``judgement`` is of the move that was played instead, ``outcome`` the end of the game with the tried move, ``info``
    the search of the position after it, None while it runs or if it failed, ``reply`` the best move found there.

    Returns:
        ``text`` is the verdict in words; ``solved`` says whether the move is as good as the best one; ``score`` is
        White's score after it, ``reply`` the squares of the reply that refutes it.
    """
    ply, node, move = attempt
    before = game.positions[ply]
    after = before.after(move)
    note = algebraic_text(before, after, move)
    data: Json = {"ply": ply, "node": node, "solved": False, "score": None, "reply": None, "text": "", "mark": ""}
    is_best = move == judgement.best
    known = Evaluation(judgement.info.score, before.side) if is_best and outcome is None else None
    known = known or _evaluation(after, outcome, judgement if node is None else None, info)
    if known is None:
        return data | {"text": f"Searching after {note}\u2026"}
    if not known.known:
        return data | {"text": f"{note} is not judged: the engine gives no score."}
    tried = AnalysedMove(before.side, before.movenumber, move, judgement._replace(after=known))
    best = before.algebraic(judgement.best)
    data |= {"score": known.score.for_white(known.side), "mark": tried.mark}
    if is_best:
        why = reason_for(before, move)
        return data | {"solved": True, "text": f"{note} is the best move{f': it {why}' if why else ''}."}
    if not tried.mark:
        return data | {"solved": True, "text": f"{note} is as good as the best move, {best}."}
    answer, why = _legal(after, reply), ""
    better = "" if node is None or tried.loss_centi is None else _compared(game, attempt, judgement, tried)
    same = ", the move of the game," if node is None else ""
    if answer is not None:
        shown, fault = algebraic_text(after, after.after(answer), answer), fault_of(before, move, answer)
        data["reply"], why = list(answer.squares), f"{f': it {fault}' if fault else ''} ({shown})"
    return data | {"text": f"{note}{same} {tried.lost}{why}.{better}"}


def _evaluation(
    after: Position, outcome: Outcome | None, judged: Judgement | None, info: SearchInfo | None
) -> Evaluation | None:
    """Return the evaluation after a tried move: the result if it ends the game, that of the review, or of a search."""
    if outcome is not None:
        return Evaluation(Score(0)) if outcome.winner is None else Evaluation(Score(mate=0), 1 - outcome.winner)
    if judged is not None and judged.after.known:
        return judged.after
    return None if info is None else Evaluation(info.score, after.side)


def _compared(game: Game, attempt: Attempt, judgement: Judgement, tried: AnalysedMove) -> str:
    """Say that a tried move is not the best one, but better than that of the game."""
    played = AnalysedMove(tried.side, tried.movenumber, game.moves[attempt.ply], judgement)
    better = (played.loss_centi or 0) > (tried.loss_centi or 0) and played.mark != tried.mark
    return " That is better than the move of the game." if better else ""
