"""The games as XBoard variants: one name per board size, and their set-up."""

import re
from collections import Counter
from collections.abc import Mapping

from latrones_uci.game import LatronesError, Position, Ruleset, VariantError, quoted

SIZES = ((8, 8), (10, 8), (12, 8))
"""Board sizes that are offered besides the default one, if the game allows them."""
RENUMBERED_RANKS = 10
"""XBoard numbers ranks from 0 on boards with this many ranks."""

_SIZED = re.compile(r"(.+)-([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
# Piece letters for XBoard's pictures, White's and then Black's: the fourth is the rook, the fifth the queen. The last
# place is the king, which XBoard allows to castle. Without this table, XBoard uses pawns and kings.
_PICTURES = "(...SD..........sd.......)"
# XBoard 4.9.1 takes a name for a chess variant if it contains a word of the first group, or starts with a whole word of
# the second.
_CHESS = re.compile(
    "normal|wildcastle|nocastle|fischerandom|bughouse|crazyhouse|losers|suicide|giveaway|twokings|kriegspiel|atomic|3check"
    "|shatranj|wild29|wild3[0-6]"
    "|^(?:shogi|chu|courier|gothic|capablanca|knightmate|fairy|cylinder|falcon|caparandom|berolina|janus|super|great"
    "|twilight|makruk|seirawan|grand|spartan|xiangqi|asean|lion|elven|unknown)(?![a-z])",
    re.ASCII | re.IGNORECASE,
)
_BETZA = {"slide": "mR", "step": "mW"}
_BETZA_IN_ALL_DIRECTIONS = {"step": "mK"}
_HAND = re.compile(r"\[([^]]*)\]", re.ASCII)


def why_not_shown(ruleset: Ruleset) -> str | None:
    """Return why XBoard cannot show a game correctly, or None.

    In XBoard, a move takes a piece from one square, or from the hand, to another square, and turns alternate strictly.
    In games with a hand, XBoard adds captured pieces to it; so the only such game on offer is rota, where nothing is
    captured.
    """
    if ruleset.capture_effect == "bind":
        return "soldiers are bound where they stand"
    if ruleset.soldier_jump == "chain" or ruleset.capture_chain != "none":
        return "a move may have several legs"
    if ruleset.no_move == "pass":
        return "a player without a legal move passes"
    if ruleset.setup == "placement" and ruleset.board != "wheel":
        return "pieces are placed and captured"
    return None


def offered(rulesets: Mapping[str, Ruleset]) -> dict[str, tuple[Ruleset, tuple[int, int]]]:
    """Return game and size by XBoard's name: ``latrones`` for the default board, ``latrones-12x8`` for another."""
    found = {}
    for name, ruleset in rulesets.items():
        if why_not_shown(ruleset) is not None:
            continue
        for size in dict.fromkeys((ruleset.default_size, *SIZES)):
            usual = size == ruleset.default_size
            own = name if usual else f"{name}-{size[0]}x{size[1]}"
            if size[1] != RENUMBERED_RANKS and _allows(ruleset, size) and not _CHESS.search(own):
                found[own] = (ruleset, size)
    return found


def find_offered(rulesets: Mapping[str, Ruleset], name: str) -> tuple[Ruleset, tuple[int, int]]:
    """Return the game and size for one of XBoard's names.

    Raises:
        VariantError: the name is not offered; the message says why.
    """
    found = offered(rulesets).get(name)
    if found is not None:
        return found
    match = _SIZED.fullmatch(name)
    ruleset = rulesets.get(name) or (rulesets.get(match[1]) if match else None)
    if ruleset is None:
        raise VariantError(f"unknown game {quoted(name)}")
    why = why_not_shown(ruleset) or ("XBoard takes the name for chess" if _CHESS.search(name) else "not on this board")
    raise VariantError(f"{quoted(name)} is not offered: {why}")


def render_setup(start: Position) -> list[str]:
    """Return pictures, size and start of a game for XBoard, and roughly how its pieces move."""
    ruleset, geometry = start.ruleset, start.geometry
    parent = "1_crazyhouse" if ruleset.setup == "placement" else "0_fairy"  # one kind of piece in hand, or none
    lines = [f"setup {_PICTURES} {geometry.name}+{parent} {xboard_fen(start)}"]
    betza = _BETZA if ruleset.directions == "orthogonal" else _BETZA_IN_ALL_DIRECTIONS
    if ruleset.board == "grid":  # the wheel cannot be described, but XBoard obeys the highlighted squares
        lines.append(f"piece S& {betza[ruleset.soldier_move]}")
    if ruleset.dux != "none":
        lines.append(f"piece D& {betza[ruleset.dux_move]}")
    return lines


def xboard_fen(position: Position) -> str:
    """Return the position with the fields that XBoard expects: no castling, no en passant."""
    board, side, nocapture, movenumber = position.fen().split()
    if position.ruleset.setup == "placement":
        hand = "".join(man * count for man, count in position.hand.items())
        board = f"{board.partition('[')[0]}[{hand}]"
    return f"{board} {side} - - {nocapture} {movenumber}"


def fen_of_xboard(text: str) -> str:
    """Convert a FEN of XBoard: drop castling and en passant, count the pieces in hand."""
    fields = _HAND.sub(_counted, text).split()
    return " ".join(fields[:2] + fields[4:6])


def _counted(hand: re.Match[str]) -> str:
    counts = Counter(hand[1].replace("-", ""))
    return f"[{''.join(f'{count}{man}' for man, count in counts.items()) or '-'}]"


def _allows(ruleset: Ruleset, size: tuple[int, int]) -> bool:
    try:
        ruleset.check_size(*size)
    except LatronesError:
        return False
    return True
