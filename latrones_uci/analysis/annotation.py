"""Annotate games: search every position, find moves that lose something, and write the games as PGN."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, tanh

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import Engine
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, Move
from latrones_uci.protocol import SearchInfo
from latrones_uci.records.pgn_write import WrittenMove, render_pgn, render_search

MARKS = ((300, "??"), (100, "?"), (50, "?!"))
"""Minimum loss in centi-soldiers for each mark, in descending order. The thresholds are our choice."""
MOST_CENTI = 1000
"""Scores are limited to this value, which also means a forced win: a side that still wins loses nothing."""

_SCALE_CENTI = 400  # as in the evaluation bar: at this score, a side has about nine tenths of the bar
_STEEPNESS = 4.0


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


def analyse_game(
    game: Game, engine: Engine, limit: Limit, progress: Callable[[int], None] = lambda plies: None
) -> list[AnalysedMove]:
    """Search every position of a game, including the last one unless the game is over there.

    Args:
        game: the game.
        engine: the engine.
        limit: the limits of each search.
        progress: called with the number of plies whose position has been searched.
    """
    engine.new_game(game)
    answers, values = [], []
    for plies in range(len(game.moves) + 1):
        progress(plies)
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
    loss = loss_of(game, ply, position.parse_move(answer.best.move), before, after)
    found = (answer.best.move, answer.info, answer.elapsed_ns)
    return AnalysedMove(position.side, position.movenumber, text, *found, loss)


def loss_of(game: Game, ply: int, best: Move, before: int | None, after: int | None) -> int | None:
    """Return the loss of ply number ``ply`` (from 0) of a game against the best move, None if unknown.

    Args:
        game: the game.
        ply: the ply.
        best: the best move there.
        before: the value of the position before the move for the side to move there, in centi-soldiers.
        after: the value of the position after the move for the side to move there.
    """
    if best == game.moves[ply]:
        return 0
    if before is None or after is None:
        return None
    # In some variants the same player can be to move again.
    gained = after if game.positions[ply + 1].side == game.positions[ply].side else -after
    return max(before - gained, 0)


def accuracy(moves: Sequence[AnalysedMove]) -> int | None:
    """Return the accuracy of a player in percent: the mean of ``exp(-4 d)``, None without moves.

    ``d`` is the share of the evaluation bar that a move has lost, from 0 to 1.
    """
    shares = []
    for move in moves:
        before = value_of(move.info)
        if before is not None and move.loss_centi is not None:
            shares.append(exp(-_STEEPNESS * (_share(before) - _share(before - move.loss_centi))))
    return round(100 * sum(shares) / len(shares)) if shares else None


def _share(centi: int) -> float:
    return 0.5 + 0.5 * tanh(centi / _SCALE_CENTI)


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
