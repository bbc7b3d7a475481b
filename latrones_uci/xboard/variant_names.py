"""The names under which XBoard is offered the games, one for each size of board, and what it has to know of them."""

import re
from collections import Counter
from collections.abc import Mapping

from latrones_uci.game import LatronesError, Position, Ruleset, VariantError, quoted

SIZES = ((8, 8), (10, 8), (12, 8))
"""Boards that each game is offered on besides its own, where it allows them."""
RENUMBERED_RANKS = 10
"""XBoard numbers the ranks of boards with ten of them from 0."""

_SIZED = re.compile(r"(.+)-([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
# Letters for XBoard's pictures, White's and then Black's: the fourth is the rook's, the fifth the queen's. A man in
# the last place would be a king, which XBoard lets castle; without a table it takes men for pawns and kings.
_PICTURES = "(...SD..........sd.......)"
# XBoard 4.9.1 takes a name for one of its variants of chess that has such a word in it, or, whole, at its start.
_CHESS = re.compile(
    "normal|wildcastle|nocastle|fischerandom|bughouse|crazyhouse|losers|suicide|giveaway|twokings|kriegspiel|atomic|3check"
    "|shatranj|wild29|wild3[0-6]"
    "|^(?:shogi|chu|courier|gothic|capablanca|knightmate|fairy|cylinder|falcon|caparandom|berolina|janus|super|great"
    "|twilight|makruk|seirawan|grand|spartan|xiangqi|asean|lion|elven|unknown)(?![a-z])",
    re.ASCII | re.IGNORECASE,
)
_BETZA = {"slide": "mR", "step": "mW"}
_HAND = re.compile(r"\[([^]]*)\]", re.ASCII)


def why_not_shown(ruleset: Ruleset) -> str | None:
    """Why XBoard cannot show a game rightly; None if it can.

    XBoard knows a move as a man that goes from one square to another, or from the hand to one, and turns that alternate
    strictly. What is captured in a game with men in hand it adds to them; so rota alone is offered of these, in which
    nothing is captured.
    """
    if ruleset.capture_effect == "bind":
        return "men are bound where they stand"
    if ruleset.soldier_jump == "chain" or ruleset.capture_chain != "none":
        return "a move may have several legs"
    if ruleset.setup == "placement" and ruleset.board != "wheel":
        return "men are placed and captured"
    return None


def offered(rulesets: Mapping[str, Ruleset]) -> dict[str, tuple[Ruleset, tuple[int, int]]]:
    """Game and size by XBoard's name: ``latrones`` on its usual board, ``latrones-12x8`` on another one."""
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
    """The game and size of a name of XBoard's.

    Raises:
        VariantError: it is not offered; the message says why.
    """
    found = offered(rulesets).get(name)
    if found is not None:
        return found
    match = _SIZED.fullmatch(name)
    ruleset = rulesets.get(name) or (rulesets.get(match[1]) if match else None)
    if ruleset is None:
        raise VariantError(f"there is no game {quoted(name)}")
    why = why_not_shown(ruleset) or ("a name of chess to XBoard" if _CHESS.search(name) else "not on this board")
    raise VariantError(f"{quoted(name)} is not offered: {why}")


def render_setup(start: Position) -> list[str]:
    """Tells XBoard pictures, size and start of a game, and roughly how its men move."""
    ruleset, geometry = start.ruleset, start.geometry
    parent = "1_crazyhouse" if ruleset.setup == "placement" else "0_fairy"  # one kind of man in hand, or none
    lines = [f"setup {_PICTURES} {geometry.name}+{parent} {xboard_fen(start)}"]
    if ruleset.board == "grid":  # the lines of the wheel cannot be told; what is highlighted binds XBoard anyway
        lines.append(f"piece S& {_BETZA[ruleset.soldier_move]}")
    if ruleset.dux != "none":
        lines.append(f"piece D& {_BETZA[ruleset.dux_move]}")
    return lines


def xboard_fen(position: Position) -> str:
    """The position with the fields that XBoard expects: nobody castles, nothing is taken in passing."""
    board, side, nocapture, movenumber = position.fen().split()
    if position.ruleset.setup == "placement":
        hand = "".join(man * count for man, count in position.hand.items())
        board = f"{board.partition('[')[0]}[{hand}]"
    return f"{board} {side} - - {nocapture} {movenumber}"


def fen_of_xboard(text: str) -> str:
    """Our FEN of one of XBoard's: castling and the square of taking in passing are dropped, men in hand counted."""
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
