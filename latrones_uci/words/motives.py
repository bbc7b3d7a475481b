"""What a move does, in words: what it captures, threatens, prevents and saves, and what a bad one leaves en prise.

The rules themselves are asked: a threat is what the player could do if the other one passed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from latrones_uci.game.encoding import SIDE_NAMES, Move
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED, LINE, TOO_FEW_PIECES
from latrones_uci.game.position import Position
from latrones_uci.words.reasons import PIECE_NAMES, listed

_MOST = 2  # phrases: the first ones are the reason, the others are true of many moves


@dataclass(frozen=True)
class _Threats:
    """What the player to move can do at once."""

    captures: frozenset[int]
    """The squares of the pieces that it can capture; the dux is not one of them, as its capture is a way to win."""
    win: str
    """How it can win, as in ``DECISIONS``; empty if it cannot."""


def reason_for(before: Position, move: Move) -> str:
    """Return what a legal move achieves, in words that follow its name; empty if nothing of it has a name.

    For example, ``captures the black soldier on b6 and threatens to shut in the black dux``.
    """
    side, after = before.side, before.after(move)
    won = after.decided()
    if won is not None and won.winner == side:
        return {DUX_CAPTURED: f"captures {_dux(1 - side)}", DUX_IMMOBILISED: f"shuts in {_dux(1 - side)}",
                LINE: "makes three in a line", TOO_FEW_PIECES: _captured(before, after)}.get(won.details, "wins")
    bound = _bound(before, after)
    found = [_captured(before, after), f"binds {_pieces(before, bound)}" if bound else ""]
    own, others = _threats_of(_to_move(after, side)), _threats_of(_to_move(after, 1 - side))
    before_own, before_others = _threats_of(before), _threats_of(_to_move(before, 1 - side))
    if not before_own.win:
        found.append(_how("threatens to {}", own.win, 1 - side))
    if before_others.win and not others.win:
        found.append(f"keeps {_dux(side)} from being {_PASSIVE[before_others.win]}"
                     if before_others.win in _PASSIVE else f"keeps {SIDE_NAMES[1 - side]} from winning at once")
    if not own.win:
        threatened = sorted(own.captures - before_own.captures - {*bound})
        found.append(f"threatens {_pieces(after, threatened)}" if threatened else "")
    saved = sorted(square for square in before_others.captures if _now(move, square) not in others.captures)
    found.append(f"saves {_pieces(before, saved)}" if saved else "")
    return " and ".join([phrase for phrase in found if phrase][:_MOST])


def fault_of(before: Position, move: Move, reply: Move) -> str:
    """Return what is wrong with a legal move that the opponent answers with ``reply``; empty if that has no name.

    For example, ``leaves the white soldier on d4 en prise``.
    """
    after = before.after(move)
    answered = after.after(reply)
    won, opponent = answered.decided(), SIDE_NAMES[1 - before.side]
    if won is not None and won.winner == 1 - before.side:
        return _how(f"lets {opponent} {{}}", won.details, before.side) or f"lets {opponent} win"
    if taken := after.lifted(answered):
        return f"leaves {_pieces(after, taken)} en prise"
    return _how(f"lets {opponent} threaten to {{}}", _threats_of(_to_move(answered, 1 - before.side)).win, before.side)


_ACTIVE = {DUX_CAPTURED: "capture {}", DUX_IMMOBILISED: "shut in {}"}
_PASSIVE = {DUX_CAPTURED: "captured", DUX_IMMOBILISED: "shut in"}


def _how(phrase: str, win: str, loser: int) -> str:
    """Return a phrase with a way to win against a side; empty if there is no such way."""
    ways = {LINE: "make three in a line", TOO_FEW_PIECES: "take the last pieces"}
    ways |= {way: words.format(_dux(loser)) for way, words in _ACTIVE.items()}
    return phrase.format(ways[win]) if win in ways else ""


def _dux(side: int) -> str:
    return f"the {SIDE_NAMES[side].lower()} dux"


def _captured(before: Position, after: Position) -> str:
    taken = before.lifted(after)
    return f"captures {_pieces(before, taken)}" if taken else ""


def _bound(before: Position, after: Position) -> list[int]:
    free, bound = "sS"[before.side], "bB"[before.side]
    return [square for square in range(before.geometry.squares)
            if before.piece_at(square) == free and after.piece_at(square) == bound]


def _pieces(position: Position, squares: Iterable[int]) -> str:
    """Return enemies of one side in words, such as ``the black soldiers on b6 and d4``."""
    kinds: dict[str, list[str]] = {}
    for square in squares:
        kinds.setdefault(position.piece_at(square), []).append(position.geometry.square_name(square))
    return " and ".join(f"the {SIDE_NAMES[piece.islower()].lower()} {PIECE_NAMES[piece.upper()]}"
                        f"{'s' if len(names) > 1 else ''} on {listed(names)}" for piece, names in kinds.items())


def _now(move: Move, square: int) -> int:
    return move.squares[-1] if move.squares[:1] == (square,) else square


def _to_move(position: Position, side: int) -> Position | None:
    return position if position.side == side else position.passed()


def _threats_of(position: Position | None) -> _Threats:
    captures, win = set[int](), ""
    for _, after in position.children() if position is not None else ():
        assert position is not None
        captures.update(square for square in position.lifted(after) if position.piece_at(square) not in "Dd")
        won = after.decided()
        if won is not None and won.winner == position.side:
            win = won.details
    return _Threats(frozenset(captures), win)
