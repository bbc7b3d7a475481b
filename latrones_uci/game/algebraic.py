"""The long algebraic notation for people: ``d1-d5xc5``, ``De6-i6xi7``, ``i1-i6*``.

Jose Carrillo writes the moves of *Latrunculi XXI* in it (The Chess Variant Pages, 2016): ``D`` for the dux and no
letter for a soldier, the two squares joined by ``-``, ``x`` before each captured square, and a sign for what the move
does to the enemy dux. The sign describes the position after the move, and is the first of these that holds:

* ``#``: the move decides the game.
* ``+``: it threatens to shut in the dux: if the opponent passed, a move of the mover's side could leave the dux without
  an open side (an empty neighbour). The threat may be older than the move.
* ``(+)``, a *quasi check*: it hits the dux and partly immobilises it, without a threat.
* ``*``: it hits the dux: the piece has landed next to it, and so closed one of its sides.

Our reading of "partly immobilises" is that the dux has at most two open sides left; in *Latrunculi XXI* it can then at
most make offensive moves. Ours are also the signs of other games, and what the author's games do not need: where a dux
is not lost by being shut in, ``*`` and ``#`` are the only signs, and without a dux ``#``; ``c3-e3-e1`` is a chain,
``@d4`` and ``D@d4`` are placements, ``xd5`` captures a bound soldier, ``xDd8`` a dux, and a pass is ``pass``.
"""

import re
from typing import NamedTuple

from latrones_uci.game.encoding import Board, Move
from latrones_uci.game.errors import IllegalMoveError
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED, Outcome
from latrones_uci.game.rules import Rules
from latrones_uci.text.messages import quoted

_SQUARE = "[a-p][0-9]{1,2}"
SIGN = r"(?:\(\+\)|[#+*])"
"""A sign at the end of a move, as a regular expression."""
_TEXT = re.compile(
    rf"(?:(?P<dux>D?)(?P<path>{_SQUARE}(?:-?{_SQUARE})+)(?P<captures>(?:xD?{_SQUARE})*)"
    rf"|(?P<piece>[SD]?)@(?P<place>{_SQUARE})|(?P<kill>x{_SQUARE})|(?P<pass>pass)){SIGN}?", re.ASCII)


class AlgebraicText(NamedTuple):
    """What a text says."""

    move: str
    """The move as the protocols write it, such as ``d1d5``."""
    dux: bool = False
    """Whether it names a dux as the piece that moves."""
    captures: tuple[str, ...] = ()
    """The squares after ``x``; none if the text does not name what the move captures."""
    duces: tuple[str, ...] = ()
    """Those of them on which it names a dux."""


def split_algebraic(text: str) -> AlgebraicText | None:
    """Return what a text in the notation says, or None for other texts; spaces count for nothing."""
    found = _TEXT.fullmatch("".join(text.split()))
    if found is None:
        return None
    if found["path"]:
        captures = found["captures"].split("x")[1:]
        return AlgebraicText(found["path"].replace("-", ""), bool(found["dux"]),
                             tuple(each.removeprefix("D") for each in captures),
                             tuple(each[1:] for each in captures if each[0] == "D"))
    if found["place"]:
        return AlgebraicText(f"{found['piece'] or 'S'}@{found['place']}")
    return AlgebraicText(found["kill"] or found["pass"])


def check_algebraic(rules: Rules, before: Board, after: Board, move: Move, said: AlgebraicText, text: str) -> None:
    """Raise IllegalMoveError for a text that names another piece than the one that moves, or other captures."""
    name, duces = rules.geometry.square_name, before[2:4]
    is_right = {name(square) for square in rules.lifted(before, after)} == set(said.captures) and (
        {name(square) for square in duces if square >= 0}.issuperset(said.duces))
    if said.captures and not is_right or said.dux and move.squares[0] not in duces:
        what = "captures" if said.captures and not is_right else "piece"
        right = _without_sign(rules, before, after, move)
        raise IllegalMoveError(f"move {quoted(text)}: wrong {what}; expected {quoted(right)}")


def render_algebraic(rules: Rules, before: Board, after: Board, move: Move, outcome: Outcome | None) -> str:
    """Return a move in the notation; ``outcome`` is that of the position after it, None if the game goes on."""
    return _without_sign(rules, before, after, move) + _sign(rules, after, move, outcome)


def _without_sign(rules: Rules, before: Board, after: Board, move: Move) -> str:
    name, duces, path = rules.geometry.square_name, before[2:4], move.squares
    if len(path) < 2:
        return move.removeprefix("S")
    captured = "".join(f"x{'D' * (square in duces)}{name(square)}" for square in rules.lifted(before, after))
    return "D" * (path[0] in duces) + "-".join(map(name, path)) + captured


def _sign(rules: Rules, after: Board, move: Move, outcome: Outcome | None) -> str:
    if outcome is not None and outcome.winner is not None:
        return "#"
    own, opp, dux, *_ = after
    if dux < 0:
        return ""
    hits = len(move.squares) > 1 and bool(rules.near[dux] & rules.wide[move.squares[-1]])
    if not rules.ruleset.dux_needs_open_side:
        return "*" * hits
    open_sides = rules.near[dux] & ~(own | opp)
    left = open_sides.bit_count()
    if left == 1 and outcome is None and _threatens(rules, after):
        return "+"
    return "(+)" if hits and left <= 2 else "*" * hits


def _threatens(rules: Rules, after: Board) -> bool:
    """Return whether the side that has just moved could shut in the enemy dux, whose last open side is known, at once.

    A move closes at most the square on which it lands, so a dux with two open sides is never threatened.
    """
    turned = rules.turned(after)
    return any(rules.decided(board) < 0 and rules.decision(board) in (DUX_CAPTURED, DUX_IMMOBILISED)
               for move in rules.tactical_moves(turned) if (board := rules.play(turned, move)))
