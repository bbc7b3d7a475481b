"""Annotate games: search every position, find the moves that lose something, and write the games as PGN."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import Engine
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game
from latrones_uci.protocol import SearchInfo
from latrones_uci.records.pgn_write import WrittenMove, render_pgn, render_search

MARKS = ((300, "??"), (100, "?"), (50, "?!"))
"""Loss in centi-soldiers from which a move gets a mark, in descending order. The thresholds are our choice."""
MOST_CENTI = 1000
"""Scores are limited to this value, which also stands for a forced win: a side that wins anyway loses nothing."""


@dataclass(frozen=True)
class AnalysedMove:
    """A move of a game, and the search of the position before it.

    Attributes:
        side: the player who moved, 0 White, 1 Black.
        movenumber: the move number of the position before the move.
        text: the move played.
        best: the engine's move.
        info: the engine's search information, from the mover's point of view.
        elapsed_ns: the search time in nanoseconds.
        loss_centi: the loss against the engine's move in centi-soldiers, at least 0; None if the engine gave no score.
    """

    side: int
    movenumber: int
    text: str
    best: str
    info: SearchInfo
    elapsed_ns: int
    loss_centi: int | None

    @property
    def mark(self) -> str:
        """``?!``, ``?``, ``??``, or an empty string."""
        loss = self.loss_centi or 0
        return next((mark for least, mark in MARKS if loss >= least), "")


def analyse_game(game: Game, engine: Engine, limit: Limit) -> list[AnalysedMove]:
    """Search every position of a game, including the last one unless the game is over there."""
    engine.new_game(game)
    answers, values = [], []
    for plies in range(len(game.moves) + 1):
        part = game.up_to(plies)
        outcome = part.outcome()
        if outcome is None:
            answers.append(engine.search(part, limit))
            engine.legal_move(part, answers[-1].best.move)
            values.append(value_of(answers[-1].info))
        elif outcome.winner is None:
            values.append(0)
        else:
            values.append(MOST_CENTI if outcome.winner == part.position.side else -MOST_CENTI)
    return [_analysed_move(game, ply, answers[ply], values[ply], values[ply + 1]) for ply in range(len(game.moves))]


def value_of(info: SearchInfo) -> int | None:
    """Return a score in centi-soldiers, limited to ``MOST_CENTI``; ``mate 0`` and below are losses."""
    if info.mate is not None:
        return MOST_CENTI if info.mate > 0 else -MOST_CENTI
    return None if info.score_centi is None else max(-MOST_CENTI, min(info.score_centi, MOST_CENTI))


def _analysed_move(
    game: Game, ply: int, answer: SearchAnswer, before: int | None, after: int | None
) -> AnalysedMove:
    position = game.positions[ply]
    text = position.move_text(game.moves[ply])
    loss: int | None = None
    if position.parse_move(answer.best.move) == game.moves[ply]:
        loss = 0
    elif before is not None and after is not None:
        # In some variants the same player can be to move again.
        gained = after if game.positions[ply + 1].side == position.side else -after
        loss = max(before - gained, 0)
    found = (answer.best.move, answer.info, answer.elapsed_ns)
    return AnalysedMove(position.side, position.movenumber, text, *found, loss)


# ---------------------------------------------------------------- PGN

_GLYPHS = {"": "", "?!": "$6", "?": "$2", "??": "$4"}  # numbers of the PGN standard


def render_analysis(tags: Mapping[str, str], moves: Sequence[AnalysedMove], result: str, annotator: str) -> str:
    """Return an analysed game as PGN.

    Each move gets a comment ``{score/depth time n=nodes; best MOVE pv MOVE ...}``, and bad moves a glyph.

    Args:
        tags: the tags of the game; only ``Annotator`` is replaced.
        moves: the analysed moves.
        result: the PGN result.
        annotator: the name of the engine.
    """
    written = (
        WrittenMove(move.side, move.movenumber, move.text, render_judgement(move), _GLYPHS[move.mark]) for move in moves
    )
    return render_pgn(dict(tags) | {"Annotator": annotator}, written, result)


def render_judgement(move: AnalysedMove) -> str:
    """Return the comment on a move, without braces: the search of the position before it."""
    comment = f"{render_search(move.info, move.elapsed_ns)}; best {move.best}"
    return f"{comment} pv {' '.join(move.info.pv)}" if move.info.pv else comment
