"""Games that are decided before their end: by the scores that the engines tell, or by their length.

The rules are those of cutechess (``-draw``, ``-resign``) and fastchess: a score is what a player last said in its
search, seen from its own side; a ply without a score breaks a row, and a mate is beyond every bound. Where cutechess
counts moves of both sides together, the latest plies of each side are looked at here: sides need not alternate. Unlike
there, a capture does not break a row.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

from latrones_uci.game import SIDE_NAMES, Outcome, Termination
from latrones_uci.protocol import SearchInfo
from latrones_uci.records.record import PlyRecord


@dataclass(frozen=True)
class DrawRule:
    """An unfinished game is a draw when both players have seen it so for a while.

    Attributes:
        movenumber: the position before the last ply has at least this number.
        moves: so many of the latest plies of each player
        score_centi: have a score of at most so many centi-soldiers from zero.
    """

    movenumber: int
    moves: int
    score_centi: int


@dataclass(frozen=True)
class ResignRule:
    """A player resigns who has seen the game lost for a while.

    Attributes:
        moves: so many of the player's latest plies
        score_centi: have a score of at most minus so many centi-soldiers.
        two_sided: whether as many of the opponent's must have one of at least plus so many.
    """

    moves: int
    score_centi: int
    two_sided: bool = True


@dataclass(frozen=True)
class GameLimits:
    """What the referee applies beside the rules.

    Attributes:
        margin_ms: how many milliseconds late an answer may be.
        max_plies: after so many plies an unfinished game is a draw by adjudication, None for never.
        draw: when the scores make a draw, None for never.
        resign: when the scores make a player resign, None for never.
        check_claims: whether both engines are asked after each ply whether the game is over and who won, and every
            contradiction to the referee is told in the record. An engine that speaks UCI and does not answer to
            ``query`` is not asked again.
    """

    margin_ms: int = 0
    max_plies: int | None = None
    draw: DrawRule | None = None
    resign: ResignRule | None = None
    check_claims: bool = False


def adjudicate(plies: Sequence[PlyRecord], limits: GameLimits) -> Outcome | None:
    """What the limits make of an unfinished game after the given plies, None if it goes on.

    A resignation goes before a draw by the scores, and that before the length.
    """
    if limits.resign is not None and (resigned := _resignation(plies, limits.resign)) is not None:
        return resigned
    if limits.draw is not None and _is_drawn(plies, limits.draw):
        rule = limits.draw
        details = f"both players within {rule.score_centi} of a draw for {rule.moves} moves"
        return Outcome(Termination.ADJUDICATION, None, details)
    if limits.max_plies is not None and len(plies) >= limits.max_plies:
        return Outcome(Termination.ADJUDICATION, None, f"no end after {len(plies)} plies")
    return None


def _resignation(plies: Sequence[PlyRecord], rule: ResignRule) -> Outcome | None:
    for loser in (0, 1):
        lost = _latest_agree(plies, loser, rule.moves, lambda score: score <= -rule.score_centi)
        if lost and (
            not rule.two_sided
            or _latest_agree(plies, 1 - loser, rule.moves, lambda score: score >= rule.score_centi)
        ):
            details = f"{SIDE_NAMES[loser]}: resigns after {rule.moves} moves at -{rule.score_centi} or worse"
            return Outcome(Termination.RESIGNATION, 1 - loser, details)
    return None


def _is_drawn(plies: Sequence[PlyRecord], rule: DrawRule) -> bool:
    return (
        bool(plies)
        and plies[-1].movenumber >= rule.movenumber
        and all(_latest_agree(plies, side, rule.moves, lambda score: abs(score) <= rule.score_centi) for side in (0, 1))
    )


def _latest_agree(plies: Sequence[PlyRecord], side: int, count: int, agrees: Callable[[float], bool]) -> bool:
    """Whether a side has made ``count`` plies (at least 1), and the latest so many have scores that agree."""
    latest: Iterable[PlyRecord] = (ply for ply in reversed(plies) if ply.side == side)
    seen = 0
    for ply in islice(latest, count):
        score = _score(ply.info)
        if score is None or not agrees(score):
            return False
        seen += 1
    return seen == count


def _score(info: SearchInfo) -> float | None:
    """Centi-soldiers; a mate is infinite, and ``mate 0`` is one of the player who moved."""
    if info.mate is not None:
        return inf if info.mate > 0 else -inf
    return info.score_centi
