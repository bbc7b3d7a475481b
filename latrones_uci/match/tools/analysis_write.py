"""Analysed games written as PGN."""

from collections.abc import Mapping, Sequence

from latrones_uci.match.pgn.write import WrittenMove, render_pgn, render_search
from latrones_uci.match.tools.analysis import AnalysedMove

_GLYPHS = {"": "", "?!": "$6", "?": "$2", "??": "$4"}  # numbers of the PGN standard


def render_analysis(tags: Mapping[str, str], moves: Sequence[AnalysedMove], result: str, annotator: str) -> str:
    """A game with a comment ``{score/depth time n=nodes; best MOVE pv MOVE ...}`` on each move, and glyphs on bad ones.

    The tags stay as they are, but for ``Annotator``.
    """
    written = (
        WrittenMove(move.side, move.movenumber, move.text, render_judgement(move), _GLYPHS[move.mark]) for move in moves
    )
    return render_pgn(dict(tags) | {"Annotator": annotator}, written, result)


def render_judgement(move: AnalysedMove) -> str:
    """The comment of a move, without braces: what the search of the position before it found."""
    comment = f"{render_search(move.info, move.elapsed_ns)}; best {move.best}"
    return f"{comment} pv {' '.join(move.info.pv)}" if move.info.pv else comment
