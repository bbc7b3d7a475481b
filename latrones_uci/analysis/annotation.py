"""Games looked through by an engine: what each position is worth, and what each move cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import Engine
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game
from latrones_uci.protocol import SearchInfo
from latrones_uci.records.pgn_write import WrittenMove, render_pgn, render_search

MARKS = ((300, "??"), (100, "?"), (50, "?!"))
"""From which loss, in centi-soldiers, a move is marked, the worst first. The thresholds are our own choice."""
MOST_CENTI = 1000
"""Scores beyond this are counted as this, and so is a forced win: who wins anyway has lost nothing."""


@dataclass(frozen=True)
class AnalysedMove:
    """A move of a game, and the search of the position before it.

    Attributes:
        side: who moved, 0 White, 1 Black.
        movenumber: of the position before the move.
        text: the move played.
        best: the engine's move.
        info: what the engine told of its search, from the mover's point of view.
        elapsed_ns: nanoseconds that it took.
        loss_centi: by how many centi-soldiers the mover is worse off than after the engine's move, 0 at least; None
            where the engine told no score.
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
        """``?!``, ``?``, ``??``, or nothing."""
        loss = self.loss_centi or 0
        return next((mark for least, mark in MARKS if loss >= least), "")


def analyse_game(game: Game, engine: Engine, limit: Limit) -> list[AnalysedMove]:
    """Searches every position of a game that goes on, the last one too where the game does not end there."""
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
    return [_judged(game, ply, answers[ply], values[ply], values[ply + 1]) for ply in range(len(game.moves))]


def value_of(info: SearchInfo) -> int | None:
    """A score in centi-soldiers, cut to ``MOST_CENTI`` on both sides; ``mate 0`` and below are lost."""
    if info.mate is not None:
        return MOST_CENTI if info.mate > 0 else -MOST_CENTI
    return None if info.score_centi is None else max(-MOST_CENTI, min(info.score_centi, MOST_CENTI))


def _judged(game: Game, ply: int, answer: SearchAnswer, before: int | None, after: int | None) -> AnalysedMove:
    position = game.positions[ply]
    text = position.move_text(game.moves[ply])
    loss: int | None = None
    if position.parse_move(answer.best.move) == game.moves[ply]:
        loss = 0
    elif before is not None and after is not None:
        # The same player may be to move again.
        gained = after if game.positions[ply + 1].side == position.side else -after
        loss = max(before - gained, 0)
    found = (answer.best.move, answer.info, answer.elapsed_ns)
    return AnalysedMove(position.side, position.movenumber, text, *found, loss)


# ---------------------------------------------------------------- analysis write
# Analysed games written as PGN.

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
