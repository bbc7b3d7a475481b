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
from typing import TYPE_CHECKING, NamedTuple

from latrones_uci.game.encoding import Move
from latrones_uci.game.errors import IllegalMoveError, MalformedMoveError
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED
from latrones_uci.text.messages import quoted

if TYPE_CHECKING:
    from latrones_uci.game.position import Position  # which uses this module

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


def parse_algebraic(position: "Position", text: str) -> Move:
    """Read a move; see ``Position.parse_algebraic``."""
    said = split_algebraic(text)
    if said is None:
        raise MalformedMoveError(
            f"move {quoted(text)}: malformed; expected a form such as 'd1-d5xc5', 'De2-e5' or '@d4'")
    try:
        move = position.parse_move(said.move)
    except IllegalMoveError as error:
        raise error if text == said.move else IllegalMoveError(f"move {quoted(text)}: {error}") from None
    if said.dux or said.captures:
        _check(position, move, said, text)
    return move


def _check(position: "Position", move: Move, said: AlgebraicText, text: str) -> None:
    """Raise IllegalMoveError for a text that names another piece than the one that moves, or other captures."""
    name = position.geometry.square_name
    lifted = position.lifted(position.after(move))
    is_right = {name(square) for square in lifted} == set(said.captures) and all(
        position.piece_at(square) in "Dd" for square in said.duces)
    if said.captures and not is_right or said.dux and position.piece_at(move.squares[0]) not in "Dd":
        what = "captures" if said.captures and not is_right else "piece"
        right = render_without_sign(position, position.after(move), move)
        raise IllegalMoveError(f"move {quoted(text)}: wrong {what}; expected {quoted(right)}")


def render_algebraic(before: "Position", after: "Position", move: Move) -> str:
    """Return a move in the notation, given the positions before and after it."""
    return render_without_sign(before, after, move) + _sign(after, move)


def render_without_sign(before: "Position", after: "Position", move: Move) -> str:
    """Return a move in the notation without its sign."""
    name = before.geometry.square_name
    path = move.squares
    if len(path) < 2:
        return move.removeprefix("S")
    piece = "D" if before.piece_at(path[0]) in "Dd" else ""
    captured = "".join(f"x{'D' if before.piece_at(square) in 'Dd' else ''}{name(square)}"
                       for square in before.lifted(after))
    return piece + "-".join(map(name, path)) + captured


def _sign(after: "Position", move: Move) -> str:
    outcome = after.outcome()
    if outcome is not None and outcome.winner is not None:
        return "#"
    rules, ruleset, (own, opp, dux, *_) = after.rules, after.ruleset, after.board
    if dux < 0:
        return ""
    hits = len(move.squares) > 1 and bool(rules.near[dux] & rules.wide[move.squares[-1]])
    if not ruleset.dux_needs_open_side:
        return "*" * hits
    open_sides = rules.near[dux] & ~(own | opp)
    left = open_sides.bit_count()
    if left == 1 and outcome is None and _threatens(after):
        return "+"
    return "(+)" if hits and left <= 2 else "*" * hits


def _threatens(after: "Position") -> bool:
    """Return whether the side that has just moved could shut in the enemy dux, whose last open side is known, at once.

    A move closes at most the square on which it lands, so a dux with two open sides is never threatened.
    """
    rules, turned = after.rules, after.rules.turned(after.board)
    return any(rules.decided(board) < 0 and rules.decision(board) in (DUX_CAPTURED, DUX_IMMOBILISED)
               for move in rules.tactical_moves(turned) if (board := rules.play(turned, move)))
