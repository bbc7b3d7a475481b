"""Read and write moves as text, and render boards as diagrams."""

import re
from collections.abc import Sequence

from latrones_uci.game.encoding import (
    KILL,
    PASS,
    PLACE_DUX,
    PLACE_SOLDIER,
    PackedMove,
    is_path,
    kind_of,
    path_move,
    path_of,
    square_of,
)
from latrones_uci.game.errors import IllegalMoveError, MalformedMoveError
from latrones_uci.game.geometry import FILE_LETTERS, Geometry
from latrones_uci.game.ruleset import Ruleset
from latrones_uci.text.messages import quoted

_NAME = "[a-p](?:1[0-6]|[1-9])"
_MOVE = re.compile(rf"(?:{_NAME}){{2,}}|[SD]@{_NAME}|x{_NAME}|pass|0000", re.ASCII)
PASS_TEXT = "pass"
_SQUARE = re.compile(r"[a-p][0-9]+", re.ASCII)


def render_diagram(geometry: Geometry, pieces: Sequence[str]) -> str:
    """Return a board as lines of letters, the last rank first.

    Args:
        geometry: the board.
        pieces: the piece on each square, by square number; ``""`` if it is empty.
    """
    lines = []
    for rank in reversed(range(geometry.ranks)):
        row = pieces[rank * geometry.files:(rank + 1) * geometry.files]
        lines.append(f"{rank + 1:>3}  " + " ".join(piece or "." for piece in row))
    lines.append("     " + " ".join(FILE_LETTERS[:geometry.files]))
    return "\n".join(lines)


def parse_move(geometry: Geometry, ruleset: Ruleset, text: str) -> PackedMove:
    """Read a move without testing whether it is legal in any position.

    Raises:
        MalformedMoveError: the text does not have the form of a move.
        IllegalMoveError: the move names a square off this board, or has a form that this variant does not use.
    """
    if not _MOVE.fullmatch(text):
        raise MalformedMoveError(f"move {quoted(text)}: malformed; expected a form such as 'd1d5', 'S@d4' or 'xd5'")
    if text == "0000":
        raise IllegalMoveError("move '0000': means that there is no move; it cannot be played")
    if text == PASS_TEXT:
        if ruleset.no_move != "pass":
            raise IllegalMoveError(f"move {quoted(text)}: this variant has no passes")
        return PASS
    squares = []
    for name in _SQUARE.findall(text):
        file, rank = ord(name[0]) - ord("a"), int(name[1:]) - 1
        if file >= geometry.files or rank >= geometry.ranks:
            raise IllegalMoveError(f"move {quoted(text)}: {name} is not on the {geometry.name} board")
        squares.append(rank * geometry.files + file)
    placed = {"S": ruleset.setup == "placement", "D": ruleset.dux == "hand"}
    if text[0] in placed:
        if not placed[text[0]]:
            raise IllegalMoveError(f"move {quoted(text)}: this variant has no such placements")
        return (PLACE_SOLDIER if text[0] == "S" else PLACE_DUX) | squares[0]
    if text[0] == "x":
        if ruleset.capture_effect != "bind":
            raise IllegalMoveError(f"move {quoted(text)}: this variant has no kills")
        return KILL | squares[0]
    if len(squares) > 2 and ruleset.soldier_jump != "chain" and ruleset.capture_chain == "none":
        raise IllegalMoveError(f"move {quoted(text)}: this variant has no chains")
    return path_move(squares)


def render_move(geometry: Geometry, move: PackedMove) -> str:
    """Return a move as text: ``d1d5``, ``c3c5e5``, ``S@d4``, ``xd5``, ``pass``."""
    if is_path(move):
        return "".join(geometry.square_name(square) for square in path_of(move))
    if kind_of(move) == PASS:
        return PASS_TEXT
    prefix = {PLACE_SOLDIER: "S@", PLACE_DUX: "D@", KILL: "x"}[kind_of(move)]
    return prefix + geometry.square_name(square_of(move))
