"""A board drawn with letters, for people."""

from collections.abc import Sequence

from latrones_uci.game.geometry import FILE_LETTERS, Geometry


def render_diagram(geometry: Geometry, men: Sequence[str]) -> str:
    """Draws a board, last rank first; ``men`` is the man on each square by number, ``""`` for none."""
    lines = []
    for rank in reversed(range(geometry.ranks)):
        row = men[rank * geometry.files:(rank + 1) * geometry.files]
        lines.append(f"{rank + 1:>3}  " + " ".join(man or "." for man in row))
    lines.append("     " + " ".join(FILE_LETTERS[:geometry.files]))
    return "\n".join(lines)
